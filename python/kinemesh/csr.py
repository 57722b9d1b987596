"""Lists of lists as offsets and entries (compressed sparse rows)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph

Ints = NDArray[np.int32]


def offsets_of(keys: NDArray, count: int) -> Ints:
    """Offsets of the runs of sorted `keys` in 0..count-1."""
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))]).astype(np.int32)


def ordered(keys: NDArray, count: int) -> tuple[Ints, Ints]:
    """Items in the order of their `keys` in 0..count-1, equal ones as they come; their offsets.

    A counting sort: SciPy's transpose of one row whose columns are the keys.
    """
    return sorted_by(keys, np.arange(len(keys), dtype=np.int32), count)


def sorted_by(keys: NDArray, values: NDArray, count: int) -> tuple[NDArray, Ints]:
    """Values in the order of their `keys` in 0..count-1, equal ones as they come; offsets."""
    ends = np.array([0, len(keys)], np.int32)
    columns = sp.csr_array((values, keys, ends), shape=(1, count)).tocsc()
    return columns.data, columns.indptr


def ordered_pairs(i: NDArray, j: NDArray, count: int) -> tuple[Ints, Ints]:
    """Pairs (i, j) in the order of i, then of j, both in 0..count-1; the offsets of each i."""
    by_j, _ = ordered(j, count)
    by_i, offsets = ordered(i[by_j], count)
    return by_j[by_i], offsets


def cuthill_mckee(graph: sp.csr_array) -> Ints:
    """Items of a symmetric graph in reverse Cuthill-McKee order, equal degrees by their numbers.

    SciPy's own function sorts degrees by a sort that is not stable, and which of two equal ones
    comes first depends on the processor; so would the order, and all bits that follow from it.
    Breadth first through items by degree, neighbours are met by degree, as the method asks.
    """
    by, _ = ordered(np.diff(graph.indptr), graph.shape[0])
    sorted_graph = graph[by][:, by].tocsr()
    sorted_graph.sort_indices()
    _, piece = csgraph.connected_components(sorted_graph, directed=False)
    begins = np.unique(piece, return_index=True)[1]
    found = [
        csgraph.breadth_first_order(sorted_graph, begin, return_predecessors=False)
        for begin in np.sort(begins)
    ]
    return by[np.concatenate(found)][::-1]
