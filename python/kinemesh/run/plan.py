"""Time steps of an unsteady run, and its frames and restarts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several, numbers
from kinemesh.errors import SettingsError
from kinemesh.flow.door.structures import EQUILIBRIUM, check_equilibrium
from kinemesh.loops.harmonics import PERIODIC
from kinemesh.motion import ORDERS
from kinemesh.run import closing, resume

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving

FRAMES_PER_CYCLE = 16  # at least, of as many steps; at most twice as many
FRAMES = {2: 0, 3: 32}  # of a run of a gas without a period, at most; 0: every step is one
SURFACES_PER_CYCLE = 64  # at least, of runs in space that have as many steps
RESTARTS_PER_CYCLE = 4
UNTIL = ("cycles", "periodic")


def time_steps(cycles: Any, steps_per_cycle: Any, time_step: Any, steps: Any) -> tuple[bool, int]:
    """(by cycles, number of physical steps) of a run's arguments; SettingsError if invalid."""
    by_cycles = cycles is not None and steps_per_cycle is not None
    by_time = time_step is not None and steps is not None
    none_of_other = (
        (time_step is None and steps is None)
        if by_cycles
        else (cycles is None and steps_per_cycle is None)
    )
    if by_cycles == by_time or not none_of_other:
        raise SettingsError(
            "an unsteady run needs cycles and steps_per_cycle, or time_step and steps; got "
            f"cycles={cycles}, steps_per_cycle={steps_per_cycle}, time_step={time_step}, "
            f"steps={steps}"
        )
    span, count = (cycles, steps_per_cycle) if by_cycles else (time_step, steps)
    if isinstance(span, int) and not isinstance(span, bool) and abs(span) < 2**53:
        span = float(span)
    least = 4 if by_cycles else 1
    real = isinstance(span, float | np.number)
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    whole = whole and least <= count < 2**31
    total = round(span * count) if by_cycles and real and whole and abs(span) < 1e9 else count
    if not real or not abs(span) < 1e9 or span <= 0 or not whole or total < 1:
        names = ("cycles", "steps_per_cycle") if by_cycles else ("time_step", "steps")
        raise SettingsError(
            f"{names[0]} is {span!r}, {names[1]} {count!r}; expected a positive number, and a "
            f"whole number of at least {least}, that make at least one step"
        )
    return by_cycles, int(total)


def _each(time_step: Any, members: int) -> NDArray[np.float64] | None:
    """Time step of each member, where a user gives one each; SettingsError if invalid."""
    if not is_several(time_step):
        return None
    if len(time_step) != members:
        raise SettingsError(f"time_step has {len(time_step)} entries, expected {members} (members)")
    return numbers(time_step, members, "time_step", positive=True)


def _periods(solver: Moving) -> NDArray[np.float64]:
    """Period of each member [chord/a_inf]; SettingsError where a member has none."""
    periods = np.full(solver.grid.members, np.nan)
    for motion, (m, marker) in zip(solver.motions, solver.grid.bodies, strict=True):
        omega = None if motion is None else motion.omega(float(solver.speed[m]))
        if omega is None:
            continue
        period = 2 * np.pi / omega
        if np.isfinite(periods[m]) and not np.isclose(period, periods[m]):
            raise SettingsError(
                f"body {marker} has period {period:g}, another {periods[m]:g}; "
                "expected one period per member",
                member=m,
            )
        periods[m] = period
    still = sorted(set(range(solver.grid.members)) - {m for m, _ in solver.grid.bodies})
    if still:
        raise SettingsError(
            "no marker is a wall, so there is no body to move; name the bodies "
            "in walls ([mesh] in a case file), or run steady",
            member=still[0],
        )
    if not np.isfinite(periods).all():
        raise SettingsError(
            "an unsteady run by cycles needs a motion with a period, which parts of a sum must "
            f"share within {ORDERS} cycles of one; give such a motion, or time_step and steps, "
            "or run steady",
            member=int(np.flatnonzero(~np.isfinite(periods))[0]),
        )
    return periods


