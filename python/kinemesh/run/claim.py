"""The folder of a run: taken for it, unless that would lose another run.

The summary in a folder tells from the first moment on which run is there (`identity`).  What is
there is replaced by the same run, begun anew, and by any run where the user asks for it, or where
what is there stopped before its first restart and has no history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinemesh.errors import CaseError, SettingsError, warn
from kinemesh.io import summary
from kinemesh.io.folder import clear, drawn, files_of_a_run, hold
from kinemesh.io.history import last_step
from kinemesh.results.opening import OF_FLUTTER, SWEEP
from kinemesh.run import interrupt
from kinemesh.run import resume as resumption
from kinemesh.run.resume import Saved
from kinemesh.sentences import OVERWRITE, TO_RESUME, Option, Sentence

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.run.plan import Plan

ADVICE = Sentence("choose another folder, or replace what is there by ", OVERWRITE)
REPLACED = Sentence("holds a run that stopped before its first restart, and is replaced")
LISTED = 3  # figures in a sentence
REFERENCES = ("reference_area", "reference_length", "chord")


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim of a run on a folder: solver, identity and plan.

    Parameters
    ----------
    run : dict     what makes it this run (`resume.identity`)
    plan : Plan    of its steps; None of a steady run
    """

    solver: Moving
    run: dict[str, Any]
    plan: Plan | None = None

    def saved(self, folder: Path) -> Saved:
        """The restart to go on from; CaseError where it is of another run, or ahead of the plan."""
        apart = _names(_summary(folder).get("case"), self.solver.case)
        if apart:
            raise CaseError(f"{folder}: holds another run: {apart[0]}; choose another folder")
        saved = resumption.find(self.solver, folder, self.run)
        if self.plan is None:
            most = self.solver.settings.steady_iterations
            if saved.step > most:
                raise CaseError(
                    f"{saved.path}: iteration {saved.step} is done, and only {most} are asked for; "
                    "ask for at least as many (steady_iterations)"
                )
            return saved
        step = saved.step if saved.phase == "unsteady" else 0
        resumption.refuse_others(saved.record["poses"], self._poses(step), saved)
        if step > self.plan.count:
            raise CaseError(
                f"{saved.path}: step {step} is done, and only {self.plan.count} are asked for; ask "
                "for at least as many cycles (or steps) as were run"
            )
        return saved

    @property
    def identity(self) -> dict[str, Any]:
        """Identity for the summary: of the run, and of its motion by poses at a few steps."""
        if self.plan is None:
            return {"run": self.run}
        length = {"steps": self.plan.count, "until": self.plan.until}
        return {"run": self.run, **length, "poses": self._poses(self.plan.count)}

    def _poses(self, steps: int) -> dict[str, Any]:
        assert self.plan is not None
        return resumption.samples(self.solver, self.plan.dt, steps)

    def look(self, folder: Path) -> Sentence:
        """State of a folder in words; CaseError where the run would overwrite another.

        Of a run that stopped and could go on it has `about`.
        """
        files = files_of_a_run(folder)
        if not files:
            return Sentence("there already")
        about = _summary(folder)
        kept = about.get("identity")
        ended, done = about.get("finished") is not None, last_step(folder / "history.csv")
        if kept is not None and not (ended or done or any("restart" in name for name in files)):
            return REPLACED
        apart = _names(about.get("case"), self.solver.case)
        apart += [] if kept is None else self._apart(kept)
        if kept is None and not apart:
            raise CaseError(
                f"{folder}: holds {', '.join(files[:3])}, and no word of which run", advice=ADVICE
            )
        if apart:
            text = f"{folder}: holds another run: {resumption.listed(apart)}"
            raise CaseError(text, advice=ADVICE)
        if about.get("placed") or about.get("conditions", {}).get("placed"):
            raise CaseError(
                f"{folder}: holds a run with poses by hand, which would be lost; go on by ",
                Option("resume", True),
                advice=ADVICE,
            )
        done = max(done, about["conditions"].get("steps", 0) if ended else 0)
        if self.plan is not None and done > self.plan.count:
            raise CaseError(
                f"{folder}: holds {done} steps of this run, and only {self.plan.count} are asked "
                "for",
                advice=ADVICE,
            )
        most = self.solver.settings.steady_iterations
        if self.plan is None and done > most:
            raise CaseError(
                f"{folder}: holds {done} iterations of this run, and only {most} are asked for",
                advice=ADVICE,
            )
        until = None if self.plan is None or kept is None else kept.get("until")
        if done and self.plan is not None and self.plan.until == "periodic" != until:
            raise CaseError(
                f"{folder}: holds {done} steps of this run, which ",
                Option("until", "periodic"),
                " may not come to",
                advice=ADVICE,
            )
        return self._begun_anew(0 if ended else done, files)

    def _begun_anew(self, done: int, files: list[str]) -> Sentence:
        """Words on this run where it stands in the folder, of which so much can be gone on with."""
        if not done or not any("restart" in name for name in files):
            return Sentence("holds this run, which is begun anew")
        kinds = "iterations" if self.plan is None else "steps"
        goes_on = " goes on with it, and without that it is begun anew"
        return Sentence(f"has {done} {kinds} of this run; ", TO_RESUME, goes_on, about="begun anew")

    def _apart(self, kept: Mapping[str, Any]) -> list[str]:
        """Differences between the run that the folder holds and this one, as sentences."""
        apart = resumption.differences(kept["run"], self.run)
        if not apart and self.plan is not None:
            # a law of a shorter run need not be one beyond its end
            here = self._poses(kept["steps"] if kept["steps"] <= self.plan.count else 1)
            there = {name: kept["poses"][name] for name in here}
            apart = resumption.differences(there, here)
        return apart

    def sign(self, folder: Path) -> None:
        """Write a stub of summary.json that identifies the run."""
        solver = self.solver
        streams = solver.streams.items()
        conditions: dict[str, Any] = {k: v if len(v) > 1 else v[0] for k, v in streams}
        conditions |= dict(zip(REFERENCES, (*solver.reference, solver.chord), strict=True))
        if self.plan is not None:
            conditions["steps_per_cycle"] = self.plan.steps_per_cycle
        stub: dict[str, Any] = {"format": summary.FORMAT, "mode": self.run["mode"]}
        stub |= {"finished": None, "conditions": conditions, "identity": self.identity}
        stub["asked"] = solver.asked()
        if solver.case is not None:
            stub["case"] = solver.case
        summary.write(folder / "summary.json", stub)


