"""Slabs of cells in space between two planes of symmetry, across any axis; their rigid motion."""

import kinemesh as km
import numpy as np
import pytest
from solids import lattice, meshed

HALF, DEPTH = 6.0, 2  # half width, and cells between the planes
# axis of the vortex: axes of the slab's own x and z, and the angle of the stream from x to z [deg]
AXES = {"y": ((0, 2), 30.0), "x": ((2, 1), 90.0), "z": ((1, 0), 0.0)}
ACROSS = {"x": 0, "y": 1, "z": 2}
PLANES = {"near": "symmetry", "far": "symmetry"}


def slab(count, kind, axis="y", shaken=0.0):
    """A mesh of |a|, |c| <= HALF, finer by three in the middle, between planes across the axis.

    Parameters
    ----------
    count : cells along a and c
    shaken : largest shift of nodes off the rim along each axis, those on the planes in them
        [cells]
    """
    rest, blocks = lattice((count, DEPTH, count), kind)
    most = np.array([count, DEPTH, count])
    loose = (rest > 0) & (rest < most)
    loose[:, [0, 2]] &= loose[:, [0, 2]].all(axis=1, keepdims=True)
    loose[:, 1] &= loose[:, 0]
    shift = np.random.default_rng(count).uniform(-shaken, shaken, rest.shape)
    s = 2 * (rest + loose * shift) / most - 1
    wide = HALF * (s + s**3) / 2
    wide[:, 1] = HALF / count * DEPTH * (s[:, 1] + 1) / 2
    points = np.empty_like(wide)
    first, last = AXES[axis][0]
    points[:, [first, ACROSS[axis], last]] = wide
    if axis != "y":  # a turn of all three axes keeps cells the right way round
        assert np.linalg.det(np.eye(3)[[first, ACROSS[axis], last]]) == pytest.approx(1.0)
    mesh = meshed(points, blocks)
    rim, y = mesh.boundaries["rim"], mesh.points[:, ACROSS[axis]]
    corners = y[np.where(rim < 0, rim[:, :1], rim)]
    near, far = ((corners == level).all(axis=1) for level in (y.min(), y.max()))
    sides = {"near": rim[near], "far": rim[far], "farfield": rim[~(near | far)]}
    return km.Mesh.from_blocks(mesh.points, mesh.solids, sides)


def rigid(axis):
    """Law of a mesh that turns about the axis and shifts across it, as one."""
    plane = list(AXES[axis][0])

    def law(points, t):
        place = points[:, plane] @ [1, 1j] * np.exp(0.5j * np.sin(2.1 * t)) + (0.5 + 0.3j) * t
        moved = points.copy()
        moved[:, plane] = np.stack([place.real, place.imag], axis=1)
        return moved

    return law
