"""The derivative of the residual in steps of Newton's method, by differences of another length."""

import kinemesh as km
import numpy as np
import pytest
from newton_cases import SPACE, case, other
from solver_cases import ring

CONDITIONS = {
    "slip": {"mach": 0.5, "alpha_deg": 2.0},
    "low Mach": {"mach": 0.1, "alpha_deg": 2.0},
    "laminar": {"mach": 0.3, "reynolds": 200.0},
    "warm wall": {"mach": 0.3, "reynolds": 200.0, "viscosity": km.Viscosity(wall=1.1)},
    "turbulent": {"mach": 0.3, "reynolds": 1e5, "turbulence": "sa"},
}


def begun(solver, after=3):
    """Begin a steady march, take some pseudo-steps, and leave `res` of what they came to."""
    solver.start_steady()
    march = solver.iteration(0.0, 10_000, (20.0, 20.0, 1.5), after)
    march()
    for call in solver.residual():
        call()
    return solver


def state(solver):
    """(nodes, numbers) x, and R(x) from `res` as it stands."""
    get = solver.backend.get
    own = solver.terms.get("turbulence")
    if own is None:
        return get(solver.u), get(solver.res)
    x = np.c_[get(solver.u), get(own.nt) / get(solver.newton.beside.fields["scale"])[0]]
    return x, np.c_[get(solver.res), get(own.own["res_nt"])]


def residual(solver, x):
    """R(x) by the calls of a march."""
    variables = solver.model.variables
    solver.backend.put(solver.u, x[:, :variables])
    if x.shape[1] > variables:
        scale = solver.backend.get(solver.newton.beside.fields["scale"])[0]
        solver.backend.put(solver.terms["turbulence"].nt, scale * x[:, variables])
    for call in solver.residual():
        call()
    return state(solver)[1]


def start(solver, cfl):
    """State, factors and side of a step of Newton, from `res` and the matrices as they stand."""
    b, newton = solver.backend, solver.newton
    b.put(newton.own["taking"], 1)
    b.put(solver.dualtime.active, 1)
    b.put(solver.dualtime.cfl, cfl)
    b.put(newton.own["theta"], 1.0)
    for call in [*solver.residual(), *newton._start()]:
        call()
    return b, newton


def product(solver, z, cfl):
    """[T / CFL + J] z by the kernels of a step of Newton, its rows without their weights."""
    b, newton = start(solver, cfl)
    b.put(newton.gmres.z, z)
    for call in newton._product():
        call()
    w = b.get(newton.gmres.w).astype(float)
    w[:, solver.model.variables :] /= b.get(newton.own["weight"])[0]
    b.put(newton.own["share"], 0)
    for call in [*newton._move(), *solver.residual()]:
        call()
    return w


def direction(solver, x, rng):
    """A smooth change of x of the size of its own, that no wall and no plane forbids."""
    z = rng.normal(size=x.shape) * np.abs(x).mean(axis=0)
    if solver.viscosity.viscous:
        wall = solver.grid.wall.node
        z[wall, 1:3] = 0
        if solver.viscosity.wall:
            z[wall, 3] = z[wall, 0] * x[wall, 3] / x[wall, 0]
        z[wall, 4:] = 0
    return z.astype(np.float32).astype(float)


