"""Conjugate gradients with multigrid for the springs, for every member of an ensemble at once.

docs/theory.md, section 5.2.  The matrix K is symmetric; its rows are given scaled by the inverses
of their diagonal blocks D, so inner products weigh with D.  All scalars stay on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.backend import Backend
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.multigrid import Level, Multigrid, hierarchy
from kinemesh.linear.pattern import Pattern


class Cg(Krylov):
    """Solver of D^-1 K x = b from x = 0; see `Krylov`.

    Parameters
    ----------
    tolerance : float       stop at |r| <= tolerance |base|
    fixed : (nodes,) bool   rows of the unit matrix

    Attributes
    ----------
    D : device array, diagonal blocks of K
    levels : hierarchy of each member, made by `build`
    """

    def __init__(
        self, backend: Backend, pattern: Pattern, active: Any, fixed: NDArray, tolerance: float
    ) -> None:
        super().__init__(backend, pattern, 2, active, "f64")
        members, rows, blocks = active.shape[0], len(pattern.node), len(pattern.column)
        self.A, self.D = (backend.zeros((n, 4), np.float64) for n in (blocks, rows))
        self.b, self.base, self.x, self.r, self.z, self.p, self.q = (
            backend.zeros((rows, 2), np.float64) for _ in range(7)
        )
        free = ~fixed[pattern.node]
        self.rows = [np.flatnonzero(free & (pattern.member == m)) for m in range(members)]
        self.levels: list[Sequence[Level]] = [()] * members
        self.factor = backend.record([])
        self.finish = backend.record([])
        self.begin = backend.record(self._begin_calls(tolerance))

    def build(self, x: NDArray[np.float64], members: Sequence[int]) -> None:
        """New hierarchies of `members` from the present matrix.

        Parameters
        ----------
        x : (nodes, 2)    coordinates that the matrix belongs to
        """
        A = self.backend.get(self.A).reshape(-1, 2, 2).transpose(0, 2, 1)
        D = self.backend.get(self.D).reshape(-1, 2, 2).transpose(0, 2, 1)
        p = self.pattern
        row = np.repeat(np.arange(len(p.node)), np.diff(p.row))
        for m in members:
            rows = self.rows[m]
            number = np.full(len(p.node), -1)
            number[rows] = np.arange(len(rows))
            keep = (number[row] >= 0) & (number[p.column] >= 0)
            data = D[row[keep]] @ A[keep]
            offsets = np.concatenate(
                [[0], np.cumsum(np.bincount(number[row[keep]], minlength=len(rows)))]
            )
            shape = (2 * len(rows), 2 * len(rows))
            matrix = sp.bsr_matrix((data, number[p.column[keep]], offsets), shape=shape)
            self.levels[m] = hierarchy(matrix, x[p.node[rows]])
        self._record()

    def _record(self) -> None:
        cycle = Multigrid(
            self.backend, self.pattern, self.levels, self.rows, self.tables, self.live,
            self.A, self.D, self.r, self.z,
        )  # fmt: skip
        self.cycle = cycle
        self.iterate = self.backend.record(self._iterate_calls(cycle.calls))

    def _dots(self, a: Any, b: Any, sums: Any) -> list[Any]:
        """Calls for (a, D b) and (b, b)."""
        return self._sums("cg_dots", sums, D=self.D, a=a, b=b)

    def _begin_calls(self, tolerance: float) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live}
        return [
            self.start,
            self._bind("cg_begin", **rows, b=self.b, x=self.x, r=self.r, p=self.p),
            *self._dots(self.base, self.base, self.base2),
            *self._dots(self.r, self.r, self.dots),
            self._first(tolerance, self.base2),
        ]

    def _iterate_calls(self, cycle: list[Any]) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live, "scalars": self.scalars}
        state = {"dots": self.dots, "live": self.live, "status": self.status}
        return [
            *cycle,
            *self._dots(self.z, self.r, self.dots),
            self._bind("cg_beta", **state, steps=self.steps, scalars=self.scalars),
            self._bind("cg_p", **rows, z=self.z, p=self.p),
            self.product(self.p, self.q),
            *self._dots(self.p, self.q, self.dots),
            self._bind("cg_alpha", **state, scalars=self.scalars),
            self._bind("cg_x", **rows, p=self.p, q=self.q, x=self.x, r=self.r),
            *self._dots(self.r, self.r, self.dots),
            self._bind("cg_check", **state, target2=self.target2, steps=self.steps),
        ]
