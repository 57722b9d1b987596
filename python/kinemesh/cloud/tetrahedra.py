"""Clouds from tetrahedral meshes: edges for satellites, open faces for boundaries."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.cloud import checks
from kinemesh.errors import CloudError

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))  # outward where the volume is positive
FLAT = 1e-14  # volume of a tetrahedron over the cube of its longest edge


def connected(
    points: Floats, cells: ArrayLike, boundaries: Mapping[str, ArrayLike]
) -> tuple[Ints, dict[str, Ints]]:
    """Pairs of satellites (k, 2) and boundary triangles, turned outwards, by name."""
    if points.shape[1] != 3:
        raise CloudError(f"from_tetrahedra: points has shape {points.shape}, expected (points, 3)")
    table = _turned(points, checks.indices(cells, (None, 4), len(points), "tetrahedra"))
    pairs = np.concatenate([table[:, list(edge)] for edge in itertools.combinations(range(4), 2)])
    idle = np.flatnonzero(np.bincount(table.ravel(), minlength=len(points)) == 0)
    if len(idle):
        raise CloudError(
            f"point {idle[0]} belongs to no tetrahedron, expected every point in one: "
            f"{len(idle)} such point(s); remove them"
        )
    return pairs, _named(_open_faces(table), checks.facets(points, boundaries))


def _turned(points: Floats, cells: Ints) -> Ints:
    """Cells with positive volume; CloudError for flat ones."""
    corner = points[cells]
    arms = corner[:, 1:] - corner[:, :1]
    volume = np.einsum("kd,kd->k", np.cross(arms[:, 0], arms[:, 1]), arms[:, 2]) / 6.0
    longest = np.linalg.norm(arms, axis=2).max(axis=1, initial=0.0)
    flat = np.flatnonzero(~(np.abs(volume) > FLAT * longest**3))
    if len(flat):
        raise CloudError(
            f"tetrahedron {flat[0]} with points {cells[flat[0]].tolist()} has volume "
            f"{volume[flat[0]]:.3g}, expected some: {len(flat)} such cell(s)"
        )
    return np.where((volume > 0)[:, None], cells, cells[:, [0, 2, 1, 3]])


def _open_faces(cells: Ints) -> Ints:
    """(k, 3) outward faces of one cell only, sorted by their points."""
    face = np.concatenate([cells[:, list(corners)] for corners in FACES])
    key = np.sort(face, axis=1)
    order = np.lexsort(key.T[::-1])
    key, face = key[order], face[order]
    start = np.flatnonzero(np.append(True, (np.diff(key, axis=0) != 0).any(axis=1)))
    count = np.diff(np.append(start, len(key)))
    crowded = np.flatnonzero(count > 2)
    if len(crowded):
        raise CloudError(
            f"face {key[start[crowded[0]]].tolist()} belongs to {count[crowded[0]]} tetrahedra, "
            "expected 1 or 2; remove the cells that overlap"
        )
    return face[start[count == 1]]


def _named(faces: Ints, boundaries: dict[str, Ints]) -> dict[str, Ints]:
    """Outward faces of each boundary; each open face in one, and no other faces."""
    place = {tuple(key): i for i, key in enumerate(np.sort(faces, axis=1).tolist())}
    free = np.ones(len(faces), bool)
    result = {}
    for name, given in boundaries.items():
        at = [place.get(tuple(key), -1) for key in np.sort(given, axis=1).tolist()]
        if -1 in at:
            raise CloudError(
                f"boundary '{name}': triangle {given[at.index(-1)].tolist()} is no face of exactly "
                f"one tetrahedron: {at.count(-1)} such triangle(s); correct the boundary"
            )
        free[at] = False
        result[name] = faces[at]
    if free.any():
        raise CloudError(
            f"face {faces[np.argmax(free)].tolist()} of one tetrahedron is in no boundary: "
            f"{free.sum()} such face(s); expected every one in a boundary ({', '.join(result)})"
        )
    return result
