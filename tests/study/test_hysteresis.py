"""Loops of made-up motions whose harmonics, work and distances are known exactly."""

from math import atan2, degrees, hypot, pi, sqrt

import numpy as np
import pytest
from kinemesh.errors import CaseError
from kinemesh.io import STEADY, History
from kinemesh.loops.harmonics import interpolate
from kinemesh.loops.loop import loop_of
from kinemesh.study.hysteresis import hysteresis, reference_loop
from made_up import changed, cl_of, cm_of, run

EPS = np.finfo(float).eps


@pytest.mark.parametrize("steps", [16, 31, 64])
def test_harmonics_of_a_trigonometric_loop_are_exact(steps):
    loop = hysteresis(run(steps))

    # sums of `steps` terms below 1: round-off of a few eps per term
    near = {"abs": 8 * EPS * steps}
    first, second, third = loop.cl.harmonics
    assert loop.cl.mean == pytest.approx(0.1, **near)
    assert (first.sin, first.cos) == pytest.approx((0.3, -0.12), **near)
    assert first.magnitude == pytest.approx(hypot(0.3, 0.12), **near)
    assert first.phase_deg == pytest.approx(degrees(atan2(-0.12, 0.3)), rel=1e3 * EPS)
    assert second.magnitude == pytest.approx(0.02, **near)
    assert second.phase_deg == pytest.approx(degrees(0.5), rel=1e4 * EPS)
    assert third.magnitude == pytest.approx(0, **near)
    assert loop.cm.harmonics[2].cos == pytest.approx(0.002, **near)


def test_loop_is_the_last_cycle_in_order_of_phase():
    loop = hysteresis(run(steps=16, cycles=2.25))

    assert loop.steps == 16
    assert loop.cycles == 2.25
    assert loop.phase_deg == pytest.approx(np.arange(16) * 22.5, abs=1e-9)
    assert loop.cl.values == pytest.approx(cl_of(np.radians(loop.phase_deg)), rel=64 * EPS)


def test_a_row_of_step_zero_is_not_part_of_a_cycle():
    with_start, without = hysteresis(run(16, 1.0, start=True)), hysteresis(run(16, 1.0))

    assert with_start.cl.values.tobytes() == without.cl.values.tobytes()
    with pytest.raises(CaseError, match="less than one cycle"):
        hysteresis(run(16, 15 / 16, start=True))


def test_a_loop_without_power_tells_of_no_work():
    """Histories of earlier versions, and published loops, do not tell the power."""
    loop = hysteresis(run(steps=24))

    assert loop.work is None
    assert loop.damping is None
    assert not {"work", "damping"} & set(loop.to_dict())


def test_change_compares_the_last_two_cycles():
    assert hysteresis(run(cycles=1.5)).cl.change is None
    assert hysteresis(run(cycles=2)).cl.change.rms < 64 * EPS

    growing = hysteresis(run(cycles=2, grow=0.25)).cl

    phi = 2 * pi * np.arange(32) / 32
    assert growing.change.rms == pytest.approx(0.25 * sqrt(np.mean(cl_of(phi) ** 2)), rel=1e-12)
    assert growing.change.amplitude == pytest.approx(growing.amplitude * 0.2, rel=1e-12)


def test_distance_to_a_shifted_loop_is_the_shift_also_at_other_phases():
    mine = hysteresis(run(steps=48))
    phi = 2 * pi * np.arange(20) / 20
    alpha = 0.016 + 2.51 * np.sin(phi)
    other = loop_of(np.degrees(phi), alpha, cl_of(phi) - 0.05, 2 * cm_of(phi), "other")

    away = mine.compare(other)

    assert away.cl.rms == pytest.approx(0.05 / other.cl.amplitude, rel=1e-12)
    assert away.cl.mean == pytest.approx(0.05 / other.cl.amplitude, rel=1e-12)
    # rms of cm: each harmonic gives half its square
    rms = sqrt((0.004**2 + 0.012**2 + 0.002**2) / 2)
    assert away.cm.rms == pytest.approx(rms / other.cm.amplitude, rel=1e-12)
    assert mine.compare(mine).cl.rms < 64 * EPS


def test_fourier_interpolation_is_exact_below_half_the_samples():
    phase = np.arange(9) * 40.0 + 10.0
    at = np.linspace(0, 7, 13)

    found = interpolate(np.cos(4 * np.radians(phase)) + 2, phase, at)

    assert found == pytest.approx(np.cos(4 * at) + 2, abs=64 * EPS)


def test_fourier_interpolation_goes_through_an_even_number_of_samples():
    samples = np.random.default_rng(0).normal(size=8)
    phase = np.arange(8) * 45.0

    assert interpolate(samples, phase, np.radians(phase)) == pytest.approx(samples, abs=64 * EPS)


def test_a_case_name_stands_for_its_published_loop():
    mine, published = hysteresis(run(64)), reference_loop("agard-ct5")

    assert mine.compare("agard-ct5") == mine.compare(published)
    share = (0.1 - published.cl.mean) / published.cl.amplitude
    assert mine.compare("agard-ct5").cl.mean == pytest.approx(share, rel=64 * EPS)


def test_reference_reads_with_its_own_harmonics():
    loop = reference_loop("agard-ct5")

    # numbers given with the data: four digits
    assert loop.cl.amplitude == pytest.approx(0.3507, abs=6e-5)
    assert loop.cm.amplitude == pytest.approx(0.0140, abs=6e-5)
    assert loop.cl.harmonics[0].sin == pytest.approx(0.3285, abs=6e-5)
    assert loop.cl.harmonics[0].cos == pytest.approx(-0.1254, abs=6e-5)


def test_another_motion_is_not_compared():
    with pytest.raises(CaseError, match="not the same motion"):
        hysteresis(run(amplitude=2.4)).compare("agard-ct5")


def test_every_door_gives_the_same_loop(tmp_path):
    history = run(path=tmp_path / "history.csv")

    class Run:
        out = None

    Run.history = history
    loops = [hysteresis(x) for x in (Run(), history, tmp_path, str(tmp_path / "history.csv"))]

    assert len({loop.cl.values.tobytes() for loop in loops}) == 1


def test_members_are_asked_for_by_number():
    history = run(member=(0, 1))

    assert hysteresis(history, 1).cl.amplitude == pytest.approx(
        2 * hysteresis(history, 0).cl.amplitude
    )
    with pytest.raises(CaseError, match="choose one"):
        hysteresis(history)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: run(cycles=0.9), "less than one cycle"),
        (lambda: History(), "less than one cycle"),
        (lambda: History(STEADY), "no loop"),
        (lambda: 3, "expected a run"),
        (lambda: "nowhere/history.csv", "cannot read"),
    ],
)
def test_what_has_no_cycle_is_refused(make, word):
    with pytest.raises(CaseError, match=word):
        hysteresis(make())


def test_uneven_steps_are_refused():
    history = run(16, 2)

    with pytest.raises(CaseError, match="not uniform"):
        hysteresis(changed(history, np.arange(history.rows) != 20))


def test_unknown_reference_names_the_known_ones():
    with pytest.raises(CaseError, match="agard-ct5"):
        hysteresis(run()).compare("agard-ct9")


def test_a_loop_prints_its_numbers_and_no_series():
    loop = hysteresis(run(steps=16))

    told = f"cl {loop.cl.amplitude:.5g}, cm {loop.cm.amplitude:.5g}"
    assert repr(loop) == f"Loop(run: 16 steps, amplitudes {told})"
