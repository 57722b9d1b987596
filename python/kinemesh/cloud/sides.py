"""Points behind a closed boundary: inside a body, or beyond the outer boundary."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from kinemesh.errors import CloudError
from kinemesh.mesh.geometry.curves import area, inside

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

PAIRS = 2_000_000  # points times triangles whose solid angles are found at once
NEAREST = 3  # triangles that tell whether a point may be behind; a closed surface has four
SURE = 9  # other points, which tell what the fluid's angle is


def in_fluid(points: Floats, boundaries: Mapping[str, Ints]) -> None:
    """Refuse points behind a closed boundary; of one that is not closed nothing is known.

    Parameters
    ----------
    points : (n, d)
    boundaries : facets (k, d) by name, with the fluid on the left of an edge, area vectors of
        triangles out of it
    """
    if not boundaries:
        return
    facets = np.concatenate(list(boundaries.values()))
    free = np.ones(len(points), bool)
    free[facets] = False
    found = BEHIND[points.shape[1]](points, facets, free)
    if found is None:
        return
    wrong, facet = found
    ends = np.cumsum([len(part) for part in boundaries.values()])
    name = list(boundaries)[int(np.searchsorted(ends, facet, "right"))]
    place = ", ".join(f"{x:.6g}" for x in points[wrong[0]])
    raise CloudError(
        f"point {wrong[0]} at ({place}) is behind boundary '{name}', expected points in the fluid: "
        f"{len(wrong)} such point(s); remove them, or turn the boundary (its normals)"
    )


def _behind_curves(points: Floats, edges: Ints, free: NDArray) -> tuple[Ints, int] | None:
    """Free points behind the first closed curve with such points, and an edge of the curve."""
    for curve in closed_curves(edges, len(points)):
        corner = edges[curve, 0]
        others = np.flatnonzero(free)
        wrong = others[inside(points[others], points[corner]) != (area(points[corner]) > 0)]
        if len(wrong):
            return wrong, int(curve[0])
    return None


def closed_curves(edges: Ints, points: int) -> list[NDArray[np.intp]]:
    """Edges (k, 2) of each closed curve in their order, from its lowest edge on.

    Curves that end, branch or touch are left out.
    """
    out, into = (np.bincount(edges[:, side], minlength=points) for side in (0, 1))
    graph = coo_array((np.ones(len(edges)), edges.T), shape=(points, points))
    parts, part = connected_components(graph, directed=False)
    simple = np.ones(parts, bool)
    simple[part[(out != into) | (out > 1)]] = False
    leaving = np.full(points, -1)
    leaving[edges[:, 0]] = np.arange(len(edges))
    curves = []
    for first in np.unique(part[edges[:, 0]], return_index=True)[1]:
        if simple[part[edges[first, 0]]]:
            curve = [first]
            while (following := leaving[edges[curve[-1], 1]]) != first:
                curve.append(following)
            curves.append(np.array(curve))
    return curves


def _behind_surface(points: Floats, triangles: Ints, free: NDArray) -> tuple[Ints, int] | None:
    """Free points behind a closed surface, and the triangle that the first is nearest to.

    Where the nearest triangles all have a point on their outer side, the solid angle of the whole
    surface tells for certain: it is less by a sphere than that of points in the fluid.
    """
    if not _closed(triangles):
        return None
    corner = points[triangles]
    middle = corner.mean(axis=1)
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    others = np.flatnonzero(free)
    near = cKDTree(middle).query(points[others], k=NEAREST, workers=-1)[1]
    arm = points[others][:, None] - middle[near]
    beyond = (np.einsum("kmd,kmd->km", normal[near], arm) > 0).all(axis=1)
    doubtful, sure = others[beyond], others[~beyond]
    if not len(doubtful) or not len(sure):
        return None
    fluid = np.median(_turns(points[sure[:: 1 + len(sure) // SURE]], corner))
    wrong = _turns(points[doubtful], corner) < fluid - 0.5
    return (doubtful[wrong], int(near[beyond][wrong][0, 0])) if wrong.any() else None


BEHIND = {2: _behind_curves, 3: _behind_surface}


def _closed(triangles: Ints) -> bool:
    """Does every edge of the triangles run once each way?"""
    edges = np.concatenate([triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    there, back = (e[np.lexsort(e.T)] for e in (edges, edges[:, ::-1]))
    return np.array_equal(there, back) and bool((np.diff(there, axis=0) != 0).any(axis=1).all())


def _turns(points: Floats, corner: Floats) -> Floats:
    """(k,) solid angle of triangles (t, 3, 3) seen from points (k, 3), in whole spheres.

    Van Oosterom and Strackee (1983), eq. 8; positive where area vectors point away.
    """
    result = np.empty(len(points))
    step = max(1, PAIRS // len(corner))
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        a, b, c = (corner[None, :, k] - points[part, None] for k in range(3))
        x, y, z = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        volume = np.einsum("ktd,ktd->kt", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("ktd,ktd->kt", u, v) for u, v in ((a, b), (b, c), (c, a)))
        angle = 2 * np.arctan2(volume, x * y * z + ab * z + bc * x + ca * y)
        result[part] = angle.sum(axis=1) / (4 * np.pi)
    return result
