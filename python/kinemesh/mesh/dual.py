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
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.mesh import Mesh
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
    sides[2 * (np.cumsum(new, dtype=np.int32) - 1) + (a > b)[order]] = cell[order]

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


@dataclass(frozen=True, slots=True)
class SolidDual:
    """Tables of a mesh in space (or of several side by side).

    Parameters
    ----------
    lr : (edges, 2)             nodes of an edge, lower number first; sorted
    offsets : (nodes+1,)        entries of each node in `neighbour` and `edge`
    neighbour, edge : (2 edges,)
    first : (cells+1,)          entries of each cell in `corner`; their number tells its kind
    corner : (corners,)         nodes of the cells, as `kinds.py` has them
    ring_offsets : (edges+1,)   entries of each edge in `ring_cell` and `ring_local`
    ring_cell : (entries,)      cells at an edge, by number
    ring_local : (entries,)     twice the number of the edge in that cell, and 1 more where the cell
        has it from the higher node to the lower
    """

    lr: Ints
    offsets: Ints
    neighbour: Ints
    edge: Ints
    first: Ints
    corner: Ints
    ring_offsets: Ints
    ring_cell: Ints
    ring_local: Ints


def solid_dual(mesh: Mesh) -> SolidDual:
    """Tables of a mesh in space, its cells by kind in the order of `mesh.blocks`."""
    ends, cell, local, begun = [], [], [], 0
    for name, cells in mesh.solids.items():
        edges = KINDS[name].edges
        ends.append(cells[:, np.array(edges)].reshape(-1, 2))
        cell.append(np.repeat(np.arange(begun, begun + len(cells), dtype=np.int32), len(edges)))
        local.append(np.tile(np.arange(len(edges), dtype=np.int32), len(cells)))
        begun += len(cells)
    pairs, of, which = np.concatenate(ends), np.concatenate(cell), np.concatenate(local)
    del ends, cell, local
    which *= 2
    which += pairs[:, 0] > pairs[:, 1]
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    del pairs
    order, _ = ordered_pairs(low, high, mesh.nodes)
    low, high, of, which = low[order], high[order], of[order], which[order]
    new = np.ones(len(order), bool)
    new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    lr = np.stack([low[new], high[new]], axis=1)
    ring_offsets = np.append(np.flatnonzero(new), len(new)).astype(np.int32)
    sizes = [np.full(len(cells), cells.shape[1]) for cells in mesh.solids.values()]
    first = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int32)
    corner = np.concatenate([cells.ravel() for cells in mesh.solids.values()])
    return SolidDual(lr, *around(lr, mesh.nodes), first, corner, ring_offsets, of, which)


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


def boundary_faces(nodes: int, faces: Ints, body: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Nodes of boundary faces with their faces.

    Parameters
    ----------
    faces : (k, 4)   -1 as fourth entry of triangles; area vectors out of the fluid
    body : (k,)      number of the body of each face

    Returns
    -------
    node (b,), offsets (b+1,), corners (entries, 3) [the next and the previous corner of each face
    of a node, by the right hand, then the one across, -1 in triangles], body (b,); by body and node
    """
    at, corners, of, whose = [], [], [], []
    for sides in (3, 4):
        own = np.flatnonzero((faces[:, 3] < 0) == (sides == 3))
        ring = faces[own, :sides]
        for k in range(sides):
            after, before = ring[:, (k + 1) % sides], ring[:, k - 1]
            across = ring[:, (k + 2) % 4] if sides == 4 else np.full(len(own), -1)
            at.append(ring[:, k])
            corners.append(np.stack([after, before, across], axis=1))
            of.append(own)
            whose.append(body[own])
    node_of, face, owners = np.concatenate(at), np.concatenate(of), np.concatenate(whose)
    owner = np.full(nodes, -1, np.int64)
    np.maximum.at(owner, node_of, owners)
    found = np.flatnonzero(owner >= 0)
    node = found[np.lexsort((found, owner[found]))].astype(np.int32)
    place = np.empty(nodes, np.int64)
    place[node] = np.arange(len(node))
    order = np.lexsort((face, place[node_of]))
    offsets = offsets_of(place[node_of][order], len(node))
    table = np.concatenate(corners)[order].astype(np.int32)
    return node, offsets, table, owner[node].astype(np.int32)
