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

from kinemesh.csr import offsets_of
from kinemesh.device.backend import Backend
from kinemesh.device.threads import over
from kinemesh.dimension import DIMENSIONS
from kinemesh.linear.blocks import CHUNK
from kinemesh.linear.hierarchy import Level, along, hierarchy, rigid_and_scaled
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.multigrid import Multigrid
from kinemesh.linear.pattern import Pattern

SMOOTHINGS = {2: None, 3: 1}
"""How often transfers are smoothed, None: by the nodes.  Twice in space takes as long in all and
set-up 2.4 times (995 thousand nodes of tetrahedra, H200)."""
WEAK = {2: 0.0, 3: 0.06}
"""Couplings that smooth transfers as if on the diagonal.  Measured in space, tetrahedra about the
ONERA M6, 108 thousand nodes: with 0 coarse levels have twice the entries."""


class Cg(Krylov):
    """Solver of D^-1 K x = b from x = 0; see `Krylov`.

    Parameters
    ----------
    size : int              of blocks, as many as there are coordinates
    fixed : (nodes,) bool   rows of the unit matrix
    slides : (nodes,) bool and (members, 3)    rows of nodes in planes of symmetry in space, and the
        unit normals of these; None in the plane
    tolerance : float       stop at |r| <= tolerance |base|

    Attributes
    ----------
    D : device array, diagonal blocks of K
    single : device array, A in float32, which the cycle works in
    levels : of each member its hierarchy, kept where there are several members
    cycle : calls of one cycle z = M r
    """

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        size: int,
        active: Any,
        fixed: NDArray,
        slides: tuple[NDArray, NDArray] | None,
        tolerance: float,
    ) -> None:
        super().__init__(backend, pattern, size, active, "f64")
        members, rows, blocks = active.shape[0], len(pattern.node), len(pattern.column)
        self.A, self.single = (
            backend.zeros((blocks, size**2), dtype, blocks=True)
            for dtype in (np.float64, np.float32)
        )
        self.D = backend.zeros((rows, size**2), np.float64)
        self.z = backend.zeros((rows, size), np.float32)
        self.b, self.base, self.x, self.r, self.p, self.q = (
            backend.zeros((rows, size), np.float64) for _ in range(6)
        )
        free = pattern.item[~fixed[pattern.node[pattern.item]]]
        counts = np.bincount(pattern.member[free], minlength=members)
        self.slides = slides
        self.rows = np.split(free, np.cumsum(counts)[:-1])
        self.levels: list[Sequence[Level]] = [()] * members
        self.cycle: list[Any] = []
        kernel = DIMENSIONS[size].kernel("spring_narrow")
        narrow = backend.bind(kernel, **{"from": self.A, "to": self.single})
        self.factor = backend.record([narrow])
        self.finish = backend.record([])
        self.begin = backend.record(self._begin_calls(self.tolerances(tolerance)))

    def forget(self, members: NDArray) -> None:
        """Release the hierarchies of `members` before new ones are set up."""
        self.cycle, self.iterate = [], None
        for m in members.tolist():
            self.levels[m] = ()

    def hierarchy(self, member: int, x: NDArray[np.float64]) -> list[Level]:
        """The hierarchy of a member from the present matrix.

        Parameters
        ----------
        x : (nodes, size)    coordinates that the matrix belongs to
        """
        nodes = self.pattern.node[self.rows[member]]
        candidates = rigid_and_scaled(x[nodes])
        if self.slides is not None:
            on, normals = self.slides
            candidates = along(candidates, on[nodes], normals[member])
        smoothings, weak = SMOOTHINGS[self.size], WEAK[self.size]
        return hierarchy(self._free(member), candidates, smoothings=smoothings, weak=weak)

    def _free(self, member: int) -> sp.bsr_matrix:
        """K of a member's free rows: the present matrix without its scaling."""
        p, rows = self.pattern, self.rows[member]
        counts = p.row[rows + 1] - p.row[rows]
        number = np.full(len(p.node), -1, np.int32)  # of a row among the free ones
        number[rows] = np.arange(len(rows))
        row = np.repeat(number[rows], counts)
        starts = np.cumsum(counts) - counts
        block = np.arange(counts.sum()) + np.repeat(p.row[rows] - starts, counts)
        column = number[p.column[block]]
        keep = column >= 0
        row, column, block = row[keep], column[keep], block[keep]
        size = self.size
        A, D = (
            self.backend.read(a).reshape(-1, size, size).transpose(0, 2, 1)
            for a in (self.A, self.D)
        )
        data = np.empty((len(block), size, size))

        def fill(first: int) -> None:
            part = slice(first, first + CHUNK)
            data[part] = D[rows[row[part]]] @ A[block[part]]

        for _ in over(fill, range(0, len(block), CHUNK)):
            pass
        shape = (size * len(rows), size * len(rows))
        return sp.bsr_matrix((data, column, offsets_of(row, len(rows))), shape=shape)

    def record(self) -> None:
        """Record iterations with the present hierarchies."""
        self.cycle = Multigrid(
            self.backend, self.pattern, self.levels, self.rows, self.tables, self.live,
            self.single, self.D, self.r, self.z,
        ).calls  # fmt: skip
        self.iterate = self.backend.record(self._iterate_calls(self.cycle))
        if len(self.levels) == 1:  # nobody else's are ever built anew beside them
            self.levels = [()]

    def _named(self, what: str) -> str:
        """Name of a kernel on blocks of this size."""
        return f"cg_{what}_{self.size}"

    def _begin_calls(self, tolerance: Any) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live}
        return [
            self.start,
            self._bind(self._named("begin"), **rows, b=self.b, x=self.x, r=self.r, p=self.p),
            self.squares_of(self.base, self.base_squares),
            self._first(self.r, tolerance, self.base_squares),
        ]

    def _iterate_calls(self, cycle: list[Any]) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live, "scalars": self.scalars}
        state = {"scalars": self.scalars, "status": self.status}
        ends = {"target": self.target, "squares": self.squares, "status": self.status}
        return [
            *cycle,
            self._total(
                self._named("beta"), 1, D=self.D, z=self.z, r=self.r, steps=self.steps, **state
            ),
            self._bind(self._named("p"), **rows, z=self.z, p=self.p),
            self.product(self.p, self.q),
            self._total(self._named("alpha"), 1, D=self.D, p=self.p, q=self.q, **state),
            self._bind(self._named("x"), **rows, p=self.p, q=self.q, x=self.x, r=self.r),
            self._total(self._named("check"), 1, r=self.r, steps=self.steps, **ends),
        ]
