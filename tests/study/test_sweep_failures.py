"""Sweeps of which some cases break, each way at its own place: the others are right to the bit."""

import random
import re

import kinemesh as km
import numpy as np
import pytest
from kinemesh import cli
from kinemesh.study.sweep.asked import asked_of
from sweeps import TABLES, assert_solo, toml

pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:.*(not periodic|above the asked|second order|residual)"),
]
RIGID, SPRINGS = {"method": "rigid"}, {"method": "springs"}
WAYS = {  # what is changed in a case, and why it fails
    "impossible": ({"mach": -1.0}, r"\[flow\] mach = -1.0, expected a number above 0"),
    "folds": (
        {"motion": {"pitch": {"amplitude_deg": 170.0, "k": 0.1}}, "deform": SPRINGS},
        "springs invert the cell of nodes",
    ),
    "diverges": ({"motion": {"pitch": {"amplitude_deg": 2.0, "k": 1e4}}}, "^diverged, the resid"),
    "raises": (
        {"motion": {"plunge": {"amplitude": 1e200, "k": 0.1}}},
        "^the motion of airfoil fails .* expected at most",
    ),
    "springs": (
        {"deform": {"method": "springs", "iterations": 1}},
        "springs not solved to .* in 1 iterations",
    ),
}
KEYS = {"mach": "flow.mach", "motion": "motion", "deform": "deform"}


def rows_of(count, failed, elastic):
    """Rows of a sweep, and the way in which each of those that fail does.

    Parameters
    ----------
    failed : how often each way of failure is there, at random places
    elastic : rows with springs, the last of them
    """
    moment = random.Random(19)
    rows = [
        {
            "mach": round(moment.uniform(0.3, 0.6), 6),
            "motion": {"pitch": {"amplitude_deg": 2.0, "k": round(moment.uniform(0.05, 0.2), 6)}},
            "deform": SPRINGS if i >= count - elastic else RIGID,
        }
        for i in range(count)
    ]
    each = [way for way, times in zip(WAYS, failed, strict=True) for _ in range(times)]
    ways = dict(zip(moment.sample(range(count), len(each)), each, strict=True))
    for i, way in ways.items():
        rows[i] |= WAYS[way][0]
    return rows, ways


@pytest.mark.long
@pytest.mark.parametrize(
    ("count", "failed", "elastic", "alone"),
    [
        (30, (1, 1, 1, 1, 1), 4, 2),
        pytest.param(1000, (8, 8, 7, 7, 7), 100, 60, marks=pytest.mark.slow),
    ],
)
def test_cases_that_fail_in_five_ways_leave_the_others_right(
    tmp_path, count, failed, elastic, alone, capsys
):
    rows, ways = rows_of(count, failed, elastic)
    path = tmp_path / "f.toml"
    over = {key: [row[name] for row in rows] for name, key in KEYS.items()}
    table = {"over": {f'"{key}"': values for key, values in over.items()}, "zip": [[*over]]}
    run = TABLES["run"] | {"steps_per_cycle": 4}
    solver = TABLES["solver"] | {"unsteady_drop": 1e-2}  # a larger one is met before "diverges" is
    tables = TABLES | {"run": run, "solver": solver, "sweep": table}
    path.write_text("".join(f"{name} = {toml(value)}\n" for name, value in tables.items()))

    status = cli.main(["sweep", str(path), "--skip-bad", "--quiet", "--out", str(tmp_path / "s")])

    assert status == 1
    assert f"{sum(failed)} cases failed" in capsys.readouterr().err
    found = km.open(tmp_path / "s").load()
    assert np.flatnonzero(found.state == 2).tolist() == sorted(ways)
    assert (found.state == 1).sum() == count - sum(failed)
    for i, way in ways.items():
        assert re.search(WAYS[way][1], str(found.cause[i].item()))
        assert np.isnan(found.damping[i])
    cases = asked_of(path, {}).cases()
    for i in random.Random(7).sample(sorted({*range(count)} - {*ways}), alone):
        assert_solo(found.isel(mach=i), cases[i].run())
