"""Satellites of points as flat tables: offsets and neighbours, symmetric and sorted.

How well satellites fix the derivatives is told by the least-squares matrix with weight |dr|^-2,
the sum of dr dr^T / |dr|^2 over them: directions count, distances do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

BLOCK = 1_000_000  # points whose matrices are formed at once: bounds the memory


def table_of(points: int, pairs: NDArray) -> tuple[Ints, Ints]:
    """Offsets (points+1,) and satellites of undirected pairs (k, 2), each pair once."""
    a, b = pairs[:, 0], pairs[:, 1]
    apart = a != b
    a, b = a[apart], b[apart]
    half = csr_array((np.ones(len(a), np.int8), (a, b)), shape=(points, points))
    half.data[:] = 1  # repeats were summed
    both = (half + half.T).tocsr()
    both.sort_indices()
    return both.indptr.astype(np.int32), both.indices.astype(np.int32)


def centres(offsets: Ints) -> Ints:
    """(entries,) the point that each entry belongs to."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))


def first_unpaired(offsets: Ints, satellites: Ints) -> tuple[int, int] | None:
    """The first (i, j) with j among i's satellites but i not among j's; None if symmetric."""
    n = len(offsets) - 1
    there = csr_array((np.ones(len(satellites), np.int8), satellites, offsets), shape=(n, n))
    back = there.T.tocsr()
    if np.array_equal(back.indptr, offsets) and np.array_equal(back.indices, satellites):
        return None
    alone = (there - there.multiply(back)).tocoo()
    at = np.flatnonzero(alone.data)
    rows, columns = alone.row[at], alone.col[at]
    k = np.lexsort((columns, rows))[0]
    return int(rows[k]), int(columns[k])


def condition_numbers(points: Floats, offsets: Ints, satellites: Ints) -> Floats:
    """(n,) condition number of each point's least-squares matrix; inf where it is singular.

    Parameters
    ----------
    points : (n, d)
    offsets, satellites : every point has at least one satellite, none at its own place
    """
    result = [
        _condition_numbers_of(points, offsets[k : k + BLOCK + 1], satellites, k)
        for k in range(0, len(offsets) - 1, BLOCK)
    ]
    return np.concatenate(result)


def _condition_numbers_of(points: Floats, offsets: Ints, satellites: Ints, first: int) -> Floats:
    """Condition numbers of the points first, first + 1, ..."""
    at = satellites[offsets[0] : offsets[-1]]
    arm = points[at] - points[centres(offsets) + first]
    arm /= np.linalg.norm(arm, axis=1)[:, None]
    start = offsets[:-1] - offsets[0]
    d = points.shape[1]
    matrix = np.empty((len(start), d, d))
    for row in range(d):
        for column in range(row + 1):
            entry = np.add.reduceat(arm[:, row] * arm[:, column], start)
            matrix[:, row, column] = matrix[:, column, row] = entry
    return condition_number(matrix)


def condition_number(matrix: Floats) -> Floats:
    """(n,) ratio of the largest to the smallest eigenvalue of symmetric (n, d, d); inf if 0."""
    values = np.linalg.eigvalsh(matrix)
    low, high = values[:, 0], values[:, -1]
    singular = low <= 8 * np.finfo(np.float64).eps * high
    return np.where(singular, np.inf, high / np.where(singular, 1.0, low))
