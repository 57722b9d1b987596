"""Tables of one mesh of parts for the connectivity, computed once: parts are rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from kinemesh.overset.bins import Bins, bins_of
from kinemesh.overset.parts import Parts
from kinemesh.overset.solids import loops_of, within
from kinemesh.space.cell_rows import CellRows
from kinemesh.space.conditions.base import RIM
from kinemesh.space.distance import distances

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
CELLS = 10  # that a part without walls leaves to walls: layers on both sides of a change of owner
NO_LAYER = 1 << 20  # of nodes of a part without an overset boundary


@dataclass(frozen=True, slots=True)
class Plan:
    """Tables of a mesh of parts.

    Parameters
    ----------
    corners : (cells, 4) int32   of each part in turn its cells, then triangles within its walls
    bins : of each part, of these cells, counted from the part's first
    first, solid : (parts,)      first cell of each part, and first triangle within its walls
    layer : (nodes,) int32       layers of cells to the part's overset boundary, or NO_LAYER
    rank : (nodes,)              distance to the part's own walls [chord]; in a part without walls
                                 CELLS times the size where the background has walls, else the size
                                 times a number that makes it larger than any of these distances
    size : (nodes,)              root of a node's share of its cells' areas [chord]
    across : (nodes,)            root of the mean area of a node's cells [chord]
    wall : (nodes,) bool         on a wall
    offsets, neighbour           nodes that share a cell with each, CSR
    """

    corners: Ints
    bins: list[Bins]
    first: Ints
    solid: Ints
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
    cells, bins, first, solid = _grids(mesh)
    offsets, neighbour = (rows or CellRows.of(mesh.nodes, mesh.cells)).others
    graph = sp.csr_matrix((np.ones(len(neighbour)), neighbour, offsets))
    layer, (size, across) = _layers(mesh, graph), _sizes(mesh)
    rank, wall = _ranks(mesh, size)
    return Plan(
        np.concatenate(cells).astype(np.int32),
        bins,
        np.array(first, np.int32),
        np.array(solid, np.int32),
        layer,
        rank,
        size,
        across,
        wall,
        offsets,
        neighbour,
    )


def walls_of_part(mesh: Parts, name: str) -> Ints:
    """(k, 2) edges of a part's walls, the fluid on their left."""
    return mesh.boundaries.get(name, np.empty((0, 2), np.int32))


def _grids(mesh: Parts) -> tuple[list[Ints], list[Bins], list[int], list[int]]:
    """Cells of each part, their bins, the first cell and the first triangle within walls."""
    every, part = mesh.cells, mesh.part
    cells: list[Ints] = []
    bins, first, solid, count = [], [], [], 0
    for number, name in enumerate(mesh.names):
        begin, end = mesh.first[number : number + 2]
        own = every[part[every[:, 0]] == number]
        body = np.pad(_within(mesh, name), ((0, 0), (0, 1)), constant_values=-1)
        both = np.concatenate([own, body])
        local = np.where(both < 0, both, both - begin).astype(np.int32)
        bins.append(bins_of(mesh.points[begin:end], local))
        first.append(count)
        solid.append(count + len(own))
        count += len(both)
        cells.append(both)
    return cells, bins, first, solid


def _within(mesh: Parts, name: str) -> Ints:
    """Triangles within the walls of a part; a background's may end at its far field."""
    edges = walls_of_part(mesh, name)
    if not mesh.outer[mesh.names.index(name)]:
        edges = _closed(edges)
    return within(mesh.points, loops_of(mesh.points, edges, name), name)


def _closed(edges: Ints) -> Ints:
    """The edges of closed runs."""
    while len(edges):
        inner = np.isin(edges[:, 0], edges[:, 1]) & np.isin(edges[:, 1], edges[:, 0])
        if inner.all():
            break
        edges = edges[inner]
    return edges


def away(graph: sp.csr_matrix, start: Ints) -> Ints:
    """(nodes,) layers of cells to the nearest of the nodes `start`; NO_LAYER where none is."""
    if not len(start):
        return np.full(graph.shape[0], NO_LAYER, np.int32)
    found = dijkstra(graph, unweighted=True, indices=start, min_only=True)
    return np.where(np.isinf(found), NO_LAYER, found).astype(np.int32)


def _layers(mesh: Parts, graph: sp.csr_matrix) -> Ints:
    edges = [mesh.boundaries[marker] for marker in mesh.of_role(RIM)]
    return away(graph, np.unique(np.concatenate([np.empty((0, 2), np.int32), *edges])))


def _sizes(mesh: Parts) -> tuple[Floats, Floats]:
    """Root of each node's equal share of the areas of its cells, and of the mean of these."""
    cells, area = mesh.cells, mesh.areas
    there = cells >= 0
    sides, corner = there.sum(axis=1), cells[there]
    share = np.bincount(corner, np.repeat(area / sides, sides), mesh.nodes)
    total = np.bincount(corner, np.repeat(area, sides), mesh.nodes)
    return np.sqrt(share), np.sqrt(total / np.bincount(corner))


def _ranks(mesh: Parts, size: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Rank of each node, its distance to walls or by cell size, and the mask of wall nodes.

    Where the background has walls a part without any would be last everywhere and solve nothing: it
    comes before walls that are more than CELLS of its cells away.
    """
    rank, wall = np.full(mesh.nodes, np.inf), np.zeros(mesh.nodes, bool)
    for number, name in enumerate(mesh.names):
        own, edges = slice(*mesh.first[number : number + 2]), walls_of_part(mesh, name)
        if len(edges):
            rank[own] = distances(mesh.points[own], mesh.points[edges])
            wall[edges] = True
    rank[wall] = 0.0
    open_ = np.isinf(rank)
    most = rank[~open_].max(initial=0.0)
    if open_.any():
        enclosed = mesh.walled[~mesh.outer].any()
        rank[open_] = size[open_] * (CELLS if enclosed else (2 * most or 1.0) / size.min())
    return rank, wall
