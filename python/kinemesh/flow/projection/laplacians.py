"""Laplacians of the meshes of a grid, by their dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp

from kinemesh.flow.projection import laplacian, laplacian_space
from kinemesh.space.cell_rows import CellRows
from kinemesh.space.grid import Grid

OF: dict[int, Callable[[Any, CellRows, Any], sp.csr_matrix]] = {
    2: lambda mesh, rows, dual: laplacian.laplacian(mesh.points, mesh.cells, rows),
    3: lambda mesh, rows, dual: laplacian_space.laplacian(mesh.points, dual.lr, rows),
}


def laplacians(grid: Grid) -> list[sp.csr_matrix]:
    """Laplacian of each distinct mesh, made once."""
    tables = zip(grid.cell_rows, grid.duals, strict=True)
    each = {id(mesh): own for mesh, own in zip(grid.distinct, tables, strict=True)}
    return grid.each("laplacian", lambda mesh: OF[mesh.dimensions](mesh, *each[id(mesh)]))


FULL = {2: True, 3: False}
"""True where Laplacians have an entry for each pair of nodes that share a cell, by dimensions."""
