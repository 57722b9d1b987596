"""Closed curves in the plane: which points they contain, where they cross."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.geometry.crossing import edges_crossed

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PAIRS = 20_000_000  # points times edges that are looked at once: bounds the memory


def area(curve: Floats) -> float:
    """Signed area of a closed curve (m, 2), counter-clockwise positive."""
    x, y = (curve - curve[0]).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def inside(points: Floats, curve: Floats) -> Bools:
    """(n,) is each point inside the closed curve (m, 2)?  By rays along x, edge by edge."""
    order = np.argsort(points[:, 1], kind="stable")
    x, y = points[order].T
    start, stop = curve, np.roll(curve, -1, axis=0)
    low, high = np.minimum(start[:, 1], stop[:, 1]), np.maximum(start[:, 1], stop[:, 1])
    first, last = np.searchsorted(y, low, "left"), np.searchsorted(y, high, "left")
    odd = np.zeros(len(points), bool)
    count = last - first
    block = (np.cumsum(count) - 1) // PAIRS  # edges in runs of about PAIRS
    for part in np.split(np.arange(len(curve)), np.flatnonzero(np.diff(block)) + 1):
        size = count[part]
        edge = np.repeat(part, size)
        at = np.arange(len(edge)) - np.repeat(np.cumsum(size) - size, size) + first[edge]
        share = (y[at] - start[edge, 1]) / (stop[edge, 1] - start[edge, 1])
        right = start[edge, 0] + share * (stop[edge, 0] - start[edge, 0]) > x[at]
        odd ^= np.bincount(at[right], minlength=len(points)) % 2 == 1
    result = np.empty_like(odd)
    result[order] = odd
    return result


def first_crossing(one: Floats, other: Floats | None = None) -> tuple[int, int] | None:
    """Pair of edges where a closed curve crosses another, or itself; None without a crossing."""
    second = one if other is None else other
    a, b = one, np.roll(one, -1, axis=0)
    p, q = second, np.roll(second, -1, axis=0)
    for i in range(len(a)):
        box = (np.minimum(p, q) <= np.maximum(a[i], b[i])).all(axis=1)
        box &= (np.maximum(p, q) >= np.minimum(a[i], b[i])).all(axis=1)
        if other is None:
            box[[i - 1, i, (i + 1) % len(a)]] = False
        k = np.flatnonzero(box)
        if len(k):
            start, stop = (np.broadcast_to(v[i], (len(k), 2)) for v in (a, b))
            met = k[edges_crossed(start, stop, p[k], q[k])]
            if len(met):
                return i, int(met[0])
    return None
