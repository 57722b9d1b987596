"""Connectivity of the cells of a mesh: which cell is across which edge, as flat tables.

Everything is sorted, so that the tables of several meshes side by side (an ensemble) are those of
each mesh with its numbers shifted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.dual import around, dual

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class CellFaces:
    """Tables of a mesh (or of several side by side).

    Parameters
    ----------
    lr : (faces, 2)             cells on both sides of an inner edge, lower number first; sorted
    ends : (faces, 2)           nodes of that edge, with the first cell on the left
    offsets : (cells+1,)        entries of each cell in `neighbour` and `edge`
    neighbour, edge : (2 faces,)  cells across the inner edges of each cell, and these edges
    outer : (k, 2)              nodes of the boundary's edges, domain on the left; sorted
    behind : (k,)               cell at each of them
    """

    lr: Ints
    ends: Ints
    offsets: Ints
    neighbour: Ints
    edge: Ints
    outer: Ints
    behind: Ints


def cell_faces(nodes: int, cells: Ints) -> CellFaces:
    """Tables of `cells` (cells, 4), fourth entry -1 for triangles, counter-clockwise."""
    own = dual(nodes, cells)
    inner = (own.cells_of_edge >= 0).all(axis=1)
    lr, ends = _turned(own.cells_of_edge[inner], own.lr[inner])
    order = np.lexsort((lr[:, 1], lr[:, 0]))
    lr, ends = lr[order], ends[order]
    # the outside is -1: turned like any other cell, it stands on the left
    sides, outer = _turned(own.cells_of_edge[~inner], own.lr[~inner])
    outer = outer[:, ::-1]
    order = np.lexsort((outer[:, 1], outer[:, 0]))
    return CellFaces(lr, ends, *around(lr, len(cells)), outer[order], sides[order, 1])


def _turned(sides: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Cells left and right of edges and their ends, turned to have the lower number on the left."""
    swap = sides[:, :1] > sides[:, 1:]
    return np.where(swap, sides[:, ::-1], sides), np.where(swap, ends[:, ::-1], ends)
