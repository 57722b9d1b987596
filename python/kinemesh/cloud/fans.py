"""Directions from a boundary point into the fluid, by the facets at the point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CloudError, MeshError
from kinemesh.mesh.dual import boundary_nodes, offsets_of
from kinemesh.mesh.facets import area_vectors
from kinemesh.sentences import NODE

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ALONG = 1e-9  # angle [rad] within which a direction counts as along the wall


class Fan2:
    """Boundary points of edges with the fluid on the left: directions from next to previous."""

    def __init__(self, points: Floats, facets: Ints) -> None:
        self.points = points
        try:
            node, ends, _ = boundary_nodes(len(points), facets, np.zeros(len(facets), np.int32))
        except MeshError as error:
            raise CloudError(error.said.renamed({NODE: "point"})) from error
        self.ends = np.full((len(points), 2), -1, np.int32)
        self.ends[node] = ends

    def open(self, centre: Ints, arm: Floats) -> Bools:
        """(k, m): do the directions arm (k, m, 2) from boundary points (k,) enter the fluid?"""
        before, after = self.ends[centre].T
        whole = (before >= 0) & (after >= 0)  # at an end of an open boundary nothing is known
        to_after = self.points[after] - self.points[centre]
        to_before = self.points[before] - self.points[centre]
        width = _angle(to_after, to_before)
        at = _angle(to_after[:, None], arm)
        inside = at <= width[:, None] + ALONG
        return inside | (at >= 2 * np.pi - ALONG) | ~whole[:, None]


def _angle(a: Floats, b: Floats) -> Floats:
    """Angle from a to b, counter-clockwise, 0 to 2 pi [rad]."""
    turn = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.arctan2(turn, (a * b).sum(axis=-1)) % (2 * np.pi)


class Fan3:
    """Boundary points of triangles with outward area vectors: the nearest face decides.

    A direction is compared with the infinite wedges of the triangles at its point; of wedges
    equally near, at an edge or at the point itself, the one that faces it most counts.
    """

    def __init__(self, points: Floats, facets: Ints) -> None:
        self.points = points
        corner = facets.ravel()
        order = np.argsort(corner, kind="stable")
        self.offsets = offsets_of(corner, len(points))
        tip = corner[order]
        one = np.roll(facets, -1, axis=1).ravel()[order]
        two = np.roll(facets, -2, axis=1).ravel()[order]
        self.sides = [_unit(points[end] - points[tip]) for end in (one, two)]
        self.normal = np.repeat(_unit(area_vectors(points, facets)), 3, axis=0)[order]

    def open(self, centre: Ints, arm: Floats) -> Bools:
        """(k, m): do the directions arm (k, m, 3) from boundary points (k,) enter the fluid?"""
        direction = _unit(arm)
        count = np.diff(self.offsets)[centre]
        best = np.full(arm.shape[:2], np.inf)
        facing = np.zeros(arm.shape[:2])
        for turn in range(int(count.max())):
            rows = np.flatnonzero(count > turn)
            at = self.offsets[centre[rows]] + turn
            far, dot = self._wedge(at, direction[rows])
            nearer = far < best[rows] - ALONG
            tie = ~nearer & (far < best[rows] + ALONG) & (np.abs(dot) > np.abs(facing[rows]))
            use = nearer | tie
            best[rows] = np.where(use, far, best[rows])
            facing[rows] = np.where(use, dot, facing[rows])
        return facing <= ALONG

    def _wedge(self, at: Ints, direction: Floats) -> tuple[Floats, Floats]:
        """Distances (k, m) of unit directions from wedges (k,), and their parts along normals."""
        normal = self.normal[at]
        sides = [side[at] for side in self.sides]
        dot = np.einsum("kd,kmd->km", normal, direction)
        flat = direction - dot[..., None] * normal[:, None]
        # inside the wedge: counter-clockwise of the first side, clockwise of the second
        left = np.einsum("kd,kmd->km", np.cross(normal, sides[0]), flat)
        right = np.einsum("kd,kmd->km", np.cross(sides[1], normal), flat)
        far = np.where((left >= 0) & (right >= 0), np.abs(dot), 1.0)
        for side in sides:
            along = np.clip(np.einsum("kd,kmd->km", side, direction), 0.0, 1.0)
            far = np.minimum(far, np.sqrt(1.0 - along**2))
        return far, dot


def _unit(vector: Floats) -> Floats:
    return vector / np.linalg.norm(vector, axis=-1, keepdims=True)
