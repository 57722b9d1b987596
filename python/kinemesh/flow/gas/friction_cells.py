"""Friction of a viscous gas on the faces of walls, of a solver on cells (theory, 9.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.flow.gas.face_pressures import face_pressures
from kinemesh.flow.gas.friction import Friction
from kinemesh.results.along_walls import Wall, along
from kinemesh.space.walls import WallFaces

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class FaceFriction(Friction):
    """Friction of a viscous gas on the walls of all bodies, whose flow is told at their faces."""

    @staticmethod
    def standing(grid: Any) -> Any:
        return WallFaces(grid)

    def pressures(self) -> Floats:
        return face_pressures(self.grid, self.fields, self.pressure)

    def positions(self) -> Floats:
        return np.asarray(self.backend.get(self.grid.wall.device["xf"]))

    def walls(self, member: int) -> dict[str, Wall]:
        own, places, wall, found = self.at_walls(), self.positions(), self.grid.wall, {}
        for body, (of, marker) in enumerate(self.grid.bodies):
            if of == member:
                rows = np.flatnonzero(wall.body == body)
                rows = rows[IN_ORDER[self.grid.dimensions](wall.shape, rows, places)]
                values = {name: getattr(own, name)[rows] for name in self.kept}
                found[marker] = Wall.at(places[rows], values)
        return found

    def on_volumes(self, values: Floats) -> Floats:
        """(cells, ...) means over the faces of walls that each cell has, 0 off them."""
        cell, found = self.grid.wall.node, np.zeros((self.grid.nodes, *values.shape[1:]))
        np.add.at(found, cell, values)
        count = np.maximum(np.bincount(cell, minlength=len(found)), 1)
        return np.asarray(found / count.reshape(-1, *[1] * (found.ndim - 1)))


def _along(shape: dict[str, Any], rows: Ints, places: Floats) -> Ints:
    """Numbers of edges one behind the other, as nodes follow each other in field files."""
    ends = shape["ends"][rows].tolist()
    begins = {first: row for row, (first, _) in enumerate(ends)}
    pairs = [(row, begins[last]) for row, (_, last) in enumerate(ends) if last in begins]
    if not pairs:
        return np.arange(len(rows))
    return along(np.array(pairs, np.int64), places[rows])


IN_ORDER: dict[int, Callable[[dict[str, Any], Ints, Floats], Ints]] = {
    2: _along,
    3: lambda shape, rows, places: np.arange(len(rows)),
}
"""Order of the faces of a wall in a table, by dimensions."""
