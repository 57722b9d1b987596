"""Rigid motions of a body: pitch, plunge, user callables; units as of `kinemesh.motion.law`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import radians
from typing import Any, ClassVar

from kinemesh.arguments import checks_names
from kinemesh.dimension import DIMENSIONS, Dimension
from kinemesh.errors import SettingsError
from kinemesh.motion import onset
from kinemesh.motion.law import Motion
from kinemesh.motion.numbers import finite, lifted, place, positive, unit
from kinemesh.motion.pose import NOSE_UP, Pose, Rate


def omega_of(k: float, u_inf: float, chord: float) -> float:
    """omega = 2 k u_inf / chord (docs/theory.md, conventions)."""
    return 2 * k * positive("motion", "u_inf", u_inf) / chord


@dataclass(frozen=True, slots=True)
class Pitch(Motion):
    """angle(t) = amplitude sin(omega t + phase) about a point, times the share of its ramp."""

    adds_up: ClassVar[bool] = True
    amplitude_deg: float
    k: float
    about: tuple[float, ...] = (0.25, 0.0)
    phase_deg: float = 0.0
    chord: float = 1.0
    axis: tuple[float, ...] | None = None
    ramp: float = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude_deg", "phase_deg"):
            object.__setattr__(self, name, finite("pitch", name, getattr(self, name)))
        object.__setattr__(self, "ramp", onset.checked("pitch", self.ramp))
        for name in ("k", "chord"):
            object.__setattr__(self, name, positive("pitch", name, getattr(self, name)))
        set_axis(self, "pitch")
        if abs(self.amplitude_deg) >= 180:
            raise SettingsError(
                f"pitch: amplitude_deg = {self.amplitude_deg}, expected less than half a turn"
            )

    def omega(self, u_inf: float) -> float:
        return omega_of(self.k, u_inf, self.chord)

    def pose(self, t: float, u_inf: float) -> Pose:
        angle = onset.harmonic(self, radians(self.amplitude_deg), t, u_inf)
        return Pose(angle, self.about, axis=self.axis)

    def rate(self, t: float, u_inf: float) -> Rate:
        speed = onset.harmonic_rate(self, radians(self.amplitude_deg), t, u_inf)
        return Rate(speed, axis=self.axis)

    def settles(self, u_inf: float) -> float:
        return onset.end(u_inf, self.ramp, self.chord)

    @property
    def pivot(self) -> tuple[float, ...]:
        return self.about


@dataclass(frozen=True, slots=True)
class Plunge(Motion):
    """shift(t) = amplitude sin(omega t + phase) direction, times the share of its ramp; direction
    is made a unit vector."""

    adds_up: ClassVar[bool] = True
    amplitude: float
    k: float
    phase_deg: float = 0.0
    direction: tuple[float, ...] = (0.0, 1.0)
    chord: float = 1.0
    ramp: float = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "phase_deg"):
            object.__setattr__(self, name, finite("plunge", name, getattr(self, name)))
        object.__setattr__(self, "ramp", onset.checked("plunge", self.ramp))
        for name in ("k", "chord"):
            object.__setattr__(self, name, positive("plunge", name, getattr(self, name)))
        way = place("plunge", "direction", self.direction)
        length = sum(c * c for c in way) ** 0.5
        if length == 0:
            raise SettingsError("plunge: direction = (0, 0), expected a vector with a length")
        object.__setattr__(self, "direction", tuple(c / length for c in way))

    def omega(self, u_inf: float) -> float:
        return omega_of(self.k, u_inf, self.chord)

    def pose(self, t: float, u_inf: float) -> Pose:
        h = onset.harmonic(self, self.amplitude, t, u_inf)
        return Pose(shift=tuple(h * c for c in self.direction))

    def rate(self, t: float, u_inf: float) -> Rate:
        speed = onset.harmonic_rate(self, self.amplitude, t, u_inf)
        return Rate(shift=tuple(speed * c for c in self.direction))

    def settles(self, u_inf: float) -> float:
        return onset.end(u_inf, self.ramp, self.chord)

    @property
    def dimension(self) -> Dimension:
        return DIMENSIONS[len(self.direction)]


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


def set_axis(motion: Any, owner: str) -> None:
    """Pivot and axis of a turn as numbers; both of space where one of them is."""
    about, axis = place(owner, "about", motion.about), motion.axis
    if axis is not None or len(about) == 3:
        axis = NOSE_UP if axis is None else unit(owner, "axis", axis)
        about = lifted(about)
    object.__setattr__(motion, "about", about)
    object.__setattr__(motion, "axis", axis)


def _given(axis: Sequence[float] | None) -> tuple[float, ...] | None:
    """An axis as a tuple, checked where the motion is made."""
    return None if axis is None else unit("motion", "axis", axis)


@checks_names
def pitch(
    amplitude_deg: float,
    k: float,
    about: Sequence[float] = (0.25, 0.0),
    phase_deg: float = 0.0,
    chord: float = 1.0,
    axis: Sequence[float] | None = None,
    ramp: float = 0.0,
) -> Pitch:
    """Harmonic pitch: the nose-up angle is amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude_deg : float    half of the range of the angle [deg]
    k : float                reduced frequency omega chord / (2 u_inf) [-]
    about : (2,)             pivot, of a part in its own frame; in space (x, z) or (x, y, z) [chord]
    phase_deg : float        phase at t = 0 [deg]
    chord : float            reference length of k
    axis : (3,)              of the turn in space, by the right-hand rule; None: along y, nose-up
    ramp : float             reduced time u_inf t / chord over which the amplitude grows from 0,
        without a jump of the acceleration; a cycle lasts pi / k.  0: the body moves at once
    """
    about = place("pitch", "about", about)
    return Pitch(amplitude_deg, k, about, phase_deg, chord, _given(axis), ramp)


@checks_names
def plunge(
    amplitude: float,
    k: float,
    phase_deg: float = 0.0,
    direction: Sequence[float] = (0.0, 1.0),
    chord: float = 1.0,
    ramp: float = 0.0,
) -> Plunge:
    """Harmonic plunge: the shift along `direction` is amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude : float    half of the range of the shift [chord]
    k : float            reduced frequency omega chord / (2 u_inf) [-]
    phase_deg : float    phase at t = 0 [deg]
    direction : (2,)     direction of the shift, of any length; default upwards; in space (x, z) or
        (x, y, z)
    chord : float        reference length of k
    ramp : float         as of `pitch`
    """
    way = place("plunge", "direction", direction)
    return Plunge(amplitude, k, phase_deg, way, chord, ramp)


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
