"""Triangles between the points of a plane cloud, for pictures alone: no number depends on them.

The Delaunay triangles of the points, less those inside bodies.  Boundary edges keep the sides
apart: a run of triangles that no boundary edge divides is fluid where such an edge has it on its
left.  Where an edge is missing in the triangulation, the triangles that it crosses are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay, cKDTree

from kinemesh.cloud.cloud import Cloud
from kinemesh.mesh.geometry.crossing import edges_crossed

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

FLAT = 1e-12  # area over the sides' squares: three points on a line, but for round-off


@dataclass(frozen=True, slots=True)
class Shown:
    """A cloud as field files and pictures have it: attributes of a mesh of triangles."""

    points: Floats
    triangles: Ints
    quads: Ints
    original: NDArray[np.int64]
    is_cloud: bool = True

    @classmethod
    def of(cls, cloud: Cloud) -> Shown:
        """Picture of a plane cloud's triangles, or of the boundary triangles of one in space."""
        none, dimensions = np.zeros((0, 4), np.int32), cloud.dimension.count
        facets = np.concatenate([np.zeros((0, dimensions), np.int32), *cloud.boundaries.values()])
        shown = TRIANGLES[dimensions](cloud.points, facets)
        return cls(cloud.points, shown, none, cloud.original)


def triangles(points: Floats, facets: Ints) -> Ints:
    """(t, 3) counter-clockwise triangles of the fluid between points (n, 2).

    Parameters
    ----------
    facets : (k, 2)    edges of all boundaries, the fluid on the left
    """
    corner = Delaunay(points).simplices.astype(np.int32)
    size = sum(((points[corner[:, k]] - points[corner[:, k - 1]]) ** 2).sum(1) for k in range(3))
    corner = corner[_areas(points, corner) > FLAT * size]
    if not len(facets):
        return corner
    corner = corner[~_crossed(points, corner, facets)]
    return corner[_fluid(len(points), corner, facets)]


def _areas(points: Floats, corner: Ints) -> Floats:
    """(t,) signed areas, doubled."""
    (ax, ay), (bx, by) = ((points[corner[:, k]] - points[corner[:, 0]]).T for k in (1, 2))
    return ax * by - ay * bx


def _edges(corner: Ints) -> Ints:
    """(3 t, 2) directed edges: the first of every triangle, then the second, then the third."""
    return np.concatenate([corner[:, [k, (k + 1) % 3]] for k in range(3)])


def _keys(points: int, edges: Ints) -> NDArray[np.int64]:
    """(k,) one number for each directed edge."""
    return edges[:, 0].astype(np.int64) * points + edges[:, 1]


def _crossed(points: Floats, corner: Ints, facets: Ints) -> NDArray[np.bool_]:
    """(t,) triangles that a boundary edge passes through which is no edge of the triangulation."""
    edges = _edges(corner)
    there = np.unique(_keys(len(points), np.sort(edges, axis=1)))
    lost = facets[~np.isin(_keys(len(points), np.sort(facets, axis=1)), there)]
    hit = np.zeros(len(edges), bool)
    if len(lost):
        middle = points[edges].mean(axis=1)
        reach = 0.5 * np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)
        tree = cKDTree(points[lost].mean(axis=1))
        reach += 0.5 * np.linalg.norm(points[lost[:, 1]] - points[lost[:, 0]], axis=1).max()
        near = np.flatnonzero(tree.query(middle)[0] <= reach)
        lists = tree.query_ball_point(middle[near], reach[near] * (1 + 1e-9))
        edge = np.repeat(near, [len(part) for part in lists])
        facet = lost[np.concatenate([[], *lists]).astype(np.intp)]
        apart = (edges[edge][:, :, None] != facet[:, None, :]).all(axis=(1, 2))
        edge, facet = edge[apart], facet[apart]
        ends = (points[v] for v in (*edges[edge].T, *facet.T))
        hit[edge[edges_crossed(*ends)]] = True
    first, second, third = hit.reshape(3, -1)
    return first | second | third


def _fluid(points: int, corner: Ints, facets: Ints) -> NDArray[np.bool_]:
    """(t,) triangles of runs that lie on the left of a boundary edge."""
    keys = _keys(points, _edges(corner))
    back = _keys(points, _edges(corner)[:, ::-1])
    owner = np.tile(np.arange(len(corner)), 3)
    order = np.argsort(keys)
    place = np.minimum(np.searchsorted(keys, back, sorter=order), len(keys) - 1)
    other = order[place]
    wall = np.isin(np.minimum(keys, back), _keys(points, np.sort(facets, axis=1)))
    joined = (keys[other] == back) & ~wall
    link = coo_array(
        (np.ones(joined.sum(), np.int8), (owner[joined], owner[other[joined]])),
        shape=(len(corner), len(corner)),
    )
    _, run = connected_components(link, directed=False)
    left = owner[np.isin(keys, _keys(points, facets))]
    return np.isin(run, run[left])


TRIANGLES: dict[int, Callable[[Floats, Ints], Ints]] = {
    2: triangles,
    3: lambda points, facets: facets,
}
"""Facets shown of a cloud: the fluid, in space the boundary."""
