"""Round meshes of triangles without a hole: a vessel, or a part that turns within others."""

from __future__ import annotations

from math import sqrt

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError
from kinemesh.mesh.generate.rays import outer_of
from kinemesh.mesh.mesh import Mesh

OUTER = ("wall", "overset", "farfield")
LEAST, MOST = 200, 10_000_000  # nodes


@checks_names
def disc(nodes: int = 10_000, radius: float = 0.5, outer: str = "wall") -> Mesh:
    """Mesh of a circle about the origin, of triangles between rings of 6, 12, 18, ... nodes.

    Rings are evenly apart: triangles differ by less than 1.4 in area, angles are below 90 degrees.

    Parameters
    ----------
    nodes : int       number of nodes, from 200 on; the mesh has as many within half a ring
    radius : float    [chord]
    outer : wall | overset | farfield    marker of the boundary; overset: other meshes go on beyond

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    marker = outer_of("disc", outer, OUTER)
    if not LEAST <= nodes <= MOST or not 0 < radius < np.inf:
        raise MeshError(
            f"disc: nodes = {nodes}, radius = {radius}; expected {LEAST} to {MOST:,} nodes and a "
            "radius above 0"
        )
    rings = round(sqrt((nodes - 1) / 3 + 0.25) - 0.5)
    ring = np.repeat(np.arange(rings + 1), np.maximum(6 * np.arange(rings + 1), 1))
    angle = 2 * np.pi * (np.arange(len(ring)) - _first(ring)) / np.maximum(6 * ring, 1)
    points = (radius * ring / rings)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rim = np.flatnonzero(ring == rings)
    edges = {marker: np.stack([rim, np.roll(rim, -1)], axis=1)}
    return Mesh.from_arrays(points, _triangles(rings), edges).renumbered().numbered()


def _first(ring: np.ndarray) -> np.ndarray:
    """First node of each ring: ring k has 6 k nodes, ring 0 one."""
    return np.where(ring == 0, 0, 1 + 3 * ring * (ring - 1))


def _triangles(rings: int) -> np.ndarray:
    """(triangles, 3): per sixth of ring k, k triangles on its edges and k - 1 below."""
    found = []
    for k in range(1, rings + 1):
        sixth, step = (a.ravel() for a in np.mgrid[:6, :k])
        inner, outer = (_first(np.array(own)) for own in (k - 1, k))
        here = outer + k * sixth + step
        after = outer + (k * sixth + step + 1) % (6 * k)
        around = max(6 * (k - 1), 1)
        below = inner + ((k - 1) * sixth + step) % around
        before = inner + ((k - 1) * sixth + step - 1) % around
        found.append(np.stack([below, here, after], axis=1))
        own = step > 0
        found.append(np.stack([before, here, below], axis=1)[own])
    return np.concatenate(found)
