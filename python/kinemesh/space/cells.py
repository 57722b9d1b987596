"""Cells of the meshes of an ensemble on a device, as volumes of their own.

docs/theory.md, section 2.3: straight edges in place of the faces of a median dual.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import offsets_of
from kinemesh.device.faults import AREA, DENSITY, GRAPH, PRESSURE
from kinemesh.linear.stack import Items
from kinemesh.mesh.cell_faces import ENOUGH, Mirror, cell_faces, enough, inner_of_quads, wider
from kinemesh.space.conditions.base import BODY
from kinemesh.space.conditions.table import role_of
from kinemesh.space.faces import FaceVolumes, Ints
from kinemesh.space.patches import Patch
from kinemesh.space.vertices import MeshVertices, Side


class Cells(FaceVolumes):
    """Cells of meshes: a volume in each, a face across each edge between two of them.

    A patch has the boundary's edges, `ends` (b, 2) with the domain on the left, and as `node` the
    cell at each; a cell with several edges on one boundary is in as many layers.

    Attributes
    ----------
    centre : (nodes, dimensions) float64    centroid of each cell; `x` of `fields`
    points : (nodes, dimensions)   centroids of the cells as given, on the host
    xf : (edges, dimensions) float64    middles of the faces, where the states of both sides meet
    by_face : name of the vertices of a face
    fitted : dict    tables of the cells that gradients of least squares are fitted to, by the names
        of those across the faces
    least, least_whole : cells that these are fitted to, and those of stresses, at least
    """

    on: ClassVar[str] = "cells"
    by_face: ClassVar[tuple[str, ...]] = ("ends",)
    least: ClassVar[int] = ENOUGH
    least_whole: ClassVar[int] = ENOUGH
    fitted: dict[str, Any]

    def __init__(self, vertices: MeshVertices, coloured: bool = False) -> None:
        self.tables = self._numbered(list(map(self.faces_of, vertices.distinct)), coloured)
        super().__init__(vertices, coloured, vertices.cell_items)
        self.graphs = [(own.offsets, own.neighbour) for own in self.tables]
        b, faces, entries = self.backend, self._faces(), self._items("neighbour")
        self._allocate(
            faces.stack(self._each("lr"), self.items),
            self.items.offsets(self._each("offsets")),
            entries.stack(self._each("neighbour"), self.items),
            entries.stack(self._each("edge"), faces),
        )
        self.centre = b.zeros((self.nodes, self.dimensions), np.float64)
        self.points = self.items.stack(vertices.each("centroids", self.centroids_of))
        self.xf = b.zeros((self.edges, self.dimensions), np.float64)
        (rim,) = self.by_face
        self.fields.add(
            member=b.table(self.member),
            x=self.centre,
            xf=self.xf,
            vertex=self.x,
            vertex_member=vertices.fields["member"],
            **{rim: b.table(faces.stack(self._each(rim), vertices.items))},
        )
        fields = self.fields
        calls = [fields.bind("cell_volumes"), fields.bind("face_middles", x=self.x)]
        for patch in self.measured.values():
            patch.device["xf"] = b.zeros((len(patch), self.dimensions), np.float64)
            calls.append(fields.also(**patch.device).bind("face_middles", x=self.x))
        self._record("face", "face", calls)

    @staticmethod
    def faces_of(mesh: Any) -> Any:
        """Tables of the cells of a mesh."""
        return cell_faces(len(mesh.points), mesh.cells)

    @staticmethod
    def centroids_of(mesh: Any) -> NDArray[np.float64]:
        """(cells, dimensions) centroids of the cells of a mesh."""
        return centroids(mesh)

    def fit(self, by: str = "nodes", steep: bool = False) -> None:
        """Fit what gradients are made by (`kinemesh.flow.terms.gradients.CellGradients`).

        Parameters
        ----------
        by : "nodes" (weights of the cells about each vertex, exact for linear fields), "plain"
            (their mean) or "least-squares" (`inverse` among the fields, tables in `fitted`)
        steep : with tables in `fitted_whole`, as a viscous gas has them for its stresses
        """
        b, v = self.backend, self.vertices
        if steep:
            self.fitted_whole = self._fitted(self.least_whole)
        if by == "least-squares":
            self.fitted = self._fitted(self.least)
            symmetric = self.dimensions * (self.dimensions + 1) // 2
            self.fields.add(inverse=b.zeros((self.nodes, symmetric)))
            self.measure.follow(self.fields.also(**self.fitted).bind("least_squares"))
            return
        tables = [(own.starts, own.about) for own in self.tables]
        if by == "nodes":
            centres, bounded = v.each("centroids", self.centroids_of), self.bounded(steep)
            of = zip(self.distinct, centres, self.tables, self.images(), bounded, strict=True)
            tables = [wider(mesh.points, *more) for mesh, *more in of]
        starts, about = (list(each) for each in zip(*tables, strict=True))
        entries = Items(self.alike, [len(own) for own in about])
        whole = v.items.offsets(starts)
        self.fields.add(
            starts=b.array(whole, np.int32),
            about=b.table(entries.stack(about, self.items)),
            per=b.array(1.0 / np.diff(whole), np.float64),
        )
        if by == "nodes":
            self.fields.add(lean=b.zeros((v.nodes, self.dimensions), np.float64))
            if limits := [own.astype(np.int32) for own in bounded if own is not None]:
                self.fields.add(bounded=b.table(v.items.stack(limits)))
            self.measure.follow(self.fields.bind("vertex_weights"))

    def _fitted(self, least: int) -> dict[str, Any]:
        """Tables of the cells that each is fitted to, as many at least."""
        b, each = self.backend, (enough(own, least) for own in self.tables)
        offsets, neighbour, edge = zip(*each, strict=True)
        entries = Items(self.alike, [len(own) for own in neighbour])
        return {
            "offsets": b.array(self.items.offsets(offsets), np.int32),
            "neighbour": b.table(entries.stack(neighbour, self.items)),
            "edge": b.table(entries.stack(edge, self._faces())),
        }

    def images(self) -> Sequence[Mirror | None]:
        """Planes of symmetry of each distinct mesh behind which cells about vertices have images.

        In the plane none: there they are walls.
        """
        return [None] * len(self.distinct)

    def bounded(self, steep: bool) -> Sequence[NDArray[np.bool_] | None]:
        """(vertices,) of each distinct mesh, True where weights of cells are bounded (eq. 8.3a).

        None where the weights of no mesh are: in space without `steep`.
        """
        del steep
        both = zip(self.distinct, self.tables, strict=True)
        return [inner_of_quads(mesh.cells, own) for mesh, own in both]

    def place(self, member: int, entity: int, code: int) -> str:
        """Text for a cell; of faults of a deformation, which count vertices, that for a vertex."""
        if code == GRAPH:
            return super().place(member, entity, code)
        if code not in (AREA, DENSITY, PRESSURE):  # a singular block is of the flow or of springs
            return ""
        at = zip("xyz", self.backend.get(self.centre)[entity], strict=False)
        told = ", ".join(f"{name} = {value:.6g}" for name, value in at)
        return f" at {self.vertices.named(entity)} ({told})"

    def sizes(self) -> dict[str, Any]:
        return super().sizes() | {"volumes": self.on}

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
        ends, body = np.stack([side.node, after], axis=1)[begins], side.member[begins]
        at = np.searchsorted(self._outer, self._number(ends))
        if role_of(name) == BODY:
            body = self._body_at[at]
            order = np.argsort(body, kind="stable")  # sums over bodies need them one by one
            ends, body, at = ends[order], body[order], at[order]
        return self._layered(name, self._behind[at], body, ends)

    def _layered(self, name: str, cell: Ints, body: Ints, rim: Ints) -> Patch:
        """Patch of the cells at these faces, in as many layers as a cell has faces there."""
        layers: tuple[tuple[int, int] | None, ...] = (None,)
        if name != BODY and (layer := times_before(cell)).any():
            # the patch of all bodies stays in their order; loads read it, and write to no cell
            order = np.argsort(layer, kind="stable")
            rim, cell, body = rim[order], cell[order], body[order]
            first = offsets_of(layer[order], int(layer.max()) + 1)
            layers = tuple(zip(first[:-1].tolist(), np.diff(first).tolist(), strict=True))
        member, shape = self.member[cell], {self.by_face[0]: rim}
        return Patch.of(self.backend, name, cell, body, member, shape, self.dimensions, layers)

    @cached_property
    def _outer(self) -> NDArray[np.int64]:
        """(k,) number of each edge of the boundary of all members, sorted."""
        return self._number(self._items("outer").stack(self._each("outer"), self.vertices.items))

    @cached_property
    def _behind(self) -> Ints:
        """(k,) cell at each edge of the boundary."""
        return self._items("outer").stack(self._each("behind"), self.vertices.cell_items)

    @cached_property
    def _body_at(self) -> Ints:
        """(k,) body that each edge of the boundary is of by its marker, where it is of one.

        Vertices do not tell: one where two bodies meet is of both.
        """
        v, tables = self.vertices, []
        names = [[name for of, name in v.bodies if of == lead] for lead in v.alike.lead]
        bodies = Items(v.alike, [len(own) for own in names])
        for mesh, own, there in zip(self.distinct, self.tables, names, strict=True):
            outer, table = self._number(own.outer), np.zeros(len(own.outer), np.int32)
            for body, name in enumerate(there):
                table[np.searchsorted(outer, self._number(mesh.boundaries[name]))] = body
            tables.append(table)
        return self._items("outer").stack(tables, bodies)

    def _number(self, ends: Ints) -> NDArray[np.int64]:
        """(b,) a number for each edge (b, 2) by its ends, in their order."""
        first, second = ends.astype(np.int64).T
        found: NDArray[np.int64] = first * self.vertices.nodes + second
        return found


def times_before(numbers: Ints) -> Ints:
    """(n,) how often each number stands before in the list."""
    order = np.argsort(numbers, kind="stable")
    there = numbers[order]
    first = np.searchsorted(there, there, side="left")
    found = np.empty(len(numbers), np.int32)
    found[order] = np.arange(len(numbers)) - first
    return found


def centroids(mesh: Any) -> NDArray[np.float64]:
    """(cells, 2) centroids of the cells of a mesh."""
    corners = mesh.cells
    there = corners >= 0
    own = np.where(there, corners, corners[:, :1])
    place = mesh.points[own]
    middle = (place * there[:, :, None]).sum(axis=1) / there.sum(axis=1)[:, None]
    from_, to = (own_ - middle[:, None] for own_ in (place, np.roll(place, -1, axis=1)))
    part = 0.5 * (from_[..., 0] * to[..., 1] - from_[..., 1] * to[..., 0])
    moment = (part[..., None] * (from_ + to) / 3).sum(axis=1)
    found: NDArray[np.float64] = middle + np.where(
        there[:, 3:], moment / part.sum(axis=1)[:, None], 0.0
    )
    return found
