"""Delaunay graphs: places in their elements as SciPy finds them, without LAPACK."""

import numpy as np
import pytest
from kinemesh.deform.graph import _transforms, triangulated
from scipy.spatial import Delaunay

SIDE = np.arange(12) / 7
SETS = {
    "scattered": np.random.default_rng(0).random((60, 2)),
    "lattice": np.stack(np.meshgrid(SIDE, SIDE), axis=-1).reshape(-1, 2),
    "almost a line": np.r_[np.stack([SIDE, 3 * SIDE], axis=1), [[0, 1], [0.5, 0]]],
}


@pytest.mark.parametrize("points", SETS.values(), ids=SETS)
def test_points_are_found_in_the_elements_where_scipy_finds_them(points):
    places = np.random.default_rng(1).uniform(-0.1, 1.1, (2000, 2))
    wanted = Delaunay(points)

    found = triangulated(points)
    given = found._transform

    np.testing.assert_array_equal(found.find_simplex(places), wanted.find_simplex(places))
    assert given is not None
    assert found.transform is given, "SciPy takes what is there"
    size = np.abs(wanted.transform).max(axis=(1, 2))
    error = np.abs(found.transform - wanted.transform).max(axis=(1, 2))
    assert (error <= 1e-13 * size).all()  # measured: 5e-15


def test_an_element_without_area_has_no_matrix():
    """A hair's breadth is one: condition numbers of up to 1 / eps, as SciPy has it."""
    third = np.array([0.25, 1e-12, 1e-17, 0.0])
    corner = np.zeros((4, 3, 2))
    corner[:, 1, 0], corner[:, 2, 0], corner[:, 2, 1] = 1.0, 0.5, third

    singular = np.isnan(_transforms(corner)[:, :2]).all(axis=(1, 2))

    assert singular.tolist() == [False, False, True, True]
