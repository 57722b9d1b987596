"""Tables of one mesh of parts for the connectivity, computed once: parts are rigid bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from kinemesh.overset.part_cells import Cells, PlaneCells, walls_of_part
from kinemesh.overset.part_solids import SolidCells
from kinemesh.overset.parts import Parts
from kinemesh.space.cell_rows import CellRows
from kinemesh.space.conditions.base import RIM
from kinemesh.space.distance import distances

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
CELLS = 10  # that a part without walls leaves to walls: layers on both sides of a change of owner
ROOTS: dict[int, Callable[[Floats], Floats]] = {2: np.sqrt, 3: np.cbrt}
CELLS_OF: dict[int, Callable[[Parts], Cells]] = {2: PlaneCells.of, 3: SolidCells.of}
NO_LAYER = 1 << 20  # of nodes of a part without an overset boundary


@dataclass(frozen=True, slots=True)
class Plan:
    """Tables of a mesh of parts.

    Parameters
    ----------
    cells : Cells                of the parts, in space their tetrahedra, ready to be searched
    layer : (nodes,) int32       layers of cells to the part's overset boundary, or NO_LAYER
    rank : (nodes,)              distance to the part's own walls [chord]; in a part without walls
                                 CELLS times the size where the background has walls, else the size
                                 times a number that makes it larger than any of these distances
    size : (nodes,)              root of a node's share of its cells' areas, or volumes [chord]
    across : (nodes,)            root of the mean area, or volume, of a node's cells [chord]
    wall : (nodes,) bool         on a wall
    offsets, neighbour           nodes that share a cell with each, CSR
    """

    cells: Cells
    layer: Ints
    rank: Floats
    size: Floats
    across: Floats
    wall: NDArray[np.bool_]
    offsets: Ints
    neighbour: Ints


def plan_of(mesh: Parts, rows: CellRows | None = None) -> Plan:
    """Tables of one mesh, of whose cells these are the `rows` (None: to be made).

    OversetError where its walls are not closed.
    """
    offsets, neighbour = (rows or CellRows.of_mesh(mesh)).others
    graph = sp.csr_matrix((np.ones(len(neighbour)), neighbour, offsets))
    layer, (size, across) = _layers(mesh, graph), _sizes(mesh)
    rank, wall = _ranks(mesh, size)
    cells = CELLS_OF[mesh.dimensions](mesh)
    return Plan(cells, layer, rank, size, across, wall, offsets, neighbour)


def away(graph: sp.csr_matrix, start: Ints) -> Ints:
    """(nodes,) layers of cells to the nearest of the nodes `start`; NO_LAYER where none is."""
    if not len(start):
        return np.full(graph.shape[0], NO_LAYER, np.int32)
    found = dijkstra(graph, unweighted=True, indices=start, min_only=True)
    return np.where(np.isinf(found), NO_LAYER, found).astype(np.int32)


def _layers(mesh: Parts, graph: sp.csr_matrix) -> Ints:
    return away(graph, nodes_of(mesh, mesh.of_role(RIM)))


def nodes_of(mesh: Parts, markers: Sequence[str]) -> Ints:
    """Nodes on some markers, each once."""
    facets = [mesh.boundaries[marker].ravel() for marker in markers]
    found = np.unique(np.concatenate([np.empty(0, np.int32), *facets]))
    return found[found >= 0]


def _sizes(mesh: Parts) -> tuple[Floats, Floats]:
    """Root of each node's equal share of the areas of its cells, in space of their volumes, and of
    the mean of these."""
    tables = list(mesh.blocks.values())
    sides = np.repeat([cells.shape[1] for cells in tables], [len(cells) for cells in tables])
    size = mesh.volumes if mesh.solids else mesh.areas
    corner = np.concatenate([cells.ravel() for cells in tables])
    share: Any = np.bincount(corner, np.repeat(size / sides, sides), mesh.nodes)
    total = np.bincount(corner, np.repeat(size, sides), mesh.nodes)
    root = ROOTS[mesh.dimensions]
    mean: Floats = total / np.bincount(corner)
    return root(share), root(mean)


def _ranks(mesh: Parts, size: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Rank of each node, its distance to walls or by cell size, and the mask of wall nodes.

    Where the background has walls a part without any would be last everywhere and solve nothing: it
    comes before walls that are more than CELLS of its cells away.
    """
    rank, wall = np.full(mesh.nodes, np.inf), np.zeros(mesh.nodes, bool)
    for number, name in enumerate(mesh.names):
        own, facets = slice(*mesh.first[number : number + 2]), walls_of_part(mesh, name)
        if len(facets):
            rank[own] = distances(mesh.points[own], mesh.points[facets])
            wall[facets] = True
    rank[wall] = 0.0
    open_ = np.isinf(rank)
    most = rank[~open_].max(initial=0.0)
    if open_.any():
        enclosed = mesh.walled[~mesh.outer].any()
        rank[open_] = size[open_] * (CELLS if enclosed else (2 * most or 1.0) / size.min())
    return rank, wall
