"""What walls hide: does the straight line between two points cross a boundary facet?

A line that touches a facet is blocked, so a thin trailing edge hides what is behind it.  Facets
that share a point with the line are left to the directions that lead from that point into the
fluid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from kinemesh.cloud.checks import area_vectors
from kinemesh.cloud.crossing import crossed
from kinemesh.cloud.fans import Fan2, Fan3

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PAIRS = 4_000_000  # lines times facets that are tested at once: bounds the memory


class Walls:
    """The facets of all boundaries of a cloud, found by place.

    Parameters
    ----------
    points : (n, d)
    facets : (k, d)    of all boundaries, outward as in `Cloud`
    """

    def __init__(self, points: Floats, facets: Ints) -> None:
        self.points, self.facets = points, facets
        n, d = points.shape
        self.on = np.zeros(n, bool)
        self.on[facets] = True
        self.fan = (Fan2 if d == 2 else Fan3)(points, facets)
        corner = points[facets]
        middle = corner.mean(axis=1)
        reach = np.linalg.norm(corner - middle[:, None], axis=2).max(axis=1)
        self.classes = []
        size = np.floor(np.log2(reach)).astype(int) if len(facets) else np.empty(0, int)
        for level in np.unique(size):  # similar sizes together: short lists of near facets
            members = np.flatnonzero(size == level)
            tree = cKDTree(middle[members])
            self.classes.append((tree, members, float(reach[members].max())))

    def inward(self, at: Ints) -> Floats:
        """(k, d) unit normals into the fluid at boundary points, the mean of their facets'."""
        total = np.zeros_like(self.points)
        area = -area_vectors(self.points, self.facets)
        for column in range(self.facets.shape[1]):
            np.add.at(total, self.facets[:, column], area)
        normal = total[at]
        size = np.linalg.norm(normal, axis=1)[:, None]
        return normal / np.where(size > 0, size, 1.0)

    def visible(self, centre: Ints, near: Ints, distance: Floats) -> Bools:
        """(k, m): is the line from each centre (k,) to each of its near points (k, m) free?

        `distance` (k,) bounds the lengths of a centre's lines.
        """
        free = np.ones(near.shape, bool)
        on = np.flatnonzero(self.on[centre])
        if len(on):
            arm = self.points[near[on]] - self.points[centre[on], None]
            free[on] &= self.fan.open(centre[on], arm)
        for tree, members, reach in self.classes:
            radius = (distance + reach) * (1 + 1e-9)
            first = tree.query(self.points[centre], workers=-1)[0]
            close = np.flatnonzero(first <= radius)
            self._cross(centre, near, free, close, tree, members, radius)
        return free

    def _cross(self, centre, near, free, close, tree, members, radius) -> None:
        """Clear `free` where a line crosses a facet of one class."""
        step = max(1, PAIRS // (16 * near.shape[1]))
        for start in range(0, len(close), step):
            rows = close[start : start + step]
            lists = tree.query_ball_point(
                self.points[centre[rows]], radius[rows], workers=-1, return_sorted=True
            )
            count = np.array([len(part) for part in lists])
            facet = members[np.concatenate(lists).astype(np.intp)]
            row = np.repeat(rows, count)
            for k in range(0, len(row), 16 * step):
                part = slice(k, k + 16 * step)
                hit = self._hits(centre[row[part]], near[row[part]], facet[part])
                at, column = np.nonzero(hit)
                free[row[part][at], column] = False

    def _hits(self, centre: Ints, near: Ints, facet: NDArray[np.intp]) -> Bools:
        """(k, m): does the line from centre k to near point m cross facet k?"""
        ends = self.facets[facet]
        corners = self.points[ends]
        start, stop = self.points[centre], self.points[near]
        own = (ends == centre[:, None]).any(axis=1)
        normal = area_vectors(self.points, ends)
        side = np.einsum("kd,kd->k", normal, start - corners[:, 0])
        other = np.einsum("kd,kmd->km", normal, stop - corners[:, None, 0])
        size = np.linalg.norm(normal, axis=1) * np.linalg.norm(stop - start[:, None], axis=2).max(1)
        slack = (1e-10 * size)[:, None]
        apart = (side[:, None] > slack) & (other > slack)
        apart |= (side[:, None] < -slack) & (other < -slack)
        shared = (near[..., None] == ends[:, None]).any(axis=2)
        k, m = np.nonzero(~apart & ~shared & ~own[:, None])
        hit = np.zeros(near.shape, bool)
        hit[k, m] = crossed(start[k], stop[k, m], corners[k])
        return hit
