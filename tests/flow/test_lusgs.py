"""LU-SGS by colours: the system it sweeps, and the flows it leads to."""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import GAMMA, jacobian
from kinemesh.flow import memory
from kinemesh.flow.terms.base import Term
from solver_cases import on_devices, square

LUSGS = {"linear_solver": "lusgs"}


def system(ale):
    """Dense blocks and side of equation 2.11b, nodes in the mesh's order."""
    get, grid = ale.backend.get, ale.grid
    q, S, w, lr = get(ale.q), get(grid.S), get(grid.w), grid.dual.lr
    lam = np.zeros((grid.nodes, grid.nodes))
    A = np.zeros((grid.nodes, 4, grid.nodes, 4))
    closing, still = np.zeros((grid.nodes, 2)), np.zeros(grid.nodes)

    def radius(i, s, v):
        return np.abs(np.linalg.eigvals(jacobian(q[i], s, v))).max()

    for (a, b), s, v in zip(lr, S, w, strict=True):
        for i, j, sign in ((a, b, 1), (b, a, -1)):
            lam[i, j] = max(radius(k, sign * s, sign * v) for k in (i, j))
            A[i, :, j] = 0.5 * (jacobian(q[j], sign * s, sign * v) - lam[i, j] * np.eye(4))
            closing[i] -= sign * s
            still[i] -= sign * v
    wall = np.array([radius(i, closing[i], still[i]) for i in range(grid.nodes)])
    time = lam.sum(1) / get(ale.dualtime.cfl)[0] / get(ale.pace)
    time += get(grid.bdf)[0, 0] * get(grid.V)
    for i, d in enumerate(time + 0.5 * (lam.sum(1) + wall)):
        A[i, :, i] = d * np.eye(4)
    return A, -get(ale.res)


def swept(ale, sweeps):
    """du by nodes after symmetric sweeps of a dense system in the order of the rows."""
    A, side = system(ale)
    du = np.zeros_like(side)
    order = ale.pattern.node
    for turn in range(2 * sweeps):
        for i in order[::-1] if turn % 2 else order:
            rest = side[i] - np.einsum("kjl,jl->k", A[i], du) + A[i, :, i] @ du[i]
            du[i] = np.linalg.solve(A[i, :, i], rest)
    return du


@on_devices
@pytest.mark.parametrize("sweeps", [1, 3])
def test_sweeps_are_those_of_the_dense_system(device, sweeps):
    mesh = square(7, quads=True)
    settings = km.AleSettings(lusgs_sweeps=sweeps, **LUSGS)
    ale = km.Ale(mesh, mach=0.6, alpha_deg=20.0, device=device, settings=settings)
    rng = np.random.default_rng(3)
    q = np.array([1, 0.5, 0.2, 1 / GAMMA]) * rng.uniform(0.8, 1.2, (mesh.nodes, 4))
    ale.initialise(q)
    put = ale.backend.put
    put(ale.grid.w, rng.uniform(-0.02, 0.02, ale.grid.edges))
    put(ale.grid.bdf, np.array([[2.0, 0.0, 0.0]]))
    put(ale.pace, rng.uniform(0.5, 1, mesh.nodes))
    put(ale.dualtime.cfl, 3.0)
    ale.backend.record(ale.residual())()

    ale.backend.record(ale.implicit.calls())()

    got = ale.backend.get(ale.implicit.update["du"])
    want = swept(ale, sweeps)
    assert np.abs(got - want).max() < 1e-12 * np.abs(want).max()


def flow(device, **settings):
    """A lifting flow on a mesh of 520 nodes."""
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)
    ale = km.Ale(mesh, mach=0.5, alpha_deg=2.0, device=device, settings=km.AleSettings(**settings))
    result = ale.steady().summary["result"]
    assert result["residual_drop"] <= settings["steady_drop"]
    return [result[name] for name in ("cl", "cd", "cm")]


