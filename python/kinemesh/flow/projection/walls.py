"""Velocities of walls: of the bodies that they are of, and of walls that slide in themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import pair
from kinemesh.errors import SettingsError
from kinemesh.motion import PoseArray, RateArray
from kinemesh.overset.parts import Parts
from kinemesh.space.grid import Grid

Floats = NDArray[np.float64]
ALONG = 1e-6  # sine of an edge's angle to the velocity: mesh files keep as many digits or more


class Walls:
    """Velocities of the nodes of all walls.

    Parameters
    ----------
    grid : Grid
    sliding : {marker: (x, y)}, or None    velocities [U] of walls that slide in themselves, as the
        mesh is given; they turn with their body.  A node where walls of several velocities meet
        rests, so that nothing flows through them

    Attributes
    ----------
    sliding : {marker: (x, y)}
    own : (wall nodes, 2)    velocities that walls have beside those of their bodies

    Raises
    ------
    SettingsError    no such wall, no velocity, or one that is not along the wall
    """

    def __init__(self, grid: Grid, sliding: Any) -> None:
        self.grid, self.patch = grid, grid.patches["wall"]
        self.sliding = _checked(sliding)
        self.own = np.zeros((len(self.patch), 2))
        if self.sliding:
            every = np.concatenate([self._of_member(m) for m in range(grid.members)])
            self.own[:] = every[self.patch.node]

    def _of_member(self, member: int) -> Floats:
        """(nodes of the member, 2) velocities that walls have beside those of their bodies."""
        mesh = self.grid.meshes[member]
        there = _walls(mesh, [marker for m, marker in self.grid.bodies if m == member])
        velocity = dict.fromkeys(there, (0.0, 0.0))
        for name, own in self.sliding.items():
            marker = _found(name, there)
            _check_along(name, own, mesh.points[there[marker]])
            velocity[marker] = own
        low, high = (np.full((mesh.nodes, 2), way * np.inf) for way in (1, -1))
        for marker, edges in there.items():
            np.minimum.at(low, edges, velocity[marker])
            np.maximum.at(high, edges, velocity[marker])
        return np.where((low == high).all(axis=1)[:, None], low, 0.0)

    def move(self, x: Any, poses: PoseArray, rates: RateArray | None) -> tuple[Floats, Floats]:
        """Velocities (wall nodes, 2) and rates of turn (wall nodes,), counter-clockwise.

        Parameters
        ----------
        x : (nodes, 2) device array
        rates : of the bodies; None: they are at rest
        """
        of, own = self.patch.body, self.own
        turn = poses.rows[of]
        velocity = own + turn[:, :1] * own + turn[:, 1:2] * np.stack([-own[:, 1], own[:, 0]], 1)
        if rates is None:
            return velocity, np.zeros(len(self.patch))
        pivot = (poses.about + poses.shift)[of]
        away = self.grid.backend.get(x)[self.patch.node] - pivot
        spin = -rates.angle[of]  # angles are nose-up
        turning = spin[:, None] * np.stack([-away[:, 1], away[:, 0]], axis=1)
        return velocity + (rates.shift[of] + turning), spin


def _checked(sliding: Any) -> dict[str, tuple[float, float]]:
    """Velocities by marker, as numbers."""
    if sliding is None:
        return {}
    if not isinstance(sliding, Mapping):
        raise SettingsError(f"sliding is {sliding!r}, expected {{marker of a wall: (x, y)}} [U]")
    expected = "a velocity (x, y) [U]"
    return {name: pair(value, f"sliding: {name!r}", expected) for name, value in sliding.items()}


def _walls(mesh: Any, markers: Sequence[str]) -> dict[str, NDArray[np.int32]]:
    """Edges of each wall; of parts by part and marker."""
    if isinstance(mesh, Parts):
        return mesh.walls
    return {name: mesh.boundaries[name] for name in markers}


def _found(name: str, there: Mapping[str, Any]) -> str:
    """The wall of that name; of a part's marker the part may be left out."""
    found = [m for m in there if m == name] or [m for m in there if m.partition(".")[2] == name]
    if len(found) != 1:
        why = "is in several parts" if found else "is no wall"
        raise SettingsError(f"sliding: {name!r} {why}, expected one of {', '.join(there)}")
    return found[0]


def _check_along(name: str, velocity: tuple[float, float], ends: Floats) -> None:
    """SettingsError for a velocity through a wall (edges, 2, 2)."""
    (x, y), along = velocity, ends[:, 1] - ends[:, 0]
    through = np.abs(along[:, 0] * y - along[:, 1] * x) / np.linalg.norm(along, axis=1)
    worst = int(through.argmax())
    if through[worst] > ALONG * np.hypot(x, y):
        (x0, y0), (x1, y1) = ends[worst]
        raise SettingsError(
            f"sliding: {name!r} is ({x:g}, {y:g}), which is {through[worst]:.3g} through its edge "
            f"from ({x0:.6g}, {y0:.6g}) to ({x1:.6g}, {y1:.6g}), expected a velocity along the "
            "wall; a round wall turns by a motion, kinemesh.motion.rotate"
        )
