"""Connectivity of the cells of a mesh: which cell is across which edge, as flat tables.

Everything is sorted, so that the tables of several meshes side by side (an ensemble) are those of
each mesh with its numbers shifted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.csr import offsets_of, ordered_pairs
from kinemesh.mesh.dual import around, dual

Ints = NDArray[np.int32]
Mirror = tuple[NDArray[np.float64], Ints]
"""Unit normal (3,) of planes of symmetry, and the nodes on them."""


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
    starts : (nodes+1,)         entries of each node in `about`
    about : (entries,)          cells at each node
    """

    lr: Ints
    ends: Ints
    offsets: Ints
    neighbour: Ints
    edge: Ints
    outer: Ints
    behind: Ints
    starts: Ints
    about: Ints


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
    at_boundary = outer[order], sides[order, 1]
    return CellFaces(lr, ends, *around(lr, len(cells)), *at_boundary, own.corner_offsets, own.cell)


LEAST = 0.1
"""Sum of the weights of a vertex over their number, below which it takes more cells."""
RINGS = 3
"""Most rings of cells that a vertex takes: in a corner of the boundary one cell is about it."""


def inner_of_quads(cells: Ints, faces: CellFaces) -> NDArray[np.bool_]:
    """(nodes,) True at nodes off the boundary that quadrilaterals alone are about.

    Weights of the cells about them are bounded (eq. 8.3a).
    """
    found = np.diff(faces.starts) > 0
    found[faces.outer] = False
    found[cells[cells[:, 3] < 0, :3]] = False
    return found


