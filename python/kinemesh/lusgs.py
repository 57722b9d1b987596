"""Pseudo-steps without a matrix: symmetric sweeps through the colours (docs/theory.md, 2.5).

Yoon and Jameson (1988); by colours: Zhang et al. (2018), Algorithm 2.
"""

from __future__ import annotations

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

    Attributes
    ----------
    node : (rows,) int32, node of each row;  du : (rows, variables), the solution
    """

    def __init__(
        self, backend: Backend, pattern: Pattern, kernel: str, fields: dict[str, Any], sweeps: int
    ) -> None:
        self.backend, self.pattern, self.kernel, self.sweeps = backend, pattern, kernel, sweeps
        self.node = backend.table(pattern.node)
        variables = fields["res"].shape[1]
        self.du = backend.zeros((len(pattern.node), variables))
        self.fields = fields | {
            "node": self.node,
            "row_of": backend.table(pattern.row_of),
            "du": self.du,
        }

    def calls(self) -> list[Any]:
        """Calls from the residual to `du`."""
        return [
            self.backend.bind(self.kernel, over, cold=cold, **self.fields)
            for cold, over in self.pattern.sweeps(self.sweeps)
        ]
