"""Meshes in space on a device: their vertices and cells, and the median duals of these.

docs/theory.md, section 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.faults import decode
from kinemesh.device.fields import Fields
from kinemesh.errors import MeshError
from kinemesh.linear.stack import Items
from kinemesh.mesh import Mesh
from kinemesh.mesh.dual import SolidDual, solid_dual
from kinemesh.mesh.facets import area_vectors
from kinemesh.mesh.geometry.curved_solids import SolidLayers, curved_solids
from kinemesh.mesh.kinds import KINDS
from kinemesh.space.cell_rows import CellRows, Corners
from kinemesh.space.conditions.base import PLANE
from kinemesh.space.conditions.table import role_of
from kinemesh.space.faces import FaceVolumes
from kinemesh.space.grid import Grid
from kinemesh.space.layers import curves, joined, layered
from kinemesh.space.vertices import MeshVertices

REACH = 2.1  # largest reach of least squares with weights |d|^-2 (theory eq. 2.3b)
# that of a viscous gas, whose shear waves nothing damps: layers with their share have 1 to 1.1, and
# lines with a kink make the scheme grow from between 1.06 and 1.18 on (docs/convergence.md)
VISCOUS_REACH = 1.125
MOVED = 16 / 15  # share of both at which nodes turn blunt on the way: small motions turn none
Markers = Mapping[str, Sequence[str]]
"""Markers by the kind of their condition."""
FLAT = 1e-6  # largest sine between a plane of symmetry and its faces


def mirror_of(mesh: Mesh, planes: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Unit normal (3,) of a mesh's planes of symmetry, zero without one, and the nodes on them.

    Planes may be several, side by side.

    Raises
    ------
    MeshError    a face that is not parallel to the others
    """
    there = {name: mesh.boundaries[name] for name in planes if name in mesh.boundaries}
    if not there:
        return np.zeros(3), np.empty(0, np.int32)
    faces = np.concatenate(list(there.values()))
    area = area_vectors(mesh.points, faces)
    size = np.linalg.norm(area, axis=1)
    unit = area[size.argmax()] / size.max()
    unit[np.abs(unit) < 1e-15] = 0.0
    off = np.linalg.norm(area - (area @ unit)[:, None] * unit, axis=1)
    worst = int(np.argmax(off - FLAT * size))
    if not off[worst] <= FLAT * size[worst]:
        corners = np.where(faces[worst] < 0, faces[worst, :1], faces[worst])
        x, y, z = mesh.points[corners].mean(axis=0)
        turned = np.degrees(np.arcsin(min(1.0, off[worst] / size[worst])))
        raise MeshError(
            f"the face at ({x:.4g}, {y:.4g}, {z:.4g}) of the planes of symmetry "
            f"({', '.join(there)}) does not lie along the others, its normal {turned:.2g} degrees "
            "off; expected flat planes of one direction: mend the mesh, or give what is no plane "
            "of symmetry a marker of its own"
        )
    return unit, np.unique(faces[faces >= 0]).astype(np.int32)


@dataclass(frozen=True, slots=True)
class ShownSolids:
    """A mesh in space as field files have it: cells by VTK's numbers of their types."""

    points: NDArray[np.float64]
    original: NDArray[np.int32]
    typed: dict[int, NDArray[np.int32]]
    triangles: NDArray[np.int32]
    quads: NDArray[np.int32]
    names: tuple[str, ...] = ()  # of overset parts

    @classmethod
    def of(cls, mesh: Mesh) -> ShownSolids:
        """The cells of a mesh with their corners in VTK's order."""
        kinds = [KINDS[name] for name in mesh.solids]
        tables = zip(kinds, mesh.solids.values(), strict=True)
        typed = {kind.vtk: cells[:, kind.to_vtk] for kind, cells in tables}
        names = getattr(mesh, "names", ())
        return cls(mesh.points, mesh.original, typed, mesh.triangles, mesh.quads, names)


