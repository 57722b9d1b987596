"""History of a run: one row per member and physical step (or iteration), kept and flushed to CSV.

Its columns are those of `kinemesh.io.csv_rows`.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import ArgumentError, CaseError, did_you_mean, warn
from kinemesh.io import summary
from kinemesh.io.columns import Columns
from kinemesh.io.csv_rows import (
    INTEGERS,
    STEADY,
    UNSTEADY,
    FloatArray,
    header,
    kind_of,
    number_of,
    row_of,
    texts_of,
)
from kinemesh.io.lost import lost
from kinemesh.io.paths import path_of
from kinemesh.io.scales import Scale, scales_of
from kinemesh.io.whole import naming, replace


class History(Columns):
    """Rows of a run as columns, mirrored row by row to the CSV file at `path`, if any.

    A mapping of columns: `history["cl"]` or `history.cl` is one, `dict(history)` holds all,
    `pandas.DataFrame(history)` is a frame.  `len(history)` is the number of columns, `rows` that
    of rows.

    Parameters
    ----------
    columns : names    `UNSTEADY` (default), `unsteady_columns(...)` or `STEADY`
    path : path        file to start anew; every row is on disk when `append` returns

    Attributes
    ----------
    failed : {member: text}    members whose rows end where they failed, and why
    by_time : whether the run went by time_step and steps, so that it has no cycle
    lost : {member: text}    members of a finished run that lack rows
    scales : {member: Scale}    where they are known; of a file, all four are by the summary beside
        it, as the rows themselves do not tell
    """

    def __init__(self, columns: Iterable[str] = UNSTEADY, path: str | Path | None = None) -> None:
        super().__init__()
        self.columns = tuple(columns)
        if kind_of(self.columns) is None:
            raise CaseError(
                f"history: columns {self.columns}, expected io.rows.unsteady_columns() or STEADY"
            )
        self.path = None if path is None else Path(path)
        self.failed: dict[int, str] = {}
        self.by_time = False
        self.lost: dict[int, str] = {}
        self.scales: dict[int, Scale] = {}
        self._blocks: list[FloatArray] = []  # (columns, rows) of each call that added rows
        self._arrays: dict[str, NDArray[Any]] = {}
        self._of: dict[int, NDArray[np.intp]] = {}  # rows of each member, where known
        self._file: int | None = None
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._open(header(self.columns))

    def _open(self, text: str) -> None:
        """Put `text` in the place of the file, whole or not at all, and go on behind it."""
        assert self.path is not None
        replace(self.path, text.encode())
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)

    def _write(self, text: str) -> None:
        """Append a line at once; a partial line on a full disk is removed."""
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
        return kind_of(self.columns) or "steady"

    @property
    def members(self) -> list[int]:
        """Numbers of the members that have rows."""
        return list(self._by_member())

    def _by_member(self) -> dict[int, NDArray[np.intp]]:
        """Numbers of the rows of each member, in the order of the members; sorted once."""
        if not self._of and self.rows:
            member = self["member"]
            order = np.argsort(member, kind="stable")
            found, first = np.unique(member[order], return_index=True)
            self._of = dict(zip(found.tolist(), np.split(order, first[1:]), strict=True))
        return self._of

    def _table(self) -> FloatArray:
        """(columns, rows) all rows; integers, which are far below 2^53, as floats."""
        if len(self._blocks) != 1:
            none = np.empty((len(self.columns), 0))
            self._blocks = [np.concatenate([none, *self._blocks], axis=1)]
        return self._blocks[0]

    def append(self, row: Mapping[str, Any] | None = None, /, **values: Any) -> None:
        """Add one row by column names; missing and unknown columns are errors."""
        given = {**(row or {}), **values}
        self._refuse(given)
        self._add(np.array([[number_of(name, given[name])] for name in self.columns], float))

    def _refuse(self, given: Mapping[str, Any]) -> None:
        """Raise CaseError if a row lacks columns or has unknown ones."""
        if set(given) != set(self.columns):
            missing = sorted(set(self.columns) - set(given))
            unknown = sorted(set(given) - set(self.columns))
            raise CaseError(f"history: row misses {missing} and has unknown {unknown}")

    def extend(self, columns: Mapping[str, ArrayLike]) -> None:
        """Add a row per entry of the columns; missing and unknown columns are errors."""
        self._refuse(columns)
        shapes = {np.shape(values) for values in columns.values()}
        if len(shapes) != 1:
            raise CaseError(f"history: columns of shapes {sorted(shapes)}, expected one (rows,)")
        block = np.empty((len(self.columns), *shapes.pop()))
        for line, name in zip(block, self.columns, strict=True):
            line[:] = columns[name]
        self._add(block)

    def _add(self, block: FloatArray) -> None:
        self._blocks.append(block)
        self._arrays.clear()
        self._of.clear()
        if self._file is not None:
            self._write(self._text(block))

    def _text(self, block: FloatArray) -> str:
        """Lines of the file for a block of rows."""
        texts = [texts_of(name, column) for name, column in zip(self.columns, block, strict=True)]
        return "".join([f"{','.join(row)}\n" for row in zip(*texts, strict=True)])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(block.shape[1] for block in self._blocks)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Column (rows,), read-only."""
        if not isinstance(name, str):
            raise ArgumentError(
                f"history[{name!r}]: expected the name of a column, such as history['cl']; the "
                "last row of a column is history['cl'][-1]"
            )
        if name not in self.columns:
            hint = did_you_mean(name, self.columns, f"there are {self.columns}")
            raise KeyError(f"history: no column '{name}'{hint}")
        if name not in self._arrays:
            column = self._table()[self.columns.index(name)]
            column = column.astype(np.int64) if name in INTEGERS else column.view()
            column.setflags(write=False)
            self._arrays[name] = column
        return self._arrays[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        """`history.cl` is `history["cl"]`."""
        if name.startswith("_") or name not in self.columns:
            hint = did_you_mean(name, self.columns)
            raise AttributeError(f"History has no column or attribute '{name}'{hint}")
        return self[name]

    def member(self, member: int) -> History:
        """Rows of one member, in memory."""
        part = History(self.columns)
        own = self._by_member().get(member)
        if own is None:
            why = f" ({self.failed[member]})" if member in self.failed else ""
            raise CaseError(f"history: no member {member}; there are {self.members}{why}")
        part._blocks = [self._table()[:, own]]
        part.failed = {m: text for m, text in self.failed.items() if m == member}
        part.by_time, part.lost, part.scales = self.by_time, self.lost, self.scales
        return part

    def refuse_failed(self, member: int | None, label: str) -> None:
        """Raise CaseError with the cause if a member has failed."""
        if member in self.failed:
            raise CaseError(f"{label}: failed: {self.failed[member]}")

    def until(self, step: int) -> History:
        """Rows up to and including a step (or iteration), in memory."""
        part = History(self.columns)
        part.by_time, part.scales = self.by_time, self.scales
        kept = self["step" if self.kind == "unsteady" else "iteration"] <= step
        part._blocks = [self._table()[:, kept]]
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
        members failed, and whether the run has a cycle, the summary.json beside a history.csv says.
        """
        path = path_of(path, "the history")
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise CaseError(f"{path}: cannot read the history ({error.strerror})") from None
        if torn:
            text = text[: text.rfind("\n") + 1]
        lines = list(csv.reader(x for x in text.splitlines() if not x.startswith("#")))
        if not lines or kind_of(tuple(lines[0])) is None:
            raise CaseError(
                f"{path}: not a history; expected the header {','.join(UNSTEADY)} "
                f"or {','.join(STEADY)}"
            )
        history = cls(lines[0])
        rows = [row_of(path, n, history.columns, line) for n, line in enumerate(lines[1:], start=2)]
        history._blocks = [np.array(rows, float).reshape(-1, len(history.columns)).T]
        history.ask_beside(path)
        return history

    def ask_beside(self, path: Path) -> None:
        """Read failures, lost rows and scales from the summary beside a run's history, if any.

        A warning where the summary cannot be read.
        """
        beside = path.with_name("summary.json")
        if path.name != "history.csv" or not beside.exists():
            return
        try:
            told = summary.read(beside)
        except CaseError as error:
            warn(f"{path}: whether members failed, have a cycle or lost rows is not known: {error}")
            return
        self.failed = {row["member"]: row["text"] for row in told.get("failed", [])}
        self.by_time = told.get("conditions", {}).get("steps_per_cycle", 0) is None
        unit = "step" if self.kind == "unsteady" else "iteration"
        self.lost = lost({m: self[unit][own] for m, own in self._by_member().items()}, unit, told)
        self.scales = scales_of(told, max(self.members, default=-1) + 1)

    @classmethod
    def resume(
        cls,
        path: str | Path,
        step: int,
        change: Callable[[History], Mapping[str, ArrayLike]] | None = None,
    ) -> History:
        """History up to and including `step`; its file is cut there and open for more rows.

        The file is replaced whole: a crash on the way leaves the old one.  A last line that was
        cut short is left out.  `change` gives columns (rows,) other values.
        """
        old = cls.read(path, torn=True)
        history = old.until(step)
        if change is not None:
            changed = {**dict(history), **change(history)}
            history = cls(old.columns)
            history.extend(changed)
        history.path = Path(path)
        history._open(header(old.columns) + history._text(history._table()))
        return history


def last_step(path: Path) -> int:
    """Step (or iteration) of the last whole row of a history's file; 0 without rows."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 2**16))  # rows are far shorter
        lines = file.read().split(b"\n")[:-1]
    entries = lines[-1].split(b",") if lines else []
    return int(entries[1]) if len(entries) > 1 and entries[1].isdigit() else 0
