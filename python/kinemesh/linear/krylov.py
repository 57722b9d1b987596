"""Common parts of solvers on a block pattern: device tables, sums, masks of live members.

All scalars are per member and stay on the device; a member that has converged, or broken down, is
left alone while the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from kinemesh.device.backend import Backend
from kinemesh.linear.pattern import Pattern, totals


class Krylov:
    """Solver of A x = b on a pattern, from x = 0.

    Parameters
    ----------
    backend, pattern
    size : int     block size
    active : (members,) int32 device array: members that want a solution
    suffix : "f64" or "f32", of A and of the vectors
    width : int    components of a vector in a row, where they are not as many as a block has rows
    tables : those of the pattern that are on the device already, by their names

    Attributes
    ----------
    A, b, x, base : device arrays; the tolerance is a share of the residual of the side `base`
    start : call   every active member lives; part of `begin`, first where products come before
    factor, begin, finish : recordings;  iterate : recording of one iteration
    live, steps, status : (members,) int32; status 1: converged, 2: broke down
    squares, base_squares : (members,) float64; of the residual and of that of `base`
    """

    TABLES: ClassVar[tuple[str, ...]] = ("row", "column", "diagonal", "member", "item")
    A: Any
    b: Any
    x: Any
    base: Any
    factor: Any
    begin: Any
    iterate: Any
    finish: Any

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        size: int,
        active: Any,
        suffix: str,
        width: int | None = None,
        tables: Mapping[str, Any] | None = None,
    ) -> None:
        self.backend, self.pattern, self.size, self.suffix = backend, pattern, size, suffix
        self.width = width or size
        self.dtype = np.float64 if suffix == "f64" else np.float32
        self.tables = dict(tables or {})
        for name in self.TABLES:
            if name not in self.tables:
                self.tables[name] = backend.table(getattr(pattern, name))
        members, chunks = active.shape[0], len(pattern.item_chunks) - 1
        self.totals = {"item": self.tables["item"]} | totals(
            backend, pattern.item_chunks, pattern.item_groups
        )
        self.parts = {n: backend.zeros((chunks, n), np.float64) for n in (1, 2)}
        self.live, self.steps, self.status = (backend.zeros(members, np.int32) for _ in range(3))
        self.scalars = backend.zeros((members, 4), np.float64)
        self.squares, self.base_squares, self.target = (
            backend.zeros(members, np.float64) for _ in range(3)
        )
        self.start = backend.bind(
            "krylov_start", active=active, live=self.live, steps=self.steps, status=self.status
        )

    def _bind(self, kernel: str, **fields: Any) -> Any:
        return self.backend.bind(kernel, suffix=self.suffix, **fields)

    def product(self, x: Any, y: Any) -> Any:
        """Call y = A x, before A is factored."""
        tables = {name: self.tables[name] for name in ("row", "column", "member")}
        kernel = f"block_product_{self.size}"
        return self._bind(kernel, **tables, live=self.live, A=self.A, x=x, y=y)

    def _total(self, kernel: str, count: int, **fields: Any) -> Any:
        """Call that adds up `count` numbers over each member that lives, and acts on them."""
        more = self.totals | {"parts": self.parts[count], "live": self.live}
        return self._bind(kernel, **fields, **more)

    def squares_of(self, r: Any, squares: Any) -> Any:
        """Call for |r|^2."""
        return self._total(f"krylov_squares_{self.width}", 1, r=r, squares=squares)

    def tolerances(self, tolerance: Any) -> Any:
        """Device array (members,) of a tolerance: of a number, or the array itself."""
        if isinstance(tolerance, int | float):
            return self.backend.array(np.full(self.live.shape[0], tolerance), np.float64)
        return tolerance

    def _first(self, r: Any, tolerance: Any, base: Any = None) -> Any:
        """Call that masks members already converged; base: squared norms of the tolerance."""
        return self._total(
            f"krylov_first_{self.width}", 1, r=r, base=base, tolerance=tolerance,
            squares=self.squares, target=self.target, scalars=self.scalars, status=self.status,
        )  # fmt: skip

    def begun(self, before: list[Any]) -> Callable[[], Any]:
        """Callable that runs these calls, which set A, b and base, and starts a solve."""
        return self.backend.record([*before, self.factor, self.begin])

    def recorded_block(self, count: int) -> Callable[[], Any]:
        """Callable: `count` iterations, for solves whose length the host decides."""
        return self.backend.record([self.iterate], times=count, flag=self.live)
