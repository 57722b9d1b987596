"""Rigid motions of a body as functions of time: pitch, plunge, their sums, user callables.

Convention (docs/theory.md): omega = 2 k u_inf / chord; the angle is nose-up positive, so that a
body pitched by `angle` is turned by -angle about the z axis.
Units: lengths in chords, time in chords over the speed of sound, angles in radians inside and in
degrees where a name ends in `_deg`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import cos, degrees, pi, radians, sin
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import SettingsError
from kinemesh.motion.numbers import bounded, finite, pair, positive
from kinemesh.motion.periods import common_omega

DIFFERENCE = 1e-3  # error of a harmonic: 1e-12 / 30 of its rate, and about as much by rounding
CENTRAL = {-2: 1, -1: -8, 1: 8, 2: -1}  # twelfths of a difference, by steps of time
ONE_SIDED = {1: 48, 2: -36, 3: 16, 4: -3}  # less 25 of the present value


@dataclass(frozen=True, slots=True, init=False)
class Pose:
    """Place of a rigid body: x -> R(-angle) (x - about) + about + shift.

    Parameters
    ----------
    angle : float        nose-up positive [rad]
    about : (2,)         pivot, a point of the body as given [chord]
    shift : (2,)         translation of the pivot [chord]
    angle_deg : float    the angle in degrees, in the place of `angle`
    """

    angle: float
    about: tuple[float, float]
    shift: tuple[float, float]

    def __init__(
        self,
        angle: float | None = None,
        about: Sequence[float] = (0.0, 0.0),
        shift: Sequence[float] = (0.0, 0.0),
        *,
        angle_deg: float | None = None,
    ) -> None:
        if angle is not None and angle_deg is not None:
            raise SettingsError(
                f"Pose: angle = {angle!r} and angle_deg = {angle_deg!r}, expected one of the two"
            )
        if angle_deg is not None:
            angle = radians(bounded("Pose", "angle_deg", angle_deg))
        turned = 0.0 if angle is None else bounded("Pose", "angle", angle)
        object.__setattr__(self, "angle", turned)
        object.__setattr__(self, "about", pair("Pose", "about", about))
        object.__setattr__(self, "shift", pair("Pose", "shift", shift))

    @property
    def angle_deg(self) -> float:
        """Angle in degrees."""
        return degrees(self.angle)

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Matrix (2, 2) of the turn by -angle about z."""
        c, s = cos(self.angle), sin(self.angle)
        return np.array([[c, s], [-s, c]])

    def apply(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points (..., 2) of the body at rest, moved to this pose [chord]."""
        about = np.asarray(self.about)
        return (np.asarray(points, float) - about) @ self.rotation.T + about + self.shift

    def __add__(self, other: Pose) -> Pose:
        """Angles add and shifts add; two turns must have the same pivot."""
        if not isinstance(other, Pose):
            return NotImplemented
        if self.angle and other.angle and self.about != other.about:
            raise SettingsError(
                f"poses turn about two pivots, {self.about} and {other.about}: expected one; "
                "write the second turn as a turn about the first pivot and a shift"
            )
        about = self.about if self.angle or not other.angle else other.about
        shift = (self.shift[0] + other.shift[0], self.shift[1] + other.shift[1])
        return Pose(self.angle + other.angle, about, shift)


@dataclass(frozen=True, slots=True)
class Rate:
    """Rate of change of a pose: rate of the angle, and velocity of the pivot.

    The point (x, y) of the body has the velocity shift + angle (y - y_p, x_p - x), with (x_p, y_p)
    the present place of the pivot (docs/theory.md, eq. 1.4).

    Parameters
    ----------
    angle : float    rate of the angle, nose-up positive [rad a_inf/chord]
    shift : (2,)     velocity of the pivot [a_inf]
    """

    angle: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "angle", finite("Rate", "angle", self.angle))
        object.__setattr__(self, "shift", pair("Rate", "shift", self.shift, finite))

    def __add__(self, other: Rate) -> Rate:
        """Rates of motions that share a pivot add up."""
        if not isinstance(other, Rate):
            return NotImplemented
        shift = (self.shift[0] + other.shift[0], self.shift[1] + other.shift[1])
        return Rate(self.angle + other.angle, shift)


class Motion(ABC):
    """Pose as a function of time; motions add up with `+` and `sum`.

    `adds_up`: the pivot is one point of the body, so that rates of a sum are sums of rates.
    """

    __slots__ = ()
    adds_up: ClassVar[bool] = False

    @abstractmethod
    def pose(self, t: float, u_inf: float) -> Pose:
        """Pose at time t [chord/a_inf] in a stream of speed u_inf [a_inf]."""

    @abstractmethod
    def omega(self, u_inf: float) -> float | None:
        """Angular frequency [rad a_inf/chord]; None for a motion without a period."""

    def rate(self, t: float, u_inf: float) -> Rate:
        """Rate of the pose at time t, by differences of fourth order with the step `span`.

        They are central; where a law has no pose on one side of t, they are of the other side.
        """
        h = self.span(u_inf)
        pose = self.pose(t, u_inf)
        here = np.array([pose.angle, *pose.apply(pose.about)])

        def moved(share: int) -> NDArray[np.float64]:
            there = self.pose(t + share * h, u_inf)
            return np.array([there.angle, *there.apply(pose.about)]) - here

        try:
            found = sum([w * moved(k) for k, w in CENTRAL.items()], 0 * here)
        except Exception:  # whatever a user's law raises beyond its end
            side = -1 if t > 4 * h else 1
            found = sum([side * w * moved(side * k) for k, w in ONE_SIDED.items()], 0 * here)
        angle, x, y = found / (12 * h)
        return Rate(float(angle), (float(x), float(y)))

    def span(self, u_inf: float) -> float:
        """Step of differences: `DIFFERENCE` radians of the cycle; without one, units of time."""
        return DIFFERENCE / (self.omega(u_inf) or 1.0)

    @property
    def pivot(self) -> tuple[float, float] | None:
        """Centre of rotation, as a point of the body at rest; None without one."""
        return None

    def period(self, u_inf: float) -> float | None:
        """Time of one cycle [chord/a_inf]; None for a motion without a period."""
        omega = self.omega(u_inf)
        return None if omega is None else 2 * pi / omega

    def __add__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Together(_parts(self) + _parts(other))

    def __radd__(self, other: object) -> Motion:
        """`sum` begins with 0, and so 0 + motion is the motion."""
        return self if type(other) is int and other == 0 else NotImplemented


def _parts(motion: Motion) -> tuple[Motion, ...]:
    return motion.parts if isinstance(motion, Together) else (motion,)


def _omega(k: float, u_inf: float, chord: float) -> float:
    """omega = 2 k u_inf / chord (docs/theory.md, conventions)."""
    return 2 * k * positive("motion", "u_inf", u_inf) / chord


@dataclass(frozen=True, slots=True)
class Pitch(Motion):
    """angle(t) = amplitude sin(omega t + phase) about a point."""

    adds_up: ClassVar[bool] = True
    amplitude_deg: float
    k: float
    about: tuple[float, float] = (0.25, 0.0)
    phase_deg: float = 0.0
    chord: float = 1.0

    def __post_init__(self) -> None:
        for name in ("amplitude_deg", "phase_deg"):
            object.__setattr__(self, name, finite("pitch", name, getattr(self, name)))
        for name in ("k", "chord"):
            object.__setattr__(self, name, positive("pitch", name, getattr(self, name)))
        object.__setattr__(self, "about", pair("pitch", "about", self.about))
        if abs(self.amplitude_deg) >= 180:
            raise SettingsError(
                f"pitch: amplitude_deg = {self.amplitude_deg}, expected less than half a turn"
            )

    def omega(self, u_inf: float) -> float:
        return _omega(self.k, u_inf, self.chord)

    def pose(self, t: float, u_inf: float) -> Pose:
        return Pose(radians(self.amplitude_deg) * sin(self._phase(t, u_inf)), self.about)

    def rate(self, t: float, u_inf: float) -> Rate:
        speed = radians(self.amplitude_deg) * self.omega(u_inf)
        return Rate(speed * cos(self._phase(t, u_inf)))

    @property
    def pivot(self) -> tuple[float, float]:
        return self.about

    def _phase(self, t: float, u_inf: float) -> float:
        return self.omega(u_inf) * finite("pitch", "t", t) + radians(self.phase_deg)


@dataclass(frozen=True, slots=True)
class Plunge(Motion):
    """shift(t) = amplitude sin(omega t + phase) direction; direction is made a unit vector."""

    adds_up: ClassVar[bool] = True
    amplitude: float
    k: float
    phase_deg: float = 0.0
    direction: tuple[float, float] = (0.0, 1.0)
    chord: float = 1.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "phase_deg"):
            object.__setattr__(self, name, finite("plunge", name, getattr(self, name)))
        for name in ("k", "chord"):
            object.__setattr__(self, name, positive("plunge", name, getattr(self, name)))
        x, y = pair("plunge", "direction", self.direction)
        length = (x * x + y * y) ** 0.5
        if length == 0:
            raise SettingsError("plunge: direction = (0, 0), expected a vector with a length")
        object.__setattr__(self, "direction", (x / length, y / length))

    def omega(self, u_inf: float) -> float:
        return _omega(self.k, u_inf, self.chord)

    def pose(self, t: float, u_inf: float) -> Pose:
        h = self.amplitude * sin(self._phase(t, u_inf))
        return Pose(shift=(h * self.direction[0], h * self.direction[1]))

    def rate(self, t: float, u_inf: float) -> Rate:
        speed = self.amplitude * self.omega(u_inf) * cos(self._phase(t, u_inf))
        return Rate(shift=(speed * self.direction[0], speed * self.direction[1]))

    def _phase(self, t: float, u_inf: float) -> float:
        return self.omega(u_inf) * finite("plunge", "t", t) + radians(self.phase_deg)


@dataclass(frozen=True, slots=True)
class Function(Motion):
    """A motion by a function of the user; `frequency` is its angular frequency, if periodic."""

    law: Callable[[float], Pose]
    frequency: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise SettingsError(f"function: got {self.law!r}, expected a callable t -> Pose")
        if self.frequency is not None:
            value = positive("function", "omega", self.frequency)
            object.__setattr__(self, "frequency", value)

    def omega(self, u_inf: float) -> float | None:
        return self.frequency

    def pose(self, t: float, u_inf: float) -> Pose:
        pose = self.law(finite("function", "t", t))
        if not isinstance(pose, Pose):
            raise SettingsError(f"function: the callable gave {pose!r} at t = {t}, expected a Pose")
        return pose


@dataclass(frozen=True, slots=True)
class Together(Motion):
    """Several motions at once: angles add, shifts add, turns share one pivot."""

    parts: tuple[Motion, ...]

    def __post_init__(self) -> None:
        pivots = {part.pivot for part in self.parts if part.pivot is not None}
        if len(pivots) > 1:
            raise SettingsError(f"motions turn about {sorted(pivots)}, expected one pivot")

    def omega(self, u_inf: float) -> float | None:
        """Angular frequency of the common period; None without one (see `common_omega`)."""
        values = [part.omega(u_inf) for part in self.parts]
        return common_omega([v for v in values if v is not None]) if None not in values else None

    def pose(self, t: float, u_inf: float) -> Pose:
        pose = reduce(lambda a, b: a + b, (part.pose(t, u_inf) for part in self.parts))
        # where the angle passes zero no turn tells the pivot, and rates are those of the pivot
        return pose if pose.angle or self.pivot is None else replace(pose, about=self.pivot)

    def rate(self, t: float, u_inf: float) -> Rate:
        if not all(part.adds_up for part in self.parts):
            return Motion.rate(self, t, u_inf)  # the pivot of another part may move
        return reduce(lambda a, b: a + b, (part.rate(t, u_inf) for part in self.parts))

    @property
    def pivot(self) -> tuple[float, float] | None:
        return next((part.pivot for part in self.parts if part.pivot is not None), None)


@checks_names
def pitch(
    amplitude_deg: float,
    k: float,
    about: Sequence[float] = (0.25, 0.0),
    phase_deg: float = 0.0,
    chord: float = 1.0,
) -> Pitch:
    """Harmonic pitch: the nose-up angle is amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude_deg : float    half of the range of the angle [deg]
    k : float                reduced frequency omega chord / (2 u_inf) [-]
    about : (2,)             pivot, of a part in its own frame [chord]
    phase_deg : float        phase at t = 0 [deg]
    chord : float            reference length of k
    """
    return Pitch(amplitude_deg, k, pair("pitch", "about", about), phase_deg, chord)


@checks_names
def plunge(
    amplitude: float,
    k: float,
    phase_deg: float = 0.0,
    direction: Sequence[float] = (0.0, 1.0),
    chord: float = 1.0,
) -> Plunge:
    """Harmonic plunge: the shift along `direction` is amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude : float    half of the range of the shift [chord]
    k : float            reduced frequency omega chord / (2 u_inf) [-]
    phase_deg : float    phase at t = 0 [deg]
    direction : (2,)     direction of the shift, of any length; default upwards
    chord : float        reference length of k
    """
    return Plunge(amplitude, k, phase_deg, pair("plunge", "direction", direction), chord)


@checks_names
def function(law: Callable[[float], Pose], omega: float | None = None) -> Function:
    """A motion from a function of time.

    Of an ensemble, pitch, plunge and their sums are evaluated for all bodies at once, other motions
    body by body: six calls of each in a step, seven below Mach 0.4.

    Parameters
    ----------
    law : callable    gives the Pose at time t [chord/a_inf; of incompressible flow chord/U]
    omega : float     angular frequency of a periodic motion [rad per time]; None: no period;
        a run by cycles refuses a law that does not come back after 2 pi / omega
    """
    return Function(law, omega)
