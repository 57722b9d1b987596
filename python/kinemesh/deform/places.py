"""Search for the tetrahedron that holds a place, and for the nearest triangle; on the host."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.fields import Fields
from kinemesh.dimension import XYZ
from kinemesh.linear.pattern import chunks
from kinemesh.space.distance import GROUPS, beside

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
HELD = 32  # tetrahedra in a box


def holding(points: Floats, corners: Floats) -> tuple[Ints, Floats]:
    """Numbers (n,) of the tetrahedra that hold points (n, 3), and their least coordinates there.

    The coordinate is negative where no tetrahedron holds the point, and -1e300, with -1 as number,
    where it is in the box of none.

    Parameters
    ----------
    corners : (tetrahedra, 4, 3)    of positive volume
    """
    from scipy.spatial import cKDTree  # here, as what else moves meshes does without

    order = cKDTree(corners.mean(axis=1), HELD).indices
    sorted_corners = corners[order]
    offsets, _ = chunks(np.array([0, len(corners)]), HELD)
    element, least = np.empty(len(points), np.int32), np.empty(len(points))
    _fields(
        place=points,
        low=np.minimum.reduceat(sorted_corners.min(axis=1), offsets[:-1]),
        high=np.maximum.reduceat(sorted_corners.max(axis=1), offsets[:-1]),
        offsets=offsets,
        corner=np.arange(4 * len(corners), dtype=np.int32).reshape(-1, 4),
        vertex=sorted_corners.reshape(-1, 3),
        element=element,
        least=least,
    ).bind("carrier_find")()
    return np.where(element < 0, -1, order[element]).astype(np.int32), least


def nearest(points: Floats, corners: Floats) -> tuple[Ints, Floats]:
    """Numbers (n,) of the triangles nearest to points (n, 3), and the distances (n,) to them.

    Parameters
    ----------
    corners : (triangles, 3, 3), at least one
    """
    order = beside(corners)
    offsets, _ = chunks(np.array([0, len(corners)]), GROUPS[3])
    found, distance = np.empty(len(points), np.int32), np.empty(len(points))
    own = _fields(
        vertex=corners[order].reshape(-1, 3),
        facet=np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3),
        offsets=offsets,
        middle=np.empty((len(offsets) - 1, 3)),
        radius=np.empty(len(offsets) - 1),
        place=points,
        nearest=found,
        distance=distance,
    )
    own.bind("wall_groups")()
    own.bind("carrier_nearest")()
    return order[found].astype(np.int32), distance


def _fields(**arrays: NDArray) -> Fields:
    """Fields of kernels on the host."""
    made = {name: np.ascontiguousarray(own) for name, own in arrays.items()}
    return Fields(Backend("cpu"), XYZ.endings, **made)


def closest(points: Floats, corners: Floats) -> Floats:
    """Shares (n, 3) of the corners of triangles (n, 3, 3) at the place nearest to points (n, 3).

    The place is in the triangle, or on one of its sides; of a triangle without an area on a side.
    """
    a, b, c = np.moveaxis(corners, 1, 0)
    normal = np.cross(b - a, c - a)
    square = (normal**2).sum(axis=1)
    pairs = (b, c), (c, a), (a, b)
    across = [(np.cross(t - s, points - s) * normal).sum(axis=1) for s, t in pairs]
    inner = np.stack(across, axis=1) / np.where(square > 0, square, 1.0)[:, None]
    candidates, away = [inner], [_away(points, corners, inner)]
    away[0][~((square > 0) & (inner >= 0).all(axis=1))] = np.inf
    for k in range(3):
        one, two = corners[:, k], corners[:, (k + 1) % 3]
        length = ((two - one) ** 2).sum(axis=1)
        along = ((points - one) * (two - one)).sum(axis=1) / np.where(length > 0, length, 1.0)
        share = np.zeros_like(inner)
        share[:, (k + 1) % 3] = np.clip(along, 0.0, 1.0)
        share[:, k] = 1.0 - share[:, (k + 1) % 3]
        candidates.append(share)
        away.append(_away(points, corners, share))
    which = np.stack(away).argmin(axis=0)
    return np.asarray(np.stack(candidates)[which, np.arange(len(points))])


def _away(points: Floats, corners: Floats, share: Floats) -> Floats:
    """(n,) squares of the distances of points to places of triangles."""
    place = (share[:, :, None] * corners).sum(axis=1)
    return np.asarray(((points - place) ** 2).sum(axis=1))
