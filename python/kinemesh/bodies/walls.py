"""Velocities of walls: of the bodies that they are of, and of walls that slide in themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.dimension import XYZ
from kinemesh.mesh.facets import turned_left
from kinemesh.space.grid import Grid

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Walls:
    """Velocities of the nodes of all walls.

    Parameters
    ----------
    grid : Grid
    own : (wall nodes, dimensions)    velocities that walls have beside those of their bodies, as
        the mesh is given; they turn with their body; in space none have
    own_spin : (wall nodes,) rates at which these turn along the wall, counter-clockwise; in space
        (wall nodes, 3)
    slides : whether such velocities were given, of 0 too
    """

    grid: Grid
    own: Floats
    own_spin: Floats
    slides: bool

    def slide(self, placement: Placement) -> tuple[Floats, Floats]:
        """Velocities (wall nodes, 2) and rates of turn (wall nodes,) of bodies that rest."""
        if self.grid.dimension.spin:
            return self.own, self.own_spin
        return _turned(self.own, placement.poses.rows[self.grid.wall.body]), self.own_spin

    def move(self, placement: Placement) -> tuple[Floats, Floats]:
        """Velocities (wall nodes, dimensions) and rates of turn, counter-clockwise (wall nodes,).

        In space rates of turn are angular velocities (wall nodes, 3).
        """
        return MOVE[self.grid.dimensions](self, placement)

    def _of_plane(self, placement: Placement) -> tuple[Floats, Floats]:
        velocity, own_spin = self.slide(placement)
        of, poses, rates = self.grid.wall.body, placement.poses, placement.rates
        lever = self.grid.points[self.grid.wall.node] - poses.about[of]
        spin = -rates.angle[of]  # angles are nose-up
        turning = spin[:, None] * turned_left(_turned(lever, poses.rows[of]))
        return velocity + (rates.shift[of] + turning), spin + own_spin

    def _of_solids(self, placement: Placement) -> tuple[Floats, Floats]:
        of, poses, rates = self.grid.wall.body, placement.poses.into(XYZ), placement.rates
        lever = self.grid.points[self.grid.wall.node] - poses.about[of]
        lever += np.einsum("nij,nj->ni", poses.turned[of], lever)
        spin = rates.spin[of]
        return XYZ.lift(rates.shift)[of] + np.cross(spin, lever), spin


MOVE = {2: Walls._of_plane, 3: Walls._of_solids}


def _turned(vectors: Floats, turn: Floats) -> Floats:
    """Vectors (n, 2), each turned by its row of `PoseArray.rows`."""
    return vectors + turn[:, :1] * vectors + turn[:, 1:2] * turned_left(vectors)
