"""Velocities of walls: of the bodies that they are of, and of walls that slide in themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import PoseArray
from kinemesh.dimension import XYZ
from kinemesh.mesh.facets import turned_left
from kinemesh.space.patches import Patch
from kinemesh.space.volumes import Volumes

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Walls:
    """Velocities of the nodes of all walls.

    Parameters
    ----------
    grid : Volumes
    own : (wall nodes, d)    velocities that walls have beside those of their bodies, as the mesh is
        given; they turn with their body
    own_spin : (wall nodes,) rates at which these turn along the wall, counter-clockwise; in space
        (wall nodes, 3), of which none turn
    slides : whether such velocities were given, of 0 too
    patch : of the rows, where they are not those of `grid.wall`
    """

    grid: Volumes
    own: Floats
    own_spin: Floats
    slides: bool
    patch: Patch | None = None

    def slide(self, placement: Placement) -> tuple[Floats, Floats]:
        """Velocities (wall nodes, d) and rates of turn (wall nodes,) of bodies that rest."""
        turned = TURNED[self.grid.dimensions]
        rows = self.grid.wall if self.patch is None else self.patch
        return turned(self.own, placement.poses, rows.body), self.own_spin

    def move(self, placement: Placement) -> tuple[Floats, Floats]:
        """Velocities (wall nodes, d) and rates of turn, counter-clockwise (wall nodes,).

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

    def _of_space(self, placement: Placement) -> tuple[Floats, Floats]:
        velocity, own_spin = self.slide(placement)
        of, poses, rates = self.grid.wall.body, placement.poses.into(XYZ), placement.rates
        lever = self.grid.points[self.grid.wall.node] - poses.about[of]
        spin = rates.spin[of]
        turning = np.cross(spin, _turned_of_space(lever, poses, of))
        return velocity + (XYZ.lift(rates.shift)[of] + turning), spin + own_spin


MOVE = {2: Walls._of_plane, 3: Walls._of_space}


def _turned(vectors: Floats, turn: Floats) -> Floats:
    """Vectors (n, 2), each turned by its row of `PoseArray.rows`."""
    return vectors + turn[:, :1] * vectors + turn[:, 1:2] * turned_left(vectors)


def _turned_of_plane(vectors: Floats, poses: PoseArray, body: NDArray[np.int32]) -> Floats:
    return _turned(vectors, poses.rows[body])


def _turned_of_space(vectors: Floats, poses: PoseArray, body: NDArray[np.int32]) -> Floats:
    turned: Floats = vectors + np.einsum("nij,nj->ni", poses.into(XYZ).turned[body], vectors)
    return turned


TURNED = {2: _turned_of_plane, 3: _turned_of_space}
"""Functions that turn vectors (n, d) with the poses of the bodies (n,) that they are of."""