def told(
    points: NDArray[np.float64],
    centres: NDArray[np.float64],
    starts: Ints,
    about: Ints,
    mirror: Mirror | None = None,
    bounded: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """(nodes,) True where linear fields can be told at a node from the cells about it.

    The weights are those of `vertex_weights` (csrc/kernels/mesh/cells.h); nodes on planes of
    symmetry have images of the cells, too.  Where weights are `bounded` and the bound acts, more
    cells would be those of layers further away.
    """
    count = np.diff(starts)
    node = np.repeat(np.arange(len(count)), count)
    d = centres[about] - points[node]
    return TOLD[points.shape[1]](d, node, count, mirror, bounded)


def _told_of_plane(
    d: NDArray[np.float64], node: NDArray[Any], count: NDArray[Any], _: Any, bounded: Any
) -> NDArray[np.bool_]:
    """(nodes,) as of `told`, from the ways d (entries, 2) to the cells about nodes."""
    total = _total(node, count)
    (x, y), m = d.T, np.maximum(count, 1)
    xx, xy, yy, sx, sy = total(x * x), total(x * y), total(y * y), total(x), total(y)
    det = xx * yy - xy * xy
    safe = np.where(det > 1e-12 * (xx + yy) ** 2, det, np.inf)
    lean = np.stack([xy * sy - yy * sx, xy * sx - xx * sy], axis=1) / safe[:, None]
    share = 1 + (lean[:, 0] * sx + lean[:, 1] * sy) / m
    whole = share > LEAST
    if bounded is not None and bounded.any():
        whole |= bounded & _apart(node, (lean[node] * d).sum(axis=1), len(count))
    found: NDArray[np.bool_] = (count > 2) & np.isfinite(safe) & whole
    return found


def _told_of_space(
    ways: NDArray[np.float64], node: NDArray[Any], count: NDArray[Any], mirror: Any, bounded: Any
) -> NDArray[np.bool_]:
    """(nodes,) as of `told`, from the ways (entries, 3) to the cells about nodes."""
    unit, on = (np.zeros(3), np.empty(0, np.int32)) if mirror is None else mirror
    mirrored = np.zeros(len(count))
    mirrored[on] = 1.0
    # projections onto the normals of planes of symmetry, along which ways are none
    across = mirrored[:, None, None] * np.outer(unit, unit)
    d = (ways - (ways @ unit * mirrored[node])[:, None] * unit).T
    total = _total(node, count)
    side = np.stack([total(way) for way in d], axis=1)
    matrix = np.empty((len(count), 3, 3))
    for row, column in zip(*np.triu_indices(3), strict=True):
        matrix[:, row, column] = matrix[:, column, row] = total(d[row] * d[column])
    trace = np.trace(matrix, axis1=1, axis2=2)
    matrix += trace[:, None, None] * across
    some = np.where(across.any(axis=(1, 2)), 2, 3)
    safe = (count > some) & (np.linalg.det(matrix) > 1e-15 * trace**3)
    matrix[~safe] = np.eye(3)
    lean = np.linalg.solve(matrix, side[:, :, None])[..., 0]
    whole = 1 - (side * lean).sum(axis=1) / np.maximum(count, 1) > LEAST
    if bounded is not None and bounded.any():
        whole |= bounded & _apart(node, -(lean[node] * d.T).sum(axis=1), len(count))
    found: NDArray[np.bool_] = safe & whole
    return found


def _apart(node: NDArray[Any], part: NDArray[np.float64], nodes: int) -> NDArray[np.bool_]:
    """(nodes,) where the bound of weights acts, by the parts of weights (entries,) of cells."""
    least, most = np.zeros(nodes), np.zeros(nodes)
    np.minimum.at(least, node, part)
    np.maximum.at(most, node, part)
    return np.asarray(-least - most > 1)


TOLD = {2: _told_of_plane, 3: _told_of_space}


def _total(node: NDArray[Any], count: NDArray[Any]) -> Callable[[Any], NDArray[np.float64]]:
    """Sums over the entries of each node."""
    return lambda value: np.bincount(node, value, len(count)).astype(np.float64)


def wider(
    points: NDArray[np.float64],
    centres: NDArray[np.float64],
    faces: Any,
    mirror: Mirror | None = None,
    bounded: NDArray[np.bool_] | None = None,
) -> tuple[Ints, Ints]:
    """Cells about each node, and where a linear field cannot be told from them, those next to them.

    Cells at a wall are on one side of a node, and of a layer of quadrilaterals on one line.  Cells
    next to others share a node with them: on a mesh that is drawn out along the span they are those
    of the plane, in whole layers, and means of a flow that is plane are those of the plane.

    Returns
    -------
    starts (nodes+1,), about (entries,)
    """
    starts, about, (nodes, cells) = faces.starts, faces.about, (len(points), len(centres))
    corners = sp.csr_array((np.ones(len(about)), about, starts), shape=(nodes, cells))
    for _ in range(RINGS):
        few = ~told(points, centres, starts, about, mirror, bounded)
        if not few.any():
            break
        node = np.repeat(np.arange(nodes), np.diff(starts))
        there = few[node]
        own = sp.csr_array(
            (np.ones(there.sum()), (node[there], about[there])), shape=(nodes, cells)
        )
        more = (own @ corners.T @ corners).tocoo()
        node = np.concatenate([node[~there], more.row]).astype(np.int32)
        cell = np.concatenate([about[~there], more.col]).astype(np.int32)
        order, found = ordered_pairs(node, cell, max(nodes, cells))
        starts, about = found[: nodes + 1], cell[order]
    return starts, about


ENOUGH = 3
"""Cells that a gradient of least squares is fitted to: of two, errors at the boundary grow."""


def enough(faces: Any, least: int = ENOUGH) -> tuple[Ints, Ints, Ints]:
    """Cells across the faces of each cell, and where these are fewer than `least` those behind.

    Returns
    -------
    offsets (cells+1,), neighbour (entries,), edge (entries,) of the cell itself, on the way there
    """
    offsets, cells = faces.offsets, len(faces.offsets) - 1
    cell = np.repeat(np.arange(cells), np.diff(offsets))
    found = np.stack([cell, faces.neighbour, faces.edge], axis=1)
    for _ in range(RINGS):
        few = (np.bincount(found[:, 0], minlength=cells) < least)[found[:, 0]]
        if not few.any():
            break
        cell, there, edge = found[few].T
        count = np.diff(offsets)[there]
        at = np.repeat(offsets[there] - np.cumsum(count) + count, count) + np.arange(count.sum())
        own = np.repeat(cell, count)
        more = np.stack([own, faces.neighbour[at], np.repeat(edge, count)], axis=1)
        both = np.concatenate([found, more[more[:, 1] != own]])
        both = both[np.lexsort((both[:, 2], both[:, 1], both[:, 0]))]
        first = np.append(True, (np.diff(both[:, :2], axis=0) != 0).any(axis=1))
        found = both[first[: len(both)]]
    cell, neighbour, edge = found.T.astype(np.int32)
    return offsets_of(cell, cells), neighbour, edge


def _turned(sides: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Cells left and right of edges and their ends, turned to have the lower number on the left."""
    swap = sides[:, :1] > sides[:, 1:]
    return np.where(swap, sides[:, ::-1], sides), np.where(swap, ends[:, ::-1], ends)
