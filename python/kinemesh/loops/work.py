"""Work of the flow on moving walls over a cycle; damping and derivatives of a single motion.

Work is the sum of power times time step over the cycle, over q_inf c^2, in space over q_inf times
reference area and reference length (docs/theory.md, eq. 2.18).
With harmonic motion and loads as parts of Re(f e^(i omega t)), f = c - i s of the first harmonic
s sin + c cos, a derivative is the ratio of the two f: its real part is in phase with the motion,
its imaginary part leads by a quarter turn, whatever the phase of the motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from kinemesh.loops.harmonics import Coefficient, FloatArray

HARMONIC = 1e-9  # share of an amplitude that is rounding of phases and of degrees
LEAP = 2.0  # of the largest step of a motion: of a harmonic one it is 1.24 at most, in five steps
AT_REST = 1e-12  # range below which an angle [rad] or a shift [chord] is the rounding of one
CHANGES = 1e-9  # of an amplitude: what changes by less is rounding


@dataclass(frozen=True, slots=True)
class Movement:
    """Motion of one body over a cycle, and the power into it.

    Parameters
    ----------
    phase : (steps,)          [rad]
    angle : (steps,)          nose-up positive [rad]
    x, y : (steps,)           shift of the pivot [reference length]
    power, turning, bending : (steps,) in all, of the turn about the pivot, of modes
    bends : whether amplitudes of modes change
    time_step : float         [chord/a_inf]
    """

    phase: FloatArray
    angle: FloatArray
    x: FloatArray
    y: FloatArray
    power: FloatArray
    turning: FloatArray
    time_step: float
    bending: FloatArray | float = 0.0
    bends: bool = False

    @property
    def pitches(self) -> bool:
        return bool(np.ptp(self.angle) > AT_REST)

    @property
    def plunges(self) -> bool:
        return bool(max(np.ptp(self.x), np.ptp(self.y)) > AT_REST)

    @property
    def moves(self) -> bool:
        return self.pitches or self.plunges or self.bends

    def along(self) -> FloatArray | None:
        """(steps,) shift along the line of a plunge, positive upwards; None where it is no line.

        Along a level line downstream is positive.
        """
        shift = np.stack([self.x - self.x.mean(), self.y - self.y.mean()])
        ways, sizes, _ = np.linalg.svd(shift, full_matrices=False)
        if sizes[1] > 1e-9 * sizes[0]:
            return None
        way = ways[:, 0]
        up = way[1] if abs(way[1]) > 1e-9 else way[0]
        return np.asarray(np.copysign(1.0, up) * (way @ shift))

    def single(self) -> tuple[str, FloatArray] | None:
        """The one degree of freedom that moves, `alpha` [rad] or `h` [chord], and its values.

        None where there is none, or several, or where the steps are no cycle of the motion.
        """
        if self.bends or self.pitches == self.plunges:
            return None
        values = self.angle if self.pitches else self.along()
        if values is None or not _closes(values):
            return None
        return "alpha" if self.pitches else "h", values

    def like(self, other: Movement) -> bool:
        """Return True if two bodies move as one."""
        pairs = ((self.angle, other.angle), (self.x, other.x), (self.y, other.y))
        return all(np.abs(a - b).max() <= AT_REST for a, b in pairs)


@dataclass(frozen=True, slots=True)
class Derivatives:
    """Unsteady derivatives: first harmonics of cl and cm over the first harmonic of the motion.

    `cl_alpha` and `cm_alpha` are of a pitch alone, per radian, nose-up positive.  `cl_h` and `cm_h`
    are of a plunge alone, per chord, positive upwards along the line of the plunge.  The others
    are None.  Real parts are in phase with the motion, imaginary parts lead the motion by a quarter
    turn.  Moments are about `moment_about`; those of a body in `Loop.bodies` about the pivot of its
    motion, or its own point where that has none (docs/results.md).
    """

    cl_alpha: complex | None = None
    cm_alpha: complex | None = None
    cl_h: complex | None = None
    cm_h: complex | None = None

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Derivatives that are not None, as `in_phase` (real) and `quadrature` (imaginary)."""
        named = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: {"in_phase": value.real, "quadrature": value.imag}
            for name, value in named.items()
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class Work:
    """Work of the flow over the cycle, over q_inf times reference area and length.

    Positive where the flow feeds the motion.
    """

    total: float
    pitch: float  # part of the turn about the pivot
    plunge: float  # part of the velocity of the pivot
    bending: float  # part of the modes of bodies that bend
    damping: float | None  # -total / (pi A^2), A half the range of the angle [rad] or of h/c
    derivatives: Derivatives
    motion: tuple[str, complex] | None = None  # "alpha" or "h", and its first harmonic

    def to_dict(self) -> dict[str, object]:
        """The numbers, ready for JSON."""
        return {
            "work": self.total,
            "work_pitch": self.pitch,
            "work_plunge": self.plunge,
            **({"work_bending": self.bending} if self.bending else {}),
            "damping": self.damping,
            "derivatives": self.derivatives.to_dict() or None,
        }


