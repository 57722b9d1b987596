"""Volumes of an ensemble on a device: what the unknowns live on, however they are connected.

Median duals of a mesh's vertices, points of a cloud and cells are volumes: each has its share of
space, its neighbours, and patches of the boundary.  Volumes of one member are contiguous.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import offsets_of
from kinemesh.device.followed import Followed
from kinemesh.linear.pattern import Pattern, chunks, totals
from kinemesh.linear.stack import Items
from kinemesh.space.conditions.base import BODY
from kinemesh.space.patches import Patch
from kinemesh.space.vertices import Side, Vertices

Ints = NDArray[np.int32]


class Volumes(ABC):
    """Volumes over vertices, and what depends on nothing else.

    Parameters
    ----------
    vertices : Vertices
    items : where the volumes of each member stand; by default a volume per vertex

    Attributes
    ----------
    nodes, members : int           number of volumes, and of members
    x, x1 : (vertices, dimensions) float64    of the vertices, now and at the last time level
    points : (nodes, dimensions)   where the volumes stand as given, on the host; `x` of `fields` is
        where they stand now
    on : "points" or "cells"       of the mesh, where field files have the numbers of the volumes
    V : (nodes,) float64           share of space of each volume [chord^2]
    bdf : (members, 3), rate : (members, 2)  factors of the time levels [a_inf/chord]
    ensemble : Members    who of them runs, and who has failed;  faults : those of it
    bodies : list of (member, marker);  owners : their members
    patches : by the names of `Vertices.sides`;  wall : that of all bodies
    measured : all of them by name, each once
    graphs : of each distinct mesh the offsets of its volumes and their neighbours, CSR
    dimensions : int               2 or 3
    flux_member : (items,)         member of each face, or point, where a flux is worked out
    totals : dict    tables of sums and maxima over the volumes of each member, by chunks
    fields : what kernels take, by name
    mirrors, slip : dict    in space the points on a plane of symmetry and its normal; with their
        velocity
    symmetric : dict     in space, volumes on the planes of symmetry and their normal; empty without
    columns : names of numbers of the cells that histories of unsteady runs have
    worse : ufunc                 of two numbers in `shapes` the one of the worse shape
    on_planes : vertices on planes of symmetry in space;  normals : (members, dimensions) of these,
        zero without
    measure, sweep : what follows from x; from x and its past
    keep_levels, look : recordings   the next time level; the shapes of cells
    """

    on: ClassVar[str] = "points"
    columns: ClassVar[tuple[str, ...]] = ()
    measure: Followed
    sweep: Followed
    keep_levels: Callable[[], None]
    look: Callable[[], None]
    worse: np.ufunc
    graphs: list[tuple[Ints, Ints]]
    V: Any
    flux_member: Ints
    inverse: Any
    plane: Any
    normals: NDArray[np.float64]

    def __init__(self, vertices: Vertices, items: Items | None = None) -> None:
        self.vertices, v = vertices, vertices
        self.backend, self.meshes, self.distinct = v.backend, v.meshes, v.distinct
        self.alike, self.each, self.ensemble = v.alike, v.each, v.ensemble
        self.bodies, self.owners = v.bodies, v.owners
        self.faults = v.ensemble.faults
        self.x, self.x1 = v.x, v.x1
        self.points: NDArray[np.float64] = v.points
        self.dimension, self.dimensions, self.members = v.dimension, v.dimensions, v.members
        self.items = v.items if items is None else items
        self.first, self.member = self.items.first, self.items.members()
        self.nodes = self.items.total
        self.mirrors: dict[str, Any] = {}
        self.slip: dict[str, Any] = {}
        self.symmetric: dict[str, Any] = {}
        self.on_planes: Ints = np.empty(0, np.int32)
        self.normals = np.zeros((self.members, self.dimensions))
        b, m = self.backend, self.members
        self.bdf, self.rate = b.zeros((m, 3), np.float64), b.zeros((m, 2), np.float64)
        self._steps = np.full(m, np.nan), 0  # that bdf and rate are of: none yet
        node_chunks, groups = chunks(self.first)
        self.totals = totals(b, node_chunks, groups)
        self.chunks = len(node_chunks) - 1
        self.fields = v.fields.also(bdf=self.bdf, rate=self.rate)
        self.patches = {name: self._patch(name, side) for name, side in v.sides.items()}
        one = [n for n, s in v.sides.items() if s is v.wall and len(self.patches[n].layers) == 1]
        self.wall = self.patches[one[0]] if one else self._patch(BODY, v.wall)
        self.measured = self.patches | {self.wall.name: self.wall}

    def _patch(self, name: str, side: Side) -> Patch:
        """The volumes of the vertices on one side."""
        return Patch.of(
            self.backend, name, side.node, side.body, side.member, side.shape, self.dimensions
        )

    def fit(self, by: str = "least-squares") -> None:
        """Fit what solvers make gradients by, before the first `measure`; nothing as a rule.

        Parameters
        ----------
        by : name of the way that gradients are made, as of `kinemesh.flow.terms.gradients`
        """
        del by

    def place(self, member: int, entity: int, code: int) -> str:
        """Text for the volume of a fault in the user's numbers; nothing where it has no place."""
        return self.vertices.place(member, entity, code)

    def rows(self, patch: Patch, vertices: NDArray[Any]) -> NDArray[np.int64]:
        """Rows of a patch that lie between these vertices, which are all those of a marker."""
        return patch.places(vertices)

    def slots(self, pattern: Pattern) -> Ints:
        """(entries,) blocks of a pattern on `graphs` that belong to each volume's neighbours.

        Of two faces between the same cells, as in space where one is folded about another, each has
        a block of its own.
        """
        pairs = [
            (np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets)), neighbour)
            for offsets, neighbour in self.graphs
        ]
        entries = Items(self.alike, [len(neighbour) for _, neighbour in self.graphs])
        found = pattern.blocks_of(pairs, entries)
        again = [np.zeros(len(neighbour), np.int32) for _, neighbour in self.graphs]
        for own, pair in zip(again, pairs, strict=True):
            own[1:] = (np.diff(pair) == 0).all(axis=0)
        return found + entries.stack(again) if any(own.any() for own in again) else found

    def start(self) -> None:
        """Metrics of the mesh as it stands; every time level at rest there."""
        self.measure()
        for _ in range(2):
            self.keep_levels()
            self.sweep()

    def reset(self) -> None:
        """Every vertex back to where it was given, at rest."""
        self.backend.put(self.x, self.vertices.points)
        self.start()

    def shown(self, member: int) -> Any:
        """A member as field files have it: points, triangles, quads, original."""
        return self.meshes[member]

    def sizes(self) -> dict[str, int]:
        """How many there are of what, for the summary."""
        return {"nodes": self.nodes}

    @abstractmethod
    def broken(self, shapes: dict[str, NDArray[np.float64]]) -> list[tuple[int, str, str]]:
        """Members with a shape that cannot be computed on, what it is, and where."""

    def worst_cells(self) -> NDArray[np.float64]:
        """(members, 2): least cell area [chord^2] and least angle [rad]; nan without cells."""
        return np.full((self.members, 2), np.nan)

    def step_numbers(self) -> dict[str, NDArray[np.float64]]:
        """(members,) of each of `columns`, of the step that volumes have been measured in."""
        return {}

    @abstractmethod
    def shapes(self) -> dict[str, NDArray[np.float64]]:
        """(members,) of each number that tells how well the mesh is shaped as it stands."""

    @abstractmethod
    def terms(self, **given: Any) -> Any:
        """Call that puts into `norm` (members,) that of the terms that cancel at a node in the
        residual of a uniform stream at rest, with time steps `step` (members,)."""

    @abstractmethod
    def levels(self) -> dict[str, Any]:
        """Device arrays of the time levels that a restart must keep."""

    @abstractmethod
    def in_precision(self, single: bool) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Metrics that a matrix is made of, in its precision: of volumes or faces, of each patch.

        Parameters
        ----------
        single : float32 under a flow in float64
        """

    def set_time_levels(self, dt: NDArray[np.float64], order: int) -> None:
        """Factors of BDF1 or BDF2 with each member's time step; order 0: steady."""
        if order == self._steps[1] and np.array_equal(dt, self._steps[0]):
            return  # as in nearly every step
        self._steps = np.array(dt), order
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
