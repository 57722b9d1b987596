"""Nodes of an ensemble on a device, however they are connected: numbering, bodies, time levels.

Nodes and boundary nodes of one member are contiguous; every table of two meshes (or clouds) is that
of the first with the second's numbers shifted behind it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.faults import DIVERGED, NONE
from kinemesh.errors import MeshError
from kinemesh.linear.pattern import chunks, totals
from kinemesh.mesh.dual import boundary_nodes, boundary_points, offsets_of

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Boundary:
    """Boundary nodes of one kind (walls, or far field) on a device.

    Parameters
    ----------
    node, body, member : host tables over the boundary's nodes
    shape : what connects them: in the plane `ends` (b, 2), the nodes before and after; in space
        `offsets` (b+1,) and `corners` (facets, 2), the other nodes of each one's triangles
    device : dict of the same on the device, with S (area vector), w (swept rate), dV1, dV2; of
        clouds with S and normal (unit, out of the fluid; zero at sharp edges)
    """

    node: Ints
    shape: dict[str, Ints]
    body: Ints
    member: Ints
    device: dict[str, Any]

    @classmethod
    def of(
        cls, backend: Backend, node: Ints, shape: dict[str, Ints], body: Ints, member: Ints
    ) -> Boundary:
        count, dimensions = len(node), 2 if "ends" in shape else 3
        device = {name: backend.array(table, np.int32) for name, table in shape.items()} | {
            "node": backend.array(node, np.int32),
            "member": backend.array(member, np.int32),
            "S": backend.zeros((count, dimensions)),
            "w": backend.zeros(count),
            "dV1": backend.zeros(count, np.float64),
            "dV2": backend.zeros(count, np.float64),
        }
        return cls(node, shape, body, member, device)


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
        counts = [len(m.points) for m in self.meshes]
        self.first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self.nodes, self.members = int(self.first[-1]), len(self.meshes)
        self.points = np.concatenate([m.points for m in self.meshes])
        self.member = np.repeat(np.arange(self.members, dtype=np.int32), counts)
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

    def _check_markers(
        self, walls: Sequence[str], far: Sequence[str], planes: Sequence[str]
    ) -> None:
        for number, mesh in enumerate(self.meshes):
            for marker in (m for m in mesh.boundaries if m not in planes):
                if (marker in walls) == (marker in far):
                    raise MeshError(
                        f"member {number}: marker {marker!r} is "
                        f"{'both a wall and far field' if marker in walls else 'neither'}; "
                        f"expected it in walls {list(walls)} or in far {list(far)}"
                    )

    def _boundary(self, markers: Sequence[str], are_bodies: bool) -> Boundary:
        edges, body = [np.empty((0, self.dimensions), np.int64)], [np.empty(0, np.int64)]
        for member, mesh in enumerate(self.meshes):
            for marker in (m for m in markers if m in mesh.boundaries):
                edges.append(mesh.boundaries[marker] + self.first[member])
                number = len(self.bodies) if are_bodies else member
                body.append(np.full(len(edges[-1]), number))
                if are_bodies:
                    self.bodies.append((member, marker))
        facets: Any = np.concatenate(edges)
        owner: Any = np.concatenate(body)
        if self.dimensions == 2:
            node, ends, owner = boundary_nodes(self.nodes, facets, owner)
            shape = {"ends": ends}
        else:
            node, offsets, corners, owner = boundary_points(self.nodes, facets, owner)
            shape = {"offsets": offsets, "corners": corners}
        return Boundary.of(self.backend, node, shape, owner, self.member[node])

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
