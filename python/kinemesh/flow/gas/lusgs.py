"""Pseudo-steps without a matrix: symmetric sweeps through the colours (docs/theory.md, 2.5).

Yoon and Jameson (1988); by colours: Zhang et al. (2018), Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.device.fields import Fields
from kinemesh.linear import Pattern

if TYPE_CHECKING:
    from kinemesh.space.points import CloudGrid


class Lusgs:
    """A system solved row by row, each with the latest of its neighbours.

    Parameters
    ----------
    pattern : Pattern      of the system, for its colours
    kernel : str           solves a row for its own du; `cold` where later rows have none yet
    fields : of the solver, with what the kernel takes beside node, row_of, cold and du
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
        pattern: Pattern,
        kernel: str,
        fields: Fields,
        sweeps: int,
    ) -> None:
        b = fields.backend
        du = b.zeros(fields["res"].shape)
        rows = fields.also(node=b.table(pattern.node), row_of=b.table(pattern.row_of), du=du)
        self._begin(pattern, kernel, rows, sweeps)
        self.update = {"node": None, "du": du}

    def _begin(self, pattern: Pattern, kernel: str, fields: Fields, sweeps: int) -> None:
        self.pattern, self.sweeps = pattern, sweeps
        self.kernel, self.fields = kernel, fields
        self.before: list[Any] = []
        self.whole: dict[Any, Any] = {}  # sweeps over all rows, of which those of colours are parts

    def calls(self, assemble: Callable[..., list[Any]] | None = None) -> list[Any]:
        """Calls from the residual to the solution."""
        del assemble  # there is no matrix
        sweeps = self.pattern.sweeps(self.sweeps)[self.done :]
        return [*self.before, *(self._sweep(turn, over) for turn, over in sweeps)]

    def _sweep(self, turn: int, over: tuple[int, int]) -> Any:
        """Call of a sweep, by its number, for the rows of a colour."""
        return self._part(self.kernel, over, cold=int(turn == 0))

    def _part(self, kernel: str, over: tuple[int, int], **more: Any) -> Any:
        """Call over some rows of what is bound once for all of them."""
        key = kernel, *(more[name] for name in ("cold", "turn") if name in more)
        if key not in self.whole:
            self.whole[key] = self.fields.bind(kernel, **more)
        return self.fields.backend.part(self.whole[key], over)


class SpaceLusgs(Lusgs):
    """Sweeps on clouds in space, rows in the order of their colours with all that they read once.

    A sweep looks at the satellites of earlier or of later colours alone (Conrad and Wallach 1977);
    the first colour has none of the former and is solved where its rows are made.  Rows that are
    solved for the last time add the solution to the state at once.

    Parameters
    ----------
    grid : CloudGrid
    pattern, sweeps : as above
    fields : of the solver, with `radius`
    most : that a step may change u
    """

    done = 1
    update = None

    def __init__(
        self, grid: CloudGrid, pattern: Pattern, fields: Fields, most: float, sweeps: int
    ) -> None:
        b, n = grid.backend, grid.nodes
        made, open_ = grid.links(pattern)
        walls = {name: grid.wall.device[name] for name in ("normal", "gap")}
        own = fields.also(
            rhs=b.zeros(fields["res"].shape),
            pivot=b.zeros(n, np.float32),
            record=b.zeros((n, 8), np.int32),
            part=b.zeros(fields["res"].shape),
            most=most,
            **walls,
        )
        self._begin(pattern, "cloud_lusgs", own.also(**made), sweeps)
        row_of, solved = b.table(pattern.row_of), pattern.colours[0][1]
        at = dict(wall=grid.wall_number, on_plane=made["on_plane"], open=open_)
        self.before = [own.bind("cloud_rows", **at, row_of=row_of, solved=solved)]

    def _sweep(self, turn: int, over: tuple[int, int]) -> Any:
        turns, kernel = 2 * self.sweeps, self.kernel
        if turn + 1 == turns or (turn + 2 == turns and over == self.pattern.colours[-1]):
            kernel = "cloud_lusgs_last"
        return self._part(kernel, over, turn=turn, turns=turns)
