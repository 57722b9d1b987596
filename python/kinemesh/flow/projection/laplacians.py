"""The Laplacians of the meshes of a grid, made once by the dimension."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from kinemesh.flow.projection import laplacian, laplacian_space
from kinemesh.space.grid import Grid


def laplacians(grid: Grid) -> list[sp.csr_matrix]:
    """Laplacian of each distinct mesh."""
    tables = zip(grid.cell_rows, grid.duals, strict=True)
    each = {id(mesh): own for mesh, own in zip(grid.distinct, tables, strict=True)}

    def make(mesh: Any) -> sp.csr_matrix:
        rows, dual = each[id(mesh)]
        if mesh.dimensions == 3:
            return laplacian_space.laplacian(mesh.points, dual.lr, rows)
        return laplacian.laplacian(mesh.points, mesh.cells, rows)

    return grid.each("laplacian", make)
