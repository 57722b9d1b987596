"""Preconditioner of matrices on meshes with layers of thin cells (docs/theory.md, section 5.5).

Three corrections, each of what the one before has left: of a coarse level (C), of block tridiagonal
factors along lines of thin cells (L), and of DILU (D).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.linear.aggregates import Level, level_of
from kinemesh.linear.dilu import Dilu
from kinemesh.linear.lines import lines_of, short_edges
from kinemesh.linear.pattern import Pattern
from kinemesh.linear.stack import Alike, Items

Ints = NDArray[np.int32]
Table = dict[str, NDArray[np.int32]]

# places of a line: whole lines gain no product, as coarse levels carry what goes beyond, and a GPU
# waits for each place; without lines physical steps of a boundary layer take twice the products
LONGEST = 8  # as of lines.h
LEVELS = 12  # coarse ones: a million nodes become a few; the last ones of small meshes are one row


@dataclass(frozen=True)
class Layers:
    """Lines through the thin cells of an ensemble, and the coarse level under them.

    Attributes
    ----------
    tables : of the lines (csrc/kernels/linear/lines.h)
    level : the coarse level;  below : its own lines and level, None of the last one
    """

    tables: Table
    level: Level | None
    below: Layers | None


def layers_of(
    backend: Any,
    pattern: Pattern,
    alike: Alike,
    graphs: Sequence[tuple[Ints, Ints]],
    points: Sequence[NDArray[np.float64]],
    named: Ints | None = None,
    levels: int = LEVELS,
) -> Layers:
    """Lines and coarse levels of an ensemble.

    Parameters
    ----------
    pattern : of the ensemble
    graphs, points : of each distinct mesh, CSR and (nodes, dimensions)
    named : of a coarse level, what faults call its nodes
    levels : coarse ones, as many of each mesh, so that a member has the bits of its solo run
    """
    patterns = pattern.alone or [pattern]
    found = [lines_in(*own) for own in zip(patterns, graphs, points, strict=True)]
    lines, places = (
        Items(alike, [len(own[name]) - less for own in found])
        for name, less in (("line", 1), ("place", 0))
    )
    rows, blocks = (
        Items(alike, [getattr(p, name) for p in patterns]) for name in ("rows", "blocks")
    )
    tables = {
        "line": lines.offsets([own["line"] for own in found]),
        "place": places.stack([own["place"] for own in found], rows),
        "back": places.stack([own["back"] for own in found], blocks),
        "on": places.stack([own["on"] for own in found], blocks),
    }
    if not levels:
        return Layers(tables, None, None)
    names = np.arange(len(pattern.node), dtype=np.int32) if named is None else named
    level = level_of(backend, pattern, alike, graphs, points, found, names)
    if all(len(p.node) == 1 for p in patterns):  # each level below is this one again
        below = Layers(tables, None, None)
        for _ in range(levels):
            below = Layers(tables, level, below)
        return below
    below = layers_of(
        backend, level.pattern, alike, level.graphs, level.points, level.node, levels - 1
    )
    return Layers(tables, level, below)


def lines_in(pattern: Pattern, graph: tuple[Ints, Ints], x: NDArray[np.float64]) -> Table:
    """Tables of one mesh: rows of its lines, which are cut after LONGEST places."""
    offsets, neighbour = graph
    nodes = len(offsets) - 1
    short, thin = short_edges(offsets, neighbour, x)
    if not thin.any():
        short[:] = False
    ends = np.repeat(np.arange(nodes, dtype=np.int32), np.diff(offsets))
    a, b = ends[short], neighbour[short]
    line, position = lines_of(a, b, nodes)
    node = np.lexsort((position, line)).astype(np.int32)
    node = node[np.searchsorted(line[node], 0) :]  # those on a line
    # neighbours by a short edge that follow each other: of a ring, whose places run both ways, none
    pairs = a.astype(np.int64) * nodes + b
    joined = np.isin(node[:-1].astype(np.int64) * nodes + node[1:], pairs)
    joined &= position[node[1:]] % LONGEST != 0
    back, on = (np.full(len(node), -1, np.int32) for _ in range(2))
    before, behind = node[:-1][joined], node[1:][joined]
    back[1:][joined] = pattern.block(behind, before)
    on[:-1][joined] = pattern.block(before, behind)
    starts = np.concatenate([[0], np.flatnonzero(~joined) + 1, [len(node)]])
    return {
        "line": np.unique(starts).astype(np.int32),
        "place": pattern.row_of[node].astype(np.int32),
        "back": back,
        "on": on,
    }


class Preconditioner:
    """z = C w, then z += L (w - A z), then z += D (w - A z), of a solver's matrix.

    C goes to the coarse level and back, where the same three are applied, down to the last level,
    which has D alone.  L leaves rows that are on no line as they are.

    Parameters
    ----------
    solver : of the matrix, whose DILU is D; its b is what is left of it at the end

    Attributes
    ----------
    factor : list of calls from the matrix to all factors;  solve : from the solver's b to its x
    """

    def __init__(self, solver: Dilu, layers: Layers) -> None:
        self.solver, self.live = solver, {"live": solver.active}
        own, b, x, r = solver.tables, solver.b, solver.x, solver.r
        self.factor = [solver.factor]
        if layers.level is None or layers.below is None:
            self.solve = solver.dilu(b, r, x, solver.pivot)
            return
        before, self.solve = self._coarse(layers.level, layers.below)
        self.factor = [*before, *self.factor]
        member = {"member": own["member"]}
        near = {name: own[name] for name in ("row", "column", "diagonal")} | member
        left = self._bind("line_left", **near, A=solver.A, pivot=solver.pivot, b=b, x=x, r=r)
        if places := len(layers.tables["place"]):
            factors = solver.backend.zeros((places, solver.size**2), solver.dtype)
            along = self._there(layers.tables) | member | {"A": solver.A, "E": factors}
            named = {"node": own["node"], "diagonal": own["diagonal"], "faults": solver.faults}
            self.factor.append(self._bind("line_factor", **along, **named))
            self.solve += [left, self._bind("line_solve", **along, r=r, sum=x)]
        more = self._bind("line_add", **member, sum=x, more=r)
        self.solve += [left, *solver.dilu(r, b, r), more]

    def _there(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.solver.backend.table(table) for name, table in tables.items()}

    def _bind(self, kernel: str, **fields: Any) -> Any:
        solver = self.solver
        name = f"{kernel}_{solver.size}"
        return solver.backend.bind(name, suffix=solver.suffix, **self.live, **fields)

    def _coarse(self, level: Level, below: Layers) -> tuple[list[Any], list[Any]]:
        """Calls to the factors of the coarse level, and from the solver's b to its x."""
        solver = self.solver
        coarse = Dilu(
            solver.backend, level.pattern, solver.size, solver.active, solver.faults,
            suffix=solver.suffix, tables=self._there({"node": level.node}),
        )  # fmt: skip
        inner = Preconditioner(coarse, below)
        blocks, sides, spread = map(self._there, (level.blocks, level.sides, level.spread))
        spread |= {"member": solver.tables["member"], "y": coarse.x, "x": solver.x}
        return (
            [self._bind("aggregate_blocks", **blocks, A=solver.A, C=coarse.A), *inner.factor],
            [
                self._bind("aggregate_side", **sides, b=solver.b, side=coarse.b),
                *inner.solve,
                self._bind("aggregate_spread", **spread),
            ],
        )
