"""Facets of boundaries, edges in the plane and polygons in space: areas, corners, tangents.

Facets have the fluid on their left, in space their area vector points out of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def lengths(vectors: NDArray[Any]) -> Floats:
    """(...) lengths of vectors (..., d)."""
    found: Floats = np.hypot.reduce(vectors, axis=-1)
    return found


def units(vectors: Floats) -> tuple[Floats, Floats]:
    """Unit vectors (n, d) of vectors, 0 of one without a length, and (n,) lengths."""
    length = lengths(vectors)
    return vectors / np.maximum(length, 1e-300)[:, None], length


def area_vectors(points: Floats, facets: NDArray[Any]) -> Floats:
    """(k, d) area vectors out of the fluid.

    Parameters
    ----------
    facets : (k, 2) edges, (k, 3) triangles, or (k, 4) faces, -1 the last one of a triangle
    """
    corner = points[np.where(facets < 0, facets[:, :1], facets)]
    if facets.shape[1] == 2:
        return turned_right(corner[:, 1] - corner[:, 0])
    last = corner[:, 3 % facets.shape[1]]  # of a triangle the first one
    return 0.5 * np.cross(corner[:, 2] - corner[:, 0], last - corner[:, 1])


def turned_right(vectors: Floats, axis: int = -1) -> Floats:
    """Vectors of the plane turned by a right angle, clockwise: of an edge, out of the fluid.

    Parameters
    ----------
    axis : of their two components
    """
    x, y = np.moveaxis(vectors, axis, 0)
    return np.stack([y, -x], axis=axis)


def turned_left(vectors: Floats) -> Floats:
    """Vectors (..., 2) of the plane turned by a right angle, counter-clockwise."""
    x, y = np.moveaxis(vectors, -1, 0)
    return np.stack([-y, x], axis=-1)


def corners_of(facets: NDArray[Any]) -> NDArray[np.int64]:
    """(k, 4) each corner of facets, the next and the last one, and that across.

    There is none across in edges and triangles, and none before the first or after the last corner
    of an edge: -1.
    """
    found, none = [], np.full(len(facets), -1)
    if facets.shape[1] == 2:
        begin, end = facets.T
        found = [np.stack(own, axis=1) for own in ((end, none, begin, none),
                                                   (begin, end, none, none))]  # fmt: skip
    for size in range(3, facets.shape[1] + 1):
        own = facets[(facets >= 0).sum(axis=1) == size][:, :size]
        for k in range(size):
            across = own[:, (k + 2) % 4] if size == 4 else np.full(len(own), -1)
            found.append(
                np.stack([own[:, k], own[:, (k + 1) % size], own[:, k - 1], across], axis=1)
            )
    return np.concatenate(found).astype(np.int64)


def shares(x: Floats, corners: NDArray[Any]) -> Floats:
    """(k, d) area vectors out of the fluid of what a corner has of its facet, as its dual has.

    Of an edge that is half, of a face the two triangles that the middles of its edges and that of
    its corners make.

    Parameters
    ----------
    corners : as of `corners_of`
    """
    at, after, before, across = corners.T
    if x.shape[1] == 2:
        begins = (after >= 0)[:, None]
        return turned_right(0.5 * np.where(begins, x[after] - x[at], x[at] - x[before]))
    origin = x[at]
    next_, last = x[after] - origin, x[before] - origin
    far = np.where(across[:, None] < 0, 0.0, x[across] - origin)
    middle = (next_ + last + far) / np.where(across < 0, 3, 4)[:, None]
    return 0.25 * (np.cross(next_, middle) + np.cross(middle, last))


def downstream(areas: Floats, stream: Floats) -> Floats:
    """(n, d) vectors across area vectors (n, d), as long as these, that go with `stream` (n, d).

    In the plane the one of both tangents that goes downstream; in space 0 where the stream goes
    straight across.
    """
    if areas.shape[1] == 2:
        way = turned_left(areas)
        return way * np.where((way * stream).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    normal, size = units(areas)
    way, _ = units(stream - (stream * normal).sum(axis=1, keepdims=True) * normal)
    return way * size[:, None]
