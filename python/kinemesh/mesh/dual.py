"""Connectivity of the median dual: neighbours of nodes as flat tables (docs/theory.md, 2.3).

Everything is sorted by node, so that the tables of several meshes side by side (an ensemble) are
those of each mesh with its numbers shifted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import offsets_of, ordered, ordered_pairs
from kinemesh.errors import MeshError
from kinemesh.sentences import NODE

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Dual:
    """Tables of a mesh (or of several side by side).

    Parameters
    ----------
    lr : (edges, 2)             nodes of an edge, lower number first; sorted
    cells_of_edge : (edges, 2)  cell on the left and right of the edge; -1 outside
    offsets : (nodes+1,)        entries of each node in `neighbour` and `edge`
    neighbour, edge : (2 edges,)
    corner_offsets : (nodes+1,) entries of each node in `cell` and `corner`
    cell, corner : (corner_entries,)  cells of a node and which corner of them it is
    """

    lr: Ints
    cells_of_edge: Ints
    offsets: Ints
    neighbour: Ints
    edge: Ints
    corner_offsets: Ints
    cell: Ints
    corner: Ints


def dual(nodes: int, cells: Ints) -> Dual:
    """Tables of `cells` (cells, 4), fourth entry -1 for triangles, counter-clockwise."""
    sizes = np.where(cells[:, 3] < 0, 3, 4)
    cell = np.repeat(np.arange(len(cells), dtype=np.int32), sizes)
    there = cells >= 0
    corner = np.broadcast_to(np.arange(4, dtype=np.int32), cells.shape)[there]
    after = np.where(there, cells, cells[:, :1])[:, [1, 2, 3, 0]]
    a, b = cells[there], after[there]
    low, high = np.minimum(a, b), np.maximum(a, b)
    order, _ = ordered_pairs(low, high, nodes)
    low, high = low[order], high[order]
    new = np.ones(len(order), bool)
    new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    lr = np.stack([low[new], high[new]], axis=1)
    sides = np.full(2 * len(lr), -1, np.int32)
    sides[2 * (np.cumsum(new) - 1) + (a > b)[order]] = cell[order]

    offsets, neighbour, edge = around(lr, nodes)
    by_node, corner_offsets = ordered(a, nodes)
    return Dual(
        lr=lr,
        cells_of_edge=sides.reshape(-1, 2),
        offsets=offsets,
        neighbour=neighbour,
        edge=edge,
        corner_offsets=corner_offsets,
        cell=cell[by_node],
        corner=corner[by_node],
    )


def around(lr: Ints, items: int) -> tuple[Ints, Ints, Ints]:
    """Neighbours of each item from pairs of items (pairs, 2).

    Returns
    -------
    offsets (items+1,), neighbour, edge (2 pairs,) [number of the pair]; by item and neighbour
    """
    ends = np.concatenate([lr[:, 0], lr[:, 1]])
    others = np.concatenate([lr[:, 1], lr[:, 0]])
    order, offsets = ordered_pairs(ends, others, items)
    edge = np.where(order < len(lr), order, order - len(lr))
    return offsets, others[order], edge


def boundary_nodes(nodes: int, edges: Ints, body: Ints) -> tuple[Ints, Ints, Ints]:
    """Nodes of boundary edges with their neighbours along the boundary.

    Parameters
    ----------
    edges : (k, 2)    domain on the left
    body : (k,)       number of the body of each edge

    Returns
    -------
    node (b,), ends (b, 2) [before, after; -1 where the boundary ends], body (b,); by body and node
    """
    ends = np.full((nodes, 2), -1, np.int32)
    for column, (at, other) in enumerate(((edges[:, 1], edges[:, 0]), (edges[:, 0], edges[:, 1]))):
        twice = np.flatnonzero(np.bincount(at, minlength=nodes) > 1)
        if len(twice):
            raise MeshError(
                NODE,
                f" {twice[0]} has two boundary edges that {('end', 'start')[column]} there; "
                "expected boundaries that do not touch: move the bodies apart",
            )
        ends[at, column] = other
    owner = np.full(nodes, -1, np.int32)
    owner[edges[:, 0]] = body
    owner[edges[:, 1]] = np.maximum(owner[edges[:, 1]], body)
    found = np.flatnonzero(owner >= 0)
    node: Ints = found[np.lexsort((found, owner[found]))].astype(np.int32)
    return node, ends[node], owner[node].astype(np.int32)


def boundary_points(points: int, facets: Ints, body: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Points of boundary triangles with their triangles.

    Parameters
    ----------
    facets : (k, 3)   area vectors out of the fluid
    body : (k,)       number of the body of each triangle

    Returns
    -------
    node (b,), offsets (b+1,), corners (3 k, 2) [the other two points of each triangle of a point,
    by the right hand], body (b,); by body and node
    """
    at = facets.T.ravel()
    others = np.concatenate([facets[:, [1, 2]], facets[:, [2, 0]], facets[:, [0, 1]]])
    owner = np.full(points, -1, np.int64)
    np.maximum.at(owner, at, np.tile(body, 3))
    found = np.flatnonzero(owner >= 0)
    node = found[np.lexsort((found, owner[found]))].astype(np.int32)
    place = np.empty(points, np.int64)
    place[node] = np.arange(len(node))
    order = np.lexsort((np.tile(np.arange(len(facets)), 3), place[at]))
    offsets = offsets_of(place[at][order], len(node))
    return node, offsets, others[order].astype(np.int32), owner[node].astype(np.int32)
