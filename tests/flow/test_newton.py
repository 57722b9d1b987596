"""Steps of Newton's method: their derivative, the marches that they end, members, restarts."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import KinemeshWarning
from kinemesh.flow.gas import newton as module
from kinemesh.run import interrupt
from runs import assert_same, interrupted, rows
from solver_cases import on_devices, ring

SPACE = {
    "in space": (km.Ale, km.AleSettings),
    "cells": (km.CellCentred, km.CellSettings),
    "cells in space": (km.CellCentred, km.CellSettings),
}
CONDITIONS = {
    "slip": {"mach": 0.5, "alpha_deg": 2.0},
    "low Mach": {"mach": 0.1, "alpha_deg": 2.0},
    "laminar": {"mach": 0.3, "reynolds": 200.0},
    "warm wall": {"mach": 0.3, "reynolds": 200.0, "wall": 1.1},
    "turbulent": {"mach": 0.3, "reynolds": 1e5, "turbulence": "sa"},
}


@cache
def section(nodes):
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=10)


@cache
def layered(nodes=1200):
    """Quadrilaterals with a layer that a turbulent gas asks for."""
    return km.mesh.airfoil("naca0012", nodes=nodes, far_field=10, cells="quads", wall_spacing=2e-4)


@cache
def wing(nodes=10_000):
    return km.mesh.oneram6(nodes=nodes, cells="prisms")


def case(nodes=700, device="cpu", settings=None, **more):
    told = {"mach": 0.5, "alpha_deg": 2.0} | more
    settings = km.AleSettings(**{"newton": True} | (settings or {}))
    mesh = [section(n) for n in nodes] if isinstance(nodes, list) else section(nodes)
    mesh = layered() if "turbulence" in more else mesh
    return km.Ale(mesh, device=device, settings=settings, **told)


# ---- the derivative ------------------------------------------------------------------------


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
    if own is None or not own.on:
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


def product(solver, z, cfl):
    """[T / CFL + J] z by the kernels of a step of Newton, its rows without their weights."""
    b, newton = solver.backend, solver.newton
    taking = newton.own["taking"]
    b.put(taking, 1)
    b.put(solver.dualtime.active, 1)
    b.put(solver.dualtime.cfl, cfl)
    b.put(newton.own["theta"], 1.0)
    for call in newton._start():
        call()
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
    if solver.viscosity is not None:
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
    if solver.viscosity is not None:
        fixed[solver.grid.wall.node, 1:3] = fixed[solver.grid.wall.node, 4:] = True
        fixed[solver.grid.wall.node, 3] = CONDITIONS[name].get("wall") is not None

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
        weight = solver.backend.get(solver.newton.own["weight"])[0]
        np.testing.assert_allclose(found[wall, 4], z[wall, 4] / weight, rtol=1e-6)


@pytest.mark.parametrize("name", ["laminar", "warm wall", "turbulent"])
def test_states_that_are_tried_leave_loads_and_what_ends_a_march(name):
    solver = begun(case(**CONDITIONS[name]))
    x, _ = state(solver)
    get, own, eddies = solver.backend.get, solver.grid.wall.device, solver.terms["turbulence"]
    kept = {"reaction": own["reaction"], "heat": own["heat"]}
    kept |= {} if not eddies.on else {"norm": eddies.norm, "base": eddies.base}
    before = {name: get(array) for name, array in kept.items()}
    solver.backend.put(solver.newton.gmres.z, np.ones(x.shape))
    solver.backend.put(solver.newton.own["share"], 1e-4)

    for call in [*solver.newton._start(), *solver.newton._product()]:
        call()

    assert all((get(kept[name]) == before[name]).all() for name in kept)


def other(name, **settings):
    """A case on cells or between planes of symmetry, or both."""
    solver, kind = SPACE[name]
    mesh = section(520)
    mesh = km.mesh.extruded(mesh, span=0.2, layers=2, cells="prisms") if "space" in name else mesh
    settings = kind(newton=True, limiter="none", **settings)
    area = {"reference_area": 0.2} if "space" in name else {}
    return solver(mesh, mach=0.5, alpha_deg=2.0, device="cpu", settings=settings, **area)


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
        np.testing.assert_array_equal(found[there, 2], z[there, 2].astype(np.float32))
        right[there, 2] = found[there, 2]
    error = np.linalg.norm(found - right, axis=0) / np.linalg.norm(right, axis=0)
    assert (error < 2e-4).all()


@pytest.mark.flow
@pytest.mark.parametrize("name", SPACE)
def test_a_march_on_cells_and_between_planes_ends(name):
    found, result = marched(other(name))

    assert result["converged"]
    assert (found["products"] > 0).any()
    assert found["length"].min() > 0


@pytest.mark.parametrize("name", CONDITIONS)
def test_time_of_pseudo_steps_is_that_of_their_matrix(name):
    """T of the product by its part at a CFL number of 1, and by two matrices."""
    solver = begun(case(settings={"limiter": "none", "matrix_dtype": "float64"},
                        **CONDITIONS[name]))  # fmt: skip
    x, _ = state(solver)
    z = direction(solver, x, np.random.default_rng(2))
    variables = solver.model.variables
    if solver.viscosity is not None:
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


# ---- marches -------------------------------------------------------------------------------


def marched(solver):
    run = solver.steady()
    return run.history, run.summary["result"]


@pytest.mark.flow
@pytest.mark.parametrize(("nodes", "mach", "alpha_deg"), [
    (520, 0.5, 2.0), (700, 0.3, -1.0), (900, 0.7, 0.5), (900, 0.8, 1.25), (900, 1.2, 1.25),
])  # fmt: skip
def test_a_march_ends_in_half_of_the_iterations_with_the_same_loads(nodes, mach, alpha_deg):
    flow = {"mach": mach, "alpha_deg": alpha_deg}

    found, result = marched(case(nodes, **flow))
    before, today = marched(case(nodes, settings={"newton": False}, **flow))

    assert result["converged"]
    assert 2 * found["iteration"][-1] < before["iteration"][-1]
    for name in ("cl", "cd", "cm"):
        assert result[name] == pytest.approx(today[name], abs=2e-6)
    steps = found["products"] > 0
    assert steps.sum() <= 12
    assert (found["length"][~steps] == 1).all()
    assert (found["products"] <= 20).all()


def wing_of_prisms(newton):
    settings = km.AleSettings(newton=newton, steady_iterations=70)
    return km.Ale(wing(), mach=1.2, alpha_deg=3.0, device="cpu", reference_area=1.16237,
                  settings=settings)  # fmt: skip


@pytest.mark.flow
@pytest.mark.long
def test_a_wing_of_prisms_ends_where_pseudo_steps_are_at_a_thousandth():
    found, result = marched(wing_of_prisms(True))

    assert result["converged"]
    assert result["residual_drop"] <= 1e-6
    assert (found["products"] > 0).sum() <= 10
    assert found["products"].sum() <= 90
    with pytest.warns(KinemeshWarning, match="stopped at its limit of 70 iterations"):
        _, today = marched(wing_of_prisms(False))
    assert today["residual_drop"] > 1e-3


@pytest.mark.flow
@pytest.mark.parametrize("turbulence", [None, "sa"])
def test_a_viscous_march_ends_with_the_same_loads(turbulence):
    flow = {"mach": 0.3, "alpha_deg": 1.0, "reynolds": 1e3 if turbulence is None else 1e5}
    flow |= {} if turbulence is None else {"turbulence": turbulence}

    def ended(newton):
        return marched(case(1500, settings={"newton": newton}, **flow))

    (found, result), (_, today) = ended(True), ended(False)

    assert result["converged"]
    assert today["converged"]
    assert (found["products"] > 0).any()
    for name in ("cl", "cd", "cm", "cd_friction"):
        assert result[name] == pytest.approx(today[name], abs=1e-5)


@pytest.mark.flow
@on_devices
def test_each_member_is_its_solo_run_bit_for_bit(device):
    """Members go over at other iterations, and one ends long before another."""
    flows = [(520, 0.5, 2.0), (700, 0.3, -1.0), (900, 1.2, 1.25)]
    nodes, mach, alpha_deg = map(list, zip(*flows, strict=True))
    together = case(nodes, device, mach=mach, alpha_deg=alpha_deg)

    found = together.steady().history

    u, first = together.backend.get(together.u), together.grid.first
    for m, (n, own, angle) in enumerate(flows):
        alone = case(n, device, mach=own, alpha_deg=angle)
        history = alone.steady().history.member(0)
        ours = found.member(m)
        for name in ("iteration", "residual", "cl", "cd", "cfl", "products", "length"):
            np.testing.assert_array_equal(ours[name], history[name], err_msg=name)
        assert alone.backend.get(alone.u).tobytes() == u[first[m] : first[m + 1]].tobytes()


@pytest.mark.flow
def test_a_member_that_is_spoiled_within_newton_fails_and_the_others_go_on(monkeypatch):
    flow = {"mach": [0.5, 0.3], "alpha_deg": [2.0, -1.0]}
    whole, spoiled = (case([520, 700], **flow) for _ in range(2))
    real, u, first = interrupt.asked, spoiled.u, spoiled.grid.first

    def asked():
        if spoiled.newton.numbers()["products"][1] > 0:
            values = spoiled.backend.get(u)
            values[first[1]] = np.nan
            spoiled.backend.put(u, values)
        return real()

    with monkeypatch.context() as patch:
        patch.setattr(interrupt, "asked", asked)
        with pytest.warns(KinemeshWarning, match="member 1"):
            found = spoiled.steady().history

    right, ours = whole.steady().history.member(0), found.member(0)
    for name in ("residual", "cl", "products"):
        np.testing.assert_array_equal(ours[name], right[name])
    assert not spoiled.grid.ensemble.alive[1]


@pytest.mark.flow
@pytest.mark.parametrize("flow", [
    {"mach": 0.5}, {"mach": 0.3, "reynolds": 1e5, "turbulence": "sa"},
])  # fmt: skip
@pytest.mark.parametrize("before", [0, 2, 3])
def test_a_run_stopped_within_newton_goes_on_with_the_same_bits(
    monkeypatch, tmp_path, flow, before
):
    """At the first step, and two and three steps later."""

    def run(**more):
        return case(520, settings={"steady_iterations": 300}, **flow).steady(**more)

    whole = run(out=tmp_path / "whole")
    at = int(whole.history["iteration"][whole.history["products"] > 0][0]) + before
    interrupted(monkeypatch, lambda: run(out=tmp_path / "cut"), at)
    assert rows(tmp_path / "cut") == at + 1

    run(out=tmp_path / "cut", resume=True)

    assert_same(tmp_path / "whole", tmp_path / "cut")


# ---- steps that are refused -------------------------------------------------------------------


def refusing(monkeypatch, **changes):
    for name, value in changes.items():
        monkeypatch.setattr(module, name, value)


@pytest.mark.flow
def test_a_solution_that_reduces_nothing_leaves_the_state_and_pseudo_steps_go_on(monkeypatch):
    refusing(monkeypatch, NOTHING=0.0)
    solver = case(520, settings={"steady_iterations": 60})

    with pytest.warns(KinemeshWarning) as told:
        found, result = marched(solver)

    refused = np.flatnonzero(found["length"] == 0)
    assert len(refused) >= 6
    assert (np.diff(refused)[:2] == 1).all()  # three in a row, then ten pseudo-steps
    assert refused[3] - refused[2] == module.PAUSE + 1
    for row in refused[:2]:
        assert found["residual"][row + 1] == found["residual"][row]
        assert found["cl"][row + 1] == found["cl"][row]
    assert not result["converged"]
    text = " ".join(str(w.message) for w in told)
    assert "3 steps of Newton in a row were refused" in text
    assert text.count("steps of Newton") == 1


@pytest.mark.flow
def test_a_march_whose_steps_are_refused_ends_with_pseudo_steps(monkeypatch):
    refusing(monkeypatch, NOTHING=0.0)

    found, result = marched(case(520, settings={"steady_iterations": 500}))

    assert result["converged"]
    assert (found["products"] > 0).sum() > 6


@pytest.mark.flow
def test_a_step_that_no_length_makes_smaller_is_refused(monkeypatch):
    """From an impulsive start at once: the residual has to rise first."""
    refusing(monkeypatch, BEGIN=10.0)

    found, result = marched(
        case(900, mach=1.2, alpha_deg=1.25, settings={"steady_iterations": 900})
    )

    refused = found["length"] == 0
    assert found["products"][0] > 0
    assert refused.any()
    assert ((found["length"] >= 1 / 32) | refused).all()
    assert result["converged"]
    short = (found["length"] > 0) & (found["length"] < 0.6) & (found["cfl"] > 1)
    assert short.any()


# ---- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "told"), [
    ({"newton": 1}, "newton is 1, expected one of False, True"),
    ({"newton": "yes"}, "newton is 'yes', expected one of False, True"),
    ({"newton": True, "newton_vectors": 0}, "newton_vectors is 0, expected a whole number above 0"),
    ({"newton": True, "newton_vectors": 2.0}, "newton_vectors is 2.0"),
    ({"newton": True, "newton_tolerance": 0.0}, "newton_tolerance is 0.0, expected a number"),
    ({"newton": True, "newton_tolerance": 0.91}, "newton_tolerance is 0.91, expected a number"),
    ({"newton_vectors": 30}, "newton_vectors is 30 and has no effect: newton is False"),
    ({"newton_tolerance": 0.1}, "newton_tolerance is 0.1 and has no effect: newton is False"),
    ({"newton": True, "linear_solver": "lusgs"}, "newton is True and linear_solver is 'lusgs'"),
])  # fmt: skip
@pytest.mark.parametrize("kind", [km.AleSettings, km.CellSettings])
def test_settings_that_are_none_or_have_no_effect_are_refused(kind, given, told):
    with pytest.raises(km.SettingsError, match=told):
        kind(**given)


@pytest.mark.parametrize("given", [
    {"newton": True, "newton_vectors": 1}, {"newton": True, "newton_tolerance": 0.9},
    {"newton": False}, {"newton": True, "newton_vectors": 20},
])  # fmt: skip
def test_settings_within_their_limits_are_taken(given):
    km.AleSettings(**given)


def test_newton_in_single_precision_is_refused_by_name():
    with pytest.raises(km.SettingsError, match="newton is True and dtype is 'float32'"):
        case(520, dtype="float32")
    case(520, dtype="float32", settings={"newton": False})


def test_solvers_without_a_matrix_know_no_newton():
    with pytest.raises((km.SettingsError, TypeError), match="newton"):
        km.MeshlessSettings(newton=True)


@pytest.mark.flow
def test_an_unsteady_run_begins_with_it_and_its_steps_are_as_they_were():
    def run(**settings):
        solver = km.Ale(ring(12, 6), mach=0.3, device="cpu", motion=km.motion.pitch(1.0, 0.1),
                        settings=km.AleSettings(steady_drop=1e-9, **settings))  # fmt: skip
        return solver.run(cycles=3 / 16, steps_per_cycle=16).history

    with_it, without = run(newton=True), run()

    assert with_it.columns == without.columns
    np.testing.assert_allclose(with_it["cl"], without["cl"], atol=1e-6)