@pytest.mark.flow
@pytest.mark.long
@on_devices
def test_the_flow_does_not_depend_on_the_linear_solver(device):
    want = flow(device, steady_drop=1e-8)

    # eight orders of the residual, of loads of order 0.3
    assert flow(device, steady_drop=1e-8, **LUSGS) == pytest.approx(want, abs=1e-7)


@pytest.mark.long
@pytest.mark.sanitize
@pytest.mark.flow
@on_devices
def test_moving_bodies_have_the_same_loads(device):
    mesh = km.mesh.airfoil("naca0012", nodes=520, far_field=10)

    def loads(**settings):
        settings = km.AleSettings(unsteady_drop=1e-7, unsteady_iterations=1000, **settings)
        ale = km.Ale(mesh, mach=0.5, motion=km.motion.pitch(2.0, 0.2), device=device,
                     settings=settings)  # fmt: skip
        rows = ale.run(cycles=1 / 8, steps_per_cycle=32).history
        assert (rows["converged"] == 1).all()
        return np.stack([rows[name] for name in ("cl", "cd", "cm")])

    want = loads()

    assert np.abs(want[0]).max() > 0.05
    # seven orders of a step's residual, whose first norm is that of the step's change in loads
    assert np.abs(loads(**LUSGS) - want).max() < 1e-6


@pytest.mark.filterwarnings("ignore:.*residual is still")
def test_members_have_the_bits_of_their_solo_runs():
    mesh, machs = km.mesh.airfoil("naca0012", nodes=520, far_field=10), [0.4, 0.6]
    settings = km.AleSettings(steady_iterations=50, **LUSGS)

    def states(mach):
        ale = km.Ale(mesh, mach=mach, alpha_deg=1.0, device="cpu", settings=settings)
        ale.steady()
        return ale.primitive()

    both = states(machs)

    assert (both == np.concatenate([states(m) for m in machs])).all()


def test_no_matrix_takes_half_of_the_memory():
    with_matrix, without = (
        memory.needed(km.Ale, "float64", [square(60)], km.AleSettings(linear_solver=way))
        for way in ("bicgstab", "lusgs")
    )
    assert without < 0.5 * with_matrix


@pytest.mark.parametrize(
    ("name", "value", "chosen"),
    [
        ("lusgs_sweeps", 3, {}),
        ("krylov_iterations", 9, LUSGS),
        ("krylov_tolerance", 0.2, LUSGS),
        ("jacobian_fix", 0.2, LUSGS),
        ("matrix_dtype", "float64", LUSGS),
        ("limiter_k", 0.1, {"limiter": "none"}),
    ],
)
def test_a_setting_of_another_solver_is_refused(name, value, chosen):
    with pytest.raises(km.SettingsError, match=rf"^{name} is {value!r} and has no effect: li"):
        km.AleSettings(**chosen, **{name: value})


class Source(Term):
    name = "source"

    def residual(self):
        return [self.fields.bind("state_primitive")]


class Stiff(Source):
    def matrix(self, rows):
        return []


@pytest.mark.parametrize("solver", [km.Ale, km.Meshless])
def test_a_term_whose_derivative_sweeps_lack_is_refused(solver):
    """A source that is stiff lets sweeps diverge where its derivative is left out."""
    mesh = km.mesh.airfoil("naca0012", nodes=500)
    space, settings = mesh, km.AleSettings(**LUSGS)
    if solver is km.Meshless:
        space, settings = km.Cloud.from_mesh(mesh), km.MeshlessSettings(time="lusgs")

    def made(more, settings=settings):
        class Own(solver):
            def terms_of(self):
                return (*super().terms_of(), more)

        return Own(space, mach=0.5, settings=settings, device="cpu")

    said = "lack the derivative of the term 'source'; use .*= 'bicgstab'"
    with pytest.raises(km.SettingsError, match=said):
        made(Stiff)
    assert list(made(Source).terms)[-1] == "source"
    assert list(made(Stiff, None).terms)[-1] == "source"
