"""Gauss-Seidel's sweeps through the colours of a block matrix: LU-SGS with stored blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.device.backend import Backend
from kinemesh.linear.pattern import Pattern


class Sweeps:
    """A x = b on a pattern, from x = 0, row by row with the latest of its neighbours.

    Parameters
    ----------
    size : int      block size, 4 or 5
    active : (members,) int32, faults : (members,) uint64 device arrays
    suffix : "f64" or "f32" where the precision is not the backend's own

    Attributes
    ----------
    A, b, x : device arrays
    factor : recording  scales the rows of A by the inverse of their diagonal blocks, in its place
    """

    TABLES = ("row", "column", "diagonal", "member", "node")

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        size: int,
        active: Any,
        faults: Any,
        *,
        suffix: str | None = None,
    ) -> None:
        self.backend, self.pattern, self.size = backend, pattern, size
        self.suffix = suffix or backend.suffix
        self.dtype = np.float64 if self.suffix == "f64" else np.float32
        self.tables = {name: backend.table(getattr(pattern, name)) for name in self.TABLES}
        self.live = active
        rows, blocks = len(pattern.node), len(pattern.column)
        self.A = backend.zeros((blocks, size * size), self.dtype, blocks=True)
        self.D, self.pivot = (backend.zeros((rows, size * size), self.dtype) for _ in range(2))
        self.b, self.x = (backend.zeros((rows, size), self.dtype) for _ in range(2))
        scale = {"node": self.tables["node"], "pivot": self.pivot, "faults": faults}
        self.factor = backend.record(
            [self._call("block_diagonal", D=self.D), self._call("block_scale", D=self.D, **scale)]
        )

    def _call(self, kernel: str, **fields: Any) -> Any:
        tables = {name: self.tables[name] for name in ("row", "column", "diagonal", "member")}
        fields |= tables | {"live": self.live, "A": self.A}
        return self.backend.bind(f"{kernel}_{self.size}", suffix=self.suffix, **fields)

    def solve_recorded(self, pairs: int) -> Any:
        """Recording: pairs of sweeps, up and down through the colours."""
        fields = {"pivot": self.pivot, "b": self.b, "y": self.x}
        warm, cold = (self._call("block_sweep", cold=cold, **fields) for cold in (0, 1))
        return self.backend.record(
            [
                self.backend.part(warm if turn else cold, over)
                for turn, over in self.pattern.sweeps(pairs)
            ]
        )
