"""Linear systems of the velocity, made in every pass (docs/theory.md, eq. 7.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.flow.projection import systems
from kinemesh.flow.projection.flow import Flow
from kinemesh.flow.projection.given import normals
from kinemesh.linear import Bicgstab, Pattern
from kinemesh.linear.lines import colour_along_lines
from kinemesh.linear.stack import Items
from kinemesh.space.conditions.base import PLANE

Graph = tuple[NDArray[np.int32], NDArray[np.int32]]
DROP = 0.3  # of the linear systems of a step


class Momentum:
    """Matrix of the momentum equation and its solver, the rows in colour order.

    Parameters
    ----------
    flow : Flow
    active : (members,) int32 device array, who is solved for
    laplacians, graphs : of each distinct mesh

    Attributes
    ----------
    solver : Bicgstab
    drop : (members,) float64 device array, of the solver's residual
    rows : dict    tables by which kernels go over the matrix's rows
    """

    def __init__(
        self, flow: Flow, active: Any, laplacians: Sequence[sp.csr_matrix], graphs: Sequence[Graph]
    ) -> None:
        grid, b = flow.grid, flow.backend
        self.drop = b.array(np.full(grid.members, DROP), np.float64)
        alone = [
            Pattern.of_graph(b, *graph, colours=colour_along_lines(b, *graph, mesh.points))
            for graph, mesh in zip(graphs, grid.distinct, strict=True)
        ]
        alike = grid.vertices.alike
        pattern = Pattern.of_members(alike, alone)
        self.slot = b.table(grid.slots(pattern))
        planes = PLANE in flow.velocity
        self.solver = solver = Bicgstab(
            b, pattern, grid.dimensions if planes else 1, active, grid.faults,
            tolerance=self.drop, suffix="f32", width=grid.dimensions,
        )  # fmt: skip
        self.normal = b.array(normals(grid), np.float32) if planes else None
        self.scalar = b.zeros((*solver.A.shape[:1], 1), np.float32) if planes else None
        blocks = Items(alike, [p.blocks for p in alone])
        self.rows = {
            "row": solver.tables["row"],
            "node": solver.tables["node"],
            "diagonal": solver.tables["diagonal"],
            "laplacian": b.table(blocks.stack(systems.in_blocks(laplacians, alone)), np.float32),
        }

    def matrix(self, view: Fields, **fields: Any) -> list[Any]:
        """Calls that make the matrix; `fields` of it alone."""
        A, rows = self.solver.A, view.also(**self.rows)
        if self.normal is None:
            return [rows.bind("inc_matrix", slot=self.slot, A=A, **fields)]
        made = rows.bind("inc_matrix", slot=self.slot, A=self.scalar, **fields)
        return [made, rows.bind("inc_planes", scalar=self.scalar, normal=self.normal, A=A)]

    def correct(self, view: Fields, most: int) -> list[Any]:
        """Calls that add to u what the matrix makes of res, in at most so many iterations."""
        rows, solver = view.also(**self.rows), self.solver
        return [
            rows.bind("inc_side", side=solver.b),
            solver.solve_recorded(most),
            rows.bind("inc_update", du=solver.x),
        ]
