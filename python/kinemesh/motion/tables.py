"""A motion by a table of angles and shifts: splines through its rows, and their rates.

Time is reduced, s = u_inf t / chord, as of `translate` and `rotate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from math import pi
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError, SettingsError, did_you_mean
from kinemesh.io import text_table
from kinemesh.motion.law import Motion, parts_of
from kinemesh.motion.numbers import LARGEST, finite, pair, positive
from kinemesh.motion.pose import Pose, Rate

FloatArray = NDArray[np.float64]
DEGREE = 5
"""Degree of the splines.

Accelerations of cubic ones are off by h^2 / 12 between rows, 2e-5 of a sine's at 400 rows a period,
which loads of added mass show: 1.5e-6 of those of a hovering ellipse.
"""
LEAST = 6  # rows, of such splines
ROUNDING = 1e-6  # of a range: what figures of a file leave between the last row and the first
BROKEN = 0.05  # of the range, between a row and the cubic through its neighbours: no smooth motion
ROUGH = 0.005  # of the range, from which on a run says it; a sine of 12 rows a period has 0.006
STILL = 1e-9  # range below which an angle [rad] or a shift [chord] does not move
PIVOT = (0.25, 0.0)  # where none is stated
COLUMNS = {  # of a file: what each is, and its factor
    "time": ("time", 1.0),
    "angle": ("angle", 1.0),
    "angle_deg": ("angle", pi / 180),
    **{name: ("x", 1.0) for name in ("x", "shift_x")},
    **{name: ("y", 1.0) for name in ("y", "shift_y", "h")},
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Motion):
    """Angle and shift by rows of a table; see `table`.

    Parameters
    ----------
    times : (rows,)         reduced
    poses : (rows, 3)       angle [rad], x, y of the shift [chord]
    about : (2,) or None    pivot [chord]; None of shifts alone
    repeat : float or None  reduced period; None: none, and no pose beyond the rows
    chord : float           reference length of the reduced time
    file : str              name of the file that it came from; empty where it came from arrays
    """

    adds_up: ClassVar[bool] = True
    times: FloatArray
    poses: FloatArray
    about: tuple[float, float] | None
    repeat: float | None = None
    chord: float = 1.0
    file: str = ""
    content: str = field(init=False, default="")  # of its hash: equal for equal tables
    _rough: float = field(init=False, default=0.0)  # see `ROUGH`
    _spline: Any = field(init=False, default=None)
    _speeds: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        from scipy.interpolate import make_interp_spline

        for array in (self.times, self.poses):
            array.setflags(write=False)
        told = np.array([*(self.about or (np.inf,)), self.repeat or 0.0, self.chord])
        text = b"".join(part.tobytes() for part in (self.times, self.poses, told))
        times, poses = self.times, self.poses
        if self.repeat is not None:
            times, poses = _closed(times, poses, self.repeat)
        ends = None if self.repeat is None else "periodic"
        spline = make_interp_spline(times, poses, DEGREE, bc_type=ends)
        made = {
            "content": sha256(text).hexdigest()[:16],
            "_rough": _smooth(times, poses, self.repeat is not None),
            "_spline": spline,
            "_speeds": spline.derivative(),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        span = "" if self.repeat is None else f", period {self.repeat:.8g}"
        return (
            f"Table({len(self.times)} rows, reduced times {self.times[0]:.8g} to "
            f"{self.times[-1]:.8g}{span}, about {self.about}, chord {self.chord:g}, SHA-256 "
            f"{self.content})"
        )

    def omega(self, u_inf: float) -> float | None:
        if self.repeat is None:
            return None
        return 2 * pi * positive("motion", "u_inf", u_inf) / (self.chord * self.repeat)

    def pose(self, t: float, u_inf: float) -> Pose:
        angle, x, y = self._spline(self._at(t, u_inf)).tolist()
        return Pose(angle, self.about or (0.0, 0.0), (x, y))

    def rate(self, t: float, u_inf: float) -> Rate:
        speed = u_inf / self.chord
        angle, x, y = (speed * self._speeds(self._at(t, u_inf))).tolist()
        return Rate(angle, (x, y))

    @property
    def pivot(self) -> tuple[float, float] | None:
        return self.about

    def remark(self) -> str | None:
        """Warning of rough or sparse rows; None without one."""
        if self._rough <= ROUGH:
            return None
        return (
            f"the motion's table{f' {self.file}' if self.file else ''} has rows that lie "
            f"{100 * self._rough:.2g} % of the range off the cubic through their neighbours: they "
            "are noisy, have a corner, or are far apart, and accelerations are those of the "
            f"spline between them; expected at most {100 * ROUGH:g} %"
        )

    def _at(self, t: float, u_inf: float) -> float:
        """Reduced time, within the rows; SettingsError beyond them in tables without a period."""
        s = positive("motion", "u_inf", u_inf) * finite("table", "t", t) / self.chord
        first, last = float(self.times[0]), float(self.times[-1])
        if self.repeat is not None:
            return first + (s - first) % self.repeat
        if not first - STILL * (last - first) <= s <= last + STILL * (last - first):
            raise SettingsError(
                f"table: no pose at reduced time {s:.8g}, the rows are of {first:.8g} to "
                f"{last:.8g}; give more rows, end the run there, or state the period"
            )
        return min(max(s, first), last)


def _closed(times: FloatArray, poses: FloatArray, period: float) -> tuple[FloatArray, FloatArray]:
    """Rows of a whole period, the last equal to the first."""
    if times[-1] < times[0] + period * (1 - ROUNDING):
        return np.r_[times, times[0] + period], np.vstack([poses, poses[:1]])
    return np.r_[times[:-1], times[0] + period], np.vstack([poses[:-1], poses[:1]])


def _smooth(times: FloatArray, poses: FloatArray, periodic: bool) -> float:
    """Largest distance of a row to the cubic through two neighbours on each side, by the range.

    SettingsError, with the row, where it is beyond `BROKEN`.
    """
    if periodic:
        span = times[-1] - times[0]
        times = np.r_[times[-3:-1] - span, times, times[1:3] + span]
        poses = np.vstack([poses[-3:-1], poses, poses[1:3]])
    around = [k for k in range(-2, 3) if k]
    here = times[2:-2]
    near = {k: times[2 + k : len(times) - 2 + k] for k in around}
    guess = np.zeros((len(here), 3))
    for k in around:
        weight = np.ones(len(here))
        for other in around:
            if other != k:
                weight *= (here - near[other]) / (near[k] - near[other])
        guess += weight[:, None] * poses[2 + k : len(times) - 2 + k]
    ranges = np.ptp(poses, axis=0)
    ranges[1:] = ranges[1:].max()
    away = np.abs(guess - poses[2:-2]) / np.where(ranges > STILL, ranges, np.inf)
    worst = float(away.max(initial=0.0))
    if worst > BROKEN:
        row, which = np.unravel_index(int(away.argmax()), away.shape)
        name = ("angle", "shift along x", "shift along y")[which]
        raise SettingsError(
            f"table: the {name} at reduced time {here[row]:.8g} lies {100 * worst:.2g} % of its "
            f"range off the cubic through its neighbours, expected at most {100 * BROKEN:g} %: a "
            "jump, noise, or too few rows; a spline through them would have no meaning. Smooth "
            "the table, or give more rows"
        )
    return worst


def _series(name: str, values: Any, rows: int | None) -> FloatArray:
    """Values (rows,) of a table; SettingsError for other input."""
    try:
        found = np.array(values, float)
    except (TypeError, ValueError):
        raise SettingsError(f"table: {name} is {values!r}, expected numbers") from None
    if found.ndim != 1 or (rows is not None and len(found) != rows):
        count = "a list of numbers" if rows is None else f"{rows} numbers, one for each time"
        raise SettingsError(f"table: {name} has shape {found.shape}, expected {count}")
    wrong = np.flatnonzero(~(np.abs(found) <= LARGEST))
    if len(wrong):
        raise SettingsError(
            f"table: {name}[{wrong[0]}] is {found[wrong[0]]}, expected a finite number of at most "
            f"{LARGEST:g}"
        )
    return found


def _shifts(shifts: Any, rows: int) -> FloatArray:
    """(rows, 2) of shifts."""
    if shifts is None:
        return np.zeros((rows, 2))
    try:
        found = np.array(shifts, float)
    except (TypeError, ValueError):
        raise SettingsError("table: shifts, expected numbers (rows, 2)") from None
    if found.shape != (rows, 2):
        raise SettingsError(
            f"table: shifts has shape {found.shape}, expected ({rows}, 2), x and y of each time, "
            "in space x and z; of a plunge h alone they are numpy.stack([0 * h, h], axis=1)"
        )
    return np.stack([_series(f"shifts along {n}", found[:, k], rows) for k, n in enumerate("xy")],
                    axis=1)  # fmt: skip


def _repeat(times: FloatArray, poses: FloatArray, period: Any, periodic: Any) -> float | None:
    """Period of a table; None without one."""
    if periodic not in (None, True, False):
        raise SettingsError(f"table: periodic is {periodic!r}, expected True or False")
    span = float(times[-1] - times[0])
    ranges = np.maximum(np.ptp(poses, axis=0), STILL)
    ranges[1:] = ranges[1:].max()
    ends = bool((np.abs(poses[-1] - poses[0]) <= ROUNDING * ranges).all())
    if period is None:
        if periodic and not ends:
            raise SettingsError(
                f"table: periodic, and its last row {poses[-1].tolist()} is not its first "
                f"{poses[0].tolist()} (angle [rad], x, y); add the row that closes the period, or "
                "state period"
            )
        return span if (ends if periodic is None else periodic) else None
    if periodic is False:
        raise SettingsError(f"table: period is {period!r} of a table that is not periodic")
    length = positive("table", "period", period)
    if span > length * (1 + ROUNDING):
        raise SettingsError(
            f"table: its rows are of {span:g} in reduced time, longer than the period {length:g}"
        )
    if span > length * (1 - ROUNDING) and not ends:
        raise SettingsError(
            f"table: the row a period after the first is {poses[-1].tolist()}, the first "
            f"{poses[0].tolist()} (angle [rad], x, y), expected them equal"
        )
    return length


@checks_names
def table(
    times: ArrayLike | str | Path | Mapping[str, ArrayLike],
    angles: ArrayLike | None = None,
    shifts: ArrayLike | None = None,
    *,
    angles_deg: ArrayLike | None = None,
    about: ArrayLike | None = None,
    period: float | None = None,
    periodic: bool | None = None,
    chord: float = 1.0,
) -> Table:
    """Motion by a table: splines of fifth degree through its rows, whose slopes are the rates.

    A table whose last row is its first is periodic, and repeats without end; so does one with a
    stated period.  Another one is as given, from its first row to its last.

    Parameters
    ----------
    times : (rows,)         reduced times u_inf t / chord, increasing; or a file, DataFrame or dict
        with the columns time, angle_deg (or angle [rad]), x and y (or shift_x, shift_y; h is y)
    angles : (rows,)        nose-up angles [rad]
    shifts : (rows, 2)      shifts of the pivot along x and y [chord]
    angles_deg : (rows,)    nose-up angles in degrees, in place of `angles`
    about : (2,)            pivot [chord]; None: (0.25, 0) of angles, none of shifts alone
    period : float          reduced period of a table without the row that closes it
    periodic : bool         False: as given, though the last row is the first
    chord : float           reference length of the reduced time

    Raises
    ------
    SettingsError    times that do not increase, rows of different number, a table that does not
        close, or rows that a smooth motion does not have: one that lies 5 % of the range off the
        cubic through its neighbours
    CaseError    a file that cannot be read
    """
    file = str(times) if isinstance(times, str | Path) else ""
    if file or isinstance(times, Mapping) or hasattr(times, "columns"):
        if any(v is not None for v in (angles, shifts, angles_deg)):
            raise SettingsError("table: a file has angles and shifts, expected none beside it")
        columns: Any = times
        times, angles, shifts = _poses(_of_file(file) if file else _columns("table", columns))
    t = _series("times", times, None)
    if len(t) < LEAST:
        raise SettingsError(f"table: {len(t)} rows, expected at least {LEAST}")
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        raise SettingsError(
            f"table: times[{back[0] + 1}] = {t[back[0] + 1]:g} is not above times[{back[0]}] = "
            f"{t[back[0]]:g}, expected increasing times"
        )
    if angles is not None and angles_deg is not None:
        raise SettingsError("table: angles and angles_deg are given, expected one of them")
    if angles is None and angles_deg is None and shifts is None:
        raise SettingsError("table: expected angles, angles_deg or shifts beside the times")
    turned = np.zeros(len(t)) if angles is None else _series("angles", angles, len(t))
    if angles_deg is not None:
        turned = np.radians(_series("angles_deg", angles_deg, len(t)))
    poses = np.column_stack([turned, _shifts(shifts, len(t))])
    repeat = _repeat(t, poses, period, periodic)
    if repeat is not None and np.ptp(turned) > 2 * pi:
        raise SettingsError(
            f"table: the angle of a period has a range of {np.ptp(turned):.4g} radians, expected "
            "at most a turn; angles in degrees are angles_deg (of a file the column angle_deg)"
        )
    pivot = None if about is None else pair("table", "about", about)  # type: ignore[arg-type]
    if pivot is None and (angles is not None or angles_deg is not None):
        pivot = PIVOT
    return Table(t, poses, pivot, repeat, positive("table", "chord", chord), Path(file).name)


def read(
    file: str,
    about: tuple[float, float] | None = None,
    period: float | None = None,
    periodic: bool | None = None,
    chord: float = 1.0,
) -> Table:
    """Motion by a table in a file, of the arguments that case files state.

    Parameters
    ----------
    file : str        columns time (reduced), angle_deg or angle [rad], x and y of the shift [chord]
    about : (2,)      pivot [chord]; [0.25, 0.0] of a table with angles
    period : float    reduced period of a table without the row that closes it
    periodic : bool   false: as given, though the last row is the first
    chord : float     reference length of the reduced time
    """
    return table(file, about=about, period=period, periodic=periodic, chord=chord)


def _poses(
    found: Mapping[str, FloatArray],
) -> tuple[FloatArray, FloatArray | None, FloatArray | None]:
    """Times, angles [rad] and shifts of columns."""
    angle, x, y = (found.get(name) for name in ("angle", "x", "y"))
    time = found["time"]
    if x is None and y is None:
        return time, angle, None
    none = np.zeros(len(time))
    return time, angle, np.stack([none if v is None else v for v in (x, y)], axis=1)


def _of_file(file: str) -> dict[str, FloatArray]:
    """Columns of a file."""
    path = Path(file)
    try:
        seen = path.stat()
    except OSError as error:
        raise CaseError(f"{file}: cannot read the motion's table ({error.strerror})") from None
    return _read(str(path.absolute()), seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=64)
def _read(path: str, changed: int, size: int) -> dict[str, FloatArray]:
    """Columns of a file as it is now: a sweep makes the motion of each case."""
    del changed, size
    return _columns(path, text_table.read(path, "the motion's table"))


def _columns(path: str, there: Mapping[str, Any]) -> dict[str, FloatArray]:
    found: dict[str, FloatArray] = {}
    for name in there:
        values = _series(f"column {name!r}", there[name], None)
        if name not in COLUMNS:
            hint = did_you_mean(name, COLUMNS, f"expected {', '.join(COLUMNS)}")
            raise SettingsError(f"{path}: column {name!r} is none of a motion's table{hint}")
        what, factor = COLUMNS[name]
        if what in found:
            raise SettingsError(f"{path}: two columns for {what}, expected one")
        found[what] = factor * values
    if "time" not in found or len(found) < 2:
        raise SettingsError(
            f"{path}: columns {', '.join(there)}, expected time, and angle_deg, x or y"
        )
    return found


def remarks(motion: Motion | None) -> list[str]:
    """Warnings of the tables in a motion, or in the parts of a sum."""
    own = getattr(motion, "motion", motion)  # of a body that is given in a frame of its own
    tables = [] if own is None else [p for p in parts_of(own) if isinstance(p, Table)]
    return [said for said in (one.remark() for one in tables) if said is not None]
