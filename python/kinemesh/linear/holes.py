"""Multigrid of a scalar matrix restricted to own rows and tied ones, from a hierarchy without.

Far from holes and ties the levels are those of the hierarchy; rows that these reach are renewed
when they move, with transfers that are smoothed by the matrix of the moment (docs/theory.md,
section 7.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.faults import NONE as NO_FAULT
from kinemesh.linear import rooms
from kinemesh.linear.blocks import Blocks
from kinemesh.linear.constraints import Constraints
from kinemesh.linear.hierarchy import ABOVE, smoothing
from kinemesh.linear.multigrid import ScalarMultigrid, _Depth
from kinemesh.linear.pattern import chunks

# New diagonal over that of the tables below which a row dies, though constants are then none on
# coarse levels.  Of 40 composites of 8 to 28 thousand rows, mean and most iterations to 1e-4 with
# 1e-4, 0.05, 0.1, 0.2 and 0.3: where no row is given 6.6 and 23, 5.8 and 18, 5.1 and 10, 5.1 and
# 9, 5.4 and 8, else 4.8 and 10 with 0.05, 4.3 and 10, 4.0 and 5, 4.0 and 5.
LEAST = 0.2
NONE = 1e-5  # pivot over diagonal of a coarsest row that is taken for none


@dataclass
class _Rims:
    """Renewed rows of a level, those of each member side by side in the order of its rows.

    Parameters
    ----------
    slots, going : all slots, and those of the members that have a coarser level
    room, most : (members,) slots of each member, and entries of a row in the longest of these
    rows : slot, keep    of each row of the level
    near : rows whose products with the transfer differ from those in the tables
    unit : (rows,) diagonals in the tables
    diagonal : (rows,) those of the matrix before its rows were scaled
    places : held, owner, begin, used, active    of slots
    entries, up : many, columns, values, wide    of renewed rows, of those of the transfer
    joined : like, joined, part    aggregate of each row, and its part in it
    """

    slots: int
    going: int
    room: NDArray[np.int32]
    most: Any
    rows: dict[str, Any]
    near: Any
    unit: Any
    diagonal: Any
    places: dict[str, Any]
    entries: dict[str, Any]
    up: dict[str, Any] = field(default_factory=dict)
    joined: dict[str, Any] = field(default_factory=dict)


class HoledMultigrid(ScalarMultigrid):
    """One cycle z = M r, r and z zero in rows that are not own, as calls.

    Parameters
    ----------
    given : those of `ScalarMultigrid`
    constraints : Constraints    which rows are own, and which of the others are tied to what
    active : (members,) int32 device array, members whose constraints are looked at
    matrix : row, column, matrix    of all rows, those scaled by their diagonals
    diagonal : (rows,)    on the host
    pieces : of each member, components of its matrix
    edges : of each member (free rows,) bool, rows beside some that are never own
    closed : of each member, whether no row is given, so that constants are solutions

    Attributes
    ----------
    refresh : calls that follow the constraints: renewed rows of all levels, coarsest inverses
    rims : list of _Rims    of each level
    """

    bounded = False  # counted on small meshes that have coarse levels

    def __init__(
        self,
        *given: Any,
        constraints: Constraints,
        active: Any,
        matrix: dict[str, Any],
        diagonal: NDArray[np.float64],
        pieces: Sequence[int],
        edges: Sequence[NDArray[np.bool_]],
        closed: Sequence[bool],
    ) -> None:
        self.constraints, self.active, self.matrix = constraints, active, matrix
        self.diagonal = diagonal
        self.pieces, self.closed, self.edges = pieces, closed, list(edges)
        self.rims: list[_Rims] = []
        b, members = given[0], active.shape[0]
        self.long = [rooms.are_long(levels) for levels in given[3]]
        none = constraints.faults is None
        self.faults = b.array(np.full(members, NO_FAULT), np.uint64) if none else constraints.faults
        super().__init__(*given)

    def _follow(self, kernel: str, over: int | None = None, **fields: Any) -> None:
        """Another call of `refresh`."""
        some = None if over is None else (0, over)
        bound = self.backend.bind(f"rim_{kernel}", some, suffix="f32", **fields)
        self.refresh.append(bound)

    # ---- room ----

    def _entries(self, slots: int, wide: int, ending: str = "") -> dict[str, Any]:
        b = self.backend
        with b.irregular():
            return {
                f"many{ending}": b.zeros(slots, np.int32),
                f"columns{ending}": b.zeros((slots, wide), np.int32),
                f"values{ending}": b.zeros((slots, wide), np.float32),
                f"wide{ending}": wide,
            }

    def _rims(
        self, here: _Depth, own: dict[int, NDArray[np.float32]], diagonals: dict[int, NDArray[Any]]
    ) -> _Rims:
        """Room for the renewed rows of a level; own: each member's diagonal in the tables."""
        b, members, number = self.backend, len(self.levels), here.number
        unit, diagonal = (np.zeros(here.rows, np.float32) for _ in range(2))
        room, begin, most = (np.zeros(members, np.int32) for _ in range(3))
        total = going = 0
        for m, first in here.first.items():
            rows = here.counts[m]
            unit[first : first + rows], diagonal[first : first + rows] = own[m], diagonals[m]
            edge, static = int(self.edges[m].sum()), self._static(m, number)
            room[m] = rooms.slots(rows, number, self.pieces[m], edge, self.long[m])
            most[m] = rooms.width(rooms.Rows.of(static), number)
            begin[m] = total
            total += room[m]
            going = total if first + rows <= here.going else going
        owner = np.repeat(list(here.first), room[list(here.first)])
        places = {
            "held": b.zeros(max(total, 1), np.int32), "owner": b.table(owner if total else [0]),
            "begin": b.table(begin), "used": b.zeros(members, np.int32), "active": self.active,
        }  # fmt: skip
        rows_of = {"slot": b.zeros(here.rows, np.int32), "keep": b.zeros(here.rows, np.float32)}
        made = _Rims(
            total, going, room, b.table(most), rows_of, b.zeros(here.rows, np.int32),
            b.table(unit, np.float32), b.table(diagonal, np.float32), places,
            self._entries(max(total, 1), int(most.max())),
        )  # fmt: skip
        self.rims.append(made)
        return made

    def _static(self, m: int, number: int) -> Blocks:
        """A level's matrix in the tables of a member."""
        return self.levels[m][number - 1].matrix if number else self.finest[m]

    def _place(self, here: _Depth, own: _Rims) -> None:
        """Calls that give slots to the rows that are to be renewed."""
        b, counts = self.backend, list(here.counts.values())
        ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        offsets, groups = chunks(ends, max(32, int(max(counts) ** 0.5)))
        each = np.diff(groups)
        tables = {
            "offsets": b.table(offsets), "owner": b.table(np.repeat(list(here.first), each)),
            "active": self.active, "counts": b.zeros(len(offsets) - 1, np.int32),
        }  # fmt: skip
        slot = own.rows["slot"]
        self._follow("count", **tables, slot=slot)
        there = {name: own.places[name] for name in ("begin", "used", "held")}
        since, room = b.table(np.repeat(groups[:-1], each)), b.table(own.room)
        more = {"since": since, "room": room, "slot": slot, "faults": self.faults}
        self._follow("place", **tables, **there, **more)

    # ---- the levels, finest first ----

    def _level(self, here: _Depth, b: Any, x: Any, D: Any = None) -> list[Any]:
        if not here.number:
            self._finest(here)
        return super()._level(here, b, x, D)

    def _finest(self, here: _Depth) -> None:
        """Calls for the renewed rows of the finest level."""
        own = {m: np.zeros(count, np.float32) for m, count in here.counts.items()}
        for m, finest in enumerate(self.finest):
            own[m][self.free[m]] = _diagonal(finest)
        ends = [self.diagonal[here.first[m] :][:count] for m, count in here.counts.items()]
        rims, static = self._rims(here, own, dict(enumerate(ends))), here.matrix
        self._follow(
            "finest", member=here.member, active=self.active, unit=rims.unit,
            **self.constraints.kinds, **self.matrix, **rims.rows,
        )  # fmt: skip
        self._place(here, rims)
        tables = {"own_row": static["row"], "own_column": static["column"]}
        tables |= {name: static[name] for name in ("like", "first", "A")}
        self._follow(
            "entries", **rims.places, **self.constraints.ties, **self.matrix, **tables,
            **rims.entries, unit=rims.unit, slot=rims.rows["slot"], most=rims.most,
        )  # fmt: skip

    def _restriction(
        self, here: _Depth, coarse: _Depth, R: dict[str, Any], P: dict[str, Any], **fields: Any
    ) -> Any:
        above = self.rims[here.number]
        self._transfer(here, coarse, above)
        tables = {name: here.matrix[name] for name in ("like", "row", "column", "first")}
        at = {"member": here.member, "active": self.active, "slot": above.rows["slot"]}
        self._follow("near", here.going, near=above.near, **at, **tables)

        self._widen(here, coarse)
        b = self.backend
        levels = {m: self.levels[m][here.number] for m in coarse.first}
        own = self._rims(
            coarse,
            {m: _diagonal(level.matrix) for m, level in levels.items()},
            {m: level.diagonal for m, level in levels.items()},
        )
        starts = np.zeros(len(self.levels), np.int32)
        starts[list(coarse.first)] = list(coarse.first.values())
        start = b.table(starts)
        there = {"above": above.rows["slot"], "above_like": above.joined["like"]}
        down = {name: R[name] for name in ("like", "row", "column")}
        self._follow(
            "coarser", member=coarse.member, active=self.active, **down, first=R["first"],
            start=start, near=above.near, joined=above.joined["joined"], **there, **own.rows,
        )  # fmt: skip
        self._place(coarse, own)
        product = dict(
            **own.places, start=start, **down, R=R["R"], first=R["first"], **there,
            above_row=here.matrix["row"], above_column=here.matrix["column"], A=here.matrix["A"],
            up_row=P["row"], up_column=P["column"], P=P["P"], **above.up, unit=own.unit,
            **{f"above_{name}": value for name, value in above.entries.items()},
            **own.entries, **own.rows, most=own.most, share=LEAST,
        )  # fmt: skip
        self._follow("products", **product)
        if max(here.counts.values()) > rooms.TABLE:
            self._follow("long", **product)
        return super()._restriction(here, coarse, R, P, **fields)

    def _widen(self, here: _Depth, coarse: _Depth) -> None:
        """The edges of the coarser level: rows whose products an edge of this one takes part in."""
        made: dict[int, NDArray[np.bool_]] = {}
        for m in coarse.first:
            level = self.levels[m][here.number]
            if id(level) not in made:
                finer = self._static(m, here.number)
                near = self.edges[m] | _touched(finer, self.edges[m])
                made[id(level)] = _touched(level.restrict, near)
            self.edges[m] = made[id(level)]

    def _transfer(self, here: _Depth, coarse: _Depth, own: _Rims) -> None:
        """Call for the renewed rows of the transfer from the coarser level."""
        joined, part, seen = [], [], set()
        for m in here.first:  # as the level's tables stand
            if id(self.levels[m]) in seen:
                continue
            seen.add(id(self.levels[m]))
            joined.append(np.full(here.counts[m], -1, np.int32))
            part.append(np.zeros(here.counts[m], np.float32))
            blocks = self.levels[m][here.number].tentative if m in coarse.first else None
            if blocks is None:
                continue
            rows = np.repeat(np.arange(blocks.rows), np.diff(blocks.row))
            rows = rows if here.number else self.free[m][rows]
            joined[-1][rows], part[-1][rows] = blocks.column, blocks.data[:, 0]
        b = self.backend
        own.joined = {"like": here.matrix["like"], "joined": b.table(np.concatenate(joined)),
                      "part": b.table(np.concatenate(part), np.float32)}  # fmt: skip
        weak = np.zeros(len(self.levels), np.float64)
        weak[list(coarse.first)] = [self.levels[m][here.number].weak for m in coarse.first]
        wide = min(rooms.of(rooms.WIDE_UP, here.number), max(coarse.counts.values()))
        own.up = self._entries(max(own.slots, 1), wide, "_up")
        self._follow(
            "transfer", own.going, **own.places, **own.joined, first=here.matrix["first"],
            **own.rows, **own.entries, **own.up, unit=own.unit, diagonal=own.diagonal,
            smoothing=smoothing(1)[0] * ABOVE, weak=b.table(weak, np.float64),
        )  # fmt: skip

    def _going(self, what: str, here: _Depth, **fields: Any) -> Any:
        own = self.rims[here.number]
        if what == "first":
            return super()._going(what, here, **fields, keep=own.rows["keep"])
        entries = own.entries
        if what == "prolong":
            entries = {name.removesuffix("_up"): value for name, value in own.up.items()}
        return super()._going(what, here, **fields, **own.rows, **entries)

    # ---- the coarsest ----

    def _coarsest(self, here: _Depth, b: Any, e: Any) -> Any:
        last = {m: self.levels[m][here.number - 1].dense for m in here.first}
        own = {m: dense for m, dense in last.items() if dense is not None}
        place, order, corner = (np.zeros(here.rows, np.int32) for _ in range(3))
        entries = 0
        for m, dense in own.items():
            rows = slice(here.first[m], here.first[m] + len(dense))
            place[rows], order[rows], corner[rows] = np.arange(len(dense)), len(dense), entries
            entries += dense.size
        table, level = self.backend.table, np.repeat(np.arange(here.rows), order)
        first = np.zeros(len(self.levels), np.int32)
        first[list(here.first)] = list(here.first.values())
        row = np.concatenate([[0], np.cumsum(order)])
        R = self.backend.zeros((entries, 1), np.float32)
        A = table(np.concatenate([dense.ravel() for dense in own.values()])[:, None], np.float64)
        self._invert(
            R, int(order.max()), A, self.rims[here.number], level=table(level),
            member=here.member, place=table(place), order=table(order), corner=table(corner),
        )  # fmt: skip
        return self._inverted(here, b, e, {
            "like": table(np.arange(here.rows)), "row": table(row), "first": table(first),
            "column": table(np.arange(entries) - row[level]), "R": R,
        })  # fmt: skip

    def _invert(self, R: Any, steps: int, A: Any, own: _Rims, **tables: Any) -> None:
        """Calls of `refresh`: the inverses of dense matrices, with their renewed rows."""
        now, then = (self.backend.zeros(R.shape, np.float64) for _ in range(2))
        more = {"active": self.active, "sizes": self.backend.zeros(own.unit.shape, np.float64)}
        slot = own.rows["slot"]
        closed = self.backend.table(self.closed)
        self._follow(
            "dense", **tables, **more, closed=closed, dense=A, slot=slot, **own.entries, to=now
        )
        for k in range(steps):
            step = {"k": k, "least": NONE, "from": now, "to": then}
            self._follow("inverse", **tables, **more, **step)
            now, then = then, now
        self.refresh.append(self.backend.bind("narrow_row", **{"from": now, "to": R}))


def _touched(matrix: Blocks, columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(rows,) rows with an entry in any of these columns."""
    found = np.concatenate([[0], np.cumsum(columns[matrix.column])])
    touched: NDArray[np.bool_] = found[matrix.row[1:]] > found[matrix.row[:-1]]
    return touched


def _diagonal(matrix: Blocks) -> NDArray[np.float32]:
    """(rows,) diagonal of a scalar matrix."""
    rows = np.repeat(np.arange(matrix.rows), np.diff(matrix.row))
    at = np.flatnonzero(rows == matrix.column)
    found = np.zeros(matrix.rows, np.float32)
    found[rows[at]] = matrix.data[at, 0]
    return found