@pytest.mark.parametrize("name", CONDITIONS)
def test_product_is_the_derivative_of_the_residual(name):
    """By central differences a thousand times as far, without a limiter, whose kinks they cross."""
    solver = begun(case(settings={"limiter": "none"}, **CONDITIONS[name]), 30)
    x, _ = state(solver)
    z = direction(solver, x, np.random.default_rng(1))
    fixed = np.zeros(x.shape, bool)
    if solver.viscosity.viscous:
        fixed[solver.grid.wall.node, 1:3] = fixed[solver.grid.wall.node, 4:] = True
        fixed[solver.grid.wall.node, 3] = "viscosity" in CONDITIONS[name]

    found = product(solver, z, 1e300)

    assert (state(solver)[0] == x).all()  # to the bit
    e = 1e-5 / np.abs(z).max()
    right = (residual(solver, x + e * z) - residual(solver, x - e * z)) / (2 * e)
    for k in range(x.shape[1]):
        free = ~fixed[:, k]
        if k == solver.model.variables:  # far away the size of the vorticity has its kink, at zero
            free &= solver.backend.get(solver.fields["distance"]) < 0.1
        error = np.linalg.norm((found - right)[free, k]) / np.linalg.norm(right[free, k])
        assert error < 2e-4, k  # of differences at 1e-7 in float64 that vectors in float32 hold
    assert not found[fixed & (z == 0)].any()


@pytest.mark.parametrize("name", ["laminar", "warm wall", "turbulent"])
def test_rows_of_walls_are_those_of_the_matrix(name):
    """Momentum and nu~ of a node at rest are given, and at a given temperature its energy."""
    solver = begun(case(**CONDITIONS[name]))
    x, _ = state(solver)
    z = np.random.default_rng(4).normal(size=x.shape).astype(np.float32)
    wall = solver.grid.wall.node

    found = product(solver, z, 30.0)

    np.testing.assert_allclose(found[wall, 1:3], z[wall, 1:3], rtol=1e-6)
    if name == "warm wall":
        given = z[wall, 3] - x[wall, 3] / x[wall, 0] * z[wall, 0]
        np.testing.assert_allclose(found[wall, 3], given, rtol=1e-5, atol=1e-5)
    if name == "turbulent":
        scale = solver.backend.get(solver.newton.beside.fields["scale"])[0]
        np.testing.assert_allclose(found[wall, 4], scale * z[wall, 4], rtol=1e-6)


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("name", ["laminar", "warm wall", "turbulent"])
def test_preconditioned_product_leaves_rows_of_walls_as_they_are(name, weight):
    """Rounding there would grow from vector to vector by whatever the two are apart."""
    solver = begun(case(**CONDITIONS[name]), 30)
    (b, newton), wall = start(solver, 1e3), solver.grid.wall.node
    given = [1, 2, *([3] if name == "warm wall" else []), *range(4, newton.gmres.w.shape[1])]
    rows = np.ix_(wall, given)
    w = np.zeros(newton.gmres.w.shape, np.float32)
    w[rows] = np.random.default_rng(1).normal(size=w[rows].shape)
    b.put(newton.own["weight"], weight)
    b.put(newton.gmres.w, w)

    for call in [*newton._solve(), *newton._product()]:
        call()

    np.testing.assert_allclose(b.get(newton.gmres.w)[rows], w[rows], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["laminar", "warm wall", "turbulent"])
def test_states_that_are_tried_leave_loads_and_what_ends_a_march(name):
    solver = begun(case(**CONDITIONS[name]))
    x, _ = state(solver)
    get, own, eddies = solver.backend.get, solver.grid.wall.device, solver.terms.get("turbulence")
    kept = {"reaction": own["reaction"], "heat": own["heat"]}
    kept |= {} if eddies is None else {"norm": eddies.norm, "base": eddies.base}
    before = {name: get(array) for name, array in kept.items()}
    solver.backend.put(solver.newton.gmres.z, np.ones(x.shape))
    solver.backend.put(solver.newton.own["share"], 1e-4)

    for call in [*solver.newton._start(), *solver.newton._product()]:
        call()

    assert all((get(kept[name]) == before[name]).all() for name in kept)


