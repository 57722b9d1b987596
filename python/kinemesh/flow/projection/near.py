"""Nodes near walls, of which alone the last residual of a step is asked: loads are taken of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.space.grid import Grid


def near_walls(grid: Grid) -> Any:
    """(nodes,) int32 device array: 2 at nodes of walls, where residuals are asked, and 1 at the
    nodes across their edges, where gradients are too; 0 elsewhere."""
    lr, found = grid.lr, np.zeros(grid.nodes, np.int32)
    walls = np.zeros(grid.nodes, bool)
    walls[grid.wall.node] = True
    found[lr[walls[lr].any(axis=1)]] = 1
    found[walls] = 2
    return grid.backend.table(found)
