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
    modes = None if there.modes is None else np.zeros(there.modes.shape)
    still = RateArray(np.zeros(len(there)), np.zeros(there.shift.shape), there.axis, modes)
    return Placement(there.scaled, lambda: still)
