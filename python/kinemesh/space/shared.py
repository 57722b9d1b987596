"""Loads at nodes where walls of two bodies meet: each body takes its share (theory, 2.7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.volumes import Volumes

Floats = NDArray[np.float64]


class Shared:
    """Nodes that belong to walls of two bodies, in the plane.

    Kernels add all of such a node's force to one of the two, whose sums are mended here: pressures
    act on each body's own half edge, and friction is divided by the lengths of the two.

    Parameters
    ----------
    grid : Volumes, whose walls have a row for each node

    Attributes
    ----------
    row : (k,) rows of the wall at such nodes;  node : (k,) these
    owner, other : (k,) bodies that the kernels have them for, and that lack them
    """

    def __init__(self, grid: Volumes) -> None:
        self.grid, wall = grid, grid.wall
        self.row = np.empty(0, np.int64)
        if grid.dimensions != 2 or grid.on == "cells" or not grid.owners.several:
            return
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

    def __len__(self) -> int:
        return len(self.row)

    def mend(self, sums: Floats, about: Floats, pressure: Floats, more: Floats) -> None:
        """Move the other body's share of force and moment to it.

        Parameters
        ----------
        sums : (3, bodies)    force along x and y, nose-up moment; changed
        about : (members, 2)    point of the moments
        pressure : (k,) that loads are of;  more : (k, 2) forces beside those of the pressures
        """
        x = self.grid.backend.get(self.grid.x)
        before = 0.5 * (x[self.node] - x[self._ends[:, 0]])
        after = 0.5 * (x[self._ends[:, 1]] - x[self.node])
        way = np.where(self._of_other[:, None] == 0, before, after)
        share = np.hypot(*way.T) / (np.hypot(*before.T) + np.hypot(*after.T))
        force = pressure[:, None] * np.stack([way[:, 1], -way[:, 0]], axis=1)
        force += share[:, None] * more
        arm = x[self.node] - about[self.grid.member[self.node]]
        moved = np.stack([*force.T, arm[:, 1] * force[:, 0] - arm[:, 0] * force[:, 1]])
        for row, values in zip(sums, moved, strict=True):
            np.subtract.at(row, self.owner, values)
            np.add.at(row, self.other, values)
