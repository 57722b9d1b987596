"""Rigid motions against their closed forms."""

from math import cos, pi, radians, sin

import numpy as np
import pytest
from kinemesh import motion
from kinemesh.errors import SettingsError
from kinemesh.motion import Pose

EPS = np.finfo(float).eps


def test_nose_up_lifts_the_nose_and_drops_the_tail():
    pose = Pose(angle=radians(30), about=(0.25, 0.0))

    nose, tail = pose.apply([[0.0, 0.0], [1.0, 0.0]])

    # rotation of (-0.25, 0) and (0.75, 0) by -30 degrees about the quarter chord
    assert nose == pytest.approx((0.25 - 0.25 * cos(pi / 6), 0.125), abs=4 * EPS)
    assert tail == pytest.approx((0.25 + 0.75 * cos(pi / 6), -0.375), abs=4 * EPS)


def test_pivot_is_carried_by_the_shift_alone():
    pose = Pose(angle=0.7, about=(0.3, -0.2), shift=(1.0, 2.0))

    assert pose.apply((0.3, -0.2)) == pytest.approx((1.3, 1.8), abs=4 * EPS)


def test_pose_keeps_distances():
    points = np.random.default_rng(1).normal(size=(20, 2))
    moved = Pose(0.4, (0.25, 0.1), (0.3, -0.2)).apply(points)

    before = np.linalg.norm(points[:, None] - points, axis=2)
    after = np.linalg.norm(moved[:, None] - moved, axis=2)
    assert np.abs(after - before).max() < 32 * EPS * before.max()


def test_pitch_of_ct5_has_the_published_period_and_law():
    ct5 = motion.pitch(amplitude_deg=2.51, k=0.0814)
    u_inf = 0.755

    # period pi / (k u_inf) = 51.12 chords over a_inf (AGARD CT5, two decimals)
    assert ct5.period(u_inf) == pytest.approx(51.12, abs=0.005)
    for t in (0.0, 3.0, 20.0):
        expected = radians(2.51) * sin(2 * 0.0814 * u_inf * t)
        assert ct5.pose(t, u_inf).angle == pytest.approx(expected, abs=4 * EPS)
    assert ct5.pose(1.0, u_inf).about == (0.25, 0.0)


def test_phase_and_chord_enter_the_law():
    late = motion.pitch(1.0, 0.1, phase_deg=90, chord=2.0)

    assert late.omega(0.5) == pytest.approx(0.05, rel=4 * EPS)
    assert late.pose(0.0, 0.5).angle == pytest.approx(radians(1.0), rel=4 * EPS)


def test_plunge_moves_along_its_unit_direction():
    h = motion.plunge(0.5, 0.2, phase_deg=90, direction=(3, 4))

    assert h.pose(0.0, 0.8).shift == pytest.approx((0.3, 0.4), rel=4 * EPS)
    assert h.pose(0.0, 0.8).angle == 0


def test_sum_of_pitch_and_plunge_does_not_depend_on_order():
    pitch, plunge = motion.pitch(5, 0.1, about=(0.3, 0)), motion.plunge(0.2, 0.1, 90)

    one, two = (pitch + plunge).pose(2.0, 0.5), (plunge + pitch).pose(2.0, 0.5)

    assert one == two
    assert one.about == (0.3, 0.0)
    assert one.angle == pitch.pose(2.0, 0.5).angle
    assert one.shift == plunge.pose(2.0, 0.5).shift


def test_the_pivot_of_a_sum_is_that_of_its_pitch_where_the_angle_is_zero_too():
    pitch = motion.pitch(2.0, 0.15, about=(0.6, 0.0))
    plunge = motion.plunge(0.1, 0.15, phase_deg=90)  # at its largest where the angle is zero
    both = plunge + pitch

    assert both.pose(0.0, 0.5) == Pose(0.0, (0.6, 0.0), (0.0, 0.1))
    near, at = both.rate(1e-9, 0.5), both.rate(0.0, 0.5)  # the velocity of one point of the body
    assert at.shift == pytest.approx(near.shift, abs=1e-9)
    assert both.pose(1e-9, 0.5).about == both.pose(0.0, 0.5).about


def test_sum_has_a_period_only_when_its_parts_share_it():
    assert (motion.pitch(1, 0.1) + motion.plunge(1, 0.1)).omega(0.5) == pytest.approx(0.1)
    assert (motion.pitch(1, 0.1) + motion.plunge(1, 0.2**0.5)).omega(0.5) is None
    assert motion.function(lambda t: Pose()).omega(0.5) is None
    assert (motion.pitch(1, 0.1) + motion.function(lambda t: Pose())).omega(0.5) is None


