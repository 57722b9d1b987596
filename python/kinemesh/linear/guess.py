"""Solutions that begin from an earlier one, times the factor that leaves the least residual.

docs/theory.md, section 7.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.linear.outer import ScalarSolver


class Guess:
    """Start of a solver's solutions from the last one of its own.

    Parameters
    ----------
    solver : ScalarSolver without constraints
    active : (members,) int32 device array, who wants solutions
    tolerance : float    of the solver; of the residual without a guess

    Attributes
    ----------
    last : (rows, 1) float64 device array, the last solution; 0: there is none
    keep, back : calls    the last solution is kept, and is what was kept
    """

    def __init__(self, solver: ScalarSolver, active: Any, tolerance: float) -> None:
        b = solver.backend
        self.solver, self.backend, self.active = solver, b, active
        self.last, self._kept = (b.zeros(solver.x.shape, np.float64) for _ in range(2))
        members = solver.live.shape[0]
        whole = {
            "member": solver.tables["member"],
            "active": b.array(np.ones(members), np.int32),
            "part": b.zeros(members, np.float64),
        }  # nothing of what is there, so that it becomes x
        self.keep = self._bind("add", **whole, last=self._kept, x=self.last)
        self.back = self._bind("add", **whole, last=self.last, x=self._kept)
        self.part = b.zeros(solver.live.shape[0], np.float64)
        parts = b.zeros((solver.parts[1].shape[0], 3), np.float64)
        rows = {"member": solver.tables["member"], "live": solver.live, "part": self.part}
        side = {"t": solver.t, "r": solver.b}
        sums = solver.totals | {"parts": parts, "live": solver.live}
        self.begin = [
            solver.start,
            *solver.products(self.last, solver.t),
            self._bind("share", **sums, **side, part=self.part, squares=solver.base_squares),
            self._bind("take", **rows, **side),
            *solver.begun_from(solver.tolerances(tolerance), solver.base_squares),
        ]

    def _bind(self, kernel: str, **fields: Any) -> Any:
        return self.backend.bind(f"guess_{kernel}", suffix="f64", **fields)

    def forget(self, of: NDArray[np.bool_] | None = None) -> None:
        """Begin the next solution of these rows (rows,), by default all, from zero."""
        b = self.backend
        b.put(self.last, 0.0 if of is None else np.where(of[:, None], 0.0, b.get(self.last)))

    def solve_recorded(self, most: int) -> Any:
        """Recording: a solution in at most `most` iterations; it is kept for the next one."""
        solver = self.solver
        ends = {"member": solver.tables["member"], "active": self.active, "part": self.part}
        add = self._bind("add", **ends, last=self.last, x=solver.x)
        return self.backend.record([*self.begin, solver.repeated(most), add])