class SolidVertices(MeshVertices):
    """Vertices of meshes in space, with the cells between them.

    Attributes
    ----------
    duals : tables of each distinct mesh, of its cells among them
    starts, corner : (cells+1,), (corners,)   vertices of the cells of all members
    """

    slippery = (PLANE,)

    def _make_cells(self) -> None:
        self.duals: list[SolidDual] = self.each("duals", solid_dual)
        firsts = [own.first for own in self.duals]
        self.cell_items = Items(self.alike, [len(table) - 1 for table in firsts])
        entries = Items(self.alike, [len(own.corner) for own in self.duals])
        self.starts = self.cell_items.offsets(firsts)
        self.corner = entries.stack([own.corner for own in self.duals], self.items)
        b = self.backend
        self.fields.add(cell_starts=b.table(self.starts), cell_nodes=b.table(self.corner))

    @property
    def mirrored(self) -> list[str]:
        """Markers of planes of symmetry."""
        sides = [names for name, names in self.markers.items() if role_of(name) == PLANE]
        return [*self.planes, *(marker for names in sides for marker in names)]

    @cached_property
    def mirrors(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Vertices (nodes,) on planes of symmetry, and the unit normals (members, 3) of these."""
        mirrors = [mirror_of(mesh, self.mirrored) for mesh in self.distinct]
        nodes = Items(self.alike, [len(on) for _, on in mirrors])
        found = np.zeros(self.nodes, bool)
        found[nodes.stack([on for _, on in mirrors], self.items)] = True
        return found, np.array([normal for normal, _ in mirrors])[self.alike.of]

    @cached_property
    def sliding(self) -> tuple[NDArray[Any], NDArray[Any]]:
        on, normals = self.mirrors
        return on & ~self.held, normals

    def inverted(self, member: int) -> str:
        code, vertex = decode(self.backend.get(self.ensemble.faults)[member])
        return f"a cell{self.place(member, vertex, code)}"

    def named(self, cell: int) -> str:
        member = int(np.searchsorted(self.cell_items.first, cell, "right")) - 1
        corners = self.corner[self.starts[cell] : self.starts[cell + 1]] - self.first[member]
        original = self.meshes[member].original[corners]
        return f"the cell of nodes {', '.join(map(str, original))}"


class SolidShapes(FaceVolumes):
    """Volumes of meshes in space: how good the cells are, and how field files show them.

    Attributes
    ----------
    normals : (members, 3)    unit normal of the planes of symmetry; zero without one
    any_loop : True where fluxes come to them by every `face_loop`, not "store" alone
    """

    vertices: SolidVertices
    columns: ClassVar[tuple[str, ...]] = ("min_volume", "min_dihedral_deg")
    any_loop: ClassVar[bool] = False
    normals: NDArray[np.float64]

    def shapes(self) -> dict[str, NDArray[np.float64]]:
        """Least volume of a cell, by its worst corner [chord^3], least angle of faces [degrees]."""
        self.look()
        volume, angle = self.step_numbers().values()
        return {"least_volume": volume, "least_dihedral_deg": angle}

    def step_numbers(self) -> dict[str, NDArray[np.float64]]:
        volume, angle = self.vertices.worst_cells().T
        return dict(zip(self.columns, (volume, np.degrees(angle)), strict=True))

    def shown(self, member: int) -> ShownSolids:
        return ShownSolids.of(self.meshes[member])

    def worst_cells(self) -> NDArray[np.float64]:
        """(members, 2) no number: areas and angles of plane cells are columns of histories."""
        return np.full((self.members, 2), np.nan)

    def broken(self, shapes: dict[str, NDArray[np.float64]]) -> list[tuple[int, str, str]]:
        found = np.flatnonzero(~(shapes["least_volume"] > 0)).tolist()
        return [(m, "a cell has a corner with no part of it", "a cell") for m in found]

    def _normals(self, planes: Sequence[str]) -> list[NDArray[np.int32]]:
        """Nodes of each distinct mesh on its planes of symmetry; `normals` (members, 3) of these.

        Raises
        ------
        MeshError    as of `mirror_of`
        """
        found = []
        for member, mesh in zip(self.alike.lead, self.distinct, strict=True):
            try:
                found.append(mirror_of(mesh, planes))
            except MeshError as error:
                raise MeshError(str(error), member=member) from None
        self.normals = np.array([normal for normal, _ in found])[self.alike.of]
        return [nodes for _, nodes in found]


class SolidGrid(SolidShapes, Grid):
    """Median duals of meshes in space: a volume about each vertex, a face across each edge.

    Parameters
    ----------
    planes : markers of planes of symmetry

    Attributes
    ----------
    duals : tables of each distinct mesh
    plane : (members, 3)    unit normal of the planes of symmetry; zero without one
    mirror_nodes : volumes on them
    slip : which volumes are on them, the normal, and their velocity across, which is none
    """

    def __init__(self, vertices: SolidVertices, planes: Sequence[str] = ()) -> None:
        FaceVolumes.__init__(self, vertices)
        self.duals = duals = self._numbered(vertices.duals, coloured=False)
        self.graphs = [(own.offsets, own.neighbour) for own in duals]
        edges, b = self._faces(), self.backend

        def each(name: str) -> list[Any]:
            return [getattr(own, name) for own in duals]

        entries, rings = (
            Items(self.alike, [len(table) for table in each(name)])
            for name in ("neighbour", "ring_cell")
        )
        self._allocate(
            edges.stack(each("lr"), self.items),
            self.items.offsets(each("offsets")),
            entries.stack(each("neighbour"), self.items),
            entries.stack(each("edge"), edges),
        )
        self.fields.add(
            wedge=b.zeros(self.edges, np.float64),
            ring_offsets=b.table(edges.offsets(each("ring_offsets"))),
            ring_cell=b.table(rings.stack(each("ring_cell"), vertices.cell_items)),
            ring_local=b.table(rings.stack(each("ring_local"))),
        )
        self.facets = (rings.total,)
        self._make_mirrors(planes)
        self._record("dual", "boundary", [self.fields.bind("dual_volumes")])

    @classmethod
    def of(
        cls,
        backend: Backend,
        meshes: Sequence[Mesh],
        markers: Markers,
        planes: Sequence[str],
        coloured: bool = False,
    ) -> SolidGrid:
        """Duals of these meshes, with the vertices under them."""
        del coloured  # as loops other than "store" are refused
        return cls(SolidVertices(backend, meshes, markers, planes), planes)

    @cached_property
    def cell_rows(self) -> list[CellRows]:
        return [CellRows(Corners.of_solids(own)) for own in self.vertices.duals]

    @cached_property
    def corners(self) -> dict[str, Any]:
        b, each = self.backend, [own.corners for own in self.cell_rows]
        entries = Items(self.alike, [len(own.cell) for own in each])
        cells = entries.stack([own.cell for own in each], self.vertices.cell_items)
        return {
            "offsets": b.table(self.items.offsets([own.offsets for own in each])),
            "cell": b.table(cells),
            "corner": b.table(entries.stack([own.corner for own in each])),
        }

    def _make_mirrors(self, planes: Sequence[str]) -> None:
        """Planes of symmetry: which volumes are on them, and their normals."""
        b, found = self.backend, self._normals(planes)
        nodes = Items(self.alike, [len(own) for own in found])
        self.mirror_nodes = self.on_planes = nodes.stack(found, self.items)
        self.plane = b.array(self.normals, "real")
        on_plane = b.table(np.isin(np.arange(self.nodes), self.mirror_nodes))
        self.mirrors = {"on_plane": on_plane, "plane": self.plane}
        self.slip = self.mirrors | {"velocity": b.zeros((self.nodes, 3))}
        self.fields.add(**self.slip)
        if len(self.mirror_nodes):
            self.symmetric = {"node": b.table(self.mirror_nodes), "plane": self.plane}

    def fit(self, by: str = "least-squares", steep: bool = False) -> None:
        """Least squares that gradients are made by: `inverse` among the fields, which follows x.

        `steep`: a viscous gas, whose fluxes take a share alone of slopes across layers that curve.
        """
        del by  # one way alone
        b, most = self.backend, VISCOUS_REACH if steep else REACH
        self.fields.add(inverse=b.zeros((self.nodes, 6)), blunt=b.zeros(self.nodes, np.int32))
        start = b.array(self.points, np.float64)
        self._find_folds(start)
        own, tetrahedra = self._layered() if steep else None, b.table(self._tetrahedra())
        # layers tell of themselves, also beside tetrahedra
        given = self._blunt_at(own, tetrahedra, b.zeros(self.nodes, np.int32), most, start)
        b.record(given)()
        there = b.table(b.get(self.fields["blunt"]))
        shares = [] if own is None else [own.bind("layer_shares")]
        self.measure.follow(
            *self._blunt_at(own, there, there, MOVED * most),
            self.fields.bind("least_squares"),
            *shares,
        )

    def _find_folds(self, x: Any) -> None:
        """Find nodes whose neighbours lie in one plane as given, at x: they have no gradient."""
        b = self.backend
        b.record([self.fields.bind("least_squares", x=x, blunt=None)])()
        fold = ~b.get(self.fields["inverse"]).any(axis=1)
        if fold.any():
            self.fields.add(fold=b.table(fold.astype(np.int32)))

    def _blunt_at(
        self, own: Fields | None, given: Any, of_layers: Any, most: float, x: Any = None
    ) -> list[Any]:
        """Calls that find which nodes have weights |d|^-1, wherever they are, or at `x`.

        Parameters
        ----------
        own : of `layered`; None: there are no layers
        given, of_layers : (nodes,) 1 where they have them whatever the reach, apart from layers
            that curve by more than their thickness, and at these
        most : largest reach of all others
        """
        at = {} if x is None else {"x": x}
        calls = [self.fields.bind("fit_blunt", given=given, most=most, **at)]
        if own is not None:
            calls += [*curves(own, **at), own.bind("layer_blunt", given=of_layers, most=most, **at)]
        return calls

    def _layered(self) -> Fields | None:
        """Fields of layers that may curve by more than their thickness; None without any."""
        each = [curved_solids(mesh) for mesh in self.distinct]
        layers: SolidLayers = joined([each[of] for of in self.alike.of], self.first)
        return layered(self.fields, layers) if len(layers.node) else None

    def _tetrahedra(self) -> NDArray[np.int32]:
        """(nodes,) 1 at tetrahedra, where weights are |d|^-1 whatever the reach."""
        found = np.zeros(self.nodes, np.int32)
        for first, mesh in zip(self.first, self.meshes, strict=False):
            found[first + mesh.solids.get("tetrahedra", np.empty(0, int))] = 1
        return found

    def in_precision(self, single: bool) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        faces, sides = super().in_precision(single)
        plane = self.backend.array(self.normals, np.float32) if single else self.plane
        return faces | {"plane": plane}, sides
