"""Nodes of walls in the plane and in space: normals, sharp edges, heights of the first cells."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.facets import downstream, lengths, shares, units
from kinemesh.space.patches import Patch
from kinemesh.space.volumes import Volumes

Floats = NDArray[np.float64]
EQUAL = 1e-6  # relative difference of lengths or cosines that count as one: the first is taken
ASIDE = 10.0  # first node off the wall over the nearest one beyond which layers lie across the wall
SHARE = {"points": 0.5, "cells": 1.0}  # of a cell at a wall that a volume there has
SHARP = 0.5  # area vector over area of wall below which the wall's sides are told apart


class Standing(NamedTuple):
    """Walls at their nodes as the mesh stands.

    normal : (n, d) unit vectors out of the fluid;  area : (n,) sizes of the area vectors
    size : (n,) areas of wall, in the plane lengths; at a sharp edge those of both sides
    way : (n, d) unit vectors along the wall downstream; at a sharp edge along the mean of its sides
    height : (n,) of the first cells: of the first node off the wall along the normal; at a sharp
        edge its distance
    sharp : (n,) True at a sharp edge
    """

    normal: Floats
    area: Floats
    size: Floats
    way: Floats
    height: Floats
    sharp: NDArray[np.bool_]

    def along(self, vectors: Floats) -> Floats:
        """(n, d) parts of vectors (n, d) along the wall; at a sharp edge those along `way`."""
        there: Floats = vectors - (vectors * self.normal).sum(axis=1)[:, None] * self.normal
        there[self.sharp] = ((vectors * self.way).sum(axis=1)[:, None] * self.way)[self.sharp]
        return there


class WallNodes:
    """Nodes of a side of the boundary, with the facets about each.

    Parameters
    ----------
    grid : Volumes of nodes
    patch : of these; by default that of the walls of all bodies

    Attributes
    ----------
    row, corners : (k,), (k, 4)    row of the patch, and corner of a facet there, as of
        `kinemesh.mesh.facets.corners_of`
    """

    def __init__(self, grid: Volumes, patch: Patch | None = None) -> None:
        self.grid, self.patch = grid, grid.wall if patch is None else patch
        self.row, self.corners = corners_at(self.patch)

    def normals(self) -> tuple[Floats, Floats]:
        """(nodes, d) unit vectors out of the fluid and (nodes,) sizes of the area vectors."""
        return units(self.grid.backend.get(self.patch.device["S"]).astype(float))

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """(nodes,) neighbours off the wall, along the normal; at a sharp edge the nearest.

        They are of the mesh as it is given, whenever they are first asked for.  Nodes of which all
        neighbours are on walls have themselves.
        """
        x, node = self.grid.points, self.patch.node
        own = shares(x, self.corners)
        normal, area = units(self._summed(own))
        sharp = area < SHARP * self._size(own)
        row, near = self._neighbours()
        way = x[near] - x[node[row]]
        far = lengths(way)
        best = np.where(sharp[row], -far, -(way * normal[row]).sum(axis=1) / far)
        most = np.full(len(node), -np.inf)
        np.maximum.at(most, row, best)
        level = best >= (most - EQUAL * np.abs(most))[row]  # no tie is left to round-off
        rows, place = np.unique(row[level], return_index=True)
        found: NDArray[np.int64] = node.astype(np.int64)
        found[rows] = near[level][place]
        return found

    def _neighbours(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of the patch, and neighbours of each that are on no wall, (k,) both."""
        grid, node = self.grid, self.patch.node
        on = np.zeros(grid.nodes, bool)
        on[node] = True
        rows, found = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for member, begin in enumerate(grid.first[:-1].tolist()):
            own = np.flatnonzero(self.patch.member == member)
            offsets, neighbour = grid.graphs[grid.alike.of[member]]
            starts, ends = (offsets[node[own] - begin + k].astype(np.int64) for k in (0, 1))
            count = ends - starts
            entry = np.arange(count.sum()) + np.repeat(starts - np.cumsum(count) + count, count)
            rows.append(np.repeat(own, count))
            found.append(begin + neighbour[entry].astype(np.int64))
        row, near = np.concatenate(rows), np.concatenate(found)
        return row[~on[near]], near[~on[near]]

    def stand(self, x: Floats, stream: Floats) -> Standing:
        """Walls as the mesh stands.

        Parameters
        ----------
        x : (nodes of the grid, d);  stream : (nodes of the patch, d) its direction there
        """
        node, own = self.patch.node, shares(x, self.corners)
        normal, area = self.normals()
        whole = self._size(own)
        sharp = area < SHARP * whole
        both = self._summed(downstream(own, stream[self.row]))
        way = downstream(normal, stream)
        way[sharp], _ = units(both[sharp])
        first = x[self.first] - x[node]
        height = np.where(sharp, lengths(first), -(first * normal).sum(axis=1))
        return Standing(normal, area, np.where(sharp, whole, area), way, height, sharp)

    def spacing(self, x: Floats) -> Floats:
        """(nodes,) distances of the first nodes off the wall."""
        return lengths(x[self.first] - x[self.patch.node])

    def layered(self, x: Floats) -> NDArray[np.bool_]:
        """(nodes,) True where the first nodes off the wall are about as near as any.

        Elsewhere layers lie across the wall, as on the line that closes a wing's cap.
        """
        row, near = self._neighbours()
        nearest = np.full(len(self.patch), np.inf)
        np.minimum.at(nearest, row, lengths(x[near] - x[self.patch.node[row]]))
        return np.asarray(self.spacing(x) <= ASIDE * nearest)

    def bent(self, x: Floats, cosine: float) -> NDArray[np.bool_]:
        """True at nodes of which two facets turn by more than the angle of this cosine."""
        own = shares(x, self.corners)
        order = np.argsort(self.row, kind="stable")
        row, own, size = self.row[order], own[order], np.linalg.norm(own[order], axis=1)
        found = np.zeros(len(self.patch), bool)
        for apart in range(1, int(np.bincount(row, minlength=1).max())):
            one, other = slice(None, -apart), slice(apart, None)
            turn = (own[one] * own[other]).sum(axis=1) < cosine * (size[one] * size[other])
            found[row[one][turn & (row[one] == row[other])]] = True
        return found

    def _summed(self, values: Floats) -> Floats:
        """Sums over the facets of each node, of values (k, d)."""
        count = len(self.patch)
        return np.stack([np.bincount(self.row, own, count) for own in values.T], axis=1)

    def _size(self, own: Floats) -> Floats:
        """(nodes,) areas of wall, from shares of facets."""
        size = np.linalg.norm(own, axis=1)
        return np.asarray(np.bincount(self.row, size, len(self.patch)), np.float64)


