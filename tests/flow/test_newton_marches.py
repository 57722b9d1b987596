"""Marches with steps of Newton's method: where they end, members, restarts, what is refused."""

from dataclasses import replace
from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import KinemeshWarning
from kinemesh.flow.gas import newton as module
from kinemesh.run import interrupt
from newton_cases import SPACE, case, layered, marched, other, section
from runs import assert_same, interrupted, rows
from solver_cases import on_devices, ring

EARLY = {False: 10.0, True: 10.0}  # BEGIN of a march that takes steps of Newton at once


@cache
def wing(nodes=10_000):
    return km.mesh.oneram6(nodes=nodes, cells="prisms")


@pytest.mark.flow
@pytest.mark.long
@pytest.mark.parametrize("name", SPACE)
def test_a_march_on_cells_and_between_planes_ends(name):
    found, result = marched(other(name))

    assert result["converged"]
    assert (found["products"] > 0).any()
    assert found["length"].min() > 0


@pytest.mark.flow
@pytest.mark.long
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
    assert found["products"].sum() <= 100
    with pytest.warns(KinemeshWarning, match="stopped at its limit of 70 iterations"):
        _, today = marched(wing_of_prisms(False))
    assert today["residual_drop"] > 1e-3


@pytest.mark.flow
def test_a_limiter_on_which_pseudo_steps_stall_has_a_steady_flow():
    """Venkatakrishnan's, whose residual pseudo-steps keep at 2e-3."""
    flow = {"mach": 0.7, "alpha_deg": 1.0}
    limited = {"limiter": "venkatakrishnan", "steady_iterations": 200}

    found, result = marched(case(900, settings=limited, **flow))

    assert result["converged"]
    assert found["iteration"][-1] < 100
    with pytest.warns(KinemeshWarning, match="stopped at its limit of 200 iterations"):
        _, today = marched(case(900, settings=limited | {"newton": False}, **flow))
    assert today["residual_drop"] > 1e-4


@pytest.mark.flow
@pytest.mark.long
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
@pytest.mark.long
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
@pytest.mark.long
@pytest.mark.parametrize("flow", [
    {"mach": 0.5}, {"mach": 0.3, "reynolds": 1e5, "turbulence": "sa"},
])  # fmt: skip
def test_a_run_stopped_within_newton_goes_on_with_the_same_bits(monkeypatch, tmp_path, flow):
    """At the first step, and two and three steps later."""

    def run(**more):
        return case(520, settings={"steady_iterations": 300}, **flow).steady(**more)

    whole = run(out=tmp_path / "whole")
    first = int(whole.history["iteration"][whole.history["products"] > 0][0])
    for before in (0, 2, 3):
        cut, at = tmp_path / f"cut-{before}", first + before
        interrupted(monkeypatch, lambda cut=cut: run(out=cut), at)
        assert rows(cut) == at + 1

        run(out=cut, resume=True)

        assert_same(tmp_path / "whole", cut)


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
    assert "it ended in pseudo-steps" in text


@pytest.mark.flow
def test_a_march_whose_steps_are_refused_ends_with_pseudo_steps(monkeypatch):
    refusing(monkeypatch, NOTHING=0.0)

    found, result = marched(case(520, settings={"steady_iterations": 500}))

    assert result["converged"]
    assert (found["products"] > 0).sum() > 6


@pytest.mark.flow
def test_a_step_that_no_length_makes_smaller_is_refused(monkeypatch):
    """From an impulsive start at once: the residual has to rise first."""
    refusing(monkeypatch, BEGIN=EARLY)

    found, result = marched(case(900, mach=1.5, alpha_deg=3.0, settings={"steady_iterations": 900}))

    refused = found["length"] == 0
    assert found["products"][0] > 0
    assert refused.any()
    assert ((found["length"] >= 1 / 32) | refused).all()
    assert result["converged"]
    short = (found["length"] > 0) & (found["length"] < 0.6) & (found["cfl"] > 1)
    assert short.any()


