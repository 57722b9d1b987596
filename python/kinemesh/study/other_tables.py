"""Loops from tables of other sources: columns by name, phases of any spacing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, pi
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import numbers
from kinemesh.errors import CaseError, did_you_mean
from kinemesh.io import text_table
from kinemesh.loops.flapping import Flapping
from kinemesh.loops.harmonics import PERIODIC, Coefficient, FloatArray, coefficient
from kinemesh.loops.loop import Loop
from kinemesh.motion import Motion
from kinemesh.study import incidence
from kinemesh.study.incidence import Wave

NEEDED = ("phase_deg", "alpha_deg", "alpha", "cl", "cd", "cm")  # numbers, where they are there
KNOWN = ("time", "phase_deg", "alpha_deg", "cl", "cd", "cm", "x", "h", "power")
ALSO = {"x": "shift_x", "h": "shift_y", "alpha_deg": "alpha"}  # in histories, of tunnels
ANEW = 180.0  # degrees by which a phase falls, at least, where a cycle begins
GAP = 1 / 6  # of a cycle between two rows, at most
EVEN = 0.01  # of a step by which steps of a table may differ that is taken as it is
FINE = 64  # steps, at least, of a cycle whose rows are not even
WHOLE = 1e-6  # of a cycle that a whole one may lack


@dataclass(frozen=True, slots=True)
class Told:
    """Arguments on a table; see `kinemesh.hysteresis`."""

    columns: Mapping[str, Any] | None = None
    period: float | None = None
    start: float = 0.0
    motion: Motion | None = None
    alpha_deg: float | None = None
    steps: int | None = None
    measured: bool | None = None

    @property
    def given(self) -> list[str]:
        """Names of the arguments that are set."""
        names = ("columns", "period", "motion", "alpha_deg", "steps", "measured")
        return [n for n in names if getattr(self, n) is not None] + ["start"] * (self.start != 0)


def is_table(source: Any) -> bool:
    """Return True for columns by name: a mapping, a DataFrame or a structured array."""
    named = isinstance(source, np.ndarray) and source.dtype.names is not None
    return named or isinstance(source, Mapping) or hasattr(source, "columns")


def loop_of_table(
    source: Any, told: Told, tolerance: float = PERIODIC, wave: Wave | None = None
) -> Loop:
    """The last cycle of a table.

    Parameters
    ----------
    wave : phases and angles [deg] of the motion that incidence tells the phase by, where the table
        has neither phases nor times

    Raises
    ------
    CaseError    a file that cannot be read, a column that is not there, no phase and no incidence
        that tells it, no angle, rows that are too far apart, or less than one cycle
    """
    from_file = isinstance(source, str | Path)
    label = str(source) if from_file else "table"
    there = text_table.read(source) if from_file else _arrays(source)
    if "member" in there and len(set(there["member"].tolist())) > 1:
        raise CaseError(
            f"{label}: has rows of several members, expected one: table[table.member == 0]"
        )
    columns = _columns(there, told.columns, label)
    if not {"cl", "cd", "cm"} & columns.keys():
        raise CaseError(
            f"{label}: no loads among the columns {', '.join(there)}; name them, such as "
            'columns={"cl": "Cl", "cd": "Cd"}'
        )
    _check_rows(columns, label)
    alone = (
        told.period is None and "alpha_deg" in columns and not {"phase_deg", "time"} & {*columns}
    )
    if alone:
        columns = incidence.with_phases(columns, _wave(told, wave, label), label)
        told = replace(told, motion=None, alpha_deg=None)
    at = _cycles(columns, told, label)
    at, columns = _once(at, columns, told.period is not None, label)
    rows = at, columns
    at, columns, steps = _even(at, columns, told.steps, label, alone)
    angles, moved = _angles(at, columns, told, label)
    made = _loop(at, moved | columns | {"alpha_deg": angles}, steps, label, tolerance)
    measured = told.period is None if told.measured is None else told.measured
    return replace(made, measured=_points(*rows, told, label)) if measured else made


def _wave(told: Told, wave: Wave | None, label: str) -> Wave | None:
    """Phases and angles [deg] of the motion that is told, else of `wave`."""
    if told.motion is None:
        return wave
    at = np.arange(incidence.FINE) / incidence.FINE
    return 360 * at, _angles(at, {}, told, label)[0]


def _points(
    at: FloatArray, columns: Mapping[str, FloatArray], told: Told, label: str
) -> dict[str, FloatArray]:
    """Rows of the last cycle as they are: phase_deg, alpha_deg and loads."""
    angles, _ = _angles(at, columns, told, label)
    last = at > at[-1] - 1 + WHOLE
    found = {"phase_deg": 360 * at % 360, "alpha_deg": angles}
    found |= {name: columns[name] for name in ("cl", "cd", "cm") if name in columns}
    return {name: values[last] for name, values in found.items()}


def _arrays(source: Any) -> dict[str, FloatArray]:
    """Columns of a table in memory that are numbers; CaseError for ours that are not."""
    names = source.dtype.names if isinstance(source, np.ndarray) else list(source.keys())
    found = {}
    for name in names:
        values = _array(source[name])
        if values.ndim == 1 and values.dtype.kind in "iufb":
            found[str(name)] = values.astype(float)
        elif name in NEEDED:
            raise CaseError(
                f"table: column {name!r} is of {values.dtype} and shape {values.shape}, expected "
                "(rows,) numbers; make numbers of it, or leave it out"
            )
    return found


def _array(column: Any) -> NDArray[Any]:
    """A column as an array; numbers that are objects as numbers, masked ones as nan."""
    try:
        values = np.asarray(column)
    except ValueError:  # rows of unequal length
        return np.asarray(None)
    if np.ma.is_masked(column) and values.dtype.kind in "iufb":
        return np.asarray(np.ma.filled(column.astype(float), np.nan))
    if values.dtype.kind == "O" and all(isinstance(value, Real) for value in values.ravel()):
        return values.astype(float)
    return values


def _check_rows(columns: Mapping[str, FloatArray], label: str) -> None:
    """CaseError for columns of several lengths, or of none."""
    rows = {name: len(values) for name, values in columns.items()}
    if len({*rows.values()}) > 1:
        told = ", ".join(f"{name} {count}" for name, count in rows.items())
        raise CaseError(f"{label}: its columns have other numbers of rows, {told}, expected one")
    if not max(rows.values()):
        raise CaseError(f"{label}: 0 rows, expected at least 8")


def _columns(
    there: Mapping[str, FloatArray], named: Mapping[str, Any] | None, label: str
) -> dict[str, FloatArray]:
    """Columns by our names."""
    if named is not None and not isinstance(named, Mapping):
        raise CaseError(
            f'columns is {named!r}, expected names of the table by ours, such as {{"cl": "Cl"}}'
        )
    for name in named or {}:
        if name not in KNOWN:
            hint = did_you_mean(name, KNOWN, f"there are {', '.join(KNOWN)}")
            raise CaseError(f"columns: '{name}' is none of a loop{hint}")
    found = {}
    for name in KNOWN:
        if named and name in named:
            found[name] = _column(there, named[name], label)
        elif name != "power" and (name in there or ALSO.get(name) in there):
            found[name] = there[name if name in there else ALSO[name]]
    for name, values in found.items():
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            raise CaseError(
                f"{label}: {name} of row {wrong[0]} is {values[wrong[0]]}, expected finite numbers"
            )
    return found


def _column(there: Mapping[str, FloatArray], asked: Any, label: str) -> FloatArray:
    """A column by the name that a user gives: "Cl", "-CMz" of the other sign, ("Fy", 0.1)."""
    factor = 1.0
    if isinstance(asked, tuple | list) and len(asked) == 2:
        asked, factor = asked[0], float(numbers(asked[1], 1, "factor of a column")[0])
    if not isinstance(asked, str):
        raise CaseError(
            f'columns has {asked!r}, expected the name of a column, "-NAME" of the other sign, or '
            "(NAME, factor)"
        )
    if asked not in there and asked.startswith("-"):
        asked, factor = asked[1:], -factor
    if asked not in there:
        hint = did_you_mean(asked, there, f"there are {', '.join(there)}")
        raise CaseError(f"{label}: no column '{asked}'{hint}")
    return factor * there[asked]


def _cycles(columns: Mapping[str, FloatArray], told: Told, label: str) -> FloatArray:
    """(rows,) cycles done, of which a whole number is phase 0."""
    if told.period is not None:
        if "time" not in columns:
            raise CaseError(f'{label}: period of a table without time; name it in columns["time"]')
        period = float(numbers(told.period, 1, "period", positive=True)[0])
        return (columns["time"] - float(numbers(told.start, 1, "start")[0])) / period
    if "phase_deg" not in columns:
        raise CaseError(
            f'{label}: no phase; name a column of phases in degrees, columns={{"phase_deg": ...}}, '
            "or one of times, and give the period in its units, or have incidence alone, alpha_deg "
            "of rows in the order of the loop"
        )
    for name, most in (("time", np.inf), ("phase_deg", ANEW)):
        steps = np.diff(columns.get(name, np.zeros(1)))
        back = np.flatnonzero((steps < 0) & (steps >= -most))
        if len(back):
            before, here = columns[name][back[0] : back[0] + 2]
            raise CaseError(
                f"{label}: row {back[0] + 1} goes back in {name}, from {before:.6g} to {here:.6g}, "
                f"expected rows in order, with phases that begin anew by more than {ANEW:g} "
                "degrees after a cycle; put the rows in order, or leave those before a restart out"
            )
    cycles = columns["phase_deg"] / 360
    return cycles + np.r_[0, np.cumsum(np.diff(cycles) < 0)]


def _once(
    at: FloatArray, columns: dict[str, FloatArray], by_time: bool, label: str
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Rows at rising times; of rows of one time, as of inner iterations, the last."""
    twice = np.flatnonzero(np.diff(at) == 0)
    if len(twice) and not by_time:
        raise CaseError(
            f"{label}: rows {twice[0]} and {twice[0] + 1} have one phase, expected one row for "
            "each; leave one out, or take their mean"
        )
    back = np.flatnonzero(np.diff(at) < 0)
    if len(back):
        raise CaseError(
            f"{label}: row {back[0] + 1} goes back in time; put the rows in order, or leave those "
            "before a restart out"
        )
    kept = np.r_[np.diff(at) > 0, True]
    return at[kept], {name: values[kept] for name, values in columns.items()}


