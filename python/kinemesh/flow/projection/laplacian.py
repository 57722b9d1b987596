"""The Laplacian of a plane mesh by its facets, exact for linear fields (docs/theory.md, eq. 7.3).

Rigid motion leaves its numbers as they are, so it is made once, on the host.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.csr import offsets_of
from kinemesh.mesh.dual import Dual

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
EDGES = 1 << 14  # edges whose facets are looked at together, which bounds the memory


def cell_weights(points: Floats, cells: Ints) -> Floats:
    """(cells, 4, 2) weights of a cell's corners in its gradient; zero for none."""
    four = cells[:, 3] >= 0
    corner = np.where(cells < 0, cells[:, :1], cells)
    x = points[corner]
    after, before = np.array([1, 2, 3, 0]), np.array([3, 0, 1, 2])
    t = x[:, after] - x[:, before]
    three = ~four
    t[three] = 0.0
    for k, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
        t[three, k] = x[three, a] - x[three, b]
    normal = 0.5 * np.stack([t[..., 1], -t[..., 0]], axis=-1)
    d = x - x[:, :1]
    area = 0.5 * (d[:, 1, 0] * d[:, 2, 1] - d[:, 1, 1] * d[:, 2, 0])
    area[four] += 0.5 * (d[:, 2, 0] * d[:, 3, 1] - d[:, 2, 1] * d[:, 3, 0])[four]
    return normal / area[:, None, None]


def laplacian(points: Floats, cells: Ints, dual: Dual) -> sp.csr_matrix:
    """(nodes, nodes) sum over a node's edges of the derivative out of its dual through each.

    It has an entry for each pair of corners of a cell; columns of a row are sorted.
    """
    corner = np.where(cells < 0, cells[:, :1], cells)
    count = np.where(cells[:, 3] < 0, 3, 4)
    local = points[corner] - points[corner[:, :1]]
    mean = local[:, :3].sum(axis=1) + np.where((count == 4)[:, None], local[:, 3], 0.0)
    mean = points[corner[:, 0]] + mean / count[:, None]
    weights = cell_weights(points, cells)
    sides = [np.flatnonzero(c >= 0) for c in dual.cells_of_edge.T]
    sizes = [int((count[c[c >= 0]] + 2).sum()) for c in dual.cells_of_edge.T]
    row, column = np.empty((2, 2 * sum(sizes)), np.int32)
    data, first = np.empty(2 * sum(sizes)), 0
    for side, (edges, size) in enumerate(zip(sides, sizes, strict=True)):
        for there in np.split(edges, range(EDGES, len(edges), EDGES)):
            c, (i, j) = dual.cells_of_edge[there, side], dual.lr[there].T
            S, d = _facets(points, mean[c], i, j, 1 - 2 * side)
            k = friction(S, d)
            share = np.einsum("eka,ea->ek", weights[c], S - k[:, None] * d)
            at = np.concatenate([corner[c], i[:, None], j[:, None]], axis=1)
            value = np.concatenate([share, -k[:, None], k[:, None]], axis=1)
            real = np.ones(at.shape, bool)
            real[:, 3] = count[c] == 4
            at, value = at[real], value[real]
            for own, sign, begin in ((i, 1.0, first), (j, -1.0, first + size)):
                here = slice(begin, begin + len(at))
                row[here], column[here] = np.repeat(own, count[c] + 2), at
                data[here] = sign * value
            first += len(at)
        first += size
    found = sp.coo_matrix((data, (row, column)), shape=(len(points), len(points))).tocsr()
    found.sort_indices()
    return found


def _facets(points: Floats, mean: Floats, i: Ints, j: Ints, sign: int) -> tuple[Floats, Floats]:
    """Area vectors of the facets from the middles of edges i, j to cells' means; j - i."""
    d = points[j] - points[i]
    t = mean - points[i] - 0.5 * d
    return sign * np.stack([t[:, 1], -t[:, 0]], axis=1), d


def friction(S: Floats, d: Floats) -> Floats:
    """k of each facet [-]: |S|^2 / (S.d), or |S| / |d| where they do not point the same way."""
    along, size = (S * d).sum(axis=1), (S * S).sum(axis=1)
    other = np.sqrt(size / (d * d).sum(axis=1))
    return np.where(along > 0, size / np.where(along > 0, along, 1.0), other)


def graph_of(matrix: sp.csr_matrix) -> tuple[Ints, Ints]:
    """Offsets and neighbours of the nodes by the entries of a matrix, without its diagonal."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    off = rows != matrix.indices
    return offsets_of(rows[off], matrix.shape[0]), matrix.indices[off].astype(np.int32)
