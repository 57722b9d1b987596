"""Which nodes of overset grids are solved, and where the others take their values from.

Everything follows from where the parts are: nothing is kept from one step to the next but where
there was no fluid.  Kernels: csrc/kernels/overset/status.h; rules: docs/overset.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.faults import NONE
from kinemesh.errors import OversetError
from kinemesh.linear.stack import joined
from kinemesh.overset.parts import Parts
from kinemesh.overset.plan import Plan, plan_of
from kinemesh.space.grid import Grid

FIELD, RECEPTOR, COVERED, SOLID = 1, -1, 0, -2  # csrc/kernels/overset/names.h
COUNTS = 3  # of a member: receptors, those with receptors among their donor's corners, orphans


class Statuses:
    """Status, donors and weights of the nodes of overset grids, for all members at once.

    Parameters
    ----------
    grid : Grid        of meshes that are `Parts`
    overlap : int      layers of field nodes into what another part holds, at least 1
    fringe : int       layers of receptors about the field, at least 1

    Attributes
    ----------
    pose : (parts, 6) float64 device array   of each part of each member in turn: cos - 1, sin,
        about (x, y), shift (x, y); in space (parts, 12) (csrc/kernels/motion/pose.h)
    status : (nodes,) int32 device array     FIELD 1, RECEPTOR -1, COVERED 0, SOLID -2
    donor : (nodes, 4) int32 device array    corners of the cell that gives the value; a node that
        takes none four times itself
    weight : (nodes, 4) float64 device array    of these
    other : (nodes,) int32 device array      1 within the region of another body, else 0
    counts : (members, 3) float64 device array    receptors, those with a receptor among the corners
        of their donor, those without a donor
    layer : (nodes,) int32    layers of cells to the part's overset boundary; NO_LAYER without one
    never : (nodes,) bool     too near to the overset boundary to be a field node
    first : (members+1,)      first part of each member
    update : recording        status, donor, weight, other, counts from `grid.x` and `pose`

    Raises
    ------
    OversetError    walls that are not closed, or `overlap` or `fringe` below 1
    """

    def __init__(self, grid: Grid, overlap: int = 3, fringe: int = 2) -> None:
        for name, layers in (("overlap", overlap), ("fringe", fringe)):
            if not isinstance(layers, int | np.integer) or layers < 1:
                raise OversetError(f"{name} is {layers!r}, expected a whole number from 1 on")
        self.grid, self.overlap, self.fringe = grid, int(overlap), int(fringe)
        self.backend = b = grid.backend
        rows = {id(mesh): own for mesh, own in zip(grid.distinct, grid.cell_rows, strict=True)}
        self.plans: list[Plan] = grid.each("overset", lambda mesh: plan_of(mesh, rows[id(mesh)]))
        self.layer = grid.items.stack([plan.layer for plan in self.plans])
        self.never: NDArray[np.bool_] = self.layer < fringe
        parts = [len(mesh.names) for mesh in grid.meshes]
        self.first = np.concatenate([[0], np.cumsum(parts)])
        self.pose = b.zeros((self.first[-1], grid.dimension.pose), np.float64)
        n = grid.nodes
        self.status, self.mark, self.other = (b.zeros(n, np.int32) for _ in range(3))
        self.donor = b.array(np.repeat(np.arange(n), 4).reshape(n, 4), np.int32)
        self.weight = b.array(np.tile([1.0, 0, 0, 0], (n, 1)), np.float64)
        self.counts = b.zeros((grid.members, COUNTS), np.float64)
        self.words = b.array(np.full(grid.members, NONE), np.uint64)
        self.fields = grid.fields.also(**self._of_meshes(), **self._of_members())
        self.update = b.record(self._calls())

    @property
    def found(self) -> list[Any]:
        """Device arrays: the poses, and the results of `update`."""
        made = [self.status, self.mark, self.other, self.donor, self.weight]
        return [self.pose, *made, self.counts, self.words]

    @property
    def rows(self) -> dict[str, Any]:
        """Nodes that share a cell with each and itself, `row` and `column` of all members on the
        device, where each has a mesh of its own: else nothing."""
        own = {"row": self.fields["offsets"], "column": self.fields["neighbour"]}
        return own if self._apart else {}

    @property
    def _apart(self) -> bool:
        """True where each member has a mesh of its own: its places are the nodes."""
        return len(self.plans) == self.grid.members

    def _of_meshes(self) -> dict[str, Any]:
        """Tables of the distinct meshes side by side: places, cells and parts are numbered on."""
        plans, b, rows = self.plans, self.backend, self.grid.cell_rows
        meshes: list[Parts] = self.grid.distinct
        place = np.cumsum([0, *(len(mesh.points) for mesh in meshes)]).tolist()
        each: list[Any] = [plan.cells for plan in plans]
        cell = np.cumsum([0, *(len(own.corners) for own in each)]).tolist()
        listed = np.cumsum([0, *(own.listed for own in each)]).tolist()
        bins = [one for own in each for one in own.bins]
        first = np.concatenate([own.first + c for own, c in zip(each, listed, strict=False)])
        begin = [
            np.cumsum([0, *(len(getattr(own, name)) for own in bins)])[:-1]
            for name in ("bins", "listed")
        ]
        shifted = [
            np.where(own.corners < 0, -1, own.corners + start)
            for own, start in zip(each, place, strict=False)
        ]
        entries = np.cumsum([0, *(len(own.column) for own in rows)]).tolist()
        offsets = [own.row[:-1] + e for own, e in zip(rows, entries, strict=False)]
        kind = [np.stack([mesh.walled, mesh.outer], axis=1) for mesh in meshes]
        tables = {
            "corners": shifted,
            "begin": [np.stack(begin, axis=1)],
            "across": [np.stack([own.across for own in bins])],
            "bins": [own.bins for own in bins],
            "listed": [own.listed + f for own, f in zip(bins, first, strict=True)],
            "kind": kind,
            "layer": [plan.layer for plan in plans],
            "wall": [plan.wall for plan in plans],
            "offsets": [*offsets, entries[-1:]],
            "neighbour": [own.column + start for own, start in zip(rows, place, strict=False)],
        }
        floats = {
            "box": [np.stack([own.box.ravel() for own in bins])],
            "rank": [plan.rank for plan in plans],
        }
        more = each[0].tables(each, cell[:-1])
        found = {name: b.table(joined(own)) for name, own in tables.items()}
        if self._apart:
            found["frame"] = self.grid.fields["reference"]
        else:
            floats["frame"] = [mesh.points for mesh in meshes]
        found |= {name: b.table(np.concatenate(own), np.float64) for name, own in floats.items()}
        return found | {name: b.table(table, table.dtype) for name, table in more.items()}

    def _of_members(self) -> dict[str, Any]:
        """Tables from members' nodes and parts to those of their meshes, and donors' slots."""
        grid, b = self.grid, self.backend
        of, distinct = grid.alike.of, grid.distinct
        place = np.cumsum([0, *(len(mesh.points) for mesh in distinct)])
        parts = np.cumsum([0, *(len(mesh.names) for mesh in distinct)])
        own = [parts[of[m]] + np.arange(len(mesh.names)) for m, mesh in enumerate(grid.meshes)]
        others, count = [], []
        for mesh, first in zip(grid.meshes, self.first, strict=False):
            every = np.arange(len(mesh.names))
            table = np.array([np.delete(every, k) for k in every]) + first
            others.append(table[mesh.part].ravel())
            count.append(np.full(len(mesh.points), len(every) - 1))
        each = np.concatenate(count)
        slots = np.concatenate([[0], np.cumsum(each)])
        tables = {
            "shift": grid.first[:-1] - place[of],
            "grid": np.concatenate(own),
            "slots": slots,
            "node": np.repeat(np.arange(grid.nodes), each),
            "part": np.concatenate(others),
        }
        return {name: b.table(table) for name, table in tables.items()} | {
            "cell": b.zeros(slots[-1], np.int32),
            "near": b.zeros(slots[-1], np.float64),
            "pose": self.pose,
            "mark": self.mark,
            "other": self.other,
            "status": self.status,
            "donor": self.donor,
            "weight": self.weight,
        }

    def _calls(self) -> list[Any]:
        bind, grid, last = self.fields.bind, self.grid, self.overlap + self.fringe
        layers: dict[str, Any] = {"overlap": self.overlap, "fringe": self.fringe}
        grown = [
            bind("overset_grow", turn=turn, least=self.fringe if turn <= self.overlap else 0)
            for turn in range(1, last + 1)
        ]
        parts = self.backend.zeros((grid.chunks, COUNTS), np.float64)
        return [
            bind("overset_find"),
            bind("overset_own", fringe=self.fringe),
            *grown,
            bind("overset_give", faults=self.words, **layers),
            bind("overset_count", **grid.totals, parts=parts, counts=self.counts),
        ]
