"""Points within a distance of one another, and of those, whatever their number at one place.

Points in one cube of a lattice are near; each cube is known by its first point.  A pole may have
thousands of nodes, of which the pairs are millions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kinemesh.errors import MeshError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST = 60  # cubes about each within a tolerance that means anything
FAR = 1e100  # beyond which the square of a length may be no number
WAYS = (  # directions in general position, of length 1 at most
    (0.5403, 0.6117, 0.5779),
    (0.8191, -0.3307, 0.4687),
    (-0.2963, 0.7879, 0.5397),
    (0.1871, 0.5501, -0.8138),
)
CUBES = 2.0**52  # along an axis: what a float64 can count


def first_within(points: Floats, tolerance: float) -> Ints:
    """(n,) for each point the first of those that it is one with; itself where none is near.

    Raises
    ------
    MeshError    the tolerance is larger than what lies between the points
    """
    everyone = np.arange(len(points))
    if not len(points) or not np.isfinite(points).all():
        return everyone
    shrink = shrinking(points)
    points, tolerance = shrink * points, shrink * tolerance
    side = tolerance / np.sqrt(points.shape[1])
    low, wide = points.min(axis=0), np.ptp(points, axis=0).max()
    counted = side * CUBES > wide  # or else the cubes are as small as numbers can tell apart
    cube = _first_of(np.floor((points - low) / side) if counted and side > 0 else points)
    ends = [np.stack([everyone, cube], axis=1), _between(points, cube, tolerance)]
    a, b = np.concatenate(ends).T
    graph = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(len(points), len(points)))
    _, part = connected_components(graph, directed=False)
    _, first = np.unique(part, return_index=True)
    found: Ints = first[part].astype(np.int64)
    return found


def not_alone(points: Floats, tolerance: Floats) -> NDArray[np.intp]:
    """Points that may have another one within their own tolerance, (n,); hardly any others.

    As seen along some directions, one after the other: what is near is near in each.
    """
    found = np.arange(len(points))
    rounding = 64 * np.finfo(float).eps * np.abs(points).max(initial=0.0)
    for way in WAYS:
        if len(found) < 2:
            return found[:0]
        along = points[found] @ np.array(way[: points.shape[1]])
        order = np.argsort(along)
        gap = np.diff(along[order])
        reach = tolerance[found[order]] + rounding
        close = np.zeros(len(found), bool)
        close[1:] |= gap <= reach[1:]
        close[:-1] |= gap <= reach[:-1]
        found = np.sort(found[order[close]])
    return found if len(found) > 1 else found[:0]


def shrinking(points: Floats) -> float:
    """Factor that makes the squares of lengths numbers; 1 where they are."""
    most = float(np.abs(points).max(initial=0.0))
    return 1.0 if most < FAR else 1.0 / most


def _first_of(rows: Floats) -> Ints:
    """(n,) the first of the rows that are as each is."""
    order = np.lexsort((np.arange(len(rows)), *rows.T))
    new = np.concatenate([[True], (rows[order[1:]] != rows[order[:-1]]).any(axis=1)])
    first = np.empty(len(rows), np.int64)
    first[order] = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    return first


def _between(points: Floats, cube: Ints, tolerance: float) -> Ints:
    """(k, 2) points of different cubes that are near, enough of them to join the cubes."""
    from scipy.spatial import cKDTree  # here: meshes that are not merged do without

    heads = np.unique(cube)
    tree = cKDTree(points[heads])
    # points that are near have heads at most three tolerances apart
    count = tree.count_neighbors(tree, 3 * tolerance)
    if count > MOST * len(heads):
        raise MeshError(
            f"merge: the tolerance is {tolerance:g}, and about each node are "
            f"{count / len(heads):.0f} places within three of it, expected less than the edges of "
            "cells; give it in the lengths of the file"
        )
    pairs = heads[tree.query_pairs(3 * tolerance, output_type="ndarray").reshape(-1, 2)]
    apart = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    near = apart <= tolerance
    some = np.flatnonzero(np.isin(cube, pairs[~near]))
    if not len(some):
        return pairs[near]
    own = some[cKDTree(points[some]).query_pairs(tolerance, output_type="ndarray").reshape(-1, 2)]
    return np.concatenate([pairs[near], own])
