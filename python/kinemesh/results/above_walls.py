"""Lines of nodes, or of cells, that leave a wall of the plane along its normal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.results.along_walls import along

if TYPE_CHECKING:
    from kinemesh.results.flow_fields import Fields

FloatArray = NDArray[np.float64]
STRAIGHT = 0.7  # cosine of the turn of a line between two steps, at least


class Nodes:
    """Places of a wall where layers of fields of nodes begin: the wall's nodes.

    Attributes
    ----------
    places : (n, 2) of what the fields have numbers of;  wall : numbers of those on walls
    foot, normal : (k, 2) on the wall, normals into the gas
    first : (k,) number of the place at each foot;  off : True where that is off the wall
    fewest : places of a layer, at least;  word : for them
    """

    off: ClassVar[bool] = False
    fewest: ClassVar[int] = 3
    word: ClassVar[str] = "nodes"

    def __init__(self, frame: Fields, walls: NDArray[Any]) -> None:
        self.frame, self.places, self.wall = frame, frame.points, np.unique(frame.walls)
        self.first, self.normal = _normals(walls, frame.points)
        self.foot = frame.points[self.first]

    def pairs(self) -> NDArray[Any]:
        """(m, 2) places beside each other."""
        return _sides(self.frame.cells).reshape(-1, 2)

    def height(self, distance: FloatArray) -> float:
        """Height that y+ at the wall is of, from the distances of a layer."""
        return float(distance[1])

    def speed(self, first: int) -> FloatArray:
        """(3,) velocity of the wall."""
        return np.asarray(self.frame["Velocity"][first])


class Cells(Nodes):
    """Places of a wall at rest where layers of fields of cells begin: middles of its edges."""

    off = True
    fewest = 2
    word = "cells"

    def __init__(self, frame: Fields, walls: NDArray[Any]) -> None:
        self.frame, self.wall = frame, np.empty(0, np.int64)
        corners, x = frame.cells, frame.points
        count = (corners >= 0).sum(axis=1)
        ring = x[corners] * (corners >= 0)[..., None]
        self.places = ring.sum(axis=1) / count[:, None]
        ends = x[walls]
        way = ends[:, 1] - ends[:, 0]
        self.foot, size = ends.mean(axis=1), np.maximum(np.hypot(*way.T), 1e-300)
        self.normal = np.stack([-way[:, 1], way[:, 0]], axis=1) / size[:, None]
        sides, keys = _keys(_sides(corners), len(x)), _keys(walls, len(x))
        known = np.argsort(sides, axis=None)
        at = np.searchsorted(sides.ravel(), keys, sorter=known)
        self.first = known[at] // sides.shape[1]

    def pairs(self) -> NDArray[Any]:
        keys = _keys(_sides(self.frame.cells), len(self.frame.points))
        cell = np.broadcast_to(np.arange(len(keys))[:, None], keys.shape).ravel()
        order = np.argsort(keys, axis=None, kind="stable")
        found = keys.ravel()[order]
        same = np.flatnonzero(found[1:] == found[:-1])
        both = np.stack([cell[order[same]], cell[order[same + 1]]], axis=1)
        return both[both[:, 0] != both[:, 1]]

    def height(self, distance: FloatArray) -> float:
        return 2 * float(distance[0])  # as of `kinemesh.space.walls.WallFaces`

    def speed(self, first: int) -> FloatArray:
        del first
        return np.zeros(3)


STATIONS: dict[str, type[Nodes]] = {"points": Nodes, "cells": Cells}
"""Places where layers begin, by what fields have numbers of."""


def _sides(cells: NDArray[Any]) -> NDArray[Any]:
    """(cells, 4, 2) nodes of the sides of each; of a triangle one is from a node to itself."""
    ring = np.where(cells < 0, cells[:, :1], cells)
    return np.stack([ring, np.roll(ring, -1, axis=1)], axis=-1)


def _keys(pairs: NDArray[Any], nodes: int) -> NDArray[Any]:
    """Numbers of pairs of nodes (..., 2), the same either way round."""
    low, high = pairs.min(axis=-1), pairs.max(axis=-1)
    return np.asarray(low.astype(np.int64) * nodes + high)


def _normals(walls: NDArray[Any], points: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Nodes of a wall, and their normals (nodes, 2) into the gas."""
    nodes = along(walls, points)
    place = np.zeros(len(points), np.int64)
    place[nodes] = np.arange(len(nodes))
    way = points[walls[:, 1]] - points[walls[:, 0]]
    normal = np.zeros((len(nodes), 2))
    for end in walls.T:
        np.add.at(normal, place[end], np.stack([-way[:, 1], way[:, 0]], axis=1))
    return nodes, normal / np.maximum(np.hypot(*normal.T), 1e-300)[:, None]


def line_above(
    stations: Nodes, first: int, foot: FloatArray, normal: FloatArray, reach: float
) -> list[int]:
    """Places from a wall's along its normal, each the neighbour that lies straightest ahead."""
    x, wall = stations.places, stations.wall
    pairs = stations.pairs()
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    order, offsets = ordered(pairs[:, 0], len(x))
    found, ahead = [first], normal
    while True:
        near = pairs[order[slice(*offsets[found[-1] : found[-1] + 2])], 1]
        near = near[(near != found[-1]) & ~np.isin(near, wall)]
        way = x[near] - x[found[-1]]
        way /= np.maximum(np.hypot(*way.T), 1e-300)[:, None]
        best = int(np.argmax(way @ ahead)) if len(near) else -1
        if best < 0 or way[best] @ ahead < STRAIGHT or (x[near[best]] - foot) @ normal > reach:
            return found
        found.append(int(near[best]))
        ahead = way[best]
