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
    before : calls that work out what the kernel needs
    done : launches of the first sweep that they have made
    """

    update: tuple[str, dict[str, Any]]
    done = 0

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        kernel: str,
        fields: dict[str, Any],
        sweeps: int,
    ) -> None:
        du = backend.zeros(fields["res"].shape)
        tables = {
            "node": backend.table(pattern.node),
            "row_of": backend.table(pattern.row_of),
        }
        self._begin(backend, pattern, kernel, fields | tables | {"du": du}, sweeps)
        self.update = ("ale_update", {"node": None, "du": du})

    def _begin(
        self,
        backend: Backend,
        pattern: Pattern,
        kernel: str,
        fields: dict[str, Any],
        sweeps: int,
    ) -> None:
        self.backend, self.pattern, self.sweeps = backend, pattern, sweeps
        self.kernel, self.fields = kernel, fields
        self.before: list[Any] = []

    def calls(self) -> list[Any]:
        """Calls from the residual to the solution."""
        return [
            *self.before,
            *(
                self.backend.bind(self.kernel, over, **self._turn(turn), **self.fields)
                for turn, over in self.pattern.sweeps(self.sweeps)[self.done :]
            ),
        ]

    def _turn(self, turn: int) -> dict[str, Any]:
        """What the kernel is told of a sweep, by its number."""
        return {"cold": int(turn == 0)}


class SpaceLusgs(Lusgs):
    """The same on clouds in space, rows in the order of their colours with all that they read once.

    A sweep looks at the satellites of earlier or of later colours alone (Conrad and Wallach 1977);
    the first colour has none of the former and is solved where its rows are made.

    Parameters
    ----------
    grid : CloudGrid
    pattern, sweeps : as above
    state : q, res, radius, active, cfl and pace
    """

    done = 1

    def __init__(
        self, grid: CloudGrid, pattern: Pattern, state: dict[str, Any], sweeps: int
    ) -> None:
        b, n = grid.backend, grid.nodes
        made, open_ = grid.links(pattern)
        record = {"record": b.zeros((n, 8), np.int32)}
        rows = record | {"rhs": b.zeros((n, 5)), "pivot": b.zeros((n, 4), np.float32)}
        walls = {name: grid.wall.device[name] for name in ("normal", "gap")}
        own = {name: state[name] for name in ("active", "q")}
        wall = b.get(grid.table["wall"])[pattern.node]
        own |= {"wall": b.array(wall, np.int32), "part": b.zeros((n, 5))}
        self._begin(b, pattern, "cloud_lusgs_3d", made | rows | walls | own, sweeps)
        self.update = ("cloud_update", record)
        points = {"velocity": grid.velocity, "V": grid.V, "bdf": grid.bdf, "open": open_}
        points |= {name: grid.table[name] for name in ("member", "wall")}
        points |= {name: made[name] for name in ("on_plane", "plane")}
        points |= {"row_of": b.table(pattern.row_of), "solved": pattern.colours[0][1]}
        self.before = [b.bind("cloud_rows_3d", **state, **points, **walls, **rows)]

    def _turn(self, turn: int) -> dict[str, Any]:
        return {"turn": turn, "turns": 2 * self.sweeps}
