"""Translation and rotation at constant velocity against their closed forms."""

from math import pi, radians

import numpy as np
import pytest
from kinemesh import motion
from kinemesh.errors import ArgumentError, SettingsError
from kinemesh.motion import Motion, Pose

EPS = np.finfo(float).eps
ALL = {
    "towed": motion.translate(velocity=(-1.0, 0.5), ramp=2.0),
    "at once": motion.translate(velocity=(-1.0, 0.5)),
    "spun": motion.rotate(rate_deg=90.0, about=(0.3, -0.1), ramp=1.5, chord=2.0),
    "sum": motion.translate(velocity=(-1.0, 0.0), ramp=2.0)
    + motion.rotate(rate_deg=400.0, about=(0.5, 0.0))
    + motion.plunge(0.2, k=0.4),
}


def test_a_translation_has_its_velocity_in_reference_speeds_after_a_ramp_of_half_its_way():
    towed = motion.translate(velocity=(-1.0, 0.5), ramp=2.0, chord=3.0)

    # reduced time s = 0.8 t / 3; the ramp takes a way of ramp / 2 = 1 chord
    assert towed.pose(15.0, 0.8).shift == pytest.approx((-9.0, 4.5), rel=8 * EPS)
    assert towed.rate(15.0, 0.8).shift == pytest.approx((-0.8, 0.4), rel=8 * EPS)
    assert towed.rate(3.75, 0.8).shift == pytest.approx((-0.4, 0.2), rel=8 * EPS)  # amid the ramp
    assert towed.pose(0.0, 0.8) == towed.pose(-1.0, 0.8) == Pose()
    assert towed.rate(0.0, 0.8).shift == (0.0, 0.0)


def test_a_rotation_goes_on_beyond_half_a_turn():
    spun = motion.rotate(rate_deg=90.0, about=(0.3, -0.1))

    pose = spun.pose(10.0, 0.5)  # reduced time 5: a turn and a quarter, nose-up
    assert pose.angle == pytest.approx(2.5 * pi, rel=4 * EPS)
    assert pose.apply((1.3, -0.1)) == pytest.approx((0.3, -1.1), abs=16 * EPS)
    assert spun.rate(10.0, 0.5).angle == pytest.approx(radians(45.0), rel=4 * EPS)
    assert spun.pivot == (0.3, -0.1)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("time", [-1.0, 0.3, 1.7, 2.49, 2.51, 9.0])
def test_rates_are_the_derivatives_of_poses(name, time):
    """Against differences of fourth order; at 2.5 = 2 / 0.8 the ramp's third derivative jumps."""
    law = ALL[name]

    found, expected = law.rate(time, 0.8), Motion.rate(law, time, 0.8)

    assert found.angle == pytest.approx(expected.angle, abs=1e-9)
    assert found.shift == pytest.approx(expected.shift, abs=1e-9)


def test_the_velocity_does_not_jump_at_the_ends_of_a_ramp():
    towed = ALL["towed"]

    for end in (0.0, 2.5):
        before, after = (towed.rate(end + way, 0.8).shift[0] for way in (-1e-6, 1e-6))
        assert after == pytest.approx(before, abs=1e-11)  # (pi 0.8e-6 / 2)^2 / 4


def test_a_sum_takes_its_rates_from_its_parts_and_has_one_pivot():
    both = ALL["sum"]

    rates = [part.rate(3.0, 0.8) for part in both.parts]
    assert both.rate(3.0, 0.8) == rates[0] + rates[1] + rates[2]
    assert both.pivot == (0.5, 0.0)
    with pytest.raises(SettingsError, match=r"turn about \[\(0.25, 0.0\), \(0.5, 0.0\)\]"):
        both + motion.pitch(1.0, 0.1)


@pytest.mark.parametrize("name", ALL)
def test_there_is_no_period(name):
    assert ALL[name].omega(0.8) is None
    assert ALL[name].period(0.8) is None


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: motion.translate(1.0), r"velocity = 1.0, expected two numbers"),
        (lambda: motion.translate((1.0, "0")), "translate: velocity = '0', expected a finite"),
        (lambda: motion.translate((1, 0), ramp=-1), "translate: ramp = -1, expected 0 or"),
        (lambda: motion.translate((1, 0), ramp=None), "translate: ramp = None, expected a finite"),
        (
            lambda: motion.translate((1, 0), chord=0),
            "translate: chord = 0, expected a number above",
        ),
        (lambda: motion.rotate(float("nan")), "rotate: rate_deg = nan, expected a finite"),
        (lambda: motion.rotate(1e101), r"rotate: rate_deg = 1e\+101, expected at most"),
        (lambda: motion.rotate(1.0, about=(0,)), r"rotate: about = \(0,\), expected two"),
        (lambda: motion.rotate(1.0).pose(1.0, 0.0), "u_inf = 0.0, expected a number above 0"),
        (lambda: motion.rotate(1.0).pose(float("inf"), 1.0), "t = inf, expected a finite"),
    ],
)
def test_nonsense_is_refused(make, word):
    with pytest.raises(SettingsError, match=word):
        make()


def test_a_misspelt_argument_names_the_nearest():
    with pytest.raises(ArgumentError, match="did you mean 'velocity'"):
        motion.translate(velocty=(1, 0))
