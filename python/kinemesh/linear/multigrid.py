"""Smoothed-aggregation multigrid for the springs: set up on the host, cycled on the device.

Vanek, Mandel, Brezina (1996); aggregates and candidates by pyamg, everything else here
(docs/theory.md, section 5.2).  Matrix rows are scaled by the inverse of their diagonal block.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.backend import Backend
from kinemesh.linear.pattern import Pattern
from kinemesh.mesh.dual import offsets_of

Floats = NDArray[np.float64]
_Part = tuple[NDArray, NDArray, sp.bsr_matrix]  # numbers of its rows and columns, the matrix
STRENGTH = 0.06  # couplings below this share of their diagonals do not join aggregates
COARSEST = 32  # nodes at which the hierarchy ends in a dense inverse
LOW = 0.05  # smallest eigenvalue that the smoother takes on, as a share of the largest
CHUNK = 1 << 14  # blocks that are multiplied at once
LARGE = 300_000  # nodes from which transfers are smoothed twice: less growth, larger levels
FINEST = 3.0  # bound of the finest level's eigenvalues: K <= 3 diag(K) for every triangle


@dataclass(frozen=True)
class Level:
    """A coarse level of one member.

    Parameters
    ----------
    matrix : BSR 4 x 4       rows scaled, largest eigenvalue below 1
    prolong, restrict : BSR  from here to the finer level and back, scaling included
    dense : (4 n, 4 n) or None   inverse, on the coarsest level
    """

    matrix: sp.bsr_matrix
    prolong: sp.bsr_matrix
    restrict: sp.bsr_matrix
    dense: Floats | None


def block_diagonal(matrix: sp.bsr_matrix) -> Floats:
    """(rows, b, b) diagonal blocks."""
    size = matrix.blocksize[0]
    blocks = np.zeros((matrix.shape[0] // size, size, size))
    row = np.repeat(np.arange(len(blocks)), np.diff(matrix.indptr))
    here = matrix.indices == row
    blocks[row[here]] = matrix.data[here]
    return blocks


def _diagonal(blocks: Floats) -> sp.bsr_matrix:
    """The matrix with these blocks on its diagonal."""
    return sp.bsr_matrix((blocks, np.arange(len(blocks)), np.arange(len(blocks) + 1)))


def _inverse(blocks: Floats) -> Floats:
    """Inverses; the pseudo-inverse where a candidate has no place in a small aggregate."""
    poor = ~(np.abs(np.einsum("nii->ni", blocks)).min(axis=1) > 0)
    good = np.where(poor[:, None, None], np.eye(blocks.shape[1]), blocks)
    found = np.linalg.inv(good)
    found[poor] = np.linalg.pinv(blocks[poor], hermitian=True)
    return found


def _dense_inverse(matrix: Floats) -> Floats:
    """Inverse of a symmetric matrix, positive but for rows of candidates without a place.

    Gauss-Jordan by rows: LAPACK's bits depend on BLAS's threads from 80 rows or so.
    """
    a, scale = matrix.copy(), np.diag(matrix).copy()
    for k in range(len(a)):
        pivot, column = a[k, k], a[:, k].copy()
        if not pivot > 1e-13 * scale[k]:
            a[k] = a[:, k] = 0
            continue
        row = a[k] / pivot
        a -= column[:, None] * row
        a[k], a[:, k] = row, -column / pivot
        a[k, k] = 1 / pivot
    return (a + a.T) / 2


def _scaled(blocks: Floats, matrix: sp.bsr_matrix) -> sp.bsr_matrix:
    """Rows of blocks times a matrix."""
    row = np.repeat(np.arange(len(blocks), dtype=np.int32), np.diff(matrix.indptr))
    data = np.empty_like(matrix.data)
    for first in range(0, len(row), CHUNK):  # the blocks' copies are as large as the matrix
        part = slice(first, first + CHUNK)
        data[part] = blocks[row[part]] @ matrix.data[part]
    return sp.bsr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _largest(matrix: sp.bsr_matrix) -> float:
    """Estimate of the largest eigenvalue of a scaled matrix, the same in every run.

    Norms by sums: BLAS's depend on its threads, and its threads on what else the cores do.
    """
    v = np.cos(1 + 0.7 * np.arange(matrix.shape[0]))
    value, v = 1.0, v / np.sqrt((v * v).sum())
    for _ in range(20):
        w = matrix @ v
        value = float(np.sqrt((w * w).sum()))
        v = w / value
    return value


def _candidates(points: Floats) -> Floats:
    """(2 nodes, 4) what triangles do not resist: translations, rotation, scaling."""
    x, y = (points - points.mean(axis=0)).T
    found = np.zeros((2 * len(points), 4))
    found[0::2] = np.stack([np.ones_like(x), np.zeros_like(x), -y, x], axis=1)
    found[1::2] = np.stack([np.zeros_like(x), np.ones_like(x), x, y], axis=1)
    return found


def _aggregates(matrix: sp.bsr_matrix) -> sp.csr_matrix:
    """Nodes that strong couplings join: a column for each aggregate."""
    from pyamg.aggregation.aggregate import standard_aggregation
    from pyamg.strength import symmetric_strength_of_connection

    strong = symmetric_strength_of_connection(matrix, STRENGTH)
    found = sp.csr_matrix(standard_aggregation(strong.tocsr())[0])
    if not found.nnz:  # a few nodes without strong couplings: all in one
        return sp.csr_matrix(np.ones((strong.shape[0], 1), np.int32))
    return found


def smoothing(degree: int) -> list[float]:
    """Factors w of the product of (1 - w A / rho) that (5.3) smooths transfers with."""
    return [2 / (1 - math.cos(2 * math.pi * k / (2 * degree + 1))) for k in range(1, degree + 1)]


def _prolongation(
    matrix: sp.bsr_matrix, candidates: Floats, degree: int
) -> tuple[sp.bsr_matrix, Floats]:
    """P of (5.3), and what the candidates are on the coarser level."""
    from pyamg.aggregation.tentative import fit_candidates

    prolong, coarse = fit_candidates(_aggregates(matrix), candidates)
    inverse = _inverse(block_diagonal(matrix))
    scaled = _scaled(inverse, matrix)
    largest = _largest(scaled)
    for share in smoothing(degree):
        smooth = (scaled @ prolong).tobsr((inverse.shape[1], 4))
        smooth.data *= share / largest
        prolong = (prolong - smooth).tobsr((inverse.shape[1], 4))
        del smooth  # each of these is as large as the matrix
    return prolong, coarse


def _galerkin(matrix: sp.bsr_matrix, prolong: sp.bsr_matrix) -> sp.bsr_matrix:
    """P^T K P, its blocks in order."""
    below = (prolong.T @ matrix @ prolong).tobsr((4, 4))
    below.sort_indices()
    return below


def _single(matrix: sp.bsr_matrix) -> sp.bsr_matrix:
    """The same in float32, as it goes to the device, its blocks in order."""
    matrix.sort_indices()
    return matrix.astype(np.float32)


def _level(
    matrix: sp.bsr_matrix, prolong: sp.bsr_matrix, weight: Floats | None, last: bool
) -> tuple[Level, Floats]:
    """A level of the matrix P^T K P, and the blocks that its rows were scaled by.

    Parameters
    ----------
    weight : the same blocks of the finer level; None: that is the finest
    """
    middle = block_diagonal(matrix)
    scaled = _scaled(_inverse(middle), matrix)
    above = 1.1 * _largest(scaled)
    scaled.data *= 1 / above  # so that eigenvalues lie below 1
    middle, scaled = middle * above, _single(scaled)
    restrict = prolong.T.tobsr(prolong.blocksize[::-1])
    if weight is not None:
        restrict = (restrict @ _diagonal(weight)).tobsr((4, 4))
    restrict = _single(_scaled(_inverse(middle), restrict))
    dense = None
    if last:
        dense = _dense_inverse(matrix.toarray())
        dense = np.einsum("rki,kij->rkj", dense.reshape(len(dense), -1, 4), middle)
        dense = dense.reshape(len(dense), -1)
    return Level(scaled, _single(prolong), restrict, dense), middle


def hierarchy(matrix: sp.bsr_matrix, points: Floats) -> list[Level]:
    """Coarse levels of the free nodes' matrix K (blocks of 2), finest first; at least one.

    Parameters
    ----------
    points : (nodes, 2) coordinates of the free nodes
    """
    if not matrix.shape[0]:
        one = sp.bsr_matrix(np.eye(4), blocksize=(4, 4))
        empty = sp.bsr_matrix((0, 4), blocksize=(2, 4))
        return [Level(one, empty, sp.bsr_matrix(empty.T, blocksize=(4, 2)), np.eye(4))]
    levels: list[Level] = []
    candidates, weight = _candidates(points), None
    degree = 1 + (len(points) >= LARGE)
    while not levels or levels[-1].dense is None:
        prolong, candidates = _prolongation(matrix, candidates, degree)
        matrix, size = _galerkin(matrix, prolong), matrix.shape[0]
        last = matrix.shape[0] <= 4 * COARSEST or matrix.shape[0] >= size
        level, weight = _level(matrix, prolong, weight, last)
        levels.append(level)
        del prolong  # on the device in float32
    return levels


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
        counts = [levels[m][number].matrix.shape[0] // 4 for m in there]
        starts = np.concatenate([[0], np.cumsum(counts)])
        at = {m: np.arange(a, a + n) for m, a, n in zip(there, starts[:-1], counts, strict=True)}
        on = sum(len(levels[m]) > number + 1 for m in there)
        matrix = {}
        if on:
            parts = [(rows, rows, levels[m][number].matrix) for m, rows in at.items()]
            matrix = self._join(parts, int(starts[-1]), "A")
        member = self.backend.table(np.repeat(there, counts))
        return _Depth(number + 1, at, int(starts[-1]), int(starts[on]), member, matrix)

    def _join(
        self, parts: Sequence[_Part], rows: int, name: str, dtype: Any = np.float32
    ) -> dict[str, Any]:
        """Blocks of several members on the device: row, column, and the blocks by their name."""
        i = [at[np.repeat(np.arange(m.shape[0] // m.blocksize[0]), np.diff(m.indptr))]
             for at, _, m in parts]  # fmt: skip
        j = [at[m.indices] for _, at, m in parts]
        row, column = np.concatenate(i), np.concatenate(j)
        order = np.lexsort((column, row))
        blocks = np.concatenate([m.data for *_, m in parts])[order].transpose(0, 2, 1)
        return {
            "row": self.backend.table(offsets_of(row[order], rows)),
            "column": self.backend.table(column[order]),
            name: self.backend.array(blocks.reshape(-1, blocks.shape[1] * blocks.shape[2]), dtype),
        }  # columns of a block are contiguous

    def _coarsest(self, here: _Depth, b: Any, e: Any) -> Any:
        """Dense inverses of the members whose last level this is."""
        parts: list[_Part] = []
        for m, at in here.at.items():
            dense = self.levels[m][here.number - 1].dense
            if dense is not None:
                parts.append((at, at, sp.bsr_matrix(dense, blocksize=(4, 4))))
        table = self._join(parts, here.rows, "inverse", np.float64)
        return self.backend.bind(
            "multigrid_coarsest", (here.going, here.rows - here.going), suffix="f64",
            offsets=table["row"], column=table["column"], inverse=table["inverse"], b=b, sums=e,
        )  # fmt: skip
