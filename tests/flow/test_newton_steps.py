"""Physical steps of a viscous gas by Newton's method: loads, members, restarts, refused steps."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import KinemeshWarning
from kinemesh.flow.gas import newton as module
from newton_cases import layered, section
from runs import assert_same, rows, stopped
from solver_cases import on_devices

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*y\\+:RuntimeWarning", "ignore:.*periodic"),
]
LAMINAR = {"reynolds": 1e3, "mach": 0.3}
TURBULENT = {"reynolds": 1e5, "mach": 0.3, "turbulence": "sa"}
FLOWS = {"laminar": LAMINAR, "turbulent": TURBULENT}
STEPS = {"newton": True, "unsteady_newton": True}


def pitching(newton=True, device="cpu", mesh=None, settings=None, amplitude=1.0, **flow):
    mesh = mesh or (layered() if "turbulence" in flow else section(700))
    told = {"newton": newton, "unsteady_newton": newton, "steady_iterations": 300} | (
        settings or {}
    )
    return km.Ale(mesh, device=device, settings=km.AleSettings(**told), **flow,
                  motion=km.motion.pitch(amplitude, 0.2, about=(0.25, 0.0)))  # fmt: skip


def run(solver, steps=6, **more):
    return solver.run(cycles=steps / 48, steps_per_cycle=48, **more)


@pytest.mark.long
@pytest.mark.parametrize("flow", FLOWS)
def test_steps_have_the_loads_of_pseudo_steps_in_a_third_of_the_iterations(flow):
    tight = {"unsteady_drop": 1e-7, "steady_drop": 1e-8}
    if flow == "turbulent":
        tight["unsteady_turbulence_drop"] = 1e-5

    found = run(pitching(settings=tight, **FLOWS[flow])).history
    before = run(pitching(False, settings=tight, **FLOWS[flow])).history

    assert found["converged"].all()
    assert before["converged"].all()
    assert 3 * found["inner_iterations"].mean() < before["inner_iterations"].mean()
    swing = np.ptp(before["cl"])
    for name in ("cl", "cd", "cm", "cd_friction"):
        np.testing.assert_allclose(found[name], before[name], atol=2e-4 * swing)
    assert (found["products"] >= found["inner_iterations"]).all()
    assert "products" not in before.columns


@pytest.mark.long
@on_devices
def test_each_member_is_its_solo_run_bit_for_bit(device):
    amplitudes = [0.5, 4.0]
    mesh = layered()
    motions = [km.motion.pitch(a, 0.2, about=(0.25, 0.0)) for a in amplitudes]
    settings = km.AleSettings(newton=True, steady_iterations=300)

    def solved(motion):
        return run(km.Ale(mesh, device=device, settings=settings, motion=motion, **TURBULENT), 3)

    together = solved(motions).history

    for m, motion in enumerate(motions):
        alone, ours = solved(motion).history.member(0), together.member(m)
        for name in ("cl", "cd", "inner_iterations", "products", "residual_drop"):
            np.testing.assert_array_equal(ours[name], alone[name], err_msg=name)
    assert (together.member(0)["cl"] != together.member(1)["cl"]).any()


@pytest.mark.long
def test_a_run_stopped_between_steps_goes_on_with_the_same_bits(monkeypatch, tmp_path):
    def solved(**more):
        return run(pitching(**TURBULENT), 5, start="as is", **more)

    solved(out=tmp_path / "whole")
    stopped(monkeypatch, lambda: solved(out=tmp_path / "cut"), 10)
    assert 0 < rows(tmp_path / "cut") < 5

    solved(out=tmp_path / "cut", resume=True)

    assert_same(tmp_path / "whole", tmp_path / "cut")


def test_steps_whose_solutions_are_refused_end_with_pseudo_steps(monkeypatch):
    monkeypatch.setattr(module, "NOTHING", 0.0)
    settings = {"steady_iterations": 60, "unsteady_iterations": 300}

    with pytest.warns(KinemeshWarning):  # the start is refused, too
        found = run(pitching(settings=settings, **LAMINAR), 3).history

    assert found["converged"].all()
    assert (found["inner_iterations"] > 10).all()  # three that are refused, and ten more
    assert (found["products"] > 0).all()


def test_each_step_begins_anew(monkeypatch):
    """A step after one that was refused begins with Newton, and counts its own products."""
    solver = pitching(**LAMINAR)
    made = run(solver, 3).history
    kept = {name: solver.backend.get(solver.newton.own[name]) for name in ("begun", "mode")}

    assert kept == {"begun": [1], "mode": [1]}
    assert (made["products"] < 60).all()
    assert (made["inner_iterations"] < 10).all()


def test_a_gas_at_rest_beside_a_wall_that_moves_ends_its_steps():
    """A cylinder that starts from rest: no state before it points anywhere."""
    mesh = km.mesh.cylinder(nodes=1500)
    settings = km.AleSettings(**STEPS)
    solver = km.Ale(mesh, mach=0.2, reynolds=100.0, device="cpu", settings=settings)

    found = solver.run(time_step=0.2, steps=4, start="stream").history

    assert found["converged"].all()
    assert (found["products"] > 0).all()
