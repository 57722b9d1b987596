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
from kinemesh.linear.multigrid import Level, Multigrid, hierarchy
from kinemesh.linear.pattern import Pattern


class Cg:
    """Solver of D^-1 K x = b from x = 0; the interface of `Bicgstab`.

    Parameters
    ----------
    active : (members,) int32 device array: members that want a solution
    tolerance : float    stop at |r| <= tolerance |base|
    fixed : (nodes,) bool   rows of the unit matrix
    suffix : always "f64"

    Attributes
    ----------
    A, D, b, x, base : device arrays, blocks of 2
    start, begin : calls;  live, steps, status : (members,) int32
    levels : hierarchy of each member, made by `build`
    """

    def __init__(
        self, backend: Backend, pattern: Pattern, active: Any, fixed: NDArray, tolerance: float
    ) -> None:
        self.backend, self.pattern = backend, pattern
        members, rows, blocks = active.shape[0], len(pattern.node), len(pattern.column)
        self.tables = {
            name: backend.array(getattr(pattern, name), np.int32)
            for name in ("row", "column", "diagonal", "member", "item")
        }
        self.chunk_offsets = backend.array(pattern.item_chunks, np.int32)
        self.group_offsets = backend.array(pattern.item_groups, np.int32)
        self.A, self.D = (backend.zeros((n, 4), np.float64) for n in (blocks, rows))
        self.b, self.base, self.x, self.r, self.z, self.p, self.q = (
            backend.zeros((rows, 2), np.float64) for _ in range(7)
        )
        self.parts = backend.zeros((len(pattern.item_chunks) - 1, 2), np.float64)
        self.live, self.steps, self.status = (backend.zeros(members, np.int32) for _ in range(3))
        self.scalars = backend.zeros((members, 4), np.float64)
        self.dots, self.base2 = (backend.zeros((members, 2), np.float64) for _ in range(2))
        self.target2 = backend.zeros(members, np.float64)
        free = ~fixed[pattern.node]
        self.rows = [np.flatnonzero(free & (pattern.member == m)) for m in range(members)]
        self.levels: list[Sequence[Level]] = [()] * members
        self.start = backend.bind(
            "krylov_start", active=active, live=self.live, steps=self.steps, status=self.status
        )
        self.factor = backend.record([])
        self.finish = backend.record([])
        self.begin = backend.record(self._begin_calls(tolerance))
        self.iterate: Any = None

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

    def _bind(self, kernel: str, **fields: Any) -> Any:
        return self.backend.bind(kernel, suffix="f64", **fields)

    def product(self, x: Any, y: Any) -> Any:
        """Call y = D^-1 K x."""
        tables = {name: self.tables[name] for name in ("row", "column", "member")}
        return self._bind("block_product_2", **tables, live=self.live, A=self.A, x=x, y=y)

    def _dots(self, a: Any, b: Any, sums: Any) -> list[Any]:
        """Calls for (a, D b) and (b, b)."""
        fields = {"D": self.D, "a": a, "b": b, "item": self.tables["item"]}
        return [
            self._bind("cg_dots", **fields, offsets=self.chunk_offsets, sums=self.parts),
            self._bind("gather_sum_2", offsets=self.group_offsets, parts=self.parts, sums=sums),
        ]

    def _begin_calls(self, tolerance: float) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live}
        return [
            self.start,
            self._bind("cg_begin", **rows, b=self.b, x=self.x, r=self.r, p=self.p),
            *self._dots(self.base, self.base, self.base2),
            *self._dots(self.r, self.r, self.dots),
            self._bind(
                "krylov_first",
                dots=self.dots,
                base2=self.base2,
                target2=self.target2,
                tolerance=tolerance,
                scalars=self.scalars,
                live=self.live,
                status=self.status,
            ),
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

    def recorded_block(self, count: int) -> Any:
        """Recording of `count` iterations, for solves whose length the host decides."""
        return self.backend.record([self.iterate], times=count, flag=self.live)
