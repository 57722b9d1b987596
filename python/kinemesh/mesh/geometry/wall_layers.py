"""Layers of hexahedra and prisms on the walls of a mesh in space, measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY
from kinemesh.errors import MeshError, did_you_mean
from kinemesh.mesh.facets import area_vectors
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.mesh import Mesh

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
OPPOSITE = {  # corners of faces across from one another, in the same order
    "hexahedra": ((0, 1, 2, 3, 4, 5, 6, 7), (0, 1, 5, 4, 3, 2, 6, 7), (0, 3, 7, 4, 1, 2, 6, 5)),
    "prisms": ((0, 1, 2, -1, 3, 4, 5, -1),),
}


@dataclass(frozen=True, slots=True)
class WallLayers:
    """Cells on walls; lengths of the mesh.

    Parameters
    ----------
    layers : cells between a wall and what ends them, the fewest
    first : least and largest height of the wall's cells, normal to their faces on it
    growth : largest ratio of the lengths of successive edges off the wall, over its first layers
    angle_deg : least angle between the wall's faces and the edges that leave them, at best 90
    angle_near : where that is
    """

    layers: int
    first: tuple[float, float]
    growth: float
    angle_deg: float
    angle_near: tuple[float, float, float]

    def __str__(self) -> str:
        x, y, z = self.angle_near
        low, high = self.first
        return "\n".join(
            [
                f"{'layers':<20}{self.layers:>12}",
                f"{'first height':<20}{low:>12.4g}  to {high:.4g}",
                f"{'growth':<20}{self.growth:>12.4g}",
                f"{'angle at wall [deg]':<20}{self.angle_deg:>12.4g}  near "
                f"({x:.6g}, {y:.6g}, {z:.6g})",
            ]
        )


@checks_names
def wall_layers(mesh: Mesh, walls: str | list[str], among: int = 10) -> WallLayers:
    """Layers on the walls of a mesh in space: how many, how high, their growth and their lean.

    Parameters
    ----------
    walls : marker, or markers, of the walls
    among : layers from the wall over which the growth is measured

    Raises
    ------
    MeshError    a mesh of the plane, an unknown marker, or no hexahedra or prisms on a wall
    """
    faces = _faces_of(mesh, [walls] if isinstance(walls, str) else list(walls))
    x, normal = mesh.points, _normals(mesh.points, faces)
    found = list(_stacked(mesh, faces))
    if not found:
        raise MeshError(
            f"wall_layers: no hexahedron or prism stands on {walls!r}, expected a mesh with layers "
            "there, such as mesh.wing(topology='ch')"
        )
    bottom, top = found[0]
    there = bottom >= 0
    way = x[top] - x[bottom]
    height = np.abs((way * normal[:, None]).sum(axis=2))[there]
    sine = height / np.linalg.norm(way, axis=2)[there]
    worst = int(np.argmin(sine))
    growth, before = 0.0, None
    for bottom, top in found[:among]:
        length = np.linalg.norm(x[top] - x[bottom], axis=-1)
        if before is not None:
            ratio = np.where(bottom >= 0, length / np.where(before > 0, before, np.inf), 0.0)
            growth = max(growth, float(ratio.max()))
        before = length
    a, b, c = x[bottom[there][worst]].tolist()
    return WallLayers(
        len(found),
        (float(height.min()), float(height.max())),
        growth,
        float(np.degrees(np.arcsin(min(1.0, sine[worst])))),
        (a, b, c),
    )


def _faces_of(mesh: Mesh, walls: list[str]) -> Ints:
    """(k, 4) faces of markers, -1 as fourth entry of triangles."""
    if not isinstance(mesh, Mesh) or XY.holds(mesh.dimension):
        raise MeshError("wall_layers: the mesh is of the plane, expected one in space")
    for name in walls:
        if name not in mesh.boundaries:
            near = did_you_mean(name, list(mesh.boundaries))
            raise MeshError(
                f"wall_layers: no marker '{name}', the mesh has {', '.join(mesh.boundaries)}{near}"
            )
    return np.concatenate([mesh.boundaries[name] for name in walls])


def _normals(x: Floats, faces: Ints) -> Floats:
    """(k, 3) unit normals of faces."""
    area = area_vectors(x, faces)
    return np.asarray(area / np.linalg.norm(area, axis=1)[:, None])


def _stacked(mesh: Mesh, faces: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Corners (k, 4) below and above each layer, from the wall on, while every face has a cell."""
    near, far = [], []
    for name, ways in OPPOSITE.items():
        cells = mesh.solids.get(name, np.empty((0, SOLIDS[name].corners), np.int32))
        cells = np.pad(cells, ((0, 0), (0, 1)), constant_values=-1)  # corner -1 is none
        for way in ways:
            one, other = cells[:, way[:4]], cells[:, way[4:]]
            near += [one, other]
            far += [other, one]
    below, above = np.concatenate(near), np.concatenate(far)
    if not len(below):
        return
    order, keys = _sorted(below)
    came = np.full(faces.shape, -2, np.int32)
    while True:
        at = np.searchsorted(keys, _keys(faces))
        found = np.full(len(faces), -1)
        for more in (0, 1):  # a face is between two cells at most
            cell = order[np.minimum(at + more, len(order) - 1)]
            same = np.sort(below[cell], axis=1) == np.sort(faces, axis=1)
            other = np.sort(above[cell], axis=1) != np.sort(came, axis=1)
            found = np.where(same.all(axis=1) & other.any(axis=1) & (found < 0), cell, found)
        if (found < 0).any():
            return
        place = (below[found][:, None, :] == faces[:, :, None]).argmax(axis=2)
        top = np.take_along_axis(above[found], place, axis=1)
        top = np.where(faces < 0, -1, top)
        yield faces, top
        came, faces = faces, top


def _keys(faces: Ints) -> NDArray:
    """One comparable entry for each set of corners."""
    rows = np.ascontiguousarray(np.sort(faces, axis=1).astype(">i4") + 1)
    return rows.view("V16").ravel()


def _sorted(faces: Ints) -> tuple[NDArray[np.intp], NDArray]:
    """Order of faces by their corners, and those keys in it."""
    keys = _keys(faces)
    order = np.argsort(keys, kind="stable")
    return order, keys[order]
