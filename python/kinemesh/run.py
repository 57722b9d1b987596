"""The run loop: steady marches and unsteady cycles, with history, fields and restart on disk."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.conditions import time_steps
from kinemesh.errors import NumericalFault, SettingsError
from kinemesh.files import Files
from kinemesh.io import summary
from kinemesh.io.folder import clear, hold
from kinemesh.io.history import STEADY, UNSTEADY, History
from kinemesh.io.summary import Stopwatch

if TYPE_CHECKING:
    from kinemesh.ale import Ale
    from kinemesh.motion import Pose

FRAMES_PER_CYCLE = 16


@dataclass(slots=True)
class Run:
    """What a run leaves behind.

    Parameters
    ----------
    history : History    rows per member and step (or iteration)
    summary : dict       what summary.json holds
    out : Path or None
    """

    history: History
    summary: dict[str, Any]
    out: Path | None


@contextmanager
def progress_bar(total: int, shown: bool, unit: str) -> Iterator[Any]:
    """tqdm where it is wanted."""
    from tqdm import tqdm

    with tqdm(total=total, unit=unit, disable=None if shown else True, dynamic_ncols=True) as bar:
        yield bar


def march(ale: Ale, recording: Any, where: str, watch: Stopwatch, each: Any = None) -> None:
    """Replay pseudo-steps until no member is active."""
    while True:
        with watch("flow"):
            recording()
            active = ale.backend.get(ale.dualtime.active)
        ale.check_faults(where)
        if each is not None:
            each()
        if not active.any():
            return


def steady(
    ale: Ale,
    out: str | Path | None = None,
    progress: bool = False,
    watch: Stopwatch | None = None,
    poses: Sequence[Pose] = (),
) -> Run:
    """March all members to the steady state, bodies at rest at `poses` (as given).

    Every iteration is a row of the history; the run ends by `steady_drop` or
    `steady_iterations`, and the summary says which.
    """
    with hold(out):
        clear(out)
        return _steady(ale, None if out is None else Path(out), progress, watch, poses)


def _steady(
    ale: Ale, folder: Path | None, progress: bool, watch: Stopwatch | None, poses: Sequence[Pose]
) -> Run:
    s = ale.settings
    alone, watch = watch is None, watch or Stopwatch()
    history = History(STEADY, None if folder is None else folder / "history.csv")
    ale.start_steady(poses)
    recording = ale.iteration(
        s.steady_drop, s.steady_iterations, (s.cfl, s.cfl_max, s.cfl_growth), 1
    )
    get = ale.backend.get
    done = np.full(ale.grid.members, -1)
    with progress_bar(s.steady_iterations, progress, "it") as bar:

        def each() -> None:
            with watch("forces and history"):
                iterations, norm = get(ale.dualtime.iterations), get(ale.dualtime.norm)
                drop, cfl = norm / get(ale.dualtime.first), get(ale.dualtime.cfl)
                loads = ale.coefficients(poses)
                for m in np.flatnonzero(iterations > done):
                    history.append(
                        member=m,
                        iteration=iterations[m],
                        residual=drop[m],
                        cl=loads[m, 0],
                        cd=loads[m, 1],
                        cm=loads[m, 2],
                        cfl=cfl[m],
                    )
                done[:] = iterations
            bar.update(int(iterations.max()) - bar.n)
            bar.set_postfix_str(f"residual {drop.max():.1e}", refresh=False)

        march(ale, recording, "steady run", watch, each)
    drop = get(ale.dualtime.norm) / get(ale.dualtime.first)
    converged = drop <= s.steady_drop
    notes = [
        f"member {m}: residual fell to {drop[m]:.1e} only, asked {s.steady_drop:.1e}"
        for m in np.flatnonzero(~converged & (get(ale.dualtime.iterations) >= s.steady_iterations))
    ]
    if alone:
        with Files(ale, folder, watch) as files:
            files.fields(np.zeros(ale.grid.members))
            files.restart(0, np.zeros(ale.grid.members))
    loads = ale.coefficients(poses)
    result = {
        "cl": loads[:, 0],
        "cd": loads[:, 1],
        "cm": loads[:, 2],
        "iterations": get(ale.dualtime.iterations),
        "residual_drop": drop,
        "ended_at_roundoff": ~converged & (get(ale.dualtime.norm) <= get(ale.dualtime.floor)),
    }
    return _finish(ale, "steady", history, folder, watch, result, notes, {})


def _periods(ale: Ale) -> NDArray[np.float64]:
    """Period of each member [chord/a_inf]; SettingsError where a member has none."""
    periods = np.full(ale.grid.members, np.nan)
    for motion, (m, marker) in zip(ale.motions, ale.grid.bodies, strict=True):
        omega = None if motion is None else motion.omega(float(ale.mach[m]))
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


def _schedule(
    ale: Ale, cycles: Any, steps_per_cycle: Any, time_step: Any, steps: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, int]:
    """Time steps of the members, their periods (None: the run goes by time), number of steps."""
    by_cycles, count = time_steps(cycles, steps_per_cycle, time_step, steps)
    if not by_cycles:
        return np.full(ale.grid.members, float(time_step)), None, count
    periods = _periods(ale)
    return periods / steps_per_cycle, periods, count


class _Unsteady:
    """One unsteady run: the loop's state and what it writes."""

    def __init__(
        self,
        ale: Ale,
        dt: NDArray,
        periods: NDArray | None,
        steps: int,
        folder: Path | None,
        every: int,
    ) -> None:
        self.ale, self.dt, self.steps = ale, dt, steps
        self.periods = dt * steps if periods is None else periods
        self.lowered = 0
        self.watch = Stopwatch()
        self.files = Files(ale, folder, self.watch)
        self.every = every
        self.unconverged = np.zeros(ale.grid.members, int)
        self.inner, self.at_roundoff = (np.zeros(ale.grid.members, int) for _ in range(2))
        self.notes: dict[str, float] = {}
        self.history = History(UNSTEADY, None if folder is None else folder / "history.csv")
        s = ale.settings
        self.recording = ale.iteration(
            s.unsteady_drop,
            s.unsteady_iterations,
            (s.unsteady_cfl, s.cfl_max, s.cfl_growth),
            8 if ale.backend.on_gpu else 4,
        )

    def step(self, number: int) -> None:
        """One physical step of every member."""
        ale, watch = self.ale, self.watch
        before = (number - 1) * self.dt

        def poses_at(share: float) -> list[Any]:
            return ale.poses(before + share * self.dt)

        where = f"step {number} of {self.steps}"
        with watch("deformation"):
            try:
                notes = ale.advance(self.dt, 1 if number == 1 else 2, poses_at)
            except NumericalFault as fault:
                raise NumericalFault(f"{fault} ({where})") from fault
            ale.check_faults(where)
        for name, value in notes.items():
            self.notes[name] = self.notes.get(name, 0) + value
        march(ale, self.recording, where, watch)
        with watch("forces and history"):
            self.record(number, ale.poses(before + self.dt))

    def record(self, number: int, poses: list[Any]) -> None:
        ale, get = self.ale, self.ale.backend.get
        loads = ale.coefficients(poses)
        worst = ale.grid.worst_cells()
        iterations, norm = get(ale.dualtime.iterations), get(ale.dualtime.norm)
        drop = norm / np.maximum(get(ale.dualtime.first), 1e-300)
        self.at_roundoff += (drop > ale.settings.unsteady_drop) & (norm <= get(ale.dualtime.floor))
        bad = (drop > ale.settings.unsteady_drop) & (norm > get(ale.dualtime.floor))
        self.unconverged += bad
        self.lowered += int(get(ale.lowered).sum())
        self.inner += iterations
        angle = np.zeros(ale.grid.members)
        for pose, (m, _) in reversed(list(zip(poses, ale.grid.bodies, strict=True))):
            angle[m] = pose.angle
        time = number * self.dt
        cycle = time / self.periods
        for m in range(ale.grid.members):
            self.history.append(
                member=m,
                step=number,
                time=time[m],
                cycle=cycle[m],
                phase_deg=360 * (cycle[m] % 1),
                alpha_deg=ale.alpha_deg[m] + np.degrees(angle[m]),
                cl=loads[m, 0],
                cd=loads[m, 1],
                cm=loads[m, 2],
                inner_iterations=iterations[m],
                residual_drop=drop[m],
                min_area=worst[m, 0],
                min_angle_deg=np.degrees(worst[m, 1]),
            )


