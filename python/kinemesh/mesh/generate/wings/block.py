"""The block of stations, rings and rays about a wing: numbers of its nodes, cells, faces.

Beyond a station the upper and lower half of the innermost ring are one line (the slit).
Right-handed: rays counter-clockwise seen against the span, rings outwards, stations along it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


def merged(shape: tuple[int, ...], slit: int) -> tuple[Ints, NDArray[np.intp]]:
    """Numbers (stations, rings, around), two sides of the slit as one, and the places kept."""
    around = shape[2]
    place = np.arange(np.prod(shape)).reshape(shape)
    mirror = np.arange(around)
    mirror = np.minimum(mirror, (around - mirror) % around)
    place[slit:, 0] = place[slit:, 0][:, mirror]
    kept, number = np.unique(place, return_inverse=True)
    return number.reshape(shape).astype(np.int32), kept


def ranks(number: Ints, last: int | None = None) -> NDArray[np.int64]:
    """(nodes,) ranks for cones and for diagonals, the same above and below the wing.

    The rays of the edges come first: beyond the tip, and at a sharp trailing edge, corners of cells
    are flat there, and a tetrahedron across a flat corner has no volume.  Of these the last station
    comes first, so that no triangle of the wing's last stations is one above and below.

    last : ring whose nodes come after those of all others of their station
    """
    stations, rings, around = number.shape
    ray = np.arange(around)
    ray = np.minimum(ray, around - ray)
    station, ring = np.arange(stations)[:, None, None], np.arange(rings)[:, None]
    if last is not None:
        ring = np.where(ring == last, rings, ring)
    edge = (ray == 0) | (ray == around // 2)
    along = np.where(edge, -1 - station, station)
    place = (along * (rings + 1) + ring) * (around // 2 + 1) + ray
    found = np.empty(number.max() + 1, np.int64)
    found[number] = place
    return found


def hexahedra(number: Ints) -> Ints:
    """(k, 8) cells of the block, station by station and in each ring by ring."""
    closed = np.concatenate([number, number[:, :, :1]], axis=2)
    near, far = closed[:-1], closed[1:]
    sides = [
        (own[:, :-1, :-1], own[:, :-1, 1:], own[:, 1:, 1:], own[:, 1:, :-1]) for own in (near, far)
    ]
    return np.stack([corner.ravel() for side in sides for corner in side], axis=1)


def prisms(number: Ints, rank: NDArray[np.int64], where: NDArray[np.bool_] | None = None) -> Ints:
    """(k, 6) cells between the rings, ring by ring; faces of the first are cut alike in all.

    where : (stations - 1, around) faces that are cut, by default all
    """
    closed = np.concatenate([number, number[:, :, :1]], axis=2)
    there = slice(None) if where is None else where.ravel()
    faces = sheet(closed[:, 0])[there]
    turn = np.argmin(rank[faces], axis=1)[:, None]
    found = []
    for ring in range(closed.shape[1] - 1):
        near, far = (sheet(closed[:, k])[there] for k in (ring, ring + 1))
        near, far = (np.take_along_axis(own, (turn + np.arange(4)) % 4, 1) for own in (near, far))
        for three in ([0, 1, 2], [0, 2, 3]):
            found.append(np.concatenate([near[:, three], far[:, three]], axis=1))
    return np.concatenate(found)


def sheet(nodes: Ints) -> Ints:
    """(k, 4) faces between stations and rays (stations, rays), seen from within the ring."""
    a, b, c, d = nodes[:-1, :-1], nodes[1:, :-1], nodes[1:, 1:], nodes[:-1, 1:]
    return np.stack([corner.ravel() for corner in (a, b, c, d)], axis=1)


def sides(number: Ints, slit: int) -> dict[str, Ints]:
    """(k, 4) faces of the wing, the symmetry plane and the far field."""
    closed = np.concatenate([number, number[:, :, :1]], axis=2)
    far = [sheet(closed[-1]), sheet(closed[:, -1])]
    return {
        "wing": sheet(closed[: slit + 1, 0]),
        "symmetry": sheet(closed[0]),
        "farfield": np.concatenate(far),
    }
