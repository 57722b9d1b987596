"""Cells of meshes in space on a device, as volumes of their own (docs/theory.md, section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.device.backend import Backend
from kinemesh.device.faults import AREA
from kinemesh.linear.stack import Items
from kinemesh.mesh.cell_faces import Mirror
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.solid_cell_faces import solid_cell_faces
from kinemesh.mesh.solid_cells import centroids
from kinemesh.space.cells import Cells
from kinemesh.space.conditions.base import BODY
from kinemesh.space.conditions.table import role_of
from kinemesh.space.conditions.words import Symmetry
from kinemesh.space.patches import Patch
from kinemesh.space.solids import Markers, SolidShapes, SolidVertices
from kinemesh.space.vertices import Side


class SolidCells(SolidShapes, Cells):
    """Cells of meshes in space: a volume in each, a face across each face between two of them.

    A patch has the boundary's faces, `outline` (b, 4) with the domain behind them, and as `node`
    the cell at each.  Planes of symmetry are a patch, too: walls that are of no body.

    Parameters
    ----------
    planes : markers of planes of symmetry

    Attributes
    ----------
    mirrors_of : vertices of each distinct mesh on them
    """

    vertices: SolidVertices
    by_face: ClassVar[tuple[str, ...]] = ("outline",)
    least: ClassVar[int] = 6
    least_whole: ClassVar[int] = 4  # those of the plane, of plane meshes drawn out along the span
    any_loop: ClassVar[bool] = True

    def __init__(
        self, vertices: SolidVertices, planes: Sequence[str] = (), coloured: bool = False
    ) -> None:
        self._planes = list(planes)
        Cells.__init__(self, vertices, coloured)
        b, v, self.mirrors_of = self.backend, vertices, self._normals(planes)
        if any(len(own) for own in self.mirrors_of):
            items = Items(v.alike, [len(own) for own in self.mirrors_of])
            nodes = self.on_planes = items.stack(self.mirrors_of, v.items)
            mirrored = np.full(v.nodes, -1, np.int32)
            mirrored[nodes] = v.member[nodes]
            self.fields.add(mirrored=b.table(mirrored), plane=b.array(self.normals, "real"))

    @classmethod
    def of(
        cls,
        backend: Backend,
        meshes: Sequence[Mesh],
        markers: Markers,
        planes: Sequence[str],
        coloured: bool = False,
    ) -> SolidCells:
        """Cells of these meshes, with the vertices under them."""
        kinds = {**markers, Symmetry.kind: planes} if planes else markers
        return cls(SolidVertices(backend, meshes, kinds), planes, coloured)

    @staticmethod
    def faces_of(mesh: Any) -> Any:
        return solid_cell_faces(mesh)

    @staticmethod
    def centroids_of(mesh: Any) -> NDArray[np.float64]:
        each = [centroids(mesh.points, KINDS[name], own) for name, own in mesh.solids.items()]
        return np.concatenate(each)

    def images(self) -> Sequence[Mirror | None]:
        normals = self.normals[self.alike.lead]
        return list(zip(normals, self.mirrors_of, strict=True))

    def bounded(self, steep: bool) -> Sequence[NDArray[np.bool_] | None]:
        if not steep:
            return [None] * len(self.distinct)
        return list(map(self._inner_of_hexahedra, self.distinct, self.tables))

    def _inner_of_hexahedra(self, mesh: Mesh, own: Any) -> NDArray[np.bool_]:
        """(vertices,) True off the boundary, but for planes, where hexahedra alone meet."""
        found: NDArray[np.bool_] = np.diff(own.starts) > 0
        named = [name in self._planes for name in mesh.boundaries]
        outer = own.outer[~np.array(named, bool)[own.marker]]
        found[outer[outer >= 0]] = False
        for name, cells in mesh.solids.items():
            if name != "hexahedra":
                found[cells] = False
        return found

    def fit(self, by: str = "nodes", steep: bool = False) -> None:
        if by == "least-squares":  # weights |d|^-1 at tetrahedra (docs/convergence.md)
            counts = np.diff(self.vertices.starts)
            self.fields.add(blunt=self.backend.table((counts == 4).astype(np.int32)))
        else:
            self._measure_corners()
        super().fit(by, steep)

    def _measure_corners(self) -> None:
        """Make what gradients take of the shape of cells: it follows x as area vectors do.

        Shares of corners, and the middles of the boundary's faces in the order of their cells.
        """
        b, v, faces = self.backend, self.vertices, self._items("outer")
        orders, starts = zip(
            *(ordered(own.behind, len(own.offsets) - 1) for own in self.tables), strict=True
        )
        outline = [own.outer[order] for own, order in zip(self.tables, orders, strict=True)]
        self.fields.add(
            corner_normal=b.zeros((len(v.corner), 3)),
            outer_starts=b.table(self.items.offsets(starts)),
            outer_xf=b.zeros((faces.total, 3), np.float64),
        )
        rim = {"outline": b.table(faces.stack(outline, v.items)), "xf": self.fields["outer_xf"]}
        middles = self.fields.bind("face_middles", x=v.x, **rim)
        self.measure.follow(self.fields.bind("corner_normals"), middles)

    def place(self, member: int, entity: int, code: int) -> str:
        if code == AREA:  # of a corner without a part of its cell
            return self.vertices.place(member, entity, code)
        return super().place(member, entity, code)

    def rows(self, patch: Patch, vertices: NDArray[Any]) -> NDArray[np.int64]:
        corners = patch.shape["outline"]
        return np.flatnonzero((np.isin(corners, vertices) | (corners < 0)).all(axis=1))

    def _patch(self, name: str, side: Side) -> Patch:
        """The faces of the markers under a condition, and the cells behind them."""
        del side  # of vertices, which may be of several
        v, cells, rims, bodies = self.vertices, [], [], []
        role = role_of(name)
        for lead, mesh, own in zip(self.alike.lead, self.distinct, self.tables, strict=True):
            names = [marker for of, marker in v.bodies if of == lead]
            wanted = v.markers.get(name, names)
            there = [m for m in (names if role == BODY else wanted) if m in wanted]
            places = {m: number for number, m in enumerate(mesh.boundaries)}
            at = [np.flatnonzero(own.marker == places[m]) for m in there if m in places]
            rows = np.concatenate([np.empty(0, np.int64), *at])
            cells.append(own.behind[rows])
            rims.append(own.outer[rows])
            bodies.append(np.repeat(np.arange(len(at), dtype=np.int32), [len(a) for a in at]))
        items = Items(self.alike, [len(own) for own in cells])
        body = items.members()
        if role == BODY:
            body = items.stack(bodies, Items(self.alike, self._bodies()))
        cell, rim = items.stack(cells, v.cell_items), items.stack(rims, v.items)
        return self._layered(name, cell, body, rim)

    def _bodies(self) -> list[int]:
        """Number of bodies of each distinct mesh."""
        return [sum(of == lead for of, _ in self.vertices.bodies) for lead in self.alike.lead]
