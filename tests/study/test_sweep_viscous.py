"""Sweeps of a viscous gas: drag by friction and y+ in each row, as a run alone has them."""

import kinemesh as km
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.study.sweep import case_rows

pytestmark = [pytest.mark.flow, pytest.mark.filterwarnings("ignore:.*residual:RuntimeWarning")]

TABLE = {
    "name": "round",
    "mode": "steady",
    "mesh": {"shape": "cylinder", "nodes": 500, "far_field": 6.0},
    "flow": {"mach": 0.3, "reynolds": 40.0, "moment_about": [0.0, 0.0]},
    "run": {"device": "cpu"},
    "solver": {"steady_drop": 1e-2},
}
STEPS = {"mode": "unsteady", "deform": {"method": "rigid"}}
PITCH = {"pitch": {"amplitude_deg": 5.0, "k": 0.3, "about": [0.0, 0.0]}}
OVER = {"flow.reynolds": [20.0, 40.0]}


def case(**changes):
    return Case.from_dict(TABLE | changes)


def test_rows_of_steady_cases_have_both_drags_and_y_plus():
    found, alone = km.sweep(case(), OVER).isel(reynolds=1), case().run().summary["result"]

    for name in ("cl", "cd", "cd_pressure", "cd_friction", "y_plus_mean", "y_plus_largest"):
        assert found[name] == alone[name], name
    assert found["cd_pressure"] + found["cd_friction"] == pytest.approx(float(found["cd"]))
    assert 0.2 < found["cd_friction"] / found["cd"] < 0.6


@pytest.mark.long
def test_rows_of_cases_by_time_have_the_mean_of_the_friction_over_their_window():
    run = {"device": "cpu", "time_step": 0.3, "steps": 40, "start": "stream"}
    made = case(**STEPS, run=run)
    found, alone = km.sweep(made, OVER).isel(reynolds=1), made.run()

    window = alone.history["time"] >= float(found["window_start"])
    mean = alone.history["cd_friction"][window].mean()
    assert 15 < window.sum() < 25
    assert found["cd_friction_mean"] == mean
    assert found["y_plus_mean"] == alone.summary["result"]["y_plus_mean"]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*(periodic|whether):RuntimeWarning")
def test_rows_of_cases_by_cycles_have_the_mean_of_the_friction_over_the_last_one():
    run = {"device": "cpu", "cycles": 2, "steps_per_cycle": 8}
    made = case(**STEPS, run=run, motion=PITCH)
    found, alone = km.sweep(made, OVER).isel(reynolds=1), made.run()

    assert found["cd_friction_mean"] == alone.history["cd_friction"][-8:].mean()
    assert found["y_plus_largest"] == alone.summary["result"]["y_plus_largest"]


def test_an_inviscid_sweep_has_neither():
    flow = {"mach": 0.3, "moment_about": [0.0, 0.0]}
    names = {*case_rows.variables_of([case(flow=flow)])}

    assert not names & {*case_rows.OF_WALLS, *case_rows.STEADY_FRICTION, *case_rows.MEAN_FRICTION}
    assert {*case_rows.OF_WALLS, *case_rows.STEADY_FRICTION} <= {*case_rows.variables_of([case()])}


def test_a_body_called_friction_has_no_second_drag_of_that_name():
    with pytest.raises(km.CaseError, match=r"two variables cd_friction, .* 'friction'; rename"):
        case_rows.variables_of([case()], ["friction"])
