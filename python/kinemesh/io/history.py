"""History of a run: one row per member and physical step (or iteration), kept and flushed to CSV.

Columns of an unsteady run: member [-], step [-], time [chord/a_inf], cycle [-] (2.25 is a quarter
into the third), phase_deg, alpha_deg (stream angle + nose-up motion), cl, cd, cm [-],
inner_iterations [-], residual_drop [-], min_area [chord^2], min_angle_deg, converged (1 where
the step reached the asked drop, or round-off; else 0), then shift_x, shift_y (of the first body's
pivot, in reference lengths), power (that the flow feeds into the motion of all walls, over q_inf
times reference area and length [a_inf/chord], so that its sum times the time step is the work over
q_inf c^2) and of it power_pitch, the part of turns about the pivots.
Where a member has several bodies, each has cl_, cd_, cm_ (about the pivot of its own motion, where
that has one), power_, power_pitch_, angle_deg_, shift_x_ and shift_y_ with its marker.
Columns of a steady run: member, iteration, residual, cl, cd, cm, cfl [-].
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError, warn
from kinemesh.io import summary
from kinemesh.io.columns import Columns
from kinemesh.io.paths import path_of
from kinemesh.io.whole import naming, replace

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
    """Columns of an unsteady run; `bodies` are the markers where a member has several."""
    bodies = tuple(bodies)
    of_bodies = [f"{name}_{body}" for body in bodies for name in OF_BODY]
    found = (*UNSTEADY, *MOTION, *of_bodies)
    twice = sorted({name for name in of_bodies if found.count(name) > 1})
    if twice:
        raise CaseError(
            f"history: two columns {twice[0]} of the markers {list(bodies)}; rename one of them"
        )
    return found


def _kind(columns: tuple[str, ...]) -> str | None:
    """`unsteady` or `steady`; None where the columns are of neither.

    Histories of before version 0.2 end with the column converged.
    """
    if columns == STEADY:
        return "steady"
    more = columns[len(UNSTEADY) :]
    whole = more[: len(MOTION)] in ((), MOTION) and len(set(columns)) == len(columns)
    return "unsteady" if columns[: len(UNSTEADY)] == UNSTEADY and whole else None


def _header(columns: tuple[str, ...]) -> str:
    """First line of the file; a marker may hold commas."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerow(columns)
    return text.getvalue()


def _line(row: tuple[float, ...]) -> str:
    """A row of the file; `repr` is the shortest text that reads back to the same bits."""
    return ",".join(map(repr, row)) + "\n"


