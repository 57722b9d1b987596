"""Edges of cells in space, and diagonals by which triangles of walls divide faces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.edges import edge_keys
from kinemesh.mesh.kinds import OF_CORNERS


def edges_of(cells: NDArray[Any], nodes: NDArray[Any], total: int) -> NDArray[Any]:
    """(k, 2) edges of cells in space, both of whose ends are of `nodes`, each once, lower first."""
    inside = np.zeros(total, bool)
    inside[nodes] = True
    count = (cells >= 0).sum(axis=1)
    each = [np.empty((0, 2), cells.dtype)]
    for corners, kind in OF_CORNERS.items():
        pairs = cells[count == corners][:, np.array(kind.edges)].reshape(-1, 2) if (
            corners <= cells.shape[1]) else each[0]  # fmt: skip
        each.append(pairs[inside[pairs].all(axis=1)])
    return np.unique(np.sort(np.concatenate(each), axis=1), axis=0)


def diagonals_of(
    cells: NDArray[Any], walls: NDArray[Any], skin: NDArray[Any], total: int
) -> NDArray[Any]:
    """(d, 2) sides of the triangles of a skin that are no edges of cells; `walls` has the skin's
    triangles by the numbers of the cells' corners."""
    sides, own = (np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]) for t in (walls, skin))
    edges = edge_keys(edges_of(cells, np.unique(walls), total), total)
    return np.asarray(own[~np.isin(edge_keys(sides, total), edges)])
