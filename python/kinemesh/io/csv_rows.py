"""Columns of histories of runs, and their rows as lines of a CSV file.

Columns of an unsteady run: member [-], step [-], time [chord/a_inf], cycle [-] (2.25 is a quarter
into the third), phase_deg, alpha_deg (stream angle + that of the part + nose-up motion), cl, cd, cm
[-], inner_iterations [-], residual_drop [-], min_area [chord^2], min_angle_deg, converged (1 where
the step reached the asked drop, or round-off; else 0), then shift_x, shift_y (of the first body's
pivot, in reference lengths), power (that the flow feeds into the motion of all walls, over q_inf
times reference area and length [a_inf/chord], so that its sum times the time step is the work over
q_inf c^2) and of it power_pitch, the part of turns about the pivots.
Where a member has several bodies, each has cl_, cd_, cm_ (about the pivot of its own motion, or its
own point where that has none), power_, power_pitch_, angle_deg_, shift_x_ and shift_y_ with its
marker.
Bodies that bend have mode_1, mode_2, ..., the amplitudes of their shapes, and mode_force_1, ...,
their generalised forces (sums of traction times shape over q_inf times reference area and length),
and power_bending, the part of power of their rates; names end in the marker where a member has
several bodies.
Columns of a steady run: member, iteration, residual, cl, cd, cm, cfl [-], then its solver's own.
Those in space have cy, cm_roll and cm_yaw, the force along y and the moments about x and z; their
meshes have min_volume [chord^3] and min_dihedral_deg in unsteady runs, and no number in min_area
and min_angle_deg.
With newton = True steady runs have products (of an iteration's step of Newton with the derivative
of the residual, 0 of a pseudo-step) and length (share of its solution that was taken, 0 where it
was refused, 1 of a pseudo-step).
A viscous gas has cd_pressure and cd_friction behind these, and with a model of turbulence
residual_turbulence, over the most that it was in the march.
Inlets and outlets have mass_flow_, total_pressure_ and, of a gas, total_temperature_ with their
markers (mass flow into the fluid [rho_inf a_inf chord] or [U chord] per unit span; means over the
mass that passes, over p_inf and T_inf, or [rho U^2]), and where there are both pressure_drop and
loss, in runs of either kind.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError

FloatArray = NDArray[np.float64]
UNSTEADY = (
    "member",
    "step",
    "time",
    "cycle",
    "phase_deg",
    "alpha_deg",
    "cl",
    "cd",
    "cm",
    "inner_iterations",
    "residual_drop",
    "min_area",
    "min_angle_deg",
    "converged",
)
MOTION = ("shift_x", "shift_y", "power", "power_pitch")
OF_BODY = ("cl", "cd", "cm", "power", "power_pitch", "angle_deg", "shift_x", "shift_y")
STEADY = ("member", "iteration", "residual", "cl", "cd", "cm", "cfl")
INTEGERS = frozenset({"member", "step", "iteration", "inner_iterations", "converged"})


def unsteady_columns(bodies: Iterable[str] = ()) -> tuple[str, ...]:
    """Columns of an unsteady run; `bodies` : markers of a member with several bodies."""
    bodies = tuple(bodies)
    of_bodies = [f"{name}_{body}" for body in bodies for name in OF_BODY]
    found = (*UNSTEADY, *MOTION, *of_bodies)
    twice = sorted({name for name in of_bodies if found.count(name) > 1})
    if twice:
        raise CaseError(
            f"history: two columns {twice[0]} of the markers {list(bodies)}; rename one of them"
        )
    return found


def kind_of(columns: tuple[str, ...]) -> str | None:
    """`unsteady` or `steady`; None where the columns are of neither.

    Histories of before version 0.2 end with the column converged.
    """
    if columns[: len(STEADY)] == STEADY and len(set(columns)) == len(columns):
        return "steady"
    more = columns[len(UNSTEADY) :]
    whole = more[: len(MOTION)] in ((), MOTION) and len(set(columns)) == len(columns)
    return "unsteady" if columns[: len(UNSTEADY)] == UNSTEADY and whole else None


def header(columns: tuple[str, ...]) -> str:
    """First line of the file; a marker may hold commas."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerow(columns)
    return text.getvalue()


def texts_of(name: str, column: FloatArray) -> list[str]:
    """Entries of a column of the file; `repr` is the shortest that reads back to the same bits.

    Text of numbers takes nearly all of the time of a history's file, so one number throughout a
    column (bit by bit, for the sign of zero) is written once.
    """
    bits = column.view(np.int64)
    alike = len(column) > 1 and bool((bits == bits[0]).all())
    values = (column[:1] if alike else column).astype(np.int64 if name in INTEGERS else np.float64)
    texts = [repr(value) for value in values.tolist()]
    return texts * len(column) if alike else texts


def number_of(name: str, value: Any) -> float:
    """Number of a column; CaseError for what is none."""
    try:
        number = float(value)
        if name in INTEGERS:
            if number != int(number):
                raise ValueError
            if name == "converged" and number not in (0, 1):
                raise ValueError
            return int(number)
    except (TypeError, ValueError, OverflowError):
        kind = "an integer" if name in INTEGERS else "a number"
        kind = "0 or 1" if name == "converged" else kind
        raise CaseError(f"history: {name} = {value!r}, expected {kind}") from None
    return number


def row_of(path: Path, number: int, columns: tuple[str, ...], line: list[str]) -> tuple[float, ...]:
    """Numbers of a line of the file; CaseError with its number where it has others."""
    if len(line) != len(columns):
        raise CaseError(
            f"{path}: row {number} has {len(line)} values, expected {len(columns)}; "
            "if the run was cut short there, delete that line"
        )
    try:
        return tuple(number_of(name, value) for name, value in zip(columns, line, strict=True))
    except CaseError as error:
        raise CaseError(f"{path}: row {number}: {error}") from None
