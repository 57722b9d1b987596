"""Clouds from tetrahedral meshes: edges, outward boundaries, and meshes that are wrong."""

import numpy as np
import pytest
from clouds import pairs_of
from kinemesh.cloud import Cloud
from kinemesh.cloud.checks import area_vectors
from kinemesh.errors import CloudError
from scipy.spatial import Delaunay
from test_cloud_core import assert_exact_for_linear_fields

pytestmark = pytest.mark.no_sanitizer

# a tetrahedron with its middle: four cells, ten edges
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.25, 0.25, 0.25]], float)
CELLS = [[4, 1, 2, 3], [0, 4, 2, 3], [0, 1, 4, 3], [0, 1, 2, 4]]
FACES = {"slope": [[1, 2, 3]], "rest": [[0, 2, 3], [1, 0, 3], [0, 1, 2]]}


def test_edges_are_satellites_and_faces_point_out():
    cells = [CELLS[0], CELLS[1][::-1], *CELLS[2:]]

    cloud = Cloud.from_tetrahedra(POINTS, cells, FACES)

    assert len(pairs_of(cloud.offsets, cloud.satellites)) == 10
    np.testing.assert_allclose(area_vectors(POINTS, cloud.boundaries["slope"]), [[0.5, 0.5, 0.5]])
    rest = area_vectors(POINTS, cloud.boundaries["rest"])
    np.testing.assert_allclose(rest, -0.5 * np.eye(3)[[0, 1, 2]])
    assert_exact_for_linear_fields(cloud)


def test_a_delaunay_tetrahedralisation_makes_a_cloud():
    points = np.random.default_rng(0).uniform(0, 1, (2000, 3))
    made = Delaunay(points)
    hull = {"hull": made.convex_hull}

    cloud = Cloud.from_tetrahedra(points, made.simplices, hull)

    assert 13 < np.diff(cloud.offsets).mean() < 16
    area = area_vectors(points, cloud.boundaries["hull"])
    assert np.abs(area.sum(axis=0)).max() < 1e-13
    volume = (area * points[cloud.boundaries["hull"]].mean(axis=1)).sum() / 3
    assert 0.85 < volume < 1.0
    assert_exact_for_linear_fields(cloud)


BAD = {
    "flat": (
        {"points": np.vstack([POINTS[:4], [0.25, 0.25, 0]])},
        r"tetrahedron 3 with points \[0, 1, 2, 4\] has volume 0, expected some: 1 such",
    ),
    "idle": (
        {"points": np.vstack([POINTS, [5, 5, 5]])},
        r"point 5 belongs to no tetrahedron, .*: 1 such",
    ),
    "crowded": (
        {"points": np.vstack([POINTS, [0.1, 0.1, -1]]), "tetrahedra": [*CELLS, [0, 1, 4, 5]]},
        r"face \[0, 1, 4\] belongs to 3 tetrahedra",
    ),
    "no boundary": (
        {"boundaries": {"slope": [[1, 2, 3]]}},
        r"is in no boundary: 3 such face\(s\); expected every one in a boundary \(slope\)",
    ),
    "inner face": (
        {"boundaries": FACES | {"cut": [[0, 1, 4]]}},
        r"boundary 'cut': triangle \[0, 1, 4\] is no face of exactly one tetrahedron",
    ),
    "plane": ({"points": POINTS[:, :2]}, r"points has shape \(5, 2\), expected \(points, 3\)"),
    "cells": ({"tetrahedra": [[0, 1, 2]]}, r"tetrahedra has shape \(1, 3\), expected"),
    "outside": ({"tetrahedra": [[0, 1, 2, 9]]}, r"tetrahedra names point 9, expected 0 to 4"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_wrong_meshes_are_refused_with_what_is_wrong(change, message):
    given = {"points": POINTS, "tetrahedra": CELLS, "boundaries": FACES}
    with pytest.raises(CloudError, match=message):
        Cloud.from_tetrahedra(**(given | change))
