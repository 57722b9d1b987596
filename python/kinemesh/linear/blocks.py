"""Block matrices by groups of rows, so that intermediate products stay small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.csr import offsets_of, ordered
from kinemesh.device.threads import over

Floats = NDArray[np.float64]
CHUNK = 1 << 12  # blocks of a group of rows, at least
MOST = 1 << 15  # and at most
LARGEST = 16  # entries of a block
GROUPS = 64  # of rows, about: what is made on the way of each is as much smaller


@dataclass(frozen=True)
class Blocks:
    """A block matrix as devices have it.

    Parameters
    ----------
    row : (rows+1,), column : (blocks,) int32    CSR, columns of a row in order
    data : (blocks, entries)                     columns of a block contiguous
    """

    row: NDArray[np.int32]
    column: NDArray[np.int32]
    data: NDArray[Any]

    @property
    def rows(self) -> int:
        return len(self.row) - 1

    @classmethod
    def of(
        cls,
        parts: Iterable[sp.bsr_matrix],
        blocks: int,
        left: Floats | None = None,
        factor: float = 1.0,
        dtype: Any = np.float32,
    ) -> Blocks:
        """`factor` times the blocks `left` of each row (none: 1) times a matrix.

        Parameters
        ----------
        parts : its rows in groups, as of `cut`
        blocks : how many they have at most: SciPy's products leave out what underflows to zero
        """

        def made(group: tuple[int, sp.bsr_matrix]) -> tuple[sp.bsr_matrix, NDArray[Any]]:
            row, part = group
            part.sort_indices()
            rows = slice(row, row + len(part.indptr) - 1)
            own = part if left is None else scaled(left[rows], part)
            return part, (factor * own.data).transpose(0, 2, 1).astype(dtype, order="C")

        counts, at = [], 0
        column, data = np.empty(blocks, np.int32), np.empty(0, dtype)
        for part, own in over(made, counted(parts)):
            counts.append(np.diff(part.indptr))
            if not len(data):
                data = np.empty((blocks, *own.shape[1:]), dtype)
            here = slice(at, at + len(own))
            column[here], data[here], at = part.indices, own, here.stop
        return cls(_offsets(counts), column[:at], data[:at].reshape(at, -1))


def _offsets(counts: Sequence[NDArray[Any]]) -> NDArray[np.int32]:
    """CSR offsets of rows with so many blocks each, in groups."""
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int32)


def block_rows(matrix: sp.bsr_matrix) -> NDArray[np.int32]:
    """(blocks,) row of each block."""
    counts = np.diff(matrix.indptr)
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def groups_of(indptr: NDArray[Any], times: int = 1) -> Iterator[tuple[slice, slice]]:
    """Rows in groups, some GROUPS of them and none of fewer than `times` CHUNK blocks.

    Returns
    -------
    slices of the rows and of the blocks of each
    """
    rows, first, every = len(indptr) - 1, 0, int(indptr[-1])
    blocks = max(times * CHUNK, min(every // GROUPS, MOST))
    while first < rows:
        end = indptr.dtype.type(min(int(indptr[first]) + blocks, every))  # else all are converted
        last = max(first + 1, int(np.searchsorted(indptr, end, "right")) - 1)
        yield slice(first, last), slice(int(indptr[first]), int(indptr[last]))
        first = last


def rows_between(matrix: sp.bsr_matrix, first: int, last: int) -> sp.bsr_matrix:
    """Rows of blocks from `first` to `last`, not copied."""
    size, indptr = matrix.blocksize[0], matrix.indptr
    at = slice(indptr[first], indptr[last])
    return sp.bsr_matrix(
        (matrix.data[at], matrix.indices[at], indptr[first : last + 1] - indptr[first]),
        shape=(size * (last - first), matrix.shape[1]),
    )


def cut(matrix: sp.bsr_matrix) -> Iterator[sp.bsr_matrix]:
    """The rows of a matrix in groups."""
    return (rows_between(matrix, rows.start, rows.stop) for rows, _ in groups_of(matrix.indptr))


def counted(parts: Iterable[sp.bsr_matrix]) -> Iterator[tuple[int, sp.bsr_matrix]]:
    """Groups of rows, each with the number of its first."""
    first = 0
    for rows in parts:
        yield first, rows
        first += len(rows.indptr) - 1


def across(matrix: sp.bsr_matrix) -> Iterator[sp.bsr_matrix]:
    """The rows of the transpose in groups."""
    size, count = matrix.blocksize[1], matrix.shape[1] // matrix.blocksize[1]
    order, indptr = ordered(matrix.indices, count)
    row = block_rows(matrix)[order]
    for rows, at in groups_of(indptr):
        offsets = indptr[rows.start : rows.stop + 1] - at.start
        yield sp.bsr_matrix(
            (matrix.data[order[at]].transpose(0, 2, 1), row[at], offsets),
            shape=(size * (rows.stop - rows.start), matrix.shape[0]),
        )


def scaled(blocks: Floats, matrix: sp.bsr_matrix) -> sp.bsr_matrix:
    """Rows of blocks times a matrix."""
    data, small = np.empty_like(matrix.data), LARGEST // prod(blocks.shape[1:])
    for rows, at in groups_of(matrix.indptr, max(small, 1)):  # copies are as large as the matrix
        counts = np.diff(matrix.indptr[rows.start : rows.stop + 1])
        of_block = np.repeat(blocks[rows], counts, axis=0)
        _product(of_block, matrix.data[at], data[at])
    return sp.bsr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def weighed(matrix: sp.bsr_matrix, blocks: Floats) -> sp.bsr_matrix:
    """A matrix times square blocks, one for each column."""
    data = _product(matrix.data, blocks[matrix.indices])
    return sp.bsr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def product(a: sp.bsr_matrix, b: sp.bsr_matrix) -> sp.bsr_matrix:
    """a b, of few rows of `a`; SciPy's tables of all columns are of those alone that these meet."""
    a, first, last = _narrowed(a)
    narrow, left, _ = _narrowed(rows_between(b, first, last))
    found = (a @ narrow).tobsr((a.blocksize[0], b.blocksize[1]))
    found.indices += np.int32(left)
    return sp.bsr_matrix((found.data, found.indices, found.indptr), shape=(a.shape[0], b.shape[1]))


