"""The run loop of unsteady runs: cycles of a motion, with history, fields and restarts on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.errors import CaseError, SettingsError
from kinemesh.io.history import History
from kinemesh.results import Run
from kinemesh.run import courant, ends, interrupt, phases, turns
from kinemesh.run import resume as resumption
from kinemesh.run.claim import Claim, folder_of
from kinemesh.run.driver import Driver, drive
from kinemesh.run.energy import check as check_energy
from kinemesh.run.march import progress_bar, take_step
from kinemesh.run.plan import Plan
from kinemesh.run.preflight import fly
from kinemesh.run.rows import columns, moving, scales
from kinemesh.run.steady import columns as steady_columns
from kinemesh.run.steady import to_steady
from kinemesh.run.swings import Swings
from kinemesh.sentences import NO_RESUME, Sentence, of_row, rows_of

if TYPE_CHECKING:
    from kinemesh.bodies.placement import Placement
    from kinemesh.flow.moving import Moving
    from kinemesh.run.resume import Saved

ARRAYS = ("unconverged", "at_roundoff", "inner", "rows", "lowered")  # of the tally


STALL = 0.7
"""Share of a step's residual: without a fall to it in a pseudo-step the CFL number is halved.

At Mach 0.69 and 64 steps a cycle (1500 nodes) CFL numbers above 300 leave a residual that rises by
a tenth in each pseudo-step; in a step that converges less than half of it is left by each.
"""


AT_START = "steady flow at the start: "


def _start_note(row: Any) -> Sentence:
    """A note about the first flow, from its row with the words `before` it."""
    note = of_row(row)
    before = row.get("before", "") if isinstance(row, Mapping) else ""
    return Sentence(before, note, about=before + note.about)


class _Tally:
    """Counts of a run over its steps, for the summary; kept in restarts."""

    def __init__(self, members: int) -> None:
        self.unconverged, self.at_roundoff, self.inner, self.rows, self.lowered = (
            np.zeros(members, int) for _ in ARRAYS
        )
        self.notes: dict[str, float] = {}
        self.first: dict[str, Any] = {}
        self.preflight: dict[str, Any] = {}
        self.start: list[Any] = []  # rows of notes about the first flow
        self.ended: dict[int, int] = {}  # members that were done before the others, after a step

    def add(self, notes: Mapping[str, float]) -> None:
        """Add a mover's numbers."""
        for name, value in notes.items():
            self.notes[name] = self.notes.get(name, 0) + value

    def dump(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return vars(self)

    def load(self, kept: Mapping[str, Any]) -> None:
        """Restore the counts from `dump`."""
        for name, value in kept.items():
            setattr(self, name, np.array(value) if name in ARRAYS else value)
        self.ended = {int(member): step for member, step in self.ended.items()}


class Unsteady(Driver):
    """Driver of physical steps, from a steady flow or the initial state; `dry` : pre-flight."""

    mode = "unsteady"

    def __init__(
        self,
        claim: Claim,
        folder: Path | None,
        saved: Saved | None,
        progress: bool,
        energy: bool,
        dry: bool,
    ) -> None:
        assert claim.plan is not None
        self.plan, self.dry = claim.plan, dry
        self.done, self.phase = 0, ""  # steps, and words on the last one
        self.foretold: set[int] = set()  # members of whose turns the pre-flight has warned
        self.tally = _Tally(claim.solver.grid.members)
        if saved is not None:
            self.tally.load(saved.record["tally"])
        super().__init__(claim, folder, saved, progress, energy)
        self.history.by_time = self.plan.steps_per_cycle is None
        self.history.scales = scales(self.solver)
        if saved is not None:
            before = {m: step for m, step in self.tally.ended.items() if step < saved.step}
            ends.refuse_to_go_on(self.plan, self.history, before, str(saved.path))
            self.solver.grid.ensemble.end(before)
        self.solver.bodies.forget()  # a user's function may tell another motion now
        watched = "cfl" in self.solver.columns
        self.swings = Swings(self.solver, self.plan, self.history) if watched else None
        self.recording = self.solver.marching(STALL)

    def columns(self) -> tuple[str, ...]:
        return columns(self.solver)

    def cut(self, path: Path, saved: Saved) -> History:
        """In cycles of this plan."""
        rows = History.read(path, torn=True)
        members = self.solver.grid.members
        step = rows["step" if rows.kind == "unsteady" else "iteration"]
        kept = np.bincount(rows["member"][step <= saved.step], minlength=members).tolist()
        if rows.kind != "unsteady" or kept != self.tally.rows.tolist():
            raise CaseError(
                f"{path}: has not the rows of the {saved.step} steps before {saved.path}, so it is "
                "of another run; run without ",
                NO_RESUME,
                " to begin anew",
            )

        def recount(rows: History) -> dict[str, Any]:
            at = self.plan.cycle(rows["time"], rows["member"])
            return {"cycle": at, "phase_deg": 360 * (at % 1)}

        if rows.columns != columns(self.solver):
            raise CaseError(
                f"{path}: has other columns than this version writes; run without ",
                NO_RESUME,
                " to begin anew",
            )
        # without a period a cycle is the whole run, and that may be a longer one now
        return History.resume(path, saved.step, None if self.plan.periods is not None else recount)

    def fly(self) -> None:
        """Pre-flight of the motion, unless it is off or an earlier part of the run made it."""
        plan, done = self.plan, self.tally.preflight.get("steps", 0)
        turns.refuse_farthest(self.solver, plan)
        if not self.dry or done >= plan.dry_steps:
            return
        with self.watch("motion pre-flight"):
            self.foretold = turns.foretell(self.solver, plan)
            with progress_bar(plan.dry_steps + 1, self.progress, "dry step") as bar:

                def each() -> None:
                    bar.update()
                    self.spent.touch()

                found = fly(self.solver, plan.dt, plan.dry_steps, plan.phases, each)
        self.tally.preflight = found

    def begin(self) -> int:
        """The flow that the motion starts from, or where the restart left off; steps done."""
        solver, plan, saved = self.solver, self.plan, self.saved
        solver.grid.ensemble.at("start of the motion", 0)
        poses = solver.poses(np.zeros(solver.grid.members))
        if saved is not None and saved.phase == "unsteady":
            resumption.restore(solver, saved, poses)
            self.files.begin(saved.step * plan.dt)
            return saved.step
        if plan.start == "steady":
            result, notes = to_steady(self, poses, History(steady_columns(solver)), "start")
            self.tally.start = [row | {"before": AT_START} for row in rows_of(notes)]
            self.tally.first = {
                f"steady_{name}": result[name] for name in ("iterations", "residual_drop")
            }
            solver.settle()
        else:
            solver.grid.ensemble.at("mesh at the start of the motion", 0)
            solver.rest(poses)
            solver.start_from(plan.start)
        if solver.starts[0] == "stream" and plan.start != "as is":
            walled = np.unique(solver.grid.wall.body)
            self.tally.start += rows_of(solver.bodies.jumps(walled))
        self.tally.start += rows_of(solver.bodies.remarks())
        solver.dualtime.set_floor(plan.dt)
        self.files.begin()
        self.files.frames()
        self.keep(0)
        return 0

    def memory(self, steps: int) -> dict[str, Any]:
        poses = resumption.samples(self.solver, self.plan.dt, steps)
        self.tally.ended = self.solver.grid.ensemble.ended
        return {"tally": self.tally.dump(), "poses": poses}

    def go(self) -> None:
        """Pre-flight, first flow, and every step."""
        plan = self.plan
        self.fly()
        self.done = self.begin()
        with progress_bar(plan.count, self.progress, "step", self.done) as bar:
            over = self.over(self.done)
            while not over:
                self.done += 1
                self.step(self.done)
                if plan.shown(self.done, plan.frame_every):
                    self.files.fields(self.done * plan.dt)
                if plan.shown(self.done, plan.surface_every):
                    self.files.surface(self.done * plan.dt)
                over = self.over(self.done)
                if over:
                    bar.total = self.done
                bar.set_postfix_str(self.phase, refresh=False)
                bar.update()
                self.spent.touch()
                if self.done % plan.restart_every == 0 or over:
                    self.keep(self.done)
                interrupt.check()
        self.files.walls()

    def over(self, number: int) -> bool:
        """Return True if the run ends after step `number`."""
        return ends.over(self.plan, self.history, self.solver.grid.ensemble, number)

    def step(self, number: int) -> None:
        """One physical step of every member."""
        solver, watch, dt = self.solver, self.watch, self.plan.dt
        placement = solver.by_laws((number - 1) * dt, dt)
        where = f"step {number} of {self.plan.count}"
        solver.grid.ensemble.at(f"step {number}", number)  # a later part may have more steps
        self.tally.add(take_step(solver, self.recording, number, dt, where, watch, placement))
        with watch("forces and history"), solver.grid.ensemble.quiet():
            self.accept(number, placement)

    def accept(self, number: int, placement: Placement) -> None:
        """Count and write the step as it ended; members that diverged in it fail."""
        solver, get, tally = self.solver, self.solver.backend.get, self.tally
        time = number * self.plan.dt
        moved = moving(solver, placement)  # a motion may fail here, and its member has no row
        drop, at_floor = self._ended()
        alive = solver.grid.ensemble.alive
        missed = solver.missed()
        at_floor &= ~missed
        above = alive & (~(drop <= solver.settings.unsteady_drop) | missed)
        tally.rows += alive
        tally.at_roundoff += above & at_floor
        tally.unconverged += above & ~at_floor
        tally.lowered += solver.below_second_order()
        tally.inner += get(solver.dualtime.iterations)
        cycle = self.plan.cycle(time)
        rows = (
            moved
            | solver.step_numbers()
            | {
                "step": np.full(solver.grid.members, number),
                "time": time,
                "cycle": cycle,
                "phase_deg": 360 * (cycle % 1),
                "inner_iterations": get(solver.dualtime.iterations),
                "residual_drop": drop,
                "converged": at_floor | ~above,
            }
        )
        self.history.extend(solver.grid.ensemble.of_alive(rows))
        self.phase = phases.of_step(rows, alive)
        if self.swings is not None:
            self.swings.look(rows, number)
        if (above & ~at_floor).any():
            ends.refuse_diverged(solver, f"step {number} of {self.plan.count}")

    def _ended(self) -> tuple[Any, Any]:
        """(members,) drop of the residual in this step, and whether that is round-off."""
        dual, get = self.solver.dualtime, self.solver.backend.get
        drop = get(dual.norm) / np.maximum(get(dual.base), 1e-300)
        return drop, ends.at_roundoff(self.solver)

    def _unconverged(self) -> list[str]:
        """A sentence for each member with steps that did not converge."""
        drop = self.solver.settings.unsteady_drop
        return [
            Sentence(
                f"{n} of {self._steps(m)} steps ended above the asked residual drop {drop:g} "
                "(converged = 0 in the history)",
                ends.short_steps(self.solver, m, self.history.member(m)),
                member=m,
                about=ends.NOT_CONVERGED,
            )
            for m, n in enumerate(self.tally.unconverged)
            if n
        ]

    def _steps(self, member: int) -> int:
        """Number of physical steps of a member."""
        return int(self.history.member(member)["step"].max(initial=0))

    def _turns(self, member: int, result: dict[str, Any]) -> list[str]:
        """Sentences of turns that are too far and of mass that is lost; both go to the result."""
        rows, steps, notes = self.history.member(member), self._steps(member), []
        turning = self.solver.turning_bodies(member)
        found = turns.largest_turn(rows, self.plan, {name: own[0] for name, own in turning.items()})
        if found:
            result["turn_deg"] = found
            notes += turns.turn_remark(member, found, steps, turning[found["body"]][1])
            self.warned |= set(notes) if member in self.foretold else set()
        if "mass_defect" in self.solver.columns and rows["mass_defect"].any():
            result["mass_defect"] = turns.largest_defect(rows, self.plan)
            notes += turns.defect_remark(member, result["mass_defect"], steps)
        return notes

    def ended(self) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
        solver, plan, tally = self.solver, self.plan, self.tally
        notes = [*map(_start_note, tally.start), *self._unconverged()]
        notes += [
            Sentence(
                f"{count} edges (sum over steps) ended below second order: a gradient asked for a "
                "negative density or pressure there",
                member=m,
                about="below second order",
            )
            for m, count in enumerate(tally.lowered)
            if count
        ]
        failures = solver.grid.ensemble.failures
        ran = [m for m in range(solver.grid.members) if m not in failures]
        loops: dict[int, dict[str, Any]] = {}
        for m in ran:
            rows, per_length = self.history.member(m), self.history.scales[m].time
            loops[m], spectrum = ends.result(rows, plan, per_length)
            remark = None if spectrum is None else spectrum.remark()
            notes += [] if remark is None else [Sentence(remark, member=m, about="spectrum")]
            if "cfl" in solver.columns:
                outer = solver.settings.outer
                loops[m]["cfl"] = courant.largest(rows, plan, outer)
                notes += courant.remark(m, loops[m]["cfl"], self._steps(m))
            notes += self._turns(m, loops[m])
        notes += ends.periodicity(plan, loops)
        found = [loops.get(m, {"converged": False}) for m in range(solver.grid.members)]
        result = ends.of_members(found) | tally.first | tally.notes
        if tally.preflight:
            result["preflight"] = tally.preflight
        result["inner_iterations"] = tally.inner
        result["unconverged_steps"] = tally.unconverged
        result["steps_ended_at_roundoff"] = tally.at_roundoff
        conditions = {
            **plan.told(self.done),
            "motion": [None if m is None else repr(m) for m in solver.motions],
            "deform": {"method": solver.deform.name}
            | {f.name: getattr(solver.deform, f.name) for f in fields(solver.deform)},
        }
        return result, notes, conditions


def unsteady(
    solver: Moving,
    *,
    cycles: float | None = None,
    steps_per_cycle: int | None = None,
    time_step: float | None = None,
    steps: int | None = None,
    until: str | None = None,
    periodic_tolerance: float | None = None,
    out: str | Path | None = None,
    progress: bool = False,
    start: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    preflight: bool = True,
    energy: bool = False,
) -> Run:
    """Run the motion; see `kinemesh.flow.door.runnable.Runnable.run`."""
    if not isinstance(preflight, bool):
        raise SettingsError(f"preflight is {preflight!r}, expected True or False")
    check_energy(energy)
    folder = folder_of(out, resume, overwrite)
    plan = Plan.of(solver, start, cycles, steps_per_cycle, time_step, steps, until,
                   periodic_tolerance)  # fmt: skip
    if solver.grid.members == 1:  # a law that does not last must fail before the run
        solver.rates(plan.count * plan.dt)
    columns(solver)  # markers whose columns would have one name must fail before it, too
    claim = Claim(solver, plan.identity(solver), plan)
    return drive(Unsteady, claim, folder, resume, overwrite, progress, energy, preflight)
