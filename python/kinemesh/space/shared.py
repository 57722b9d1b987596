"""Loads at nodes where walls of two bodies meet: each body takes its share (theory, 2.7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.facets import corners_of, lengths, shares
from kinemesh.space.volumes import Volumes

Floats = NDArray[np.float64]


class Shared:
    """Nodes that belong to walls of two bodies, in space of more.

    Kernels add all of such a node's force to one of them, whose sums are mended here: pressures
    act on each body's own half edge, in space on its share of its faces, and friction is divided by
    the lengths or areas of these.

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
        body, corners = _corners(grid)
        owner = np.full(grid.nodes, -1)
        owner[grid.wall.node] = grid.wall.body
        at = corners[:, 0]
        lacks = body != owner[at]
        pairs, pair = np.unique(
            np.stack([body, at], axis=1)[lacks], axis=0, return_inverse=True
        )  # fmt: skip
        self.other, self.node = pairs.T
        self.row, self.owner = grid.wall.places(self.node), owner[self.node]
        self._own, self._pair = corners[lacks], pair.ravel()
        nodes = np.unique(self.node)
        there = np.isin(at, nodes)
        self._all, self._at = corners[there], np.searchsorted(nodes, at[there])
        self._of = np.searchsorted(nodes, self.node)

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
        area, share = self._own_shares(x)
        force = pressure[:, None] * area[:, [0, -1]] + share[:, None] * more
        arm = x[self.node][:, [0, -1]] - about[self.grid.member[self.node]]
        moved = np.stack([*force.T, arm[:, 1] * force[:, 0] - arm[:, 0] * force[:, 1]])
        for row, values in zip(sums, moved, strict=True):
            np.subtract.at(row, self.owner, values)
            np.add.at(row, self.other, values)

    def _own_shares(self, x: Floats) -> tuple[Floats, Floats]:
        """Area vectors (k, d) of the other body's facets at a node, and (k,) their share of all."""
        own, count = shares(x, self._own), len(self.row)
        area: Floats = np.zeros((count, own.shape[1]))
        np.add.at(area, self._pair, own)
        size = np.bincount(self._pair, lengths(own), count)
        whole = np.bincount(self._at, lengths(shares(x, self._all)))
        return area, np.asarray(size / whole[self._of], np.float64)


def _corners(grid: Volumes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Body of each corner of the walls' facets, and corners as of `corners_of`: (k,), (k, 4)."""
    bodies, found = [np.empty(0, np.int64)], [np.empty((0, 4), np.int64)]
    for body, (member, marker) in enumerate(grid.bodies):
        corners = corners_of(grid.meshes[member].boundaries[marker])
        corners[corners >= 0] += grid.first[member]
        bodies.append(np.full(len(corners), body))
        found.append(corners)
    return np.concatenate(bodies), np.concatenate(found)
