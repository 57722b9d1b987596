"""Walls of meshes and clouds in space as surfaces of triangles with numbers of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.pieces import triangles_of
from kinemesh.space.walls import facets_of

if TYPE_CHECKING:
    from kinemesh.space.volumes import Volumes


def walls_of(grid: Volumes, member: int) -> tuple[NDArray[Any], dict[str, int]]:
    """Wall edges (k, d), in space triangles, of a member, and their number of each body."""
    walls = {name: triangles_of(own) for name, own in facets_of(grid, member).items()}
    none = np.empty((0, grid.dimensions), np.int32)
    edges = np.concatenate([none, *walls.values()])
    return edges, {marker: len(facets) for marker, facets in walls.items()}


class Skin(NamedTuple):
    """Walls of a mesh or cloud in space, as field files want them.

    nodes : (n,) of the mesh;  points, original, triangles : of these, with numbers of their own
    rows : what pressures are asked of: nodes, or of each triangle the row of its face in the patch
    """

    rows: NDArray[np.int64]
    nodes: NDArray[np.int64]
    points: NDArray[np.float64]
    original: NDArray[np.int64]
    triangles: NDArray[np.int64]
    quads: NDArray[np.int64]

    @classmethod
    def of(cls, grid: Volumes, member: int, walls: NDArray[Any]) -> Skin:
        """Make it of triangles (k, 3) of nodes of a member's mesh."""
        mesh, first = grid.meshes[member], int(grid.vertices.first[member])
        nodes, own = np.unique(walls, return_inverse=True)
        nodes = nodes.astype(np.int64)
        original, none = np.asarray(mesh.original, np.int64), np.empty((0, 4), np.int64)
        rows = _faces(grid, member) if grid.on == "cells" else first + nodes
        return cls(rows, first + nodes, mesh.points[nodes], original[nodes], own.reshape(-1, 3),
                   none)  # fmt: skip


def _faces(grid: Volumes, member: int) -> NDArray[np.int64]:
    """(triangles,) row of the walls' patch of the face that each triangle is of."""
    wall = grid.wall
    own = np.flatnonzero(wall.member == member)
    rims = wall.shape["outline"][own]
    rims = np.sort(np.where(rims < 0, -1, rims - grid.vertices.first[member]), axis=1)
    each = map(_four, facets_of(grid, member).values())
    faces = np.concatenate([np.empty((0, 4), np.int64), *each])
    both = np.concatenate([rims, np.sort(faces, axis=1)])
    _, number = np.unique(both, axis=0, return_inverse=True)
    row = np.empty(len(both), np.int64)
    row[number[: len(own)]] = own
    return np.asarray(np.repeat(row[number[len(own) :]], 1 + (faces[:, 3] >= 0)))


def _four(faces: NDArray[Any]) -> NDArray[np.int64]:
    """(n, 4) faces of 3 or 4 corners, a missing one -1."""
    return np.pad(faces.astype(np.int64), ((0, 0), (0, 4 - faces.shape[1])), constant_values=-1)


def skins_of(grid: Volumes) -> dict[int, tuple[Skin, dict[str, int]]]:
    """Walls of each member that runs and has some, and their number of each body; of space alone.

    Walls of the plane are curves, which field files have with the flow.
    """
    return SKINS[grid.dimensions](grid)


def _skins(grid: Volumes) -> dict[int, tuple[Skin, dict[str, int]]]:
    found = {}
    for member in np.flatnonzero(grid.ensemble.alive).tolist():
        walls, bodies = walls_of(grid, member)
        if len(walls):
            found[member] = Skin.of(grid, member, walls), bodies
    return found


SKINS: dict[int, Callable[[Volumes], dict[int, tuple[Skin, dict[str, int]]]]] = {
    2: lambda grid: {},
    3: _skins,
}
