"""Volumes of meshes with faces between them: metrics, time levels, shapes.

docs/theory.md, section 2.3.  Volumes, faces and boundary faces of one member are contiguous; where
faces are numbered by colour, its faces of one colour are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.followed import Followed
from kinemesh.linear.face_colours import by_colour, check_faces, first_fit
from kinemesh.linear.stack import Items
from kinemesh.space.vertices import MeshVertices
from kinemesh.space.volumes import Volumes

Ints = NDArray[np.int32]
Tables = TypeVar("Tables", bound=Any)
Faces = dict[str, dict[str, Any]]
"""S and w of the faces at edges, and of each kind of boundary."""


class FaceVolumes(Volumes):
    """Volumes that exchange what passes the faces between them.

    Attributes
    ----------
    measure, turn, look : recordings   all metrics of x; area vectors, what alone changes where a
        mesh turns and shifts as it is; only the worst cells
    V, V1, V2 : (nodes,) float64 volumes at n+1, n, n-1 [chord^2, in space chord^3]
    edges : int                  number of faces between volumes
    lr : (edges, 2)              volumes on both sides of a face, lower number first
    colours : list of (first, count)    faces of each colour, no two of which have a volume in
        common; none where faces are not numbered so
    by_face : tables of a mesh, beside `lr`, that have a row for each face
    S : (edges, dimensions), w : (edges,)    area vectors, swept rates
    fitted_whole : tables of the volumes that gradients of stresses are fitted to, by the names of
        those across the faces; empty where they are these
    """

    vertices: MeshVertices
    worse = np.minimum
    colours: Sequence[tuple[int, int]] = ()
    by_face: ClassVar[tuple[str, ...]] = ()
    fitted_whole: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self, vertices: MeshVertices, coloured: bool = False, items: Items | None = None
    ) -> None:
        del coloured  # of `_numbered`, which goes before
        super().__init__(vertices, items)

    def _numbered(self, tables: Sequence[Tables], coloured: bool) -> list[Tables]:
        """Tables of the distinct meshes, with the faces of each by colour where `coloured`."""
        self._counts: list[Any] = [len(own.lr) for own in tables]
        if not coloured:
            return list(tables)
        found = []
        for number, own in enumerate(tables):
            given = check_faces(first_fit(own.lr, len(own.offsets) - 1), own.lr)
            self._counts[number] = np.bincount(given, minlength=1)
            order, place = by_colour(given)
            rows = {name: getattr(own, name)[order] for name in ("lr", *self.by_face)}
            found.append(replace(own, edge=place[own.edge], **rows))
        return found

    def _faces(self) -> Items:
        """Items of the faces; sets `colours` where they are numbered by colour."""
        items = Items(self.alike, self._counts)
        if any(np.ndim(count) for count in self._counts):
            counts = items.sizes[self.alike.of].sum(axis=0)
            self.colours = list(zip(items.start[0].tolist(), counts.tolist(), strict=True))
        return items

    def _allocate(self, lr: Ints, offsets: Ints, neighbour: Ints, edge: Ints) -> None:
        """Arrays of volumes and faces; `offsets`, `neighbour`, `edge` are the faces by volume."""
        b, n, e = self.backend, self.nodes, len(lr)
        self.lr, self.edges = lr, e
        self._single: Faces = {}
        self.V, self.V1, self.V2 = (b.zeros(n, np.float64) for _ in range(3))
        self.dV1, self.dV2 = (b.zeros(e, np.float64) for _ in range(2))
        self.S, self.w = b.zeros((e, self.dimensions)), b.zeros(e)
        tables = {"lr": lr, "offsets": offsets, "neighbour": neighbour, "edge": edge}
        self.flux_member = self.member[lr[:, 0]]
        self.fields.add(V=self.V, V1=self.V1, V2=self.V2)
        self.fields.add(**{name: b.table(table) for name, table in tables.items()})
        for patch in self.measured.values():
            for name in ("dV1", "dV2"):
                patch.device[name] = b.zeros(len(patch), np.float64)

    def _record(self, inner: str, outer: str, volumes: Sequence[Any]) -> None:
        """Recordings of what follows from x and its past.

        Parameters
        ----------
        inner, outer : kernels of faces between volumes and at the boundary are these names with
            the endings _normals and _sweeps
        volumes : calls that give V, and what else depends on x alone
        """
        b, x, x1 = self.backend, self.x, self.x1
        edges = self.fields.also(S=self.S, w=self.w, dV1=self.dV1, dV2=self.dV2)
        normals = [edges.bind(f"{inner}_normals", x=x)]
        sweeps = [edges.bind(f"{inner}_sweeps", x0=x1, x1=x, dV=self.dV1)]
        rates = [edges.bind("face_rates", member=b.table(self.flux_member))]
        levels = [
            b.bind(f"copy_f64_{self.dimensions}", **{"from": x, "to": x1}),
            b.bind("copy_f64", **{"from": self.V1, "to": self.V2}),
            b.bind("copy_f64", **{"from": self.V, "to": self.V1}),
            b.bind("copy_f64", **{"from": self.dV1, "to": self.dV2}),
        ]
        for patch in self.measured.values():
            fields, own = self.fields.also(**patch.device), patch.device
            normals.append(fields.bind(f"{outer}_normals", x=x))
            sweeps.append(fields.bind(f"{outer}_sweeps", x0=x1, x1=x, dV=own["dV1"]))
            rates.append(fields.bind("face_rates", member=b.table(patch.member)))
            levels.append(b.bind("copy_f64", **{"from": own["dV1"], "to": own["dV2"]}))
        self.keep_levels, self.look = Followed(b, levels), self.vertices.look
        self.turn = Followed(b, normals)
        self.measure = Followed(b, [*normals, *volumes, *self.vertices.quality])
        self.sweep = Followed(b, [*sweeps, *rates])

    def faces(self) -> Faces:
        """S and w as they are."""
        kinds = {kind: patch.device for kind, patch in self.patches.items()}
        sides = {kind: {name: own[name] for name in ("S", "w")} for kind, own in kinds.items()}
        return {"edges": {"S": self.S, "w": self.w}} | sides

    def single(self) -> Faces:
        """Copies of S and w in float32, which follow `measure` and `sweep`."""
        b = self.backend
        makers = {"S": ("narrow_vector", self.measure), "w": ("narrow_1", self.sweep)}
        for side, fields in {} if self._single else self.faces().items():
            copies = {name: b.zeros(f.shape, np.float32) for name, f in fields.items()}
            for name, (kernel, recording) in makers.items():
                call = self.fields.bind(kernel, **{"from": fields[name], "to": copies[name]})
                recording.follow(call)
            self._single[side] = copies
        return self._single

    def in_precision(self, single: bool) -> tuple[dict[str, Any], Faces]:
        """Metrics that a matrix is made of, in its precision: of edges, and of each patch.

        Copies in float32 follow `measure` and `sweep`.
        """
        found = self.single() if single else self.faces()
        return found["edges"], found

    def sizes(self) -> dict[str, int]:
        return {"nodes": self.vertices.nodes, "cells": self.vertices.cell_items.total}

    def terms(self, **given: Any) -> Any:
        starts = self.fields["offsets"]
        return self.fields.bind("face_terms", starts=starts, S=self.S, **self.totals, **given)

    def levels(self) -> dict[str, Any]:
        return {
            "V": self.V,
            "V1": self.V1,
            "dV1": self.dV1,
        } | {f"{name}_dV1": patch.device["dV1"] for name, patch in self.measured.items()}

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
