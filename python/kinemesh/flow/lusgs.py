"""Pseudo-steps without a matrix: symmetric sweeps through the colours (docs/theory.md, 2.5).

Yoon and Jameson (1988); by colours: Zhang et al. (2018), Algorithm 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.device.backend import Backend
from kinemesh.linear import Pattern

if TYPE_CHECKING:
    from kinemesh.space.points import CloudGrid


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
    update : {"node": None, "du": du}    the solution (nodes, variables), in the order of the nodes,
        where a row finds that of a neighbour without looking up its row; None: the last sweeps add
        it to the state
    before : calls that work out what the kernel needs
    done : launches of the first sweep that they have made
    """

    update: dict[str, Any] | None
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
        self.update = {"node": None, "du": du}

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
        self.whole: dict[Any, Any] = {}  # sweeps over all rows, of which those of colours are parts

    def calls(self) -> list[Any]:
        """Calls from the residual to the solution."""
        sweeps = self.pattern.sweeps(self.sweeps)[self.done :]
        return [*self.before, *(self._sweep(turn, over) for turn, over in sweeps)]

    def _sweep(self, turn: int, over: tuple[int, int]) -> Any:
        """Call of a sweep, by its number, for the rows of a colour."""
        return self._part(self.kernel, over, cold=int(turn == 0), **self.fields)

    def _part(self, kernel: str, over: tuple[int, int], **fields: Any) -> Any:
        """Call over some rows of what is bound once for all of them."""
        key = kernel, *(fields[name] for name in ("cold", "turn") if name in fields)
        if key not in self.whole:
            self.whole[key] = self.backend.bind(kernel, **fields)
        return self.backend.part(self.whole[key], over)


class SpaceLusgs(Lusgs):
    """The same on clouds in space, rows in the order of their colours with all that they read once.

    A sweep looks at the satellites of earlier or of later colours alone (Conrad and Wallach 1977);
    the first colour has none of the former and is solved where its rows are made.  Rows that are
    solved for the last time add the solution to the state at once.

    Parameters
    ----------
    grid : CloudGrid
    pattern, sweeps : as above
    state : q, res, radius, active, cfl and pace
    after : u, pace, and the most that a step may change u
    """

    done = 1
    update = None

    def __init__(
        self,
        grid: CloudGrid,
        pattern: Pattern,
        state: dict[str, Any],
        after: dict[str, Any],
        sweeps: int,
    ) -> None:
        b, n = grid.backend, grid.nodes
        made, open_ = grid.links(pattern)
        rows = {"rhs": b.zeros((n, 5)), "pivot": b.zeros(n, np.float32)}
        rows["record"] = b.zeros((n, 8), np.int32)
        walls = {name: grid.wall.device[name] for name in ("normal", "gap")}
        own = {name: state[name] for name in ("active", "q")} | {"part": b.zeros((n, 5))}
        self._begin(b, pattern, "cloud_lusgs_3d", made | rows | walls | own, sweeps)
        self.after = after
        points = {"V": grid.V, "bdf": grid.bdf, "open": open_}
        points |= {name: grid.table[name] for name in ("member", "wall")}
        points |= {name: made[name] for name in ("on_plane", "plane")}
        points |= {"row_of": b.table(pattern.row_of), "solved": pattern.colours[0][1]}
        self.before = [b.bind("cloud_rows_3d", **state, **points, **walls, **rows)]

    def _sweep(self, turn: int, over: tuple[int, int]) -> Any:
        turns, kernel, fields = 2 * self.sweeps, self.kernel, self.fields
        if turn + 1 == turns or (turn + 2 == turns and over == self.pattern.colours[-1]):
            kernel, fields = "cloud_lusgs_last_3d", fields | self.after
        return self._part(kernel, over, turn=turn, turns=turns, **fields)
