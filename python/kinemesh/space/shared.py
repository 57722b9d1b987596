"""Loads at nodes where walls of two bodies meet: each body takes its share (theory, 2.7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.volumes import Volumes

Floats = NDArray[np.float64]


class Shared:
    """Nodes that belong to walls of two bodies, in space of more.

    Kernels add all of such a node's force to one of them, whose sums are mended here: pressures
    act on each body's own half edge, in space on its share of its faces, and friction is divided by
    the lengths of the two.

    Parameters
    ----------
    grid : Volumes, whose walls have a row for each node

    Attributes
    ----------
    row : (k,) rows of the wall at such nodes, one for each body that lacks them;  node : (k,) these
    owner, other : (k,) bodies that the kernels have them for, and that lack them
    """

    def __init__(self, grid: Volumes) -> None:
        self.grid = grid
        self.row = np.empty(0, np.int64)
        if grid.on == "cells" or not grid.owners.several:
            return
        if grid.dimensions == 2:
            self._in_plane()
        else:
            self._in_space()

    def _in_plane(self) -> None:
        grid, wall = self.grid, self.grid.wall
        sides = np.full((2, grid.nodes), -1)  # bodies of the edges that end and begin at a node
        for body, (member, marker) in enumerate(grid.bodies):
            first, second = grid.first[member] + grid.meshes[member].boundaries[marker].T
            sides[0, second], sides[1, first] = body, body
        at = sides[:, wall.node]
        self.row = np.flatnonzero((at >= 0).all(axis=0) & (at[0] != at[1]))
        self.node, self.owner = wall.node[self.row].astype(np.int64), wall.body[self.row]
        self._of_other = np.argmax(at[:, self.row] != self.owner, axis=0)
        self.other = at[self._of_other, self.row]
        self._ends = wall.shape["ends"][self.row]

    def _in_space(self) -> None:
        grid, wall = self.grid, self.grid.wall
        made = []
        for body, (member, marker) in enumerate(grid.bodies):
            corners = corners_of(np.asarray(grid.meshes[member].boundaries[marker], np.int64))
            corners[corners >= 0] += grid.first[member]
            made.append(np.insert(corners, 0, body, axis=1))
        table = np.concatenate([np.empty((0, 5), np.int64), *made])
        owner = np.full(grid.nodes, -1)
        owner[wall.node] = wall.body
        others = table[table[:, 0] != owner[table[:, 1]]]
        pairs, self._pair = np.unique(others[:, :2], axis=0, return_inverse=True)
        self._pair, self._corners = self._pair.ravel(), others[:, 1:]
        self.other, self.node = pairs.T
        self.row, self.owner = wall.places(self.node), owner[self.node]

    def __len__(self) -> int:
        return len(self.row)

    def mend(self, sums: Floats, about: Floats, pressure: Floats, more: Floats) -> None:
        """Move the other body's share of force and moment to it.

        Parameters
        ----------
        sums : (3, bodies)    force along x and y, nose-up moment; changed
        about : (members, 2)    point of the moments
        pressure : (k,) that loads are of;  more : (k, 2) forces beside those of the pressures,
            which are of the plane
        """
        x = self.grid.backend.get(self.grid.x)
        area, share = self._own_faces(x) if x.shape[1] == 3 else self._own_edges(x)
        force = pressure[:, None] * area + share[:, None] * more
        arm = x[self.node][:, [0, -1]] - about[self.grid.member[self.node]]
        moved = np.stack([*force.T, arm[:, 1] * force[:, 0] - arm[:, 0] * force[:, 1]])
        for row, values in zip(sums, moved, strict=True):
            np.subtract.at(row, self.owner, values)
            np.add.at(row, self.other, values)

    def _own_edges(self, x: Floats) -> tuple[Floats, Floats]:
        """Area vectors (k, 2) of the other body's half edges, and (k,) their share of length."""
        before = 0.5 * (x[self.node] - x[self._ends[:, 0]])
        after = 0.5 * (x[self._ends[:, 1]] - x[self.node])
        way = np.where(self._of_other[:, None] == 0, before, after)
        share = np.hypot(*way.T) / (np.hypot(*before.T) + np.hypot(*after.T))
        return np.stack([way[:, 1], -way[:, 0]], axis=1), share

    def _own_faces(self, x: Floats) -> tuple[Floats, Floats]:
        """Area vectors (k, 2) along x and z of the other body's faces at a node, and no friction.

        Of a face the node has the two triangles that the middles of its edges and that of its
        corners make, as its dual has.
        """
        at, after, before, across = self._corners.T
        origin = x[at]
        after, before = x[after] - origin, x[before] - origin
        far = np.where(across[:, None] < 0, 0.0, x[across] - origin)
        middle = (after + before + far) / np.where(across < 0, 3, 4)[:, None]
        own = 0.25 * (np.cross(after, middle) + np.cross(middle, before))
        area = np.zeros((len(self.row), 3))
        np.add.at(area, self._pair, own)
        return area[:, [0, 2]], np.zeros(len(self.row))


def corners_of(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """(k, 4) each corner of faces (n, 3 or 4), the next and the last one, and that across or -1."""
    found = []
    for size in range(3, faces.shape[1] + 1):
        own = faces[(faces >= 0).sum(axis=1) == size][:, :size]
        for k in range(size):
            across = own[:, (k + 2) % 4] if size == 4 else np.full(len(own), -1)
            found.append(
                np.stack([own[:, k], own[:, (k + 1) % size], own[:, k - 1], across], axis=1)
            )
    return np.concatenate(found)
