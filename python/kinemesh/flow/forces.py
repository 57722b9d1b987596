"""Lift, drag, moment and power of each body by the pressures that enter the flux (theory, 2.7)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.bodies.power import rigid
from kinemesh.device.fields import Fields
from kinemesh.flow.generalised import Generalised
from kinemesh.io.columns import SIDES
from kinemesh.space.half_models import places_across_span
from kinemesh.space.shared import Shared
from kinemesh.space.volumes import Volumes, body_chunks

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads of every body and the power that the flow feeds into its motion (theory eq. 2.17).

    Power is the sum of traction times velocity over the body's wall faces, positive where the flow
    feeds the motion, over q_inf times reference area and length: its integral over the time of the
    history is the work over q_inf c^2.  The motion of a rigid body is that of its pivot and a turn
    about the pivot, so that the sum is force times velocity and moment times rate of the angle.
    Of a body that bends there is in addition the generalised force of each shape, the sum of
    traction times shape over q_inf times reference area and length, times its amplitude's rate.
    """

    coefficients: FloatArray  # (bodies, 3) cl, cd, cm; moments about the member's point
    moment: FloatArray  # (bodies,) cm about the body's own point (`Bodies.pivots`)
    turning: FloatArray  # (bodies,) power of the turn about the pivot
    shifting: FloatArray  # (bodies,) power of the pivot's velocity
    modes: FloatArray | None = None  # (bodies, shapes) generalised forces of bodies that bend
    bending: FloatArray | None = None  # (bodies,) their power

    @property
    def power(self) -> FloatArray:
        """(bodies,) power in all."""
        rigid = self.turning + self.shifting
        return rigid if self.bending is None else rigid + self.bending


