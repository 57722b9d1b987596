"""Rows of matrices on the nodes of a mesh that are sums over its cells, made on the host."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.device.backend import Backend
from kinemesh.mesh.dual import Dual, SolidDual, dual, solid_dual
from kinemesh.mesh.mesh import Mesh

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Corners:
    """Cells of a mesh, and of each node the cells that it is a corner of.

    Parameters
    ----------
    starts, nodes : (cells+1,), (corners,)    nodes of the cells
    offsets : (nodes+1,), cell, corner : (corners,)    cells of a node, and which corner it is
    """

    starts: Ints
    nodes: Ints
    offsets: Ints
    cell: Ints
    corner: Ints

    @classmethod
    def of_plane(cls, cells: Ints, own: Dual) -> Corners:
        """Corners of cells (cells, 4), fourth entry -1 of triangles, that have this dual."""
        there = cells >= 0
        starts = np.zeros(len(cells) + 1, np.int32)
        np.cumsum(there.sum(axis=1), out=starts[1:])
        nodes = cells[there].astype(np.int32)
        return cls(starts, nodes, own.corner_offsets, own.cell, own.corner)

    @classmethod
    def of_solids(cls, own: SolidDual) -> Corners:
        """Corners of the cells of a mesh in space, from its tables."""
        sizes = np.diff(own.first)
        cell = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        place = np.arange(len(own.corner), dtype=np.int32) - own.first[cell]
        order, offsets = ordered(own.corner, len(own.offsets) - 1)
        return cls(own.first, own.corner, offsets, cell[order], place[order])

    @property
    def squares(self) -> Ints:
        """(cells+1,) offsets of what each cell gives from each of its corners to each."""
        found = np.zeros(len(self.starts), np.int32)
        np.cumsum(np.diff(self.starts) ** 2, out=found[1:])
        return found


class CellRows:
    """Nodes that share a cell with each node, and that itself.

    Parameters
    ----------
    corners : Corners

    Attributes
    ----------
    row : (nodes+1,), column : (entries,)    CSR, columns of a row in order
    """

    def __init__(self, corners: Corners) -> None:
        self.corners = corners
        self._own: dict[str, Any] = {
            "offsets": corners.offsets,
            "cell": corners.cell,
            "cell_starts": corners.starts,
            "cell_nodes": corners.nodes,
        }
        count = np.empty(len(corners.offsets) - 1, np.int32)
        self._call("counts", count=count)
        self.row = np.zeros(len(count) + 1, np.int32)
        np.cumsum(count, out=self.row[1:])
        self.column = np.empty(self.row[-1], np.int32)
        self._call("columns", row=self.row, found=self.column)

    @classmethod
    def of(cls, nodes: int, cells: Ints) -> CellRows:
        """Rows of a mesh in the plane whose tables nobody has."""
        corners = cells.astype(np.int32)
        return cls(Corners.of_plane(corners, dual(nodes, corners)))

    @classmethod
    def of_mesh(cls, mesh: Mesh) -> CellRows:
        """Rows of a mesh whose tables nobody has."""
        return (
            cls(Corners.of_solids(solid_dual(mesh)))
            if mesh.solids
            else cls.of(mesh.nodes, mesh.cells)
        )

    def sums(self, given: Floats) -> Floats:
        """(entries,) sums of what cells give, in the order of the cells.

        Parameters
        ----------
        given : (entries of `Corners.squares`,)    of each cell, to the row of each corner from each
        """
        entries = np.empty(len(self.column))
        there: Any = {"row": self.row, "column": self.column, "corner": self.corners.corner}
        there["squares"] = self.corners.squares
        self._call("sums", **there, given=given, entries=entries)
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
