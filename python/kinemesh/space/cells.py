"""Cells of the meshes of an ensemble on a device, as volumes of their own.

docs/theory.md, section 2.3: straight edges in place of the faces of a median dual.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.errors import MeshError
from kinemesh.linear.stack import Items
from kinemesh.mesh.cell_faces import cell_faces
from kinemesh.space.faces import FaceVolumes, Ints
from kinemesh.space.patches import Patch
from kinemesh.space.vertices import MeshVertices, Side


class Cells(FaceVolumes):
    """Cells of meshes: a volume in each, a face across each edge between two of them.

    A patch has the boundary's edges, `ends` (b, 2) with the domain on the left, and as `node` the
    cell at each.

    Attributes
    ----------
    mean : (nodes, 2) float64    mean of each cell's vertices; `x` of `fields`

    Raises
    ------
    MeshError    a cell has two edges on one kind of boundary
    """

    def __init__(self, vertices: MeshVertices) -> None:
        self.tables = [cell_faces(len(m.points), m.cells) for m in vertices.distinct]
        super().__init__(vertices, vertices.cell_items)
        self.graphs = [(own.offsets, own.neighbour) for own in self.tables]
        b, faces, entries = self.backend, self._items("lr"), self._items("neighbour")
        self._allocate(
            faces.stack(self._each("lr"), self.items),
            self.items.offsets(self._each("offsets")),
            entries.stack(self._each("neighbour"), self.items),
            entries.stack(self._each("edge"), faces),
        )
        self.mean = b.zeros((self.nodes, 2), np.float64)
        ends = faces.stack(self._each("ends"), vertices.items)
        self.fields.add(member=b.table(self.member), x=self.mean, ends=b.table(ends))
        volumes = self.fields.bind("cell_volumes", x=self.x, mean=self.mean)
        self._record("face", "face", [volumes])

    def _each(self, name: str) -> list[Any]:
        """A table of each distinct mesh."""
        return [getattr(own, name) for own in self.tables]

    def _items(self, name: str) -> Items:
        return Items(self.vertices.alike, [len(table) for table in self._each(name)])

    def _patch(self, name: str, side: Side) -> Patch:
        """The edges between the vertices on one side, and the cells at them."""
        after = side.shape["ends"][:, 1]
        begins = after >= 0  # an edge begins at each vertex but the last one of a marker
        ends = np.stack([side.node, after], axis=1)[begins]
        cell, member = self._behind(ends), side.member[begins]
        for twice in np.flatnonzero(np.bincount(cell) > 1)[:1]:
            raise MeshError(
                f"{self.vertices.named(int(twice))} has two "
                f"edges on the {name} boundary, expected one; divide the cell there",
                member=member[cell == twice][0],
            )
        body = self._body(side)[ends].min(axis=1)
        return Patch.of(self.backend, name, cell, body, member, {"ends": ends}, self.dimensions)

    def _behind(self, ends: Ints) -> Ints:
        """(b,) cell at each edge (b, 2) of the boundary."""
        items, v = self._items("outer"), self.vertices
        outer = items.stack(self._each("outer"), v.items)
        behind = items.stack(self._each("behind"), v.cell_items)
        known, asked = (pair.astype(np.int64) @ [v.nodes, 1] for pair in (outer, ends))
        return behind[np.searchsorted(known, asked)]

    def _body(self, side: Side) -> Ints:
        """(vertices,) body of each vertex on a side.

        A vertex where two bodies meet is of the one with the higher number, so that an edge is of
        the lower one of its ends.
        """
        body = np.zeros(self.vertices.nodes, np.int32)
        body[side.node] = side.body
        return body
