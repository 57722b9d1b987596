"""Vertices of an ensemble on a device: what motions act on.

The vertices of one member are contiguous, and so are those of each of its sides.  What follows from
a mesh (or cloud) alone is set up once, however many members share it; their tables are its own with
the numbers shifted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.faults import DIVERGED
from kinemesh.device.fields import Fields
from kinemesh.dimension import dimension_of
from kinemesh.errors import MeshError
from kinemesh.linear.pattern import chunks
from kinemesh.linear.stack import Alike, Items
from kinemesh.mesh.dual import boundary_faces, boundary_nodes, boundary_points
from kinemesh.space.conditions.base import BODY
from kinemesh.space.conditions.table import role_of
from kinemesh.space.members import Members
from kinemesh.space.owners import Owners

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Side:
    """Vertices on the boundary under one condition, or of one role, of all members.

    Parameters
    ----------
    node, body : host tables over them;  body : number in `Vertices.bodies`, or the member
    shape : what connects them: in the plane `ends` (b, 2), the vertices before and after; in space
        `offsets` (b+1,) and `corners` (facets, 2), the other vertices of each one's triangles; of
        meshes (faces, 3), of each one's faces the next and the last vertex, and that across or -1
    items : where those of each member stand
    """

    node: Ints
    shape: dict[str, Ints]
    body: Ints
    items: Items

    @property
    def member(self) -> Ints:
        """(b,) member of each vertex."""
        return self.items.members()

    def of_member(self, member: int) -> slice:
        """Rows of the vertices of one member."""
        return slice(*self.items.first[member : member + 2])


def side_of(mesh: Any, markers: Sequence[str]) -> tuple[Ints, dict[str, Ints], Ints]:
    """Vertices of one mesh on these markers, what connects them, the number of each one's marker.

    Markers are numbered from 0 in the order of `markers`, those that the mesh has.
    """
    nodes, dimensions = mesh.points.shape
    there = [mesh.boundaries[name] for name in markers if name in mesh.boundaries]
    widths = {own.shape[1] for own in mesh.boundaries.values()} or {dimensions}
    facets: Any = np.concatenate([np.empty((0, max(widths)), np.int64), *there])
    owner: Any = np.repeat(np.arange(len(there)), [len(own) for own in there])
    if dimensions == 2:
        node, ends, owner = boundary_nodes(nodes, facets, owner)
        return node, {"ends": ends}, owner
    around = boundary_points if facets.shape[1] == 3 else boundary_faces
    node, offsets, corners, owner = around(nodes, facets, owner)
    return node, {"offsets": offsets, "corners": corners}, owner


class Vertices:
    """Places of an ensemble's vertices, and which of them lie on which part of the boundary.

    Parameters
    ----------
    meshes : one Mesh (or Cloud) per member
    markers : of each kind of condition, or of each role (`kinemesh.space.conditions`); every marker
        of every mesh must be of one, or in `planes` (of symmetry, in space)
    ensemble : of other vertices of the same members; None: their own

    Attributes
    ----------
    x, x1, reference : (nodes, dimensions) float64    coordinates now, at the last time level,
        and as given
    points : (nodes, dimensions)   as given, on the host
    ensemble : Members    who of them runs, and who has failed
    bodies : list of (member, marker);  owners : their members
    markers, planes : as given
    sides : by the names in `markers`;  wall : that of all bodies
    alike : which members share a mesh;  distinct : the meshes, each once
    items : where the vertices of each member stand;  first, member : (members+1,), (nodes,)
    fields : x, x1, reference, member, faults, alive, as kernels name them
    shapes : of the bodies that bend, where a case has some
    """

    shapes: Any = None

    def __init__(
        self,
        backend: Backend,
        meshes: Sequence[Any],
        markers: Mapping[str, Sequence[str]],
        planes: Sequence[str] = (),
        ensemble: Members | None = None,
    ) -> None:
        self.backend, self.meshes, self.planes = backend, list(meshes), list(planes)
        self.dimension = dimension_of(self.meshes)
        self.dimensions = self.dimension.count
        self.alike = Alike(self.meshes)
        self.distinct = [self.meshes[member] for member in self.alike.lead]
        self._made: dict[Hashable, list[Any]] = {}
        self._all: dict[Hashable, Any] = {}
        self.items = Items(self.alike, [len(m.points) for m in self.distinct])
        self.first, self.member = self.items.first, self.items.members()
        self.nodes, self.members = self.items.total, len(self.meshes)
        self.points = self.items.stack([m.points for m in self.distinct])
        self._check_markers(markers, planes)
        self.markers = markers
        b = backend
        self.x, self.x1, self.reference = (b.array(self.points, np.float64) for _ in range(3))
        self.ensemble = Members(b, self.members) if ensemble is None else ensemble
        self.fields = Fields(
            b,
            self.dimension.endings,
            x=self.x,
            x1=self.x1,
            reference=self.reference,
            member=b.table(self.member),
            faults=self.ensemble.faults,
            alive=self.ensemble.mask,
        )
        self._make_sides(markers)
        self.owners = Owners(self.bodies, self.members)

    def each(self, what: Hashable, make: Callable[[Any], Any]) -> list[Any]:
        """Results of `make` for each distinct mesh, kept by the name `what`: made once."""
        if what not in self._made:
            self._made[what] = [make(mesh) for mesh in self.distinct]
        return self._made[what]

    def once(self, what: Hashable, make: Callable[[], Any]) -> Any:
        """Result of `make` for all members, kept by the name `what`: made once."""
        if what not in self._all:
            self._all[what] = make()
        return self._all[what]

    def _check_markers(self, markers: Mapping[str, Sequence[str]], planes: Sequence[str]) -> None:
        for number, mesh in zip(self.alike.lead, self.distinct, strict=True):
            for marker in (m for m in mesh.boundaries if m not in planes):
                kinds = [kind for kind, names in markers.items() if marker in names]
                if len(kinds) != 1:
                    told = ", ".join(f"{list(names)} ({k})" for k, names in markers.items())
                    raise MeshError(
                        f"marker {marker!r} is "
                        f"{f'both {kinds[0]} and {kinds[1]}' if kinds else 'of no kind'}; "
                        f"expected it in one of {told}",
                        member=number,
                    )

    def _make_sides(self, markers: Mapping[str, Sequence[str]]) -> None:
        """Bodies, sides by name, and the side of all bodies, which is one of those where it can."""
        names = [name for name in markers if role_of(name) == BODY]
        every = [marker for name in names for marker in markers[name]]
        self._bodies = [[name for name in every if name in m.boundaries] for m in self.distinct]
        self.bodies = [(m, name) for m, of in enumerate(self.alike.of) for name in self._bodies[of]]
        self.sides = {name: self._side(role_of(name), own) for name, own in markers.items()}
        self.wall = self.sides[names[0]] if len(names) == 1 else self._side(BODY, every)

    def _side(self, role: str, markers: Sequence[str]) -> Side:
        node, shape, owner = zip(*(side_of(m, markers) for m in self.distinct), strict=True)
        items = Items(self.alike, [len(own) for own in node])
        if role == BODY:
            bodies = Items(self.alike, [len(own) for own in self._bodies])
            body = items.stack([self._numbers(*each) for each in zip(
                self.distinct, self._bodies, owner, [markers] * len(owner), strict=True
            )], bodies)  # fmt: skip
        else:
            body = items.members()
        return Side(items.stack(node, self.items), self._shape(items, shape), body, items)

    @staticmethod
    def _numbers(mesh: Any, bodies: Sequence[str], owner: Ints, markers: Sequence[str]) -> Ints:
        """Number among the bodies of a mesh of each vertex, from that among its `markers`."""
        at = [bodies.index(name) for name in markers if name in mesh.boundaries]
        return np.array(at, np.int32)[owner]

    def _shape(self, items: Items, shape: Sequence[dict[str, Ints]]) -> dict[str, Ints]:
        """Tables that connect the vertices of a side, of all members."""
        tables = {name: [own[name] for own in shape] for name in shape[0]}
        if "ends" in tables:
            return {"ends": items.stack(tables["ends"], self.items)}
        corners = Items(self.alike, [len(own) for own in tables["corners"]])
        return {
            "offsets": items.offsets(tables["offsets"]),
            "corners": corners.stack(tables["corners"], self.items),
        }

    def place(self, member: int, entity: int, code: int) -> str:
        """Text for a vertex in the user's numbers; nothing where the fault has no place."""
        if code == DIVERGED:
            return ""
        local = entity - int(self.first[member])
        if not 0 <= local < len(self.meshes[member].points):
            return f" at entity {entity}"
        where = zip("xyz", self.backend.get(self.x)[entity], strict=False)
        told = ", ".join(f"{name} = {value:.6g}" for name, value in where)
        mesh = self.meshes[member]
        named = mesh.node(local) if hasattr(mesh, "node") else f"node {mesh.original[local]}"
        return f" at {named} ({told})"