def _narrowed(matrix: sp.bsr_matrix) -> tuple[sp.bsr_matrix, int, int]:
    """A matrix without columns of blocks before its first and after its last; both of these."""
    column = matrix.indices
    first, last = (int(column.min()), int(column.max()) + 1) if len(column) else (0, 1)
    shape = matrix.shape[0], matrix.blocksize[1] * (last - first)
    return sp.bsr_matrix((matrix.data, column - first, matrix.indptr), shape=shape), first, last


def _product(a: Floats, b: Floats, out: Floats | None = None) -> Floats:
    """Product of blocks; for scalars ten times faster than `matmul`."""
    ways = np.multiply if b.shape[1:] == (1, 1) else np.matmul
    return cast(Floats, ways(a, b, out=out))


def filled(parts: Iterable[sp.bsr_matrix]) -> sp.bsr_matrix:
    """A matrix of its rows in groups, put in order."""
    left = list(parts)
    size, across, counts = left[0].blocksize, left[0].shape[1], [np.diff(p.indptr) for p in left]
    row, at = _offsets(counts), 0
    column, data = np.empty(row[-1], np.int32), np.empty((row[-1], *size))
    for part in _taken(left):
        part.sort_indices()
        here = slice(at, at + len(part.indices))
        column[here], data[here], at = part.indices, part.data, here.stop
    return sp.bsr_matrix((data, column, row), shape=(size[0] * (len(row) - 1), across))


def _taken(items: list[Any]) -> Iterator[Any]:
    """Items one by one, each released before the next."""
    items.reverse()
    while items:
        yield items.pop()


def sums(rows: NDArray[Any], blocks: Floats, count: int) -> Floats:
    """(count, b, b) sums of the blocks of each of `count` rows, in their order.

    Parameters
    ----------
    rows : (blocks,) in order
    """
    one = np.ones(len(rows)), np.arange(len(rows)), offsets_of(rows, count)
    added = sp.csr_array(one, shape=(count, len(rows))) @ blocks.reshape(
        len(rows), prod(blocks.shape[1:])
    )
    return cast(Floats, added.reshape(count, *blocks.shape[1:]))


def block_diagonal(matrix: sp.bsr_matrix) -> Floats:
    """(rows, b, b) diagonal blocks."""
    size = matrix.blocksize[0]
    blocks = np.zeros((matrix.shape[0] // size, size, size))
    row = block_rows(matrix)
    here = matrix.indices == row
    blocks[row[here]] = matrix.data[here]
    return blocks
