"""Distance to walls in space, against that to every triangle and to exact bodies."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.pieces import triangles_of
from kinemesh.space.distance import distances, wall_distance
from kinemesh.space.solid_cells import SolidCells
from kinemesh.space.solids import SolidGrid, SolidVertices
from solids import cube

SIDES = {"wall": ["sphere"], "far": ["farfield"]}
ROUNDING = 8e-15  # of products of three differences, each up to 4, over their size
FAR = 2e-14  # of roundings of places 20 away


@cache
def sphere():
    return km.mesh.sphere(nodes=1500)


def made(backend, meshes, sides=SIDES, kind=SolidGrid):
    volumes = kind(SolidVertices(backend, meshes, sides))
    volumes.start()
    return volumes, backend.get(wall_distance(volumes, sides["wall"]))


def to_edges(place, one, other):
    """(n, k) distances to segments, of which some are points."""
    way, arm = other - one, place[:, None] - one
    square = (way**2).sum(axis=1)
    share = ((arm * way).sum(axis=2) / np.where(square > 0, square, 1)).clip(0, 1)
    return np.linalg.norm(arm - share[:, :, None] * way, axis=2)


def to_triangles(place, corner):
    """(n,) least distance to triangles (k, 3, 3): to their sides, or to where it is straight above
    by the shares of the corners, from a system of two equations."""
    each = [to_edges(place, corner[:, k], corner[:, k - 1]) for k in range(3)]
    e, f, arm = (corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0],
                 place[:, None] - corner[:, 0])  # fmt: skip
    ee, ef, ff = ((a * b).sum(axis=1) for a, b in ((e, e), (e, f), (f, f)))
    a, b = (arm * e).sum(axis=2), (arm * f).sum(axis=2)
    whole = ee * ff - ef**2
    flat = whole <= 1e-12 * ee * ff
    s, t = (ff * a - ef * b, ee * b - ef * a) / np.where(flat, 1, whole)
    inside = (s > 0) & (t > 0) & (s + t < 1) & ~flat
    foot = arm - s[..., None] * e - t[..., None] * f
    each.append(np.where(inside, np.linalg.norm(foot, axis=2), np.inf))
    return np.min(each, axis=(0, 2))


def test_distances_are_those_to_every_triangle():
    """Triangles of every size through one another, some of them lines and points."""
    rng = np.random.default_rng(8)
    size = 10.0 ** rng.uniform(-3, 0, (100, 1, 1)) * (rng.random((100, 1, 1)) < 0.95)
    corner = rng.uniform(-1, 1, (100, 1, 3)) + size * rng.normal(size=(100, 3, 3))
    corner[:9, 2] = 0.5 * (corner[:9, 0] + corner[:9, 1])
    place = np.concatenate([rng.uniform(-3, 3, (700, 3)), corner.reshape(-1, 3)])

    found = distances(place, corner)

    assert np.abs(found - to_triangles(place, corner)).max() <= ROUNDING
    assert (found[700:] == 0).all()


def test_distances_to_a_plate_are_exact():
    """Above it straight down, beside it to its edges and corners."""
    side, rng = np.linspace(0, 1, 8), np.random.default_rng(3)
    x = np.stack([*np.meshgrid(side, 2 * side, indexing="ij"), np.zeros((8, 8))], -1).reshape(-1, 3)
    at = np.arange(64).reshape(8, 8)
    faces = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    place = rng.uniform(-2, 3, (2000, 3))

    beyond = np.maximum(0, np.maximum(-place, place - (1, 2, 0)))

    found = distances(place, x[triangles_of(faces)])
    assert np.abs(found - np.linalg.norm(beyond, axis=1)).max() <= ROUNDING


def test_distances_to_a_sphere_are_within_its_facets(backend):
    """Facets lie between the sphere and the one that they touch from outside."""
    mesh = sphere()
    _, found = made(backend, [mesh])

    nodes = np.unique(mesh.boundaries["sphere"])
    middle = mesh.points[nodes].mean(axis=0)
    outside = np.linalg.norm(mesh.points - middle, axis=1)
    most = outside[nodes].max()
    corner = mesh.points[triangles_of(mesh.boundaries["sphere"])] - middle
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    least = (np.abs((normal * corner[:, 0]).sum(axis=1)) / np.linalg.norm(normal, axis=1)).min()
    assert found.dtype == np.float64
    assert (found >= outside - most - FAR).all()
    assert (found <= outside - least + FAR).all()
    assert np.flatnonzero(found == 0).tolist() == nodes.tolist()


@pytest.mark.parametrize("kind", [SolidGrid, SolidCells])
def test_members_in_space_have_the_distances_of_their_own_walls(double, kind):
    """A sphere, a cube without a wall, and a sphere of another place."""
    ball, box = sphere(), cube(2)
    other = ball.transformed(2 * ball.points + (1.0, 0.0, 3.0))
    sides = {"wall": ["sphere"], "far": ["farfield", "rim"]}

    volumes, distance = made(double, [ball, box, other], sides, kind)

    place = np.split(double.get(volumes.fields["x"]), volumes.first[1:-1])
    found = np.split(distance, volumes.first[1:-1])
    assert np.isposinf(found[1]).all()
    for member, mesh in ((0, ball), (2, other)):
        corner = mesh.points[triangles_of(mesh.boundaries["sphere"])]
        exact = to_triangles(place[member][::7], corner)
        assert np.abs(found[member][::7] - exact).max() <= 2 * FAR
