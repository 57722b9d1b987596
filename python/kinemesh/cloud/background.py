"""Field points about bodies: centres of a graded quadtree, and the fill of its seams."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

Floats = NDArray[np.float64]

COARSE = 1.3  # a cell is divided while it is larger than this times the spacing at its centre
HOLE = 0.8  # radius of the empty circle, over the spacing, that asks for a point
BAND = 25.0  # distance from the walls, over the spacing, where layers and quadtree meet


def quadtree(centre: Floats, half: float, field: Callable) -> Floats:
    """(n, 2) centres of the leaves of a square about `centre`, of side 2 `half`."""
    cells, size = centre[None] + 0.0, 2.0 * half
    leaves = []
    quarter = np.array([[-0.25, -0.25], [0.25, -0.25], [-0.25, 0.25], [0.25, 0.25]])
    while len(cells):
        divide = size > COARSE * field(cells)[0]
        leaves.append(cells[~divide])
        cells = (cells[divide, None] + size * quarter).reshape(-1, 2)
        size *= 0.5
    return np.concatenate(leaves)


def holes(points: Floats, field: Callable) -> tuple[Floats, Floats]:
    """Centres of the empty circles near the walls that are too large, largest first; spacing.

    Circles about the triangles of the Delaunay triangulation are empty, and no empty one is left
    out.
    """
    spacing, distance = field(points)
    near = points[distance < BAND * spacing]
    middle, radius = _circles(near, Delaunay(near).simplices)
    inner = np.isfinite(radius)
    middle, radius = middle[inner], radius[inner]
    spacing, distance = field(middle)
    large = (radius > HOLE * spacing) & (distance < 0.8 * BAND * spacing)
    middle, radius, spacing = middle[large], radius[large], spacing[large]
    order = np.argsort(-radius / spacing, kind="stable")
    return middle[order], spacing[order]


def _circles(points: Floats, triangles: NDArray) -> tuple[Floats, Floats]:
    """Centres and radii of the circles about triangles; infinite where they are flat."""
    a = points[triangles[:, 0]]
    b, c = (points[triangles[:, k]] - a for k in (1, 2))
    twice = 2.0 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    bb, cc = (b**2).sum(axis=1), (c**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = (c[:, 1] * bb - b[:, 1] * cc) / twice
        y = (b[:, 0] * cc - c[:, 0] * bb) / twice
    middle = np.stack([x, y], axis=1)
    return a + middle, np.linalg.norm(middle, axis=1)
