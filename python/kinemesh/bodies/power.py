"""Power of the flow on rigid motions of bodies, and moments about points that go with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import placed
from kinemesh.dimension import XYZ

FloatArray = NDArray[np.float64]


class Rigid(NamedTuple):
    """Moment about a point of each body, and the power of its rigid motion, each (bodies,)."""

    moment: FloatArray  # nose-up
    turning: FloatArray  # power of the turn about the pivot
    shifting: FloatArray  # power of the pivot's velocity


def rigid(
    sums: FloatArray, across: FloatArray, point: FloatArray, own: FloatArray, placement: Placement
) -> Rigid:
    """Moments and powers of bodies.

    Parameters
    ----------
    sums : (3, bodies)     forces along the axes of the plane of motion, nose-up moment about
        `point` (bodies, 2), at y = 0 in space
    across : (3, bodies)   in space the force along y, the moments of roll and yaw about `point`
    own : (bodies, 2)      points of the bodies as given, that their own moments are about; in space
        (bodies, 3)
    """
    return RIGID[own.shape[1]](sums, across, point, own, placement)


def _in_plane(
    sums: FloatArray, _: FloatArray, point: FloatArray, own: FloatArray, placement: Placement
) -> Rigid:
    """In the plane."""
    fx, fy, moment = sums
    poses, rates = placement.poses, placement.rates

    def moved_to(place: FloatArray) -> FloatArray:
        x, y = (place - point).T
        moved: FloatArray = moment + x * fy - y * fx
        return moved

    turning = moved_to(poses.about + poses.shift) * rates.angle
    shifting = fx * rates.shift[:, 0] + fy * rates.shift[:, 1]
    return Rigid(moved_to(placed(own, poses)), turning, shifting)


def _of_space(
    sums: FloatArray, across: FloatArray, point: FloatArray, own: FloatArray, placement: Placement
) -> Rigid:
    """In space: of a turn the moment about the pivot times the spin."""
    (fx, fz, nose_up), (fy, roll, yaw) = sums, across
    force, moment = (np.stack(of, axis=1) for of in ((fx, fy, fz), (roll, nose_up, yaw)))
    there, rates = placement.poses.into(XYZ), placement.rates

    def moved_to(place: FloatArray) -> FloatArray:
        return np.asarray(moment + np.cross(XYZ.lift(point) - place, force))

    turning = (moved_to(there.about + there.shift) * rates.spin).sum(axis=1)
    shifting = (force * XYZ.lift(rates.shift)).sum(axis=1)
    return Rigid(moved_to(placed(own, there))[:, 1], turning, shifting)


RIGID = {2: _in_plane, 3: _of_space}
