"""Lists of lists: the counting sort against NumPy's."""

import numpy as np
from kinemesh.csr import offsets_of, ordered


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
