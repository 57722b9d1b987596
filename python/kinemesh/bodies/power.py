"""Power of the flow on rigid motions of bodies, and moments about points that go with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import placed, raised

FloatArray = NDArray[np.float64]


class Rigid(NamedTuple):
    """Moment about a point of each body, and the power of its rigid motion, each (bodies,)."""

    moment: FloatArray  # nose-up
    turning: FloatArray  # power of the turn about the pivot
    shifting: FloatArray  # power of the pivot's velocity


def in_plane(sums: FloatArray, point: FloatArray, own: FloatArray, placement: Placement) -> Rigid:
    """Moments and powers in the plane.

    Parameters
    ----------
    sums : (3, bodies)     forces along x and y, nose-up moment about `point` (bodies, 2)
    own : (bodies, 2)      points of the bodies as given, that their own moments are about
    """
    fx, fy, moment = sums
    poses, rates = placement.poses, placement.rates

    def moved_to(place: FloatArray) -> FloatArray:
        x, y = (place - point).T
        moved: FloatArray = moment + x * fy - y * fx
        return moved

    turning = moved_to(poses.about + poses.shift) * rates.angle
    shifting = fx * rates.shift[:, 0] + fy * rates.shift[:, 1]
    return Rigid(moved_to(placed(own, poses)), turning, shifting)


def in_space(
    force: FloatArray, moment: FloatArray, point: FloatArray, own: FloatArray, placement: Placement
) -> Rigid:
    """Moments and powers in space: of a turn the moment about the pivot times the spin.

    Parameters
    ----------
    force, moment : (bodies, 3)    of each body, the moment about `point` (bodies, 2), at y = 0
    own : (bodies, 3)              points of the bodies as given, that their own moments are about
    """
    there, rates = placement.poses.in_space, placement.rates

    def moved_to(place: FloatArray) -> FloatArray:
        return np.asarray(moment + np.cross(raised(point) - place, force))

    turning = (moved_to(there.about + there.shift) * rates.spin).sum(axis=1)
    shifting = (force * raised(rates.shift)).sum(axis=1)
    return Rigid(moved_to(placed(own, there))[:, 1], turning, shifting)
