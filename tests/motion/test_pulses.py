"""Pulses: a smooth motion of one coordinate, then rest."""

from math import pi, radians

import kinemesh as km
import numpy as np
import pytest
from kinemesh import motion
from kinemesh.errors import ArgumentError, SettingsError
from kinemesh.motion.at_once import sorted_out

U, CHORD, DURATION, START = 0.6, 2.0, 5.0, 1.5
UNIT = CHORD / U  # time per reduced time [chord/a_inf]
LAWS = {
    "pitch": motion.pulse(3.0, 0.0, DURATION, START, chord=CHORD),
    "plunge": motion.pulse(0.0, 0.2, DURATION, START, direction=(0.0, 2.0), chord=CHORD),
    "sum": motion.pulse(3.0, chord=CHORD) + motion.pulse(plunge=0.1, start=2.0, chord=CHORD),
}


def numbers(law, t):
    pose = law.pose(t, U)
    return np.array([pose.angle, *pose.shift])


def rates(law, t):
    rate = law.rate(t, U)
    return np.array([rate.angle, *rate.shift])


def test_a_pulse_is_a_fourth_power_of_a_sine_in_reduced_time():
    """sin^4 at an eighth, a quarter and a half of the duration, by hand."""
    for share, size in ((0.125, (2 - 2**0.5) ** 2 / 16), (0.25, 0.25), (0.5, 1.0), (0.75, 0.25)):
        t = (START + share * DURATION) * UNIT
        assert numbers(LAWS["pitch"], t) == pytest.approx([radians(3.0) * size, 0, 0], rel=1e-13)
        assert numbers(LAWS["plunge"], t) == pytest.approx([0, 0, 0.2 * size], rel=1e-13)


@pytest.mark.parametrize("name", ["pitch", "plunge"])
def test_before_and_after_a_pulse_the_body_is_at_rest_where_it_was(name):
    for s in (0.0, START, START + DURATION, 100.0):
        assert not numbers(LAWS[name], s * UNIT).any()
        assert not rates(LAWS[name], s * UNIT).any()
    for s in (START + 0.01, START + DURATION - 0.01):  # the ends are those that were asked for
        assert numbers(LAWS[name], s * UNIT).any()


@pytest.mark.parametrize("name", LAWS)
def test_rates_are_the_derivatives_of_poses(name):
    law, h = LAWS[name], 1e-3
    for t in np.linspace(0.05, 1.2, 17) * (START + DURATION) * UNIT:
        moved = [numbers(law, t + k * h) for k in (-2, -1, 1, 2)]
        wanted = (moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * h)
        np.testing.assert_allclose(rates(law, t), wanted, rtol=0, atol=1e-11)


def test_a_pulse_has_all_frequencies_up_to_twice_that_of_its_duration():
    """3/8 - cos/2 + cos/8: shares of the mean in the harmonics of the duration are 2/3, 1/6, 0."""
    n = 64
    law = motion.pulse(plunge=1.0, duration=DURATION)
    s = np.arange(n) / n * DURATION
    spectrum = np.abs(np.fft.rfft([law.pose(t, 1.0).shift[1] for t in s])) / n

    assert spectrum[:4] == pytest.approx([3 / 8, 1 / 4, 1 / 16, 0], abs=1e-12)


