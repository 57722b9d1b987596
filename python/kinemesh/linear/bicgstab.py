"""BiCGSTAB with block ILU(0) in colour order, for every member of an ensemble at once.

van der Vorst (1992), preconditioned from the right; all scalars stay on the device.  A member that
has converged (or broken down) is left alone while the others go on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.backend import Backend
from kinemesh.linear.pattern import Pattern


class Bicgstab:
    """Solver of A x = b on a pattern.

    Parameters
    ----------
    backend, pattern
    size : int          block size, 2 or 4
    active : (members,) int32 device array: members that want a solution
    faults : (members,) uint64 device array
    tolerance : float   stop at |r| <= tolerance |b|
    scaled : bool       measure |D^-1 r| and |D^-1 base| instead, D the block diagonal
    first_guess : bool  start from x, with `Ax` = A x given; else from x = 0
    suffix : "f64" or "f32" where the precision is not the backend's own

    Attributes
    ----------
    A, b, x, Ax, base : device arrays; `base` is the side that the tolerance refers to (scaled only)
    factor : recording  factors A
    start : call        every active member lives; part of `begin`, first where products come before
    begin, iterate : recordings; `iterate` is one iteration
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
        scaled: bool = False,
        first_guess: bool = False,
        suffix: str | None = None,
    ) -> None:
        self.backend, self.pattern, self.size = backend, pattern, size
        self.suffix = suffix or backend.suffix
        self.dtype = np.float64 if self.suffix == "f64" else np.float32
        members = active.shape[0]
        rows, blocks = len(pattern.node), len(pattern.column)
        self.tables = {
            name: backend.array(getattr(pattern, name), np.int32)
            for name in ("row", "column", "diagonal", "member", "fills", "fill", "item")
        }
        self.chunk_offsets = backend.array(pattern.item_chunks, np.int32)
        self.group_offsets = backend.array(pattern.item_groups, np.int32)
        self.parts = backend.zeros((len(pattern.item_chunks) - 1, 2), np.float64)
        self.faults = faults
        self.A, self.LU = (backend.zeros((blocks, size * size), self.dtype) for _ in range(2))
        self.b, self.x, self.r, self.shadow, self.p, self.ph, self.v, self.sh, self.t = (
            backend.zeros((rows, size), self.dtype) for _ in range(9)
        )
        self.Ax = backend.zeros((rows, size), self.dtype) if first_guess else None
        self.base = backend.zeros((rows, size), self.dtype) if scaled else self.b
        self.pivot = backend.zeros((rows, size * size), self.dtype)
        self.inverse = backend.zeros((rows, size * size), self.dtype) if scaled else None
        self.live, self.steps, self.status = (backend.zeros(members, np.int32) for _ in range(3))
        self.scalars = backend.zeros((members, 4), np.float64)
        self.dots, self.norm2, self.base2 = (
            backend.zeros((members, 2), np.float64) for _ in range(3)
        )
        self.target2 = backend.zeros(members, np.float64)
        if not scaled:
            self.norm2 = self.base2 = self.dots
        self.stop = {"norm2": self.norm2, "at": 0 if scaled else 1, "target2": self.target2}
        self.start = backend.bind(
            "krylov_start", active=active, live=self.live, steps=self.steps, status=self.status
        )
        self.factor = backend.record(self._factor_calls(active))
        self.begin = backend.record(self._begin_calls(tolerance))
        self.iterate = backend.record(self._iterate_calls())

    def _bind(self, kernel: str, over: tuple[int, int] | None = None, **fields: Any) -> Any:
        name = f"{kernel}_{self.size}"
        return self.backend.bind(name, over=over, suffix=self.suffix, **fields)

    def _pattern(self, *more: str) -> dict[str, Any]:
        names = ("row", "column", "member", *more)
        return {name: self.tables[name] for name in names} | {"live": self.live}

    def _factor_calls(self, active: Any) -> list[Any]:
        shared = self._pattern() | {"live": active, "LU": self.LU}
        diagonal = {"diagonal": self.tables["diagonal"], "pivot": self.pivot}
        fills = {name: self.tables[name] for name in ("fills", "fill")}
        calls = []
        for over in self.pattern.colours:
            calls += [
                self._bind("block_eliminate", over, **shared, **fills, A=self.A),
                self._bind("block_pivot", over, **shared, **diagonal, faults=self.faults),
                self._bind("block_scale", over, **shared, **diagonal),
            ]
        if self.inverse is not None:
            tables = {name: self.tables[name] for name in ("diagonal", "member")}
            calls.append(
                self._bind(
                    "block_inverses", **tables, A=self.A, inverse=self.inverse, faults=self.faults
                )
            )
        return calls

    def _precondition(self, b: Any, y: Any) -> list[Any]:
        fields = self._pattern("diagonal") | {"LU": self.LU, "y": y}
        up = [self._bind("block_forward", over, **fields, b=b) for over in self.pattern.colours]
        down = [self._bind("block_backward", over, **fields) for over in self.pattern.colours[::-1]]
        return up + down

    def product(self, x: Any, y: Any) -> Any:
        """Call y = A x."""
        return self._bind("block_product", **self._pattern(), A=self.A, x=x, y=y)

    def _gather(self, sums: Any) -> Any:
        return self.backend.bind(
            "gather_sum_2", offsets=self.group_offsets, parts=self.parts, sums=sums
        )

    def _dots(self, a: Any, b: Any, c: Any, d: Any, sums: Any) -> list[Any]:
        fields = {"a": a, "b": b, "c": c, "d": d, "item": self.tables["item"]}
        first = self._bind("block_dots", **fields, offsets=self.chunk_offsets, sums=self.parts)
        return [first, self._gather(sums)]

    def _norm(self, r: Any, sums: Any) -> list[Any]:
        """Calls for the norm that stopping looks at; a plain norm comes with the dots."""
        if self.inverse is None:
            return []
        first = self._bind(
            "block_scaled",
            item=self.tables["item"],
            inverse=self.inverse,
            r=r,
            offsets=self.chunk_offsets,
            sums=self.parts,
        )
        return [first, self._gather(sums)]

    def _begin_calls(self, tolerance: float) -> list[Any]:
        bind = self.backend.bind
        vectors = {"x": self.x, "r": self.r, "shadow": self.shadow, "p": self.p}
        rows = {"member": self.tables["member"], "live": self.live}
        return [
            self.start,
            self._bind("krylov_begin", **rows, **vectors, b=self.b, Ax=self.Ax),
            *self._dots(self.shadow, self.r, self.r, self.r, self.dots),
            *self._norm(self.r, self.norm2),
            *self._norm(self.base, self.base2),
            bind(
                "krylov_first",
                dots=self.dots,
                base2=self.base2,
                **self.stop,
                tolerance=tolerance,
                scalars=self.scalars,
                live=self.live,
                status=self.status,
            ),
        ]

    def _iterate_calls(self) -> list[Any]:
        bind = self.backend.bind
        rows = {"member": self.tables["member"], "live": self.live, "scalars": self.scalars}
        state = {"scalars": self.scalars, "live": self.live}
        return [
            *self._precondition(self.p, self.ph),
            self.product(self.ph, self.v),
            *self._dots(self.shadow, self.v, self.v, self.v, self.dots),
            bind("krylov_alpha", dots=self.dots, **state, status=self.status),
            self._bind("krylov_s", **rows, v=self.v, r=self.r),
            *self._precondition(self.r, self.sh),
            self.product(self.sh, self.t),
            *self._dots(self.t, self.r, self.t, self.t, self.dots),
            bind("krylov_omega", dots=self.dots, **state),
            self._bind("krylov_x", **rows, ph=self.ph, sh=self.sh, t=self.t, x=self.x, r=self.r),
            *self._dots(self.shadow, self.r, self.r, self.r, self.dots),
            *self._norm(self.r, self.norm2),
            bind(
                "krylov_beta",
                dots=self.dots,
                **self.stop,
                **state,
                steps=self.steps,
                status=self.status,
            ),
            self._bind("krylov_p", **rows, r=self.r, v=self.v, p=self.p),
        ]

    def solve_recorded(self, most: int) -> Any:
        """Recording: begin, then at most `most` iterations."""
        repeat = self.backend.record([self.iterate], times=most, flag=self.live)
        return self.backend.record([self.begin, repeat])

    def recorded_block(self, count: int) -> Any:
        """Recording of `count` iterations, for solves whose length the host decides."""
        return self.backend.record([self.iterate], times=count, flag=self.live)
