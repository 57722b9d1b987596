"""Nodes whose velocities are given, and nodes where the boundary is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.conditions.base import OUTER, PLANE
from kinemesh.space.grid import Grid
from kinemesh.space.patches import Patch
from kinemesh.space.walls import WallNodes

BEND = 0.7  # cosine between the normals of a slip wall's half edges below which a node is a corner


def conditions(
    grid: Grid, inflow: NDArray[np.float64], wanders: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(nodes,) where velocities are given, and where the boundary is open.

    Parameters
    ----------
    inflow : (members, dimensions)    velocities of the streams
    wanders : (members,)     whether they come in elsewhere on the way, so that the far field is
        open all round
    """
    given, is_open = (np.zeros(grid.nodes, bool) for _ in range(2))
    wall, far = grid.wall, grid.patches[OUTER]
    S = grid.backend.get(far.device["S"]).astype(float)
    through = (S * inflow[far.member]).sum(axis=1)
    enters = (through < -1e-12 * np.linalg.norm(S, axis=1)) & ~wanders[far.member]
    given[wall.node] = True
    given[far.node[enters]] = True
    is_open[far.node[~enters]] = True
    slip = grid.patches.get(PLANE)
    if slip is not None:
        given[slip.node[CORNERS[grid.dimensions](grid, slip)]] = True
    return given, is_open


def normals(grid: Grid) -> NDArray[np.float64]:
    """(nodes, dimensions) unit vectors across slip walls at their nodes, 0 elsewhere."""
    slip, found = grid.patches[PLANE], np.zeros((grid.nodes, grid.dimensions))
    found[slip.node] = ACROSS[grid.dimensions](grid, slip)
    return found


CORNERS: dict[int, Callable[[Grid, Patch], Any]] = {
    2: lambda grid, slip: WallNodes(grid, slip).bent(grid.points, BEND),
    3: lambda grid, slip: [],  # planes of symmetry are of one direction
}
ACROSS: dict[int, Callable[[Grid, Patch], NDArray[np.float64]]] = {
    2: lambda grid, slip: WallNodes(grid, slip).normals()[0],
    3: lambda grid, slip: grid.normals[slip.member],
}
"""Corners of slip walls, and unit vectors across them, by dimensions."""
