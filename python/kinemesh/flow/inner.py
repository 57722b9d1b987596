"""Loop inside a step, whatever the equations: which members still iterate, and their residuals.

docs/theory.md, sections 2.6 and 7.6.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.volumes import Volumes


class StepLoop:
    """Members that go on with the iterations inside a step.

    Attributes
    ----------
    active, iterations : (members,) int32 device arrays
    base, norm, floor : (members,) float64; norm of the residual that its drop refers to, now, and
        that which round-off alone can leave
    begin : call    all members that run begin
    """

    def __init__(self, grid: Volumes) -> None:
        self.grid, self.backend = grid, grid.backend
        backend, members = grid.backend, grid.members
        self.active = backend.array(np.ones(members), np.int32)
        self.iterations = backend.zeros(members, np.int32)
        self.base, self.norm, self.floor = (
            backend.array(np.ones(members), np.float64) for _ in range(3)
        )
        self.parts = backend.zeros((grid.chunks, 1), np.float64)
        self._step, self._each = backend.zeros(members, np.float64), backend.zeros(grid.nodes)
        self._terms = grid.terms(
            step=self._step, parts=self.parts, each=self._each, norm=self.floor
        )
        began = {"active": self.active, "iterations": self.iterations, "base": self.base}
        self.begin = grid.fields.bind("dualtime_start", **began)

    def go_on(self, members: NDArray[np.bool_]) -> None:
        """Some members iterate anew, and none of those that have failed; bases are kept."""
        self.backend.put(self.iterations, 0)
        self.backend.put(self.active, members & self.grid.ensemble.alive)

    def stop_failed(self) -> None:
        """No iteration of a member that has failed."""
        active = self.backend.get(self.active) * self.grid.ensemble.alive
        self.backend.put(self.active, active)
