"""Thin triangles on curved layers, where the gradients of a flow are unstable.

docs/convergence.md has the growth rates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.dual import dual
from kinemesh.mesh.mesh import Mesh

THIN = 10.0  # third shortest edge of a node over its shortest
CURVED = 1.0  # what a layer's neighbours lie off its tangent, over the shortest edge


def curved_triangles(mesh: Mesh) -> NDArray[np.int64]:
    """Nodes of triangles that are thin, and whose layer curves by more than its thickness."""
    tables = dual(mesh.nodes, mesh.cells)
    offsets, neighbour = tables.offsets, tables.neighbour
    ends = np.repeat(np.arange(mesh.nodes), np.diff(offsets))
    to = mesh.points[neighbour] - mesh.points[ends]
    length = np.hypot(*to.T)
    order = np.lexsort((length, ends))
    shortest = order[offsets[:-1]]
    third = order[np.minimum(offsets[:-1] + 2, offsets[1:] - 1)]
    height = length[shortest]
    across = to[shortest] / height[:, None]
    off = (across[ends] * to).sum(axis=1)
    along = off**2 < 0.75 * length**2  # within 60 degrees of the layer
    mean = np.abs(np.bincount(ends, along * off)) / np.maximum(np.bincount(ends, along), 1)
    found = (length[third] >= THIN * height) & (mean >= CURVED * height)
    triangles = np.zeros(mesh.nodes, bool)
    triangles[mesh.triangles] = True
    return np.flatnonzero(found & triangles)
