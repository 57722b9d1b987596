"""Placement of bodies: where they are at the end of a physical step, on the way there, how fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.poses import PoseArray, RateArray
from kinemesh.motion import Pose

if TYPE_CHECKING:
    from kinemesh.bodies.case import Bodies

Poses = Callable[[float], Sequence[Pose]]
"""Poses of all bodies at a share 0..1 of the physical step."""

DIFFERENCE = 1e-3  # share of a step, to either side of its end


@dataclass(frozen=True)
class Placement:
    """Poses of all bodies on the way through a physical step, and their rates at its end.

    Parameters
    ----------
    poses_at : callable    share 0..1 of the step -> poses of all bodies
    rates_at : callable    () -> rates of these poses at the end of the step
    """

    poses_at: Poses
    rates_at: Callable[[], RateArray] = field(repr=False)

    def at(self, share: float) -> PoseArray:
        """Poses of all bodies at a share 0..1 of the step."""
        return PoseArray.of(self.poses_at(share))

    @property
    def poses(self) -> PoseArray:
        """Poses at the end of the step."""
        return self.at(1.0)

    @cached_property
    def rates(self) -> RateArray:
        """Rates at the end of the step."""
        return self.rates_at()


def by_laws(bodies: Bodies, before: NDArray[np.float64], dt: NDArray[np.float64]) -> Placement:
    """Placement by the motions of the bodies, over steps (members,) from a time (members,)."""
    return Placement(
        lambda share: bodies.poses(before + share * dt), lambda: bodies.rates(before + dt)
    )


def at_rest(poses: Sequence[Pose]) -> Placement:
    """Placement of bodies brought from where they are given to `poses`, where they rest."""
    there = PoseArray.of(poses)
    still = RateArray(np.zeros(len(there)), np.zeros((len(there), 2)))
    return Placement(there.scaled, lambda: still)


def along(poses_at: Poses, dt: NDArray[np.float64] | float) -> Placement:
    """Placement along `poses_at`, which goes on beyond 1, over steps (bodies,) of these lengths.

    Rates are central differences about the end of the step.
    """

    def rates() -> RateArray:
        before, after = (PoseArray.of(poses_at(1 + way * DIFFERENCE)) for way in (-1, 1))
        length = 2 * DIFFERENCE * np.broadcast_to(dt, len(after))
        shift = (after.shift - before.shift) / length[:, None]
        return RateArray((after.angle - before.angle) / length, shift)

    return Placement(poses_at, rates)
