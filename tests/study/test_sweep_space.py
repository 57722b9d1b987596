"""Sweeps of cases in space: the loads that there are in space alone, as runs alone have them."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases.casefile import Case
from kinemesh.dimension import XY, XYZ
from kinemesh.io.columns import SIDE
from kinemesh.study.sweep import case_rows, of_space
from kinemesh.study.sweep.of_space import STEADY

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*(residual|cd_induced|periodic):RuntimeWarning"),
]

BALL = {
    "name": "ball",
    "mode": "steady",
    "method": "cells",
    "mesh": {"shape": "sphere", "nodes": 1500, "far_field": 4.0},
    "flow": {"mach": 0.3, "reference_area": 0.8, "reference_length": 1.0},
    "run": {"device": "cpu"},
    "solver": {"steady_drop": 0.1},
}
MOVES = {
    "mode": "unsteady",
    "motion": {"plunge": {"amplitude": 0.05, "k": 0.5}},
    "deform": {"method": "rigid"},
    "run": {"device": "cpu", "cycles": 1, "steps_per_cycle": 4},
    "solver": {"steady_drop": 0.3, "unsteady_drop": 0.3},
}
BY_TIME = {"run": {"device": "cpu", "time_step": 0.1, "steps": 4}}
ALPHA = "flow.alpha_deg"


def ball(**changes):
    return Case.from_dict(BALL | changes)


def at(alpha):
    return {"flow": BALL["flow"] | {"alpha_deg": alpha}}


@pytest.mark.long
def test_rows_of_steady_cases_have_the_loads_of_space_and_of_the_wake():
    found = km.sweep(ball(), {ALPHA: [4.0]}).isel(alpha_deg=0)
    alone = ball(**at(4.0)).run().summary["result"]

    for name in ("cl", *STEADY):
        assert found[name] == alone[name], name
        assert np.isfinite(found[name]), name
    assert "nan of walls that shed no wake" in found["cd_induced"].attrs["long_name"]


@pytest.mark.long
def test_rows_of_cases_by_cycles_have_the_loads_of_space_over_the_last_one():
    found = km.sweep(ball(**MOVES), {ALPHA: [4.0]}).isel(alpha_deg=0)
    rows = ball(**MOVES, **at(4.0)).run().history

    for name in SIDE:
        last = rows[name][-4:]
        assert found[f"{name}_mean"] == pytest.approx(last.mean(), rel=1e-12), name
        assert found[f"{name}_amplitude"] == np.ptp(last) / 2, name


def test_rows_of_cases_by_time_have_mean_and_rms_over_their_window():
    class Rows(dict):
        columns = ("cy", "cm_roll")

    found = of_space.of_window(Rows(cy=np.array([9.0, 1.0, 3.0]), cm_roll=np.ones(3)), slice(1, 3))

    assert found == {"cy_mean": 2.0, "cm_roll_mean": 1.0, "cy_rms": 1.0, "cm_roll_rms": 0.0}
    assert {*found} < {*case_rows.variables_of([ball(**MOVES | BY_TIME)], dimension=XYZ)}


def test_a_sweep_in_the_plane_has_none_of_them():
    for made in (ball(), ball(**MOVES), ball(**MOVES | BY_TIME)):
        both = [{*case_rows.variables_of([made], dimension=own)} for own in (XY, XYZ)]
        assert both[0].isdisjoint(of_space.names())
        assert both[1] - both[0] <= {*of_space.names()}
        assert len(both[1] - both[0]) in (5, 6)


def test_a_body_called_induced_has_no_second_drag_of_that_name():
    with pytest.raises(km.CaseError, match=r"two variables cd_induced, .* 'induced'; rename"):
        case_rows.variables_of([ball()], ["induced"], XYZ)
