"""Points behind a closed boundary are refused, whichever way the cloud is made."""

import kinemesh as km
import numpy as np
import pytest
from clouds import pairs_of
from kinemesh.cloud import Cloud
from kinemesh.cloud.sides import closed_curves, in_fluid
from kinemesh.errors import CloudError
from test_cloud_bare import faces, lattice

pytestmark = pytest.mark.no_sanitizer

HOLE = np.array([35, 36, 37, 48, 59, 58, 57, 46])  # around point 47 of the lattice
POINTS, RIM = lattice()


def edges(curve, turned=False):
    pairs = np.stack([curve, np.roll(curve, -1)], axis=1)
    return pairs[:, ::-1] if turned else pairs


def whole():
    return Cloud.from_points(POINTS, {"rim": RIM})


def test_a_point_in_a_hole_of_a_cloud_with_given_satellites_is_refused():
    cloud = whole()
    pairs = pairs_of(cloud.offsets, cloud.satellites)
    boundaries = {"rim": edges(RIM), "hole": edges(HOLE, turned=True)}

    with pytest.raises(CloudError, match=r"point 47 at \(0\.3, 0\.4\) is behind boundary 'hole'"):
        Cloud.from_pairs(POINTS, pairs, boundaries)


def test_a_node_beyond_the_outer_boundary_of_a_mesh_is_refused():
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, -0.2]])
    pairs = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]]

    with pytest.raises(CloudError, match=r"point 4 at \(0\.5, -0\.2\) is behind boundary 'rim'"):
        Cloud.from_pairs(points, pairs, {"rim": edges(np.arange(4))})


@pytest.mark.parametrize("parts", [1, 2], ids=["one name", "two names"])
def test_edges_in_any_order_and_of_several_names_make_the_curve(parts):
    hole = np.random.default_rng(5).permutation(edges(HOLE, turned=True))
    named = {f"hole{k}": hole[k::parts] for k in range(parts)}

    with pytest.raises(CloudError, match=r"point 47 at .* behind boundary 'hole\d'.*: 1 such"):
        Cloud.from_points(POINTS, {"rim": RIM} | named)


def test_curves_that_end_or_touch_are_left_out():
    closed, open_, eight = edges(np.array([4, 2, 9])), [[5, 6], [6, 7]], [0, 1, 8, 0, 3, 10]
    touching = np.stack([eight, np.roll(eight, -1)], axis=1)

    found = closed_curves(np.concatenate([open_, closed, touching]).astype(np.int32), 11)

    assert [curve.tolist() for curve in found] == [[2, 3, 4]]


def test_a_boundary_that_ends_is_refused_for_that():
    rim = edges(RIM)

    with pytest.raises(CloudError, match=r"^boundary 'rim' is not closed: it ends at point \d+ at"):
        Cloud.from_points(POINTS, {"rim": rim[:-3]})
    with pytest.raises(CloudError, match=r": 4 such end\(s\); give the edges between them$"):
        Cloud.from_points(POINTS, {"one": rim[:5], "other": rim[7:-3]})
    Cloud.from_points(POINTS, {"one": rim[:5], "other": rim[5:]})


def in_a_box(turned):
    """A box in a box, and points between them."""
    outer, far = faces((0, 0, 0), (4, 4, 4), (8, 8, 8))
    box, wall = faces((1, 1, 1), (3, 3, 3), (4, 4, 4))
    line = np.arange(0.5, 3.9, 0.5) + 0.01
    inner = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    between = inner[(np.abs(inner - 2).max(axis=1) > 1.2)]
    wall = wall[:, ::-1] if turned else wall
    return np.concatenate([outer, box, between]), {"far": far, "box": wall + len(outer)}


def test_in_space_points_between_two_surfaces_are_in_the_fluid():
    points, boundaries = in_a_box(turned=True)

    in_fluid(points, boundaries)

    assert len(Cloud.from_points(points, boundaries).points) == len(points)


@pytest.mark.parametrize(
    ("place", "name"),
    [((2.0, 2.0, 2.0), "box"), ((1.1, 1.1, 2.9), "box"), ((2.0, 2.0, 4.2), "far")],
    ids=["in the middle", "in a corner", "outside"],
)
def test_in_space_a_point_behind_a_surface_is_refused(place, name):
    points, boundaries = in_a_box(turned=True)
    n = len(points)

    with pytest.raises(CloudError, match=rf"point {n} at \(.*\) is behind boundary '{name}'.* 1 s"):
        Cloud.from_points(np.vstack([points, place]), boundaries)


def test_of_a_surface_with_a_hole_nothing_is_known():
    points, boundaries = in_a_box(turned=True)
    boundaries["box"] = boundaries["box"][1:]

    in_fluid(np.vstack([points, [2.0, 2.0, 2.0]]), boundaries)


def test_twins_in_space_are_refused():
    points, boundaries = in_a_box(turned=True)
    n = len(points)

    with pytest.raises(CloudError, match=rf"points 7 and {n} are both at "):
        Cloud.from_points(np.vstack([points, points[7]]), boundaries)


def test_a_limit_that_the_points_cannot_meet_names_one():
    """A corner of the lattice sees a quarter of the plane only: condition 2 of 3 satellites."""
    with pytest.raises(CloudError, match=r"point 0 at \(0, 0\).* condition 2, expected at most 1"):
        km.Cloud.from_points(POINTS, {"rim": RIM}, worst_condition=1.2)
