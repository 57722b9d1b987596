"""Poses of many bodies at once: each has the bits that it would have alone."""

from math import cos, sin

import kinemesh as km
import numpy as np
import pytest
from kinemesh.bodies.case import Bodies
from kinemesh.bodies.poses import PoseArray, RateArray, placed
from kinemesh.errors import SettingsError
from kinemesh.motion import Pose, Rate, pitch, plunge
from kinemesh.motion.numbers import turns
from kinemesh.space.members import Members

LENGTHS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1001)


def bodies_of(bodies, motions, mach):
    """Bodies of an ensemble on the CPU."""
    return Bodies(bodies, motions, mach, (0.25, 0.0), Members(km.Backend("cpu"), len(mach)))


def same_bits(found, expected):
    """Return True if two arrays agree, with the signs of their zeros."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    return found.shape == expected.shape and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("length", LENGTHS)
def test_turns_have_the_bits_of_the_math_module_at_every_place(length):
    rng = np.random.default_rng(length)
    for scale in (1e-9, 0.03, 1.0, 300.0, 1e7):  # up to arguments that vector code treats apart
        angle = np.append(scale * rng.normal(size=length), [0.0, -0.0])

        c, s = turns(angle)

        assert same_bits(c, [cos(a) for a in angle.tolist()])
        assert same_bits(s, [sin(a) for a in angle.tolist()])


class Faster(km.motion.Pitch):
    """A motion of a user's class."""

    __slots__ = ()

    def pose(self, t, u_inf):
        return km.motion.Pitch.pose(self, 2 * t, u_inf)


def motions_of_all_kinds(count):
    """`count` motions of random numbers: at rest, pitch, plunge, sums of them, functions."""
    rng = np.random.default_rng(3)
    found = []
    for k in range(count):
        size, k1, k2 = rng.uniform(-3, 3), rng.uniform(0.05, 0.4), rng.uniform(0.05, 0.4)
        about, phase = tuple(rng.normal(size=2)), rng.uniform(-180, 180) * (k % 3)
        turn = pitch(size, k1, about=about, phase_deg=phase, chord=1 + k % 2)
        shift = plunge(size, k2, phase_deg=phase, direction=rng.normal(size=2))
        kinds = (
            None, turn, shift, turn + shift, shift + turn, shift + plunge(0.1, k1), turn + turn,
            Faster(size, k1, about), turn + km.motion.function(lambda t: Pose(shift=(0, t))),
            km.motion.function(lambda t, a=size: Pose(a * t, (0.3, 0.1), (t, -t))),
        )  # fmt: skip
        found.append(kinds[k % len(kinds)])
    return found


@pytest.mark.parametrize("count", [1, 2, 5, 10, 77, 200])
def test_poses_and_rates_of_many_bodies_have_the_bits_of_each_alone(count):
    motions, rng = motions_of_all_kinds(count), np.random.default_rng(8)
    mach, owner = rng.uniform(0.2, 0.9, count), rng.permutation(count).tolist()
    bodies = bodies_of([(m, "wall") for m in owner], motions, mach)
    for time in (np.zeros(count), rng.uniform(0, 300, count)):
        poses, rates = bodies.poses(time), bodies.rates(time)

        asked = [(motion, time[m], mach[m]) for motion, m in zip(motions, owner, strict=True)]
        each = [Pose() if law is None else law.pose(float(t), float(u)) for law, t, u in asked]
        change = [Rate() if law is None else law.rate(float(t), float(u)) for law, t, u in asked]
        for name in ("angle", "about", "shift"):
            assert same_bits(getattr(poses, name), [getattr(pose, name) for pose in each])
        for name in ("angle", "shift"):
            assert same_bits(getattr(rates, name), [getattr(rate, name) for rate in change])
        assert list(poses) == each


def test_arrays_of_poses_place_points_as_each_pose_alone_does():
    rng = np.random.default_rng(5)
    each = [Pose(a, tuple(p), tuple(q)) for a, p, q in zip(
        rng.normal(size=50), rng.normal(size=(50, 2)), rng.normal(size=(50, 2)), strict=True
    )]  # fmt: skip
    points = rng.normal(size=(50, 2))
    points[::3] = [pose.about for pose in each[::3]]  # turned by nothing
    poses = PoseArray.of(each)

    assert same_bits(poses.apply(points), [p.apply(x) for p, x in zip(each, points, strict=True)])
    own = [placed(x[None], [p])[0] for p, x in zip(each, points, strict=True)]
    assert same_bits(placed(points, poses), own)
    assert same_bits(poses.rows, [PoseArray.of([pose]).rows[0] for pose in each])
    np.testing.assert_allclose(poses.rows[:, 0], np.cos(poses.angle) - 1, atol=4e-16)
    np.testing.assert_allclose(poses.rows[:, 1], -np.sin(poses.angle), rtol=4e-16)
    assert list(poses[::-2]) == each[::-2]
    assert list(poses.scaled(0.5)) == [
        Pose(p.angle / 2, p.about, (p.shift[0] / 2, p.shift[1] / 2)) for p in each
    ]


def test_arrays_of_poses_cannot_be_changed():
    poses = PoseArray.of([Pose(0.1)])
    with pytest.raises(ValueError, match="read-only"):
        poses.angle[0] = 1.0


def test_rates_of_a_sequence_are_those_of_each():
    rates = RateArray.of([Rate(1.0, (2.0, 3.0)), Rate()])

    assert rates.angle.tolist() == [1.0, 0.0]
    assert rates.shift.tolist() == [[2.0, 3.0], [0.0, 0.0]]


def test_a_time_that_gives_no_pose_is_refused_with_the_words_of_the_motion():
    bodies = bodies_of([(0, "a"), (1, "b")], [pitch(1.0, 0.1)] * 2, np.full(2, 0.5))
    for asked in (bodies.poses, bodies.rates):
        with pytest.raises(SettingsError, match="pitch: t = nan, expected a finite number"):
            asked(np.array([1.0, np.nan]))


def test_a_law_is_asked_once_for_each_time_of_a_step():
    times = []

    def law(t):
        times.append(t)
        return Pose(0.01 * t)

    bodies = bodies_of([(0, "a")], [km.motion.function(law)], np.array([0.5]))
    for time in (1.0, 1.25, 1.25, 1.0):
        bodies.poses(np.array([time]))
    assert times == [1.0, 1.25]

    bodies.forget()
    bodies.poses(np.array([1.25]))
    assert times == [1.0, 1.25, 1.25]


def test_points_of_several_bodies_are_placed_as_each_pose_places_them():
    poses = [Pose(0.7, (0.3, -0.2), (1.0, 2.0)), Pose(-0.2, (0.1, 0.0)), Pose(shift=(0.0, 3.0))]
    points = np.random.default_rng(0).normal(size=(4, 3, 2))

    there = placed(points, poses)

    each = [pose.apply(points[:, k]) for k, pose in enumerate(poses)]
    eps = np.finfo(float).eps
    assert there == pytest.approx(np.stack(each, axis=1), abs=16 * eps)
    assert placed(np.empty((4, 0, 2)), []).shape == (4, 0, 2)
