"""Triangles for pictures cover the fluid between the points of a cloud, and nothing else."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cloud.display import Shown, triangles
from kinemesh.mesh.geometry.crossing import edges_crossed
from solver_cases import three_element

pytestmark = pytest.mark.no_sanitizer

CLOUDS = {
    "three elements": lambda: three_element(points=5000),
    "blunt": lambda: three_element(points=5000, trailing_edges="blunt"),
    "regular": lambda: km.cloud.airfoil("naca0012", points=600, far_field=8.0),
    "of a C-mesh": lambda: km.Cloud.from_mesh(km.mesh.airfoil(nodes=1500, topology="c")),
    "renumbered": lambda: km.cloud.airfoil("naca64a010", points=600, far_field=8.0).renumbered(),
}


def areas(points, corner):
    """(t,) signed areas of triangles."""
    (ax, ay), (bx, by) = ((points[corner[:, k]] - points[corner[:, 0]]).T for k in (1, 2))
    return 0.5 * (ax * by - ay * bx)


def enclosed(points, facets):
    """Area on the left of closed curves of edges."""
    (x, y), (xx, yy) = points[facets[:, 0]].T, points[facets[:, 1]].T
    return 0.5 * np.sum(x * yy - xx * y)


def assert_nothing_is_crossed(points, corner, facets):
    """No side of a triangle meets a boundary edge but in an end that they share."""
    sides = np.unique(np.sort(np.concatenate([corner[:, [k, k - 1]] for k in range(3)]), 1), axis=0)
    for a, b in facets:
        apart = ~np.isin(sides, [a, b]).any(axis=1)
        p, q = points[sides[apart, 0]], points[sides[apart, 1]]
        ends = (np.broadcast_to(points[v], p.shape) for v in (a, b))
        assert not edges_crossed(p, q, *ends).any()


@pytest.mark.long
@pytest.mark.parametrize("name", CLOUDS)
def test_triangles_cover_the_fluid_and_no_body(name):
    """Counter-clockwise triangles whose areas add up to that between the boundaries."""
    cloud = CLOUDS[name]()
    facets = np.concatenate(list(cloud.boundaries.values()))

    shown = Shown.of(cloud)

    got = areas(cloud.points, shown.triangles)
    assert (got > 0).all()
    want = enclosed(cloud.points, facets)
    assert got.sum() == pytest.approx(want, rel=len(got) * np.finfo(float).eps)
    assert_nothing_is_crossed(cloud.points, shown.triangles, facets)
    assert len(np.unique(shown.triangles)) == len(cloud.points)


def plate(thick, rise):
    """Points, edges: a plate of four long edges in a square, with points `rise` off its sides."""
    points = [(-1, 0), (0, thick), (1, 0), (0, -thick)]
    points += [(x, side * rise) for side in (1, -1) for x in (-0.5, 0.5)]
    points += [(-4, -4), (4, -4), (4, 4), (-4, 4)]
    facets = [(0, 1), (1, 2), (2, 3), (3, 0), (8, 9), (9, 10), (10, 11), (11, 8)]
    return np.array(points, float), np.array(facets, np.int32)


def test_triangles_do_not_reach_through_a_thin_plate():
    """The points off its sides are nearer to each other than its own are: no side is a Delaunay
    edge, and what crosses one is left out."""
    points, facets = plate(thick=0.01, rise=0.05)

    corner = triangles(points, facets)

    assert_nothing_is_crossed(points, corner, facets)
    upper = np.isin(corner, [4, 5]).any(axis=1)
    assert not (upper & np.isin(corner, [6, 7]).any(axis=1)).any()
    assert 0 < areas(points, corner).sum() < enclosed(points, facets)


def test_a_notch_in_the_outer_boundary_is_no_fluid():
    points = np.array([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2), (1, 0.25)], float)
    facets = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])

    corner = triangles(points, facets)

    assert areas(points, corner).sum() == pytest.approx(2.5)
    assert [2, 3, 4] not in np.sort(corner, axis=1).tolist()
