"""BiCGSTAB on block rows in colour order, for every member of an ensemble at once.

van der Vorst (1992) on the system that DILU preconditions from both sides, its product by
Eisenstat's trick (docs/theory.md, section 5.1); all scalars stay on the device.  A member that has
converged (or broken down) is left alone while the others go on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.backend import Backend
from kinemesh.linear.pattern import Pattern


class Bicgstab:
    """Solver of A x = b on a pattern, from x = 0.

    Parameters
    ----------
    backend, pattern
    size : int          block size, 2 or 4
    active : (members,) int32 device array: members that want a solution
    faults : (members,) uint64 device array
    tolerance : float   stop at |P r| <= tolerance |P base|, P = (1 + l)^-1 D^-1
    base : bool         the tolerance refers to `base`, another side; else to b
    suffix : "f64" or "f32" where the precision is not the backend's own

    Attributes
    ----------
    A, b, x, base : device arrays
    factor : recording  factors A in its own place: the matrix itself is gone after it
    start : call        every active member lives; part of `begin`, first where products come before
    begin, iterate, finish : recordings; `iterate` is one iteration, `finish` gives x
    live, steps, status : (members,) int32; status 1: converged, 2: broke down
    """

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        size: int,
        active: Any,
        faults: Any,
        *,
        tolerance: float,
        base: bool = False,
        suffix: str | None = None,
    ) -> None:
        self.backend, self.pattern, self.size = backend, pattern, size
        self.suffix = suffix or backend.suffix
        self.dtype = np.float64 if self.suffix == "f64" else np.float32
        self.active, self.faults = active, faults
        members, rows, blocks = active.shape[0], len(pattern.node), len(pattern.column)
        self.tables = {
            name: backend.array(getattr(pattern, name), np.int32)
            for name in ("row", "column", "diagonal", "mirror", "member", "item", "node")
        }
        self.chunk_offsets = backend.array(pattern.item_chunks, np.int32)
        self.group_offsets = backend.array(pattern.item_groups, np.int32)
        self.parts = backend.zeros((len(pattern.item_chunks) - 1, 2), np.float64)
        self.A = backend.zeros((blocks, size * size), self.dtype)
        self.D, self.pivot = (backend.zeros((rows, size * size), self.dtype) for _ in range(2))
        self.b, self.x, self.r, self.shadow, self.p, self.v, self.t, self.y, self.z, self.sum = (
            backend.zeros((rows, size), self.dtype) for _ in range(10)
        )
        self.base = backend.zeros((rows, size), self.dtype) if base else None
        self.live, self.steps, self.status = (backend.zeros(members, np.int32) for _ in range(3))
        self.scalars = backend.zeros((members, 4), np.float64)
        self.dots, self.base2 = (backend.zeros((members, 2), np.float64) for _ in range(2))
        self.target2 = backend.zeros(members, np.float64)
        self.start = backend.bind(
            "krylov_start", active=active, live=self.live, steps=self.steps, status=self.status
        )
        self.factor = backend.record(self._factor_calls())
        self.begin = backend.record(self._begin_calls(tolerance))
        self.iterate = backend.record(self._iterate_calls())
        self.finish = backend.record(self._upper(self.sum, self.x, active))

    def _bind(self, kernel: str, over: tuple[int, int] | None = None, **fields: Any) -> Any:
        name = f"{kernel}_{self.size}"
        return self.backend.bind(name, over=over, suffix=self.suffix, **fields)

    def _pattern(self, *more: str, live: Any = None) -> dict[str, Any]:
        names = ("row", "column", "member", *more)
        live = self.live if live is None else live
        return {name: self.tables[name] for name in names} | {"live": live, "A": self.A}

    def _factor_calls(self) -> list[Any]:
        schur = self._pattern("diagonal", "mirror", live=self.active) | {"D": self.D}
        scale = self._pattern("diagonal", "node", live=self.active) | {
            "D": self.D,
            "pivot": self.pivot,
        }
        calls = []
        for over in self.pattern.colours:
            calls.append(self._bind("block_schur", over, **schur))
            calls.append(self._bind("block_scale", over, **scale, faults=self.faults))
        return calls

    def _lower(self, b: Any, y: Any) -> list[Any]:
        """Calls y = (1 + l)^-1 D^-1 b."""
        fields = self._pattern("diagonal") | {"pivot": self.pivot, "b": b, "y": y}
        return [self._bind("block_lower", over, **fields) for over in self.pattern.colours]

    def _upper(self, v: Any, y: Any, live: Any = None) -> list[Any]:
        """Calls y = (1 + u)^-1 v."""
        fields = self._pattern("diagonal", live=live) | {"v": v, "y": y}
        return [self._bind("block_upper", over, **fields) for over in self.pattern.colours[::-1]]

    def _preconditioned(self, v: Any, w: Any) -> list[Any]:
        """Calls w = (1 + l)^-1 (l + a + u) (1 + u)^-1 v."""
        fields = self._pattern("diagonal") | {"v": v, "t": self.y, "z": self.z, "w": w}
        turn = [self._bind("block_turn", over, **fields) for over in self.pattern.colours]
        return self._upper(v, self.y) + turn

    def product(self, x: Any, y: Any) -> Any:
        """Call y = A x, before A is factored."""
        return self._bind("block_product", **self._pattern(), x=x, y=y)

    def _dots(self, a: Any, b: Any, c: Any, d: Any, sums: Any) -> list[Any]:
        fields = {"a": a, "b": b, "c": c, "d": d, "item": self.tables["item"]}
        return [
            self._bind("block_dots", **fields, offsets=self.chunk_offsets, sums=self.parts),
            self.backend.bind(
                "gather_sum_2", offsets=self.group_offsets, parts=self.parts, sums=sums
            ),
        ]

    def _begin_calls(self, tolerance: float) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live}
        calls = [self.start]
        base2 = self.dots
        if self.base is not None:
            base2 = self.base2
            calls += self._lower(self.base, self.r)
            calls += self._dots(self.r, self.r, self.r, self.r, base2)
        return [
            *calls,
            *self._lower(self.b, self.r),
            self._bind("krylov_begin", **rows, r=self.r, x=self.sum, shadow=self.shadow, p=self.p),
            *self._dots(self.shadow, self.r, self.r, self.r, self.dots),
            self.backend.bind(
                "krylov_first",
                dots=self.dots,
                base2=base2,
                target2=self.target2,
                tolerance=tolerance,
                scalars=self.scalars,
                live=self.live,
                status=self.status,
            ),
        ]

    def _iterate_calls(self) -> list[Any]:
        bind = self.backend.bind
        rows = {"member": self.tables["member"], "live": self.live, "scalars": self.scalars}
        state = {"dots": self.dots, "scalars": self.scalars, "live": self.live}
        return [
            *self._preconditioned(self.p, self.v),
            *self._dots(self.shadow, self.v, self.v, self.v, self.dots),
            bind("krylov_alpha", **state, status=self.status),
            self._bind("krylov_s", **rows, v=self.v, r=self.r),
            *self._preconditioned(self.r, self.t),
            *self._dots(self.t, self.r, self.t, self.t, self.dots),
            bind("krylov_omega", **state),
            self._bind("krylov_x", **rows, p=self.p, t=self.t, x=self.sum, r=self.r),
            *self._dots(self.shadow, self.r, self.r, self.r, self.dots),
            bind(
                "krylov_beta", **state, target2=self.target2, steps=self.steps, status=self.status
            ),
            self._bind("krylov_p", **rows, r=self.r, v=self.v, p=self.p),
        ]

    def solve_recorded(self, most: int) -> Any:
        """Recording: begin, at most `most` iterations, finish."""
        repeat = self.backend.record([self.iterate], times=most, flag=self.live)
        return self.backend.record([self.begin, repeat, self.finish])

    def recorded_block(self, count: int) -> Any:
        """Recording of `count` iterations, for solves whose length the host decides."""
        return self.backend.record([self.iterate], times=count, flag=self.live)