def _settled(solver: Moving, dt: NDArray[np.float64]) -> tuple[int, ...]:
    """Steps of each member after which all its motions have ended their ramps."""
    found = [0] * solver.grid.members
    for motion, (m, _) in zip(solver.motions, solver.grid.bodies, strict=True):
        if motion is not None:
            end = motion.settles(float(solver.speed[m])) / float(dt[m])
            found[m] = max(found[m], ceil(end - 1e-9))
    return tuple(found)


def _until(by_cycles: bool, until: Any, tolerance: Any) -> tuple[str, float]:
    """Return the end criterion and the periodic tolerance; SettingsError if invalid."""
    if until not in (None, *UNTIL):
        raise SettingsError(f"until is {until!r}, expected 'cycles' or 'periodic'")
    given = {"until": until, "periodic_tolerance": tolerance}
    lost = [f"{name} is {value!r}" for name, value in given.items() if value is not None]
    if lost and not by_cycles:
        raise SettingsError(
            f"{' and '.join(lost)} in a run by time_step and steps, which has no cycles; give "
            "cycles and steps_per_cycle"
        )
    if tolerance is None:
        return until or "cycles", PERIODIC
    share = float(numbers(tolerance, 1, "periodic_tolerance", positive=True)[0])
    return until or "cycles", share