class Forces:
    """Coefficients per body and per member.

    Parameters
    ----------
    grid
    fields : of the solver: q, stream and what `grid` has
    speed, alpha_deg : (members,)   dynamic pressure speed^2 / 2; axes of the stream
    area, length : float            that coefficients refer to [chord^2, in the plane chord; chord]
    kernel : that sums the loads of a wall
    """

    def __init__(
        self,
        grid: Volumes,
        fields: Fields,
        speed: NDArray[Any],
        alpha_deg: NDArray[Any],
        area: float = 1.0,
        length: float = 1.0,
        kernel: str = "wall_forces",
    ) -> None:
        b, wall = grid.backend, grid.wall
        self.grid, self.backend, self.kernel, self.fields = grid, b, kernel, fields
        self.shared = Shared(grid)
        self.about = b.zeros((grid.members, 2), np.float64)
        offsets, groups = body_chunks(wall.body, len(grid.bodies))
        count = grid.dimension.loads
        parts = b.zeros((len(offsets) - 1, count), np.float64)
        self.sums = b.zeros((len(grid.bodies), count), np.float64)
        self.across = np.zeros((count - 3, len(grid.bodies)))  # of the sums that were asked last
        alpha = np.radians(grid.owners.spread(alpha_deg))
        self.cos, self.sin = np.cos(alpha), np.sin(alpha)
        self.pressure = 0.5 * area * grid.owners.spread(speed) ** 2
        self.length = length
        self.plane = grid.owners.spread(places_across_span(grid))  # y of the moments of side()
        self.walls, self.chunks = fields.also(**wall.device, about=self.about), (offsets, groups)
        self.measure = b.record(
            [
                self.walls.bind(kernel, offsets=b.array(offsets, np.int32), sums=parts),
                b.bind(
                    f"gather_sum_{count}",
                    offsets=b.array(groups, np.int32),
                    parts=parts,
                    sums=self.sums,
                ),
            ]
        )

    def vortex(self, fields: Fields) -> list[Any]:
        """Calls that put each member's lift into `strength` (members,) of its far vortex."""
        offsets = np.searchsorted(self.grid.owners.of, np.arange(self.grid.members + 1))
        table = self.backend.array(offsets, np.int32)
        return [self.measure, fields.bind("bc_vortex", offsets=table, force=self.sums)]

    @cached_property
    def generalised(self) -> Generalised | None:
        """Generalised forces; None where all bodies are rigid."""
        shapes = self.grid.vertices.shapes
        if shapes is None:
            return None
        return Generalised(self.grid, self.walls, shapes, self.kernel, *self.chunks)

    def sums_about(self, about: NDArray[Any]) -> FloatArray:
        """(3, bodies) force along x and y, nose-up moment about `about` (members, 2) [chord]."""
        self.backend.put(self.about, about)
        self.measure()
        sums, self.across = np.split(self.backend.read(self.sums).T.copy(), [3])
        if len(self.shared):
            self.shared.mend(sums, about, *self._at_shared())
        return sums

    def _at_shared(self) -> tuple[FloatArray, FloatArray]:
        """Pressures (k,) at shared nodes, that loads are of, and forces (k, 2) beside theirs, in
        space along x and z."""
        get, fields, wall = self.backend.get, self.fields, self.grid.wall
        row, node = self.shared.row, self.shared.node
        if self.kernel == "inc_forces":
            return get(fields["p"])[node], -get(fields["res"])[node][:, [0, -1]].astype(float)
        p = get(fields["q"])[node, -1].astype(float)
        more = np.zeros((len(node), 2))
        if self.kernel == "wall_reaction":
            force = get(wall.device["reaction"])[row] - p[:, None] * get(wall.device["S"])[row]
            more = force[:, [0, -1]]
        return p - get(fields["stream"])[self.grid.member[node], -1], more

    def _coefficients(self, sums: FloatArray) -> FloatArray:
        fx, fy, moment = sums
        lift = fy * self.cos - fx * self.sin
        drag = fx * self.cos + fy * self.sin
        return (np.stack([lift, drag, moment / self.length]) / self.pressure).T

    def bodies(self, about: NDArray[Any], points: FloatArray) -> FloatArray:
        """(bodies, 3) cl, cd, cm of each; moments nose-up about its own of `points` (bodies, 2).

        Parameters
        ----------
        about : (members, 2)    point of each member near its bodies [chord]
        """
        sums = self.sums_about(about)
        fx, fy, moment = sums
        x, y = (points[:, [0, -1]] - self.grid.owners.spread(about)).T
        return self._coefficients(np.stack([fx, fy, moment + x * fy - y * fx]))

    def loads(self, about: NDArray[Any], placement: Placement, pivots: FloatArray) -> Loads:
        """Loads and power of every body.

        Parameters
        ----------
        about : (members, 2)    point of the moment [chord]
        pivots : (bodies, 2)    what its own moment is about, as the body is given, in space
            (bodies, 3) [chord]
        """
        sums = self.sums_about(about)
        point, scale = self.grid.owners.spread(about), self.pressure * self.length
        numbers = rigid(sums, self.across, point, pivots, placement)
        found = Loads(self._coefficients(sums), *(own / scale for own in numbers))
        if self.generalised is None:
            return found
        forces = self.generalised.sums(placement) / scale[:, None]
        return replace(found, modes=forces, bending=(forces * placement.bending).sum(axis=1))

    def moment_and_force(self, loads: Loads) -> FloatArray:
        """(3, bodies) moment about the body's own point, force along x and y, of their loads."""
        lift, drag, _ = loads.coefficients.T
        along, up = drag * self.cos - lift * self.sin, lift * self.cos + drag * self.sin
        return np.asarray(np.stack([loads.moment * self.length, along, up]) * self.pressure)

    def of_shapes(self, loads: Loads) -> FloatArray:
        """(bodies, shapes) generalised forces of their loads; (bodies, 0) where all are rigid."""
        if loads.modes is None:
            return np.zeros((len(self.pressure), 0))
        return np.asarray(loads.modes * (self.pressure * self.length)[:, None])

    def side(self) -> dict[str, FloatArray]:
        """(members,) of each of `SIDE` in space, of the loads that were asked for last; or none.

        Moments are about points of the plane of symmetry across the span, without one of y = 0.
        """
        names = SIDES[self.grid.dimensions]
        if not names:
            return {}
        along, up, _, force, roll, yaw = self.backend.get(self.sums).T
        roll, yaw = roll - self.plane * up, yaw + self.plane * along
        loads = np.stack([force, roll / self.length, yaw / self.length]) / self.pressure
        return dict(zip(names, self.grid.owners.sums(loads.T).T, strict=True))

    def members(self, about: NDArray[Any]) -> FloatArray:
        """(members, 3) cl, cd, cm of all bodies of each member together."""
        return self.grid.owners.sums(self._coefficients(self.sums_about(about)))