def test_a_pulse_turns_about_its_pivot_and_has_no_period():
    assert LAWS["pitch"].pivot == (0.25, 0.0)
    assert LAWS["plunge"].pivot is None
    assert LAWS["sum"].pivot == (0.25, 0.0)
    assert LAWS["pitch"].omega(U) is None
    in_space = motion.pulse(1.0, about=(0.5, 0.0, 0.1))
    assert in_space.axis == (0.0, 1.0, 0.0)
    assert in_space.pose(3.0, 1.0).axis == (0.0, 1.0, 0.0)
    assert in_space.rate(1.0, 1.0).angle == pytest.approx(
        radians(1.0) * 4 * 0.5**3 * (3**0.5 / 2) * pi / 6
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "expected one of them other than 0"),
        ({"pitch_deg": 1.0, "plunge": 0.1}, "pulses of both are a sum of two"),
        ({"pitch_deg": 180.0}, "less than half a turn"),
        ({"pitch_deg": np.nan}, "pitch_deg = nan, expected a finite number"),
        ({"plunge": 0.1, "duration": 0.0}, "duration = 0.0, expected a number above 0"),
        ({"plunge": 0.1, "start": -1.0}, "start = -1.0, expected 0 or a number above 0"),
        ({"plunge": 0.1, "direction": (0, 0)}, "a vector with a length"),
        ({"plunge": 0.1, "chord": -1.0}, "chord = -1.0"),
        ({"amplitude": 0.1}, "unknown argument 'amplitude'"),
    ],
)
def test_what_is_no_pulse_is_refused(given, said):
    with pytest.raises((SettingsError, ArgumentError), match=said):
        motion.pulse(**given)


@pytest.mark.flow
def test_a_run_of_a_pulse_goes_by_time_and_an_ensemble_may_have_a_time_step_each():
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    laws = [motion.pulse(1.0, duration=0.4), motion.pulse(plunge=0.05, duration=0.4)]
    own = {"deform": km.deform.Rigid(), "device": "cpu",
           "settings": km.AleSettings(steady_drop=0.5)}  # fmt: skip

    run = km.Ale(mesh, mach=[0.4, 0.5], motion=laws, **own).run(time_step=[0.25, 0.2], steps=2)

    pitched, plunged = (run.history.member(m) for m in range(2))
    assert pitched["time"].tolist() == [0.25, 0.5]
    assert plunged["time"].tolist() == [0.2, 0.4]
    quarter = np.sin(np.pi * 0.25) ** 4  # M t / duration: 0.25, 0.5
    assert pitched["alpha_deg"] == pytest.approx([quarter, 1.0])
    assert plunged["shift_y"] == pytest.approx([0.05 * quarter, 0.05])
    for steps, said in (([0.25, -0.2], "expected numbers above 0"), ([1.0] * 3, "has 3 entries")):
        with pytest.raises(SettingsError, match=f"time_step .*{said}"):
            km.Ale(mesh, mach=[0.4, 0.5], motion=laws, **own).run(time_step=steps, steps=2)


def test_pulses_of_many_bodies_have_the_bits_of_each_alone():
    rng = np.random.default_rng(5)
    laws, speeds = [], rng.uniform(0.2, 1.5, 60)
    for k in range(60):
        own = {
            "duration": rng.uniform(1, 9),
            "start": rng.uniform(0, 3),
            "chord": rng.uniform(0.3, 3),
        }
        way = {"pitch_deg": rng.uniform(-4, 4), "about": tuple(rng.uniform(-1, 1, 2))}
        if k % 3:
            way = {"plunge": rng.uniform(-1, 1), "direction": tuple(rng.uniform(-1, 1, 2))}
        laws.append(motion.pulse(**own | way))
    groups, alone = sorted_out([None, *laws, LAWS["sum"]], np.array([1.0, *speeds, 1.0]))
    assert (len(groups), alone) == (1, [61])
    moved = 0
    for time in (0.0, 1.0, 2.5, 7.0, 19.0, 1e3):
        times = time * rng.uniform(0.5, 1.5, 60)
        poses, rates = groups[0].poses(times), groups[0].rates(times)
        for k, (law, t, u) in enumerate(zip(laws, times.tolist(), speeds.tolist(), strict=True)):
            pose, rate = law.pose(t, u), law.rate(t, u)
            assert (poses[0][k], *poses[1][k]) == (pose.angle, *pose.shift)
            assert (rates[0][k], *rates[1][k]) == (rate.angle, *rate.shift)
            assert tuple(groups[0].about[k]) == pose.about or not pose.angle
            moved += pose.angle != 0 or pose.shift != (0, 0)
    assert moved > 60
