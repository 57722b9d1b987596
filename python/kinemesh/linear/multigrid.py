"""One cycle of smoothed-aggregation multigrid for the springs, on the device.

Its levels are those of `kinemesh.linear.hierarchy` (docs/theory.md, section 5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.linear.blocks import Blocks
from kinemesh.linear.hierarchy import Level
from kinemesh.linear.pattern import Pattern

_Part = tuple[NDArray, NDArray, Blocks]  # numbers of its rows and columns, the matrix
LOW = 0.05  # smallest eigenvalue that the smoother takes on, as a share of the largest
FINEST = 3.0  # bound of the finest level's eigenvalues: K <= 3 diag(K) for every triangle


def chebyshev(high: float, degree: int) -> list[tuple[float, float]]:
    """Factors (c1, c2) of the steps that damp eigenvalues from LOW * high to high."""
    theta, delta = high * (1 + LOW) / 2, high * (1 - LOW) / 2
    sigma = theta / delta
    rho, factors = 1 / sigma, [(0.0, 1 / theta)]
    for _ in range(degree - 1):
        new = 1 / (2 * sigma - rho)
        factors.append((new * rho, 2 * new / delta))
        rho = new
    return factors


@dataclass(frozen=True)
class _Depth:
    """One level of all members that have it, side by side on the device.

    Parameters
    ----------
    number : int    0: the finest
    at : {member: numbers of its rows}, members that have a coarser level first
    rows, going : all rows, and those of the members that have a coarser level
    member : (rows,) device array
    matrix : row, column, A; nothing where no member goes on
    """

    number: int
    at: dict[int, NDArray]
    rows: int
    going: int
    member: Any
    matrix: dict[str, Any]

    @property
    def size(self) -> int:
        """Block size."""
        return 4 if self.number else 2


class Multigrid:
    """One symmetric cycle z = M r on the springs' matrix, as calls.

    Parameters
    ----------
    levels : per member, from `hierarchy`
    rows : per member, numbers of its free rows in the pattern
    A, D, r, z : device arrays of the finest level: scaled matrix, its diagonal blocks, residual
        (scaled), result
    live : (members,) device array; members that are done are left alone
    """

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        levels: Sequence[Sequence[Level]],
        rows: Sequence[NDArray],
        tables: dict[str, Any],
        live: Any,
        A: Any,
        D: Any,
        r: Any,
        z: Any,
        degree: int = 3,
    ) -> None:
        self.backend, self.live, self.degree, self.levels = backend, live, degree, levels
        matrix = {"row": tables["row"], "column": tables["column"], "A": A}
        at, count = dict(enumerate(rows)), len(pattern.node)
        self.calls = self._level(_Depth(0, at, count, count, tables["member"], matrix), r, z, D)

    def _bind(self, kernel: str, rows: int, member: Any, **fields: Any) -> Any:
        return self.backend.bind(
            kernel, (0, rows), suffix="f64", member=member, live=self.live, **fields
        )

    def _vectors(self, rows: int, size: int, count: int) -> list[Any]:
        return [self.backend.zeros((rows, size), np.float64) for _ in range(count)]

    def _level(self, here: _Depth, b: Any, x: Any, D: Any = None) -> list[Any]:
        """Calls of the cycle from one level down.

        Parameters
        ----------
        b, x : right-hand side (scaled) and result
        D : diagonal blocks that the coarser level's residual is to be multiplied by, if any
        """
        size, factors = here.size, chebyshev(1.0 if here.number else FINEST, self.degree)
        r, d, other = self._vectors(here.rows, size, 3)

        def bind(kernel: str, **fields: Any) -> Any:
            return self._bind(f"{kernel}_{size}", here.going, here.member, **fields)

        def step(source: Any, target: Any, c1: float, c2: float) -> Any:
            fields = {"d0": source, "d": target, "r": r, "x": x, "c1": c1, "c2": c2}
            return bind("multigrid_step", **here.matrix, **fields)

        calls = [bind("multigrid_first", b=b, r=r, d=d, x=x, c2=factors[0][1])]
        for c1, c2 in factors[1:]:
            calls.append(step(d, other, c1, c2))
            d, other = other, d
        calls.append(bind("multigrid_residual", **here.matrix, d=d, r=r))
        fine = r
        if D is not None:
            (fine,) = self._vectors(here.rows, size, 1)
            calls.append(self.backend.bind("cg_weigh", suffix="f64", D=D, r=r, y=fine))
        calls += self._below(here, fine, d, x)
        for c1, c2 in factors:
            calls.append(step(d, other, c1, c2))
            d, other = other, d
        return calls

    def _below(self, here: _Depth, fine: Any, d: Any, x: Any) -> list[Any]:
        """Restriction of `fine`, the coarser level, prolongation into x and d."""
        coarse = self._coarser(here)
        b, e = self._vectors(coarse.rows, 4, 2)
        mine = [(here.at[m], at, self.levels[m][here.number]) for m, at in coarse.at.items()]
        down = self._join([(c, f, level.restrict) for f, c, level in mine], coarse.rows, "R")
        up = self._join([(f, c, level.prolong) for f, c, level in mine], here.rows, "P")
        restrict, prolong = (f"multigrid_{way}_{here.size}" for way in ("restrict", "prolong"))
        calls = [self._bind(restrict, coarse.rows, coarse.member, r=fine, b=b, **down)]
        if coarse.going:
            calls += self._level(coarse, b, e)
        if coarse.going < coarse.rows:
            calls.append(self._coarsest(coarse, b, e))
        calls.append(self._bind(prolong, here.going, here.member, e=e, d=d, x=x, **up))
        return calls

    def _coarser(self, here: _Depth) -> _Depth:
        """The next coarser level of the members that have one."""
        levels, number = self.levels, here.number
        there = [m for m in sorted(here.at) if len(levels[m]) > number]
        there.sort(key=lambda m: len(levels[m]) == number + 1)  # members that go on come first
        counts = [levels[m][number].matrix.rows for m in there]
        starts = np.concatenate([[0], np.cumsum(counts)])
        at = {
            m: np.arange(a, a + n, dtype=np.int32)
            for m, a, n in zip(there, starts[:-1], counts, strict=True)
        }
        on = sum(len(levels[m]) > number + 1 for m in there)
        matrix = {}
        if on:
            parts = [(rows, rows, levels[m][number].matrix) for m, rows in at.items()]
            matrix = self._join(parts, int(starts[-1]), "A")
        member = self.backend.table(np.repeat(there, counts))
        return _Depth(number + 1, at, int(starts[-1]), int(starts[on]), member, matrix)

    def _join(self, parts: Sequence[_Part], rows: int, name: str) -> dict[str, Any]:
        """Blocks of several members on the device: row, column, and the blocks by their name."""
        groups: dict[int, list[_Part]] = {}
        for part in parts:  # members that share a matrix in one go
            groups.setdefault(id(part[2]), []).append(part)
        alike = [
            (np.stack([at for at, _, _ in own]), np.stack([to for _, to, _ in own]), own[0][2])
            for own in groups.values()
        ]
        counts = np.zeros(rows, np.int64)
        for at, _, m in alike:
            counts[at] = np.diff(m.row)
        row = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        if len(parts) == 1:  # nothing in between: shared, where a device can
            ((_, to, m),) = parts
            column, data = to[m.column], m.data
        else:
            column = np.empty(row[-1], np.int32)
            data = np.empty((row[-1], parts[0][2].data.shape[1]), parts[0][2].data.dtype)
            for at, to, m in alike:
                shift = np.repeat(row[at] - m.row[:-1], np.diff(m.row), axis=1)
                place = shift + np.arange(len(m.column))
                column[place], data[place] = to[:, m.column], m.data
        table = self.backend.table
        return {"row": table(row), "column": table(column), name: table(data, data.dtype)}

    def _coarsest(self, here: _Depth, b: Any, e: Any) -> Any:
        """Dense inverses of the members whose last level this is."""
        parts: list[_Part] = []
        blocks: dict[int, Blocks] = {}
        for m, at in here.at.items():
            dense = self.levels[m][here.number - 1].dense
            if dense is None:
                continue
            if id(dense) not in blocks:
                inverse = sp.bsr_matrix(dense, blocksize=(4, 4))
                made = Blocks.of([inverse], len(inverse.indices), dtype=np.float64)
                blocks[id(dense)] = made
            parts.append((at, at, blocks[id(dense)]))
        table = self._join(parts, here.rows, "inverse")
        return self.backend.bind(
            "multigrid_coarsest", (here.going, here.rows - here.going), suffix="f64",
            offsets=table["row"], column=table["column"], inverse=table["inverse"], b=b, sums=e,
        )  # fmt: skip