def work_of(movements: Iterable[Movement], cl: Coefficient, cm: Coefficient) -> Work:
    """Work on bodies with these movements and the total loads cl and cm.

    There is a damping, and there are derivatives, where the bodies that move do so as one, in one
    degree of freedom.
    """
    every = list(movements)
    total, turning, bending = (
        float(sum(np.sum(getattr(p, name)) * p.time_step for p in every))
        for name in ("power", "turning", "bending")
    )
    parts = total, turning, total - turning - bending, bending
    moving = [p for p in every if p.moves]
    as_one = bool(moving) and all(p.like(moving[0]) for p in moving)
    single = moving[0].single() if as_one else None
    if single is None:
        return Work(*parts, None, Derivatives())
    name, values = single
    phase = moving[0].phase
    unit = _first(values, phase)
    half = _amplitude(values, phase, unit)
    ratios = {
        f"{load}_{name}": complex(c.harmonics[0].cos, -c.harmonics[0].sin) / unit
        for load, c in (("cl", cl), ("cm", cm))
        if c.harmonics and abs(unit) > HARMONIC * half
    }
    damping = float(-total / (pi * half**2))
    derivatives = Derivatives(**ratios)
    return Work(*parts, damping, derivatives, (name, unit))


def _closes(values: FloatArray) -> bool:
    """Return True if the step from the last value to the first is no leap."""
    return bool(abs(values[0] - values[-1]) <= LEAP * np.abs(np.diff(values)).max())


def _amplitude(values: FloatArray, phase: FloatArray, unit: complex) -> float:
    """Half the range of a motion; of a harmonic one, that of the continuous law."""
    rest = values - values.mean() - (unit * np.exp(1j * phase)).real
    return abs(unit) if np.ptp(rest) <= HARMONIC * abs(unit) else float(np.ptp(values) / 2)


def _first(values: FloatArray, phase: FloatArray) -> complex:
    """First harmonic c - i s of values (steps,)."""
    return complex(2 / len(values) * (values @ np.exp(-1j * phase)))


def movement_of(columns: Mapping[str, NDArray], of_body: str = "") -> Movement | None:
    """Movement of a body from columns of a history's cycle; None without the body's columns.

    `of_body` is the end of the columns' names, `_MARKER`; that of the only body is empty.
    """
    angle = columns[f"angle_deg{of_body}"] if of_body else columns["alpha_deg"]
    if not np.isfinite(angle).all():
        return None
    x, y, power, turning = (
        np.asarray(columns[f"{name}{of_body}"], float)
        for name in ("shift_x", "shift_y", "power", "power_pitch")
    )
    phase, time = np.radians(columns["phase_deg"]), columns["time"]
    step = float(np.ptp(time) / (len(time) - 1))
    modes = [
        np.asarray(columns[name], float)
        for name in columns
        if name.startswith("mode_") and name.removesuffix(of_body)[5:].isdigit()
    ]
    bends = any(np.ptp(own) > CHANGES * np.abs(own).max() for own in modes)
    bending = np.asarray(columns.get(f"power_bending{of_body}", 0.0), float)
    return Movement(phase, np.radians(angle), x, y, power, turning, step, bending, bends)
