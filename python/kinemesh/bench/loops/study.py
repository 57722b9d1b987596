"""A mesh on a device with a gas on it, and its fields by the names that kernels have for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bench.loops.tables import Tables
from kinemesh.bench.loops.topology import Measures, Topology, taken
from kinemesh.device.backend import OPTIONAL, Backend, kernels
from kinemesh.device.fields import Fields
from kinemesh.dimension import DIMENSIONS
from kinemesh.gas import GAMMA
from kinemesh.linear.face_colours import by_colour, first_fit

FIX = 0.05  # share of the entropy fix of Roe's flux; times do not depend on it
OF_CELLS = ("member", "active", "x", "V", "q", "u", "past", "grad", "bdf", "low_mach", "res")
ALIKE = {"cell_starts": "hulls", "cell_nodes": "hull"}  # the solver's names of tables
Floats = NDArray[np.float64]


class Study:
    """A mesh on a device with a gas on it; `study["q"]` is a field.

    Fields are made where they are asked for first, and are there until `clear`.
    """

    def __init__(
        self, backend: Backend, top: Topology, measures: Measures, cells: Study | None = None
    ) -> None:
        self.backend, self.top, self.tables = backend, top, Tables(top, measures)
        self.cells = cells  # the study that fields of cells are of
        self.dimensions, self.variables = top.dimensions, top.dimensions + 2
        self.slopes = self.dimensions * self.variables
        self.bytes = backend.real.itemsize
        self.fields = Fields(backend, DIMENSIONS[self.dimensions].endings)
        self._made: dict[str, Any] = {}

    def clear(self) -> None:
        """Free the fields; a call that is bound keeps its own."""
        self._made.clear()
        self.__dict__.pop("_colouring", None)

    def __getitem__(self, name: str) -> Any:
        name = ALIKE.get(name, name)
        if self.cells and name in OF_CELLS:
            return self.cells[name]
        if name not in self._made:
            self._made[name] = self._field(name)
        return self._made[name]

    def bind(self, kernel: str, /, **other: Any) -> Any:
        """Call of a kernel with fields of these names, or of other ones: S="edge_S"."""
        name = self.fields.kernel(kernel)
        given = {k: self[v] if isinstance(v, str) else v for k, v in other.items()}
        for field, mode, *_ in kernels()[name][1]:
            if field not in given:
                given[field] = None if mode in OPTIONAL else self[field]
        return self.backend.bind(name, **given)

    @cached_property
    def q(self) -> Floats:
        """States of the cells, primitive."""
        return gas(self.tables.measures.x, 3)

    @cached_property
    def _colouring(self) -> tuple[Study, list[tuple[int, int]]]:
        top = self.top
        colour = first_fit(top.pair[: top.edges], top.cells)
        order, counts = by_colour(colour)[0], np.bincount(colour)
        face = np.concatenate([order, np.arange(top.edges, top.faces)])
        rims, rim = taken(top.rims, top.rim, face)
        same = replace(top, rims=rims, rim=rim, pair=top.pair[face])
        m = self.tables.measures
        study = Study(self.backend, same, replace(m, S=m.S[face], xf=m.xf[face]), self)
        first = np.cumsum(counts) - counts
        return study, list(zip(first.tolist(), counts.tolist(), strict=True))

    @property
    def coloured(self) -> Study:
        """The mesh with its faces in the order of their colours, and the same fields of cells."""
        return self._colouring[0]

    @property
    def colours(self) -> list[tuple[int, int]]:
        """First face and number of faces of each colour of `coloured`."""
        return self._colouring[1]

    def _field(self, name: str) -> Any:
        b = self.backend
        if name == "entropy_fix":
            return FIX
        if name in self._tables:
            return b.table(self._tables[name]())
        if name in self._doubles:
            return b.array(self._doubles[name](), np.float64)
        if name in self._reals:
            return b.array(self._reals[name](), "real")
        shape, dtype = self._empty[name]
        return b.zeros(shape, dtype)

    @cached_property
    def _tables(self) -> dict[str, Callable[[], Any]]:
        top, t = self.top, self.tables
        return {
            "lr": lambda: top.pair[: top.edges],
            "pair": lambda: top.pair,
            "rims": lambda: top.rims,
            "rim": lambda: top.rim,
            "hulls": lambda: top.hulls,
            "hull": lambda: top.hull,
            "offsets": lambda: t.graph[0],
            "neighbour": lambda: t.graph[1],
            "edge": lambda: t.graph[2],
            "skins": lambda: t.skins[0],
            "side": lambda: t.skins[1],
            "beyond": lambda: t.skins[2],
            "starts": lambda: t.abouts[0],
            "about": lambda: t.abouts[1],
            "outer_starts": lambda: t.outer[0],
            "fans": lambda: t.fans[0],
            "spoke": lambda: t.fans[1],
            "corners": self._corners,
            "member": lambda: np.zeros(top.cells),
            "vertex_member": lambda: np.zeros(len(top.vertex)),
            "active": lambda: np.ones(1),
        }

    @cached_property
    def _doubles(self) -> dict[str, Callable[[], Floats]]:
        top, t = self.top, self.tables
        return {
            "vertex": lambda: top.vertex,
            "x": lambda: t.measures.x,
            "xf": lambda: t.measures.xf[: top.edges],
            "outer_xf": lambda: t.measures.xf[top.edges :][t.outer[1]],
            "V": lambda: t.measures.V,
            "plain": lambda: 1.0 / np.diff(t.abouts[0]),
            "per_face": t.per_face,
            "lean": lambda: t.exact[0],
            "per": lambda: t.exact[1],
            "bdf": lambda: np.zeros((1, 3)),
            "low_mach": lambda: np.ones((1, 2)),
        }

    @cached_property
    def _reals(self) -> dict[str, Callable[[], Floats]]:
        top, t = self.top, self.tables
        e, nv = top.edges, self.variables
        return {
            "S": lambda: t.measures.S,
            "edge_S": lambda: t.measures.S[:e],
            "w": lambda: np.zeros(e),
            "q": lambda: self.q,
            "u": lambda: self.q,
            "past": lambda: np.zeros_like(self.q),
            "p": lambda: self.q[:, -1],
            "value": lambda: numbers(len(top.vertex), nv, 4),
            "grad": lambda: numbers(top.cells, self.slopes, 5),
            "flux": lambda: numbers(e, nv, 6),
        }

    @cached_property
    def _empty(self) -> dict[str, tuple[Any, Any]]:
        """Shapes and types of fields that are written, and not read by the same procedure."""
        top, nv = self.top, self.variables
        n, d = top.cells, self.dimensions
        return {
            "lowered": (top.edges, np.int32),
            "fluxes": ((top.edges, nv), "real"),
            "res": ((n, nv), "real"),
            "values": ((len(top.vertex), nv), "real"),
            "gradient": ((n, self.slopes), "real"),
            "mean": ((top.faces, nv), "real"),
            "low": (n, "real"),
            "high": (n, "real"),
            "inverse": ((n, d * (d + 1) // 2), "real"),
            "corner_normal": ((len(top.hull), d), "real"),
        }

    def _corners(self) -> NDArray[np.int32]:
        """(cells, 4) vertices of the cells of a plane mesh, as its solver has them."""
        found = np.full((self.top.cells, 4), -1, np.int32)
        counts = np.diff(self.top.hulls)
        for k in range(int(counts.max())):
            there = counts > k
            found[there, k] = self.top.hull[self.top.hulls[:-1][there] + k]
        return found


def gas(x: Floats, seed: int) -> Floats:
    """(n, variables) a flow that changes with the place, and from one place to the next."""
    rng, d = np.random.default_rng(seed), x.shape[1]
    wave = np.sin(3.0 * (x - x.mean(axis=0))).sum(axis=1)[:, None] / d
    change = 0.1 * wave + rng.uniform(-0.05, 0.05, (len(x), d + 2))
    base = np.array([1.0, 0.5, *[0.1] * (d - 1), 1 / GAMMA])
    found: Floats = base + change * np.array([0.5, *[1.0] * d, 0.4])
    return found


def numbers(n: int, count: int, seed: int) -> Floats:
    """(n, count) small numbers."""
    return np.random.default_rng(seed).uniform(-0.1, 0.1, (n, count))
