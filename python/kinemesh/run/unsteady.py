"""The run loop of unsteady runs: cycles of a motion, with history, fields and restarts on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placed import Placed
from kinemesh.errors import CaseError
from kinemesh.io.history import History
from kinemesh.io.summary import update
from kinemesh.run import courant, criteria, interrupt, phases, turns
from kinemesh.run import resume as resumption
from kinemesh.run.claim import Claim
from kinemesh.run.driver import Driver
from kinemesh.run.march import progress_bar, take_step
from kinemesh.run.preflight import fly
from kinemesh.run.rows import columns, moving, scales
from kinemesh.run.steady import to_start
from kinemesh.run.stepping import Coupler, Step
from kinemesh.run.swings import Swings
from kinemesh.run.tally import AT_START, Tally
from kinemesh.sentences import NO_RESUME, Sentence, rows_of

if TYPE_CHECKING:
    from kinemesh.bodies.placement import Placement
    from kinemesh.flow.forces import Loads
    from kinemesh.motion import Pose
    from kinemesh.run.resume import Saved

STALL = 0.7
"""Share of a step's residual: without a fall to it in a pseudo-step the CFL number is halved.

At Mach 0.69 and 64 steps a cycle (1500 nodes) CFL numbers above 300 leave a residual that rises by
a tenth in each pseudo-step; in a step that converges less than half of it is left by each.
"""


class Unsteady(Driver):
    """Driver of physical steps, from a steady flow or the initial state.

    Parameters
    ----------
    dry : whether there is a pre-flight
    coupler : Coupler, or None    that accepts steps

    Attributes
    ----------
    done, begun : steps that are taken, and that were when this part of the run began
    placed : Placed    poses that a user gives
    placements, iterations : of the present step, over all placements
    row : columns (members,) of the last step;  loads : of its bodies
    coupling : whether a coupler is asked;  stopped : whether a user ends the run after this step
    by_hand : whether steps are asked for one by one, or coupled: what its lines or its coupler know
        is lost with a step, so that each leaves a restart where the next one fails
    spare : contents of the restart of the last step, where that is not written
    over_now : whether the last step was taken
    """

    mode = "unsteady"
    settles = True  # whether means over time are those of a flow that settles
    coupling = stopped = over_now = by_hand = False
    spare: Any = None
    loads: Loads
    now: Placement
    placements: int
    iterations: NDArray[Any]
    converged: NDArray[np.bool_]

    def __init__(
        self,
        claim: Claim,
        folder: Path | None,
        saved: Saved | None,
        progress: bool,
        energy: bool,
        dry: bool,
        coupler: Coupler | None = None,
    ) -> None:
        assert claim.plan is not None
        self.plan, self.dry, self.coupler = claim.plan, dry, coupler
        self.done, self.begun, self.phase = 0, 0, ""  # `phase` : words on the last step
        self.by_hand = coupler is not None
        self.placed = Placed(claim.solver.bodies, claim.solver.check_placed)
        self.placements, self.iterations = 0, np.zeros(claim.solver.grid.members, int)
        self.row: dict[str, NDArray[Any]] = {}
        self.foretold: set[int] = set()  # members of whose turns the pre-flight has warned
        self.tally = Tally(claim.solver.grid.members)
        if saved is not None:
            self.tally.load(saved.record["tally"])
            self.placed.load(saved.record["placed"])
        super().__init__(claim, folder, saved, progress, energy)
        self.history.by_time = self.plan.steps_per_cycle is None
        self.history.scales = scales(self.solver)
        if saved is not None:
            before = {m: step for m, step in self.tally.ended.items() if step < saved.step}
            criteria.refuse_to_go_on(self.plan, self.history, before, str(saved.path))
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
        step, each = rows["step" if rows.kind == "unsteady" else "iteration"], self.tally.rows
        kept = np.bincount(rows["member"][step <= saved.step], minlength=len(each)).tolist()
        if rows.kind != "unsteady" or kept != each.tolist():
            raise CaseError(
                f"{path}: has not the rows of the {saved.step} steps before {saved.path}, so it is "
                "of another run; run without ",
                NO_RESUME,
                " to begin anew",
            )

        def recount(rows: History) -> dict[str, Any]:
            at = self.plan.cycle(rows["time"], rows["member"])
            return {"cycle": at, "phase_deg": 360 * (at % 1)}

        if rows.columns != self.columns():
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
            with progress_bar(plan.dry_steps + 1, self.progress, "pre-flight step") as bar:

                def each() -> None:
                    bar.update()
                    self.spent.touch()

                found = fly(self.solver, plan.dt, plan.dry_steps, plan.phases, each)
        self.tally.preflight = found

    def begin(self) -> int:
        """The flow that the motion starts from, or where the restart left off; steps done."""
        solver, plan, saved = self.solver, self.plan, self.saved
        solver.grid.ensemble.at("start of the motion", 0)
        poses = self.first_poses()
        if saved is not None and saved.phase == "unsteady":
            resumption.restore(solver, saved, poses)
            self.files.begin(saved.step * plan.dt)
            return saved.step
        if plan.from_steady:
            result, notes = self.first_flow(poses)
            self.tally.start = [row | {"before": AT_START} for row in rows_of(notes)]
            told = ("iterations", "residual_drop")
            self.tally.first = {f"steady_{name}": result[name] for name in told}
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

    def first_flow(self, poses: Sequence[Pose]) -> tuple[dict[str, Any], list[str]]:
        """The steady flow that the motion starts from; as of `to_steady`."""
        return to_start(self, poses)

    def first_poses(self) -> Sequence[Pose]:
        """Poses of all bodies where the motion begins."""
        return self.solver.bodies.poses(np.zeros(self.solver.grid.members))

    def placement(self, laws: Placement, number: int) -> Placement:
        """Placement of a step: by laws, with bodies that are placed by hand at their poses."""
        return self.placed.over(laws, self.plan.dt, number == 1)

    def beside_rows(self) -> dict[str, NDArray[Any]]:
        """Columns (members,) of a row beside those that all runs have."""
        return {}

    def memory(self, steps: int) -> dict[str, Any]:
        poses = resumption.samples(self.solver, self.plan.dt, steps)
        self.tally.ended = self.solver.grid.ensemble.ended
        return {"tally": self.tally.dump(), "poses": poses, "placed": self.placed.dump()}

    def go(self) -> None:
        """Pre-flight, first flow, and every step."""
        self.start()
        for _ in self.each():
            if self.stopped:
                self.leave()
                return

    def start(self) -> None:
        """Pre-flight and first flow."""
        self.fly()
        self.done = self.begun = self.begin()

    def each(self) -> Iterator[Step]:
        """Every step, as it has been taken; its restart is written when the next one is asked."""
        plan = self.plan
        with progress_bar(plan.count, self.progress, "step", self.done) as bar:
            over = self.over(self.done)
            while not over:
                try:
                    self.step(self.done + 1)
                except BaseException:
                    self.rescue()
                    raise
                self.done += 1
                if plan.is_frame(self.done):
                    self.files.fields(self.done * plan.dt)
                if plan.is_surface(self.done):
                    self.files.surface(self.done * plan.dt)
                self.over_now = over = self.over(self.done)
                if over:
                    bar.total = self.done
                bar.set_postfix_str(self.phase, refresh=False)
                bar.update()
                self.spent.touch()
                with self.watch.away():
                    yield Step(self, self.done, self.now, self.loads)
                kept = self.done % plan.restart_every == 0 or over
                if kept:
                    self.keep(self.done)
                self.spare = None if kept or not self.by_hand else self._spare()
                interrupt.check()
        self.files.walls()

    def _spare(self) -> tuple[dict[str, NDArray[Any]], Any] | None:
        """Contents of a restart after this step, on the host; None where nothing is written."""
        if self.folder is None:
            return None
        arrays, record = self.files.contents(self.mode, self.done, self.beside(self.done))
        return {name: np.array(values) for name, values in arrays}, record

    def rescue(self) -> None:
        """Write the restart of the step before one that has failed, where it was not written."""
        if self.spare is not None:
            self.files.rescue(self.spare)
            self.spare = None

    def leave(self) -> None:
        """A user ends the run after the step that was taken last."""
        self.over_now = True
        self.empty = not self.done
        if self.done > self.begun:
            self.keep(self.done)
            self.files.walls()

    def over(self, number: int) -> bool:
        """Return True if the run ends after step `number`."""
        return criteria.over(self.plan, self.history, self.solver.grid.ensemble, number)

    def step(self, number: int) -> None:
        """One physical step of every member."""
        solver, watch, dt = self.solver, self.watch, self.plan.dt
        where = f"step {number} of {self.plan.count}"
        solver.grid.ensemble.at(f"step {number}", number)  # a later part may have more steps
        laws = solver.by_laws((number - 1) * dt, dt)
        self.placements, self.iterations = 0, np.zeros(solver.grid.members, int)
        self.row = {}
        if self.placed.next and not self.placed.past and self.folder is not None:
            update(self.folder / "summary.json", placed=True)
        self.now = self.placement(laws, number)

        def again() -> Placement | None:
            """Placement that the coupler asks for, or None."""
            self.placements += 1
            counts = solver.backend.get(solver.dualtime.iterations)
            self.iterations = self.iterations + counts * self.now.marches
            if not self._coupled(number):
                return None
            self.now = self.placement(laws, number)
            return self.now

        self.tally.add(take_step(solver, self.recording, number, dt, where, watch, self.now, again))
        with watch("forces and history"), solver.grid.ensemble.quiet():
            self.accept(number, self.now)
        self.placed.accept()

    def _coupled(self, number: int) -> bool:
        """Ask the coupler whether the step that has marched needs another placement, and which."""
        if self.coupler is None:
            return False
        loads = self.solver.moving_loads(self.now)
        *_, above, at_floor = self._ended()
        self.coupling, self.converged = True, at_floor | ~above
        try:
            with self.watch("coupler"):
                poses = self.coupler.asked(Step(self, number, self.now, loads))
        finally:
            self.coupling = False
        if poses is not None:
            self.placed.give(poses)
        return poses is not None

    def accept(self, number: int, placement: Placement) -> None:
        """Count and write the step as it ended; members that diverged in it fail."""
        solver, tally = self.solver, self.tally
        time = number * self.plan.dt
        self.loads = solver.moving_loads(placement)
        moved = moving(solver, placement, self.loads)  # a motion may fail, and has no row then
        drop, above, at_floor = self._ended()
        alive = solver.grid.ensemble.alive
        self.converged = alive & (at_floor | ~above)
        tally.rows += alive
        tally.at_roundoff += above & at_floor
        tally.unconverged += above & ~at_floor
        tally.lowered += solver.below_second_order()
        tally.inner += self.iterations
        cycle = self.plan.cycle(time)
        rows = (
            moved
            | solver.step_numbers()
            | self.beside_rows()
            | {
                "step": np.full(solver.grid.members, number),
                "time": time,
                "cycle": cycle,
                "phase_deg": 360 * (cycle % 1),
                "inner_iterations": self.iterations,
                "residual_drop": drop,
                "converged": at_floor | ~above,
            }
        )
        self.row = rows
        self.history.extend(solver.grid.ensemble.of_alive(rows))
        self.phase = phases.of_step(rows, alive)
        if self.swings is not None:
            self.swings.look(rows, number)
        if (above & ~at_floor).any():
            criteria.refuse_diverged(solver, f"step {number} of {self.plan.count}")

    def _ended(self) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.bool_]]:
        """(members,) drop of the residual in this step, whether that is above what was asked, and
        whether it is round-off.
        """
        solver, dual, get = self.solver, self.solver.dualtime, self.solver.backend.get
        drop = get(dual.norm) / np.maximum(get(dual.base), 1e-300)
        missed = solver.missed()
        above = ~(drop <= solver.settings.unsteady_drop) | missed
        return drop, solver.grid.ensemble.alive & above, criteria.at_roundoff(solver) & ~missed

    def ended(self) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
        solver, plan, tally = self.solver, self.plan, self.tally
        notes = tally.remarks(solver, self.history)
        failures = solver.grid.ensemble.failures
        ran = [m for m in range(solver.grid.members) if m not in failures]
        loops: dict[int, dict[str, Any]] = {}
        for m in ran:
            rows, per_length = self.history.member(m), self.history.scales[m].time
            loops[m], spectrum = criteria.result(rows, plan, per_length)
            # means of a loop in a user's hands are asked for by km.spectrum, which warns itself
            quiet = spectrum is None or self.by_hand or not self.settles
            remark = None if quiet else spectrum.remark()  # type: ignore[union-attr]
            notes += [] if remark is None else [Sentence(remark, member=m, about="spectrum")]
            if "cfl" in solver.columns:
                outer = solver.settings.outer
                loops[m]["cfl"] = courant.largest(rows, plan, outer)
                notes += courant.remark(m, loops[m]["cfl"], turns.steps_of(self.history, m))
            turned, lost = turns.told(solver, plan, self.history, m, loops[m])
            self.warned |= set(turned) if m in self.foretold else set()
            notes += turned + lost
        notes += criteria.periodicity(plan, loops)
        found = [loops.get(m, {"converged": False}) for m in range(solver.grid.members)]
        result = criteria.of_members(found) | tally.first | tally.notes
        if tally.preflight:
            result["preflight"] = tally.preflight
        own_ends = solver.grid.ensemble.ended
        if plan.periods is None and any(step < self.done for step in own_ends.values()):
            result["steps_run"] = [own_ends.get(m, self.done) for m in range(len(tally.inner))]
        result["inner_iterations"] = tally.inner
        result["unconverged_steps"] = tally.unconverged
        result["steps_ended_at_roundoff"] = tally.at_roundoff
        conditions = {
            **plan.told(self.done),
            "motion": [None if m is None else repr(m) for m in solver.motions],
            "deform": {"method": solver.deform.name} | solver.deform.chosen,
            **({"placed": True} if self.placed.past else {}),
        }
        return result, notes, conditions
