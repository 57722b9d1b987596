"""Loop over the momentum equation inside a step (docs/theory.md, eq. 7.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.flow.inner import StepLoop
from kinemesh.space.volumes import Volumes


class MomentumLoop(StepLoop):
    """Control of the iterations for the velocity.

    Attributes
    ----------
    cfl, ceiling : (members,) float64 device arrays, of a march to a steady flow
    means : (members, 2) of the logarithm of its residual, over some 10 iterations and over some 50
    viscous : (nodes,) size of the viscous terms that cancel in a node, for the floor
    """

    def __init__(self, grid: Volumes) -> None:
        super().__init__(grid)
        self.backend.put(self.floor, 0.0)  # until `set_floor`
        self.cfl = self.backend.array(np.ones(grid.members), np.float64)
        self.ceiling = self.backend.array(np.ones(grid.members), np.float64)
        self.means = self.backend.zeros((grid.members, 2), np.float64)
        self.calm = np.zeros(grid.members)  # nodes have no round-off of their own
        self.viscous: NDArray[np.float64] = np.zeros(grid.nodes)

    @property
    def first(self) -> Any:
        """(members,) norm that the drop of a march refers to."""
        return self.base

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

    def set_floor(self, dt: NDArray[np.float64]) -> None:
        """Norm that round-off can leave: eps times the terms that cancel in a node.

        Parameters
        ----------
        dt : (members,)    time steps; infinite in a march to a steady flow
        """
        b, grid = self.backend, self.grid
        b.put(self._step, dt)
        self._terms()
        terms = b.get(self._each).astype(float) + self.viscous
        squares = np.bincount(grid.member, terms**2, grid.members)
        b.put(self.floor, b.eps * np.sqrt(squares))