def _even(
    at: FloatArray,
    columns: dict[str, FloatArray],
    steps: int | None,
    label: str,
    scattered: bool = False,
) -> tuple[FloatArray, dict[str, FloatArray], int]:
    """Rows in even steps that end with the last row, and the steps of a cycle.

    Even rows are as they are; others are those of a cubic spline, of at most two cycles, or where
    they are `scattered` of one that does not overshoot.
    """
    if steps is not None and (not isinstance(steps, int) or steps < 8):
        raise CaseError(f"steps is {steps!r}, expected a whole number of at least 8")
    if len(at) < 8:
        raise CaseError(f"{label}: {len(at)} rows, expected at least 8")
    span = at[-1] - at[0]
    alone = span < 1 - WHOLE  # one cycle, without the row that closes it
    kept = at > at[-1] - 2 - GAP
    gaps = np.diff(at[kept])
    if alone:
        gaps = np.r_[gaps, 1 - span]
    if gaps.max() > GAP:
        where = 360 * (at[kept][min(int(gaps.argmax()), kept.sum() - 1)] % 1)
        raise CaseError(
            f"{label}: no rows for {360 * gaps.max():.3g} degrees from phase {where:.3g} on, "
            f"expected at most {360 * GAP:g}: less than one cycle, rows that are not in order, or "
            "too few of them"
        )
    count = max(round(1 / float(np.median(gaps))), 8)
    even = bool(np.abs(gaps * count - 1).max() <= EVEN)
    even = even and abs(float(gaps.mean()) * count - 1) <= EVEN / count
    if even and steps in (None, count) and (not alone or len(at) == count):
        return at, columns, count
    steps = steps or max(count, FINE)
    return *_splined(at, columns, steps, alone, scattered), steps


