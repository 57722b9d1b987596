"""Poses and rates of many bodies as arrays, for the steps of an ensemble.

Each body has the bits that it would have alone, wherever it stands in the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import XY, XYZ, Dimension, widest
from kinemesh.motion.numbers import FloatArray, turns
from kinemesh.motion.pose import NOSE_UP, Pose, Rate, Vector, cross_of


class PoseArray(Sequence[Pose]):
    """Poses of all bodies; as a sequence, a `Pose` of each.

    Parameters
    ----------
    angle : (bodies,)       nose-up positive [rad]
    about : (bodies, 2)     pivots, points of the bodies as given [chord]
    shift : (bodies, 2)     translations of the pivots [chord]
    axis : (bodies, 3)      of the turns in space, where pivots and shifts are (bodies, 3); None of
        the plane
    modes : (bodies, n)     amplitudes of the bodies' shapes, 0 where a body has fewer; None where
        all are rigid
    """

    def __init__(
        self,
        angle: FloatArray,
        about: FloatArray,
        shift: FloatArray,
        axis: FloatArray | None = None,
        modes: FloatArray | None = None,
    ) -> None:
        self.angle, self.about, self.shift, self.axis, self.modes = angle, about, shift, axis, modes
        for array in (angle, about, shift, axis, modes):
            if array is not None:
                array.setflags(write=False)  # a step asks for the poses of a time more than once

    @classmethod
    def of(cls, poses: Sequence[Pose]) -> PoseArray:
        """PoseArray of a sequence of poses, or the PoseArray itself."""
        if isinstance(poses, PoseArray):
            return poses
        dimension = widest(pose.dimension for pose in poses)
        each = [pose.into(dimension) for pose in poses]
        about, shift = (
            np.array([getattr(pose, name) for pose in each], float).reshape(-1, dimension.count)
            for name in ("about", "shift")
        )
        axis = axes([pose.axis for pose in each])
        angle = np.array([pose.angle for pose in each], float)
        return cls(angle, about, shift, axis, amplitudes([pose.modes for pose in each]))

    @classmethod
    def still(cls, bodies: int) -> PoseArray:
        """Poses of bodies at rest."""
        about, shift = (np.zeros((2, bodies)).T for _ in range(2))
        return cls(np.zeros(bodies), about, shift)

    @property
    def dimension(self) -> Dimension:
        """The plane of motion, or space where poses have axes."""
        return XY if self.axis is None else XYZ

    def into(self, dimension: Dimension) -> PoseArray:
        """The poses in a dimension that holds them, as of `Pose.into`."""
        return self if self.dimension.holds(dimension) else self._raised

    @cached_property
    def _raised(self) -> PoseArray:
        about, shift = (XYZ.lift(array) for array in (self.about, self.shift))
        axis = np.tile(NOSE_UP, (len(self), 1))
        return PoseArray(self.angle, about, shift, axis, self.modes)

    def __len__(self) -> int:
        return len(self.angle)

    @overload
    def __getitem__(self, body: int) -> Pose: ...
    @overload
    def __getitem__(self, body: slice | NDArray[Any]) -> PoseArray: ...
    def __getitem__(self, body: int | slice | NDArray[Any]) -> Pose | PoseArray:
        """Pose of a body; of a slice, a mask or an array of bodies, their PoseArray."""
        if isinstance(body, slice | np.ndarray):
            axis, modes = (None if a is None else a[body] for a in (self.axis, self.modes))
            return PoseArray(self.angle[body], self.about[body], self.shift[body], axis, modes)
        about, shift = self.about[body].tolist(), self.shift[body].tolist()
        way = None if self.axis is None else tuple(self.axis[body].tolist())
        bent = () if self.modes is None else tuple(self.modes[body].tolist())
        return Pose(float(self.angle[body]), tuple(about), tuple(shift), way, modes=bent)

    def scaled(self, share: float) -> PoseArray:
        """A share of each turn, shift and amplitude."""
        modes = None if self.modes is None else share * self.modes
        return PoseArray(share * self.angle, self.about, share * self.shift, self.axis, modes)

    def amplitudes(self, shapes: int) -> FloatArray:
        """(bodies, shapes) amplitudes of the bodies' shapes; 0 where a pose names none."""
        found = np.zeros((len(self), shapes))
        if self.modes is not None:
            found[:, : self.modes.shape[1]] = self.modes
        return found

    @property
    def moved_at_all(self) -> bool:
        """True unless all bodies are where they are given."""
        found = (self.angle, self.shift, self.modes)
        return any(array is not None and bool(array.any()) for array in found)

    @cached_property
    def turn(self) -> tuple[FloatArray, FloatArray]:
        """Cosines and sines (bodies,) of the angles."""
        return turns(self.angle)

    @cached_property
    def nose_up(self) -> FloatArray:
        """(bodies,) nose-up angles, in space the part along y of turns [rad]."""
        return self.angle if self.axis is None else self.angle * self.axis[:, 1]

    @cached_property
    def turned(self) -> FloatArray:
        """(bodies, 3, 3) matrices of the turns in space, less one, without cancellation."""
        k = cross_of(np.asarray(self.into(XYZ).axis))
        half = turns(self.angle / 2)[1]
        whole = turns(self.angle)[1]
        return whole[:, None, None] * k + 2 * (half * half)[:, None, None] * (k @ k)

    @cached_property
    def space_rows(self) -> FloatArray:
        """(bodies, 12) for the kernel pose_move_3d: (R - 1 | t); x moves by (R - 1) x + t."""
        there = self.into(XYZ)
        t = there.shift - np.einsum("bij,bj->bi", self.turned, there.about)
        return np.concatenate([self.turned, t[:, :, None]], axis=2).reshape(-1, 12)

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
        """Point (bodies, 2) of each body at rest, moved as by `Pose.apply` [chord].

        In space points are (bodies, 3).
        """
        return APPLIED[points.shape[-1]](points, self)


