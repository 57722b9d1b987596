"""Grids that move: whether the stream comes in where it did, and how hard a turn couples nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.mesh.facets import lengths
from kinemesh.motion import Free, Given, Motion
from kinemesh.overset.parts import Parts
from kinemesh.space.grid import Grid

Floats = NDArray[np.float64]
SAMPLES = 64  # of a cycle
# Turn of the far field to either side up to which the stream is given where it comes in as the mesh
# is given: behind, 45 degrees to either side of the stream are left open, where wakes go.
MOST_TURN = 45.0
# Of eq. 7.9b.  Cylinder at Reynolds number 200 whose surface has the stream's speed, turning by
# 0.06 radians a step, 160 nodes round it (1.5 of its cells): loads swing from time 4 on with 0.94
# of the pressure's last change, and neither with 0.75 nor with 0.
COUPLING = 35.0
ROUND = 1e-6  # of the radius


def wanders(grid: Grid, motions: Sequence[Motion | None], speed: Floats) -> NDArray[np.bool_]:
    """(members,) whether the far field moves so that the stream comes in elsewhere.

    A motion without a period may go anywhere, but that of a body on a structure, whose run ends
    within MOST_TURN and a reference length.

    Parameters
    ----------
    motions : of the bodies;  speed : (members,) reference speed
    """
    found = np.zeros(grid.members, bool)
    for (member, name), motion in zip(grid.bodies, motions, strict=True):
        mesh = grid.meshes[member]
        if motion is None or (isinstance(mesh, Parts) and mesh.outer[mesh.names.index(name)]):
            continue  # the far field is that of the background
        found[member] |= _goes_far(motion, float(speed[member]))
    return found


def _goes_far(motion: Motion, speed: float) -> bool:
    """True where a mesh turns by more than MOST_TURN, or is faster than the stream."""
    if isinstance(motion, Free) and not isinstance(motion, Given):  # on a structure
        return motion.law is not None and _goes_far(motion.law, speed)
    try:
        period = motion.period(speed)
        if period is None:
            return True
        first = motion.settles(speed)
        times = [first + period * k / SAMPLES for k in range(SAMPLES + 1)]
        turn, shift = motion.path(times, speed)
    except Exception:  # a user's law, which the run tells of
        return True
    fastest = lengths(np.diff(shift, axis=0)).max() / (period / SAMPLES)
    return not (np.abs(turn).max() <= MOST_TURN and fastest <= speed)


class Turning:
    """How hard turning grids couple nodes in a step.

    Parameters
    ----------
    grid : Grid
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._reach = np.full(len(grid.bodies), np.nan)

    def coupling(self, placement: Placement | None, dt: Floats) -> Floats:
        """(members,) for a step: COUPLING times the cells by which the grids turn (eq. 7.9b).

        Parameters
        ----------
        placement : of the bodies; None: all are at rest
        dt : (members,) time steps; inf before the first one
        """
        found = np.zeros(self.grid.members)
        if placement is None or not np.isfinite(dt).all():
            return found
        for k, (pivot, rate) in placement.turning().items():
            if np.isnan(self._reach[k]):
                self._reach[k] = self._measured(k, pivot, placement.rates.spin[k])
            member = self.grid.bodies[k][0]
            cells = abs(rate) * dt[member] * self._reach[k]
            found[member] = max(found[member], COUPLING * min(cells, 100.0))
        return found

    def _measured(self, body: int, pivot: Floats, spin: Floats) -> float:
        """Median over the nodes that turn with a body of their distance to its pivot in cells.

        In space distances are to the axis through it, along the angular velocity `spin` (3,).
        """
        grid = self.grid
        member, name = grid.bodies[body]
        first, last = grid.first[member : member + 2]
        mesh = grid.meshes[member]
        if isinstance(mesh, Parts):
            first, last = first + mesh.first[mesh.names.index(name) :][:2]
        volume = grid.backend.get(grid.V)[first:last]
        way = grid.points[first:last] - grid.dimension.lift(pivot)
        if grid.dimension.spin:
            axis = spin / lengths(spin)
            way -= np.outer(way @ axis, axis)
        away = lengths(way)
        return float(np.median(away / volume ** (1 / grid.dimensions)))


def turning_bodies(solver: Any, bodies: Sequence[int]) -> dict[str, tuple[str, str]]:
    """Bodies among these whose grids turn, as of `Moving.turning_bodies`.

    A round one that spins in a fluid at rest is none: what passes its cells is alike all round.
    """
    grid, found = solver.grid, {}
    for k in bodies:
        member, name = grid.bodies[k]
        motion = solver.motions[k]
        if motion is None:
            continue
        radius = _radius(grid, k, motion.pivot)
        if radius and not solver.streams["stream"][member]:
            continue
        column = f"angle_deg_{name}" if grid.owners.several else "alpha_deg"
        instead = "; a round body need not turn its grid: sliding gives its wall a speed"
        found[name] = column, instead if radius else ""
    return found


def _radius(grid: Grid, body: int, pivot: tuple[float, float] | None) -> float:
    """Radius of a body whose walls lie on a circle or sphere about its pivot; 0 of others."""
    wall = grid.wall
    points: Any = grid.points[wall.node[wall.body == body]]
    if pivot is None or not len(points):
        return 0.0
    radius = lengths(points - grid.dimension.lift(np.array(pivot, float)))
    return float(radius.max()) if np.ptp(radius) <= ROUND * radius.max() else 0.0
