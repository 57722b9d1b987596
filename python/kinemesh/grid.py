"""A mesh (or the meshes of an ensemble side by side) on a device: tables, metrics, time levels.

docs/theory.md, section 2.3.  Nodes, cells and boundary nodes of one member are contiguous; every
table of two meshes is that of the first with the second's numbers shifted behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.backend import Backend
from kinemesh.errors import MeshError
from kinemesh.faults import DIVERGED, NONE
from kinemesh.linear.pattern import chunks
from kinemesh.mesh import Mesh
from kinemesh.mesh.dual import boundary_nodes, dual, offsets_of

Ints = NDArray[np.int32]
Faces = dict[str, dict[str, Any]]
"""S and w of the faces at edges, walls and far field."""


@dataclass(frozen=True)
class Boundary:
    """Boundary nodes of one kind (walls, or far field) on a device.

    Parameters
    ----------
    node, ends, body, member : host tables over the boundary's nodes
    device : dict of the same on the device, with S (area vector), w (swept rate), dV1, dV2
    """

    node: Ints
    ends: Ints
    body: Ints
    member: Ints
    device: dict[str, Any]

    @classmethod
    def of(cls, backend: Backend, node: Ints, ends: Ints, body: Ints, member: Ints) -> Boundary:
        count = len(node)
        device = {
            "node": backend.array(node, np.int32),
            "ends": backend.array(ends, np.int32),
            "member": backend.array(member, np.int32),
            "S": backend.zeros((count, 2)),
            "w": backend.zeros(count),
            "dV1": backend.zeros(count, np.float64),
            "dV2": backend.zeros(count, np.float64),
        }
        return cls(node, ends, body, member, device)


class Grid:
    """Meshes of an ensemble on a device.

    Parameters
    ----------
    backend
    meshes : one Mesh per member
    walls, far : markers of moving or fixed bodies, and of the far field; every marker of every
        mesh must be in one of the two

    Attributes
    ----------
    x, x1 : (nodes, 2) float64   coordinates now and at the last time level [chord]
    measure, look : recordings   all metrics of x; only the worst cells
    V, V1, V2 : (nodes,) float64 dual volumes at n+1, n, n-1 [chord^2]
    S : (edges, 2), w : (edges,) area vectors, swept rates
    bdf : (members, 3), rate : (members, 2)  factors of the time levels [a_inf/chord]
    faults : (members,) uint64
    bodies : list of (member, marker)
    """

    def __init__(
        self, backend: Backend, meshes: Sequence[Mesh], walls: Sequence[str], far: Sequence[str]
    ) -> None:
        self.backend, self.meshes = backend, list(meshes)
        counts = [m.nodes for m in self.meshes]
        self.first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self.nodes, self.members = int(self.first[-1]), len(self.meshes)
        self.points = np.concatenate([m.points for m in self.meshes])
        shifted = [
            np.where(m.cells < 0, -1, m.cells + s)
            for m, s in zip(self.meshes, self.first[:-1], strict=True)
        ]
        self.cells = np.concatenate(shifted).astype(np.int32)
        self.cell_first = np.concatenate([[0], np.cumsum([len(c) for c in shifted])])
        self.dual = dual(self.nodes, self.cells)
        self.edges = len(self.dual.lr)
        self.member = np.repeat(np.arange(self.members, dtype=np.int32), counts)
        self.bodies: list[tuple[int, str]] = []
        self._single: Faces = {}
        self._check_markers(walls, far)
        self._allocate()
        self.wall = self._boundary(walls, True)
        self.far = self._boundary(far, False)
        self._bind()

    def _check_markers(self, walls: Sequence[str], far: Sequence[str]) -> None:
        for number, mesh in enumerate(self.meshes):
            for marker in mesh.boundaries:
                if (marker in walls) == (marker in far):
                    raise MeshError(
                        f"member {number}: marker {marker!r} is "
                        f"{'both a wall and far field' if marker in walls else 'neither'}; "
                        f"expected it in walls {list(walls)} or in far {list(far)}"
                    )

    def _boundary(self, markers: Sequence[str], are_bodies: bool) -> Boundary:
        edges, body = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for member, mesh in enumerate(self.meshes):
            for marker in (m for m in markers if m in mesh.boundaries):
                edges.append(mesh.boundaries[marker] + self.first[member])
                number = len(self.bodies) if are_bodies else member
                body.append(np.full(len(edges[-1]), number))
                if are_bodies:
                    self.bodies.append((member, marker))
        tables = boundary_nodes(self.nodes, np.concatenate(edges), np.concatenate(body))
        return Boundary.of(self.backend, *tables, self.member[tables[0]])

    def _allocate(self) -> None:
        b, n, e, m = self.backend, self.nodes, self.edges, self.members
        d = self.dual
        tables = {
            "lr": d.lr,
            "cells_of_edge": d.cells_of_edge,
            "corners": self.cells,
            "offsets": d.offsets,
            "neighbour": d.neighbour,
            "edge": d.edge,
            "corner_offsets": d.corner_offsets,
            "cell": d.cell,
            "corner": d.corner,
            "member": self.member,
            "edge_member": self.member[d.lr[:, 0]],
        }
        self.table = {name: b.array(t, np.int32) for name, t in tables.items()}
        self.x, self.x1 = (b.array(self.points, np.float64) for _ in range(2))
        self.reference = b.array(self.points, np.float64)
        self.V, self.V1, self.V2 = (b.zeros(n, np.float64) for _ in range(3))
        self.dV1, self.dV2 = (b.zeros(e, np.float64) for _ in range(2))
        self.S, self.w = b.zeros((e, 2)), b.zeros(e)
        self.inverse = b.zeros((n, 3))
        self.bdf, self.rate = b.zeros((m, 3), np.float64), b.zeros((m, 2), np.float64)
        self.faults = b.array(np.full(m, NONE), np.uint64)
        cell_chunks, cell_groups = chunks(self.cell_first)
        self.chunk_cells = b.array(cell_chunks, np.int32)
        self.chunk_cells_of = b.array(cell_groups, np.int32)
        node_chunks, node_groups = chunks(self.first)
        self.node_chunks = b.array(node_chunks, np.int32)
        self.node_groups = b.array(node_groups, np.int32)
        self.chunks = len(node_chunks) - 1
        self.worst_parts = b.zeros((len(cell_chunks) - 1, 2), np.float64)
        self.worst = b.zeros((m, 2), np.float64)

    def _bind(self) -> None:
        bind, t = self.backend.bind, self.table
        cells = {"corners": t["corners"]}
        dual_edges = {"lr": t["lr"], "cells_of_edge": t["cells_of_edge"], **cells}
        normals = [bind("dual_normals", x=self.x, S=self.S, **dual_edges)]
        sweeps = [bind("dual_sweeps", x0=self.x1, x1=self.x, dV=self.dV1, **dual_edges)]
        rates = [
            bind(
                "face_rates",
                member=t["edge_member"],
                rate=self.rate,
                dV1=self.dV1,
                dV2=self.dV2,
                w=self.w,
            )
        ]
        levels = [
            bind("copy_f64_2", **{"from": self.x, "to": self.x1}),
            bind("copy_f64", **{"from": self.V1, "to": self.V2}),
            bind("copy_f64", **{"from": self.V, "to": self.V1}),
            bind("copy_f64", **{"from": self.dV1, "to": self.dV2}),
        ]
        for side in (self.wall.device, self.far.device):
            where = {"node": side["node"], "ends": side["ends"]}
            normals.append(bind("boundary_normals", x=self.x, S=side["S"], **where))
            sweeps.append(bind("boundary_sweeps", x0=self.x1, x1=self.x, dV=side["dV1"], **where))
            rates.append(
                bind(
                    "face_rates",
                    member=side["member"],
                    rate=self.rate,
                    dV1=side["dV1"],
                    dV2=side["dV2"],
                    w=side["w"],
                )
            )
            levels.append(bind("copy_f64", **{"from": side["dV1"], "to": side["dV2"]}))
        volumes = bind(
            "dual_volumes",
            x=self.x,
            offsets=t["corner_offsets"],
            cell=t["cell"],
            corner=t["corner"],
            **cells,
            member=t["member"],
            V=self.V,
            faults=self.faults,
        )
        squares = bind(
            "least_squares",
            x=self.x,
            offsets=t["offsets"],
            neighbour=t["neighbour"],
            inverse=self.inverse,
        )
        quality = [
            bind(
                "cell_quality", x=self.x, **cells, offsets=self.chunk_cells, sums=self.worst_parts
            ),
            bind(
                "gather_max_2", offsets=self.chunk_cells_of, parts=self.worst_parts, sums=self.worst
            ),
        ]
        record = self.backend.record
        self.keep_levels = record(levels)
        self.look = record(quality)
        self.measure = record([*normals, volumes, squares, *quality])
        self.sweep = record([*sweeps, *rates])

    def faces(self) -> Faces:
        """S and w as they are."""
        return {
            "edges": {"S": self.S, "w": self.w},
            "wall": {name: self.wall.device[name] for name in ("S", "w")},
            "far": {name: self.far.device[name] for name in ("S", "w")},
        }

    def single(self) -> Faces:
        """Copies of S and w in float32 that follow every `measure` and `sweep` from now on."""
        if self._single:
            return self._single
        b = self.backend
        copies: Faces = {}
        calls: dict[str, list[Any]] = {"S": [self.measure], "w": [self.sweep]}
        for side, fields in self.faces().items():
            copies[side] = {name: b.zeros(f.shape, np.float32) for name, f in fields.items()}
            for name, field in fields.items():
                kernel = "narrow_2" if name == "S" else "narrow_1"
                calls[name].append(b.bind(kernel, **{"from": field, "to": copies[side][name]}))
        self.measure, self.sweep = b.record(calls["S"]), b.record(calls["w"])
        self._single = copies
        return copies

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

    def worst_cells(self) -> NDArray[np.float64]:
        """(members, 2): least cell area [chord^2] and least angle [rad]."""
        return -self.backend.get(self.worst)

    def inverted(self, member: int) -> str:
        """Text for the cell of least area, by its nodes in the numbers of the user's file."""
        cells = self.cells[self.cell_first[member] : self.cell_first[member + 1]]
        corner = self.backend.get(self.x)[np.where(cells < 0, cells[:, :1], cells)]
        (ax, ay), (bx, by) = (np.moveaxis(corner[:, k + 2] - corner[:, k], -1, 0) for k in (0, 1))
        worst = cells[np.argmin(ax * by - ay * bx)]
        original = self.meshes[member].original[worst[worst >= 0] - self.first[member]]
        return f"the cell of nodes {', '.join(map(str, original))}"

    def place(self, member: int, entity: int, code: int) -> str:
        """Text for a node in the numbers of the user's file; nothing where the fault has none."""
        if code == DIVERGED:
            return ""
        local = entity - int(self.first[member])
        if not 0 <= local < self.meshes[member].nodes:
            return f" at entity {entity}"
        x, y = self.backend.get(self.x)[entity]
        return f" at node {self.meshes[member].original[local]} (x = {x:.6g}, y = {y:.6g})"

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
