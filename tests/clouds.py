"""Clouds in space that tests share."""

import kinemesh as km
import numpy as np
from kinemesh.cloud.satellites import centres
from scipy.spatial import Delaunay as Triangulation

AXES = np.array([0.5, 0.8, 0.12])  # of a half wing: an ellipsoid cut at y = 0
RADIUS, LAYERS, AROUND = 4.0, 9, 130


def box(count=5, seed=1, half=False, across=1, wall=None):
    """A jittered cube [0, 1]^3 of tetrahedra.

    With `half` the side y = 0 (or x or z, `across`) is a plane of symmetry; that of `wall` a wall.
    """
    rng, side = np.random.default_rng(seed), np.linspace(0, 1, count + 1)
    points = np.stack(np.meshgrid(side, side, side), -1).reshape(-1, 3)
    loose = (points > 0) & (points < 1)
    points = points + loose * rng.uniform(-0.25, 0.25, points.shape) / count
    cells = Triangulation(points).simplices
    corner = points[cells]
    volume = np.linalg.det(corner[:, 1:] - corner[:, :1])
    cells = cells[np.abs(volume) > 1e-9]
    faces = np.concatenate([np.delete(cells, k, axis=1) for k in range(4)])
    _, first, count_ = np.unique(np.sort(faces, 1), axis=0, return_index=True, return_counts=True)
    skin = faces[first[count_ == 1]]
    flat = half & (points[skin, across] == 0).all(1)
    solid = (points[skin, across if wall is None else wall] == 0).all(1) & (wall is not None)
    sides = {"farfield": skin[~flat & ~solid], "symmetry": skin[flat], "wall": skin[solid]}
    sides = {name: facets for name, facets in sides.items() if len(facets)}
    return km.Cloud.from_tetrahedra(points, cells, sides, worst_condition=1e4)


def half_wing(moved=np.array):
    """Scattered points in layers about a half ellipsoid, satellites by Delaunay's tetrahedra.

    Parameters
    ----------
    moved : points -> points, such as those in another unit of length
    """
    points, cells, boundary = half_wing_cells()
    return km.Cloud.from_tetrahedra(moved(points), cells, boundary, 1e4)


def half_wing_cells():
    """Points, tetrahedra and sides of a half wing, which is an ellipsoid of root chord 1."""
    turn = np.pi * (3 - np.sqrt(5)) * np.arange(2 * AROUND)  # Fibonacci's sphere
    y = np.linspace(-1, 1, 2 * AROUND)
    ring = np.sqrt(1 - y**2)
    sphere = np.stack([ring * np.cos(turn), y, ring * np.sin(turn)], 1)[AROUND:]
    flat = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rim = np.stack([np.cos(flat), 0 * flat, np.sin(flat)], 1)
    direction = np.concatenate([sphere, rim])
    out = np.geomspace(1, 1 + RADIUS, LAYERS) - 1
    rng = np.random.default_rng(0)
    points = []
    for k, length in enumerate(out):
        loose = rng.uniform(0.9, 1.1, (len(direction), 1)) if 0 < k < LAYERS - 1 else 1.0
        points.append(direction * (AXES * (1 - length / RADIUS) + length * loose))
    points = np.concatenate(points)
    cells = Triangulation(points).simplices
    corner = points[cells]
    volume = np.abs(np.linalg.det(corner[:, 1:] - corner[:, :1]))
    on_wing = (cells < len(direction)).all(axis=1)  # inside it, as it is convex
    cells = cells[(volume > 1e-9) & ~on_wing]
    used, cells = np.unique(cells, return_inverse=True)
    assert len(used) == len(points)
    cells = cells.reshape(-1, 4)
    return points, cells, sides(points, cells, len(direction))


def sides(points, cells, wing):
    """Open faces by where they are; the first `wing` points are on the wing."""
    faces = np.concatenate([np.delete(cells, k, axis=1) for k in range(4)])
    _, first, count = np.unique(np.sort(faces, 1), axis=0, return_index=True, return_counts=True)
    skin = faces[first[count == 1]]
    on_plane = (points[skin, 1] == 0).all(axis=1)
    near = (skin < wing).all(axis=1) & ~on_plane
    return {"wing": skin[near], "symmetry": skin[on_plane], "farfield": skin[~near & ~on_plane]}


def lattice(count):
    """A cube [0, 1]^3 of count^3 points with the satellites along its lines."""
    side = np.linspace(0, 1, count)
    points = np.stack(np.meshgrid(side, side, side, indexing="ij"), -1).reshape(-1, 3)
    number = np.arange(count**3).reshape(count, count, count)
    pairs, facets = [], []
    for axis in range(3):
        lines = np.moveaxis(number, (axis, (axis + 1) % 3), (0, 1))
        pairs.append(np.stack([lines[:-1].ravel(), lines[1:].ravel()], 1))
        for face, turn in ((lines[-1], 1), (lines[0], -1)):
            a, b, c, d = face[:-1, :-1], face[1:, :-1], face[1:, 1:], face[:-1, 1:]
            for triangle in ((a, b, c), (a, c, d)):
                facets.append(np.stack([corner.ravel() for corner in triangle], 1)[:, ::turn])
    return km.Cloud.from_pairs(points, np.concatenate(pairs), {"farfield": np.concatenate(facets)})


def pairs_of(offsets, satellites):
    """(entries / 2, 2): each pair of a symmetric table once, lower number first."""
    centre = centres(offsets)
    once = centre < satellites
    return np.stack([centre[once], satellites[once]], axis=1)