def test_product_is_the_derivative_about_a_wall_that_slides():
    """Rows of its nodes are d(rho v) - v d(rho), so that density takes momentum along."""
    told = {"mach": 0.3, "reynolds": 100.0, "device": "cpu"}
    told["viscosity"] = km.Viscosity(sliding={"body": 0.5})
    settings = km.AleSettings(newton=True, limiter="none")
    solver = begun(km.Ale(ring(24, 16), settings=settings, **told), 30)
    x, _ = state(solver)
    wall, off = solver.grid.wall.node, np.ones(len(x), bool)
    z = direction(solver, x, np.random.default_rng(1))
    z[wall, 1:3] = solver.backend.get(solver.grid.wall.device["velocity"]) * z[wall, :1]
    z = z.astype(np.float32).astype(float)
    off[wall] = False

    found = product(solver, z, 1e300)

    e = 1e-5 / np.abs(z).max()
    right = (residual(solver, x + e * z) - residual(solver, x - e * z)) / (2 * e)
    right[wall, 1:3] = 0
    error = np.linalg.norm(found - right, axis=0) / np.linalg.norm(right, axis=0)
    assert (error < 1e-5).all()
    assert np.abs(z[wall, 1:3]).max() > 0.01


@pytest.mark.parametrize("name", SPACE)
def test_product_is_the_derivative_on_cells_and_between_planes(name):
    solver = begun(other(name), 30)
    x, _ = state(solver)
    z = direction(solver, x, np.random.default_rng(1))
    across = solver.grid.mirrors.get("on_plane")

    found = product(solver, z, 1e300)

    assert (state(solver)[0] == x).all()
    e = 1e-5 / np.abs(z).max()
    right = (residual(solver, x + e * z) - residual(solver, x - e * z)) / (2 * e)
    if across is not None:  # what passes through the plane is no equation
        there = solver.backend.get(across) != 0
        assert there.any()
        time = solver.backend.get(solver.newton.vectors["T"])
        np.testing.assert_allclose(found[there, 2], (time * z[:, 2])[there], rtol=1e-6)
        right[there, 2] = found[there, 2]
    error = np.linalg.norm(found - right, axis=0) / np.linalg.norm(right, axis=0)
    assert (error < 2e-4).all()


@pytest.mark.parametrize("name", ["in space", "warm wall", "turbulent"])
def test_rows_that_are_no_equations_are_of_the_size_of_the_preconditioner_s(name):
    """Rounding errors there must not grow from vector to vector: |A M w| is a few |w|."""
    solver = begun(other(name) if name in SPACE else case(**CONDITIONS[name]), 30)
    b, newton = start(solver, 1e3)
    w = np.random.default_rng(1).normal(size=newton.gmres.w.shape)

    growth = []
    for _ in range(8):
        b.put(newton.gmres.w, w / np.linalg.norm(w))
        for call in [*newton._solve(), *newton._product()]:
            call()
        w = b.get(newton.gmres.w).astype(float)
        growth.append(np.linalg.norm(w))

    assert 0.5 < max(growth) < 50


@pytest.mark.parametrize("name", CONDITIONS)
def test_time_of_pseudo_steps_is_that_of_their_matrix(name):
    """T of the product by its part at a CFL number of 1, and by two matrices."""
    solver = begun(case(settings={"limiter": "none", "matrix_dtype": "float64"},
                        **CONDITIONS[name]))  # fmt: skip
    x, _ = state(solver)
    z = direction(solver, x, np.random.default_rng(2))
    variables = solver.model.variables
    if solver.viscosity.viscous:
        z[solver.grid.wall.node] = 0

    found = product(solver, z, 1.0) - product(solver, z, 1e300)

    row = solver.pattern.row_of
    blocks = []
    for cfl in (1.0, 1e300):
        solver.backend.put(solver.dualtime.cfl, cfl)
        for call in solver.implicit.factors(solver.assemble)[:-1]:
            call()
        own = solver.backend.get(solver.implicit.solver.A)[solver.pattern.diagonal[row]]
        blocks.append(own.reshape(-1, variables, variables).swapaxes(1, 2))  # by columns
    right = np.einsum("nij,nj->ni", blocks[0] - blocks[1], z[:, :variables])
    error = np.linalg.norm(found[:, :variables] - right) / np.linalg.norm(right)
    assert error < 1e-5