def unsteady(
    ale: Ale,
    *,
    cycles: float | None = None,
    steps_per_cycle: int | None = None,
    time_step: float | None = None,
    steps: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
    start: str = "steady",
) -> Run:
    """Run the motion.

    Parameters
    ----------
    cycles, steps_per_cycle : of the motion's period; or
    time_step [chord/a_inf], steps : for motions without a period
    out : folder for history.csv, flow.vtkhdf, restart.h5 and summary.json
    start : "steady" (the converged flow at the mean angle, bodies at rest where the motion
        begins) or "as is" (the present flow; the bodies go to where the motion begins)
    """
    if start not in ("steady", "as is"):
        raise SettingsError(f"start is {start!r}, expected 'steady' or 'as is'")
    dt, periods, count = _schedule(ale, cycles, steps_per_cycle, time_step, steps)
    with hold(out):
        clear(out)
        return _unsteady(
            ale, cycles, steps_per_cycle, dt, periods, count, out, progress, start == "steady"
        )


def _unsteady(
    ale: Ale,
    cycles: float | None,
    steps_per_cycle: int | None,
    dt: NDArray[np.float64],
    periods: NDArray[np.float64] | None,
    count: int,
    out: str | Path | None,
    progress: bool,
    from_steady: bool,
) -> Run:
    folder = None if out is None else Path(out)
    poses = ale.poses(np.zeros(ale.grid.members))
    job = _Unsteady(
        ale, dt, periods, count, folder, max(1, (steps_per_cycle or 16) // FRAMES_PER_CYCLE)
    )
    first = {}
    if from_steady:
        begun = steady(ale, progress=progress, watch=job.watch, poses=poses)
        first = {"steady_" + k: begun.summary["result"][k] for k in ("iterations", "residual_drop")}
        ale.initialise(ale.primitive())
    else:
        ale.place(poses)
    ale.dualtime.set_floor(dt)
    restart_every = max(1, (steps_per_cycle or 64) // 4)
    try:
        with job.files, progress_bar(count, progress, "step") as bar:
            job.files.fields(np.zeros(ale.grid.members))
            job.files.restart(0, dt)
            for number in range(1, count + 1):
                job.step(number)
                bar.update()
                if number % job.every == 0:
                    job.files.fields(number * dt)
                if number % restart_every == 0 or number == count:
                    job.files.restart(number, dt)
    finally:
        job.history.close()
    notes = [
        f"member {m}: {n} of {count} steps ended above the asked residual drop "
        f"{ale.settings.unsteady_drop:g}"
        for m, n in enumerate(job.unconverged)
        if n
    ]
    if job.lowered:
        notes.append(
            f"{job.lowered} edges (sum over steps) ended at first order: a gradient asked "
            "for a negative density or pressure there"
        )
    result = _result(job.history, ale.grid.members, periods is not None) | first | job.notes
    result["inner_iterations"] = job.inner
    result["unconverged_steps"] = job.unconverged
    result["steps_ended_at_roundoff"] = job.at_roundoff
    timing = {
        "cycles": cycles,
        "steps_per_cycle": steps_per_cycle,
        "time_step": dt,
        "steps": count,
        "motion": [None if m is None else repr(m) for m in ale.motions],
        "deform": {"method": ale.deform.name}
        | {f.name: getattr(ale.deform, f.name) for f in fields(ale.deform)},
    }
    return _finish(ale, "unsteady", job.history, folder, job.watch, result, notes, timing)


def _result(history: History, members: int, periodic: bool) -> dict[str, Any]:
    """Loop of the last cycle of each member, where there is a whole one."""
    from kinemesh.hysteresis import hysteresis

    found: dict[str, Any] = {}
    for m in range(members):
        rows = history.member(m)
        result: dict[str, Any] = {
            "least_area": rows["min_area"].min(),
            "least_angle_deg": rows["min_angle_deg"].min(),
        }
        if periodic and rows["cycle"][-1] >= 1 - 1e-9:
            result |= hysteresis(rows).to_dict()
        for name, value in result.items():
            if members == 1:
                found[name] = value
            else:
                found.setdefault(name, []).append(value)
    return found


def _finish(
    ale: Ale,
    mode: str,
    history: History,
    folder: Path | None,
    watch: Stopwatch,
    result: dict[str, Any],
    notes: list[str],
    timing: dict[str, Any],
) -> Run:
    """Close the files and write the summary."""
    grid = ale.grid

    def one(value: Any) -> Any:
        return value[0] if grid.members == 1 and np.ndim(value) == 1 and len(value) == 1 else value

    conditions = {
        "mach": one(ale.mach),
        "alpha_deg": one(ale.alpha_deg),
        "moment_about": ale.moment_about,
    } | {k: one(v) for k, v in timing.items()}
    mesh = {"nodes": grid.nodes, "cells": len(grid.cells), "members": grid.members}
    text = summary.collect(
        mode,
        ale.backend.describe(),
        ale.backend.dtype,
        conditions,
        mesh,
        ale.settings,
        watch,
        {k: one(v) for k, v in result.items()},
        notes,
    )
    history.close()
    for note in notes:
        warnings.warn(note, RuntimeWarning, stacklevel=6)
    if folder is not None:
        summary.write(folder / "summary.json", text)
    return Run(history, text, folder)
