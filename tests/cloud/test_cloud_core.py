"""Cloud: what is accepted, what is refused with which message, and clouds from meshes."""

import numpy as np
import pytest
from clouds import pairs_of
from kinemesh.cloud import Cloud
from kinemesh.cloud.satellites import centres
from kinemesh.errors import CloudError
from kinemesh.mesh import Mesh, airfoil

pytestmark = pytest.mark.no_sanitizer

# the unit square with its middle: each corner has its two neighbours and the middle
POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]])
OFFSETS = [0, 3, 6, 9, 12, 16]
SATELLITES = [1, 3, 4, 0, 2, 4, 1, 3, 4, 0, 2, 4, 0, 1, 2, 3]
SIDES = {"rim": [[0, 1], [1, 2], [2, 3], [3, 0]]}


def square(**change):
    given = {"points": POINTS, "offsets": OFFSETS, "satellites": SATELLITES, "boundaries": SIDES}
    return Cloud(**(given | change))


def gradients(cloud, values):
    """Least-squares gradients (n, d) with weight |dr|^-2."""
    n, d = cloud.points.shape
    centre = centres(cloud.offsets)
    arm = cloud.points[cloud.satellites] - cloud.points[centre]
    weight = 1.0 / (arm**2).sum(axis=1)
    matrix, right = np.zeros((n, d, d)), np.zeros((n, d))
    np.add.at(matrix, centre, weight[:, None, None] * arm[:, :, None] * arm[:, None, :])
    rise = values[cloud.satellites] - values[centre]
    np.add.at(right, centre, (weight * rise)[:, None] * arm)
    return np.linalg.solve(matrix, right[..., None])[..., 0]


def assert_exact_for_linear_fields(cloud):
    """The error is round-off of the differences, over the shortest arm, times the condition."""
    slope = np.array([0.7, -1.3, 0.4])[: cloud.points.shape[1]]
    values = cloud.points @ slope

    error = np.abs(gradients(cloud, values) - slope).max(axis=1)

    arm = np.linalg.norm(
        cloud.points[cloud.satellites] - cloud.points[centres(cloud.offsets)], axis=1
    )
    shortest = np.minimum.reduceat(arm, cloud.offsets[:-1])
    eps = np.finfo(np.float64).eps
    # a coordinate is good to eps |x|, a difference over the shortest arm to eps |x| / arm
    size = 1.0 + np.abs(cloud.points).max(axis=1) / shortest
    assert (error <= 16 * eps * size * np.sqrt(cloud.conditions)).all()