@pytest.mark.flow
@pytest.mark.parametrize(("changes", "settings", "told"), [
    ({}, {"steady_iterations": 3}, "it ended in pseudo-steps, before steps of Newton"),
    ({"BEGIN": EARLY}, {"steady_iterations": 4, "newton_vectors": 1, "newton_tolerance": 0.01},
     r"it ended in steps of Newton.* left 0.\d+ of the linear residual in 1 products, "
     r"asked 0.01: raise newton_vectors \(1\)"),
])  # fmt: skip
def test_a_march_that_ends_short_tells_its_phase(monkeypatch, changes, settings, told):
    refusing(monkeypatch, **changes)

    with pytest.warns(KinemeshWarning, match=told):
        marched(case(520, settings=settings))


@pytest.mark.flow
def test_a_march_that_ends_at_a_step_that_no_length_makes_smaller_says_so(monkeypatch):
    refusing(monkeypatch, BEGIN=EARLY)

    def ran(most):
        return marched(case(900, mach=1.5, alpha_deg=3.0, settings={"steady_iterations": most}))

    with pytest.warns(KinemeshWarning):
        found, _ = ran(12)
    at = np.flatnonzero((found["length"] == 0) & (found["products"] > 0))[0]
    with pytest.warns(KinemeshWarning, match=r"no length down to 0.03125 made the residual small"):
        ran(int(at) + 1)


# ---- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "told"), [
    ({"newton": 1}, "newton is 1, expected one of False, True"),
    ({"newton": "yes"}, "newton is 'yes', expected one of False, True"),
    ({"newton": True, "newton_vectors": 0}, "newton_vectors is 0, expected a whole number above 0"),
    ({"newton": True, "newton_vectors": 2.0}, "newton_vectors is 2.0"),
    ({"newton": True, "newton_tolerance": 0.0}, "newton_tolerance is 0.0, expected a number"),
    ({"newton": True, "newton_tolerance": 0.91}, "newton_tolerance is 0.91, expected a number"),
    ({"newton": False, "newton_vectors": 40}, "newton_vectors is 40 and has no effect"),
    ({"newton": False, "newton_tolerance": 0.1}, "newton_tolerance is 0.1 and has no effect"),
    ({"newton": True, "unsteady_newton_tolerance": 0.91}, "unsteady_newton_tolerance is 0.91, exp"),
    ({"newton": False, "unsteady_newton_tolerance": 0.2}, "unsteady_newton_tolerance is 0.2"),
    ({"newton": False, "unsteady_newton": True}, "unsteady_newton is True and has no effect"),
    ({"unsteady_newton": 1}, "unsteady_newton is 1, expected one of False, True"),
    ({"unsteady_newton": False, "unsteady_newton_tolerance": 0.2}, "unsteady_newton is False"),
    ({"newton": True, "linear_solver": "lusgs"}, "newton is True and linear_solver is 'lusgs'"),
])  # fmt: skip
@pytest.mark.parametrize("kind", [km.AleSettings, km.CellSettings])
def test_settings_that_are_none_or_have_no_effect_are_refused(kind, given, told):
    with pytest.raises(km.SettingsError, match=told):
        kind(**given)


@pytest.mark.parametrize("given", [
    {"newton": True, "newton_vectors": 1}, {"newton": True, "newton_tolerance": 0.9},
    {"newton": False}, {"newton": True, "newton_vectors": 20},
    {"newton": True, "unsteady_newton_tolerance": 0.9},
])  # fmt: skip
def test_settings_within_their_limits_are_taken(given):
    km.AleSettings(**given)


VISCOUS, SINGLE = {"reynolds": 500.0}, {"dtype": "float32"}
LUSGS = {"linear_solver": "lusgs"}


@pytest.mark.parametrize(("solver", "space", "settings", "more", "newton"), [
    (km.Ale, False, {}, {}, False), (km.Ale, False, {}, VISCOUS, True),
    (km.Ale, True, {}, {}, True), (km.CellCentred, False, {}, {}, False),
    (km.CellCentred, True, {}, {}, False), (km.Ale, True, {}, SINGLE, False),
    (km.Ale, False, {}, VISCOUS | SINGLE, False), (km.Ale, True, LUSGS, {}, False),
    (km.Ale, True, {"newton": False}, {}, False), (km.Ale, False, {"newton": True}, {}, True),
    (km.Ale, False, {"newton": False}, VISCOUS, False),
])  # fmt: skip
def test_a_viscous_gas_and_wings_about_nodes_take_steps_of_newton_by_default(
    solver, space, settings, more, newton
):
    """docs/theory.md, section 2.9; an inviscid gas in the plane gains nothing by them."""
    mesh = section(520)
    mesh = km.mesh.extruded(mesh, span=0.2, layers=1, cells="prisms") if space else mesh
    area = {"reference_area": 0.2} if space else {}
    told = solver.settings_type(**settings)

    made = solver(mesh, mach=0.5, device="cpu", settings=told, **area, **more)

    assert made.settings.newton is newton
    assert made.newton_of_steps is None
    assert (made.newton is not None) is newton
    viscous, dimension = "reynolds" in more, mesh.dimension
    assert made.settings == replace(told, newton=newton).complete(viscous, dimension)


