"""Layers of points about bodies, and the rule by which points keep their distance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FAN = np.radians(60.0)  # a convex corner that turns more gets points all around
NEIGHBOURS = 8  # of a new point that may be too near


def thinned(points: Floats, radius: Floats, kept: cKDTree) -> Bools:
    """(n,): new points no nearer than `radius` to kept ones and, in their order, each other."""
    good = kept.query(points, workers=-1)[0] >= radius
    at = np.flatnonzero(good)
    if len(at) < 2:
        return good
    count = min(NEIGHBOURS, len(at))
    distance, near = cKDTree(points[at]).query(points[at], k=count, workers=-1)
    i, column = np.nonzero(distance < radius[at][:, None])
    j = near[i, column]
    later = j > i
    for a, b in zip(*(v[later] for v in (i, j)), strict=True):
        if good[at[a]]:
            good[at[b]] = False
    return good


class Rays:
    """Rays from wall points into the fluid; a ray ends before a point without room.

    Parameters
    ----------
    wall : (m, 2)      closed curve, fluid on the left
    spacing : (m,)     along the wall
    first : (m,)       height of the first layer
    growth : float     of the layers' heights
    """

    def __init__(self, wall: Floats, spacing: Floats, first: Floats, growth: float) -> None:
        out = _unit(np.roll(wall, -1, axis=0) - wall)
        left = np.stack([-out[:, 1], out[:, 0]], axis=1)
        before = np.roll(left, 1, axis=0)
        self.wall, self.spacing, self.growth = wall, spacing, growth
        cosine = np.clip((left * before).sum(axis=1), -1.0, 1.0)
        cross = before[:, 0] * left[:, 1] - before[:, 1] * left[:, 0]
        self.turn = -np.arctan2(cross, cosine)  # convex positive
        middle = left + before
        flat = np.linalg.norm(middle, axis=1) < 1e-6
        self.normal = _unit(np.where(flat[:, None], out, middle))
        self.step, self.height = first.copy(), np.zeros(len(wall))
        self.alive = self.turn < FAN
        self.corners = np.flatnonzero(~self.alive)
        self.at = np.empty(0, np.intp)

    def next(self, field: Callable) -> tuple[Floats, Floats]:
        """Points of the next layer (k, 2), and their distance from the last layer (k,)."""
        alive = np.flatnonzero(self.alive)
        ahead = self.wall + (self.height + self.step)[:, None] * self.normal
        step = np.minimum(self.step, field(ahead)[0])
        self.height += step
        points = [self.wall[alive] + self.height[alive, None] * self.normal[alive]]
        steps, self.at = [step[alive]], alive
        for corner in self.corners.tolist():
            fan = self._fan(corner)
            points.append(fan)
            steps.append(np.full(len(fan), step[corner]))
        self.step = self.step * self.growth
        return np.concatenate(points), np.concatenate(steps)

    def _fan(self, corner: int) -> Floats:
        """Points around a convex corner, on a circle of the layer's height."""
        turn, height = self.turn[corner], self.height[corner]
        count = max(1, round(turn * height / max(self.spacing[corner], 0.8 * height)))
        share = (np.arange(count) + 0.5) / count - 0.5
        angle = np.arctan2(*self.normal[corner][::-1]) + share * turn
        return self.wall[corner] + height * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def stop(self, good: Bools) -> None:
        """End the rays whose last point was refused; `good` is of the points of `next`."""
        self.alive[self.at[~good[: len(self.at)]]] = False


def _unit(vector: Floats) -> Floats:
    return vector / np.linalg.norm(vector, axis=-1, keepdims=True)
