"""Motions in the frames of bodies, as of the parts of overset grids."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import SettingsError
from kinemesh.motion.free import Free
from kinemesh.motion.given import Given
from kinemesh.motion.law import DIFFERENCE, Motion, Shape, Together
from kinemesh.motion.modes import Vibration
from kinemesh.motion.motions import Pitch, Plunge
from kinemesh.motion.numbers import lifted
from kinemesh.motion.pose import Pose, Rate
from kinemesh.motion.twist import Twist
from kinemesh.motion.uniform import Rotate, Translate

Point = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """Frame of a body in that of the case: x -> R(-angle) scale x + at; in space R turns about y.

    Parameters
    ----------
    at : (2,)            where the body's own origin is; in space (3,)
    angle_deg : float    nose-up positive [deg]
    scale : float        lengths of the case in one of the body
    """

    at: Point = (0.0, 0.0)
    angle_deg: float = 0.0
    scale: float = 1.0

    @property
    def pose(self) -> Pose:
        """Turn and shift after the scaling."""
        return Pose(float(np.radians(self.angle_deg)), (0.0, 0.0), self.at)

    def place(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points (..., 2), in space (..., 3), of the body's frame in the case's frame."""
        own = np.asarray(points, float)
        if self == CASE:
            return own
        return self.pose.apply(self.scale * own)

    def own(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points (..., 2), in space (..., 3), of the case in the body's frame."""
        there = np.asarray(points, float)
        if self == CASE:
            return there
        return (there - self.at) @ self.pose.rotation / self.scale

    def point(self, own: tuple[float, ...]) -> tuple[float, ...]:
        """Point of the body's frame in the case's frame; in space of (x, z) that at y = 0."""
        there = lifted(own) if self.pose.axis else own
        return tuple(self.place(there).tolist())


CASE = Frame()
"""Frame of the case itself, in which bodies of one mesh are given."""


@dataclass(frozen=True, slots=True)
class Framed(Motion):
    """Motion with pivots in the body's frame, and shifts in the case's frame.

    Parameters
    ----------
    motion : Motion
    frame : Frame
    length : float    what differences in time of a law without a period are counted in
    """

    motion: Motion
    frame: Frame
    length: float

    def omega(self, u_inf: float) -> float | None:
        return self.motion.omega(u_inf)

    def settles(self, u_inf: float) -> float:
        return self.motion.settles(u_inf)

    def pose(self, t: float, u_inf: float) -> Pose:
        pose = self.motion.pose(t, u_inf)
        if not isinstance(pose, Pose):
            return pose  # which is refused where poses are asked for
        return replace(pose, about=self.frame.point(pose.about))

    def rate(self, t: float, u_inf: float) -> Rate:
        law = type(self.motion).rate
        if law in (Motion.rate, Together.rate):
            return Motion.rate(self, t, u_inf)
        return self.motion.rate(t, u_inf)

    def interval(self, u_inf: float) -> float:
        return DIFFERENCE / (self.omega(u_inf) or 1 / self.length)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return self.motion.shapes

    @property
    def pivot(self) -> tuple[float, ...] | None:
        own = self.motion.pivot
        return None if own is None else self.frame.point(own)


KNOWN = {Free, Given, Pitch, Plunge, Rotate, Translate, Twist, Vibration, type(None)}
"""Laws whose rates are exact, and whose pivots alone are of a frame."""


def framed(motion: Motion | None, frame: Frame, length: float = 1.0) -> Motion | None:
    """Motion in the case's frame from one in the body's frame."""
    parts = motion.parts if type(motion) is Together else (motion,)
    if motion is not None and motion.shapes and frame != CASE:
        raise SettingsError(f"motion {motion!r} bends a part, expected rigid parts")
    if {type(part) for part in parts} <= KNOWN:
        made = [_turned(part, frame) for part in parts]
        return Together(tuple(part for part in made if part)) if len(made) > 1 else made[0]
    assert motion is not None  # it is of the kinds above
    return motion if frame == CASE and length == 1 else Framed(motion, frame, length)


def _turned(motion: Motion | None, frame: Frame) -> Motion | None:
    """A motion about a point of the case."""
    if not isinstance(motion, Free | Pitch | Rotate) or frame == CASE:
        return motion
    return replace(motion, about=frame.point(motion.about))
