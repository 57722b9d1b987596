"""Rows of matrices on the nodes of a plane mesh that are sums over its cells, made on the host."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.mesh.dual import Dual, dual

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class CellRows:
    """Nodes that share a cell with each node, and that itself.

    Parameters
    ----------
    cells : (cells, 4), fourth entry -1 of triangles
    own : Dual    of these cells

    Attributes
    ----------
    row : (nodes+1,), column : (entries,)    CSR, columns of a row in order
    """

    def __init__(self, cells: Ints, own: Dual) -> None:
        corners = np.ascontiguousarray(cells, np.int32)
        tables = {"offsets": own.corner_offsets, "cell": own.cell, "corners": corners}
        self._own: dict[str, Any] = tables
        self._corner = own.corner
        count = np.empty(len(own.corner_offsets) - 1, np.int32)
        self._call("counts", count=count)
        self.row = np.zeros(len(count) + 1, np.int32)
        np.cumsum(count, out=self.row[1:])
        self.column = np.empty(self.row[-1], np.int32)
        self._call("columns", row=self.row, found=self.column)

    @classmethod
    def of(cls, nodes: int, cells: Ints) -> CellRows:
        """Rows of a mesh whose tables nobody has."""
        corners = cells.astype(np.int32)
        return cls(corners, dual(nodes, corners))

    def sums(self, given: Floats) -> Floats:
        """(entries,) sums of what cells give, in the order of the cells.

        Parameters
        ----------
        given : (cells, 4, 4) to the row of the first corner from the second one; of triangles the
            fourth ones are not looked at
        """
        entries = np.empty(len(self.column))
        there: Any = {"row": self.row, "column": self.column, "corner": self._corner}
        self._call("sums", **there, given=given.reshape(-1, 16), entries=entries)
        return entries

    @cached_property
    def others(self) -> tuple[Ints, Ints]:
        """Offsets and columns without the node itself."""
        every = np.arange(len(self.row), dtype=np.int32)
        node = np.repeat(every[:-1], np.diff(self.row))
        return self.row - every, self.column[self.column != node]

    def _call(self, what: str, **fields: Any) -> None:
        """Run a kernel of the rows (csrc/kernels/mesh/cell_rows.h) on the host."""
        Backend("cpu").bind(f"cell_row_{what}", **self._own, **fields)()