class History(Columns):
    """Rows of a run as columns, mirrored row by row to a CSV file where a path is given.

    A mapping of columns: `history["cl"]` or `history.cl` is one, `dict(history)` holds all,
    `pandas.DataFrame(history)` is a frame.  `len(history)` is the number of columns, `rows` that
    of rows.

    Parameters
    ----------
    columns : names    `UNSTEADY` (default), `unsteady_columns(...)` or `STEADY`
    path : path        file to start anew; every row is on disk when `append` returns

    Attributes
    ----------
    failed : {member: text}    members whose rows end where they failed, and why; of a file what the
        summary beside it has, as the rows themselves do not tell
    """

    def __init__(self, columns: Iterable[str] = UNSTEADY, path: str | Path | None = None) -> None:
        super().__init__()
        self.columns = tuple(columns)
        if _kind(self.columns) is None:
            raise CaseError(
                f"history: columns {self.columns}, expected io.history.unsteady_columns() or STEADY"
            )
        self.path = None if path is None else Path(path)
        self.failed: dict[int, str] = {}
        self._rows: list[tuple[float, ...]] = []
        self._arrays: dict[str, NDArray[Any]] = {}
        self._of: dict[int, list[tuple[float, ...]]] = {}  # rows by member
        self._sorted = 0  # how many of the rows are in it
        self._file: int | None = None
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._open(_header(self.columns))

    def _open(self, text: str) -> None:
        """Put `text` in the place of the file, whole or not at all, and go on behind it."""
        assert self.path is not None
        replace(self.path, text.encode())
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)

    def _write(self, text: str) -> None:
        """Append a line at once; where the disk is full, what came of it is taken back."""
        assert self._file is not None
        assert self.path is not None
        end, data = os.fstat(self._file).st_size, text.encode()
        with naming(self.path):
            try:
                while data:
                    data = data[os.write(self._file, data) :]
            except OSError:
                os.ftruncate(self._file, end)
                raise

    def sync(self) -> None:
        """Wait until every row is on the disk."""
        if self._file is not None:
            os.fsync(self._file)

    @property
    def kind(self) -> str:
        """`unsteady` or `steady`."""
        return _kind(self.columns) or "steady"

    @property
    def members(self) -> list[int]:
        """Numbers of the members that have rows."""
        return sorted(self._by_member())

    def _by_member(self) -> dict[int, list[tuple[float, ...]]]:
        """Rows of each member; each row is looked at once."""
        for row in self._rows[self._sorted :]:
            self._of.setdefault(int(row[0]), []).append(row)
        self._sorted = len(self._rows)
        return self._of

    def append(self, row: Mapping[str, Any] | None = None, /, **values: Any) -> None:
        """Add one row, given by column name; missing and unknown columns are errors."""
        given = {**(row or {}), **values}
        self._refuse(given)
        self._add([tuple(_number(name, given[name]) for name in self.columns)])

    def _refuse(self, given: Mapping[str, Any]) -> None:
        """CaseError where a row misses columns or has unknown ones."""
        if set(given) != set(self.columns):
            missing = sorted(set(self.columns) - set(given))
            unknown = sorted(set(given) - set(self.columns))
            raise CaseError(f"history: row misses {missing} and has unknown {unknown}")

    def extend(self, columns: Mapping[str, ArrayLike]) -> None:
        """Add a row per entry of the columns; missing and unknown columns are errors."""
        self._refuse(columns)
        given = (
            np.asarray(columns[name]).astype(np.int64 if name in INTEGERS else np.float64).tolist()
            for name in self.columns
        )
        self._add(list(zip(*given, strict=True)))

    def _add(self, rows: list[tuple[float, ...]]) -> None:
        self._rows += rows
        self._arrays.clear()
        if self._file is not None:
            self._write("".join(map(_line, rows)))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._rows)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Column (rows,), read-only."""
        if name not in self.columns:
            near = get_close_matches(name, self.columns, 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; there are {self.columns}"
            raise KeyError(f"history: no column '{name}'{hint}")
        if name not in self._arrays:
            kind = np.int64 if name in INTEGERS else np.float64
            at = self.columns.index(name)
            column = np.array([row[at] for row in self._rows], dtype=kind)
            column.setflags(write=False)
            self._arrays[name] = column
        return self._arrays[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        """`history.cl` is `history["cl"]`."""
        if name.startswith("_") or name not in self.columns:
            raise AttributeError(f"History has no column or attribute '{name}'")
        return self[name]

    def member(self, member: int) -> History:
        """Rows of one member, in memory."""
        part = History(self.columns)
        part._rows = list(self._by_member().get(member, []))
        if not part._rows:
            why = f" ({self.failed[member]})" if member in self.failed else ""
            raise CaseError(f"history: no member {member}; there are {self.members}{why}")
        part.failed = {m: text for m, text in self.failed.items() if m == member}
        return part

    def refuse_failed(self, member: int | None, label: str) -> None:
        """CaseError, with the cause, where a member has failed."""
        if member in self.failed:
            raise CaseError(f"{label}: failed: {self.failed[member]}")

    def until(self, step: int) -> History:
        """Rows up to and including a step (or iteration), in memory."""
        part = History(self.columns)
        at = self.columns.index("step" if self.kind == "unsteady" else "iteration")
        part._rows = [row for row in self._rows if row[at] <= step]
        return part

    def close(self) -> None:
        """Close the file; the rows stay."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        failed = f"{len(self.failed)} failed, " if self.failed else ""
        return f"History({self.kind}, {failed}{self.rows} rows, path={self.path})"

    @classmethod
    def read(cls, path: str | Path, torn: bool = False) -> History:
        """A history from its CSV file.

        A last line cut short by a crash is an error, or left out where `torn` allows it.  Which
        members failed the summary.json beside a history.csv says.
        """
        path = path_of(path, "the history")
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise CaseError(f"{path}: cannot read the history ({error.strerror})") from None
        if torn:
            text = text[: text.rfind("\n") + 1]
        lines = list(csv.reader(x for x in text.splitlines() if not x.startswith("#")))
        if not lines or _kind(tuple(lines[0])) is None:
            raise CaseError(
                f"{path}: not a history; expected the header {','.join(UNSTEADY)} "
                f"or {','.join(STEADY)}"
            )
        history = cls(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            history._rows.append(_row(path, number, history.columns, line))
        history.failed = failed_beside(path)
        return history

    @classmethod
    def resume(
        cls,
        path: str | Path,
        step: int,
        change: Callable[[dict[str, float]], dict[str, float]] | None = None,
    ) -> History:
        """The history up to and including `step`, its file cut there and open for more rows.

        The file is replaced whole: a crash on the way leaves the old one.  A last line that was
        cut short is left out.  `change` gives the rows other values.
        """
        old = cls.read(path, torn=True)
        at = old.columns.index("step" if old.kind == "unsteady" else "iteration")
        history = cls(old.columns)
        history._rows = [row for row in old._rows if row[at] <= step]
        if change is not None:
            named = [change(dict(zip(old.columns, row, strict=True))) for row in history._rows]
            history._rows = [tuple(row[name] for name in old.columns) for row in named]
        history.path = Path(path)
        history._open(_header(old.columns) + "".join(map(_line, history._rows)))
        return history


def _number(name: str, value: Any) -> float:
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


def _row(path: Path, number: int, columns: tuple[str, ...], line: list[str]) -> tuple[float, ...]:
    if len(line) != len(columns):
        raise CaseError(
            f"{path}: row {number} has {len(line)} values, expected {len(columns)}; "
            "if the run was cut short there, delete that line"
        )
    try:
        return tuple(_number(name, value) for name, value in zip(columns, line, strict=True))
    except CaseError as error:
        raise CaseError(f"{path}: row {number}: {error}") from None


def failed_beside(path: Path) -> dict[int, str]:
    """Members that failed, and why, by the summary beside a run's history; {} without one."""
    beside = path.with_name("summary.json")
    if path.name != "history.csv" or not beside.exists():
        return {}
    try:
        rows = summary.read(beside).get("failed", [])
    except CaseError as error:
        warn(f"{path}: whether members failed is not known: {error}")
        return {}
    return {row["member"]: row["text"] for row in rows}


def last_step(path: Path) -> int:
    """Step (or iteration) of the last whole row of a history's file; 0 where there is none."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 2**16))  # rows are far shorter
        lines = file.read().split(b"\n")[:-1]
    entries = lines[-1].split(b",") if lines else []
    return int(entries[1]) if len(entries) > 1 and entries[1].isdigit() else 0
