"""BiCGSTAB on a scalar matrix with multigrid, for every member of an ensemble at once.

van der Vorst (1992), preconditioned from the right, so that the residual is that of the system
itself; vectors in float64 over a cycle in float32 (docs/theory.md, section 7.5).  The matrix need
not be symmetric, and it may be singular where the side has a solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.linear.blocks import Blocks
from kinemesh.linear.hierarchy import Level, scalar
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.multigrid import Multigrid, _Depth
from kinemesh.linear.pattern import Pattern
from kinemesh.linear.stack import Alike


class ScalarMultigrid(Multigrid):
    """One cycle z = M r on a scalar matrix that does not change, in float32, as calls.

    Parameters
    ----------
    pattern : rows in the order of the nodes, of all members
    finest, levels : per member, from `hierarchy.scalar`, of its free rows
    rows : per member, numbers of its free rows in the pattern
    r, z : (rows, 1) device arrays, float32
    degree : of the smoother
    """

    SIZES = (1, 1)
    # Measured, to 1e-4 on thin triangles about a section, 8000 and 20,000 nodes: with 0.1, 28 and
    # 300 iterations or more, with 0.2 to 0.4 from 5 and 10; cylinders of quads take 4 with any.
    LOWEST = 0.3

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        finest: Sequence[Blocks],
        levels: Sequence[Sequence[Level]],
        rows: Sequence[NDArray],
        live: Any,
        r: Any,
        z: Any,
        degree: int = 2,
    ) -> None:
        self.backend, self.live, self.degree, self.levels = backend, live, degree, levels
        own = np.bincount(pattern.member, minlength=len(levels))
        starts = np.cumsum(own) - own
        self.free = [free - start for free, start in zip(rows, starts, strict=True)]
        first, counts = (dict(enumerate(each.tolist())) for each in (starts, own))
        count, member = len(pattern.node), backend.table(pattern.member)
        top = _Depth(0, 1, first, counts, count, count, member, {})
        free = dict(enumerate(self.free))
        top.matrix.update(self._shared("A", dict(enumerate(finest)), top, top, free, free))
        self.calls = self._level(top, r, z)

    def _largest(self, here: _Depth) -> float:
        return 1.0


class ScalarSolver(Krylov):
    """Solver of D^-1 K x = b from x = 0, D the diagonal of K; see `Krylov`.

    Rows where x is given to be zero are those of the unit matrix.

    Parameters
    ----------
    alike : which members share a mesh
    pattern : rows in the order of the nodes, of all members
    matrices : K of each distinct mesh, CSR with sorted columns that are those of the pattern
    fixed : of each distinct mesh (nodes,) bool, rows where x is zero
    tolerance : float    stop at |r| <= tolerance |b|

    Attributes
    ----------
    b : the side, which a solution spoils
    diagonal : (rows,) D on the host
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
    ) -> None:
        super().__init__(backend, pattern, 1, active, "f64")
        rows = len(pattern.node)
        self.x, self.r, self.shadow, self.p, self.v, self.t, self.y, self.z = (
            backend.zeros((rows, 1), np.float64) for _ in range(8)
        )
        self.b = self.r
        self.narrow, self.single = (backend.zeros((rows, 1), np.float32) for _ in range(2))
        data, diagonal, made = [], [], []
        for matrix, given in zip(matrices, fixed, strict=True):
            data.append(_scaled(matrix, given))
            diagonal.append(matrix.diagonal())
            made.append(scalar(matrix[~given][:, ~given].tocsr()))
        self.A = backend.table(np.concatenate([data[of] for of in alike.of])[:, None], np.float64)
        self.diagonal = np.concatenate([diagonal[of] for of in alike.of])
        starts = np.searchsorted(pattern.member, np.arange(alike.members))
        free = [np.flatnonzero(~fixed[of]) + s for of, s in zip(alike.of, starts, strict=True)]
        self.cycle = ScalarMultigrid(
            backend, pattern, [made[of][0] for of in alike.of], [made[of][1] for of in alike.of],
            free, self.live, self.narrow, self.single,
        ).calls  # fmt: skip
        self.factor, self.finish = backend.record([]), backend.record([])
        rows_of = {"member": self.tables["member"], "live": self.live}
        begin = self._bind(
            "krylov_begin_1", **rows_of, r=self.r, x=self.x, shadow=self.shadow, p=self.p
        )
        first = self._first(self.r, self.tolerances(tolerance))
        self.begin = backend.record([self.start, begin, first])
        self.iterate = backend.record(self._iterate_calls())

    def _preconditioned(self, v: Any, y: Any) -> list[Any]:
        """Calls y = M v."""
        bind = self.backend.bind
        return [
            bind("narrow_row", **{"from": v, "to": self.narrow}),
            *self.cycle,
            bind("widen_row", **{"from": self.single, "to": y}),
        ]

    def _iterate_calls(self) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live, "scalars": self.scalars}
        state = {"scalars": self.scalars, "status": self.status}
        ends = state | {"target": self.target, "squares": self.squares, "steps": self.steps}
        both = {"y": self.y, "z": self.z, "t": self.t, "x": self.x, "r": self.r}
        return [
            *self._preconditioned(self.p, self.y),
            self.product(self.y, self.v),
            self._total("krylov_alpha_1", 1, shadow=self.shadow, v=self.v, **state),
            self._bind("krylov_s_1", **rows, v=self.v, r=self.r),
            *self._preconditioned(self.r, self.z),
            self.product(self.z, self.t),
            self._total("krylov_omega_1", 2, t=self.t, s_half=self.r, scalars=self.scalars),
            self._bind("krylov_outer_1", **rows, **both),
            self._total("krylov_beta_1", 2, shadow=self.shadow, r=self.r, **ends),
            self._bind("krylov_p_1", **rows, r=self.r, v=self.v, p=self.p),
        ]

    def solve_recorded(self, most: int) -> Any:
        """Recording: begin, and at most `most` iterations."""
        repeat = self.backend.record([self.iterate], times=most, flag=self.live)
        return self.backend.record([self.begin, repeat])


def _scaled(matrix: sp.csr_matrix, fixed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(entries,) of D^-1 K with rows and columns of the unit matrix where `fixed`."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    data = matrix.data / matrix.diagonal()[rows]
    data[fixed[rows] | fixed[matrix.indices]] = 0.0
    data[(rows == matrix.indices) & fixed[rows]] = 1.0
    return data
