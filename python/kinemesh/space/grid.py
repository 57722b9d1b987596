"""Median duals of the meshes of an ensemble on a device (docs/theory.md, section 2.3)."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.linear.stack import Items
from kinemesh.mesh.dual import Dual, dual
from kinemesh.mesh.geometry.curved import Layers, curved_quads, curved_triangles
from kinemesh.space.cell_rows import CellRows, Corners
from kinemesh.space.faces import FaceVolumes
from kinemesh.space.layers import curves, joined, layered
from kinemesh.space.vertices import MeshVertices


class Grid(FaceVolumes):
    """Median duals of meshes: a volume about each vertex, a face across each edge.

    Attributes
    ----------
    duals : tables of each distinct mesh;  dual : those of all members
    corners : device tables of the corners of cells by node: offsets, cell, corner
    facets : shape of what each cell at an edge has
    """

    by_face: ClassVar[tuple[str, ...]] = ("cells_of_edge",)

    def __init__(self, vertices: MeshVertices, coloured: bool = False) -> None:
        super().__init__(vertices, coloured)
        duals = [dual(len(m.points), m.cells) for m in self.distinct]
        self.duals: list[Any] = self._numbered(duals, coloured)
        self.graphs = [(own.offsets, own.neighbour) for own in self.duals]
        self.dual = self._stacked(vertices.cell_items, self._faces())
        d, b = self.dual, self.backend
        self._allocate(d.lr, d.offsets, d.neighbour, d.edge)
        self.fields.add(cells_of_edge=b.table(d.cells_of_edge))
        self.facets: tuple[int, ...] = d.cells_of_edge.shape
        self._record("dual", "boundary", [self.fields.bind("dual_volumes", **self.corners)])

    @cached_property
    def corners(self) -> dict[str, Any]:
        d, b = self.dual, self.backend
        tables = {"offsets": d.corner_offsets, "cell": d.cell, "corner": d.corner}
        return {name: b.table(table) for name, table in tables.items()}

    @cached_property
    def cell_rows(self) -> list[CellRows]:
        """Nodes that share cells, of each distinct mesh."""
        both = zip(self.distinct, self.duals, strict=True)
        return [CellRows(Corners.of_plane(mesh.cells, own)) for mesh, own in both]

    @property
    def layers(self) -> list[Layers]:
        """Thin layers of each distinct mesh."""
        return self.each("layers", Layers.of)

    @cached_property
    def curved_triangles(self) -> list[NDArray[np.int64]]:
        """Nodes of each distinct mesh in triangles too thin for the curve of their layer."""
        both = zip(self.distinct, self.layers, strict=True)
        return [curved_triangles(mesh, own) for mesh, own in both]

    def fit(self, by: str = "least-squares", steep: bool = False) -> None:
        """Least squares that gradients are made by: `inverse` among the fields, which follows x.

        `steep`: weights |d|^-2 everywhere, as a viscous gas has them.
        """
        del by  # one way alone
        self.fields.add(inverse=self.backend.zeros((self.nodes, 3)))
        if not steep and (blunt := self._blunt()).any():
            self.fields.add(blunt=self.backend.table(blunt))
        self.measure.follow(self.fields.bind("least_squares"))
        found = [curved_quads(*of) for of in zip(self.distinct, self.layers, strict=True)]
        self._take_share(joined([found[of] for of in self.alike.of], self.first))

    def _take_share(self, layers: Layers) -> None:
        """Make gradients across layers count by a share (eq. 2.3a), wherever the mesh moves."""
        if len(layers.node):
            own = layered(self.fields, layers)
            self.measure.follow(*curves(own), own.bind("layer_shares"))

    def _blunt(self) -> NDArray[np.int32]:
        """(nodes,) 1 where thin triangles lie on a layer that curves, and weights are |d|^-1."""
        each = []
        for mesh, nodes in zip(self.distinct, self.curved_triangles, strict=True):
            found = np.zeros(mesh.nodes, np.int32)
            found[nodes] = 1
            each.append(found)
        return self.items.stack(each)

    def _stacked(self, cells: Items, edges: Items) -> Dual:
        """Tables of all members from those of the distinct meshes."""

        def each(name: str) -> list[Any]:
            return [getattr(own, name) for own in self.duals]

        entries, corners = (
            Items(self.alike, [len(table) for table in each(name)])
            for name in ("neighbour", "cell")
        )
        return Dual(
            lr=edges.stack(each("lr"), self.items),
            cells_of_edge=edges.stack(each("cells_of_edge"), cells),
            offsets=self.items.offsets(each("offsets")),
            neighbour=entries.stack(each("neighbour"), self.items),
            edge=entries.stack(each("edge"), edges),
            corner_offsets=self.items.offsets(each("corner_offsets")),
            cell=corners.stack(each("cell"), cells),
            corner=corners.stack(each("corner")),
        )
