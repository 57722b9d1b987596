"""Velocities of walls: of the bodies that they are of, and of walls that slide in themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.poses import PoseArray, RateArray
from kinemesh.flow.door.sliding import along_walls, checked
from kinemesh.space.grid import Grid

Floats = NDArray[np.float64]


class Walls:
    """Velocities of the nodes of all walls.

    Parameters
    ----------
    grid : Grid
    sliding : {marker: (x, y) or number}, or None    velocities [U] of walls that slide in
        themselves, as the mesh is given; they turn with their body.  A number is the speed along a
        closed wall, counter-clockwise.  A node where walls of several velocities meet rests, so
        that nothing flows through them

    Attributes
    ----------
    sliding : {marker: (x, y) or number}
    own : (wall nodes, 2)    velocities that walls have beside those of their bodies
    own_spin : (wall nodes,) rates at which these turn along the wall, counter-clockwise

    Raises
    ------
    SettingsError    no such wall, no velocity, or one that is not along the wall
    """

    def __init__(self, grid: Grid, sliding: Any) -> None:
        self.grid, self.patch = grid, grid.wall
        self.sliding = checked(sliding)
        self.own, self.own_spin = np.zeros((len(self.patch), 2)), np.zeros(len(self.patch))
        if self.sliding:
            each = [self._of_member(m) for m in range(grid.members)]
            velocity, spin = (np.concatenate(own) for own in zip(*each, strict=True))
            self.own[:], self.own_spin[:] = velocity[self.patch.node], spin[self.patch.node]

    def _of_member(self, member: int) -> tuple[Floats, Floats]:
        markers = [marker for m, marker in self.grid.bodies if m == member]
        return along_walls(self.grid.meshes[member], markers, self.sliding)

    def move(self, poses: PoseArray, rates: RateArray | None) -> tuple[Floats, Floats]:
        """Velocities (wall nodes, 2) and rates of turn (wall nodes,), counter-clockwise.

        Parameters
        ----------
        rates : of the bodies; None: they are at rest
        """
        of, own = self.patch.body, self.own
        turn = poses.rows[of]
        velocity = _turned(own, turn)
        if rates is None:
            return velocity, self.own_spin
        lever = self.grid.points[self.patch.node] - poses.about[of]
        spin = -rates.angle[of]  # angles are nose-up
        turning = spin[:, None] * _across(_turned(lever, turn))
        return velocity + (rates.shift[of] + turning), spin + self.own_spin


def _turned(vectors: Floats, turn: Floats) -> Floats:
    """Vectors (n, 2), each turned by its row of `PoseArray.rows`."""
    return vectors + turn[:, :1] * vectors + turn[:, 1:2] * _across(vectors)


def _across(vectors: Floats) -> Floats:
    """Vectors (n, 2) turned by a right angle, counter-clockwise."""
    return np.stack([-vectors[:, 1], vectors[:, 0]], axis=1)