@dataclass(frozen=True, slots=True)
class Plan:
    """Time steps, start and end criterion of an unsteady run.

    Parameters
    ----------
    dt : (members,)         time steps [chord/a_inf]
    periods : (members,)    or None: the run goes by time
    count : int             physical steps, at most where `until` is "periodic"
    repeats : bool          one cycle of the motion shows what the mesh does in all
    until : "cycles" or "periodic"    what the run goes on to
    tolerance : float       change of a periodic loop, at most (`Loop.change`)
    frame_time : float      between two frames of a run without a period; 0: every step is one; the
        last step of such a run is always one
    free : bool             of bodies on structures: members that have grown too far stay where they
        ended, and cycles count periods of the first mode
    settled : (members,)    steps after which all motions have ended their ramps; () : none has any
    """

    cycles: float | None
    steps_per_cycle: int | None
    dt: NDArray[np.float64]
    periods: NDArray[np.float64] | None
    count: int
    start: str
    repeats: bool = True
    until: str = "cycles"
    tolerance: float = PERIODIC
    frame_time: float = 0.0
    settled: tuple[int, ...] = ()
    free: bool = False

    @classmethod
    def of(
        cls,
        solver: Moving,
        start: str | None,
        cycles: Any,
        steps_per_cycle: Any,
        time_step: Any,
        steps: Any,
        until: Any = None,
        periodic_tolerance: Any = None,
    ) -> Plan:
        """Plan of a user's arguments; SettingsError if invalid."""
        start = solver.starts[0] if start is None else start
        starts = solver.starts
        if "steady" in starts and (solver.structures or start == EQUILIBRIUM):
            starts = (*starts, EQUILIBRIUM)
        if start not in starts:
            expected = " or ".join(map(repr, starts))
            raise SettingsError(f"start is {start!r}, expected {expected}")
        if start == EQUILIBRIUM:
            check_equilibrium(solver.structures)
        solver.check_run()
        solver.check_start(start)
        each = _each(time_step, solver.grid.members)
        longest = time_step if each is None else float(each.max())
        by_cycles, count = time_steps(cycles, steps_per_cycle, longest, steps)
        until, tolerance = _until(by_cycles and not solver.structures, until, periodic_tolerance)
        if by_cycles and solver.structures:
            return cls._of_structures(solver.structures.periods, steps_per_cycle, count, start)
        periods = _periods(solver) if by_cycles else None
        if periods is not None:
            closing.look(solver, periods, float(cycles))
        if periods is not None:
            dt = periods / steps_per_cycle
        else:
            dt = np.full(solver.grid.members, float(longest)) if each is None else each
        repeats = solver.deform.repeats
        frame = solver.frame_time * solver.reference[1]
        if not frame and (most := FRAMES[solver.grid.dimensions]):
            frame = float(dt.min()) * count / most
        return cls(
            cycles, steps_per_cycle, dt, periods, count, start, repeats, until, tolerance, frame,
            _settled(solver, dt), free=solver.structures is not None,
        )  # fmt: skip

    @classmethod
    def _of_structures(cls, periods: Any, steps_per_cycle: int, count: int, start: str) -> Plan:
        """Plan of bodies on structures, which have no cycle: steps of the first mode's periods."""
        frame = float(periods.min()) / FRAMES_PER_CYCLE
        dt = periods / steps_per_cycle
        return cls(None, None, dt, None, count, start, frame_time=frame, free=True)

    @property
    def from_steady(self) -> bool:
        """True where the first flow is that of a march to a steady one."""
        return self.start in ("steady", EQUILIBRIUM)

    def is_frame(self, step: int) -> bool:
        """Return True if a step is a frame of the field file.

        Without a period frames are `frame_time` apart, else they divide each cycle; the last step
        is one.
        """
        if step == self.count:
            return True
        if self.steps_per_cycle is None:
            return step % max(1, round(self.frame_time / float(self.dt.min()))) == 0
        # frames that do not divide a cycle evenly are the first steps behind their phases
        count = frames_of_cycle(self.steps_per_cycle)
        return step * count % self.steps_per_cycle < count

    def is_surface(self, step: int) -> bool:
        """Return True if a step is a frame of the walls in space: those of the field file, and at
        least 64 that divide a cycle evenly."""
        if self.steps_per_cycle is None or self.is_frame(step):
            return self.is_frame(step)
        most = max(1, self.steps_per_cycle // SURFACES_PER_CYCLE)
        return step % max(n for n in range(1, most + 1) if self.steps_per_cycle % n == 0) == 0

    @property
    def restart_every(self) -> int:
        """Steps between two restarts."""
        return max(1, (self.steps_per_cycle or 64) // RESTARTS_PER_CYCLE)

    @property
    def dry_steps(self) -> int:
        """Steps of a pre-flight: ramps and one cycle where cycles repeat, else the whole run."""
        if not self.repeats or self.steps_per_cycle is None:
            return self.count
        return min(self.count, max(self.settled, default=0) + self.steps_per_cycle)

    def past_ramps(self, member: int, step: int) -> bool:
        """Return True where the cycle that ends with a step is the motion's, after all ramps."""
        ramps = self.settled[member] if self.settled else 0
        return step >= ramps + (self.steps_per_cycle or 0)

    def cycle(
        self, time: NDArray[np.float64], member: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Cycles done at each member's time; without a period the run is one cycle.

        With `member`, at the times of rows of these members.
        """
        whole = self.dt * self.count if self.periods is None else self.periods
        return time / (whole if member is None else whole[member])

    @property
    def phases(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """Callable, time -> cycles done; None in a run without cycles."""
        return None if self.periods is None else self.cycle

    def told(self, done: int) -> dict[str, Any]:
        """Conditions for the summary: cycles, end criterion, time step, and `done` steps."""
        told: dict[str, Any] = {"cycles": self.cycles, "steps_per_cycle": self.steps_per_cycle}
        if self.steps_per_cycle is not None and self.until == "periodic":
            told |= {"cycles": done / self.steps_per_cycle, "most_cycles": self.cycles}
        if self.periods is not None:
            told |= {"until": self.until, "periodic_tolerance": self.tolerance}
        return told | {"time_step": self.dt, "steps": done}

    def identity(self, solver: Moving) -> dict[str, Any]:
        """Identity of the run (`resume.identity`), without its length."""
        return resume.identity(
            solver,
            "unsteady",
            time_step=self.dt,
            steps_per_cycle=self.steps_per_cycle,
            start=self.start,
        )


def frames_of_cycle(steps: int) -> int:
    """Frames of a cycle of so many steps: the fewest that divide it evenly, or else 16.

    Of 16 steps and less each is a frame.
    """
    most = range(FRAMES_PER_CYCLE, 2 * FRAMES_PER_CYCLE + 1)
    return min(steps, next((n for n in most if steps % n == 0), FRAMES_PER_CYCLE))
