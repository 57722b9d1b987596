"""Gases at rest in which bodies move: loads of a stream, and what is refused."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from solver_cases import on_devices
from viscous_cases import SOLVERS, on_solvers

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*moves at once:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*the planform of sphere is:RuntimeWarning"),  # coarse
]
BALL = km.mesh.sphere(600, far_field=4.0, wall_spacing=0.15, half=True)
ROUND = km.mesh.cylinder(500, far_field=8.0)
AWAY = km.motion.translate((-1.0, 0.0))
STEP = {"time_step": 0.5, "steps": 1}


def case(mesh=ROUND, solver="nodes", **more):
    made, settings = SOLVERS[solver]
    tight = settings(limiter="none", unsteady_drop=1e-10, unsteady_iterations=400)
    told = {"mach": 0.3, "reynolds": 40.0, "moment_about": (0.1, 0.2), "device": "cpu",
            "settings": tight}  # fmt: skip
    return made(mesh, **(told | more))


def moving(mesh=ROUND, **more):
    return case(mesh, stream=0.0, motion=AWAY, deform=km.deform.Rigid(), **more)


def table(**flow):
    return {
        "name": "a", "mode": "steady", "method": "ale",
        "mesh": {"shape": "cylinder", "nodes": 500}, "flow": {"mach": 0.3, "reynolds": 40.0} | flow,
    }  # fmt: skip


@pytest.mark.flow
@on_devices
@pytest.mark.parametrize("mesh", [ROUND, BALL], ids=["plane", "space"])
@on_solvers
def test_a_body_moving_through_a_gas_at_rest_has_the_loads_of_a_stream(solver, mesh, device):
    more = {"solver": solver, "device": device}
    steps = {"time_step": 0.5, "steps": 4, "start": "as is"}

    rest, moved = case(mesh, **more).run(**steps).history, moving(mesh, **more).run(**steps).history

    assert rest.converged.all()
    assert moved.converged.all()
    for name in ("cl", "cd", "cm", "cd_friction"):
        assert rest[name] == pytest.approx(moved[name], abs=1e-9 * rest.cd.max()), name
    assert moved.cd[-1] > 0.5


@pytest.mark.flow
@pytest.mark.parametrize(("speed", "reference"), [(0.5, 0.1), (2.0, 0.2)])
def test_the_low_mach_form_follows_walls_that_are_faster_than_mach(speed, reference):
    away = km.motion.translate((-speed, 0.0))
    made = case(stream=0.0, motion=away, deform=km.deform.Rigid(), mach=0.1, reynolds=None)

    made.run(**STEP)

    assert made.low_mach.reference == pytest.approx([reference], rel=1e-12)


@pytest.mark.flow
def test_a_run_in_a_gas_at_rest_begins_from_rest_and_says_so():
    made = moving()
    run = made.run(**STEP)

    assert made.starts == ("stream", "as is")
    assert run.summary["conditions"]["stream"] == 0
    assert "stream" not in case().run(**STEP, start="stream").summary["conditions"]
    with pytest.raises(km.SettingsError, match="start is 'steady', expected 'stream' or 'as is'"):
        moving().run(**STEP, start="steady")


@pytest.mark.flow
def test_a_gas_at_rest_in_which_nothing_moves_is_refused_by_both_runs():
    with pytest.raises(km.SettingsError, match="stream is 0 and nothing moves"):
        case(stream=0.0).run(**STEP)
    with pytest.raises(km.SettingsError, match="member 1: stream is 0 and nothing moves"):
        case(stream=[1.0, 0.0]).steady()
    made = case(stream=0.0)
    with pytest.raises(km.SettingsError, match="nothing moves"):
        made.run(**STEP, start="as is")
    made.initialise(np.tile([1.0, 0.1, 0.0, 1 / 1.4], (made.grid.nodes, 1)))
    made.run(**STEP, start="as is")
    sliding = km.Viscosity(sliding={"cylinder": 1.0})
    turning = case(stream=0.0, viscosity=sliding).steady()
    assert turning.summary["result"]["converged"]


@pytest.mark.parametrize("alpha", [3.0, [0.0, 3.0]])
def test_a_gas_at_rest_has_no_angle(alpha):
    with pytest.raises(km.SettingsError, match=r"alpha_deg is 3, expected 0 with stream = 0"):
        case(stream=0.0, alpha_deg=alpha, motion=AWAY)
    with pytest.raises(km.CaseError, match=r"\[flow\] alpha_deg = 3, expected 0 with stream = 0"):
        Case.from_dict(table(stream=0, alpha_deg=3.0))


def test_streams_of_other_speeds_are_refused_and_clouds_have_none():
    with pytest.raises(km.SettingsError, match=r"stream is 0\.5, expected 1, or 0 of a flu"):
        case(stream=0.5)
    flow = {"mach": 0.3, "stream": 0}
    told = table() | {"method": "meshless", "mesh": {"section": "naca0012"}, "flow": flow}
    with pytest.raises(km.CaseError, match=r"\[flow\] stream: of method 'meshless' .* mach; rem"):
        Case.from_dict(told)
