"""BiCGSTAB on block rows in colour order, for every member of an ensemble at once.

van der Vorst (1992) on the system that DILU preconditions from both sides, its product by
Eisenstat's trick (docs/theory.md, section 5.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinemesh.device.backend import Backend
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.pattern import Pattern


class Bicgstab(Krylov):
    """Solver of A x = b on a pattern, from x = 0; see `Krylov`.

    Parameters
    ----------
    size : int          block size, 1, 2, 4 or 5
    faults : (members,) uint64 device array
    tolerance : float, or (members,) float64 device array
        stop at |P r| <= tolerance |P base|, P = (1 + l)^-1 D^-1
    base : bool         the tolerance refers to `base`, another side; else to b
    suffix : "f64" or "f32" where the precision is not the backend's own
    width : int         2 under a matrix of scalars (size 1): vectors of two components that share
        the matrix and the scalars of the iterations
    tables : as of `Krylov`; `node`: nodes that faults name

    Attributes
    ----------
    factor : recording  factors A in its own place: the matrix itself is gone after it
    finish : recording  gives x
    """

    TABLES = (*Krylov.TABLES, "mirror", "node")

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        size: int,
        active: Any,
        faults: Any,
        *,
        tolerance: Any,
        base: bool = False,
        suffix: str | None = None,
        width: int | None = None,
        tables: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(backend, pattern, size, active, suffix or backend.suffix, width, tables)
        self.active, self.faults = active, faults
        rows, blocks = len(pattern.node), len(pattern.column)
        self.A = backend.zeros((blocks, size * size), self.dtype, blocks=True)
        self.D, self.pivot = (backend.zeros((rows, size * size), self.dtype) for _ in range(2))
        self.b, self.x, self.r, self.shadow, self.p, self.v, self.t, self.y, self.z, self.sum = (
            backend.zeros((rows, self.width), self.dtype) for _ in range(10)
        )
        self.base = backend.zeros((rows, self.width), self.dtype) if base else None
        self.factor = backend.record(self._factor_calls())
        self.begin = backend.record(self._begin_calls(self.tolerances(tolerance)))
        self.iterate = backend.record(self._iterate_calls())
        self.finish = backend.record(self._upper(self.sum, self.x, active))

    def _rows(self, kernel: str, **fields: Any) -> Any:
        """Call of a kernel on vectors, in the version for their width."""
        return self._bind(f"{kernel}_{self.width}", **fields)

    def _parts(self, kernel: str, ranges: list[tuple[int, int]], **fields: Any) -> list[Any]:
        """Calls of a kernel on the matrix over these ranges of rows."""
        whole = self._bind(kernel, **fields)
        return [self.backend.part(whole, over) for over in ranges]

    def _sweep(self, kernel: str, ranges: list[tuple[int, int]], **fields: Any) -> list[Any]:
        """Calls of a kernel that takes vectors through the matrix, over these ranges of rows."""
        sizes = f"{self.size}x{self.width}" if self.width != self.size else f"{self.size}"
        return self._parts(f"{kernel}_{sizes}", ranges, **fields)

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
        colours = self.pattern.colours
        calls = (
            self._parts(f"block_schur_{self.size}", colours, **schur),
            self._parts(f"block_scale_{self.size}", colours, **scale, faults=self.faults),
        )
        return [call for pair in zip(*calls, strict=True) for call in pair]

    def dilu(self, r: Any, y: Any, z: Any, pivot: Any = None) -> list[Any]:
        """Calls z = (1 + u)^-1 (1 + l)^-1 r, of every active member; y: between the sweeps.

        With `pivot`, the inverse of D, r is a side of the matrix itself.
        """
        return [*self._lower(r, y, pivot, self.active), *self._upper(y, z, self.active)]

    def _lower(self, b: Any, y: Any, pivot: Any, live: Any = None) -> list[Any]:
        """Calls y = (1 + l)^-1 D^-1 b, or without `pivot` (1 + l)^-1 b."""
        fields = self._pattern("diagonal", live=live) | {"pivot": pivot, "b": b, "y": y}
        return self._sweep("block_lower", self.pattern.colours, **fields)

    def _upper(self, v: Any, y: Any, live: Any = None) -> list[Any]:
        """Calls y = (1 + u)^-1 v."""
        fields = self._pattern("diagonal", live=live) | {"v": v, "y": y}
        return self._sweep("block_upper", self.pattern.colours[::-1], **fields)

    def _preconditioned(self, v: Any, w: Any) -> list[Any]:
        """Calls w = (1 + l)^-1 (l + a + u) (1 + u)^-1 v."""
        fields = self._pattern("diagonal") | {"v": v, "t": self.y, "z": self.z, "w": w}
        return self._upper(v, self.y) + self._sweep("block_turn", self.pattern.colours, **fields)

    def _begin_calls(self, tolerance: Any) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live}
        calls, base = [self.start], None
        if self.base is not None:
            base = self.base_squares
            calls += [*self._lower(self.base, self.r, self.pivot), self.squares_of(self.r, base)]
        return [
            *calls,
            *self._lower(self.b, self.r, self.pivot),
            self._rows("krylov_begin", **rows, r=self.r, x=self.sum, shadow=self.shadow, p=self.p),
            self._first(self.r, tolerance, base),
        ]

    def _iterate_calls(self) -> list[Any]:
        rows = {"member": self.tables["member"], "live": self.live, "scalars": self.scalars}
        state = {"scalars": self.scalars, "status": self.status}
        ends = state | {"target": self.target, "squares": self.squares, "steps": self.steps}
        omega = {"t": self.t, "s_half": self.r, "scalars": self.scalars}
        n, shadow = self.width, self.shadow
        return [
            *self._preconditioned(self.p, self.v),
            self._total(f"krylov_alpha_{n}", 1, shadow=shadow, v=self.v, **state),
            self._rows("krylov_s", **rows, v=self.v, r=self.r),
            *self._preconditioned(self.r, self.t),
            self._total(f"krylov_omega_{n}", 2, **omega),
            self._rows("krylov_x", **rows, p=self.p, t=self.t, x=self.sum, r=self.r),
            self._total(f"krylov_beta_{n}", 2, shadow=shadow, r=self.r, **ends),
            self._rows("krylov_p", **rows, r=self.r, v=self.v, p=self.p),
        ]

    def solve_recorded(self, most: int, tolerance: float | None = None) -> Any:
        """Recording: begin, at most `most` iterations, finish; to the solver's own tolerance, or
        to another.
        """
        record, begin = self.backend.record, self.begin
        if tolerance is not None:
            begin = record(self._begin_calls(self.tolerances(tolerance)))
        repeat = record([self.iterate], times=most, flag=self.live)
        return record([begin, repeat, self.finish])
