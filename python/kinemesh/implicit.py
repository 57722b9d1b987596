"""The implicit operator of a pseudo-step: matrix, factors, BiCGSTAB (docs/theory.md, section 2.5).

The matrix may be in float32 under a flow in float64: it only steers the pseudo-steps, and its
traffic is what they cost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.backend import Backend
from kinemesh.boundary import Boundaries
from kinemesh.dualtime import DualTime
from kinemesh.grid import Grid
from kinemesh.linear import Bicgstab, Pattern


class Implicit:
    """[V/dtau + c0 V + dR/du] du = -res.

    Parameters
    ----------
    state : q and res, (nodes, 4) device arrays
    pace : (nodes,) float64, share of the member's CFL number that a node takes
    dtype : "float32" or "float64" of the matrix, never more than the backend's own
    fix : (members,)     entropy fix of the matrix
    iterations, tolerance : of BiCGSTAB

    Attributes
    ----------
    pattern, solver
    node : (rows,) int32, node of each row;  du : (rows, 4), the solution
    """

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        boundaries: Boundaries,
        dualtime: DualTime,
        state: dict[str, Any],
        pace: Any,
        *,
        dtype: str,
        fix: NDArray[np.float64],
        iterations: int,
        tolerance: float,
    ) -> None:
        self.backend, self.grid, self.boundaries, self.dualtime = (
            backend,
            grid,
            boundaries,
            dualtime,
        )
        self.state, self.pace, self.fix, self.iterations = state, pace, fix, iterations
        self.pattern = Pattern.of_graph(backend, grid.dual.offsets, grid.dual.neighbour, grid.first)
        self.solver = Bicgstab(
            backend,
            self.pattern,
            4,
            dualtime.active,
            grid.faults,
            tolerance=tolerance,
            suffix="f32" if dtype == "float32" else None,
        )
        self.node = backend.table(self.pattern.node)
        self.single = self.solver.suffix != backend.suffix
        self.du = backend.zeros((grid.nodes, 4)) if self.single else self.solver.x

    def calls(self) -> list[Any]:
        """Calls from `state` to `du`."""
        solver = self.solver
        narrow, state = self._narrow() if self.single else ([], self.state)
        faces = self.grid.single() if self.single else self.grid.faces()
        diagonal = self.pattern.diagonal[self.pattern.row_of]
        return [
            *narrow,
            self._matrix(state, faces["edges"]),
            *self.boundaries.jacobian(solver.A, diagonal, faces, state["q"], solver.suffix),
            solver.factor,
            solver.solve_recorded(self.iterations),
            *([self._copy("widen_4", solver.x, self.du)] if self.single else []),
        ]

    def _copy(self, kernel: str, source: Any, target: Any) -> Any:
        return self.backend.bind(kernel, **{"from": source, "to": target})

    def _narrow(self) -> tuple[list[Any], dict[str, Any]]:
        copies = {name: self.backend.zeros(a.shape, np.float32) for name, a in self.state.items()}
        return [self._copy("narrow_4", self.state[n], copies[n]) for n in copies], copies

    def _matrix(self, state: dict[str, Any], edges: dict[str, Any]) -> Any:
        b, grid, t, s = self.backend, self.grid, self.grid.table, self.solver
        ends = np.repeat(np.arange(grid.nodes, dtype=np.int32), np.diff(grid.dual.offsets))
        return b.bind(
            "ale_jacobian",
            suffix=s.suffix,
            node=self.node,
            member=t["member"],
            active=self.dualtime.active,
            diagonal=s.tables["diagonal"],
            offsets=t["offsets"],
            neighbour=t["neighbour"],
            edge=t["edge"],
            slot=b.table(self.pattern.block(ends, grid.dual.neighbour)),
            fix=b.array(self.fix, s.dtype),
            V=grid.V,
            bdf=grid.bdf,
            cfl=self.dualtime.cfl,
            pace=self.pace,
            A=s.A,
            rhs=s.b,
            **edges,
            **state,
        )
