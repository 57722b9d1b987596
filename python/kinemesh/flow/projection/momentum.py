"""Who goes on with the momentum equation inside a step, and since when (docs/theory.md, eq. 7.6).

It has the arrays that runs read of the control of pseudo-time (`kinemesh.flow.dualtime.DualTime`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.space.volumes import Volumes


class MomentumLoop:
    """Control of the iterations for the velocity.

    Attributes
    ----------
    active, iterations : (members,) int32 device arrays
    base, norm, floor : (members,) float64; norm of the residual at first and now, and that which
        round-off alone can leave
    viscous : (nodes,) size of the viscous terms that cancel in a node, for the floor
    begin : call    all members that run begin
    """

    def __init__(self, grid: Volumes) -> None:
        self.grid, self.backend = grid, grid.backend
        b, members = self.backend, grid.members
        self.active = b.array(np.ones(members), np.int32)
        self.iterations = b.zeros(members, np.int32)
        self.base, self.norm, self.floor = (b.zeros(members, np.float64) for _ in range(3))
        self.calm = np.zeros(members)  # nodes have no round-off of their own (flow/dualtime.py)
        self.viscous: NDArray[np.float64] = np.zeros(grid.nodes)
        self.parts = b.zeros((grid.chunks, 1), np.float64)
        self._step, self._each = b.zeros(members, np.float64), b.zeros(grid.nodes)
        self._terms = grid.terms(
            step=self._step, parts=self.parts, each=self._each, norm=self.floor
        )
        began = {"active": self.active, "iterations": self.iterations, "base": self.base}
        self.begin = grid.fields.bind("dualtime_start", **began)

    def check(self, fields: Fields, drop: float, most: int) -> Any:
        """Call that measures `res` and decides who goes on."""
        return fields.bind(
            "inc_check",
            **self.grid.totals,
            parts=self.parts,
            floor=self.floor,
            drop=drop,
            most=most,
            active=self.active,
            iterations=self.iterations,
            base=self.base,
            norm=self.norm,
        )

    def stop_failed(self) -> None:
        """No iteration of a member that has failed."""
        active = self.backend.get(self.active) * self.grid.ensemble.alive
        self.backend.put(self.active, active)

    def set_floor(self, dt: NDArray[np.float64]) -> None:
        """Norm that round-off can leave: eps times the terms that cancel in a node.

        Parameters
        ----------
        dt : (members,)    time steps
        """
        b, grid = self.backend, self.grid
        b.put(self._step, dt)
        self._terms()
        terms = b.get(self._each).astype(float) + self.viscous
        squares = np.bincount(grid.member, terms**2, grid.members)
        b.put(self.floor, b.eps * np.sqrt(squares))
