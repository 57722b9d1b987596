"""Driver of steady and unsteady runs: folder, history, files, restarts and the summary.

A run is a `Driver`, of which `steady.py` and `unsteady.py` have one each; `drive` takes it from the
claim on its folder to its results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kinemesh.errors import CaseError, SettingsError, warn_of
from kinemesh.flow.door.sizes import summed
from kinemesh.io import summary
from kinemesh.io.history import History
from kinemesh.io.summary import Stopwatch, Summary
from kinemesh.results import Run, spanwise
from kinemesh.run import resume as resumption
from kinemesh.run.claim import Claim, taken
from kinemesh.run.files import Files
from kinemesh.run.joules import Spent
from kinemesh.sentences import ALL_FAILED, Sentence, of_failure

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.run.resume import Saved


class Driver(ABC):
    """A run of a solver.

    Parameters
    ----------
    folder : Path, or None to write nothing
    saved : Saved, or None    restart that the run goes on from
    progress : bool           whether its progress is shown
    energy : bool             whether joules are measured

    Attributes
    ----------
    resumed : steps (or iterations) at which it was resumed;  said : what restarts had to say
    warned : notes of the summary whose matter a warning has told before the run
    run : Run, once it has ended
    empty : whether it was ended before its first row, so that there is nothing to sum up
    """

    run: Run
    empty = False
    mode: str  # "steady" or "unsteady"; of a restart the phase in which the history has rows

    def __init__(
        self, claim: Claim, folder: Path | None, saved: Saved | None, progress: bool, energy: bool
    ) -> None:
        self.claim, self.solver, self.folder = claim, claim.solver, folder
        self.saved, self.progress = saved, progress
        self.watch = Stopwatch()
        self.resumed: list[int] = []
        self.said: list[str] = []
        self.warned: set[str] = set()
        if saved is not None:
            record = saved.record
            self.watch.carry(record["seconds"], record["total"])
            self.resumed = [*record["resumed"], saved.step if saved.phase == self.mode else 0]
            self.said = [*record["said"], *saved.notes]
        path = None if folder is None else folder / "history.csv"
        if path is None or saved is None or saved.phase != self.mode:
            self.history = History(self.columns(), path)
        else:
            self.history = self.cut(path, saved)
        self.files = Files(self.solver, folder, self.watch, self.history, claim.run)
        before = None if saved is None else saved.record.get("energy", {})
        unit = "iterations" if self.mode == "steady" else "steps"
        step = self.resumed[-1] if saved is not None else 0
        self.spent = Spent(self.solver.backend if energy else None, before, step, unit)
        self.warned |= set(self.spent.notes)

    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Columns of the history."""

    @abstractmethod
    def cut(self, path: Path, saved: Saved) -> History:
        """The history up to the restart; CaseError where it is of another run."""

    @abstractmethod
    def go(self) -> None:
        """All of the run, with its files open."""

    @abstractmethod
    def ended(self) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
        """Result, warnings, and conditions beside the stream's, for the summary."""

    def memory(self, steps: int) -> dict[str, Any]:
        """Values beside the solver's that a restart keeps; `steps` : steps made in this phase."""
        del steps
        return {}

    def keep(self, number: int, phase: str | None = None) -> None:
        """Write a restart after step (or iteration) `number` of a phase, that of the history.

        Nothing without a folder.
        """
        if self.folder is None:
            return
        phase = phase or self.mode
        self.files.restart(phase, number, **self.beside(number if phase == self.mode else 0))

    def beside(self, done: int) -> dict[str, Any]:
        """Values of a restart beside the solver's, after `done` steps of this phase."""
        more = self.memory(done) | self.spent.kept(done)
        return {"resumed": self.resumed, "said": self.said, **more}

    def finish(self) -> Run:
        """Write the summary; its warnings are of restarts, of members that failed, of the end."""
        solver, ensemble = self.solver, self.solver.grid.ensemble
        result, notes, more = self.ended()
        result |= solver.end_numbers()
        failed = ensemble.told()
        conditions = {
            **solver.streams,
            "moment_about": solver.moment_about,
            "reference_area": solver.reference[0],
            "reference_length": solver.reference[1],
            "chord": solver.chord,
            **solver.more,
        } | more
        notes = [*map(of_failure, failed), *notes, *solver.remarks(), *self.spent.notes]
        if len(failed) == ensemble.count:
            every = f"all {ensemble.count} members failed, which ended the run"
            notes.insert(0, Sentence(every, about=ALL_FAILED))
        if self.resumed:
            result["resumed"] = resumption.told(self.resumed)
        made = summary.collect(
            self.mode,
            solver.backend.describe(),
            solver.backend.dtype,
            self._single(conditions),
            solver.grid.sizes() | {"members": ensemble.count} | summed(solver),
            solver.settings,
            self.watch,
            self._single(result),
            [*solver.notes, *self.said, *notes],
        )
        made |= {"failed": failed, "identity": self.claim.identity, **self.spent.told()}
        made["unknowns"] = np.diff(solver.grid.first).tolist()
        made["repeatable"] = solver.settings.repeatable
        if solver.packages:
            made["packages"] = solver.packages
        if solver.case is not None:
            made["case"] = dict(solver.case)
        if self.mode == "steady":
            made["seconds_per_iteration"] = self.watch.total / max(np.max(result["iterations"]), 1)
        text = Summary(summary.plain(made | {"asked": solver.asked()}))
        self.history.failed = {row["member"]: row["text"] for row in failed}
        warn_of(note for note in notes if note not in self.warned)
        run = Run(self.history, text, self.folder)
        if self.folder is not None:
            text.update(MORE[solver.grid.dimensions](run))
            summary.write(self.folder / "summary.json", text)
        return run

    def _single(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Replace lists of one entry by the entry, in a run of one member."""
        alone = self.solver.grid.members == 1
        return {
            name: value[0] if alone and np.ndim(value) == 1 and len(value) == 1 else value
            for name, value in values.items()
        }


MORE: dict[int, Callable[[Run], dict[str, Any]]] = {
    2: lambda run: {},
    3: lambda run: {"files": {"spanwise": spanwise.write_all(run)}},
}
"""Files that are made of a run at its end, for its summary, by dimensions."""

Job = TypeVar("Job", bound=Driver)


@contextmanager
def at_work(
    kind: type[Job], claim: Claim, folder: Path | None, resume: bool, overwrite: bool, *more: Any
) -> Iterator[Job]:
    """Run from the claim on the folder to the summary, which is written where nothing is raised.

    Parameters
    ----------
    more : further arguments of `kind`
    """
    with (
        alone(claim.solver, folder),
        taken(claim, folder, resume, overwrite) as saved,
        claim.solver.running(() if saved is None else saved.failed),
    ):
        job = kind(claim, folder, saved, *more)
        with job.files, job.spent:
            yield job
        if not job.empty:
            job.run = job.finish()


_WRITING: set[Path] = set()


@contextmanager
def alone(solver: Moving, folder: Path | None) -> Iterator[None]:
    """One run of a solver, and one in a folder, at a time.

    Raises
    ------
    SettingsError    a loop over the steps of the case has not ended
    CaseError        another run of this program is writing in the folder
    """
    if solver.runs:
        raise SettingsError(
            "a loop over the steps of this case has not ended; end it by case.loop.close(), or "
            "leave loops by `with case.steps(...) as steps:`"
        )
    path = None if folder is None else folder.absolute()
    if path in _WRITING:
        raise CaseError(
            f"{folder}: a loop over steps that has not ended writes there; end it by its close(), "
            "or choose another folder"
        )
    solver.runs = True
    if path is not None:
        _WRITING.add(path)
    try:
        yield
    finally:
        solver.runs = False
        if path is not None:
            _WRITING.discard(path)


def drive(
    kind: type[Driver], claim: Claim, folder: Path | None, resume: bool, overwrite: bool, *more: Any
) -> Run:
    """All of a run at once; see `at_work`."""
    with at_work(kind, claim, folder, resume, overwrite, *more) as job:
        job.go()
    return job.run