class MeshVertices(Vertices):
    """Vertices of meshes, with the cells between them.

    Attributes
    ----------
    cells : (cells, 4), -1 the last of triangles;  cell_items : where those of each member stand
    look : recording    finds the worst cells
    slippery : roles of sides whose vertices may move along them
    hierarchies : of distinct meshes with their nodes where members begin, where springs have set
        them up
    """

    slippery: tuple[str, ...] = ()

    def __init__(
        self,
        backend: Backend,
        meshes: Sequence[Any],
        markers: Mapping[str, Sequence[str]],
        planes: Sequence[str] = (),
        ensemble: Members | None = None,
    ) -> None:
        super().__init__(backend, meshes, markers, planes, ensemble)
        self.hierarchies: dict[tuple[int, bytes], Any] = {}
        self._make_cells()
        b, bind = backend, self.fields.bind
        offsets, groups = chunks(self.cell_items.first)
        parts = b.zeros((len(offsets) - 1, 2), np.float64)
        self.worst = b.zeros((self.members, 2), np.float64)
        self.quality = [
            bind("cell_quality", offsets=b.array(offsets, np.int32), sums=parts),
            bind("gather_max_2", offsets=b.array(groups, np.int32), parts=parts, sums=self.worst),
        ]
        self.look = b.record(self.quality)

    def _make_cells(self) -> None:
        """Cells of all members, as kernels take them."""
        tables = [m.cells for m in self.distinct]
        self.cell_items = Items(self.alike, [len(table) for table in tables])
        self.cells = self.cell_items.stack(tables, self.items)
        self.fields.add(corners=self.backend.table(self.cells))

    @property
    def held(self) -> NDArray[np.bool_]:
        """(nodes,) vertices whose places are given: those of all sides, but in space for those that
        lie on planes of symmetry alone."""
        found = np.zeros(self.nodes, bool)
        for name, side in self.sides.items():
            if role_of(name) not in self.slippery:
                found[side.node] = True
        return found

    @property
    def sliding(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Vertices (nodes,) bool that move within planes of symmetry in space, and the unit normals
        (members, 3) of these; None in the plane, where they stay."""
        return None

    def worst_cells(self) -> NDArray[np.float64]:
        """(members, 2): least cell area [chord^2] and least angle [rad]."""
        return -self.backend.get(self.worst)

    def named(self, cell: int) -> str:
        """Text for a cell, by its vertices in the numbers of the user's file."""
        member = int(np.searchsorted(self.cell_items.first, cell, "right")) - 1
        corners = self.cells[cell][self.cells[cell] >= 0] - self.first[member]
        original = self.meshes[member].original[corners]
        return f"the cell of nodes {', '.join(map(str, original))}"

    def inverted(self, member: int) -> str:
        """Text for the cell of least area."""
        first, last = self.cell_items.first[member : member + 2]
        cells = self.cells[first:last]
        corner = self.backend.get(self.x)[np.where(cells < 0, cells[:, :1], cells)]
        (ax, ay), (bx, by) = (np.moveaxis(corner[:, k + 2] - corner[:, k], -1, 0) for k in (0, 1))
        return self.named(first + int(np.argmin(ax * by - ay * bx)))
