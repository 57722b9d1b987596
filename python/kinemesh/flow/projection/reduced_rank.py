"""Reduced rank extrapolation of a march to a steady flow (docs/theory.md, section 7.8).

Eddy (1979).  After a cycle of iterations the next one begins from that combination of their states
whose changes, combined alike, are least in the mean of squares weighted by volumes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.device.fields import Fields
from kinemesh.space.grid import Grid

BEFORE = 20
"""Iterations before the first cycle."""
AT_ONCE = 4  # products in a launch, as of incompressible/reduced_rank.h


class ReducedRank:
    """Extrapolation of velocities and pressures, member by member, after cycles of iterations.

    Parameters
    ----------
    grid : Grid
    every : int    changes from an iteration to the next in a cycle; 0: nothing is extrapolated

    Attributes
    ----------
    counts : dict    what the check of residuals counts by: `begun` (members,), iterations of the
        present cycle, 0 where there is none; `every`; `before`, iterations before the first cycle
    own : dict       arrays that are there for this alone
    """

    def __init__(self, grid: Grid, every: int) -> None:
        b, n, m, state = grid.backend, grid.nodes, grid.members, grid.dimensions + 1
        self.grid, self.every = grid, every
        before = BEFORE if every else np.iinfo(np.int32).max
        self.counts = {"begun": b.zeros(m, np.int32), "before": before, "every": every}
        self.own: dict[str, Any] = {}
        if every:
            self.own = {
                "from": b.zeros((n, state), np.float64),
                "f": b.zeros((every + 1, n, state), np.float32),
            }
            with b.irregular():  # of a member, whatever its nodes are
                self.own |= {
                    "gram": b.zeros((m, every + 1, every + 1), np.float64),
                    "lower": b.zeros((m, every, every), np.float64),
                    "gamma": b.zeros((m, every), np.float64),
                }

    def begin(self) -> None:
        """Begin a march."""
        self.grid.backend.put(self.counts["begun"], 0)

    def start(self, view: Fields) -> list[Any]:
        """Calls before an iteration."""
        return [self._all(view).bind("inc_rank_from")] if self.every else []

    def end(self, view: Fields) -> list[Any]:
        """Calls after it, which change u and p where a cycle ends."""
        if not self.every:
            return []
        view, grid = self._all(view), self.grid
        parts = grid.backend.zeros((grid.chunks, AT_ONCE), np.float64)
        dots = [
            view.bind("inc_rank_dots", first=first, parts=parts, **grid.totals)
            for first in range(0, self.every + 1, AT_ONCE)
        ]
        ends = (view.bind(f"inc_rank_{name}") for name in ("shares", "take"))
        return [view.bind("inc_rank_keep"), *dots, *ends]

    def kept(self) -> dict[str, Any]:
        """Arrays of a march that goes on with them."""
        own = {name: self.own[name] for name in ("f", "gram") if self.every}
        return {"begun": self.counts["begun"]} | own

    def _all(self, view: Fields) -> Fields:
        return view.also(begun=self.counts["begun"], **self.own)
