"""Cells of the meshes of an ensemble on a device, as volumes of their own.

docs/theory.md, section 2.3: straight edges in place of the faces of a median dual.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.faults import AREA, DENSITY, GRAPH, PRESSURE
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
    points : (nodes, 2)          means of the vertices as given, on the host

    Raises
    ------
    MeshError    a cell has two edges on one kind of boundary
    """

    on: ClassVar[str] = "cells"

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
        corners = vertices.cells
        there = (corners >= 0)[:, :, None]
        self.points = (vertices.points[corners] * there).sum(axis=1) / there.sum(axis=1)
        ends = faces.stack(self._each("ends"), vertices.items)
        self.fields.add(member=b.table(self.member), x=self.mean, ends=b.table(ends))
        volumes = self.fields.bind("cell_volumes", x=self.x, mean=self.mean)
        self._record("face", "face", [volumes])

    def place(self, member: int, entity: int, code: int) -> str:
        """Text for a cell; of faults of a deformation, which count vertices, that for a vertex."""
        if code == GRAPH:
            return super().place(member, entity, code)
        if code not in (AREA, DENSITY, PRESSURE):  # a singular block is of the flow or of springs
            return ""
        x, y = self.backend.get(self.mean)[entity]
        return f" at {self.vertices.named(entity)} (x = {x:.6g}, y = {y:.6g})"

    def rows(self, patch: Patch, vertices: NDArray[Any]) -> NDArray[np.int64]:
        return np.flatnonzero(np.isin(patch.shape["ends"], vertices).all(axis=1))

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
