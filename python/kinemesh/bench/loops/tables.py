"""Tables between the cells, faces and vertices of a mesh, and weights of means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinemesh.bench.loops.topology import Ints, Measures, Topology, transposed
from kinemesh.csr import ordered
from kinemesh.mesh.dual import around

LEAST = 0.02  # sum of exact weights of a vertex over their number, as in mesh/cell_faces.py
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tables:
    """Tables of a topology by the names of fields, made where they are asked for."""

    top: Topology
    measures: Measures

    @cached_property
    def graph(self) -> tuple[Ints, Ints, Ints]:
        """`offsets`, `neighbour`, `edge`: cells across the faces of each cell, and these faces."""
        return around(self.top.pair[: self.top.edges], self.top.cells)

    @cached_property
    def skins(self) -> tuple[Ints, Ints, Ints]:
        """`skins`, `side`, `beyond`: all faces of each cell, and the cells beyond, -1: none."""
        n = self.top.cells
        pair = np.where(self.top.pair < 0, n, self.top.pair).astype(np.int32)
        offsets, beyond, side = around(pair, n + 1)
        count = offsets[n]
        beyond = np.where(beyond[:count] == n, -1, beyond[:count]).astype(np.int32)
        return offsets[: n + 1], side[:count], beyond

    @cached_property
    def abouts(self) -> tuple[Ints, Ints]:
        """`starts`, `about`: cells about each vertex."""
        return transposed(self.top.hulls, self.top.hull, len(self.top.vertex))

    @cached_property
    def fans(self) -> tuple[Ints, Ints]:
        """`fans`, `spoke`: faces at each vertex."""
        return transposed(self.top.rims, self.top.rim, len(self.top.vertex))

    @cached_property
    def outer(self) -> tuple[Ints, Ints]:
        """`outer_starts`, and the faces of the boundary in the order of their cells."""
        order, starts = ordered(self.top.pair[self.top.edges :, 0], self.top.cells)
        return starts, order

    def per_face(self) -> Floats:
        """(vertices,) inverse of how often cells count at a vertex in the loop over faces."""
        sides = 1.0 + (self.top.pair[:, 1] >= 0)
        weight = np.repeat(sides, np.diff(self.top.rims))
        return 1.0 / np.bincount(self.top.rim, weight, len(self.top.vertex))

    @cached_property
    def exact(self) -> tuple[Floats, Floats]:
        """`lean` (vertices, dimensions) and `per`: weights with which means are exact.

        1 + lean.(x - vertex), and the inverse of their sum; where cells do not tell a linear field,
        as in a corner, lean is zero: the plain mean (docs/theory.md, eq. 8.3).
        """
        starts, about = self.abouts
        vertex, x = self.top.vertex, self.measures.x
        n, d = vertex.shape
        count = np.diff(starts)
        node = np.repeat(np.arange(n, dtype=np.int32), count)
        way = [x[about, k] - vertex[node, k] for k in range(d)]
        total = np.stack([np.bincount(node, w, n) for w in way], axis=1)
        matrix = np.empty((n, d, d))
        for k in range(d):
            for m in range(k, d):
                matrix[:, k, m] = matrix[:, m, k] = np.bincount(node, way[k] * way[m], n)
        size = np.trace(matrix, axis1=1, axis2=2)
        told = (count > d) & (np.linalg.det(matrix) > 1e-12 * size**d)
        matrix[~told] = np.eye(d)
        lean = np.where(told[:, None], np.linalg.solve(matrix, -total[..., None])[..., 0], 0.0)
        weights = count + (lean * total).sum(axis=1)
        told &= weights > LEAST * count
        return np.where(told[:, None], lean, 0.0), 1.0 / np.where(told, weights, count)
