"""Hierarchies of smoothed aggregation for the springs and for scalar matrices, set up on the host.

Vanek, Mandel, Brezina (1996); aggregates and candidates by pyamg, everything else here
(docs/theory.md, section 5.2).  Matrix rows are scaled by the inverse of their diagonal block.
On a CPU a run's memory peaks here, so products go by groups of rows and nothing is held twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.device.threads import over
from kinemesh.linear.blocks import (
    Blocks,
    Floats,
    across,
    block_diagonal,
    block_rows,
    counted,
    cut,
    filled,
    groups_of,
    product,
    rows_between,
    scaled,
    sums,
    weighed,
)

STRENGTH = 0.06  # couplings below this, their diagonals unit matrices, do not join aggregates
WEAK = 0.03  # those below this share of their diagonals smooth transfers as if on the diagonal
LONG = 24  # entries of rows in the mean; first coarse levels in space have 26 to 37, the plane's 20
ROUND_OFF = 1e-9  # those of a scalar matrix below this share are none
SINGULAR = 1e-9  # pivot over diagonal below which a scalar matrix is singular; round-off has 1e-13
COARSEST = 32  # nodes at which the hierarchy ends in a dense inverse
ABOVE = 1.1  # times the estimate of the largest eigenvalue, so that eigenvalues lie below 1
LARGE = 300_000  # nodes from which transfers are smoothed twice: less growth, larger levels


@dataclass(frozen=True)
class Level:
    """A coarse level of one member.

    Parameters
    ----------
    matrix : blocks of 4, in space 7, of a scalar matrix 1; rows scaled, largest eigenvalue < 1
    prolong, restrict        from here to the finer level and back, scaling included
    inverse : of the matrix, on the coarsest level; else None
    dense : (rows, rows) that matrix, of a scalar one, in float64; else None
    diagonal : (rows,) of a scalar matrix, before its rows were scaled; else (0,)
    tentative : of a scalar matrix, from here to the finer level before `prolong` was smoothed: an
        entry for each finer row, the aggregate that has it
    weak : couplings of the finer level below this share of their diagonals smoothed `prolong` as if
        they were on these
    """

    matrix: Blocks
    prolong: Blocks
    restrict: Blocks
    inverse: Blocks | None
    dense: Floats | None = None
    diagonal: Floats = field(default_factory=lambda: np.zeros(0))
    tentative: Blocks | None = None
    weak: float = 0.0


def _inverse(blocks: Floats) -> Floats:
    """Inverses of blocks; pseudo-inverses for small aggregates of less rank."""
    poor = ~(np.abs(np.einsum("nii->ni", blocks)).min(axis=1) > 0)
    good = np.where(poor[:, None, None], np.eye(blocks.shape[1]), blocks)
    *_, width = blocks.shape
    found = 1 / good if width < 2 else np.linalg.inv(good)
    found[poor] = np.linalg.pinv(blocks[poor], hermitian=True)
    return found


def _dense_inverse(matrix: Floats, least: float) -> Floats:
    """Inverse of a symmetric matrix, positive but for rows whose pivot is none.

    Gauss-Jordan by rows: LAPACK's bits depend on BLAS's threads from 80 rows or so.
    """
    a, scale = matrix.copy(), np.diag(matrix).copy()
    for k in range(len(a)):
        pivot, column = a[k, k], a[:, k].copy()
        if not pivot > least * scale[k]:
            a[k] = a[:, k] = 0
            continue
        row = a[k] / pivot
        a -= column[:, None] * row
        a[k], a[:, k] = row, -column / pivot
        a[k, k] = 1 / pivot
    return (a + a.T) / 2


def _times(rows: sp.bsr_matrix, v: Floats) -> Floats:
    return cast(Floats, rows @ v)


def _scaling(matrix: sp.bsr_matrix) -> tuple[Floats, float]:
    """Inverses of the diagonal blocks, and the largest eigenvalue of rows scaled by them.

    The estimate is the same in every run: norms by sums, as BLAS's depend on its threads, and its
    threads on what else the cores do.
    """
    inverse = _inverse(block_diagonal(matrix))

    def scaled_rows(group: tuple[int, sp.bsr_matrix]) -> sp.bsr_matrix:
        first, rows = group
        return scaled(inverse[first : first + len(rows.indptr) - 1], rows)

    groups = list(over(scaled_rows, counted(cut(matrix))))
    v = np.cos(1 + 0.7 * np.arange(matrix.shape[0]))
    value, v = 1.0, v / np.sqrt((v * v).sum())
    for _ in range(20):
        w = np.concatenate(list(over(partial(_times, v=v), groups)))
        value = float(np.sqrt((w * w).sum()))
        v = w / value
    return inverse, value


TURNS = {2: [(0, 1)], 3: [(1, 2), (2, 0), (0, 1)]}
"""Axes between which rotations turn, by dimensions."""


def rigid_and_scaled(points: Floats) -> Floats:
    """Near-null space of springs: translations, rotations, scaling.

    Parameters
    ----------
    points : (nodes, 2) of triangles; (nodes, 3) of tetrahedra

    Returns
    -------
    (2 nodes, 4) or (3 nodes, 7)
    """
    d = points.shape[1]
    middle = points.mean(axis=0) if len(points) else 0.0  # none where all nodes are fixed
    own = points - middle
    found = np.zeros((len(points), d, d + len(TURNS[d]) + 1))
    for k in range(d):
        found[:, k, k] = 1
    for j, (a, b) in enumerate(TURNS[d]):
        found[:, a, d + j], found[:, b, d + j] = -own[:, b], own[:, a]
    found[:, :, -1] = own
    return found.reshape(d * len(points), found.shape[2])


def along(candidates: Floats, on: NDArray[np.bool_], normal: Floats) -> Floats:
    """Candidates (3 nodes, 7) whose nodes `on` (nodes,) a plane stay in it."""
    found = candidates.reshape(len(on), 3, -1).copy()
    across = np.einsum("nkc,k->nc", found[on], normal)
    found[on] -= across[:, None, :] * normal[:, None]
    return found.reshape(candidates.shape)


def _couplings(matrix: sp.bsr_matrix, inverse: Floats) -> Floats:
    """(blocks,) size of couplings where each diagonal block is the unit matrix.

    Root mean square of the singular values of D_i^-1/2 K_ij D_j^-1/2, so that what is stiff in one
    direction does not hide what is soft in another; of scalars |k_ij| / sqrt(k_ii k_jj).

    Parameters
    ----------
    inverse : (nodes, size, size)    of the diagonal blocks D
    """
    row, column = block_rows(matrix), matrix.indices

    def sizes(group: tuple[slice, slice]) -> Floats:
        _, at = group
        block = matrix.data[at]
        squares = (inverse[row[at]] @ block) * (block @ inverse[column[at]])
        return cast(Floats, np.sqrt(np.maximum(squares.mean(axis=2).sum(axis=1), 0.0)))

    return np.concatenate(list(over(sizes, groups_of(matrix.indptr))))


def _aggregates(matrix: sp.bsr_matrix, inverse: Floats, strength: float) -> sp.csr_matrix:
    """Nodes that strong couplings join: a column for each aggregate."""
    from pyamg.aggregation.aggregate import standard_aggregation
    from pyamg.amg_core import symmetric_strength_of_connection

    given = matrix.indptr, matrix.indices, _couplings(matrix, inverse)
    row, column, data = (np.empty_like(own) for own in given)
    nodes = len(row) - 1
    symmetric_strength_of_connection(nodes, strength, *given, row, column, data)
    strong = sp.csr_matrix((data, column, row), shape=(nodes, nodes))
    found = sp.csr_matrix(standard_aggregation(strong)[0])
    if not found.nnz:  # a few nodes without strong couplings: all in one
        return sp.csr_matrix(np.ones((strong.shape[0], 1), np.int32))
    return found


def degree(nodes: int) -> int:
    """Degree of the smoothing of transfers."""
    return 1 + (nodes >= LARGE)


def smoothing(degree: int) -> list[float]:
    """Factors w of the product of (1 - w A / rho) that (5.3) smooths transfers with."""
    return [2 / (1 - math.cos(2 * math.pi * k / (2 * degree + 1))) for k in range(1, degree + 1)]


def _strong(rows: sp.bsr_matrix, first: int, norm: Floats, weak: float) -> sp.bsr_matrix:
    """Rows of blocks from `first` on, those below `weak` of their diagonals added to the diagonal.

    Parameters
    ----------
    norm : (nodes,)    of the diagonal blocks
    """
    row = block_rows(rows)
    on = rows.indices == first + row
    keep = on | (
        (rows.data**2).sum(axis=(1, 2)) >= weak**2 * norm[first + row] * norm[rows.indices]
    )
    data, counts = rows.data[keep], np.bincount(row[keep], minlength=len(rows.indptr) - 1)
    data[on[keep]] += sums(row[~keep], rows.data[~keep], len(counts))[row[on]]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return sp.bsr_matrix((data, rows.indices[keep], indptr), shape=rows.shape)


def _smoothed(
    matrix: sp.bsr_matrix, inverse: Floats, prolong: sp.bsr_matrix, factor: float, weak: float
) -> sp.bsr_matrix:
    """(1 - factor D^-1 K) P, weak blocks of K on the diagonal."""
    norm = np.sqrt((block_diagonal(matrix) ** 2).sum(axis=(1, 2))) if weak else np.zeros(0)

    def smoothed(group: tuple[int, sp.bsr_matrix]) -> sp.bsr_matrix:
        first, rows = group
        last = first + len(rows.indptr) - 1
        strong = _strong(rows, first, norm, weak) if weak else rows
        change = product(scaled(inverse[first:last], strong), prolong)
        change.data *= factor
        change.sort_indices()  # else SciPy has tables of all columns for each difference
        return (rows_between(prolong, first, last) - change).tobsr(prolong.blocksize)

    return filled(over(smoothed, counted(cut(matrix))))


def _galerkin(matrix: sp.bsr_matrix, prolong: sp.bsr_matrix) -> sp.bsr_matrix:
    """P^T K P; by groups of rows, as all of P^T K is larger than K."""

    def rows(part: sp.bsr_matrix) -> sp.bsr_matrix:
        found = product(product(part, matrix), prolong)
        found.sort_indices()
        return found

    return filled(over(rows, across(prolong)))


def _transfers(
    prolong: sp.bsr_matrix, weight: Floats | None, middle: Floats
) -> tuple[Blocks, Blocks]:
    """P, and P^T with its scaling: the blocks of the finer level (None: the finest) and of this."""
    blocks, parts = len(prolong.indices), across(prolong)
    if weight is not None:
        parts = over(partial(weighed, blocks=weight), parts)
    return Blocks.of(cut(prolong), blocks), Blocks.of(parts, blocks, _inverse(middle))


def _weighed_inverse(matrix: sp.bsr_matrix, middle: Floats, least: float) -> Blocks:
    """Inverse of a matrix whose rows will be scaled by the inverses of the blocks `middle`."""
    dense = _dense_inverse(matrix.toarray(), least)
    dense = np.einsum("rki,kij->rkj", dense.reshape(len(dense), *middle.shape[:2]), middle)
    inverse = sp.bsr_matrix(dense.reshape(len(dense), -1), blocksize=matrix.blocksize)
    return Blocks.of([inverse], len(inverse.indices))


def _nothing_free(size: int, coarse: int) -> Level:
    """Coarse level without nodes, for blocks of `size`."""
    one = Blocks.of([sp.bsr_matrix(np.eye(coarse), blocksize=(coarse, coarse))], 1)
    column, data = np.zeros(0, np.int32), np.zeros((0, size * coarse), np.float32)
    up, down = (Blocks(np.zeros(rows + 1, np.int32), column, data) for rows in (0, 1))
    return Level(one, up, down, one)


def hierarchy(
    matrix: sp.bsr_matrix,
    candidates: Floats,
    weight: Floats | None = None,
    least: float = 1e-13,
    smoothings: int | None = None,
    scaling: tuple[Floats, float] | None = None,
    strength: float = STRENGTH,
    weak: float = 0.0,
    weak_of_long: float | None = None,
) -> list[Level]:
    """Coarse levels of a matrix K of free nodes, finest first; at least one.

    Parameters
    ----------
    matrix : blocks of one size
    candidates : (rows, count) what the matrix does not resist, as of `rigid_and_scaled`
    weight : blocks by which residuals of the finest level are to be multiplied; None: they are
    least : pivot of the coarsest matrix, over its diagonal, that is taken for none
    smoothings : how often transfers are smoothed; None: as `degree` has it
    scaling : of the matrix, where it is known
    strength : couplings below this, see `_couplings`, do not join aggregates
    weak : those below this share of their diagonals smooth transfers as if they were on these
    weak_of_long : that share on levels of more than `LONG` entries a row; None: the same
    """
    from pyamg.aggregation.tentative import fit_candidates

    size = candidates.shape[1]
    nodes = matrix.shape[0] // matrix.blocksize[0]
    if not nodes:
        return [_nothing_free(matrix.blocksize[0], size)]
    levels: list[Level] = []
    inverse, largest = scaling or _scaling(matrix)
    while not levels or levels[-1].inverse is None:
        prolong, candidates = fit_candidates(_aggregates(matrix, inverse, strength), candidates)
        joined = Blocks.of(cut(prolong), len(prolong.indices)) if size == 1 else None
        long = len(matrix.indices) > LONG * (len(matrix.indptr) - 1)
        less = weak_of_long if long and weak_of_long is not None else weak
        for share in smoothing(smoothings or degree(nodes)):
            prolong = _smoothed(matrix, inverse, prolong, share / largest, less)
        matrix, before = _galerkin(matrix, prolong), matrix.shape[0]
        inverse, largest = _scaling(matrix)
        above = ABOVE * largest
        middle = block_diagonal(matrix) * above
        diagonal = middle.ravel() if size == 1 else np.zeros(0)
        prolong, restrict = _transfers(prolong, weight, middle)
        weight = middle
        last = matrix.shape[0] <= size * COARSEST or matrix.shape[0] >= before
        below = Blocks.of(cut(matrix), len(matrix.indices), inverse, 1 / above)
        end = _weighed_inverse(matrix, middle, least) if last else None
        whole = scaled(inverse, matrix).toarray() / above if last and size == 1 else None
        levels.append(Level(below, prolong, restrict, end, whole, diagonal, joined, less))
    return levels


def _even(matrix: sp.csr_matrix) -> sp.bsr_matrix:
    """Symmetric part of a matrix, in blocks of 1, without what is round-off.

    Laplacians of rectangles have round-off for corners: of 27 entries of a row 20.
    """
    matrix.sort_indices()
    other = matrix.T.tocsr()
    alike = len(other.indices) == len(matrix.indices)
    if alike and (other.indices == matrix.indices).all() and (other.indptr == matrix.indptr).all():
        other.data += matrix.data
        other.data /= 2
        other.eliminate_zeros()
    else:
        other = (matrix + other) / 2
    other.sort_indices()
    found = sp.bsr_matrix(other, blocksize=(1, 1))
    norm = np.abs(block_diagonal(found)[:, 0, 0])
    return filled(_strong(rows, first, norm, ROUND_OFF) for first, rows in counted(cut(found)))


def scalar(
    matrix: sp.csr_matrix, smoothings: int | None = None, weak_of_long: float = WEAK
) -> tuple[Blocks, list[Level]]:
    """The finest level and the coarse ones of a scalar matrix whose rows add up to zero.

    Of a matrix that is not symmetric they are those of its symmetric part; it may be singular.

    Parameters
    ----------
    matrix : (nodes, nodes) with a positive diagonal
    smoothings, weak_of_long : as of `hierarchy`

    Returns
    -------
    the matrix, rows scaled so that its eigenvalues lie below 1, and its coarse levels
    """
    even = _even(matrix)
    ones = np.ones((matrix.shape[0], 1))
    if not matrix.shape[0]:
        return Blocks.of([even], 0), hierarchy(even, ones)
    inverse, largest = _scaling(even)
    above = ABOVE * largest
    finest = Blocks.of(cut(even), len(even.indices), inverse, 1 / above)
    weight = block_diagonal(even) * above
    return finest, hierarchy(
        even, ones, weight, SINGULAR, smoothings, (inverse, largest), weak=WEAK,
        weak_of_long=weak_of_long,
    )  # fmt: skip
