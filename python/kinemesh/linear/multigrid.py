"""One cycle of smoothed-aggregation multigrid, for the springs or a scalar matrix, on the device.

Its levels are those of `kinemesh.linear.hierarchy` (docs/theory.md, section 5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.linear.blocks import Blocks
from kinemesh.linear.hierarchy import Level
from kinemesh.linear.pattern import Pattern

LOW = 0.05  # smallest eigenvalue that the smoother takes on, as a share of the largest
# Threads up to which lanes are added to rows, 30 to 1.5 million of 4 to 160 entries; measured on an
# H200, which holds 270,000 at once, and an H100: with 100,000 and 250,000 iterations take 1 to 16 %
# longer.
THREADS = 150_000
FINEST = {2: 3.0, 3: 4.0}
"""Bounds of the finest level's eigenvalues by dimensions: K <= 3 diag(K) for every triangle, 4 for
every tetrahedron, one for each corner."""
BELOW = {1: 1, 2: 4, 4: 4, 3: 7, 7: 7}
"""Sizes of blocks of the next coarser level: one for each motion that springs do not resist."""


def chebyshev(high: float, degree: int, low: float = LOW) -> list[tuple[float, float]]:
    """Factors (c1, c2) of the steps that damp eigenvalues from low * high to high."""
    theta, delta = high * (1 + low) / 2, high * (1 - low) / 2
    sigma = theta / delta
    rho, factors = 1 / sigma, [(0.0, 1 / theta)]
    for _ in range(degree - 1):
        new = 1 / (2 * sigma - rho)
        factors.append((new * rho, 2 * new / delta))
        rho = new
    return factors


def lanes(rows: int) -> int:
    """Number of lanes per row of a scalar matrix, at most THREADS in all."""
    return next((w for w in (8, 4, 2) if w * rows <= THREADS), 1)


@dataclass(frozen=True)
class _Depth:
    """One level of all members that have it, side by side on the device.

    Parameters
    ----------
    number : int    0: the finest
    size : int      of its blocks
    first, counts : of each member that has it, its first row and number of rows, in the order of
        rows: members that have a coarser level come first
    rows, going : all rows, and those of the members that have a coarser level
    member : (rows,) device array
    matrix : row, column, A, and what members share; nothing where no member goes on
    """

    number: int
    size: int
    first: dict[int, int]
    counts: dict[int, int]
    rows: int
    going: int
    member: Any
    matrix: dict[str, Any]


class Multigrid:
    """One symmetric cycle z = M r on the springs' matrix, in float32, as calls.

    What members share, a hierarchy, is there once.

    Parameters
    ----------
    pattern : of the finest matrix, rows in the order of the nodes
    levels : per member, from `hierarchy`
    rows : per member, numbers of its free rows in the pattern
    A : device array, float32: the scaled matrix of the finest level
    D, r : device arrays, float64: its diagonal blocks, and the residual (scaled)
    z : device array, float32: result
    live : (members,) device array; members that are done are left alone
    """

    LOWEST = LOW

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
        own = np.bincount(pattern.member, minlength=len(levels))
        starts = np.cumsum(own) - own
        self.free = [free - start for free, start in zip(rows, starts, strict=True)]
        first, counts = (dict(enumerate(each.tolist())) for each in (starts, own))
        count = len(pattern.node)
        finest = _Depth(0, r.shape[1], first, counts, count, count, tables["member"], matrix)
        self.calls = self._level(finest, r, z, D)

    def _bind(self, kernel: str, rows: int, member: Any, **fields: Any) -> Any:
        return self.backend.bind(
            kernel, (0, rows), suffix="f32", member=member, live=self.live, **fields
        )

    def _kernel(self, what: str, size: int, rows: int) -> str:
        """Name of the kernel that does this to so many rows of blocks of a size."""
        del rows
        return f"multigrid_{what}_{size}"

    def _going(self, what: str, here: _Depth, **fields: Any) -> Any:
        """Call on a level's rows of the members that have a coarser one."""
        kernel = self._kernel(what, here.size, here.going)
        return self._bind(kernel, here.going, here.member, **fields)

    def _vectors(self, rows: int, size: int, count: int) -> list[Any]:
        return [self.backend.zeros((rows, size), np.float32) for _ in range(count)]

    def _level(self, here: _Depth, b: Any, x: Any, D: Any = None) -> list[Any]:
        """Calls of the cycle from one level down.

        Parameters
        ----------
        b, x : right-hand side (scaled) and result
        D : diagonal blocks that the coarser level's residual is to be multiplied by, if any
        """
        size, factors = here.size, chebyshev(self._largest(here), self.degree, self.LOWEST)
        r, d, other = self._vectors(here.rows, size, 3)

        def step(source: Any, target: Any, c1: float, c2: float) -> Any:
            fields = {"d0": source, "d": target, "r": r, "x": x, "c1": c1, "c2": c2}
            return self._going("step", here, **here.matrix, **fields)

        calls = [self._going("first", here, b=b, r=r, d=d, x=x, c2=factors[0][1])]
        for c1, c2 in factors[1:]:
            calls.append(step(d, other, c1, c2))
            d, other = other, d
        calls.append(self._going("residual", here, **here.matrix, d=d, r=r))
        fine = r
        if D is not None:
            (fine,) = self._vectors(here.rows, size, 1)
            calls.append(self.backend.bind(f"cg_weigh_{size}", suffix="f32", weight=D, r=r, y=fine))
        calls += self._below(here, fine, d, x)
        for c1, c2 in factors:
            calls.append(step(d, other, c1, c2))
            d, other = other, d
        return calls

    def _largest(self, here: _Depth) -> float:
        """Bound of a level's eigenvalues."""
        return 1.0 if here.number else FINEST[here.size]

    def _below(self, here: _Depth, fine: Any, d: Any, x: Any) -> list[Any]:
        """Restriction of `fine`, the coarser level, prolongation into x and d."""
        coarse, finest = self._coarser(here), not here.number
        b, e = self._vectors(coarse.rows, coarse.size, 2)
        there = {m: self.levels[m][here.number] for m in coarse.first}
        down = {m: own.restrict for m, own in there.items()}
        up = {m: there[m].prolong for m in here.first if m in there}  # the order of its matrices
        free = {m: self.free[m] for m in there} if finest else None
        R = self._shared("R", down, coarse, here, columns=free)
        P = self._shared("P", up, here, coarse, rows=free)
        calls = [self._restriction(here, coarse, R, P, r=fine, b=b)]
        if coarse.going:
            calls += self._level(coarse, b, e)
        if coarse.going < coarse.rows:
            calls.append(self._coarsest(coarse, b, e))
        calls.append(self._going("prolong", here, e=e, d=d, x=x, **P))
        return calls

    def _restriction(
        self, here: _Depth, coarse: _Depth, R: dict[str, Any], P: dict[str, Any], **fields: Any
    ) -> Any:
        """Call from a level to the coarser one."""
        del P
        kernel = self._kernel("restrict", here.size, coarse.rows)
        return self._bind(kernel, coarse.rows, coarse.member, **fields, **R)

    def _coarser(self, here: _Depth) -> _Depth:
        """The next coarser level of the members that have one."""
        levels, number = self.levels, here.number
        there = [m for m in sorted(here.first) if len(levels[m]) > number]
        there.sort(key=lambda m: len(levels[m]) == number + 1)  # members that go on come first
        counts = np.array([levels[m][number].matrix.rows for m in there])
        first = dict(zip(there, (np.cumsum(counts) - counts).tolist(), strict=True))
        on = sum(len(levels[m]) > number + 1 for m in there)
        member = self.backend.table(np.repeat(there, counts))
        made = _Depth(
            number + 1, BELOW[here.size], first, dict(zip(there, counts.tolist(), strict=True)),
            int(counts.sum()), int(counts[:on].sum()), member, {},
        )  # fmt: skip
        if on:
            own = {m: levels[m][number].matrix for m in there}
            made.matrix.update(self._shared("A", own, made, made))
        return made

    def _shared(
        self,
        name: str,
        blocks: dict[int, Blocks],
        at: _Depth,
        to: _Depth,
        rows: dict[int, NDArray] | None = None,
        columns: dict[int, NDArray] | None = None,
    ) -> dict[str, Any]:
        """Matrices of members on the device, each distinct one once.

        Parameters
        ----------
        blocks : of each member
        at, to : levels of their rows and columns
        rows, columns : of each member, numbers of those of its matrix among its rows there; all
        """
        like = np.zeros(at.rows, np.int32)
        begins: dict[int, int] = {}
        counts, column, data = [np.zeros(0, np.int32)], [], []
        here = 0
        for m, own in blocks.items():
            if id(own) not in begins:
                begins[id(own)], here = here, here + at.counts[m]
                count = np.zeros(at.counts[m], np.int32)
                count[rows[m] if rows else slice(None)] = np.diff(own.row)
                counts.append(count)
                column.append(columns[m][own.column] if columns else own.column)
                data.append(own.data)
            start = at.first[m]
            like[start : start + at.counts[m]] = np.arange(at.counts[m]) + begins[id(own)]
        first = np.zeros(len(self.levels), np.int32)
        first[list(to.first)] = list(to.first.values())
        table = self.backend.table
        one = len(data) == 1  # nothing in between: shared, where a device can
        return {
            "like": table(like),
            "row": table(np.concatenate([[0], np.cumsum(np.concatenate(counts))])),
            "column": table(column[0] if one else np.concatenate(column)),
            "first": table(first),
            name: table(data[0] if one else np.concatenate(data), np.float32, blocks=True),
        }

    def _coarsest(self, here: _Depth, b: Any, e: Any) -> Any:
        """Dense inverses of the members whose last level this is."""
        last = {m: self.levels[m][here.number - 1].inverse for m in here.first}
        own = {m: inverse for m, inverse in last.items() if inverse is not None}
        return self._inverted(here, b, e, self._shared("R", own, here, here))

    def _inverted(self, here: _Depth, b: Any, e: Any, shared: dict[str, Any]) -> Any:
        """Call e = R b of the members whose last level this is."""
        over = here.going, here.rows - here.going
        return self.backend.bind(
            self._kernel("restrict", here.size, over[1]), over, suffix="f32", member=here.member,
            live=self.live, r=b, b=e, **shared,
        )  # fmt: skip


