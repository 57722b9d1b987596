"""Numbers of bodies by their members: with one body for each, and in general, the same bits."""

import numpy as np
import pytest
from kinemesh.space.owners import Owners


def general(members):
    """One body for each member, on the way of any number of bodies."""
    owners, spare = Owners([(m, "wall") for m in range(members)], members), np.arange(members)
    assert owners.single
    owners.single, owners.lead, owners.first = False, spare, spare
    return owners


@pytest.mark.parametrize("shape", [(), (3,)])
def test_one_body_for_each_member_has_the_bits_of_the_general_sums(shape):
    numbers = np.random.default_rng(1).normal(size=(5, *shape))
    numbers[2] = -0.0
    single = Owners([(m, "wall") for m in range(5)], 5)

    assert single.sums(numbers).tobytes() == general(5).sums(numbers).tobytes()
    assert single.spread(numbers).tobytes() == general(5).spread(numbers).tobytes()
    if not shape:
        assert single.firsts(numbers).tobytes() == general(5).firsts(numbers).tobytes()


def test_bodies_add_up_and_the_first_of_each_member_counts():
    owners = Owners([(0, "slat"), (0, "main"), (2, "slat")], 4)

    assert (owners.single, owners.several) == (False, True)
    assert owners.bare.tolist() == [False, True, False, True]
    assert owners.sums(np.array([1.0, 2.0, 4.0])).tolist() == [3, 0, 4, 0]
    assert owners.firsts(np.array([1.0, 2.0, 4.0])).tolist() == [1, 0, 4, 0]
    assert owners.largest(np.array([1.0, 2.0, 4.0])).tolist() == [2, 0, 4, 0]
    assert owners.spread(np.array([5, 6, 7, 8])).tolist() == [5, 5, 7]


def test_members_without_bodies_have_none_of_several():
    owners = Owners([], 2)

    assert (owners.single, owners.several) == (False, False)
    assert owners.sums(np.empty((0, 3))).tolist() == [[0, 0, 0]] * 2
