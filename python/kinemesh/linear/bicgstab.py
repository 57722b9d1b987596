"""BiCGSTAB on block rows in colour order, for every member of an ensemble at once.

van der Vorst (1992) on the system that DILU preconditions from both sides, its product by
Eisenstat's trick (docs/theory.md, section 5.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinemesh.device.backend import Backend
from kinemesh.linear.dilu import Dilu
from kinemesh.linear.pattern import Pattern


class Bicgstab(Dilu):
    """Solver of A x = b on a pattern, from x = 0; see `Dilu`.

    Parameters
    ----------
    those of `Dilu`
    tolerance : float, or (members,) float64 device array
        stop at |P r| <= tolerance |P base|, P = (1 + l)^-1 D^-1
    base : bool         the tolerance refers to `base`, another side; else to b

    Attributes
    ----------
    finish : recording  gives x
    """

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
        super().__init__(
            backend, pattern, size, active, faults, suffix=suffix, width=width, tables=tables
        )
        self.shadow, self.p, self.v, self.t, self.y, self.z, self.sum = self.vectors(7)
        self.base = self.vectors(1)[0] if base else None
        self.begin = backend.record(self._begin_calls(self.tolerances(tolerance)))
        self.iterate = backend.record(self._iterate_calls())
        self.finish = backend.record(self._upper(self.sum, self.x, active))

    def _rows(self, kernel: str, **fields: Any) -> Any:
        """Call of a kernel on vectors, in the version for their width."""
        return self._bind(f"{kernel}_{self.width}", **fields)

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
