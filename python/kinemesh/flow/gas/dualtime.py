"""Pseudo-time inside a step: which members still iterate, their CFL numbers and residuals.

docs/theory.md, section 2.6.  Everything is decided on the device, member by member.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.flow.inner import StepLoop
from kinemesh.space.volumes import Volumes

HUGE = 1e300
BLOCKS = 6  # of iterations of a steady march in float32, over which loads are compared
NOISE = 5.0  # measured in float32: no node of a flow at round-off has more than 4.2


class DualTime(StepLoop):
    """Control of pseudo-time.

    Attributes
    ----------
    cfl, first : (members,) float64; norm of the residual at the first pseudo-step
    noise : (nodes,) float32 device array    norm at which a node's residual counts as none; None in
        float64, whose round-off is far below what is asked
    hold : (members,) int32 device array    members whose loads change under a residual that is
        round-off, and which go on (run/settling.py); None in float64
    recent : (BLOCKS + 1, members, 3) float32 device array    means of the last loads, a row for
        each ten iterations, and the sum of those since, by which that is known
    """

    def __init__(self, grid: Volumes) -> None:
        super().__init__(grid)
        backend = grid.backend
        self.cfl, self.first, self.mean, self.ceiling = (
            backend.array(np.ones(grid.members), np.float64) for _ in range(4)
        )
        self.noise = self._each if backend.dtype == "float32" else None
        self.hold = None if self.noise is None else backend.zeros(grid.members, np.int32)
        if self.hold is not None:
            self.recent = backend.zeros((BLOCKS + 1, grid.members, 3), np.float32)
        self._calm: NDArray[np.float64] | None = None

    def measure(self, fields: Fields) -> Any:
        """Call that takes `res`, of the solver's fields, as what its drop refers to."""
        there = {"active": self.active, "base": self.base, "noise": self.noise}
        return fields.bind("residual_base", **self.grid.totals, parts=self.parts, **there)

    def go_on(self, members: NDArray[np.bool_]) -> None:
        """Have members iterate anew; their base is this march's first norm at least.

        Where a body begins to move in a step, its first place may be that of a steady flow, whose
        residual says nothing of the next one's.
        """
        super().go_on(members)
        base = self.backend.get(self.base)
        self.backend.put(self.base, np.where(members, -np.abs(base), base))

    def check(
        self,
        fields: Fields,
        drop: float,
        most: int,
        cfl: tuple[float, float, float],
        stall: float = HUGE,
        busy: Any = None,
    ) -> Any:
        """Call that measures `res`, of the solver's fields, and decides who goes on.

        Parameters
        ----------
        drop : float               residual over `base` at which a member is done
        most : int                 iterations after which it must be
        cfl : (first, last, growth) CFL number at the start, at most, and its growth per
            iteration at most
        stall : residual over the one before at which the CFL number is halved, to the first one at
            least
        busy : (members,) int32 device array    members that go on whatever `res`, or None
        """
        grid = self.grid
        return fields.bind(
            "residual_check",
            **grid.totals,
            parts=self.parts,
            noise=self.noise,
            hold=self.hold,
            busy=busy,
            floor=self.floor,
            drop=drop,
            cfl_first=cfl[0],
            cfl_last=cfl[1],
            cfl_growth=cfl[2],
            stall=stall,
            most=most,
            active=self.active,
            iterations=self.iterations,
            first=self.first,
            base=self.base,
            norm=self.norm,
            mean=self.mean,
            ceiling=self.ceiling,
            cfl=self.cfl,
        )

    @property
    def calm(self) -> NDArray[np.float64]:
        """(members,) norm of the nodes' `noise`: a residual below it may be round-off alone.

        What rises from less has not diverged: at rest single nodes cross their noise by chance.
        """
        members = self.grid.members
        if self._calm is None and self.noise is None:
            self._calm = np.zeros(members)
        elif self._calm is None:
            squares = self.backend.get(self.noise).astype(float) ** 2
            self._calm = np.sqrt(np.bincount(self.grid.member, squares, members))
        return self._calm

    def forget(self) -> None:
        """Forget what follows from `noise`."""
        self._calm = None

    def set_floor(self, dt: NDArray[np.float64] | None) -> None:
        """Norm that round-off alone can leave: eps times the terms that cancel in a node.

        In float32 each node has its own, `noise`; the floor is 0 in physical steps, and in a
        steady march, which `hold` has go on, that below which the CFL number no longer follows.

        Parameters
        ----------
        dt : (members,)    time steps [chord/a_inf]; None: steady
        """
        b = self.backend
        self.forget()
        b.put(self._step, np.inf if dt is None else dt)
        self._terms()
        if self.noise is not None and self.hold is not None:
            b.put(self.noise, NOISE * b.eps * b.get(self.noise))
            b.put(self.hold, int(dt is None))
            fresh = np.full(self.recent.shape, np.nan, np.float32)
            fresh[-1] = 0
            b.put(self.recent, fresh)
        # Measured in float32: a transonic steady flow ends at 1.2, unsteady steps below 1.
        share = 1.6 if dt is None else 0.0 if self.noise is not None else 1.0
        b.put(self.floor, share * b.eps * b.get(self.floor))
