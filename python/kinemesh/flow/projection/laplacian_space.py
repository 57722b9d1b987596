"""The Laplacian of a mesh in space by its facets, exact for linear fields (theory, eq. 7.3).

A cell's part of the dual's face across an edge is a facet; a cell's surface is fanned about the
means of its faces, as its dual is.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.csr import offsets_of
from kinemesh.flow.projection.laplacian import summed, through_facets
from kinemesh.mesh.kinds import OF_CORNERS
from kinemesh.mesh.solid_facets import facets, gradients
from kinemesh.space.cell_rows import CellRows

Floats = NDArray[np.float64]
ROUND_OFF = 1e-9  # of the smaller diagonal: 20 of the 27 entries of a row of cuboids are below


def laplacian(points: Floats, lr: NDArray[np.int32], rows: CellRows) -> sp.csr_matrix:
    """(nodes, nodes) sum over a node's edges of the derivative out of its dual through each.

    It has an entry for each edge, and for each pair of corners of a cell where that is more than
    round-off.

    Parameters
    ----------
    points : (nodes, 3);  lr : (edges, 2);  rows : of the cells
    """
    whole = summed(points, rows, in_cells)
    nodes = len(points)
    node = np.repeat(np.arange(nodes, dtype=np.int64), np.diff(whole.indptr))
    size, diagonal = np.abs(whole.data), -whole.diagonal()
    kept = size > ROUND_OFF * np.minimum(diagonal[node], diagonal[whole.indices])
    keys = node * nodes + whole.indices  # in order
    for i, j in (lr.T.astype(np.int64), lr.T[::-1].astype(np.int64)):
        kept[np.searchsorted(keys, i * nodes + j)] = True
    kept |= node == whole.indices
    other = sp.csr_matrix((np.arange(len(keys)), whole.indices, whole.indptr), shape=whole.shape)
    kept |= kept[other.T.tocsr().data]  # an entry has its opposite
    return sp.csr_matrix(
        (whole.data[kept], whole.indices[kept], offsets_of(node[kept], nodes)), shape=whole.shape
    )


def in_cells(corner: Floats) -> Floats:
    """(corners, corners, cells) derivatives out of the duals of corners by the values at corners.

    Parameters
    ----------
    corner : (3, corners, cells)
    """
    kind = OF_CORNERS[corner.shape[1]]
    x = np.moveaxis(corner - corner[:, :1], 0, -1)  # (corners, cells, 3), about the first corner
    area, ways = facets(x, kind)
    weights, S, d = (np.moveaxis(own, -1, 0) for own in (gradients(x, kind), area, ways))
    return through_facets(weights, S, d, kind.edges)
