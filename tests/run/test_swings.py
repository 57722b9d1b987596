"""Loads that swing because steps are far too long: the run ends as a failure, others do not."""

import json

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import NumericalFault
from kinemesh.run.swings import swinging

pytestmark = pytest.mark.filterwarnings("ignore:member:RuntimeWarning")
FLOW = {"reynolds": 1000.0, "alpha_deg": 4.0, "device": "cpu"}
TOO_LONG = 0.4  # CFL number 34: lift goes from 0.15 to 0.35 by step 43


@pytest.fixture(scope="module")
def section():
    return km.mesh.airfoil("naca0012", nodes=1500, far_field=10)


@pytest.mark.flow
def test_a_run_with_steps_far_too_long_fails_with_the_step_that_would_do(section):
    case = km.Incompressible(section, **FLOW)
    text = r"member 0: cl swings between .* CFL number of 3\d.* \(step \d+ of 100\); try time_step"
    with pytest.raises(NumericalFault, match=text) as caught:
        case.run(time_step=TOO_LONG, steps=100)
    step = float(str(caught.value).split("time_step = ")[1].split(",")[0])
    cl = km.Incompressible(section, **FLOW).run(time_step=step, steps=150).history["cl"]
    assert np.ptp(cl[-20:]) < 0.01 * cl[-1]


@pytest.mark.flow
@pytest.mark.long
def test_a_member_that_swings_fails_alone_and_the_summary_says_so(section, tmp_path):
    case = km.Incompressible(section, **(FLOW | {"reynolds": [1000.0, 5.0]}))
    run = case.run(time_step=TOO_LONG, steps=60, out=tmp_path)
    failed = json.loads((tmp_path / "summary.json").read_text())["failed"]
    assert [row["member"] for row in failed] == [0]
    assert "cl swings between" in failed[0]["cause"]
    rows = run.history["member"]
    assert (rows == 1).sum() == 60 > (rows == 0).sum()


@pytest.mark.flow
@pytest.mark.long
def test_a_run_that_goes_on_fails_in_the_step_of_the_whole_one(section, tmp_path):
    def fly(folder, *parts):
        for k, steps in enumerate(parts):
            case = km.Incompressible(section, **FLOW)
            case.run(time_step=TOO_LONG, steps=steps, out=tmp_path / folder, resume=k > 0)

    said = []
    for folder, parts in {"whole": [60], "parts": [30, 60]}.items():
        with pytest.raises(NumericalFault) as caught:
            fly(folder, *parts)
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.flow
@pytest.mark.long
def test_a_large_cfl_number_alone_does_not_end_a_run():
    """Thin cells at the wall: 16 throughout, and the lift settles."""
    fine = km.mesh.airfoil("naca0012", nodes=3000, far_field=10, wall_spacing=2e-3)
    rows = km.Incompressible(fine, **FLOW).run(time_step=0.1, steps=80).history
    assert rows["cfl"].min() > 10
    assert np.ptp(rows["cl"][-10:]) < 0.02 * rows["cl"][-1]


def wave(period, growth, steps=120, size=0.1):
    at = np.arange(steps)
    return 1.0 + size * growth**at * np.sin(2 * np.pi * at / period + 0.3)


@pytest.mark.parametrize(
    ("load", "does"),
    [
        (wave(10, 1.01), True),
        (wave(3, 1.01), True),
        (wave(10, 0.97), False),  # settles
        (wave(24, 1.01), False),  # a period that the steps resolve
        (wave(10, 1.0, size=0.03), False),  # 6 % of the load from one turn to the next
        (wave(10, 1.01, steps=30), False),  # too few of them
        (np.linspace(0, 1, 120), False),
    ],
)
def test_swings_are_short_large_and_do_not_decay(load, does):
    assert bool(swinging(load, load)) is does


def test_swings_within_the_period_of_a_motion_are_counted_against_it():
    """Harmonics of a motion of 24 steps: ways of 6 steps are its own, of 3 are not."""
    assert not swinging(wave(12, 1.01), np.ones(120), longest=3)
    assert swinging(wave(5, 1.01), np.ones(120), longest=3)


def zigzag(way=6, turns=9, size=0.2):
    """A load that turns so often, after as many steps each."""
    corner = np.arange(turns + 2)
    return np.interp(np.arange((turns + 1) * way + 1), way * corner, size * (corner % 2))


@pytest.mark.parametrize(
    ("change", "does"),
    [
        ({}, True),
        ({"way": 7}, False),  # a period of 14 steps may be of the flow
        ({"turns": 8}, False),  # seven ways from one to the next
        ({"size": np.nextafter(0.1, 1.0)}, True),
        ({"size": 0.1}, False),  # no more than a tenth of a load of 1
    ],
)
def test_eight_ways_of_six_steps_and_above_a_tenth_are_the_least_swing(change, does):
    load = zigzag(**change)

    assert bool(swinging(load, np.ones_like(load))) is does