class ScalarMultigrid(Multigrid):
    """One cycle z = M r on a scalar matrix that does not change, in float32, as calls.

    Parameters
    ----------
    pattern : rows in the order of the nodes, of all members
    finest, levels : per member, from `hierarchy.scalar`, of its free rows
    rows : per member, numbers of its free rows in the pattern
    r, z : (rows, 1) device arrays, float32
    degree : of the smoother

    Attributes
    ----------
    refresh : calls after a change of what the cycle is made for: none
    bounded : True where flow/memory.py has a bound of coarse levels, which it does not count then
    """

    # Measured, to 1e-4 on thin triangles about a section, 8000 and 20,000 nodes: with 0.1, 28 and
    # 300 iterations or more, with 0.2 to 0.4 from 5 and 10; cylinders of quads take 4 with any.
    LOWEST = 0.3
    bounded: ClassVar[bool] = True

    def __init__(
        self,
        backend: Backend,
        pattern: Pattern,
        finest: Sequence[Blocks],
        levels: Sequence[Sequence[Level]],
        rows: Sequence[NDArray],
        live: Any,
        r: Any,
        z: Any,
        degree: int = 2,
    ) -> None:
        self.backend, self.live, self.degree, self.levels = backend, live, degree, levels
        self.finest, self.refresh = finest, list[Any]()
        own = np.bincount(pattern.member, minlength=len(levels))
        starts = np.cumsum(own) - own
        self.free = [free - start for free, start in zip(rows, starts, strict=True)]
        first, counts = (dict(enumerate(each.tolist())) for each in (starts, own))
        count, member = len(pattern.node), backend.table(pattern.member)
        top = _Depth(0, 1, first, counts, count, count, member, {})
        free = dict(enumerate(self.free))
        top.matrix.update(self._shared("A", dict(enumerate(finest)), top, top, free, free))
        self.calls = self._level(top, r, z)

    def _below(self, here: _Depth, fine: Any, d: Any, x: Any) -> list[Any]:
        if here.number:
            return super()._below(here, fine, d, x)
        with self.backend.irregular() if self.bounded else nullcontext():
            return super()._below(here, fine, d, x)

    def _kernel(self, what: str, size: int, rows: int) -> str:
        return "level_first" if what == "first" else f"level_{what}_{lanes(rows)}"

    def _going(self, what: str, here: _Depth, **fields: Any) -> Any:
        absent: dict[str, Any] = {"keep": None}
        if what != "first":
            absent |= dict.fromkeys(("slot", "many", "columns", "values")) | {"wide": 0}
        return super()._going(what, here, **(absent | fields))

    def _largest(self, here: _Depth) -> float:
        return 1.0
