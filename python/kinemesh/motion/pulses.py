"""Pulses: smooth motions of one coordinate that begin and end at rest, of all frequencies at once.

Time is reduced, s = u_inf t / chord: q(s) = A sin^4(pi (s - start) / duration) from s = start to
start + duration, else 0.  Three derivatives have no jump at either end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, radians, sin
from typing import Any, ClassVar

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.dimension import DIMENSIONS, XY, Dimension
from kinemesh.errors import SettingsError
from kinemesh.motion.law import Motion
from kinemesh.motion.motions import set_axis
from kinemesh.motion.numbers import (
    FloatArray,
    bounded,
    finite,
    numbers_of,
    place,
    positive,
    unit,
)
from kinemesh.motion.pose import Pose, Rate


def check_times(made: Any, owner: str) -> None:
    """Set duration, start and chord of a pulse as numbers; SettingsError out of their range."""
    for name in ("duration", "chord"):
        object.__setattr__(made, name, positive(owner, name, getattr(made, name)))
    object.__setattr__(made, "start", bounded(owner, "start", made.start))
    if made.start < 0:
        raise SettingsError(f"{owner}: start = {made.start}, expected 0 or a number above 0")


def risen(made: Any, t: float, u_inf: float) -> tuple[float, float]:
    """Share of the amplitude of a pulse at a time, and its rate [a_inf/chord].

    Parameters
    ----------
    made : with duration, start and chord
    """
    speed = positive("motion", "u_inf", u_inf) / made.chord
    return _risen(
        (speed * finite("pulse", "t", t) - made.start) / made.duration, made.duration, speed
    )


def _risen(x: float, duration: float, speed: float) -> tuple[float, float]:
    """Share and rate of `risen` at a share x of the duration."""
    if not 0 < x < 1:
        return 0.0, 0.0
    sine = sin(pi * x)
    return sine**4, 4 * sine**3 * cos(pi * x) * pi / duration * speed


@dataclass(frozen=True, slots=True)
class Pulse(Motion):
    """A sin^4(pi (s - start) / duration), of the angle about a point or of the shift; the direction
    is made a unit vector."""

    adds_up: ClassVar[bool] = True
    pitch_deg: float = 0.0
    plunge: float = 0.0
    duration: float = 6.0
    start: float = 0.0
    about: tuple[float, ...] = (0.25, 0.0)
    direction: tuple[float, ...] = (0.0, 1.0)
    chord: float = 1.0
    axis: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "pitch_deg", finite("pulse", "pitch_deg", self.pitch_deg))
        put(self, "plunge", bounded("pulse", "plunge", self.plunge))
        check_times(self, "pulse")
        set_axis(self, "pulse")
        if abs(self.pitch_deg) >= 180:
            raise SettingsError(
                f"pulse: pitch_deg = {self.pitch_deg}, expected less than half a turn"
            )
        if (self.pitch_deg != 0) == (self.plunge != 0):
            raise SettingsError(
                f"pulse: pitch_deg = {self.pitch_deg}, plunge = {self.plunge}, expected one of "
                "them other than 0; pulses of both are a sum of two"
            )
        way = place("pulse", "direction", self.direction)
        length = sum(c * c for c in way) ** 0.5
        if length == 0:
            raise SettingsError("pulse: direction = (0, 0), expected a vector with a length")
        put(self, "direction", tuple(c / length for c in way))

    def omega(self, u_inf: float) -> None:
        return None

    def pose(self, t: float, u_inf: float) -> Pose:
        share = risen(self, t, u_inf)[0]
        if self.pitch_deg:
            return Pose(radians(self.pitch_deg) * share, self.about, axis=self.axis)
        return Pose(shift=tuple(self.plunge * share * c for c in self.direction))

    def rate(self, t: float, u_inf: float) -> Rate:
        share = risen(self, t, u_inf)[1]
        if self.pitch_deg:
            return Rate(radians(self.pitch_deg) * share, axis=self.axis)
        return Rate(shift=tuple(self.plunge * share * c for c in self.direction))

    @property
    def pivot(self) -> tuple[float, ...] | None:
        return self.about if self.pitch_deg else None

    @property
    def dimension(self) -> Dimension:
        if self.pitch_deg:
            return XY if self.axis is None else DIMENSIONS[3]
        return DIMENSIONS[len(self.direction)]


class Pulses:
    """Pulses of many bodies at once, with the bits of each alone.

    Parameters
    ----------
    bodies : their numbers
    motions : Pulse of each, in the plane
    speeds : of their streams [a_inf]

    Attributes
    ----------
    bodies : (n,) array or slice    their numbers
    about : (n, 2)     their pivots; of plunges the origin [chord]
    """

    def __init__(
        self, bodies: Sequence[int], motions: Sequence[Any], speeds: Sequence[float]
    ) -> None:
        self.bodies = numbers_of(bodies)
        self.about = np.array([m.pivot or (0.0, 0.0) for m in motions], float)
        self._angle = np.array([radians(m.pitch_deg) for m in motions])
        self._shift = np.array([m.plunge for m in motions])
        self._way = np.array([m.direction for m in motions])
        self._start, self._duration, chord = (
            np.array([getattr(m, name) for m in motions]) for name in ("start", "duration", "chord")
        )
        self._speed = np.array(speeds) / chord

    def _at(self, time: FloatArray, which: int) -> tuple[FloatArray, FloatArray]:
        """Angles and shifts, or their rates, at a time (n,): of most times no pulse is on."""
        x = (self._speed * time - self._start) / self._duration
        share = np.zeros(len(x))
        for k in np.flatnonzero((x > 0) & (x < 1)).tolist():
            share[k] = _risen(float(x[k]), float(self._duration[k]), float(self._speed[k]))[which]
        return self._angle * share, (self._shift * share)[:, None] * self._way

    def poses(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles (n,) [rad] and shifts (n, 2) [chord] at a time (n,) [chord/a_inf]."""
        return self._at(time, 0)

    def rates(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rates of angles (n,) [rad a_inf/chord] and shifts (n, 2) [a_inf]."""
        return self._at(time, 1)


@checks_names
def pulse(
    pitch_deg: float = 0.0,
    plunge: float = 0.0,
    duration: float = 6.0,
    start: float = 0.0,
    about: Sequence[float] = (0.25, 0.0),
    direction: Sequence[float] = (0.0, 1.0),
    chord: float = 1.0,
    axis: Sequence[float] | None = None,
) -> Pulse:
    """Smooth pulse of the pitch angle, or of the plunge: A sin^4, then rest; it has no period.

    The spectrum of its loads over its own is the response at all frequencies of the pulse, up to
    about k = 2 pi / `duration` (`kinemesh.derivatives`, by="pulse").  Times are reduced, u_inf t /
    chord.

    Parameters
    ----------
    pitch_deg : float    largest nose-up angle [deg]; one of this and of the plunge is given
    plunge : float       largest shift along the direction [chord]
    duration : float     reduced time from rest to rest
    start : float        reduced time at which it begins
    about : (2,)         pivot, of a part in its own frame; in space (x, z) or (x, y, z) [chord]
    direction : (2,)     of a plunge; in space (x, z) or (x, y, z)
    chord : float        reference length of the reduced times
    axis : (3,)          of a turn in space, by the right-hand rule; None: along y, nose-up

    Raises
    ------
    SettingsError    neither of the two coordinates, or both; numbers out of their range
    """
    way = None if axis is None else unit("pulse", "axis", axis)
    line = place("pulse", "direction", direction)
    turn = place("pulse", "about", about)
    return Pulse(pitch_deg, plunge, duration, start, turn, line, chord, way)
