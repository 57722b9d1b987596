"""The Laplacian of a plane mesh by its facets, exact for linear fields (docs/theory.md, eq. 7.3).

Rigid motion leaves its numbers as they are, so it is made once, on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.csr import offsets_of
from kinemesh.device.threads import over
from kinemesh.mesh.facets import turned_right
from kinemesh.space.cell_rows import CellRows

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
CELLS = 1 << 12  # looked at together: what is made of them on the way stays in a core's cache


def laplacian(points: Floats, cells: Ints, rows: CellRows | None = None) -> sp.csr_matrix:
    """(nodes, nodes) sum over a node's edges of the derivative out of its dual through each.

    It has an entry for each pair of corners of a cell; columns of a row are sorted.

    Parameters
    ----------
    points : (nodes, 2);  cells : (cells, 4), fourth entry -1 of triangles
    rows : those of the cells; None: to be made
    """
    return summed(points, CellRows.of(len(points), cells) if rows is None else rows, in_cells)


def summed(points: Floats, rows: CellRows, make: Callable[[Floats], Floats]) -> sp.csr_matrix:
    """(nodes, nodes) sums over the cells of what they give, their corners by number of corners.

    Parameters
    ----------
    points : (nodes, dimensions);  rows : of the cells
    make : from corners (dimensions, corners, cells) to (corners, corners, cells)
    """
    own, squares = rows.corners, rows.corners.squares
    given, sizes = np.empty(squares[-1]), np.diff(own.starts)

    def fill(some: NDArray[np.intp]) -> None:
        """Write what cells of as many corners give."""
        count = int(sizes[some[0]])
        corners = own.nodes[own.starts[some][:, None] + np.arange(count)]
        found = make(points[corners].transpose(2, 1, 0)).transpose(2, 0, 1)
        given[squares[some][:, None] + np.arange(count**2)] = found.reshape(-1, count**2)

    alike = [np.flatnonzero(sizes == count) for count in np.unique(sizes)]
    some = (cells[k : k + CELLS] for cells in alike for k in range(0, len(cells), CELLS))
    for _ in over(fill, some):
        pass  # each has its own places of `given`
    shape = (len(points), len(points))
    return sp.csr_matrix((rows.sums(given), rows.column, rows.row), shape=shape)


def in_cells(corner: Floats) -> Floats:
    """(corners, corners, cells) derivatives out of the duals of corners by the values at corners.

    Parameters
    ----------
    corner : (2, corners, cells)
    """
    x = corner - corner[:, :1]  # about the first corner: no cancellation
    after, before = (np.roll(x, -way, axis=1) for way in (1, -1))
    d = after - x
    area = 0.5 * _turn(x[:, 1:-1], x[:, 2:]).sum(axis=0)
    weights = 0.5 * turned_right(after - before, 0) / area  # of the corners in the gradient
    # from an edge's middle to the mean
    S = turned_right(x.mean(axis=1, keepdims=True) - x - 0.5 * d, 0)
    ends = [(a, (a + 1) % x.shape[1]) for a in range(x.shape[1])]
    return through_facets(weights, S, d, ends)


def through_facets(
    weights: Floats, S: Floats, d: Floats, ends: Sequence[tuple[int, int]]
) -> Floats:
    """(corners, corners, cells) derivatives through facets at edges, out of duals (eq. 7.3).

    Parameters
    ----------
    weights : (dimensions, corners, cells)    of the corners in the gradient
    S, d : (dimensions, edges, cells)    area vectors and ways along the edges
    ends : of the edges
    """
    k = friction(S, d)
    leaning = S - k * d
    found = np.zeros((weights.shape[1], *weights.shape[1:]))
    for at, (a, b) in enumerate(ends):
        through = (weights * leaning[:, at, None]).sum(axis=0)
        through[a] -= k[at]
        through[b] += k[at]
        found[a] += through
        found[b] -= through
    return found


def _turn(u: Floats, v: Floats) -> Floats:
    """Cross products of vectors (2, ...)."""
    turned: Floats = u[0] * v[1] - u[1] * v[0]
    return turned


def friction(S: Floats, d: Floats) -> Floats:
    """k of facets (2, ...) [-]: |S|^2 / (S.d), or |S| / |d| where they point different ways."""
    along, size = (S * d).sum(axis=0), (S * S).sum(axis=0)
    other = np.sqrt(size / (d * d).sum(axis=0))
    k: Floats = np.where(along > 0, size / np.where(along > 0, along, 1.0), other)
    return k


def minus(matrix: sp.csr_matrix) -> sp.csr_matrix:
    """Minus a matrix, whose pattern is not copied."""
    return sp.csr_matrix((-matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)


def graph_of(matrix: sp.csr_matrix) -> tuple[Ints, Ints]:
    """Offsets and neighbours of the nodes by the entries of a matrix, without its diagonal."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int32), np.diff(matrix.indptr))
    off = rows != matrix.indices
    return offsets_of(rows[off], matrix.shape[0]), matrix.indices[off].astype(np.int32)
