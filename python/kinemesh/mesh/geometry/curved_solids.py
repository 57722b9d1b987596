"""Thin layers of hexahedra and prisms in space that curve by more than their height."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from kinemesh._core import LAYER_ALIKE, LAYER_NEARLY
from kinemesh.mesh.geometry.curved import THIN, Layers, uneven_pairs
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.mesh import Mesh

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

CHUNK = 20_000  # nodes looked at together: what is made of them on the way fits in memory
UPRIGHT = ((0, 3), (1, 4), (2, 5))  # edges of a prism between its triangles


@dataclass(frozen=True, slots=True)
class SolidLayers(Layers):
    """Nodes of thin layers in space: surfaces, that may curve along each direction on its own.

    Along each direction of a node the edges that way, with those up and down, are as uneven as
    those of a thin layer in the plane: a section drawn far out has the layers of the section.
    """

    @classmethod
    def of(cls, mesh: Mesh) -> SolidLayers:
        """Layers of a mesh in space."""
        ends, neighbour = uneven_pairs(mesh)
        node, start, count = np.unique(ends, return_index=True, return_counts=True)
        row = np.repeat(np.arange(len(node)), count)
        to = mesh.points[neighbour] - mesh.points[ends]
        length = reduce(np.hypot, to.T)
        shortest = np.minimum.reduceat(length, start) if len(node) else length
        across = _axes(row, to, length**-6.0, len(node))  # of the shortest edges
        off = (across[row] * to).sum(axis=1)
        # within 60 degrees of the layer
        along = (off**2 < 0.75 * length**2) & (length > shortest[row])
        made = cls(node, row, neighbour, along, row).tied(mesh.nodes)
        return made.among(made._measured(mesh.points)[3], mesh.nodes)

    def ways(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """To each neighbour, (n, 3); across each layer, (k, 3); how far it curves over its height.

        Along each direction a layer curves by the mean of what neighbours that way and the other
        lie off the plane that touches it; the largest counts.
        """
        return self._measured(x)[:3]

    def _measured(self, x: Floats) -> tuple[Floats, Floats, Floats, Flags]:
        """Arrays of `ways`, and which nodes (k,) are of thin layers."""
        to = x[self.neighbour] - x[self.node][self.row]
        across, curve = np.zeros((len(self.node), 3)), np.zeros(len(self.node))
        thin = np.zeros(len(self.node), bool)
        if not len(self.node):
            return to, across, curve, thin
        length = reduce(np.hypot, to.T)
        across = _axes(self.row, to, ~self.along / length**2, len(self.node))
        off = (across[self.row] * to).sum(axis=1)
        level = to - off[:, None] * across[self.row]
        starts = np.append(self.starts(), len(self.row))
        for first in range(0, len(self.node), CHUNK):
            last = min(first + CHUNK, len(self.node))
            some = slice(starts[first], starts[last])
            own = self.row[some] - first, np.arange(some.start, some.stop)
            place = own[0], own[1] - starts[:-1][self.row[some]]
            shape = last - first, int(np.diff(starts[first : last + 1]).max())
            table = _Edges(shape, place, length[some], off[some], level[some], self.along[some])
            curve[first:last], thin[first:last] = table.curves()
        return to, across, curve, thin


class _Edges:
    """Edges of some nodes, in rows (nodes, most) with nothing where there are fewer."""

    def __init__(
        self,
        shape: tuple[int, int],
        place: tuple[NDArray, NDArray],
        length: Floats,
        off: Floats,
        level: Floats,
        along: Flags,
    ) -> None:
        self.length, self.off = np.full(shape, np.inf), np.zeros(shape)
        self.along, self.there = np.zeros(shape, bool), np.zeros(shape, bool)
        self.unit = np.zeros((*shape, 3))
        size = np.linalg.norm(level, axis=1)
        self.length[place], self.off[place], self.along[place] = length, off, along
        self.there[place] = True
        self.unit[place] = level / np.where(size > 0, size, 1.0)[:, None]

    def curves(self) -> tuple[Floats, Flags]:
        """(nodes,) largest curve over the height, and where all directions are thin."""
        cosine = np.abs(self.unit @ np.swapaxes(self.unit, 1, 2))
        both = self.along[:, :, None] & self.along[:, None, :]
        alike = both & (cosine > LAYER_ALIKE)  # of edges along a layer (axis 1) others that way
        total = (alike * self.off[:, None, :]).sum(axis=2)
        rise = np.abs(total) / np.maximum(alike.sum(axis=2), 1)
        of = alike | (self.there & ~self.along)[:, None, :]
        length = np.sort(np.where(of, self.length[:, None, :], np.inf), axis=2)
        third = np.minimum(of.sum(axis=2), 3)[..., None] - 1  # the last where there are fewer
        third = np.take_along_axis(length, np.maximum(third, 0), axis=2)[..., 0]
        even = self.along & (third < THIN * length[..., 0])
        curve: Floats = np.where(self.along, rise, 0.0).max(axis=1) / self.length.min(axis=1)
        thin = np.asarray(self.along.any(axis=1) & ~even.any(axis=1))
        return curve, thin


def _axes(row: NDArray, to: Floats, weight: NDArray, count: int) -> Floats:
    """(count, 3) unit vectors along the axis of the sum of weight d d^T."""
    total = np.empty((count, 3, 3))
    for k in range(3):
        for j in range(3):
            total[:, k, j] = np.bincount(row, weight * to[:, k] * to[:, j], count)
    size = np.trace(total, axis1=1, axis2=2)
    size[size == 0] = 1.0
    return np.asarray(np.linalg.eigh(total / size[:, None, None])[1][:, :, 2])


def curved_solids(mesh: Mesh) -> SolidLayers:
    """Nodes of thin layers that curve by nearly their thickness, of cells that stand on them.

    These are hexahedra, and prisms whose triangles lie along the layer.
    """
    layers = SolidLayers.of(mesh)
    layers = layers.among(~_cut_across(mesh)[layers.node], mesh.nodes)
    return layers.among(layers.spread(layers.ways(mesh.points)[-1]) >= LAYER_NEARLY, mesh.nodes)


def _cut_across(mesh: Mesh) -> Flags:
    """(nodes,) of tetrahedra, pyramids, and prisms whose triangles stand across the layer."""
    found = np.zeros(mesh.nodes, bool)
    for name, cells in mesh.solids.items():
        if name in ("tetrahedra", "pyramids"):
            found[cells] = True
        if name == "prisms":
            x = mesh.points[cells]
            upright = [np.linalg.norm(x[:, b] - x[:, a], axis=1) for a, b in UPRIGHT]
            level = [
                np.linalg.norm(x[:, b] - x[:, a], axis=1)
                for a, b in SOLIDS[name].edges
                if (a, b) not in UPRIGHT and (b, a) not in UPRIGHT
            ]
            found[cells[np.min(level, axis=0) < np.min(upright, axis=0)]] = True
    return found
