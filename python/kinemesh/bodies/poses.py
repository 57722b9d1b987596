"""Poses and rates of many bodies as arrays, for the steps of an ensemble.

Each body has the bits that it would have alone, wherever it stands in the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from kinemesh.motion.motions import Pose, Rate
from kinemesh.motion.numbers import FloatArray, turns


class PoseArray(Sequence[Pose]):
    """Poses of all bodies; as a sequence, a `Pose` of each.

    Parameters
    ----------
    angle : (bodies,)       nose-up positive [rad]
    about : (bodies, 2)     pivots, points of the bodies as given [chord]
    shift : (bodies, 2)     translations of the pivots [chord]
    """

    def __init__(self, angle: FloatArray, about: FloatArray, shift: FloatArray) -> None:
        self.angle, self.about, self.shift = angle, about, shift
        for array in (angle, about, shift):
            array.setflags(write=False)  # a step asks for the poses of a time more than once

    @classmethod
    def of(cls, poses: Sequence[Pose]) -> PoseArray:
        """PoseArray of a sequence of poses, or the PoseArray itself."""
        if isinstance(poses, PoseArray):
            return poses
        about, shift = (
            np.array([getattr(pose, name) for pose in poses], float).reshape(-1, 2)
            for name in ("about", "shift")
        )
        return cls(np.array([pose.angle for pose in poses], float), about, shift)

    @classmethod
    def still(cls, bodies: int) -> PoseArray:
        """Poses of bodies at rest."""
        about, shift = (np.zeros((2, bodies)).T for _ in range(2))
        return cls(np.zeros(bodies), about, shift)

    def __len__(self) -> int:
        return len(self.angle)

    @overload
    def __getitem__(self, body: int) -> Pose: ...
    @overload
    def __getitem__(self, body: slice | NDArray) -> PoseArray: ...
    def __getitem__(self, body: int | slice | NDArray) -> Pose | PoseArray:
        """Pose of a body; of a slice, a mask or an array of bodies, their PoseArray."""
        if isinstance(body, slice | np.ndarray):
            return PoseArray(self.angle[body], self.about[body], self.shift[body])
        about, shift = self.about[body].tolist(), self.shift[body].tolist()
        return Pose(float(self.angle[body]), tuple(about), tuple(shift))

    def scaled(self, share: float) -> PoseArray:
        """A share of each turn and shift."""
        return PoseArray(share * self.angle, self.about, share * self.shift)

    @cached_property
    def turn(self) -> tuple[FloatArray, FloatArray]:
        """Cosines and sines (bodies,) of the angles."""
        return turns(self.angle)

    @cached_property
    def rows(self) -> FloatArray:
        """(bodies, 6) for the kernel pose_move: cos - 1, sin, about, shift of the turn by -angle.

        cos - 1 is without cancellation.
        """
        half = turns(-self.angle / 2)[1]
        columns = -2 * np.float_power(half, 2), -self.turn[1], *self.about.T, *self.shift.T
        return np.stack(columns, axis=1)

    def moved(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Points (..., bodies) by their coordinates, each moved with its body [chord]."""
        (ax, ay), (dx, dy) = self.about.T, self.shift.T
        x, y = x - ax, y - ay
        if x.any() or y.any():
            c, s = self.turn
            x, y = c * x + s * y, c * y - s * x
        return x + ax + dx, y + ay + dy

    def apply(self, points: FloatArray) -> FloatArray:
        """Point (bodies, 2) of each body at rest, moved as by `Pose.apply` [chord]."""
        lever = points - self.about
        if lever.any():
            off = lever.any(axis=1)
            c, s = turns(self.angle[off])
            rotation = np.stack([c, s, -s, c], axis=1).reshape(-1, 2, 2)
            lever[off] = (lever[off, None] @ rotation.transpose(0, 2, 1))[:, 0]
        return lever + self.about + self.shift


def placed(points: FloatArray, poses: Sequence[Pose]) -> FloatArray:
    """Points (..., n, 2) of n bodies at rest, moved to the pose of each [chord]."""
    there = PoseArray.of(poses)
    return np.stack(there.moved(points[..., 0], points[..., 1]), axis=-1)


@dataclass(frozen=True, slots=True)
class RateArray:
    """Rates of all bodies (see `Rate`).

    Parameters
    ----------
    angle : (bodies,)      nose-up positive [rad a_inf/chord]
    shift : (bodies, 2)    velocity of the pivots [a_inf]
    """

    angle: FloatArray
    shift: FloatArray

    @classmethod
    def of(cls, rates: Sequence[Rate]) -> RateArray:
        """RateArray of a sequence of rates."""
        shift = np.array([rate.shift for rate in rates], float).reshape(-1, 2)
        return cls(np.array([rate.angle for rate in rates], float), shift)
