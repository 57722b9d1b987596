"""Visibility past walls: does the straight line between two points cross a boundary facet?

A line that touches a facet is blocked, so a thin trailing edge hides what is behind it.  Facets
that share a point with the line are left to the directions that lead from that point into the
fluid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from kinemesh.cloud.fans import Fan2, Fan3
from kinemesh.mesh.facets import area_vectors
from kinemesh.mesh.geometry.crossing import crossed

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PAIRS = 2_000_000  # lines times facets that are tested at once: bounds the memory
LINES = 100_000  # lines whose facets are looked up at once
SIZES = 4.0  # facets whose sizes differ by less than this share a tree
FANS: dict[int, type[Fan2 | Fan3]] = {2: Fan2, 3: Fan3}


class Walls:
    """Facets of all boundaries of a cloud, in a spatial index.

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
        self.fan = FANS[d](points, facets)
        corner = points[facets]
        middle = corner.mean(axis=1)
        reach = np.linalg.norm(corner - middle[:, None], axis=2).max(axis=1)
        self.classes = []
        size = np.floor(np.log(reach) / np.log(SIZES)).astype(int)
        for level in np.unique(size):  # similar sizes together: short lists of near facets
            members = np.flatnonzero(size == level)
            tree = cKDTree(middle[members])
            # a line that starts farther off than its length cannot reach a facet
            distance = tree.query(points, workers=-1)[0] - reach[members].max()
            self.classes.append((tree, members, float(reach[members].max()), distance))

    def inward(self, at: Ints) -> Floats:
        """(k, d) unit normals into the fluid at boundary points, the mean of their facets'."""
        total = np.zeros_like(self.points)
        area = -area_vectors(self.points, self.facets)
        for column in range(self.facets.shape[1]):
            np.add.at(total, self.facets[:, column], area)
        normal = total[at]
        size = np.linalg.norm(normal, axis=1)[:, None]
        return normal / np.where(size > 0, size, 1.0)

    def hidden(self, a: Ints, b: Ints) -> Bools:
        """(k,): does a wall block the line from point a to point b?"""
        arm = self.points[b] - self.points[a]
        length = np.linalg.norm(arm, axis=1)
        hit = np.zeros(len(a), bool)
        on = np.flatnonzero(self.on[a])
        if len(on):
            hit[on] = ~self.fan.open(a[on], arm[on, None])[:, 0]
        for tree, members, reach, distance in self.classes:
            near = np.flatnonzero(~hit & (distance[a] <= length * (1 + 1e-9)))
            for start in range(0, len(near), LINES):
                line = near[start : start + LINES]
                middle = self.points[a[line]] + 0.5 * arm[line]
                radius = (0.5 * length[line] + reach) * (1 + 1e-9)
                lists = tree.query_ball_point(middle, radius, workers=-1, return_sorted=True)
                count = np.array([len(part) for part in lists])
                facet = members[np.concatenate(lists).astype(np.intp)]
                self._cross(a, b, np.repeat(line, count), facet, hit)
        return hit

    def _cross(
        self, a: Ints, b: Ints, line: NDArray[np.intp], facet: NDArray[np.intp], hit: Bools
    ) -> None:
        """Set `hit` of the lines that cross one of their facets."""
        for start in range(0, len(line), PAIRS):
            part = slice(start, start + PAIRS)
            at, near = line[part], facet[part]
            ends = self.facets[near]
            own = (ends == a[at, None]).any(axis=1) | (ends == b[at, None]).any(axis=1)
            at, ends = at[~own], ends[~own]
            found = crossed(self.points[a[at]], self.points[b[at]], self.points[ends])
            hit[at[found]] = True
