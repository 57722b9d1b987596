"""Pseudo-steps without a matrix: symmetric sweeps through the colours (docs/theory.md, 2.5).

Yoon and Jameson (1988); by colours: Zhang et al. (2018), Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinemesh.backend import Backend
from kinemesh.linear import Pattern


class Lusgs:
    """A system solved row by row, each with the latest of its neighbours.

    Parameters
    ----------
    pattern : Pattern      of the system, for its colours
    kernel : str           solves a row for its own du; `cold` where later rows have none yet
    fields : its arrays, beside node, row_of, cold and du
    sweeps : int           pairs of sweeps, up and down through the colours
    before : calls that work out what the kernel needs

    Attributes
    ----------
    du : (nodes, variables)    the solution, in the order of the nodes, where a row finds that of
        a neighbour without looking up its row
    node : None    as rows have a table of their nodes elsewhere
    """

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        kernel: str,
        fields: dict[str, Any],
        sweeps: int,
        before: Sequence[Any] = (),
    ) -> None:
        self.before = list(before)
        self.backend, self.pattern, self.kernel, self.sweeps = backend, pattern, kernel, sweeps
        self.node = None
        self.du = backend.zeros(fields["res"].shape)
        self.fields = fields | {
            "node": backend.table(pattern.node),
            "row_of": backend.table(pattern.row_of),
            "du": self.du,
        }

    def calls(self) -> list[Any]:
        """Calls from the residual to `du`."""
        return self.before + [
            self.backend.bind(self.kernel, over, cold=cold, **self.fields)
            for cold, over in self.pattern.sweeps(self.sweeps)
        ]