def _splined(
    at: FloatArray, columns: Mapping[str, FloatArray], steps: int, alone: bool, scattered: bool
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Rows in even steps on cubic splines, periodic ones of one cycle."""
    from scipy.interpolate import CubicSpline, PchipInterpolator

    values = np.stack(list(columns.values()), axis=1)
    if scattered:  # one cycle, with its ends on both sides
        there = at[0] + np.arange(steps) / steps
        at, values = np.r_[at - 1, at, at + 1], np.vstack([values] * 3)
        found = PchipInterpolator(at, values)(there)
    elif alone:
        there = at[0] + np.arange(steps) / steps
        at, values = np.r_[at, at[0] + 1], np.vstack([values, values[:1]])
        found = CubicSpline(at, values, bc_type="periodic")(there)
    else:
        cycles = min(2, int(at[-1] - at[0] + WHOLE))
        there = at[-1] - np.arange(cycles * steps)[::-1] / steps
        found = CubicSpline(at, values)(there)
    return there, dict(zip(columns, found.T, strict=True))


def _angles(
    at: FloatArray, columns: Mapping[str, FloatArray], told: Told, label: str
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Angle [deg] of each row, and the shifts of a motion."""
    mean = 0.0 if told.alpha_deg is None else float(numbers(told.alpha_deg, 1, "alpha_deg")[0])
    if "alpha_deg" in columns:
        if told.motion is not None or told.alpha_deg is not None:
            raise CaseError(f"{label}: has alpha_deg, so motion and alpha_deg have no meaning")
        return columns["alpha_deg"], {}
    if told.motion is None:
        if told.alpha_deg is None:
            raise CaseError(
                f'{label}: no angle; name its column, columns={{"alpha_deg": ...}}, or give '
                "motion, or alpha_deg of a body that does not pitch"
            )
        return np.full(len(at), mean), {}
    if not isinstance(told.motion, Motion):
        raise CaseError(f"motion is {told.motion!r}, expected one of kinemesh.motion")
    omega = told.motion.omega(1.0)
    if omega is None:
        raise CaseError(f"{label}: motion has no period, expected one that has")
    period = 2 * pi / omega
    cycles = at + ceil(told.motion.settles(1.0) / period)  # a table is of the motion after its ramp
    angles, shifts = told.motion.path([period * c for c in cycles.tolist()], 1.0)
    x, y = shifts.T
    return mean + angles, {"x": x, "h": y}


def _loop(
    at: FloatArray, columns: Mapping[str, FloatArray], steps: int, label: str, tolerance: float
) -> Loop:
    """Loop of rows in even steps; missing loads are nan."""
    phase = 360 * at[-steps:] % 360
    order = np.argsort(phase)
    phase, end = phase[order], int(np.argmax(order))

    def last(name: str) -> FloatArray:
        return columns[name][-steps:][order]

    def load(name: str) -> Coefficient:
        if name not in columns:
            return coefficient(np.full(steps, np.nan), np.radians(phase), None)
        enough = len(at) >= 2 * steps
        before = columns[name][-2 * steps : -steps][order] if enough else None
        return coefficient(last(name), np.radians(phase), before, end)

    flapping = None
    if "cd" in columns:
        x, h = (last(name) if name in columns else None for name in ("x", "h"))
        flapping = Flapping(load("cd"), x, h, load("power") if "power" in columns else None)
    cycles = max(1.0, float(at[-1] - at[0]))
    made = Loop(phase, last("alpha_deg"), load("cl"), load("cm"), cycles, label)
    return replace(made, tolerance=tolerance, flapping=flapping)
