"""Nodes whose velocities are given, and nodes where the boundary is open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.conditions.base import OUTER, PLANE
from kinemesh.space.grid import Grid
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
    if slip is not None and grid.dimensions == 2:  # in space planes are of one direction
        given[slip.node[WallNodes(grid, slip).bent(grid.points, BEND)]] = True
    return given, is_open


def normals(grid: Grid) -> NDArray[np.float64]:
    """(nodes, dimensions) unit vectors across slip walls at their nodes, 0 elsewhere."""
    slip, found = grid.patches[PLANE], np.zeros((grid.nodes, grid.dimensions))
    if grid.dimensions == 3:
        found[slip.node] = grid.normals[slip.member]
    else:
        found[slip.node], _ = WallNodes(grid, slip).normals()
    return found