def _names(there: Mapping[str, Any] | None, here: Mapping[str, Any] | None) -> list[str]:
    """The difference of two cases' names, where both have one."""
    if there is None or here is None or there["name"] == here["name"]:
        return []
    return [f"case is {there['name']} there, {here['name']} here"]


def _summary(folder: Path) -> dict[str, Any]:
    """Summary in a folder; {} without a summary.json."""
    path = folder / "summary.json"
    try:
        return summary.read(path) if path.exists() else {}
    except CaseError as error:
        raise CaseError(error.said, advice=ADVICE) from None


def folder_of(out: Any, resume: bool, overwrite: bool) -> Path | None:
    """The folder of a run as a path; refusals before anything is touched."""
    if not isinstance(overwrite, bool):
        raise SettingsError(f"overwrite is {overwrite!r}, expected True or False")
    folder = resumption.folder_of(out, resume)
    if overwrite and (resume or folder is None):
        of_both = Sentence(Option("resume", True), ", which goes on with what is there")
        raise SettingsError(
            Option("overwrite", True),
            " has no meaning with ",
            of_both if resume else "out=None",
            "; give one of the two",
        )
    if folder is not None and (folder / SWEEP).exists():
        raise CaseError(f"{folder}: holds a sweep; choose another folder for the run")
    if folder is not None and all((folder / name).exists() for name in OF_FLUTTER):
        raise CaseError(f"{folder}: holds a flutter analysis; choose another folder for the run")
    return folder


@contextmanager
def taken(
    claim: Claim, folder: Path | None, resume: bool, overwrite: bool
) -> Iterator[Saved | None]:
    """Hold a folder during a run; yields the restart of a resumed run, else None.

    Raises
    ------
    CaseError    another run is writing there, or would be lost, or is the one to go on with
    """
    with hold(folder), interrupt.held(folder, resume):
        if folder is None:
            yield None
            return
        if resume:
            saved = claim.saved(folder)
            resumption.taken_up(folder)
            _tell_of_figures(folder, False)
            yield saved
            return
        state = REPLACED if overwrite else claim.look(folder)
        if state.about:
            warn(Sentence(f"{folder}: ", state), about=state.about)
        of_another = state is REPLACED
        _tell_of_figures(folder, of_another)
        clear(folder, of_another)
        claim.sign(folder)
        yield None


def _tell_of_figures(folder: Path, of_another: bool) -> None:
    """Warn of figures and films that a user asked for: those of another run go, those of this one
    stay."""
    names = drawn(folder)
    if not names:
        return
    listed = ", ".join(names[:LISTED]) + f" and {len(names) - LISTED} more" * (len(names) > LISTED)
    end = "are removed, as they show the run that is replaced"
    if not of_another:
        end = "stay, and show this run as it was before until they are drawn again"
    warn(f"{folder}: {listed} {end} (kinemesh plot, with --format, --animate or --members)")
