"""Faces of a mesh in space: those of one cell are its boundary, each in one marker.

Faces of triangles have -1 as fourth entry.  They run counter-clockwise seen from outside the fluid,
so that their area vectors point out of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.csr import ordered
from kinemesh.errors import MeshError
from kinemesh.mesh.coincident import Sides, check_doubled, check_marked, slits
from kinemesh.mesh.edges import four_wide, frozen, numbers
from kinemesh.mesh.kinds import SOLIDS

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
BITS = 64  # of a key
CHUNK = 1 << 16  # faces at a time: what is worked out of them stays in the caches


def open_faces(blocks: Mapping[str, Ints], nodes: int) -> Ints:
    """(faces, 4) faces of only one cell, as that cell has them.

    Raises
    ------
    MeshError    a face has three cells, or two on one side
    """
    found = [_open(blocks, nodes, corners) for corners in (3, 4)]
    return np.concatenate(found)


def _faces(blocks: Mapping[str, Ints], corners: int) -> Ints:
    """(corners, faces) faces of so many corners of all cells, the lowest node first."""
    each = [
        (cells, face) for name, cells in blocks.items() for face in SOLIDS[name].faces_of(corners)
    ]
    table: Ints = np.empty((corners, sum(len(cells) for cells, _ in each)), np.int32)
    at = 0
    for cells, face in each:
        for row, corner in zip(table, face, strict=True):
            row[at : at + len(cells)] = cells[:, corner]
        at += len(cells)
    for begin in range(0, table.shape[1], CHUNK):
        _turn(table[:, begin : begin + CHUNK])
    return table


def _turn(table: Ints) -> None:
    """Turn faces (corners, faces) to have their lowest node first, of equal ones the first."""
    first, lowest = np.zeros(table.shape[1], np.int8), table[0].copy()
    for k in range(1, len(table)):
        first[table[k] < lowest] = k
        np.minimum(lowest, table[k], out=lowest)
    for turn in range(1, len(table)):
        at = np.flatnonzero(first == turn)
        table[:, at] = np.roll(np.take(table, at, axis=1), -turn, axis=0)


def _open(blocks: Mapping[str, Ints], nodes: int, corners: int) -> Ints:
    """(faces, 4) faces of so many corners and of one cell."""
    table = _faces(blocks, corners)
    low, high = np.minimum(table[1], table[-1]), np.maximum(table[1], table[-1])
    backwards = table[1] > table[-1]
    width = max(int(nodes - 1).bit_length(), 1)
    room = max(BITS - 1 - 2 * width, 0)  # bits that the lowest node may have
    third = high if corners == 3 else table[2]
    if width <= room:
        groups: Any = [slice(None)]
    else:
        order, offsets = ordered(table[0] >> room, (nodes >> room) + 1)
        groups = np.split(order, offsets[1:-1])
    found = []
    for at in groups:
        lowest = table[0][at]
        base = (int(lowest[0]) >> room) << room if len(lowest) and width > room else 0
        key = (lowest - base).astype(np.uint64)
        for part in (low[at], third[at]):
            key <<= np.uint64(width)
            key |= part.astype(np.uint64)
        key <<= np.uint64(1)
        key |= backwards[at]
        if corners == 3:
            found.append(_alone(key, width, base, blocks))
        else:
            found.append(_alone_quads(table[:, at], key, high[at], blocks))
    return np.concatenate(found)


def _alone(key: NDArray[np.uint64], width: int, base: int, blocks: Mapping[str, Ints]) -> Ints:
    """(faces, 4) triangles that occur once, from the keys of all."""
    key.sort()  # values alone: many times faster than an order, and the key has all corners
    alone, wrong = _singles(key >> np.uint64(1), key)

    def corners(some: NDArray[np.uint64]) -> Ints:
        mask = np.uint64((1 << width) - 1)
        b, a = some >> np.uint64(1), some & np.uint64(1)
        parts = [b >> np.uint64(2 * width), (b >> np.uint64(width)) & mask, b & mask]
        x, y, z = (part.astype(np.int64) for part in parts)
        swap, none = a.astype(bool), np.full(len(some), -1)
        rows = [x + base, np.where(swap, z, y), np.where(swap, y, z), none]
        return np.stack(rows, axis=1).astype(np.int32)

    if len(wrong):
        _refuse(corners(key[wrong[:1]])[0], len(wrong), blocks)
    return corners(key[alone])


def _alone_quads(
    table: Ints, key: NDArray[np.uint64], high: Ints, blocks: Mapping[str, Ints]
) -> Ints:
    """(faces, 4) quadrilaterals that occur once."""
    order = np.argsort(key)
    same = np.diff(key[order] >> np.uint64(1)) == 0
    if (high[order[1:]][same] != high[order[:-1]][same]).any():  # they share three of four corners
        order = np.lexsort((key & np.uint64(1), high, key >> np.uint64(1)))
    sorted_key, fourth = key[order], high[order].astype(np.uint64)
    face = np.zeros(len(key), np.uint64)  # number of the face, as it is met
    new = (np.diff(sorted_key >> np.uint64(1)) != 0) | (np.diff(fourth) != 0)
    face[1:] = np.cumsum(new)
    alone, wrong = _singles(face, 2 * face + (sorted_key & np.uint64(1)))
    if len(wrong):
        _refuse(table[:, order[wrong[0]]], len(wrong), blocks)
    return table[:, order[alone]].T


def _singles(face: NDArray, sides: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of faces that occur once, and of those that occur thrice or twice on one side."""
    start = np.flatnonzero(np.concatenate([[True], face[1:] != face[:-1]])[: len(face)])
    count = np.diff(np.append(start, len(face)))
    crowded = start[count > 2]
    twice = np.flatnonzero(sides[1:] == sides[:-1])
    return start[count == 1], crowded if len(crowded) else twice


