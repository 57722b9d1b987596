"""BiCGSTAB on a scalar matrix with multigrid, for every member of an ensemble at once.

van der Vorst (1992), preconditioned from the right, so that the residual is that of the system
itself; vectors in float64 over a cycle in float32 (docs/theory.md, section 7.5).  The matrix need
not be symmetric, and it may be singular where the side has a solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from kinemesh.device.backend import Backend
from kinemesh.linear.constraints import Constraints
from kinemesh.linear.hierarchy import scalar
from kinemesh.linear.holes import HoledMultigrid
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.multigrid import ScalarMultigrid
from kinemesh.linear.pattern import Pattern
from kinemesh.linear.stack import Alike, joined

# Cosine between residual and shadow below which BiCGSTAB begins anew, where rows are tied; measured
# on nine sides of parts that overlap, 20,000 to 82,000 nodes, to 1e-8: without it up to 52
# iterations, or no end; with 1e-4 up to 45, 1e-3 up to 57; with 1e-2 one does not end within 99.
LOST = 1e-4
# Where no row is fixed: lack per volume is STIFF / area times the mean of x; measured
# on 6000 nodes to 1e-8: with 0.1 26 iterations, 1 24, 10 21, 100 18, 1000 25.
STIFF = 100.0
# How often transfers are smoothed where rows are tied, however many nodes: on 311,000, mean of six
# sides to 1e-4, 25 iterations of 59 ms; smoothed twice 30 of 98 ms, and three times the set-up.
SMOOTHINGS = 1
# Couplings below this share of their diagonals smooth transfers between levels of long rows as if
# they were on these, where rows are tied.  On a sphere over a background, 519,000 nodes, four
# sides, 0.03 and 0.06: 16.9 and 15.4 entries a node, 1.8 and 0.52 us a node to renew rows, 4.5 and
# 4.8 iterations to 1e-4.  Without ties, where none are renewed, 0.06 costs one more of 3 to 5.
WEAK_OF_LONG = 0.06


class ScalarSolver(Krylov):
    """Solver of D^-1 K x = b from x = 0, D the diagonal of K; see `Krylov`.

    Rows where x is given to be zero are those of the unit matrix.  With constraints other rows give
    some, and others are empty (docs/theory.md, section 7.6).

    Parameters
    ----------
    alike : which members share a mesh
    pattern : rows in the order of the nodes, of all members
    matrices : K of each distinct mesh, CSR with sorted columns that are those of the pattern
    fixed : of each distinct mesh (nodes,) bool, rows where x is zero
    tolerance : float    stop at |r| <= tolerance |b|
    constraints : Constraints; None: every row is that of the matrix.  What a side lacks in members
        without a fixed row x tells: per volume, `stiff` times the sum of volume times x over own
        rows
    tables : those of the pattern that are on the device already, by their names

    Attributes
    ----------
    b : the side, which a solution spoils
    diagonal : (rows,) D on the host
    refresh : recording    what follows from the constraints, for active members: before a solve
    stiff : (members,) device array, 0 where the matrix is not singular; None where no member's is
    """

    def __init__(
        self,
        backend: Backend,
        alike: Alike,
        pattern: Pattern,
        matrices: Sequence[sp.csr_matrix],
        fixed: Sequence[NDArray[np.bool_]],
        active: Any,
        *,
        tolerance: Any,
        constraints: Constraints | None = None,
        tables: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(backend, pattern, 1, active, "f64", tables=tables)
        self.constraints = constraints
        rows = len(pattern.node)
        self.x, self.r, self.shadow, self.p, self.v, self.t, self.y = (
            backend.zeros((rows, 1), np.float64) for _ in range(7)
        )
        self.b = self.r
        self.shadows = backend.zeros(active.shape[0], np.float64)
        self.narrow, self.single = (backend.zeros((rows, 1), np.float32) for _ in range(2))
        left_out = list(fixed)
        if constraints:
            left_out = [a | b for a, b in zip(fixed, constraints.never, strict=True)]
        data, diagonal, made, pieces, edges = [], [], [], [], []
        for k, (matrix, given, out) in enumerate(zip(matrices, fixed, left_out, strict=True)):
            data.append(_scaled(matrix, given))
            diagonal.append(matrix.diagonal())
            rows = matrix[~out]
            if constraints:
                edges.append(_beside(rows, constraints.never[k]))
            rows = rows[:, ~out].tocsr()
            pieces.append(_pieces(rows))
            made.append(self._levels(rows))
        self.A = backend.table(joined([data[of] for of in alike.of])[:, None], np.float64)
        self.diagonal = np.concatenate([diagonal[of] for of in alike.of])
        self._spread(constraints.volume if constraints else None)
        starts = np.searchsorted(pattern.member, np.arange(alike.members))
        free = [np.flatnonzero(~left_out[of]) + s for of, s in zip(alike.of, starts, strict=True)]
        self.pieces = [pieces[of] for of in alike.of]
        self.closed = [not fixed[of].any() for of in alike.of]
        if constraints:
            self.edges = [edges[of] for of in alike.of]
        self._precondition([made[of] for of in alike.of], free, active)
        self.factor, self.finish = backend.record([]), backend.record([])
        self.begin = backend.record(self.begun_from(self.tolerances(tolerance)))
        self.iterate = backend.record(self._iterate_calls())

    def _levels(self, matrix: sp.csr_matrix) -> Any:
        """Hierarchy of a mesh's rows, in which x is free."""
        return scalar(matrix, SMOOTHINGS, WEAK_OF_LONG) if self.constraints else scalar(matrix)

    def _spread(self, volume: NDArray[np.float64] | None) -> None:
        """Arrays of the rank-one term that makes singular systems solvable."""
        self.stiff, self.lack, self.share, self.level = None, None, None, None
        if volume is None or not volume.any():
            return
        b, members = self.backend, self.live.shape[0]
        area = np.bincount(self.pattern.member, volume, members)
        stiff = np.divide(STIFF, area**2, out=np.zeros(members), where=area > 0)
        self.stiff, self.lack = b.array(stiff, np.float64), b.zeros(members, np.float64)
        self.level = b.zeros((members, 2), np.float64)
        self.volume = b.array(volume, np.float64)
        self.share = b.array(volume / self.diagonal, np.float64)

    def _precondition(self, made: list[Any], free: list[NDArray], active: Any) -> None:
        """The preconditioner's calls and `refresh`, from hierarchies and free rows of members."""
        given = (
            self.backend, self.pattern, [finest for finest, _ in made],
            [levels for _, levels in made], free, self.live, self.narrow, self.single,
        )  # fmt: skip
        self.multigrid: ScalarMultigrid
        if self.constraints:
            matrix = {name: self.tables[name] for name in ("row", "column")} | {"matrix": self.A}
            self.multigrid = HoledMultigrid(
                *given, constraints=self.constraints, active=active, matrix=matrix,
                diagonal=self.diagonal, pieces=self.pieces, edges=self.edges, closed=self.closed,
            )  # fmt: skip
        else:
            self.multigrid = ScalarMultigrid(*given)
        self.refresh = self.backend.record(self.multigrid.refresh)

    def _composite(self, kernel: str, **fields: Any) -> Any:
        """Call on the rows by their kind."""
        member, live = self.tables["member"], self.live
        return self._bind(f"composite_{kernel}", member=member, live=live, **fields)

    def products(self, x: Any, y: Any) -> list[Any]:
        """Calls y = A x."""
        if not self.constraints:
            return [self.product(x, y)]
        matrix = {"row": self.tables["row"], "column": self.tables["column"], "matrix": self.A}
        matrix |= {"share": self.share, "lack": self.lack}
        product = self._composite("product", **self.constraints.ties, **matrix, x=x, y=y)
        if self.stiff is None:
            return [product]
        there = {"volume": self.volume, "stiff": self.stiff} | self.constraints.kinds
        return [self._total("composite_lack", 1, x=x, lack=self.lack, **there), product]

    def _preconditioned(self, v: Any, y: Any) -> list[Any]:
        """Calls y = M v."""
        into, out = {"from": v, "to": self.narrow}, {"from": self.single, "to": y}
        if self.constraints:
            kinds, ties = self.constraints.kinds, self.constraints.ties
            level = {"level": self.level}
            return [
                *self._levelled(v),
                self._composite("narrow", **into, **kinds, **level, share=self.share),
                *self.multigrid.calls,
                self._composite("widen", **out, **ties, **level, r=v),
            ]
        narrow, widen = self._bind("narrow_row", **into), self._bind("widen_row", **out)
        return [narrow, *self.multigrid.calls, widen]

    def _levelled(self, r: Any) -> list[Any]:
        """Calls for the constants of members without a fixed row, which their cycles do not see."""
        if self.stiff is None:
            return []
        there = {"volume": self.volume, "share": self.share, "stiff": self.stiff}
        kinds = self.constraints.kinds if self.constraints else {}
        return [self._total("composite_level", 2, r=r, level=self.level, **there, **kinds)]

    def begun_from(self, tolerance: Any, base: Any = None) -> list[Any]:
        """Calls that begin a solution of the side; base: (members,) squared norm of another one,
        which the tolerance is of."""
        rows = {"member": self.tables["member"], "live": self.live}
        vectors = {"r": self.r, "x": self.x, "shadow": self.shadow, "p": self.p}
        first = {"from": self.squares, "to": self.shadows}
        begin = [
            self._bind("krylov_begin_1", **rows, **vectors),
            self._first(self.r, tolerance, base),
        ]
        if not self.constraints:
            return [self.start, *begin]
        side = self._composite("side", r=self.r, **self.constraints.kinds)
        return [self.start, side, *begin, self._bind("copy_f64", **first)]

    def _iterate_calls(self) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live, "scalars": self.scalars}
        state = {"scalars": self.scalars, "status": self.status}
        ends = state | {"target": self.target, "squares": self.squares, "steps": self.steps}
        step = {"x": self.x, "r": self.r}
        half = {"member": self.tables["member"]} | ends | step
        return [
            *self._preconditioned(self.p, self.y),
            *self.products(self.y, self.v),
            self._total("krylov_alpha_1", 1, shadow=self.shadow, v=self.v, **state),
            self._total("krylov_half", 1, y=self.y, v=self.v, **half),
            *self._preconditioned(self.r, self.y),
            *self.products(self.y, self.t),
            self._total("krylov_omega_1", 2, t=self.t, s_half=self.r, scalars=self.scalars),
            self._bind("krylov_rest", **rows, **step, z=self.y, t=self.t),
            self._total("krylov_beta_1", 2, shadow=self.shadow, r=self.r, **ends),
            *self._turn_calls(rows),
        ]

    def _turn_calls(self, rows: dict[str, Any]) -> list[Any]:
        """Calls that give the next direction p."""
        vectors = {"r": self.r, "v": self.v, "p": self.p}
        if not self.constraints:
            return [self._bind("krylov_p_1", **rows, **vectors)]
        scalars = {name: rows[name] for name in ("live", "scalars")}
        scalars |= {"squares": self.squares, "shadows": self.shadows}
        return [
            self._bind("krylov_renew", **scalars, least=LOST**2),
            self._bind("krylov_turn", **rows, **vectors, shadow=self.shadow),
        ]

    def solve_recorded(self, most: int) -> Any:
        """Recording: begin, and at most `most` iterations."""
        return self.backend.record([self.begin, self.repeated(most)])

    def repeated(self, most: int) -> Any:
        """Recording: at most `most` iterations."""
        return self.backend.record([self.iterate], times=most, flag=self.live)


def _pieces(matrix: sp.csr_matrix) -> int:
    """Components of a matrix."""
    return int(connected_components(matrix, directed=False)[0])


def _beside(rows: sp.csr_matrix, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of rows with an entry in columns that are never own."""
    beside: NDArray[np.bool_] = rows[:, never].getnnz(axis=1) > 0
    return beside


def _scaled(matrix: sp.csr_matrix, fixed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(entries,) of D^-1 K with rows and columns of the unit matrix where `fixed`."""
    counts = np.diff(matrix.indptr)
    data: NDArray[np.float64] = matrix.data / np.repeat(matrix.diagonal(), counts)
    if fixed.any():
        data[np.take(fixed, matrix.indices)] = 0.0
        inside = np.flatnonzero(np.repeat(fixed, counts))
        row = np.repeat(np.flatnonzero(fixed), counts[fixed])
        data[inside] = matrix.indices[inside] == row
    return data