ROWS = {2: attrgetter("rows"), 3: attrgetter("space_rows")}
"""Poses as the kernel pose_move has them, by dimension."""


def rows_of(poses: Sequence[Pose], dimension: Dimension, shapes: int) -> FloatArray:
    """(bodies, 6), in space (bodies, 12), of the kernel pose_move, then amplitudes of shapes."""
    there = PoseArray.of(poses)
    rows: FloatArray = ROWS[dimension.count](there)
    return np.concatenate([rows, there.amplitudes(shapes)], axis=1) if shapes else rows


def matrix_of(row: FloatArray) -> tuple[FloatArray, FloatArray]:
    """R - 1 (d, d) and t (d,) of a pose x -> R x + t, from its row of `rows_of` (6,), or (12,)."""
    return MATRICES[len(row)](row)


def _matrix_in_plane(row: FloatArray) -> tuple[FloatArray, FloatArray]:
    turn = np.array([[row[0], -row[1]], [row[1], row[0]]])
    return turn, row[4:] - turn @ row[2:4]


def _matrix_of_space(row: FloatArray) -> tuple[FloatArray, FloatArray]:
    own = row.reshape(3, 4)
    return own[:, :3], own[:, 3]


MATRICES = {XY.pose: _matrix_in_plane, XYZ.pose: _matrix_of_space}
"""Matrices of rows, by how many numbers a pose has."""


def axes(each: Sequence[Vector | None]) -> FloatArray | None:
    """(bodies, 3) axes of turns; None of the plane."""
    return None if None in each or not each else np.array(each, float)


def amplitudes(each: Sequence[Sequence[float]]) -> FloatArray | None:
    """(bodies, n) amplitudes of each body's shapes, 0 where it has fewer; None of rigid bodies."""
    most = max(map(len, each), default=0)
    if not most:
        return None
    return np.array([[*own, *[0.0] * (most - len(own))] for own in each])


def placed(points: FloatArray, poses: Sequence[Pose]) -> FloatArray:
    """Points (..., n, 2), in space (..., n, 3), of n bodies at rest, moved to poses [chord]."""
    return PLACED[points.shape[-1]](points, PoseArray.of(poses))


def _placed_in_plane(points: FloatArray, there: PoseArray) -> FloatArray:
    return np.stack(there.moved(points[..., 0], points[..., 1]), axis=-1)


def _applied_in_plane(points: FloatArray, there: PoseArray) -> FloatArray:
    """Point (bodies, 2) of each body, with the bits of `Pose.apply`."""
    lever = points - there.about
    if lever.any():
        off = lever.any(axis=1)
        c, s = turns(there.angle[off])
        rotation = np.stack([c, s, -s, c], axis=1).reshape(-1, 2, 2)
        lever[off] = (lever[off, None] @ rotation.transpose(0, 2, 1))[:, 0]
    return lever + there.about + there.shift


def _placed_of_space(points: FloatArray, there: PoseArray) -> FloatArray:
    there = there.into(XYZ)
    lever = points - there.about
    moved: FloatArray = np.einsum("bij,...bj->...bi", there.turned, lever)
    return points + moved + there.shift


PLACED = {2: _placed_in_plane, 3: _placed_of_space}
APPLIED = {2: _applied_in_plane, 3: _placed_of_space}
"""Functions that bring points to poses, by their coordinates: any of the bodies, one of each."""


@dataclass(frozen=True, slots=True)
class RateArray:
    """Rates of all bodies (see `Rate`).

    Parameters
    ----------
    angle : (bodies,)      nose-up positive [rad a_inf/chord]
    shift : (bodies, 2)    velocity of the pivots, in space (bodies, 3) [a_inf]
    axis : (bodies, 3)     of the turns in space; None of the plane
    modes : (bodies, n)    rates of the amplitudes [a_inf/chord]; None where all bodies are rigid
    """

    angle: FloatArray
    shift: FloatArray
    axis: FloatArray | None = None
    modes: FloatArray | None = None

    @classmethod
    def of(cls, rates: Sequence[Rate]) -> RateArray:
        """RateArray of a sequence of rates."""
        dimension = widest(rate.dimension for rate in rates)
        each = [rate.into(dimension) for rate in rates]
        shift = np.array([rate.shift for rate in each], float).reshape(-1, dimension.count)
        axis, modes = axes([rate.axis for rate in each]), amplitudes([rate.modes for rate in each])
        return cls(np.array([rate.angle for rate in each], float), shift, axis, modes)

    @property
    def spin(self) -> FloatArray:
        """(bodies, 3) angular velocities in space."""
        axis = np.tile(NOSE_UP, (len(self.angle), 1)) if self.axis is None else self.axis
        return self.angle[:, None] * axis
