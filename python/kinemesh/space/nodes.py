"""Nodes of an ensemble on a device, however they are connected: numbering, bodies, time levels.

Nodes and boundary nodes of one member are contiguous.  What follows from a mesh (or cloud) alone is
set up once, however many members share it; their tables are its own with the numbers shifted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.faults import DIVERGED, NONE
from kinemesh.errors import MeshError
from kinemesh.linear.pattern import Pattern, chunks, totals
from kinemesh.linear.stack import Alike, Items
from kinemesh.mesh.dual import boundary_nodes, boundary_points, offsets_of

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Boundary:
    """Boundary nodes of one kind (walls, or far field) on a device.

    Parameters
    ----------
    node, body, member : host tables over the boundary's nodes
    first : (members+1,)    first boundary node of each member
    shape : what connects them: in the plane `ends` (b, 2), the nodes before and after; in space
        `offsets` (b+1,) and `corners` (facets, 2), the other nodes of each one's triangles
    device : dict of the same on the device, with S (area vector), w (swept rate), dV1, dV2; of
        clouds with S and normal (unit, out of the fluid; zero at sharp edges)
    """

    node: Ints
    shape: dict[str, Ints]
    body: Ints
    member: Ints
    first: Ints
    device: dict[str, Any]

    @classmethod
    def of(
        cls, backend: Backend, node: Ints, shape: dict[str, Ints], body: Ints, items: Items
    ) -> Boundary:
        count, dimensions = len(node), 2 if "ends" in shape else 3
        member = items.members()
        device = {name: backend.array(table, np.int32) for name, table in shape.items()} | {
            "node": backend.array(node, np.int32),
            "member": backend.array(member, np.int32),
            "S": backend.zeros((count, dimensions)),
            "w": backend.zeros(count),
            "dV1": backend.zeros(count, np.float64),
            "dV2": backend.zeros(count, np.float64),
        }
        return cls(node, shape, body, member, items.first, device)

    def of_member(self, member: int) -> slice:
        """The boundary's nodes of one member."""
        return slice(*self.first[member : member + 2])


def side_of(mesh: Any, markers: Sequence[str]) -> tuple[Ints, dict[str, Ints], Ints]:
    """Nodes of one mesh on these markers, what connects them, and the number of each one's marker.

    Markers are numbered from 0 in the order of `markers`, those that the mesh has.
    """
    nodes, dimensions = mesh.points.shape
    there = [mesh.boundaries[name] for name in markers if name in mesh.boundaries]
    facets: Any = np.concatenate([np.empty((0, dimensions), np.int64), *there])
    owner: Any = np.repeat(np.arange(len(there)), [len(own) for own in there])
    if dimensions == 2:
        node, ends, owner = boundary_nodes(nodes, facets, owner)
        return node, {"ends": ends}, owner
    node, offsets, corners, owner = boundary_points(nodes, facets, owner)
    return node, {"offsets": offsets, "corners": corners}, owner


