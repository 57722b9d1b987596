"""The block of stations, rings and rays about a wing: numbers of its nodes, cells, boundaries.

Beyond a station the upper and lower half of the innermost ring are one line (the slit).
Right-handed: rays counter-clockwise seen against the span, rings outwards, stations along it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.generate.cones import cut_faces, tetrahedra

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


def ranks(number: Ints) -> NDArray[np.int64]:
    """(nodes,) ranks for cones and for diagonals, the same above and below the wing.

    The rays of the edges come first: beyond the tip, and at a sharp trailing edge, corners of cells
    are flat there, and a tetrahedron across a flat corner has no volume.  Of these the last station
    comes first, so that no triangle of the wing's last stations is one above and below.
    """
    stations, rings, around = number.shape
    ray = np.arange(around)
    ray = np.minimum(ray, around - ray)
    station, ring = np.arange(stations)[:, None, None], np.arange(rings)[:, None]
    edge = (ray == 0) | (ray == around // 2)
    along = np.where(edge, -1 - station, station)
    place = (along * rings + ring) * (around // 2 + 1) + ray
    found = np.empty(number.max() + 1, np.int64)
    found[number] = place
    return found


def hexahedra(number: Ints, rings: slice = slice(None)) -> Ints:
    """(k, 8) cells of the block between some of its rings."""
    closed = np.concatenate([number, number[:, :, :1]], axis=2)[:, rings]
    near, far = closed[:-1], closed[1:]
    sides = [
        (own[:, :-1, :-1], own[:, :-1, 1:], own[:, 1:, 1:], own[:, 1:, :-1]) for own in (near, far)
    ]
    return np.stack([corner.ravel() for side in sides for corner in side], axis=1)


def prisms(number: Ints, rank: NDArray[np.int64], rings: slice = slice(None)) -> Ints:
    """(k, 6) cells between some of the rings, faces of the first one cut alike in all of them."""
    closed = np.concatenate([number, number[:, :, :1]], axis=2)[:, rings]
    inner, outer = closed[:, :1], closed[:, 1:]
    sheet = _sheet(inner[:, 0])
    turn = np.argmin(rank[sheet], axis=1)[:, None]
    found = []
    for ring in range(outer.shape[1]):
        near, far = (_sheet(closed[:, k]) for k in (ring, ring + 1))
        near, far = (np.take_along_axis(own, (turn + np.arange(4)) % 4, 1) for own in (near, far))
        for three in ([0, 1, 2], [0, 2, 3]):
            found.append(np.concatenate([near[:, three], far[:, three]], axis=1))
    return np.concatenate(found)


def _sheet(nodes: Ints) -> Ints:
    """(k, 4) faces between stations and rays (stations, rays), seen from within the ring."""
    a, b, c, d = nodes[:-1, :-1], nodes[1:, :-1], nodes[1:, 1:], nodes[:-1, 1:]
    return np.stack([corner.ravel() for corner in (a, b, c, d)], axis=1)


def sides(number: Ints, slit: int) -> dict[str, Ints]:
    """(k, 4) faces of the wing, the symmetry plane and the far field."""
    closed = np.concatenate([number, number[:, :, :1]], axis=2)
    far = [_sheet(closed[-1]), _sheet(closed[:, -1])]
    return {
        "wing": _sheet(closed[: slit + 1, 0]),
        "symmetry": _sheet(closed[0]),
        "farfield": np.concatenate(far),
    }


def cells(
    number: Ints, slit: int, kind: str, layers: int
) -> tuple[dict[str, Ints], dict[str, Ints]]:
    """Cells by kind, and faces of the markers: hexes, prisms, tets or hybrid.

    Parameters
    ----------
    layers : of prisms about the wing, with tetrahedra beyond them, of a hybrid mesh
    """
    faces = sides(number, slit)
    if kind == "hexes":
        return {"hexahedra": hexahedra(number)}, faces
    rank = ranks(number)
    around = {"prisms": number.shape[1] - 1, "tets": 0, "hybrid": layers}[kind]
    made = {}
    if around:
        made["prisms"] = prisms(number, rank, slice(0, around + 1))
    if kind != "prisms":
        outer = hexahedra(number, slice(around, None))
        made["tetrahedra"] = tetrahedra({"hexahedra": outer}, rank)
    return made, {name: _cut(own, number, around, rank) for name, own in faces.items()}


def _cut(faces: Ints, number: Ints, around: int, rank: NDArray[np.int64]) -> Ints:
    """Faces of a marker as cells with prisms up to a ring have them."""
    ring = np.full(number.max() + 1, -1)
    for k in range(number.shape[1]):
        ring[number[:, k]] = k
    of = ring[faces]
    side = (of.min(axis=1) < of.max(axis=1)) & (of.max(axis=1) <= around)  # of prisms
    pad = ((0, 0), (0, 1))
    cut = np.pad(cut_faces(faces[~side], rank), pad, constant_values=-1)
    return np.concatenate([faces[side], cut]).astype(np.int32)
