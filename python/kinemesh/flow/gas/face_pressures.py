"""Pressures at the faces of walls, of solvers on cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def face_pressures(grid: Any, fields: Any, place: int) -> NDArray[np.float64]:
    """(faces,) pressures at the middles of the walls' faces, as loads have them (forces.h).

    Parameters
    ----------
    grid : Cells
    fields : of the solver
    place : of the pressure among the primitive variables
    """
    get, wall, d = grid.backend.get, grid.wall, grid.dimensions
    own = get(fields["q"])[wall.node, place].astype(float)
    slope = get(fields["grad"])[wall.node, d * place : d * (place + 1)].astype(float)
    way = get(wall.device["xf"]) - get(fields["x"])[wall.node]
    there = own + (slope * way).sum(axis=1)
    return np.asarray(np.where(there > 0, there, own))