class WallFaces:
    """Faces of a side of the boundary, with the cells behind them.

    Parameters
    ----------
    grid : volumes that are cells
    """

    def __init__(self, grid: Volumes) -> None:
        self.grid, self.patch = grid, grid.wall

    def stand(self, x: Floats, stream: Floats) -> Standing:
        """Walls as the mesh stands; as height that of quadrilaterals, twice that of the centroid.

        Parameters
        ----------
        x : (cells, d) their centroids;  stream : (faces of the patch, d) its direction there
        """
        get, own = self.grid.backend.get, self.patch
        normal, area = units(get(own.device["S"]).astype(float))
        height = 2 * ((get(own.device["xf"]) - x[own.node]) * normal).sum(axis=1)
        none = np.zeros(len(own), bool)
        return Standing(normal, area, area, downstream(normal, stream), height, none)

    def layered(self, x: Floats) -> NDArray[np.bool_]:
        """(faces,) True: the cells behind them are as high as they are."""
        del x
        return np.ones(len(self.patch), bool)

    def spacing(self, x: Floats) -> Floats:
        """(faces,) heights of the cells behind them."""
        return self.stand(x, np.ones((len(self.patch), self.grid.dimensions))).height


def corners_at(patch: Patch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of a patch of nodes, and corners of facets there, as of `corners_of`: (k,), (k, 4)."""
    node = patch.node.astype(np.int64)
    if "ends" in patch.shape:
        rows, tables = [], []
        for column, end in zip((2, 1), patch.shape["ends"].T, strict=True):  # before, after
            own = np.flatnonzero(end >= 0)
            corners = np.full((len(own), 4), -1, np.int64)
            corners[:, 0], corners[:, column] = node[own], end[own]
            rows.append(own)
            tables.append(corners)
        return np.concatenate(rows), np.concatenate(tables)
    others = patch.shape["corners"].astype(np.int64)
    row = np.repeat(np.arange(len(node)), np.diff(patch.shape["offsets"]))
    across = np.full((len(row), 3 - others.shape[1]), -1)
    return row, np.concatenate([node[row][:, None], others, across], axis=1)


def cell_heights(grid: Volumes) -> tuple[NDArray[np.int64], Floats]:
    """Volumes on walls, and the heights of the cells there: (k,) both.

    A node's dual has half of the cell; of cells they are those of quadrilaterals.
    """
    area = np.zeros(grid.nodes)
    np.add.at(area, grid.wall.node, lengths(grid.backend.get(grid.wall.device["S"])))
    node = np.flatnonzero(area > 0)
    share = SHARE[grid.on]
    return node, grid.backend.get(grid.V)[node] / (share * area[node])


def facets_of(grid: Volumes, member: int) -> dict[str, NDArray[Any]]:
    """Facets of the walls of each body of a member, by marker."""
    return {name: grid.meshes[member].boundaries[name] for m, name in grid.bodies if m == member}
