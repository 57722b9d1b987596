"""Lists of lists: the counting sort against NumPy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from kinemesh.csr import cuthill_mckee, offsets_of, ordered


def test_items_are_ordered_by_key_and_equal_ones_as_they_come():
    order, offsets = ordered(np.array([2, 0, 2, 4, 0]), 6)

    assert order.tolist() == [1, 4, 0, 2, 3]
    assert offsets.tolist() == [0, 2, 2, 4, 4, 5, 5]


def test_order_is_that_of_a_stable_sort():
    keys = np.random.default_rng(1).integers(0, 300, 5000).astype(np.int32)

    order, offsets = ordered(keys, 300)

    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(offsets, offsets_of(keys[order], 300))
    assert order.dtype == offsets.dtype == np.int32


def test_nothing_is_ordered():
    order, offsets = ordered(np.zeros(0, np.int32), 3)

    assert len(order) == 0
    assert offsets.tolist() == [0, 0, 0, 0]


def by_hand(graph):
    """Cuthill and McKee (1969): pieces from their item of least degree, neighbours by degree."""
    degree, found = np.diff(graph.indptr).tolist(), []
    lists = [graph.indices[slice(*graph.indptr[i : i + 2])].tolist() for i in range(len(degree))]
    for begin in sorted(range(len(degree)), key=lambda i: (degree[i], i)):
        line = [] if begin in found else [begin]
        for item in line:
            near = [j for j in lists[item] if j not in line]
            line += sorted(near, key=lambda j: (degree[j], j))
        found += line
    return found[::-1]


@pytest.mark.filterwarnings("ignore:Input has data type:FutureWarning")
def test_bandwidths_are_narrowed_and_ties_go_by_number():
    """Two lattices whose items have no order: most of them have one of three degrees."""
    rng = np.random.default_rng(0)
    line = sp.diags_array([1, 1], offsets=[-1, 1], shape=(7, 7))
    lattice = sp.kron(line, sp.eye_array(7)) + sp.kron(sp.eye_array(7), line)
    shuffle = rng.permutation(98)
    graph = sp.block_diag([lattice, lattice], format="csr")[shuffle][:, shuffle].tocsr()

    order = cuthill_mckee(graph)

    assert order.tolist() == by_hand(graph)
    assert sorted(order) == list(range(98))
    ends = graph[order][:, order].tocoo()
    assert abs(ends.row - ends.col).max() <= 13  # twice the side, as few as levels allow