def _refuse(face: Ints, count: int, blocks: Mapping[str, Ints]) -> None:
    """MeshError about a face with too many cells."""
    corners = face[face >= 0]
    holders = [
        f"{SOLIDS[name].one} {i}"
        for name, cells in blocks.items()
        for i in np.flatnonzero(np.isin(cells, corners).sum(axis=1) == len(corners))
    ]
    raise MeshError(
        f"face {named(corners)} belongs to {len(holders)} cells ({', '.join(holders[:6])}), "
        f"expected 1, or 2 on its two sides: {count} such face(s); the cells overlap, as where a "
        "node has moved through a face and cells about it are inside out: repair the mesh, or "
        "remove a cell that is there twice"
    )


def named(face: NDArray) -> str:
    """Corners of a face in words."""
    return "-".join(str(int(node)) for node in face if node >= 0)


def oriented_faces(
    points: Floats, blocks: Mapping[str, Ints], boundaries: Mapping[str, ArrayLike]
) -> tuple[dict[str, Ints], list[str]]:
    """The markers' faces, area vectors out of the fluid; each open face in exactly one marker.

    Also sentences on markers whose faces lie on one another.
    """
    if not isinstance(boundaries, Mapping):
        raise MeshError(f"boundaries is {boundaries!r}, expected faces by marker: {{'wall': ...}}")
    for name in boundaries:
        if not isinstance(name, str):
            raise MeshError(f"marker {name!r}, expected a name such as 'wing'")
    there = open_faces(blocks, len(points))
    given = {name: _given(name, value, len(points)) for name, value in boundaries.items()}
    place = _places(list(given.values()), there)
    owner = np.full(len(there), -1)
    result = {}
    for number, ((name, faces), at) in enumerate(zip(given.items(), place, strict=True)):
        _claim(list(given), number, faces, at, owner)
        turned = there[at]
        turned.setflags(write=False)
        result[name] = turned
    missing = np.flatnonzero(owner < 0)
    sides = Sides.of(points, there, blocks)
    check_doubled(sides, blocks)
    check_marked(sides, missing, blocks)
    if len(missing):
        face = there[missing[0]]
        x = points[face[face >= 0]].mean(axis=0)
        raise MeshError(
            f"boundary face {named(face)} at ({x[0]:.6g}, {x[1]:.6g}, {x[2]:.6g}) is in no marker: "
            f"{len(missing)} such face(s); expected every face of only one cell in a marker "
            f"({', '.join(result) or 'there are none'}); add them to one"
        )
    return result, slits(sides, owner, list(given))


def _given(name: str, value: ArrayLike, nodes: int) -> Ints:
    """(k, 4) faces of a marker as given, triangles with -1 as fourth entry."""
    array = four_wide(numbers(value, f"marker '{name}'"))
    faces: Ints = frozen(array, np.int32, 4, f"marker '{name}'")
    if not len(faces):
        raise MeshError(f"marker '{name}' has no faces, expected at least one; remove it")
    outside = (faces >= nodes) | (faces < 0)
    outside[:, 3] &= faces[:, 3] != -1
    wrong = np.flatnonzero(outside.any(axis=1))
    if len(wrong):
        raise MeshError(
            f"marker '{name}': face {', '.join(map(str, faces[wrong[0]].tolist()))} names a node "
            f"that does not exist, expected 0 to {nodes - 1}, and -1 as fourth entry of triangles"
        )
    each = np.sort(faces, axis=1)
    twice = np.flatnonzero((each[:, 1:] == each[:, :-1]).any(axis=1))
    if len(twice):
        raise MeshError(
            f"marker '{name}': face {named(faces[twice[0]])} names a node twice: {len(twice)} such "
            "face(s); expected the corners of a triangle or quadrilateral: write a collapsed one "
            "as a triangle, leave out one that is a line, or take merge=0"
        )
    return faces


def _places(given: list[Ints], there: Ints) -> list[NDArray[np.intp]]:
    """Index of each given face among those that are there; -1 of one that is not."""
    rows = np.sort(np.concatenate([there, *given]), axis=1)
    order = np.lexsort(rows.T)
    ordered_rows = rows[order]
    new = np.concatenate([[True], (np.diff(ordered_rows, axis=0) != 0).any(axis=1)])
    number = np.empty(len(rows), np.intp)
    number[order] = np.cumsum(new[: len(rows)]) - 1
    at = np.full(len(rows) + 1, -1)
    at[number[: len(there)]] = np.arange(len(there))
    ends = np.cumsum([len(faces) for faces in given])[:-1]
    return np.split(at[number[len(there) :]], ends) if given else []


def _claim(
    names: list[str], number: int, faces: Ints, place: NDArray[np.intp], owner: NDArray
) -> None:
    """Record the marker of each face; refuse one that is not open, or has two markers."""
    name = names[number]
    lost = np.flatnonzero(place < 0)
    if len(lost):
        raise MeshError(
            f"marker '{name}': face {named(faces[lost[0]])} is not a boundary face, expected a "
            f"face of exactly one cell: {len(lost)} such face(s); correct the marker"
        )
    taken = np.flatnonzero(owner[place] >= 0)
    if len(taken):
        other = names[owner[place[taken[0]]]]
        raise MeshError(
            f"face {named(faces[taken[0]])} is in markers '{other}' and '{name}': {len(taken)} "
            "such face(s); expected each boundary face in one marker; remove it from the other"
        )
    each, counts = np.unique(place, return_counts=True)
    if (counts > 1).any():
        twice = faces[np.flatnonzero(place == each[np.argmax(counts > 1)])[0]]
        raise MeshError(f"marker '{name}' lists face {named(twice)} more than once, expected once")
    owner[place] = number
