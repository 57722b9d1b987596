"""Motions of constant velocity, reached at once or over a ramp: translation and rotation.

Time is reduced, s = u_inf t / chord.  Over a ramp of length r the velocity is multiplied by
(1 - cos(pi s / r)) / 2, so that it begins and ends without a jump of the acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, radians, sin
from typing import ClassVar

from kinemesh.arguments import checks_names
from kinemesh.dimension import DIMENSIONS, Dimension
from kinemesh.motion import onset
from kinemesh.motion.law import Motion
from kinemesh.motion.motions import set_axis
from kinemesh.motion.numbers import bounded, finite, place, positive, unit
from kinemesh.motion.pose import Pose, Rate


@dataclass(frozen=True, slots=True)
class _Grown:
    """Share of the motion after its ramp, and its rate.

    Parameters
    ----------
    way : float      integral of the velocity over the reduced time, of a last velocity of 1
    share : float    present velocity, of a last velocity of 1
    speed : float    reduced time per time, u_inf / chord
    """

    way: float
    share: float
    speed: float

    @classmethod
    def at(cls, t: float, u_inf: float, ramp: float, chord: float) -> _Grown:
        speed = positive("motion", "u_inf", u_inf) / chord
        s = speed * finite("motion", "t", t)
        if ramp == 0 or s >= ramp:
            return cls(s - ramp / 2, 1.0, speed)
        if s <= 0:
            return cls(0.0, 0.0, speed)
        angle = pi * s / ramp
        return cls(s / 2 - ramp / (2 * pi) * sin(angle), (1 - cos(angle)) / 2, speed)


def _checked(owner: str, motion: Translate | Rotate) -> None:
    """Ramp and chord as numbers."""
    object.__setattr__(motion, "ramp", onset.checked(owner, motion.ramp))
    object.__setattr__(motion, "chord", positive(owner, "chord", motion.chord))


@dataclass(frozen=True, slots=True)
class Translate(Motion):
    """shift(s) = velocity chord s, after a ramp velocity chord (s - ramp / 2)."""

    adds_up: ClassVar[bool] = True
    velocity: tuple[float, ...]
    ramp: float = 0.0
    chord: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "velocity", place("translate", "velocity", self.velocity))
        _checked("translate", self)

    def omega(self, u_inf: float) -> None:
        return None

    def pose(self, t: float, u_inf: float) -> Pose:
        way = self.chord * _Grown.at(t, u_inf, self.ramp, self.chord).way
        return Pose(shift=tuple(way * c for c in self.velocity))

    def rate(self, t: float, u_inf: float) -> Rate:
        grown = _Grown.at(t, u_inf, self.ramp, self.chord)
        speed = grown.share * grown.speed * self.chord
        return Rate(shift=tuple(speed * c for c in self.velocity))

    @property
    def dimension(self) -> Dimension:
        return DIMENSIONS[len(self.velocity)]


@dataclass(frozen=True, slots=True)
class Rotate(Motion):
    """angle(s) = rate s, after a ramp rate (s - ramp / 2), about a point."""

    adds_up: ClassVar[bool] = True
    rate_deg: float
    about: tuple[float, ...] = (0.25, 0.0)
    ramp: float = 0.0
    chord: float = 1.0
    axis: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate_deg", bounded("rotate", "rate_deg", self.rate_deg))
        set_axis(self, "rotate")
        _checked("rotate", self)

    def omega(self, u_inf: float) -> None:
        return None

    def pose(self, t: float, u_inf: float) -> Pose:
        way = _Grown.at(t, u_inf, self.ramp, self.chord).way
        return Pose(radians(self.rate_deg) * way, self.about, axis=self.axis)

    def rate(self, t: float, u_inf: float) -> Rate:
        grown = _Grown.at(t, u_inf, self.ramp, self.chord)
        return Rate(radians(self.rate_deg) * grown.share * grown.speed, axis=self.axis)

    @property
    def pivot(self) -> tuple[float, ...]:
        return self.about


@checks_names
def translate(velocity: Sequence[float], ramp: float = 0.0, chord: float = 1.0) -> Translate:
    """Translation at constant velocity, without a period.

    Parameters
    ----------
    velocity : (2,)    by the reference speed: that of the stream, or of incompressible flow U; in
        space (x, z) or (x, y, z) [-]
    ramp : float       reduced time u_inf t / chord over which the velocity grows from 0; 0: the
                       body has the velocity at once
    chord : float      reference length of the reduced time
    """
    return Translate(place("translate", "velocity", velocity), ramp, chord)


@checks_names
def rotate(
    rate_deg: float,
    about: Sequence[float] = (0.25, 0.0),
    ramp: float = 0.0,
    chord: float = 1.0,
    axis: Sequence[float] | None = None,
) -> Rotate:
    """Rotation at a constant rate, any number of turns; it counts as a motion without a period.

    Parameters
    ----------
    rate_deg : float    nose-up angle per reduced time u_inf t / chord [deg]
    about : (2,)        pivot, of a part in its own frame; in space (x, z) or (x, y, z) [chord]
    ramp : float        reduced time over which the rate grows from 0; 0: the body has it at once
    chord : float       reference length of the reduced time
    axis : (3,)         of the turn in space, by the right-hand rule; None: along y, nose-up
    """
    way = None if axis is None else unit("rotate", "axis", axis)
    return Rotate(rate_deg, place("rotate", "about", about), ramp, chord, way)
