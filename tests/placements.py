"""Placement of bodies in a step along poses that a test gives."""

import numpy as np
from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import PoseArray, RateArray

DIFFERENCE = 1e-3  # share of a step, to either side of its end


def along(poses_at, dt):
    """Placement along `poses_at`, which goes on beyond 1, over steps (bodies,) of these lengths.

    Rates are central differences about the end of the step.
    """

    def rates():
        before, after = (PoseArray.of(poses_at(1 + way * DIFFERENCE)) for way in (-1, 1))
        length = 2 * DIFFERENCE * np.broadcast_to(dt, len(after))
        shift = (after.shift - before.shift) / length[:, None]
        return RateArray((after.angle - before.angle) / length, shift)

    return Placement(poses_at, rates)
