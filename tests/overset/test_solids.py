"""Solids within walls: triangles of polygons."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import OversetError
from kinemesh.mesh import Mesh
from kinemesh.mesh.polygons import polygon_areas
from kinemesh.overset.connectivity import Connectivity
from kinemesh.overset.solids import ears, loops_of, within
from overset_brute import inside_loop
from overset_parts import background, grid_of, ring

EPS = np.finfo(float).eps


def star():
    """Hollow corners between spikes."""
    turn = np.arange(40) * np.pi / 20
    return np.where(np.arange(40) % 2, 0.3, 1.0)[:, None] * np.stack(
        [np.cos(turn), np.sin(turn)], 1
    )


def square():
    """Straight sides with nodes on them."""
    line = np.linspace(0, 1, 30, endpoint=False)
    z = np.concatenate([line, 1 + 1j * line, 1 + 1j - line, 1j - 1j * line])
    return np.stack([z.real, z.imag], axis=1)


def bracket():
    return np.array([(0, 0), (3, 0), (3, 3), (0, 3), (0, 2), (2, 2), (2, 1), (0, 1)], float)


def section():
    """A section with a sharp trailing edge, counter-clockwise."""
    mesh = km.mesh.airfoil("naca0012", nodes=2000)
    loop = loops_of(mesh.points, mesh.boundaries["airfoil"], "wing")[0]
    return mesh.points[loop[::-1]]


@pytest.mark.parametrize("shape", [star, square, bracket, section])
def test_ears_fill_a_polygon_once(shape):
    points = shape()
    n = len(points)

    found = ears(points, np.arange(n, dtype=np.int32), "body")

    area = polygon_areas(points, found)
    assert found.shape == (n - 2, 3)
    assert (area >= 0).all()  # straight sides have ears without area
    assert area.sum() == pytest.approx(polygon_areas(points, np.arange(n)[None])[0], rel=n * EPS)
    places = np.random.default_rng(1).uniform(points.min(0), points.max(0), (400, 2))
    edges = np.stack([np.arange(n), np.roll(np.arange(n), -1)], axis=1)
    turn = [
        (b[:, None] - a[:, None])[..., 0] * (places - a[:, None])[..., 1]
        - (b[:, None] - a[:, None])[..., 1] * (places - a[:, None])[..., 0]
        for a, b in ((points[found[:, k]], points[found[:, k - 2]]) for k in range(3))
    ]
    count = (np.array(turn) > 0).all(axis=0).sum(axis=0)
    np.testing.assert_array_equal(count, inside_loop(points, edges, places))


def test_no_node_has_most_triangles_of_a_large_polygon():
    turn = np.arange(2000) * 2 * np.pi / 2000
    points = np.stack([np.cos(turn), np.sin(turn)], axis=1)

    found = ears(points, np.arange(2000, dtype=np.int32), "body")

    # two per halving of the ring, of which there are 11, and a few at its end
    assert np.bincount(found.ravel()).max() <= 2 * 11 + 4


def test_polygons_that_cross_themselves_are_refused():
    points = np.array([(4, 2), (4, 1), (3, 4), (1, 0), (0, 0)], float)

    with pytest.raises(OversetError, match=r"'body': the walls near \(4, 2\) cross themselves"):
        ears(points, np.arange(5, dtype=np.int32), "body")


def test_walls_about_the_fluid_enclose_no_solid():
    made = ring(1.0, 2.0, 4, 16)
    walls = np.concatenate(list(made.boundaries.values()))

    loops = loops_of(made.points, walls, "tank")

    assert sorted(map(len, loops)) == [16, 16]
    found = within(made.points, loops, "tank")
    assert len(found) == 14
    assert np.hypot(*made.points[found].reshape(-1, 2).T) == pytest.approx(1.0)


def test_nodes_within_a_section_are_solid_and_those_beside_are_not(double):
    """A blunt body of triangles, moved: the search says cell or solid up to the wall's nodes."""
    mesh = km.mesh.airfoil("naca0012", nodes=4000, far_field=3.0)
    sides = {"airfoil": mesh.boundaries["airfoil"], "overset": mesh.boundaries["farfield"]}
    wing = Mesh(mesh.points, mesh.triangles, mesh.quads, sides)
    back = background(8.0, 0.02, 1.2)
    made = Connectivity(grid_of(double, {"wing": wing, "back": back}))
    made.update()

    parts = made.grid.meshes[0]
    own = parts.first[1] + np.arange(back.nodes)
    solid = double.get(made.status)[own] == -2
    expected = inside_loop(parts.points, parts.boundaries["wing"], parts.points[own])
    np.testing.assert_array_equal(solid, expected)
    assert solid.sum() > 50
