"""Faces of the rings about a wing that are too thin to be cut into triangles.

A prism between two layers has, along each ray, the angle of its triangle there: the width of the
face over the step along the span.  Where the corner of the face is flat against the ray, as at both
edges of the line beyond the tip, the prism has no angle at all.  All layers of a face are cut
alike, so where one prism would be too thin the face stays whole, and its cells are hexahedra.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.generate.wings.block import prisms
from kinemesh.mesh.geometry.solid_quality import dihedrals
from kinemesh.mesh.kinds import SOLIDS

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEAST = 1.0  # dihedral angle of a prism [deg]
FOLDED = 270.0  # largest angle of a prism: of 0 less some, where a corner is more than flat [deg]
MEASURED = np.sin(np.radians(3.0 * LEAST))  # off the edges, triangles with less, to save time


def whole(points: Floats, number: Ints, rank: NDArray[np.int64]) -> Flags:
    """(stations - 1, around) faces between stations and rays that stay whole in all rings.

    They are the same above and below, as the line beyond the tip has its faces on both sides.

    Parameters
    ----------
    points : (nodes, 3)
    number : (stations, rings, around)    numbers of the nodes of the rings between which prisms are
    rank : (nodes,) ranks by which faces are cut
    """
    stations, rings, around = number.shape
    edges = np.zeros((stations - 1, around), bool)
    edges[:, [0, around // 2 - 1, around // 2, around - 1]] = True
    found = np.zeros_like(edges)
    cells = prisms(number, rank).reshape(rings - 1, 2, stations - 1, around, 6)
    for ring in cells:  # what is worked out of one fits in memory
        sine = np.minimum(_least(points[ring[..., :3]]), _least(points[ring[..., 3:]]))
        look = ((sine < MEASURED) | edges) & ~found
        thin = np.zeros(look.shape, bool)
        sharp, wide = dihedrals(SOLIDS["prisms"], points[ring[look].T])
        thin[look] = (sharp < LEAST) | (wide > FOLDED)
        found |= thin.any(axis=0)
    return found | found[:, ::-1]


def _least(x: Floats) -> Floats:
    """Sine of the least angle of triangles with corners at x (..., 3, 3)."""
    sides = np.linalg.norm(np.roll(x, 1, axis=-2) - x, axis=-1)
    normal = np.cross(x[..., 1, :] - x[..., 0, :], x[..., 2, :] - x[..., 0, :])
    found: Floats = np.linalg.norm(normal, axis=-1) * sides.min(axis=-1) / sides.prod(axis=-1)
    return found
