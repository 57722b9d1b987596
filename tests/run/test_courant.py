"""CFL numbers of a run: the largest is told, and warned of where the loads depend on the step."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh.run.advice import smaller_step
from kinemesh.run.courant import MOST, largest, remark
from kinemesh.run.plan import Plan
from kinemesh.sentences import gathered, of_row

CYLINDER = km.mesh.cylinder(600, far_field=20, around=40)
ROWS = {
    "cfl": np.array([3.0, 40.0, 12.0, 10.0]),
    "step": np.arange(11, 15),
    "time": 0.25 * np.arange(1, 5),
    "phase_deg": np.array([90.0, 180.0, 270.0, 0.0]),
}


def by_time(dt=0.25):
    return Plan(None, None, np.array([dt]), None, 4, "stream")


def by_cycles():
    return Plan(1, 4, np.array([0.25]), np.array([1.0]), 4, "stream")


def ran(motion=None, **told):
    made = km.Incompressible(
        CYLINDER, reynolds=[40.0, 100.0], motion=motion, moment_about=(0.0, 0.0), device="cpu"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = made.run(**told)
    return run, [str(w.message) for w in caught if "the CFL number was above" in str(w.message)]


def test_the_largest_is_told_with_its_moment_and_the_step_that_would_do():
    found = largest(ROWS, by_cycles())
    assert found == {
        "largest": 40.0, "step": 12, "time": 0.5, "phase_deg": 180.0, "limit": 10.0,
        "steps_above": 2, "steps_per_cycle": 20,
    }  # fmt: skip
    (told,) = remark(3, found, 4)
    assert told == (
        "member 3: the CFL number was above 10 in 2 of 4 steps, at most 40 in step 12 (phase 180 "
        "degrees, time 0.5): the loads may depend on the step; steps_per_cycle = 20 would bring it "
        "to about 8"
    )


def test_a_run_by_time_is_told_a_time_step():
    found = largest(ROWS, by_time())
    assert "phase_deg" not in found
    assert found["time_step"] == 0.05
    assert "(time 0.5)" in remark(0, found, 4)[0]
    assert "; time_step = 0.05 would" in remark(0, found, 4)[0]


@pytest.mark.parametrize("value", [101.0, 5160.0, np.inf])
@pytest.mark.parametrize("plan", [by_cycles, by_time])
def test_a_flow_that_has_blown_up_is_told_no_step_from_its_cfl_number(value, plan):
    found = largest(ROWS | {"cfl": np.array([3.0, value, 12.0, 10.0])}, plan())
    assert (found["largest"], found["step"], found["steps_above"]) == (value, 12, 2)
    assert not {"steps_per_cycle", "time_step"} & set(found)
    (told,) = remark(0, found, 4)
    assert "the steps are far too long" in told
    assert "would bring it to about" not in told
    below = largest(ROWS | {"cfl": np.array([3.0, 100.0, 12.0, 10.0])}, plan())
    assert {"steps_per_cycle", "time_step"} & set(below)


def test_a_cfl_number_at_the_limit_is_not_warned_of():
    found = largest(ROWS | {"cfl": np.array([1.0, np.nan, MOST, 2.0])}, by_cycles())
    assert (found["largest"], found["step"], found["steps_above"]) == (MOST, 13, 0)
    assert "steps_per_cycle" not in found
    assert remark(0, found, 4) == []


def test_the_first_two_steps_are_not_counted_where_there_are_others():
    found = largest(ROWS | {"step": np.arange(1, 5)}, by_cycles())
    assert (found["largest"], found["step"], found["steps_above"]) == (12.0, 3, 1)
    both = {name: values[:2] for name, values in (ROWS | {"step": np.arange(1, 5)}).items()}
    assert largest(both, by_cycles())["largest"] == 40.0


def test_each_pass_of_a_step_bears_as_much_again():
    found = largest(ROWS | {"cfl": np.array([3.0, 26.0, 12.0, 10.0])}, by_cycles(), outer=2)
    assert (found["limit"], found["steps_above"]) == (20.0, 1)
    (told,) = remark(0, found, 4)
    assert "above 20 in 1 of 4 steps" in told
    assert told.endswith("steps_per_cycle = 7 would bring it to about 16, or outer = 3 bear it")
    assert largest(ROWS, by_cycles(), outer=4)["steps_above"] == 0


@pytest.mark.parametrize(
    ("share", "asked", "expected"),
    [
        (0.5, (0.1, None), ("time_step", 0.05)),
        (1 / 3, (0.1, None), ("time_step", 0.033)),
        (0.07, (0.001, None), ("time_step", 7e-5)),
        (0.5, (0.1, 400), ("steps_per_cycle", 800)),
        (8 / 86, (0.1, 400), ("steps_per_cycle", 4300)),
        (0.9, (0.1, 8), ("steps_per_cycle", 9)),
    ],
)
def test_a_step_that_would_do_has_two_digits_and_is_small_enough(share, asked, expected):
    found = smaller_step(share, *asked)
    assert found == expected


@pytest.mark.flow
def test_steps_that_are_too_long_are_warned_of_at_the_end_and_in_the_summary(tmp_path):
    run, told = ran(time_step=1.0, steps=6, out=tmp_path)
    found = km.open(tmp_path).summary["result"]["cfl"]

    for m in (0, 1):
        rows = run.history.member(m)
        cfl, step = rows["cfl"][2:], rows["step"][2:]
        assert cfl.max() > MOST
        assert found[m]["largest"] == cfl.max()
        assert found[m]["step"] == step[cfl.argmax()]
        assert found[m]["steps_above"] == (cfl > MOST).sum()
        assert found[m]["time_step"] == pytest.approx(8.0 / cfl.max(), rel=0.1)
    assert len(told) == 1
    assert told[0].startswith("members 0, 1 (2): of member 0: the CFL number was above")
    notes = [of_row(row) for row in run.summary["notes"] if row["about"] == "CFL number"]
    assert gathered(notes) == told
    assert "the CFL number was above" in run.table()["cause"][1]


@pytest.mark.flow
def test_the_limit_of_a_run_goes_by_its_passes():
    made = km.Incompressible(
        CYLINDER, reynolds=40.0, device="cpu", moment_about=(0.0, 0.0),
        settings=km.IncompressibleSettings(outer=2),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = made.run(time_step=0.1, steps=2)
    assert run.summary["result"]["cfl"]["limit"] == 2 * MOST


@pytest.mark.flow
def test_smaller_steps_are_not_warned_of():
    run, told = ran(time_step=0.1, steps=4)
    assert told == []
    assert [own["steps_above"] for own in run.summary["result"]["cfl"]] == [0, 0]
    assert run.history["cfl"].max() < MOST
