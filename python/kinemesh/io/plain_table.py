"""Structured arrays that show themselves as tables, where pandas is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kinemesh.io.html import entry, table_of, text_of

MOST = 60  # rows that are shown; of more the first and the last ENDS
ENDS = 5
WIDE = 100  # characters of a line; columns beyond stand in a block below
LONG = 40  # characters of a text
CUT = "..."


class PlainTable(np.ndarray[Any, Any]):
    """Structured array (rows,), whose columns by name are plain arrays."""

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        is_column = isinstance(found, PlainTable) and found.dtype.names is None
        return found.view(np.ndarray) if is_column else found

    def __repr__(self) -> str:
        if not self._is_table():
            return repr(self.view(np.ndarray))
        return "\n\n".join(self._blocks())

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """The table for a notebook."""
        assert self.dtype.names is not None
        return table_of(self.dtype.names, self._shown(), self._caption())

    def _is_table(self) -> bool:
        return self.dtype.names is not None and self.ndim == 1

    def _caption(self) -> str:
        """Number of rows, where not all are shown."""
        return f"{len(self)} rows" if len(self) > MOST else ""

    def _shown(self) -> list[list[Any]]:
        """Entries of the rows that are shown, texts cut where they are long."""
        assert self.dtype.names is not None
        rows = [[_short(value) for value in row] for row in self.view(np.ndarray).tolist()]
        if len(rows) <= MOST:
            return rows
        return [*rows[:ENDS], [CUT] * len(self.dtype.names), *rows[-ENDS:]]

    def _blocks(self) -> Iterator[str]:
        """Tables as texts of as many columns side by side as fit into a line."""
        names, shown = list(self.dtype.names or ()), self._shown()
        widths = [
            max(len(name), *(len(entry(row[k])) for row in shown), 0) if shown else len(name)
            for k, name in enumerate(names)
        ]
        begin = 0
        while begin < len(names):
            end, width = begin + 1, widths[begin]
            while end < len(names) and width + 2 + widths[end] <= WIDE:
                width += 2 + widths[end]
                end += 1
            caption = "" if begin else self._caption()
            yield text_of(names[begin:end], (row[begin:end] for row in shown), caption)
            begin = end


def _short(value: Any) -> Any:
    return f"{value[: LONG - 3]}{CUT}" if isinstance(value, str) and len(value) > LONG else value
