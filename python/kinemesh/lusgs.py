"""Pseudo-steps without a matrix: symmetric sweeps through the colours (docs/theory.md, 2.5).

Yoon and Jameson (1988); by colours: Zhang et al. (2018), Algorithm 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.backend import Backend
from kinemesh.linear import Pattern

if TYPE_CHECKING:
    from kinemesh.cloud.grid import CloudGrid


class Lusgs:
    """A system solved row by row, each with the latest of its neighbours.

    Parameters
    ----------
    pattern : Pattern      of the system, for its colours
    kernel : str           solves a row for its own du; `cold` where later rows have none yet
    fields : its arrays, beside node, row_of, cold and du
    sweeps : int           pairs of sweeps, up and down through the colours

    Attributes
    ----------
    update : (kernel, fields)    what adds the solution to the state, and its arrays: du (nodes,
        variables), in the order of the nodes, where a row finds that of a neighbour without
        looking up its row
    """

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        kernel: str,
        fields: dict[str, Any],
        sweeps: int,
    ) -> None:
        self.backend, self.pattern, self.kernel, self.sweeps = backend, pattern, kernel, sweeps
        du = backend.zeros(fields["res"].shape)
        self.update: tuple[str, dict[str, Any]] = ("ale_update", {"node": None, "du": du})
        self.fields = fields | {
            "node": backend.table(pattern.node),
            "row_of": backend.table(pattern.row_of),
            "du": du,
        }

    def calls(self) -> list[Any]:
        """Calls from the residual to the solution."""
        return [
            self.backend.bind(self.kernel, over, cold=int(turn == 0), **self.fields)
            for turn, over in self.pattern.sweeps(self.sweeps)
        ]


class SpaceLusgs:
    """The same on clouds in space, rows in the order of their colours with all that they read once.

    A sweep looks at the satellites of earlier or of later colours alone (Conrad and Wallach 1977).

    Parameters
    ----------
    grid : CloudGrid
    pattern : Pattern      of the cloud, for its colours
    state : q, res, radius, active, cfl and pace
    sweeps : int           pairs of sweeps

    Attributes
    ----------
    update : (kernel, fields)    what adds the solution to the state, and its arrays
    """

    def __init__(
        self, grid: CloudGrid, pattern: Pattern, state: dict[str, Any], sweeps: int
    ) -> None:
        self.grid, self.pattern, self.sweeps = grid, pattern, sweeps
        b, n = grid.backend, grid.nodes
        made, open_ = grid.links(pattern)
        self.update = ("cloud_update", {"record": b.zeros((n, 8), np.int32)})
        rows = {"rhs": b.zeros((n, 5)), "pivot": b.zeros((n, 4), np.float32)}
        walls = {name: grid.wall.device[name] for name in ("normal", "gap")}
        points = {"velocity": grid.velocity, "V": grid.V, "bdf": grid.bdf, "open": open_}
        points |= {name: grid.table[name] for name in ("member", "wall")}
        points |= {"row_of": b.table(pattern.row_of), "normal": walls["normal"]}
        self.prepare = b.bind("cloud_rows_3d", **state, **points, **rows, **self.update[1])
        wall = grid.backend.get(grid.table["wall"])[pattern.node]
        self.fields = (
            made
            | rows
            | walls
            | self.update[1]
            | {
                "active": state["active"],
                "q": state["q"],
                "wall": b.array(wall, np.int32),
                "part": b.zeros((n, 5)),
                "turns": 2 * sweeps,
            }
        )

    def calls(self) -> list[Any]:
        """Calls from the residual to the solution."""
        bind = self.grid.backend.bind
        return [
            self.prepare,
            *(
                bind("cloud_lusgs_3d", over, turn=turn, **self.fields)
                for turn, over in self.pattern.sweeps(self.sweeps)
            ),
        ]
