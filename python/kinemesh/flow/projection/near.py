"""Cells and nodes near walls, of which alone the last residual of a step is asked: loads are it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinemesh.space.grid import Grid


class Near(NamedTuple):
    """Marks of what kernels go over; None: all of it.

    Parameters
    ----------
    cells, nodes : where gradients are asked, (cells,) and (nodes,) int32 device arrays
    walls : (nodes,) where residuals are
    """

    cells: Any = None
    nodes: Any = None
    walls: Any = None

    @classmethod
    def walls_of(cls, grid: Grid) -> Near:
        """Nodes of walls, these with the nodes across their edges, and all cells of both."""
        dual, walls = grid.dual, np.zeros(grid.nodes, np.int32)
        walls[grid.wall.node] = 1
        nodes, cells = walls.copy(), np.zeros(len(grid.vertices.cells), np.int32)
        nodes[dual.lr[walls[dual.lr].any(axis=1)]] = 1
        cells[dual.cell[np.repeat(nodes, np.diff(dual.corner_offsets)) > 0]] = 1
        return cls(*map(grid.backend.table, (cells, nodes, walls)))


EVERYWHERE = Near()
