"""Motions of bodies that bend: amplitudes of given shapes as functions of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import ClassVar

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY, Dimension, widest
from kinemesh.errors import SettingsError
from kinemesh.motion import onset
from kinemesh.motion.law import Motion, Shape
from kinemesh.motion.motions import omega_of
from kinemesh.motion.numbers import finite, positive, several
from kinemesh.motion.pose import Pose, Rate


def shapes_of(owner: str, value: Shape | Sequence[Shape]) -> tuple[Shape, ...]:
    """Shapes as a tuple; SettingsError where one is no callable."""
    found = (value,) if callable(value) else value
    if not isinstance(found, Sequence) or not all(callable(shape) for shape in found):
        raise SettingsError(
            f"{owner}: shapes = {value!r}, expected callables: points (n, 2), in space (n, 3), of "
            "the body as given -> their displacements for an amplitude of 1"
        )
    return tuple(found)


def dimension_of_shapes(shapes: Sequence[Shape]) -> Dimension:
    """Space where a shape is of wings, as those by formula; the plane where none tells."""
    return widest(getattr(shape, "dimension", XY) for shape in shapes)


@dataclass(frozen=True, slots=True)
class Modes(Motion):
    """Amplitudes of shapes by a function of the user; `frequency` as of `Function`."""

    by_shape: ClassVar[tuple[str, ...]] = ("shapes",)
    law: Callable[[float], Sequence[float] | float]
    shapes: tuple[Shape, ...] = field(default=(), repr=False)  # told by their values
    frequency: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "shapes", some_shapes("modes", self.shapes))
        if not callable(self.law):
            raise SettingsError(
                f"modes: law = {self.law!r}, expected a callable t -> amplitudes of "
                f"{len(self.shapes)} shapes; harmonic ones are km.motion.vibrate"
            )
        if self.frequency is not None:
            object.__setattr__(self, "frequency", positive("modes", "omega", self.frequency))

    def omega(self, u_inf: float) -> float | None:
        return self.frequency

    def pose(self, t: float, u_inf: float) -> Pose:
        found = several("modes", f"law({t})", self.law(finite("modes", "t", t)))
        if len(found) != len(self.shapes):
            raise SettingsError(
                f"modes: the callable gave {len(found)} amplitudes at t = {t}, expected those of "
                f"{len(self.shapes)} shapes"
            )
        return Pose(modes=found)

    @property
    def dimension(self) -> Dimension:
        return dimension_of_shapes(self.shapes)


@dataclass(frozen=True, slots=True)
class Vibration(Motion):
    """amplitude_j sin(omega t + phase_j) of each shape, times the share of the ramp."""

    adds_up: ClassVar[bool] = True
    by_shape: ClassVar[tuple[str, ...]] = ("amplitudes", "phases_deg", "shapes")
    amplitudes: tuple[float, ...]
    k: float
    phases_deg: tuple[float, ...]
    shapes: tuple[Shape, ...] = field(default=(), repr=False)
    chord: float = 1.0
    ramp: float = 0.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "shapes", some_shapes("vibrate", self.shapes))
        put(self, "ramp", onset.checked("vibrate", self.ramp))
        for name in ("k", "chord"):
            put(self, name, positive("vibrate", name, getattr(self, name)))
        for name in ("amplitudes", "phases_deg"):
            found = several("vibrate", name, getattr(self, name))
            if len(found) != len(self.shapes):
                raise SettingsError(
                    f"vibrate: {len(found)} {name}, expected one for each of {len(self.shapes)} "
                    "shapes"
                )
            put(self, name, found)

    def omega(self, u_inf: float) -> float:
        return omega_of(self.k, u_inf, self.chord)

    def pose(self, t: float, u_inf: float) -> Pose:
        pairs = zip(self.amplitudes, self._phases(t, u_inf), strict=True)
        share = onset.grown(t, u_inf, self.ramp, self.chord)[0] if self.ramp else 1.0
        return Pose(modes=tuple(share * a * sin(phase) for a, phase in pairs))

    def rate(self, t: float, u_inf: float) -> Rate:
        pairs = list(zip(self.amplitudes, self._phases(t, u_inf), strict=True))
        rates = [a * self.omega(u_inf) * cos(phase) for a, phase in pairs]
        if self.ramp:
            share, growth = onset.grown(t, u_inf, self.ramp, self.chord)
            grown = zip(rates, pairs, strict=True)
            rates = [share * rate + growth * a * sin(phase) for rate, (a, phase) in grown]
        return Rate(modes=tuple(rates))

    def settles(self, u_inf: float) -> float:
        return onset.end(u_inf, self.ramp, self.chord)

    @property
    def dimension(self) -> Dimension:
        return dimension_of_shapes(self.shapes)

    def _phases(self, t: float, u_inf: float) -> list[float]:
        angle = self.omega(u_inf) * finite("vibrate", "t", t)
        return [angle + radians(phase) for phase in self.phases_deg]


def some_shapes(owner: str, shapes: Shape | Sequence[Shape]) -> tuple[Shape, ...]:
    """Shapes as a tuple; SettingsError where one is no callable, or there is none."""
    found = shapes_of(owner, shapes)
    if not found:
        raise SettingsError(f"{owner}: shapes = {shapes!r}, expected at least one")
    return found


@checks_names
def modes(
    shapes: Shape | Sequence[Shape],
    law: Callable[[float], Sequence[float] | float],
    omega: float | None = None,
) -> Modes:
    """A body that bends: points are displaced by sum a_j(t) phi_j(x), in the body's own frame.

    Motions of the body as a whole are added, `modes(...) + pitch(...)`: they turn and shift what
    has been bent.  Movers that take shapes are `km.deform.Modal`, in the plane also
    `TorsionalSprings` and `Delaunay`.

    Parameters
    ----------
    shapes : callables    each gives displacements (n, 2), in space (n, 3), for an amplitude of 1,
        of points (n, 2) or (n, 3) of the body as given [chord]; `shapes_from` makes them of a
        structure's modes at its own points, `clamped_bending` and `clamped_torsion` have formulae
    law : callable        gives the amplitudes a_j at time t [chord/a_inf]
    omega : float         angular frequency of a periodic law [rad per time]; None: no period
    """
    return Modes(law, shapes_of("modes", shapes), omega)


@checks_names
def vibrate(
    shapes: Shape | Sequence[Shape],
    amplitudes: Sequence[float] | float,
    k: float,
    phases_deg: Sequence[float] | float = 0.0,
    chord: float = 1.0,
    ramp: float = 0.0,
) -> Vibration:
    """A body that bends harmonically: a_j = amplitude_j sin(omega t + phase_j), as of `modes`.

    Parameters
    ----------
    shapes : callables    as of `km.motion.modes`
    amplitudes : (n,)     of each shape, or one number of one shape [-]
    k : float             reduced frequency omega chord / (2 u_inf) [-]
    phases_deg : (n,)     phases at t = 0, or one for all shapes [deg]
    chord : float         reference length of k
    ramp : float          as of `km.motion.pitch`
    """
    found = shapes_of("vibrate", shapes)
    sizes = several("vibrate", "amplitudes", amplitudes)
    phases = several("vibrate", "phases_deg", phases_deg)
    phases = phases * len(found) if len(phases) == 1 else phases
    return Vibration(sizes, k, phases, found, chord, ramp)
