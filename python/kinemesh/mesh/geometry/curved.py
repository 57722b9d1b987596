"""Thin cells on curved layers, where the gradients of a flow are unstable.

docs/convergence.md has the growth rates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kinemesh._core import LAYER_ALONG, LAYER_NEARLY
from kinemesh.mesh.mesh import Mesh

THIN = 10.0  # third shortest edge of a node over its shortest
CURVED = 1.0  # what a layer's neighbours lie off its tangent, over the shortest edge


@dataclass(frozen=True, slots=True)
class Layers:
    """Nodes of thin layers, each with its neighbours.

    Parameters
    ----------
    node : (k,)             their numbers
    row, neighbour : (n,)   of each pair, by rows: its node's place among these, and the neighbour
    along : (n,) bool       whether the neighbour lies along the layer
    beside : (n,)           place of the neighbour among these, where it lies along the layer and is
                            one of them, else that of the node
    """

    node: NDArray[np.int64]
    row: NDArray[np.int64]
    neighbour: NDArray[np.int64]
    along: NDArray[np.bool_]
    beside: NDArray[np.int64]

    @classmethod
    def of(cls, mesh: Mesh) -> Layers:
        """Layers of a mesh."""
        ends, neighbour = uneven_pairs(mesh)
        node, start, count = np.unique(ends, return_index=True, return_counts=True)
        to = mesh.points[neighbour] - mesh.points[ends]
        length = np.hypot(*to.T)
        by_length = length[np.lexsort((length, ends))]
        shortest, third = by_length[start], by_length[start + np.minimum(2, count - 1)]
        thin = third >= THIN * shortest
        mine = np.repeat(thin, count)
        row, to, length = np.repeat(np.cumsum(thin) - 1, count)[mine], to[mine], length[mine]
        node, shortest = node[thin], np.repeat(shortest, count)[mine]
        across = _axes(row, to, (to**2).sum(axis=1) ** -3.0, len(node))  # of the shortest edges
        off = (across[row] * to).sum(axis=1)
        along = (off**2 < 0.75 * length**2) & (length > shortest)  # within 60 degrees of the layer
        return cls(node, row, neighbour[mine], along, row).tied(mesh.nodes)

    def tied(self, nodes: int) -> Self:
        """Layers with the places of their neighbours; `nodes` are those of the mesh."""
        place = np.full(nodes, -1)
        place[self.node] = np.arange(len(self.node))
        there = np.where(self.along, place[self.neighbour], -1)
        return replace(self, beside=np.where(there < 0, self.row, there))

    def among(self, kept: NDArray[np.bool_], nodes: int) -> Self:
        """The nodes that are kept; `nodes` are those of the mesh."""
        place, mine = np.cumsum(kept) - 1, kept[self.row]
        row = place[self.row[mine]]
        pairs = (row, self.neighbour[mine], self.along[mine], row)
        return type(self)(self.node[kept], *pairs).tied(nodes)

    def ways(self, x: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray]:
        """To each neighbour, (n, 2); across each layer, (k, 2); how far it curves over its height.

        The way across is the mean of the edges up and down, as directions: what least squares make
        of equal slopes on both then has no part along the layer, though the edges do not lie on one
        line, as in grids whose coordinates have seven digits.
        A layer curves by the mean of what neighbours along it lie off its tangent.
        """
        to = x[self.neighbour] - x[self.node][self.row]
        if not len(self.node):
            return to, np.empty((0, 2)), np.empty(0)
        height = np.minimum.reduceat(np.hypot(*to.T), self.starts())
        weight = ~self.along / (to**2).sum(axis=1)  # as in the least squares
        across = _axes(self.row, to, weight, len(self.node))
        off = self.along * (across[self.row] * to).sum(axis=1)
        count = np.bincount(self.row, self.along, len(self.node))
        rise = np.abs(np.bincount(self.row, off, len(self.node))) / np.maximum(count, 1)
        return to, across, rise / height

    def starts(self) -> NDArray[np.int64]:
        """(k,) first pair of each node."""
        return np.searchsorted(self.row, np.arange(len(self.node)))

    def spread(self, curve: NDArray) -> NDArray[np.float64]:
        """The largest of each node's own and those beside, times LAYER_ALONG for each edge between.

        Curves (k,) so follow the layer where its curvature changes its sign, or ends.
        """
        starts = self.starts()
        while len(curve):
            wider = np.maximum(curve, LAYER_ALONG * np.maximum.reduceat(curve[self.beside], starts))
            if not (wider > np.maximum(curve, LAYER_NEARLY)).any():
                break
            curve = wider
        return curve


def uneven_pairs(mesh: Mesh) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes whose longest edge is long enough for a thin layer, and their neighbours, in order."""
    a, b = mesh.edges.astype(np.int64).T
    length = reduce(np.hypot, (mesh.points[b] - mesh.points[a]).T)
    least, most = np.full(mesh.nodes, np.inf), np.zeros(mesh.nodes)
    for end in (a, b):
        np.minimum.at(least, end, length)
        np.maximum.at(most, end, length)
    uneven = most >= THIN * least
    ends, neighbour = np.concatenate([a, b]), np.concatenate([b, a])
    kept = uneven[ends]
    order = np.lexsort((neighbour[kept], ends[kept]))
    return ends[kept][order], neighbour[kept][order]


def _axes(row: NDArray, to: NDArray, weight: NDArray, count: int) -> NDArray[np.float64]:
    """(count, 2) unit vectors along the axis of the sum of weight d d^T.

    An axis, and not the shortest edge: where those up and down are as long as one another, no
    rounding decides between them.
    """
    xx, xy, yy = (
        np.bincount(row, weight * p, count)
        for p in (to[:, 0] ** 2, to[:, 0] * to[:, 1], to[:, 1] ** 2)
    )
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _of(mesh: Mesh, layers: Layers | None, triangles: bool) -> Layers:
    """Layers of triangles, or of quadrilaterals alone."""
    layers = Layers.of(mesh) if layers is None else layers
    of_triangles = np.zeros(mesh.nodes, bool)
    of_triangles[mesh.triangles] = True
    return layers.among(of_triangles[layers.node] == triangles, mesh.nodes)


def curved_triangles(mesh: Mesh, layers: Layers | None = None) -> NDArray[np.int64]:
    """Nodes of triangles that are thin, and whose layer curves by more than its thickness.

    layers : of the mesh, where they are known
    """
    layers = _of(mesh, layers, triangles=True)
    return layers.node[layers.ways(mesh.points)[-1] >= CURVED]


def curved_quads(mesh: Mesh, layers: Layers | None = None) -> Layers:
    """Nodes of quadrilaterals alone that are thin, and whose layer curves by nearly its thickness.

    Triangles are left out: their flow would end six per cent off its lift, without a word.

    layers : of the mesh, where they are known
    """
    layers = _of(mesh, layers, triangles=False)
    return layers.among(layers.spread(layers.ways(mesh.points)[-1]) >= LAYER_NEARLY, mesh.nodes)