def test_a_cloud_keeps_its_arrays_frozen_and_apart_from_the_users():
    points = POINTS.copy()
    cloud = square(points=points)

    points[0] = 7.0

    assert cloud.points[0, 0] == 0.0
    assert [a.dtype for a in (cloud.points, cloud.offsets, cloud.satellites, cloud.original)] == [
        np.float64,
        np.int32,
        np.int32,
        np.int64,
    ]
    for array in (
        cloud.points,
        cloud.offsets,
        cloud.satellites,
        cloud.original,
        cloud.boundaries["rim"],
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("share", [1 - 1e-9, 1 + 1e-9])
def test_a_condition_of_five_hundred_is_the_largest_that_is_taken(share):
    """The middle of a rectangle has the square of its aspect."""
    points = POINTS * [(500 * share) ** 0.5, 1.0]

    if share < 1:
        assert square(points=points).conditions.max() == pytest.approx(500 * share, rel=1e-12)
        return
    with pytest.raises(CloudError, match=r"point 4 .* condition 500, expected at most 500: 1 such"):
        square(points=points)


def test_conditions_are_those_of_the_sum_of_unit_dyads():
    cloud = square()

    # the middle has four unit arms at right angles; a corner arms at 0, 45 and 90 degrees:
    # eigenvalues 1.5 +- 0.5
    np.testing.assert_allclose(cloud.conditions, [2, 2, 2, 2, 1], rtol=1e-14)


def test_pairs_make_the_same_cloud_as_tables():
    cloud = square()

    again = Cloud.from_pairs(
        POINTS, [[4, 0], [0, 4], [2, 2], *pairs_of(cloud.offsets, cloud.satellites)], SIDES
    )

    np.testing.assert_array_equal(again.offsets, OFFSETS)
    np.testing.assert_array_equal(again.satellites, SATELLITES)


FEW = [0, 2, 4, 6, 8, 8]
BAD = {
    "flat points": ({"points": POINTS[:, :1]}, r"points has shape \(5, 1\), expected"),
    "nan": ({"points": np.where(POINTS == 0.5, np.nan, POINTS)}, r"point 4 is at \[nan, nan\]"),
    "text": ({"points": "abc"}, r"points has dtype"),
    "twins": (
        {"points": [*POINTS[:4], [1.0, 1.0 - 1e-15]]},
        r"points 2 and 4 are both at \(1, 1\): 2|points 2 and 4 are both at \(1, 1\)",
    ),
    "few": (
        {"offsets": FEW, "satellites": [1, 3, 0, 2, 1, 3, 0, 2]},
        r"point 4 at \(0\.5, 0\.5\) \(in the field\) has 0 satellite\(s\), expected at least 2",
    ),
    "few at the rim": (
        {"offsets": [0, 1, 4, 7, 9, 12], "satellites": [1, 0, 2, 4, 1, 3, 4, 2, 4, 1, 2, 3]},
        r"point 0 at \(0, 0\) \(boundary 'rim'\) has 1 satellite",
    ),
    "unpaired": (
        {"offsets": [0, 3, 6, 9, 12, 15], "satellites": [*SATELLITES[:12], 0, 1, 2]},
        r"point 4 is a satellite of point 3, but 3 is none of 4's",
    ),
    "itself": ({"satellites": [0, *SATELLITES[1:]]}, r"point 0 is its own satellite"),
    "unsorted": ({"satellites": [3, 1, *SATELLITES[2:]]}, r"point 0: satellite 1 follows 3"),
    "outside": (
        {"satellites": [*SATELLITES[:15], 5]},
        r"satellites names point 5, expected 0 to 4",
    ),
    "offsets": ({"offsets": [0, 3, 6, 9, 12, 15]}, r"offsets must ascend from 0 to the 16"),
    "short offsets": ({"offsets": [0, 16]}, r"offsets has shape \(2,\)"),
    "fractions": ({"satellites": [0.5] * 16}, r"satellites has dtype float64, expected integers"),
    "one line": (
        {"points": [[0, 0], [1, 0.0], [2, 0], [3, 0], [4, 0.01]]},
        r"point \d at .* condition \S+, expected at most 500: 5 such",
    ),
    "very one line": (
        {"points": [[0, 0], [1, 0.0], [2, 0], [3, 0], [4, 0]]},
        r"point 0 .* condition inf, expected at most 500: 5 such",
    ),
    "limit": ({"worst_condition": 1.5}, r"point 0 .* condition 2, expected at most 1\.5: 4 such"),
    "limit of one": ({"worst_condition": 1.0}, r"condition 2, expected at most 1: 4 such"),
    "below one": ({"worst_condition": 1 - 1e-15}, r"expected a number of at least 1"),
    "no limit": ({"worst_condition": 0}, r"worst_condition = 0, expected a number of at least 1"),
    "facet outside": ({"boundaries": {"rim": [[0, 9]]}}, r"boundary 'rim' names point 9"),
    "facet shape": ({"boundaries": {"rim": [[0, 1, 2]]}}, r"boundary 'rim' has shape \(1, 3\)"),
    "facet point": (
        {"boundaries": {"rim": [[1, 1]]}},
        r"'rim': facet \[1, 1\] names a point twice",
    ),
    "facet twice": (
        {"boundaries": SIDES | {"lid": [[3, 2]]}},
        r"facet \[2, 3\] is in boundaries 'rim' and 'lid'",
    ),
    "no facets": ({"boundaries": {"rim": np.empty((0, 2), int)}}, r"boundary 'rim' has no edges"),
    "no name": ({"boundaries": {3: [[0, 1]]}}, r"boundary 3, expected a name"),
    "no mapping": (
        {"boundaries": [[0, 1]]},
        r"boundaries is \[\[0, 1\]\], expected facets by name",
    ),
    "turned": (
        {"boundaries": {"rim": [[1, 0], [2, 1], [3, 2], [0, 3]]}},
        r"boundary 'rim' looks away from the fluid, expected edges with the fluid on their left",
    ),
    "numbers": ({"original": [0, 1, 2, 3, 3]}, r"original names a point twice"),
    "numbers short": ({"original": [0, 1]}, r"original has shape \(2,\)"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_wrong_clouds_are_refused_with_what_is_wrong(change, message):
    with pytest.raises(CloudError, match=message):
        square(**change)


def test_a_cloud_from_triangles_has_the_mesh_edges_boundaries_and_numbers():
    mesh = airfoil("naca0012", nodes=800)

    cloud = Cloud.from_mesh(mesh)

    np.testing.assert_array_equal(pairs_of(cloud.offsets, cloud.satellites), mesh.edges)
    np.testing.assert_array_equal(cloud.original, mesh.original)
    for name, edges in mesh.boundaries.items():
        np.testing.assert_array_equal(cloud.boundaries[name], edges)
    assert_exact_for_linear_fields(cloud)


def test_a_cloud_from_quads_has_four_satellites_inside():
    line = np.arange(4.0)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    n = np.arange(16).reshape(4, 4)
    quads = np.stack([n[:-1, :-1], n[:-1, 1:], n[1:, 1:], n[1:, :-1]], axis=-1).reshape(-1, 4)
    rim = np.concatenate([n[0, :], n[1:, -1], n[-1, -2::-1], n[-2:0:-1, 0]])
    edges = np.stack([rim, np.roll(rim, -1)], axis=1)

    cloud = Cloud.from_mesh(Mesh.from_arrays(points, quads, {"rim": edges}))

    assert np.diff(cloud.offsets)[n[1:-1, 1:-1]].tolist() == [[4, 4], [4, 4]]
    assert_exact_for_linear_fields(cloud)


def test_only_a_mesh_makes_a_cloud_from_a_mesh():
    with pytest.raises(CloudError, match="the mesh is 3, expected a kinemesh Mesh"):
        Cloud.from_mesh(3)
