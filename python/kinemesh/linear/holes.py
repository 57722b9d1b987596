"""Multigrid of a scalar matrix restricted to own rows, with a hierarchy set up without holes.

Rows that are not own are left out on the finest level and held at zero by penalties on coarser
ones, so that only these, and the coarsest inverses, are made anew when holes move (docs/theory.md,
section 7.6).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.linear.blocks import Blocks
from kinemesh.linear.constraints import Constraints
from kinemesh.linear.hierarchy import SINGULAR
from kinemesh.linear.multigrid import ScalarMultigrid, _Depth


class HoledMultigrid(ScalarMultigrid):
    """One cycle z = M r, r and z zero in rows that are not own, as calls.

    Parameters
    ----------
    given : those of `ScalarMultigrid`
    constraints : Constraints    which rows are own
    active : (members,) int32 device array, members whose constraints are looked at

    Attributes
    ----------
    refresh : calls that follow the constraints: penalties of all levels, inverses of the coarsest
    """

    def __init__(self, *given: Any, constraints: Constraints, active: Any) -> None:
        self.constraints, self.active = constraints, active
        self.holes: list[dict[str, Any]] = []  # of each level: its penalty, and what is kept
        super().__init__(*given)

    def _follow(self, kernel: str, **fields: Any) -> None:
        """Another call of `refresh`."""
        self.refresh.append(self.backend.bind(kernel, suffix="f32", active=self.active, **fields))

    def _penalty(self, kernel: str, here: _Depth, own: dict[int, NDArray], **fields: Any) -> None:
        """Add a level's penalty by kinds or the finer level; own: each member's diagonal."""
        unit = np.zeros(here.rows, np.float32)
        for m, diagonal in own.items():
            unit[here.first[m] : here.first[m] + here.counts[m]] = diagonal
        made = {name: self.backend.zeros(here.rows, np.float32) for name in ("pen", "keep")}
        self.holes.append(made)
        table = self.backend.table(unit, np.float32)
        self._follow(f"holes_{kernel}", member=here.member, unit=table, **fields, **made)

    def _level(self, here: _Depth, b: Any, x: Any, D: Any = None) -> list[Any]:
        if not here.number:
            own = {m: np.zeros(count, np.float32) for m, count in here.counts.items()}
            for m, finest in enumerate(self.finest):
                own[m][self.free[m]] = _diagonal(finest)
            self._penalty("finest", here, own, **self.constraints.kinds)
        return super()._level(here, b, x, D)

    def _restriction(self, here: _Depth, coarse: _Depth, R: dict[str, Any], **fields: Any) -> Any:
        own = {m: _diagonal(self.levels[m][here.number].matrix) for m in coarse.first}
        self._penalty("coarser", coarse, own, above=self.holes[here.number]["pen"], **R)
        return super()._restriction(here, coarse, R, **fields)

    def _going(self, what: str, here: _Depth, **fields: Any) -> Any:
        names = ("keep", "pen") if what in ("step", "residual") else ("keep",)
        own = {name: self.holes[here.number][name] for name in names}
        return super()._going(what, here, **fields, **own)

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
            R, int(order.max()), level=table(level), member=here.member, place=table(place),
            order=table(order), corner=table(corner), dense=A, pen=self.holes[here.number]["pen"],
        )  # fmt: skip
        return self._inverted(here, b, e, {
            "like": table(np.arange(here.rows)), "row": table(row), "first": table(first),
            "column": table(np.arange(entries) - row[level]), "R": R,
        })  # fmt: skip

    def _invert(self, R: Any, steps: int, **dense: Any) -> None:
        """Calls of `refresh`: the inverses of dense matrices with their penalties."""
        now, then = (self.backend.zeros(R.shape, np.float64) for _ in range(2))
        self._follow("holes_penalised", **dense, to=now)
        for k in range(steps):
            self._follow("holes_pivot", **dense, k=k, least=SINGULAR, **{"from": now, "to": then})
            now, then = then, now
        self.refresh.append(self.backend.bind("narrow_row", **{"from": now, "to": R}))


def _diagonal(matrix: Blocks) -> NDArray[np.float32]:
    """(rows,) diagonal of a scalar matrix."""
    rows = np.repeat(np.arange(matrix.rows), np.diff(matrix.row))
    at = np.flatnonzero(rows == matrix.column)
    found = np.zeros(matrix.rows, np.float32)
    found[rows[at]] = matrix.data[at, 0]
    return found
