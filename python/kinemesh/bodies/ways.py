"""Way of bodies through a step between two poses, in the plane of motion and in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.poses import PoseArray, RateArray
from kinemesh.dimension import XY, XYZ, Dimension, widest
from kinemesh.motion.pose import NOSE_UP

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


class Way:
    """Way of bodies through a step, from old poses to new ones about the same points.

    Angles and shifts go in proportion to the time; where the axis of a turn changes, a body turns
    about the one axis that leads from the old pose to the new one.

    Parameters
    ----------
    of : (n,)    numbers of the bodies among all
    """

    def __init__(self, old: PoseArray, new: PoseArray, of: NDArray[np.int64]) -> None:
        self.of = of
        both = widest((old.dimension, new.dimension))
        self.old, self.new = old.into(both), new.into(both)

    def over(self, laws: PoseArray, share: float) -> PoseArray:
        """Poses of all bodies at a share of the step: these, and of the others those by laws."""
        old, new = self.old.into(laws.dimension), self.new.into(laws.dimension)
        angle, pivot, shift = laws.angle.copy(), laws.about.copy(), laws.shift.copy()
        modes = None if laws.modes is None else laws.modes.copy()
        if modes is not None:
            now, before = (own.amplitudes(modes.shape[1]) for own in (new, old))
            modes[self.of] = now + (share - 1) * (now - before)
        pivot[self.of] = new.about
        shift[self.of] = new.shift + (share - 1) * (new.shift - old.shift)
        angle[self.of] = new.angle + (share - 1) * (new.angle - old.angle)
        if laws.axis is None:
            return PoseArray(angle, pivot, shift, None, modes)
        axis = laws.axis.copy()
        axis[self.of] = new.axis
        for k in np.flatnonzero(_turning(old, new)).tolist() if share != 1 else ():
            turn = _rotation_by((share - 1) * _turn(old, new, k))
            there = (turn * _rotation(new, k)).as_rotvec()
            angle[self.of[k]] = size = np.linalg.norm(there)
            axis[self.of[k]] = there / size if size else new.axis[k]  # type: ignore[index]
        return PoseArray(angle, pivot, shift, axis, modes)

    def turns(self) -> NDArray[np.float64]:
        """(n, 3) turns of the step in space, about their axes [rad]."""
        old, new = self.old.into(XYZ), self.new.into(XYZ)
        assert new.axis is not None
        found: NDArray[np.float64] = (new.angle - old.angle)[:, None] * new.axis
        for k in np.flatnonzero(_turning(old, new)).tolist():
            found[k] = _turn(old, new, k)
        return found

    def rates(
        self, step: NDArray[np.float64], earlier: Way | None, dimension: Dimension, modes: int
    ) -> RateArray:
        """Rates at the end by differences over steps (n,), as the volumes have them: BDF1 or, with
        the way of the step before, BDF2.

        Parameters
        ----------
        dimension : that they are of;  modes : most shapes of a body
        """

        def change(now: Any, before: Any) -> Any:
            return now if earlier is None else 1.5 * now - 0.5 * before

        def moved(way: Way | None) -> Any:
            if way is None:
                return 0.0
            return way.new.into(dimension).shift - way.old.into(dimension).shift

        def bent(way: Way | None) -> Any:
            if way is None:
                return 0.0
            return way.new.amplitudes(modes) - way.old.amplitudes(modes)

        shift = change(moved(self), moved(earlier)) / step[:, None]
        bend = change(bent(self), bent(earlier)) / step[:, None] if modes else None
        if XY.holds(dimension):
            before = 0.0 if earlier is None else earlier.new.angle - earlier.old.angle
            angle = change(self.new.angle - self.old.angle, before) / step
            return RateArray(angle, shift, None, bend)
        spin = change(self.turns(), 0.0 if earlier is None else earlier.turns()) / step[:, None]
        size = np.linalg.norm(spin, axis=1)
        axis = np.where(size[:, None] > 0, spin / np.where(size, size, 1.0)[:, None], NOSE_UP)
        return RateArray(size, shift, axis, bend)


def _turning(old: PoseArray, new: PoseArray) -> NDArray[np.bool_]:
    """(n,) whether the axis changes between two turns in space."""
    assert old.axis is not None
    assert new.axis is not None
    apart: NDArray[np.bool_] = (old.axis != new.axis).any(axis=1) & (old.angle != 0)
    return apart


def _rotation(poses: PoseArray, k: int) -> Rotation:
    assert poses.axis is not None
    return _rotation_by(poses.angle[k] * poses.axis[k])


def _rotation_by(turn: NDArray[np.float64]) -> Rotation:
    """Rotation by a turn (3,) about its axis [rad]."""
    from scipy.spatial.transform import Rotation  # here: few runs need these 20 MB

    return Rotation.from_rotvec(np.array(turn))


def _turn(old: PoseArray, new: PoseArray, k: int) -> NDArray[np.float64]:
    """(3,) turn that leads from the old pose of a body to the new one."""
    found: NDArray[np.float64] = (_rotation(new, k) * _rotation(old, k).inv()).as_rotvec()
    return found
