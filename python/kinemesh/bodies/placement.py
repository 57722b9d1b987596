"""Placement of bodies: where they are at the end of a physical step, on the way there, how fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.poses import PoseArray, RateArray, placed
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
    onward : (members,) those that go on from what a march of the step has left, its drop referring
        to what it referred to there, while all others keep it; None: all march from where the step
        began
    """

    poses_at: Poses
    rates_at: Callable[[], RateArray] = field(repr=False)
    onward: NDArray[np.bool_] | None = None

    def at(self, share: float) -> PoseArray:
        """Poses of all bodies at a share 0..1 of the step."""
        return PoseArray.of(self.poses_at(share))

    @property
    def marches(self) -> NDArray[np.bool_] | bool:
        """(members,) whether a member takes part in the march; True where all do."""
        return True if self.onward is None else self.onward

    @cached_property
    def poses(self) -> PoseArray:
        """Poses at the end of the step."""
        return self.at(1.0)

    @cached_property
    def rates(self) -> RateArray:
        """Rates at the end of the step."""
        return self.rates_at()

    @property
    def bending(self) -> NDArray[np.float64]:
        """(bodies, shapes) rates of the amplitudes at the end of the step; (bodies, 1) zeros where
        there are none."""
        rates = self.rates
        return np.zeros((len(rates.angle), 1)) if rates.modes is None else rates.modes

    def way(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Way (..., bodies, dimensions) of points of each body as given, by turn and shift over the
        step."""
        return np.asarray(placed(points, self.poses) - placed(points, self.at(0.0)))

    def bent(self, shapes: int) -> NDArray[np.float64]:
        """(bodies, shapes) changes of amplitudes over the step."""
        return np.asarray(self.poses.amplitudes(shapes) - self.at(0.0).amplitudes(shapes))

    def turning(self) -> dict[int, tuple[NDArray[np.float64], float]]:
        """Pivot as given and rate of turn [rad a_inf/chord] at the end, of bodies that turn."""
        rates = self.rates.angle
        about = self.poses.about
        return {k: (about[k], float(rates[k])) for k in np.flatnonzero(rates).tolist()}

    def columns(self, length: float) -> dict[str, NDArray[np.float64]]:
        """(bodies,) columns of histories at the end of the step; shifts in this length."""
        poses = self.poses
        return {
            "angle_deg": np.degrees(poses.nose_up),
            "shift_x": poses.shift[:, 0] / length,
            "shift_y": poses.shift[:, -1] / length,
        }

    def amplitude(self, body: int, shape: int) -> float:
        """Amplitude of a body's shape at the end of the step."""
        modes = self.poses.modes
        return 0.0 if modes is None else float(modes[body, shape])


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


def moved(poses: Poses) -> bool:
    """True unless all bodies are as given both where a step begins and where it ends."""
    return any(PoseArray.of(poses(share)).moved_at_all for share in (0.0, 1.0))