@pytest.mark.long
@pytest.mark.parametrize(("settings", "gas", "steps"), [
    ({}, "turbulent", True), ({}, "laminar", False), ({"unsteady_newton": True}, "laminar", True),
    ({"unsteady_newton": False}, "turbulent", False), ({"newton": False}, "turbulent", False),
    ({"newton": True, "unsteady_newton": True}, "inviscid", True),
    ({"newton": True}, "inviscid", False),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*y\\+:RuntimeWarning")
def test_steps_with_a_model_of_turbulence_are_of_newton_by_default(settings, gas, steps):
    flow = {
        "inviscid": {},
        "laminar": {"reynolds": 500.0},
        "turbulent": {"reynolds": 1e5, "turbulence": "sa"},
    }[gas]
    mesh = layered() if gas == "turbulent" else section(520)
    motion = km.motion.pitch(1.0, 0.2, about=(0.25, 0.0))
    told = km.AleSettings(**settings, steady_iterations=300)

    made = km.Ale(mesh, mach=0.4, device="cpu", settings=told, motion=motion, **flow)

    assert (made.newton_of_steps is not None) is steps
    found = made.run(cycles=1 / 24, steps_per_cycle=48).history
    assert found["converged"].all()
    assert ("products" in found.columns) is steps


@pytest.mark.parametrize(("solver", "given", "more", "told"), [
    (km.Ale, {"newton_vectors": 40}, {}, "newton_vectors is 40 .*: newton is False by default of "
     "an inviscid gas in the plane"),
    (km.Ale, {"unsteady_newton": True}, {}, "unsteady_newton is True .* an inviscid gas"),
    (km.Ale, {"newton_vectors": 40}, VISCOUS | SINGLE, "newton is False by default in float32"),
    (km.Ale, {"newton_tolerance": 0.1, "linear_solver": "lusgs"}, {}, "with linear_solver = 'lusg"),
    (km.CellCentred, {"newton_vectors": 40}, {}, "newton is False by default of an inviscid gas on "
     "cells"),
    (km.Ale, {"unsteady_newton_tolerance": 0.2}, VISCOUS, "unsteady_newton is False by default "
     "without a model of turbulence"),
])  # fmt: skip
def test_a_setting_of_newton_s_is_refused_where_pseudo_steps_are_the_default(
    solver, given, more, told
):
    with pytest.raises(km.SettingsError, match=told):
        solver(section(520), mach=0.5, settings=solver.settings_type(**given), **more)


def test_newton_in_single_precision_is_refused_by_name():
    with pytest.raises(km.SettingsError, match="newton is True and dtype is 'float32'"):
        case(520, dtype="float32")
    case(520, dtype="float32", settings={"newton": False})


def test_solvers_without_a_matrix_know_no_newton():
    with pytest.raises((km.SettingsError, TypeError), match="newton"):
        km.MeshlessSettings(newton=True)


@pytest.mark.flow
def test_an_inviscid_run_begins_with_it_and_its_steps_are_as_they_were():
    def run(**settings):
        solver = km.Ale(ring(12, 6), mach=0.3, device="cpu", motion=km.motion.pitch(1.0, 0.1),
                        settings=km.AleSettings(steady_drop=1e-9, **settings))  # fmt: skip
        return solver.run(cycles=3 / 16, steps_per_cycle=16).history

    with_it, without = run(newton=True), run()

    assert with_it.columns == without.columns
    np.testing.assert_allclose(with_it["cl"], without["cl"], atol=1e-6)
