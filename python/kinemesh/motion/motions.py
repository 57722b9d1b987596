"""Rigid motions of a body as functions of time: pitch, plunge, their sums, user callables.

Convention (docs/theory.md): omega = 2 k u_inf / chord; the angle is nose-up positive, so that a
body pitched by `angle` is turned by -angle about the z axis.
Units: lengths in chords, time in chords over the speed of sound, angles in radians inside and in
degrees where a name ends in `_deg`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import degrees, pi, radians
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.dimension import DIMENSIONS, XY, XYZ, Dimension, widest
from kinemesh.errors import SettingsError
from kinemesh.motion import onset
from kinemesh.motion.numbers import finite, lifted, place, positive, unit
from kinemesh.motion.periods import common_omega
from kinemesh.motion.pose import NOSE_UP, Pose, Rate

DIFFERENCE = 1e-3  # error of a harmonic: 1e-12 / 30 of its rate, and about as much by rounding
CENTRAL = {-2: 1, -1: -8, 1: 8, 2: -1}  # twelfths of a difference, by steps of time
ONE_SIDED = {1: 48, 2: -36, 3: 16, 4: -3}  # less 25 of the present value


Shape = Callable[[NDArray[np.float64]], Any]
"""Displacement (n, 2), in space (n, 3), of points (n, 2) or (n, 3) of the body as given, for an
amplitude of 1 [chord]."""


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
        """Rate of the pose at time t, by differences of fourth order with the step `interval`.

        They are central; where a law has no pose on one side of t, they are of the other side.  At
        the start of the motion, t = 0, they are of the times behind it: a law may rest before.
        """
        h = self.interval(u_inf)
        pose = self.pose(t, u_inf)
        here = pose.numbers(pose.about)

        def moved(share: int) -> NDArray[np.float64]:
            return self.pose(t + share * h, u_inf).numbers(pose.about, pose.dimension) - here

        def one_sided(side: int) -> NDArray[np.float64]:
            return sum([side * w * moved(side * k) for k, w in ONE_SIDED.items()], 0 * here)

        if 0 <= t < 2 * h:
            found = one_sided(1)
        else:
            try:
                found = sum([w * moved(k) for k, w in CENTRAL.items()], 0 * here)
            except Exception:  # whatever a user's law raises beyond its end
                found = one_sided(-1 if t > 4 * h else 1)
        rates = (found / (12 * h)).tolist()
        if pose.axis is None:
            return Rate(rates[0], rates[1:3], modes=rates[3:])
        spin = np.reshape(rates[:9], (3, 3)) @ pose.rotation.T
        axis = 0.5 * np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0],
                               spin[1, 0] - spin[0, 1]])  # fmt: skip
        speed = float(np.linalg.norm(axis))
        return Rate(speed, rates[9:12], axis.tolist() if speed else pose.axis, modes=rates[12:])

    def path(
        self, times: Sequence[float], u_inf: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Nose-up angles (n,) [deg] and shifts (n, 2), in space (n, 3), at these times."""
        poses = [self.pose(t, u_inf) for t in times]
        angles = np.array([degrees(pose.angle) for pose in poses])
        return angles, np.array([pose.shift for pose in poses], float)

    def interval(self, u_inf: float) -> float:
        """Step of differences: `DIFFERENCE` radians of the cycle; without one, units of time."""
        return DIFFERENCE / (self.omega(u_inf) or 1.0)

    @property
    def pivot(self) -> tuple[float, ...] | None:
        """Centre of rotation, as a point of the body at rest; None without one."""
        return None

    @property
    def axis(self) -> tuple[float, ...] | None:
        """Axis of turns in space; None in the plane of motion."""
        return None

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Shapes of a body that bends, of which a pose has the amplitudes; () of a rigid body."""
        return ()

    @property
    def dimension(self) -> Dimension:
        """Space for a law that leaves the plane of motion, as far as the law tells."""
        return XY if self.axis is None else XYZ

    def period(self, u_inf: float) -> float | None:
        """Time of one cycle [chord/a_inf]; None for a motion without a period."""
        omega = self.omega(u_inf)
        return None if omega is None else 2 * pi / omega

    def settles(self, u_inf: float) -> float:
        """Time from which the motion repeats, the end of its ramp [chord/a_inf]; 0 without one."""
        return 0.0

    def __add__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Together(_parts(self) + _parts(other))

    def __radd__(self, other: object) -> Motion:
        """`sum` begins with 0, and so 0 + motion is the motion."""
        return self if type(other) is int and other == 0 else NotImplemented


Moved = TypeVar("Moved", Pose, Rate)


def _among(own: Moved, first: int, behind: int) -> Moved:
    """A pose, or a rate, whose amplitudes stand among those of a sum, behind `first` others."""
    if not own.modes:
        return own
    return replace(own, modes=(0.0,) * first + own.modes + (0.0,) * behind)


def _parts(motion: Motion) -> tuple[Motion, ...]:
    return motion.parts if isinstance(motion, Together) else (motion,)


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


@dataclass(frozen=True, slots=True)
class Together(Motion):
    """Several motions at once: angles add, shifts add, turns share one pivot; shapes of one part
    stand behind those of the part before."""

    parts: tuple[Motion, ...]
    bends: bool = field(init=False, repr=False, compare=False)  # more than one part has shapes

    def __post_init__(self) -> None:
        pivots = {part.pivot for part in self.parts if part.pivot is not None}
        if len({lifted(pivot) for pivot in pivots}) > 1:
            raise SettingsError(f"motions turn about {sorted(pivots)}, expected one pivot")
        object.__setattr__(self, "bends", sum(bool(part.shapes) for part in self.parts) > 1)
        axes = {part.axis or NOSE_UP for part in self.parts if part.pivot is not None}
        if len(axes) > 1:
            raise SettingsError(f"motions turn about the axes {sorted(axes)}, expected one axis")

    def omega(self, u_inf: float) -> float | None:
        """Angular frequency of the common period; None without one (see `common_omega`)."""
        values = [part.omega(u_inf) for part in self.parts]
        return common_omega([v for v in values if v is not None]) if None not in values else None

    def settles(self, u_inf: float) -> float:
        return max(part.settles(u_inf) for part in self.parts)

    def pose(self, t: float, u_inf: float) -> Pose:
        each = [part.pose(t, u_inf) for part in self.parts]
        if self.bends:
            each = [_among(own, *place) for own, place in zip(each, self._modes, strict=True)]
        pose = reduce(lambda a, b: a + b, each)
        # where the angle passes zero no turn tells the pivot, and rates are those of the pivot
        if pose.angle or self.pivot is None:
            return pose
        axis = pose.axis or self.axis
        return Pose(pose.angle, self.pivot, pose.shift, axis, modes=pose.modes)

    def rate(self, t: float, u_inf: float) -> Rate:
        if not all(part.adds_up for part in self.parts):
            return Motion.rate(self, t, u_inf)  # the pivot of another part may move
        each = [part.rate(t, u_inf) for part in self.parts]
        if self.bends:
            each = [_among(own, *place) for own, place in zip(each, self._modes, strict=True)]
        return reduce(lambda a, b: a + b, each)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return tuple(shape for part in self.parts for shape in part.shapes)

    @property
    def _modes(self) -> list[tuple[int, int]]:
        """Numbers of shapes of the sum before those of each part, and behind them."""
        counts = [len(part.shapes) for part in self.parts]
        return [(sum(counts[:k]), sum(counts[k + 1 :])) for k in range(len(counts))]

    @property
    def dimension(self) -> Dimension:
        return widest(part.dimension for part in self.parts)

    @property
    def axis(self) -> tuple[float, ...] | None:
        return next((part.axis for part in self.parts if part.axis is not None), None)

    @property
    def pivot(self) -> tuple[float, ...] | None:
        return next((part.pivot for part in self.parts if part.pivot is not None), None)


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
