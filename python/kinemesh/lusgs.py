"""Pseudo-steps without a matrix: symmetric sweeps through the colours (docs/theory.md, 2.5).

Yoon and Jameson (1988); by colours: Zhang et al. (2018), Algorithm 2.
"""

from __future__ import annotations

from typing import Any

from kinemesh.backend import Backend
from kinemesh.dualtime import DualTime
from kinemesh.grid import Grid
from kinemesh.linear import Pattern


class Lusgs:
    """[V/dtau + c0 V + dR/du] du = -res by sweeps, R with the largest wave speed as dissipation.

    Parameters
    ----------
    state : q and res, (nodes, 4) device arrays
    pace : (nodes,) float64, share of the member's CFL number that a node takes
    sweeps : int    pairs of sweeps, up and down through the colours

    Attributes
    ----------
    pattern : Pattern
    node : (rows,) int32, node of each row;  du : (rows, 4), the solution
    """

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        dualtime: DualTime,
        state: dict[str, Any],
        pace: Any,
        sweeps: int,
    ) -> None:
        self.backend, self.sweeps = backend, sweeps
        self.pattern = Pattern.of_graph(backend, grid.dual.offsets, grid.dual.neighbour, grid.first)
        self.node = backend.table(self.pattern.node)
        self.du = backend.zeros((grid.nodes, 4))
        names = ("member", "offsets", "neighbour", "edge")
        self.fields = {name: grid.table[name] for name in names} | {
            "node": self.node,
            "row_of": backend.table(self.pattern.row_of),
            "active": dualtime.active,
            "V": grid.V,
            "bdf": grid.bdf,
            "cfl": dualtime.cfl,
            "pace": pace,
            "du": self.du,
            **grid.faces()["edges"],
            **state,
        }

    def calls(self) -> list[Any]:
        """Calls from `state` to `du`."""
        up = self.pattern.colours
        return [
            self.backend.bind("lusgs_sweep", over, cold=int(turn == 0), **self.fields)
            for turn in range(2 * self.sweeps)
            for over in (up[::-1] if turn % 2 else up)
        ]
