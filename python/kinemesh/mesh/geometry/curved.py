"""Thin cells on curved layers, where the gradients of a flow are unstable.

docs/convergence.md has the growth rates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.dual import dual
from kinemesh.mesh.mesh import Mesh

THIN = 10.0  # third shortest edge of a node over its shortest
CURVED = 1.0  # what a layer's neighbours lie off its tangent, over the shortest edge
NEARLY = 0.5  # least such share of layers that may come to curve more as the mesh deforms


@dataclass(frozen=True, slots=True)
class Layers:
    """Nodes of thin layers, each with its neighbours.

    Parameters
    ----------
    node : (k,)             their numbers
    above : (k,)            the nearest neighbour of each, across the layer
    row, neighbour : (n,)   of each pair: its node's place among these, and the neighbour
    along : (n,) bool       whether the neighbour lies along the layer
    """

    node: NDArray[np.int64]
    above: NDArray[np.int64]
    row: NDArray[np.int64]
    neighbour: NDArray[np.int64]
    along: NDArray[np.bool_]

    @classmethod
    def of(cls, mesh: Mesh) -> Layers:
        """Layers of a mesh."""
        tables = dual(mesh.nodes, mesh.cells)
        offsets, neighbour = tables.offsets, tables.neighbour
        ends = np.repeat(np.arange(mesh.nodes), np.diff(offsets))
        to = mesh.points[neighbour] - mesh.points[ends]
        length = np.hypot(*to.T)
        order = np.lexsort((length, ends))
        shortest = order[offsets[:-1]]
        third = order[np.minimum(offsets[:-1] + 2, offsets[1:] - 1)]
        across = to[shortest] / length[shortest, None]
        off = (across[ends] * to).sum(axis=1)
        along = off**2 < 0.75 * length**2  # within 60 degrees of the layer
        thin = length[third] >= THIN * length[shortest]
        place = np.cumsum(thin) - 1
        mine = thin[ends]
        return cls(
            np.flatnonzero(thin),
            neighbour[shortest[thin]].astype(np.int64),
            place[ends[mine]],
            neighbour[mine].astype(np.int64),
            along[mine],
        )

    def among(self, kept: NDArray[np.bool_]) -> Layers:
        """The nodes that are kept."""
        place, mine = np.cumsum(kept) - 1, kept[self.row]
        pairs = (place[self.row[mine]], self.neighbour[mine], self.along[mine])
        return Layers(self.node[kept], self.above[kept], *pairs)

    def ways(self, x: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """To each neighbour, (n, 2); across each layer, (k, 2); its height; how far it curves.

        A layer curves by the mean of what neighbours along it lie off its tangent, (k,) [chord].
        """
        to = x[self.neighbour] - x[self.node][self.row]
        up = x[self.above] - x[self.node]
        height = np.hypot(*up.T)
        across = up / height[:, None]
        off = self.along * (across[self.row] * to).sum(axis=1)
        count = np.bincount(self.row, self.along, len(self.node))
        rise = np.abs(np.bincount(self.row, off, len(self.node))) / np.maximum(count, 1)
        return to, across, height, rise


def _curved(mesh: Mesh, share: float, triangles: bool) -> Layers:
    layers = Layers.of(mesh)
    _, _, height, rise = layers.ways(mesh.points)
    of_triangles = np.zeros(mesh.nodes, bool)
    of_triangles[mesh.triangles] = True
    return layers.among((rise >= share * height) & (of_triangles[layers.node] == triangles))


def curved_triangles(mesh: Mesh) -> NDArray[np.int64]:
    """Nodes of triangles that are thin, and whose layer curves by more than its thickness."""
    return _curved(mesh, CURVED, triangles=True).node


def curved_quads(mesh: Mesh) -> Layers:
    """Nodes of quadrilaterals alone that are thin, and whose layer curves by nearly its thickness.

    Triangles are left out: their flow would end six per cent off its lift, without a word.
    """
    return _curved(mesh, NEARLY, triangles=False)
