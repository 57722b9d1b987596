"""When an unsteady run steps, and how often it writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh import resume
from kinemesh.conditions import time_steps
from kinemesh.errors import SettingsError

if TYPE_CHECKING:
    from kinemesh.solver import Solver

FRAMES_PER_CYCLE = 16
RESTARTS_PER_CYCLE = 4


def _periods(solver: Solver) -> NDArray[np.float64]:
    """Period of each member [chord/a_inf]; SettingsError where a member has none."""
    periods = np.full(solver.grid.members, np.nan)
    for motion, (m, marker) in zip(solver.motions, solver.grid.bodies, strict=True):
        omega = None if motion is None else motion.omega(float(solver.mach[m]))
        if omega is None:
            continue
        period = 2 * np.pi / omega
        if np.isfinite(periods[m]) and not np.isclose(period, periods[m]):
            raise SettingsError(
                f"member {m}: body {marker} has period {period:g}, another {periods[m]:g}; "
                "expected one period per member"
            )
        periods[m] = period
    if not np.isfinite(periods).all():
        raise SettingsError(
            f"member {int(np.flatnonzero(~np.isfinite(periods))[0])}: an unsteady run by cycles "
            "needs a motion with a period; give a motion, or time_step and steps, or run steady"
        )
    return periods


@dataclass(frozen=True, slots=True)
class Plan:
    """When an unsteady run steps, and how it begins.

    Parameters
    ----------
    dt : (members,)         time steps [chord/a_inf]
    periods : (members,)    or None: the run goes by time
    count : int             physical steps
    repeats : bool          one cycle of the motion shows what the mesh does in all
    """

    cycles: float | None
    steps_per_cycle: int | None
    dt: NDArray[np.float64]
    periods: NDArray[np.float64] | None
    count: int
    start: str
    repeats: bool = True

    @classmethod
    def of(
        cls,
        solver: Solver,
        start: str,
        cycles: Any,
        steps_per_cycle: Any,
        time_step: Any,
        steps: Any,
    ) -> Plan:
        """The plan that a user's arguments ask for; nonsense is refused."""
        if start not in ("steady", "as is"):
            raise SettingsError(f"start is {start!r}, expected 'steady' or 'as is'")
        if solver.settings.far_field == "vortex":
            raise SettingsError(
                "far_field is 'vortex' in an unsteady run, whose shed vorticity it leaves out; "
                "use far_field='stream' and a far field of 100 chords"
            )
        by_cycles, count = time_steps(cycles, steps_per_cycle, time_step, steps)
        periods = _periods(solver) if by_cycles else None
        dt = np.full(solver.grid.members, float(time_step)) if periods is None else periods
        dt = dt if periods is None else periods / steps_per_cycle
        return cls(cycles, steps_per_cycle, dt, periods, count, start, solver.deform.repeats)

    @property
    def frame_every(self) -> int:
        """Steps between two frames of the field file; without a period every step is one."""
        return max(1, (self.steps_per_cycle or FRAMES_PER_CYCLE) // FRAMES_PER_CYCLE)

    @property
    def restart_every(self) -> int:
        """Steps between two restarts."""
        return max(1, (self.steps_per_cycle or 64) // RESTARTS_PER_CYCLE)

    @property
    def dry_steps(self) -> int:
        """Steps of a pre-flight: those of a cycle where all are alike, else of the run."""
        one = self.steps_per_cycle if self.repeats else None
        return min(self.count, one or self.count)

    def cycle(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cycles done at each member's time; without a period the run is one cycle."""
        return time / (self.dt * self.count if self.periods is None else self.periods)

    def identity(self, solver: Solver) -> dict[str, Any]:
        """What makes the run this run; its length is not of it."""
        return resume.identity(
            solver,
            "unsteady",
            time_step=self.dt,
            steps_per_cycle=self.steps_per_cycle,
            start=self.start,
        )