class Nodes(ABC):
    """Places of an ensemble's nodes and what depends on nothing else.

    Parameters
    ----------
    backend
    meshes : one Mesh (or Cloud) per member
    walls, far : markers of moving or fixed bodies, and of the far field; every marker of every
        mesh must be in one of the two, or in `planes` (of symmetry)

    Attributes
    ----------
    x, x1, reference : (nodes, dimensions) float64    coordinates now, at the last time level,
        and as given
    V : (nodes,) float64           share of space of each node [chord^2]
    bdf : (members, 3), rate : (members, 2)  factors of the time levels [a_inf/chord]
    faults : (members,) uint64
    bodies : list of (member, marker)
    alike : which members share a mesh;  distinct : the meshes, each once
    items : where the nodes of each member stand
    graphs : of each distinct mesh the offsets of its nodes and their neighbours, CSR
    dimensions, variables : int    2 or 3, and 2 more
    totals : dict    tables of sums and maxima over the nodes of each member, by chunks
    mirrors, slip : dict    in space the points on a plane of symmetry and its normal; with their
        velocity
    worse : ufunc                 of two numbers in `shapes` the one of the worse shape
    measure, sweep, keep_levels : recordings   what follows from x; from x and its past; the next
        time level
    """

    measure: Callable[[], None]
    sweep: Callable[[], None]
    keep_levels: Callable[[], None]
    look: Callable[[], None]
    worse: np.ufunc
    graphs: list[tuple[Ints, Ints]]
    V: Any
    inverse: Any
    plane: Any
    mirrors: dict[str, Any]
    slip: dict[str, Any]
    table: dict[str, Any]

    def __init__(
        self,
        backend: Backend,
        meshes: Sequence[Any],
        walls: Sequence[str],
        far: Sequence[str],
        planes: Sequence[str] = (),
    ) -> None:
        self.backend, self.meshes = backend, list(meshes)
        self.dimensions = self.meshes[0].points.shape[1]
        self.variables = self.dimensions + 2
        self.alike = Alike(self.meshes)
        self.distinct = [self.meshes[member] for member in self.alike.lead]
        self._made: dict[Hashable, list[Any]] = {}
        self.items = Items(self.alike, [len(m.points) for m in self.distinct])
        self.first, self.member = self.items.first, self.items.members()
        self.nodes, self.members = self.items.total, len(self.meshes)
        self.points = self.items.stack([m.points for m in self.distinct])
        self.bodies: list[tuple[int, str]] = []
        self.mirrors, self.slip = {}, {}
        self._check_markers(walls, far, planes)
        b, m = backend, self.members
        self.x, self.x1, self.reference = (b.array(self.points, np.float64) for _ in range(3))
        self.bdf, self.rate = b.zeros((m, 3), np.float64), b.zeros((m, 2), np.float64)
        self.faults = b.array(np.full(m, NONE), np.uint64)
        node_chunks, groups = chunks(self.first)
        self.totals = totals(b, node_chunks, groups)
        self.chunks = len(node_chunks) - 1
        self.wall = self._boundary(walls, True)
        self.far = self._boundary(far, False)

    def kernel(self, name: str) -> str:
        """A kernel's name in the dimension of these nodes."""
        return name if self.dimensions == 2 else f"{name}_3d"

    def bind(self, kernel: str, over: Any = None, **fields: Any) -> Any:
        """`Backend.bind` of a kernel in the dimension of these nodes."""
        return self.backend.bind(self.kernel(kernel), over, **fields)

    def slots(self, pattern: Pattern) -> Ints:
        """(entries,) blocks of a pattern on `graphs` that belong to each node's neighbours."""
        pairs = [
            (np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets)), neighbour)
            for offsets, neighbour in self.graphs
        ]
        entries = Items(self.alike, [len(neighbour) for _, neighbour in self.graphs])
        return pattern.blocks_of(pairs, entries)

    def each(self, what: Hashable, make: Callable[[Any], Any]) -> list[Any]:
        """What `make` gives of each distinct mesh, kept by the name `what`: made once."""
        if what not in self._made:
            self._made[what] = [make(mesh) for mesh in self.distinct]
        return self._made[what]

    def _check_markers(
        self, walls: Sequence[str], far: Sequence[str], planes: Sequence[str]
    ) -> None:
        for number, mesh in zip(self.alike.lead, self.distinct, strict=True):
            for marker in (m for m in mesh.boundaries if m not in planes):
                if (marker in walls) == (marker in far):
                    raise MeshError(
                        f"member {number}: marker {marker!r} is "
                        f"{'both a wall and far field' if marker in walls else 'neither'}; "
                        f"expected it in walls {list(walls)} or in far {list(far)}"
                    )

    def _boundary(self, markers: Sequence[str], are_bodies: bool) -> Boundary:
        node, shape, owner = zip(*(side_of(m, markers) for m in self.distinct), strict=True)
        names = [[name for name in markers if name in m.boundaries] for m in self.distinct]
        items = Items(self.alike, [len(own) for own in node])
        if are_bodies:
            self.bodies += [(m, name) for m, of in enumerate(self.alike.of) for name in names[of]]
            bodies = Items(self.alike, [len(own) for own in names])
            body = items.stack(owner, bodies)
        else:
            body = items.members()
        return Boundary.of(
            self.backend, items.stack(node, self.items), self._shape(items, shape), body, items
        )

    def _shape(self, items: Items, shape: Sequence[dict[str, Ints]]) -> dict[str, Ints]:
        """What connects boundary nodes, of all members."""
        tables = {name: [own[name] for own in shape] for name in shape[0]}
        if "ends" in tables:
            return {"ends": items.stack(tables["ends"], self.items)}
        corners = Items(self.alike, [len(own) for own in tables["corners"]])
        return {
            "offsets": items.offsets(tables["offsets"]),
            "corners": corners.stack(tables["corners"], self.items),
        }

    def start(self) -> None:
        """Metrics of the mesh as it stands; every time level at rest there."""
        self.measure()
        for _ in range(2):
            self.keep_levels()
            self.sweep()

    def reset(self) -> None:
        """Every node back to where it was given, at rest."""
        self.backend.put(self.x, self.points)
        self.start()

    def place(self, member: int, entity: int, code: int) -> str:
        """Text for a node in the numbers of the user's file; nothing where the fault has none."""
        if code == DIVERGED:
            return ""
        local = entity - int(self.first[member])
        if not 0 <= local < len(self.meshes[member].points):
            return f" at entity {entity}"
        where = zip("xyz", self.backend.get(self.x)[entity], strict=False)
        told = ", ".join(f"{name} = {value:.6g}" for name, value in where)
        return f" at node {self.meshes[member].original[local]} ({told})"

    def shown(self, member: int) -> Any:
        """A member as field files have it: points, triangles, quads, original."""
        return self.meshes[member]

    def sizes(self) -> dict[str, int]:
        """How many there are of what, for the summary."""
        return {"nodes": self.nodes}

    @abstractmethod
    def broken(self, shapes: dict[str, NDArray[np.float64]]) -> tuple[int, str] | None:
        """The first member with a shape that cannot be computed on, and what it is."""

    def worst_cells(self) -> NDArray[np.float64]:
        """(members, 2): least cell area [chord^2] and least angle [rad]; nan without cells."""
        return np.full((self.members, 2), np.nan)

    @abstractmethod
    def shapes(self) -> dict[str, NDArray[np.float64]]:
        """(members,) of each number that tells how well the mesh is shaped as it stands."""

    @abstractmethod
    def terms(self) -> NDArray[np.float64]:
        """(nodes,) size of the terms that cancel in a steady residual of a uniform stream."""

    @abstractmethod
    def levels(self) -> dict[str, Any]:
        """Device arrays of the time levels that a restart must keep."""

    def set_time_levels(self, dt: NDArray[np.float64], order: int) -> None:
        """Factors of BDF1 or BDF2 with each member's time step; order 0: steady."""
        if order == 0:
            bdf, rate = np.zeros(3), np.zeros(2)
        elif order == 1:
            bdf, rate = np.array([1.0, -1.0, 0.0]), np.array([1.0, 0.0])
        else:
            bdf, rate = np.array([1.5, -2.0, 0.5]), np.array([1.5, -0.5])
        self.backend.put(self.bdf, bdf / dt[:, None])
        self.backend.put(self.rate, rate / dt[:, None])


def body_chunks(body: Ints, bodies: int, size: int = 256) -> tuple[Ints, Ints]:
    """Chunks of the wall nodes of each body, for forces."""
    return chunks(offsets_of(body, bodies), size)
