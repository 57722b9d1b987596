"""Lift, drag and moment of each body by the same pressures that enter the flux (theory, 2.7)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.nodes import Nodes, body_chunks


class Forces:
    """Coefficients per body and per member.

    Parameters
    ----------
    grid
    q : (nodes, variables) device array of primitive states
    stream : (members, variables) device array
    mach, alpha_deg : (members,)    dynamic pressure mach^2 / 2; axes of the stream
    area, length : float            that coefficients refer to [chord^2, in the plane chord; chord]
    """

    def __init__(
        self,
        grid: Nodes,
        q: Any,
        stream: Any,
        mach: NDArray,
        alpha_deg: NDArray,
        area: float = 1.0,
        length: float = 1.0,
    ) -> None:
        b, wall = grid.backend, grid.wall
        self.grid, self.backend, self.stream = grid, b, stream
        self.about = b.zeros((grid.members, 2), np.float64)
        offsets, groups = body_chunks(wall.body, len(grid.bodies))
        parts = b.zeros((len(offsets) - 1, 4), np.float64)
        self.sums = b.zeros((len(grid.bodies), 4), np.float64)
        self.owner = np.array([member for member, _ in grid.bodies], int)
        alpha = np.radians(alpha_deg)[self.owner]
        self.cos, self.sin = np.cos(alpha), np.sin(alpha)
        self.pressure = 0.5 * area * mach[self.owner] ** 2
        self.length = length
        self.measure = b.record(
            [
                grid.bind(
                    "wall_forces",
                    node=wall.device["node"],
                    member=grid.table["member"],
                    x=grid.x,
                    S=wall.device["S"],
                    q=q,
                    about=self.about,
                    stream=stream,
                    offsets=b.array(offsets, np.int32),
                    sums=parts,
                ),
                b.bind(
                    "gather_sum_4", offsets=b.array(groups, np.int32), parts=parts, sums=self.sums
                ),
            ]
        )

    def vortex(self, strength: Any, active: Any) -> list[Any]:
        """Calls that put each member's lift into the strength (members,) of its far vortex."""
        b, members = self.backend, self.grid.members
        offsets = np.searchsorted(self.owner, np.arange(members + 1))
        return [
            self.measure,
            b.bind(
                "bc_vortex",
                offsets=b.array(offsets, np.int32),
                force=self.sums,
                stream=self.stream,
                active=active,
                strength=strength,
            ),
        ]

    def bodies(self, about: NDArray) -> NDArray[np.float64]:
        """(bodies, 3) cl, cd, cm; moments nose-up about `about` (members, 2) [chord]."""
        self.backend.put(self.about, about)
        self.measure()
        fx, fy, moment, _ = self.backend.get(self.sums).T
        lift = fy * self.cos - fx * self.sin
        drag = fx * self.cos + fy * self.sin
        return np.stack([lift, drag, moment / self.length], axis=1) / self.pressure[:, None]

    def members(self, about: NDArray) -> NDArray[np.float64]:
        """(members, 3) cl, cd, cm of all bodies of each member together."""
        total = np.zeros((self.grid.members, 3))
        np.add.at(total, self.owner, self.bodies(about))
        return total