@pytest.mark.parametrize(
    ("k", "common"),
    [((0.01, 0.24), 0.01), ((0.23, 0.24), 0.01), ((0.01, 0.25), None), ((0.24, 0.25), None)],
)
def test_a_common_period_has_twenty_four_cycles_of_a_part_at_most(k, common):
    omega = (motion.pitch(1, k[0]) + motion.plunge(1, k[1])).omega(0.5)

    assert omega == (common and pytest.approx(common))  # 2 k u_inf, with a speed of 1/2


def test_two_pivots_are_refused():
    with pytest.raises(SettingsError, match="one pivot"):
        motion.pitch(1, 0.1, about=(0, 0)) + motion.pitch(1, 0.1, about=(1, 0))
    with pytest.raises(SettingsError, match="two pivots"):
        Pose(0.1, (0, 0)) + Pose(0.1, (1, 0))


def test_user_function_is_called_with_the_time_and_checked():
    drift = motion.function(lambda t: Pose(shift=(0.1 * t, 0)))

    assert drift.pose(2.0, 0.5).shift == (0.2, 0.0)
    with pytest.raises(SettingsError, match="expected a Pose"):
        motion.function(lambda t: (t, 0)).pose(1.0, 0.5)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: motion.pitch(1, 0), "k = 0"),
        (lambda: motion.pitch(1, -0.1), "above 0"),
        (lambda: motion.pitch(1, 0.1, chord=1e-320), "chord = 1e-320, expected between 1e-100"),
        (lambda: motion.plunge(1, 1e101), "k = 1e\\+101, expected between 1e-100 and 1e"),
        (lambda: motion.pitch(float("nan"), 0.1), "amplitude_deg"),
        (lambda: motion.pitch(200, 0.1), "half a turn"),
        (lambda: motion.pitch(1, 0.1, about=(0,)), "two numbers"),
        (
            lambda: motion.pitch(1, 0.1, about=(0, 0, 0, 0)),
            r"two numbers \(x, y\), in space \(x, z\)",
        ),
        (
            lambda: motion.plunge(1, 0.1, direction=(0, 0, 1, 0)),
            r"two numbers .* in space \(x, z\)",
        ),
        (
            lambda: motion.rotate(1.0, axis=(0, 0, 0)),
            r"rotate: axis = \(0, 0, 0\), expected a vector",
        ),
        (lambda: motion.pitch(1.0, 0.1, axis=(0, 1)), r"axis = \(0, 1\), expected \(x, y, z\)"),
        (lambda: motion.pitch(1.0, 0.1, axis=(0, float("nan"), 1)), "finite"),
        (lambda: motion.pitch(1, 0.1, phase_deg=float("inf")), "phase_deg"),
        (lambda: motion.pitch(1, 0.1, chord=0), "chord"),
        (lambda: motion.pitch("1 deg", 0.1), "finite number"),
        (
            lambda: motion.pitch("2.5", 0.1),
            "pitch: amplitude_deg = '2.5', expected a finite number",
        ),
        (lambda: motion.pitch(2.5, "0.1"), "pitch: k = '0.1', expected a finite number"),
        (lambda: motion.pitch(2.5, 0.1, about=("0", 0)), "pitch: about = '0', expected a finite"),
        (lambda: motion.pitch(2.5, 0.1, about="12"), "pitch: about = '1', expected a finite"),
        (lambda: motion.pitch(2.5, 0.1, phase_deg=b"9"), "pitch: phase_deg = b'9', expected"),
        (lambda: motion.plunge("1", 0.1), "plunge: amplitude = '1', expected a finite number"),
        (lambda: motion.plunge(True, 0.1), "plunge: amplitude = True, expected a finite number"),
        (lambda: motion.plunge(1, 0.1, chord=np.str_("1")), "plunge: chord = .*, expected a fin"),
        (lambda: motion.function(Pose, omega="1"), "function: omega = '1', expected a finite"),
        (lambda: Pose(shift=("1", 0)), "Pose: shift = '1', expected a finite number"),
        (lambda: motion.plunge(float("inf"), 0.1), "amplitude"),
        (lambda: motion.plunge(1, 0.1, direction=(0, 0)), "length"),
        (lambda: motion.function(3), "callable"),
        (lambda: Pose(float("nan")), "angle"),
        (lambda: motion.pitch(1, 0.1).pose(1.0, 0.0), "u_inf"),
    ],
)
def test_nonsense_is_rejected(make, word):
    with pytest.raises(SettingsError, match=word):
        make()
