"""A mesh (or the meshes of an ensemble side by side) on a device: tables, metrics, time levels.

docs/theory.md, section 2.3.  Nodes, cells, edges and boundary nodes of one member are contiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.linear.pattern import chunks
from kinemesh.linear.stack import Items
from kinemesh.mesh import Mesh
from kinemesh.mesh.dual import Dual, dual
from kinemesh.space.nodes import Nodes

Faces = dict[str, dict[str, Any]]
"""S and w of the faces at edges, walls and far field."""


class Grid(Nodes):
    """Meshes of an ensemble on a device; parameters as of `kinemesh.space.nodes.Nodes`.

    Attributes
    ----------
    measure, look : recordings   all metrics of x; only the worst cells
    V, V1, V2 : (nodes,) float64 dual volumes at n+1, n, n-1 [chord^2]
    S : (edges, 2), w : (edges,) area vectors, swept rates
    hierarchies : of distinct meshes as given, by number, where springs have set them up
    duals : tables of each distinct mesh;  dual : those of all members
    """

    worse = np.minimum

    def __init__(
        self, backend: Backend, meshes: Sequence[Mesh], walls: Sequence[str], far: Sequence[str]
    ) -> None:
        super().__init__(backend, meshes, walls, far)
        tables = [m.cells for m in self.distinct]
        of_cells = Items(self.alike, [len(table) for table in tables])
        self.cells, self.cell_first = of_cells.stack(tables, self.items), of_cells.first
        self.duals = [dual(len(m.points), t) for m, t in zip(self.distinct, tables, strict=True)]
        self.graphs = [(own.offsets, own.neighbour) for own in self.duals]
        self.dual = self._stacked(of_cells)
        self.edges = len(self.dual.lr)
        self.hierarchies: dict[int, Any] = {}
        self._single: Faces = {}
        self._allocate()
        self._bind()

    def _stacked(self, cells: Items) -> Dual:
        """Tables of all members from those of the distinct meshes."""

        def each(name: str) -> list[Any]:
            return [getattr(own, name) for own in self.duals]

        edges, entries, corners = (
            Items(self.alike, [len(table) for table in each(name)])
            for name in ("lr", "neighbour", "cell")
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
        self.table = {name: b.table(t) for name, t in tables.items()}
        self.V, self.V1, self.V2 = (b.zeros(n, np.float64) for _ in range(3))
        self.dV1, self.dV2 = (b.zeros(e, np.float64) for _ in range(2))
        self.S, self.w = b.zeros((e, 2)), b.zeros(e)
        self.inverse = b.zeros((n, 3))
        cell_chunks, cell_groups = chunks(self.cell_first)
        self.chunk_cells = b.array(cell_chunks, np.int32)
        self.chunk_cells_of = b.array(cell_groups, np.int32)
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

    def sizes(self) -> dict[str, int]:
        return {"nodes": self.nodes, "cells": len(self.cells)}

    def terms(self) -> NDArray[np.float64]:
        length = np.linalg.norm(self.backend.get(self.S).astype(float), axis=1)
        around = np.zeros(self.nodes)
        for side in (0, 1):
            around += np.bincount(self.dual.lr[:, side], length, self.nodes)
        return around

    def levels(self) -> dict[str, Any]:
        return {
            "V": self.V,
            "V1": self.V1,
            "dV1": self.dV1,
            "wall_dV1": self.wall.device["dV1"],
            "far_dV1": self.far.device["dV1"],
        }

    def worst_cells(self) -> NDArray[np.float64]:
        """(members, 2): least cell area [chord^2] and least angle [rad]."""
        return -self.backend.get(self.worst)

    def shapes(self) -> dict[str, NDArray[np.float64]]:
        """Least cell area [chord^2] and least angle [degrees]."""
        self.look()
        area, angle = self.worst_cells().T
        return {"least_area": area, "least_angle_deg": np.degrees(angle)}

    def broken(self, shapes: dict[str, NDArray[np.float64]]) -> tuple[int, str] | None:
        for member in np.flatnonzero(~(shapes["least_area"] > 0))[:1]:
            return int(member), f"{self.inverted(int(member))} is inverted"
        return None

    def inverted(self, member: int) -> str:
        """Text for the cell of least area, by its nodes in the numbers of the user's file."""
        cells = self.cells[self.cell_first[member] : self.cell_first[member + 1]]
        corner = self.backend.get(self.x)[np.where(cells < 0, cells[:, :1], cells)]
        (ax, ay), (bx, by) = (np.moveaxis(corner[:, k + 2] - corner[:, k], -1, 0) for k in (0, 1))
        worst = cells[np.argmin(ax * by - ay * bx)]
        original = self.meshes[member].original[worst[worst >= 0] - self.first[member]]
        return f"the cell of nodes {', '.join(map(str, original))}"
