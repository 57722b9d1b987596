"""Median duals of the meshes of an ensemble on a device: tables, metrics, time levels.

docs/theory.md, section 2.3.  Nodes, cells, edges and boundary nodes of one member are contiguous.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.followed import Followed
from kinemesh.linear.stack import Items
from kinemesh.mesh.dual import Dual, dual
from kinemesh.space.vertices import MeshVertices
from kinemesh.space.volumes import Volumes

Faces = dict[str, dict[str, Any]]
"""S and w of the faces at edges, and of each kind of boundary."""


class Grid(Volumes):
    """Median duals of meshes: a volume about each vertex, a face across each edge.

    Attributes
    ----------
    measure, look : recordings   all metrics of x; only the worst cells
    V, V1, V2 : (nodes,) float64 dual volumes at n+1, n, n-1 [chord^2]
    S : (edges, 2), w : (edges,) area vectors, swept rates
    duals : tables of each distinct mesh;  dual : those of all members
    """

    vertices: MeshVertices
    worse = np.minimum

    def __init__(self, vertices: MeshVertices) -> None:
        super().__init__(vertices)
        meshes = self.distinct
        self.duals = [dual(len(m.points), m.cells) for m in meshes]
        self.graphs = [(own.offsets, own.neighbour) for own in self.duals]
        self.dual = self._stacked(vertices.cell_items)
        self.edges = len(self.dual.lr)
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
        b, n, e, d = self.backend, self.nodes, self.edges, self.dual
        names = ("lr", "cells_of_edge", "offsets", "neighbour", "edge")
        self.V, self.V1, self.V2 = (b.zeros(n, np.float64) for _ in range(3))
        self.dV1, self.dV2 = (b.zeros(e, np.float64) for _ in range(2))
        self.S, self.w = b.zeros((e, 2)), b.zeros(e)
        self.inverse = b.zeros((n, 3))
        self.fields.add(
            V=self.V, inverse=self.inverse, **{name: b.table(getattr(d, name)) for name in names}
        )
        for patch in self.patches.values():
            for name in ("dV1", "dV2"):
                patch.device[name] = b.zeros(len(patch), np.float64)

    def _bind(self) -> None:
        b, x, x1 = self.backend, self.x, self.x1
        corners = {
            name: b.table(getattr(self.dual, name)) for name in ("corner_offsets", "cell", "corner")
        }
        edges = self.fields.also(S=self.S, w=self.w, dV1=self.dV1, dV2=self.dV2)
        normals = [edges.bind("dual_normals")]
        sweeps = [edges.bind("dual_sweeps", x0=x1, x1=x, dV=self.dV1)]
        rates = [edges.bind("face_rates", member=b.table(self.member[self.dual.lr[:, 0]]))]
        levels = [
            b.bind("copy_f64_2", **{"from": x, "to": x1}),
            b.bind("copy_f64", **{"from": self.V1, "to": self.V2}),
            b.bind("copy_f64", **{"from": self.V, "to": self.V1}),
            b.bind("copy_f64", **{"from": self.dV1, "to": self.dV2}),
        ]
        for patch in self.patches.values():
            fields, own = self.fields.also(**patch.device), patch.device
            normals.append(fields.bind("boundary_normals"))
            sweeps.append(fields.bind("boundary_sweeps", x0=x1, x1=x, dV=own["dV1"]))
            rates.append(fields.bind("face_rates", member=b.table(patch.member)))
            levels.append(b.bind("copy_f64", **{"from": own["dV1"], "to": own["dV2"]}))
        volumes = self.fields.bind(
            "dual_volumes",
            offsets=corners["corner_offsets"],
            cell=corners["cell"],
            corner=corners["corner"],
        )
        squares = self.fields.bind("least_squares")
        self.keep_levels, self.look = b.record(levels), self.vertices.look
        self.measure = Followed(b, [*normals, volumes, squares, *self.vertices.quality])
        self.sweep = Followed(b, [*sweeps, *rates])

    def faces(self) -> Faces:
        """S and w as they are."""
        kinds = {kind: patch.device for kind, patch in self.patches.items()}
        sides = {kind: {name: own[name] for name in ("S", "w")} for kind, own in kinds.items()}
        return {"edges": {"S": self.S, "w": self.w}} | sides

    def single(self) -> Faces:
        """Copies of S and w in float32, which follow `measure` and `sweep`."""
        b, makers = self.backend, {"S": ("narrow_2", self.measure), "w": ("narrow_1", self.sweep)}
        for side, fields in {} if self._single else self.faces().items():
            copies = {name: b.zeros(f.shape, np.float32) for name, f in fields.items()}
            for name, (kernel, recording) in makers.items():
                recording.follow(b.bind(kernel, **{"from": fields[name], "to": copies[name]}))
            self._single[side] = copies
        return self._single

    def sizes(self) -> dict[str, int]:
        return {"nodes": self.nodes, "cells": len(self.vertices.cells)}

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
        } | {f"{kind}_dV1": patch.device["dV1"] for kind, patch in self.patches.items()}

    def worst_cells(self) -> NDArray[np.float64]:
        return self.vertices.worst_cells()

    def shapes(self) -> dict[str, NDArray[np.float64]]:
        """Least cell area [chord^2] and least angle [degrees]."""
        self.look()
        area, angle = self.worst_cells().T
        return {"least_area": area, "least_angle_deg": np.degrees(angle)}

    def broken(self, shapes: dict[str, NDArray[np.float64]]) -> list[tuple[int, str, str]]:
        found = np.flatnonzero(~(shapes["least_area"] > 0)).tolist()
        cells = [self.vertices.inverted(member) for member in found]
        return [(m, f"{cell} is inverted", cell) for m, cell in zip(found, cells, strict=True)]
