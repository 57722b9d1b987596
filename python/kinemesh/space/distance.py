"""Exact distance of volumes to the nearest of their member's walls (docs/theory.md).

Facets of the boundary, edges or in space triangles, stand in groups of those side by side, so that
few of them are looked at from one place: csrc/kernels/mesh/distance.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.backend import Backend
from kinemesh.device.fields import Fields
from kinemesh.dimension import DIMENSIONS
from kinemesh.linear.pattern import chunks
from kinemesh.linear.stack import Items
from kinemesh.mesh.pieces import triangles_of
from kinemesh.space.faces import FaceVolumes

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
GROUPS = {2: 32, 3: 8}  # facets to a circle in the plane, to a sphere in space


def wall_distance(volumes: FaceVolumes, markers: Sequence[str]) -> Any:
    """Distance of each volume to the nearest wall of its member (nodes,) float64 [chord].

    It is `distance` among the fields, and follows `measure`: the device array is that of the mesh
    as it stands.  Infinite where a member has no such wall; exactly 0 at vertices on one.

    Parameters
    ----------
    volumes : of meshes; distances are from the nodes of duals, from the centroids of cells
    markers : of walls without slip; a mesh need not have all of them
    """
    b, vertices = volumes.backend, volumes.vertices
    facets = [wall_facets(mesh, markers) for mesh in vertices.distinct]
    items = Items(vertices.alike, [len(own) for own in facets])
    offsets, groups = chunks(items.first, GROUPS[volumes.dimensions])
    circles = len(offsets) - 1
    distance = b.zeros(volumes.nodes, np.float64)
    volumes.fields.add(distance=distance)
    own = volumes.fields.also(
        vertex=volumes.x,
        facet=b.table(items.stack(facets, vertices.items)),
        offsets=b.array(offsets, np.int32),
        groups=b.array(groups, np.int32),
        middle=b.zeros((circles, volumes.dimensions), np.float64),
        radius=b.zeros(circles, np.float64),
    )
    volumes.measure.follow(own.bind("wall_groups"), own.bind("wall_distance"))
    return distance


def distances(points: Floats, corners: Floats) -> Floats:
    """(n,) exact distances of places (n, d) to the nearest of facets by their corners (k, d, d)."""
    if not len(corners):
        return np.full(len(points), np.inf)
    count, dimensions = len(corners), points.shape[1]
    offsets, groups = chunks(np.array([0, count]), GROUPS[dimensions])
    found, host = np.empty(len(points)), Backend("cpu")
    own = Fields(
        host,
        DIMENSIONS[dimensions].endings,
        vertex=np.ascontiguousarray(corners[beside(corners)].reshape(-1, dimensions), np.float64),
        facet=np.arange(count * dimensions, dtype=np.int32).reshape(-1, dimensions),
        offsets=offsets,
        middle=np.empty((len(offsets) - 1, dimensions)),
        radius=np.empty(len(offsets) - 1),
        x=np.ascontiguousarray(points, np.float64),
        member=np.zeros(len(points), np.int32),
        groups=groups,
        distance=found,
    )
    own.bind("wall_groups")()
    own.bind("wall_distance")()
    return found


def wall_facets(mesh: Any, markers: Sequence[str]) -> Ints:
    """(facets, d) edges or triangles of a mesh on these markers, in an order of which a run lies
    close together: edges one behind the other along its walls."""
    there = [triangles_of(mesh.boundaries[name]) for name in markers if name in mesh.boundaries]
    none = np.empty((0, mesh.points.shape[1]), np.int32)
    facets: Ints = np.concatenate([none, *there]).astype(np.int32)
    edges = facets.shape[1] == 2
    return facets[along(facets) if edges else beside(mesh.points[facets])]


def beside(corners: Floats) -> NDArray[np.intp]:
    """Rows of facets by their corners (k, d, d), such that those of a run lie close together."""
    from scipy.spatial import cKDTree  # here: meshes in the plane do without

    if not len(corners):
        return np.empty(0, np.intp)
    found: NDArray[np.intp] = cKDTree(corners.mean(axis=1), GROUPS[corners.shape[-1]]).indices
    return found


def along(facets: Ints) -> list[int]:
    """Rows of edges (k, 2), each behind the one that ends where it begins."""
    begins, ends = facets.T.tolist()
    row_at = {node: row for row, node in enumerate(begins)}
    found: dict[int, None] = {}  # a set in the order of what is put into it
    reached = set(ends)
    open_ends = [row for row, node in enumerate(begins) if node not in reached]
    for first in [*open_ends, *range(len(begins))]:
        row: int | None = first
        while row is not None and row not in found:
            found[row] = None
            row = row_at.get(ends[row])
    return list(found)
