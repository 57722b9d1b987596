"""Measured loops: points with incidence alone have the phases of the motion."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.study.hysteresis import hysteresis, reference_loop, reference_loops
from made_up import cl_of, cm_of, run

pytestmark = pytest.mark.no_sanitizer

PHI = np.radians(np.arange(-100, 260, 15))  # rows from any place on
MEAN, SWING = 0.016, 2.51  # of the made-up run


def tunnel(phi=PHI, mean=MEAN, swing=SWING):
    return {"alpha": mean + swing * np.sin(phi), "cl": cl_of(phi), "cm": cm_of(phi)}


def test_rows_without_phase_have_those_of_the_loop_beside_them():
    loop = hysteresis(run(steps=30))  # no step is at the ends of the angle

    found = reference_loop(tunnel(), loop).measured

    expected = np.sort(np.degrees(PHI) % 360)
    # alpha is flat at its ends: rounding of 1e-16 there is a phase of 1e-8 radians, of FINE steps
    # between which it is a line, 0.25 degrees
    assert found["phase_deg"] == pytest.approx(expected, abs=0.26)
    inner = np.abs(np.cos(np.radians(expected))) > 0.1
    assert found["phase_deg"][inner] == pytest.approx(expected[inner], abs=0.01)
    away = loop.compare(tunnel())
    assert away.cl.rms < 2e-3 > away.cm.rms  # a lift of 0.3 that is taken 0.25 degrees off


def test_the_way_is_that_of_the_rows_so_that_a_loop_turned_round_is_another():
    loop = hysteresis(run(steps=30))
    turned = {name: values[::-1] for name, values in tunnel().items()}

    assert loop.compare(turned).cl.rms > 0.2


def test_phases_are_of_the_motion_that_is_told_and_of_a_sine_without_one():
    pitch = km.motion.pitch(amplitude_deg=SWING, k=0.1, phase_deg=40.0)

    told = km.hysteresis(tunnel(), motion=pitch, alpha_deg=MEAN).measured["phase_deg"]
    alone = km.hysteresis(tunnel(np.radians(np.arange(-90, 270, 15)))).measured["phase_deg"]

    shifted = np.sort((np.degrees(PHI) - 40) % 360)
    assert told == pytest.approx(shifted, abs=0.26)
    assert alone == pytest.approx(np.arange(0, 360, 15), abs=1e-6)


def test_points_are_those_of_the_table_and_rows_of_one_phase_their_mean():
    table = tunnel(np.radians(np.arange(-90, 270, 15)))
    top = int(np.argmax(table["alpha"]))
    twice = {name: np.insert(v, top, v[top] + 0.02 * (name == "cl")) for name, v in table.items()}

    found = km.hysteresis(twice).measured

    assert len(found["cl"]) == len(table["cl"])
    at_top = found["cl"][np.argmax(found["alpha_deg"])]
    assert at_top == pytest.approx(table["cl"][top] + 0.01, abs=1e-12)


def test_distances_to_measured_points_are_taken_there():
    loop = hysteresis(run(steps=64))
    phase = np.array([0.0, 50, 95, 130, 170, 200, 230, 260, 290, 310, 345])
    lift = cl_of(np.radians(phase))
    lift[3] += 0.1
    table = {"phase_deg": phase, "alpha_deg": MEAN + SWING * np.sin(np.radians(phase)), "cl": lift}

    away = loop.compare(table)

    rms = 0.1 / len(phase) ** 0.5 / (np.ptp(lift) / 2)
    assert away.cl.rms == pytest.approx(rms, rel=1e-9)
    assert np.isnan(away.cm.rms)


def test_what_is_measured_is_told_or_follows_from_time():
    by_time = {"time": np.arange(32) / 32, "cl": cl_of(np.arange(32) / 5), "alpha_deg": np.ones(32)}

    assert km.hysteresis(by_time, period=1.0).measured is None
    assert km.hysteresis(by_time, period=1.0, measured=True).measured is not None
    assert km.hysteresis(tunnel(), measured=False).measured is None
    assert reference_loop("agard-ct5").measured is None  # computed by SU2


BAD = {
    "cl alone": (lambda t: {"cl": t["cl"]}, "no phase; name a column .* have incidence alone"),
    "one way": (lambda t: {n: v[2:14] for n, v in t.items()}, "rows on its way down, expected 3"),
    "still": (lambda t: t | {"alpha": 0 * t["cl"]}, "an incidence that does not change"),
    "mixed": (lambda t: {n: v[[*range(0, 24, 2), *range(1, 24, 2)]] for n, v in t.items()},
              "on its way (up|down), expected rows in the order of the loop"),
    "other motion": (lambda t: t | {"alpha": 2 * t["alpha"]}, "not the same motion, so that it"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_incidence_that_does_not_tell_the_phase_is_refused(kind):
    make, words = BAD[kind]

    with pytest.raises(CaseError, match=words):
        hysteresis(run(steps=30)).compare(make(tunnel()))


def test_a_motion_that_turns_more_than_twice_does_not_tell_the_phase():
    slow, fast = (km.motion.pitch(amplitude_deg=a, k=k) for a, k in ((2.0, 0.1), (0.8, 0.5)))

    with pytest.raises(CaseError, match="turns more than twice in a cycle"):
        km.hysteresis(tunnel(mean=0.0, swing=2.8), motion=slow + fast, alpha_deg=0.0)


def test_several_references_are_a_list_of_anything(tmp_path):
    loop = hysteresis(run(steps=32))
    run(steps=32, path=tmp_path / "history.csv").close()

    found = reference_loops([loop, tunnel(), tmp_path, str(tmp_path / "history.csv")], loop)

    assert [one.measured is None for one in found] == [True, False, True, True]
    assert reference_loops(None) == []
    assert next(one.label for one in reference_loops("agard-ct5")).startswith("SU2")
