"""Block rows in colour order, factored incompletely by DILU (docs/theory.md, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinemesh.device.backend import Backend
from kinemesh.linear.krylov import Krylov
from kinemesh.linear.pattern import Pattern


class Dilu(Krylov):
    """Matrix A on a pattern, its factors in its own place; see `Krylov`.

    Parameters
    ----------
    size : int          block size, 1, 2, 4 or 5
    active : (members,) int32 device array
    faults : (members,) uint64 device array
    suffix : "f64" or "f32" where the precision is not the backend's own
    width : int         2 under a matrix of scalars (size 1): vectors of two components that share
        the matrix
    tables : as of `Krylov`; `node`: nodes that faults name

    Attributes
    ----------
    b, x, r : (rows, width) device arrays    side, solution and what is left of the side
    factor : recording  factors A in its own place: the matrix itself is gone after it
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
        suffix: str | None = None,
        width: int | None = None,
        tables: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(backend, pattern, size, active, suffix or backend.suffix, width, tables)
        self.active, self.faults = active, faults
        rows, blocks = len(pattern.node), len(pattern.column)
        self.A = backend.zeros((blocks, size * size), self.dtype, blocks=True)
        self.D, self.pivot = (backend.zeros((rows, size * size), self.dtype) for _ in range(2))
        self.b, self.x, self.r = self.vectors(3)
        self.factor = backend.record(self._factor_calls())

    def vectors(self, count: int) -> list[Any]:
        """(rows, width) device arrays, zeros."""
        shape = self.pivot.shape[0], self.width
        return [self.backend.zeros(shape, self.dtype) for _ in range(count)]

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
