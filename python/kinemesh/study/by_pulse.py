"""Unsteady derivatives by pulses: all frequencies of each motion and Mach number in one launch."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, pi, radians
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.cases import ensemble
from kinemesh.cases.casefile import Case
from kinemesh.errors import CaseError, SettingsError, warn
from kinemesh.loops.response import response, tail
from kinemesh.results.opening import open_run
from kinemesh.run.claim import ADVICE, Claim
from kinemesh.run.plan import Plan
from kinemesh.sentences import Option
from kinemesh.study.sweep.spaces import Spaces

if TYPE_CHECKING:
    from kinemesh.results import Run

FIRST, MOST, MORE = 40.0, 160.0, 10.0  # reduced times of a run: at first, at most, between looks
TAIL = 1e-3  # of the loads at the end over their peak, at most, of the longest pulse
LONGEST = 8.0  # duration of a pulse
IN_PULSE = 32  # steps of a pulse, at least
AT_REST = 4  # steps before the pulse, the last of which has the loads at rest
STEEPEST = 4 * pi * 3 * 3**0.5 / 16  # largest rate of sin^4(pi s / T), times T
OF_RUN = ("device", "dtype", "sizes")  # keys of [run] that pulses keep
COORDINATES = ("alpha", "h")
LOADS = ("cl", "cm")
OTHER = "choose another folder, or remove that one"


def times(asked: Any, in_pulse: int) -> tuple[float, float]:
    """Duration of a pulse whose spectrum reaches the largest k, and steps that resolve it."""
    omega = 2 * max(asked.k)
    # the spectrum of sin^4 falls to 0 at omega T = 6 pi; at 4 pi it has a sixth of its largest
    duration = min(LONGEST, 4 * pi / omega)
    each = asked.tables["run"]["steps_per_cycle"]
    return duration, min(2 * pi / omega / each, duration / in_pulse)


def flow_at(tables: dict[str, Any], mach: float | None) -> dict[str, Any]:
    """[flow] at a Mach number; None of a method without one."""
    return tables["flow"] | ({} if mach is None else {"mach": mach})


def check_device(device: Any) -> None:
    """SettingsError for several devices."""
    if device is not None and not isinstance(device, str):
        raise SettingsError(
            f"derivatives: device is {device!r}, expected one: by='pulse' runs all at once"
        )


@dataclass(frozen=True, slots=True)
class Pulses:
    """Pulses of a pitch and of a plunge at each Mach number, and their steps.

    Parameters
    ----------
    tables : of the case, without a motion
    chord : in lengths of the mesh
    mach : (m,), or None of a method without a Mach number
    duration, step : reduced time of a pulse, and of a time step
    amplitude_deg : of the pitch, and of the angle by which the plunge turns the stream at most
    """

    tables: dict[str, Any]
    folder: Path
    chord: float
    axis: tuple[float, float]
    mach: tuple[float, ...] | None
    duration: float
    step: float
    amplitude_deg: float

    columns: ClassVar[tuple[str, ...]] = LOADS  # of the history
    starts: ClassVar[tuple[str, ...]] = ("steady",)  # what `start` returns

    @classmethod
    def of(cls, asked: Any) -> Pulses:
        """Pulses whose spectrum reaches the largest k, in steps that resolve it."""
        told = (asked.tables, asked.folder, asked.chord, asked.axis, asked.mach)
        return cls(*told, *times(asked, IN_PULSE), asked.amplitude_deg)

    @property
    def first(self) -> int:
        """Steps of a run before the first look at its tail."""
        return ceil(FIRST / self.step)

    @property
    def most(self) -> int:
        """Steps of a run at most."""
        return ceil(MOST / self.step)

    @property
    def limit(self) -> float:
        """Largest tail: what is cut off counts over the integral of the pulse."""
        return TAIL * self.duration / LONGEST

    def looked(self, step: int) -> bool:
        """Return True where the tail is looked at."""
        return step >= self.first and (step - self.first) % ceil(MORE / self.step) == 0

    @property
    def sizes(self) -> dict[str, float]:
        """Amplitude of each coordinate [rad, chord]."""
        angle = radians(self.amplitude_deg)
        return {"alpha": angle, "h": angle * self.duration / STEEPEST}

    def cases(self) -> list[Case]:
        """Case of each member: of each Mach number a pitch, then a plunge."""
        kept = {n: v for n, v in self.tables["run"].items() if n in OF_RUN}
        job = {**kept, "time_step": self.step, "steps": self.most}
        made = []
        for mach in self.mach or (None,):
            flow = flow_at(self.tables, mach)
            pitch = {"pitch_deg": self.amplitude_deg, "about": list(self.axis)}
            for own in (pitch, {"plunge": self.sizes["h"] * self.chord}):
                pulse = own | {"duration": self.duration, "start": AT_REST * self.step}
                tables = {"flow": flow, "motion": {"pulse": pulse}, "run": job}
                made.append(Case.from_dict({**self.tables, **tables}, self.folder))
        return made

    def motion(self, coordinate: str, steps: int) -> NDArray[np.float64]:
        """(steps,) the pulse of a coordinate [rad, chord]."""
        x = (np.arange(1, steps + 1) - AT_REST) * self.step / self.duration
        inside = (x > 0) & (x < 1)
        return self.sizes[coordinate] * np.where(inside, np.sin(pi * x) ** 4, 0.0)

    def tail(self, loads: NDArray[np.float64]) -> float:
        """Largest of the tails of loads (loads, steps) of a member over one duration."""
        last = ceil(self.duration / self.step)
        return max(tail(own, own[AT_REST - 1], last) for own in loads)

    def solver(self, cases: list[Case]) -> Any:
        """The solver of all members."""
        return ensemble.solver(cases, list(map(Spaces().of, cases)))

    def start(self, solver: Any, cases: list[Case], resumed: bool, progress: bool) -> str:
        """Flow from which the pulses begin, as `solver.steps` takes it."""
        del solver, cases, resumed, progress
        return "steady"

    def loads_of(self, step: Any) -> list[NDArray[np.float64]]:
        """Loads (members,) of a step, in the order of `columns`."""
        return [np.atleast_1d(step.cl), np.atleast_1d(step.cm)]

    def run(self, out: Path | None, device: Any, resume: bool, progress: bool) -> Run:
        """Run of all members, each until its tail is small, or of `most` steps."""
        cases = self.cases()
        if device is not None:
            cases = [case.replace(device=device) for case in cases]
        rows: list[Any] = []
        whole = True
        if resume and out is not None and out.exists():
            rows, whole = _before(out, len(cases), self.columns)
        solver = self.solver(cases)
        steps = [self.step * self.chord / case.flow.speed for case in cases]
        if out is not None and rows and (self.over(rows) or len(rows) >= self.most):
            self._refuse_others(solver, steps, out)
            return open_run(out)
        told: dict[str, Any] = {"time_step": steps, "steps": self.most, "preflight": False}
        # members that have ended cannot go on beside others: such a run begins anew
        told |= {"out": out, "progress": progress, "resume": bool(rows) and whole}
        told["start"] = self.start(solver, cases, told["resume"], progress)
        members = solver.grid.ensemble
        with _without_overwrite(), solver.steps(**told) as each:
            for step in each:
                # a run that was stopped has rows after its restart, which come once more
                rows[step.number - 1 :] = [self.loads_of(step)]
                members.end(dict.fromkeys(self.at_rest(rows), step.number))
                if not members.alive.any():
                    break
        if progress and len(rows) < self.most:
            print(f"step {len(rows)} is the last; {self.most} are the most", file=sys.stderr)
        made: Run = each.run
        return made

    def _refuse_others(self, solver: Any, steps: list[float], out: Path) -> None:
        """CaseError where the run that came to its end in a folder is another one than this."""
        for start in self.starts:
            plan = Plan.of(solver, start, None, None, steps, self.most)
            try:
                with _without_overwrite():
                    Claim(solver, plan.identity(solver), plan).look(out)
                return
            except CaseError:
                if start == self.starts[-1]:
                    raise

    def at_rest(self, rows: list[Any]) -> list[int]:
        """Members with loads up to now whose tails are small, where they are looked at."""
        if not self.looked(len(rows)):
            return []
        return [m for m, own in _going(rows).items() if self.tail(own) <= self.limit]

    def over(self, rows: list[Any]) -> bool:
        """Return True where all members with loads up to now have come to rest."""
        return self.looked(len(rows)) and len(self.at_rest(rows)) == len(_going(rows))


def _going(rows: list[Any]) -> dict[int, NDArray[np.float64]]:
    """Loads (loads, steps) of the members that have neither failed nor ended."""
    loads = np.array(rows).transpose(2, 1, 0)
    return {m: own for m, own in enumerate(loads) if np.isfinite(own).all()}


@contextmanager
def _without_overwrite() -> Iterator[None]:
    """Errors do not name the argument `overwrite`, which derivatives have not."""
    try:
        yield
    except CaseError as error:

        def other(word: Any) -> Any:
            if isinstance(word, Option) and word.name == "overwrite":
                return ""
            return OTHER if word == ADVICE.words[0] else word

        raise CaseError(error.said.changed(other)) from None


def _before(out: Path, members: int, columns: Sequence[str]) -> tuple[list[Any], bool]:
    """Loads of the steps that a run in a folder has taken, as `Pulses.run` keeps them.

    nan of a member without a row; and whether none but those that failed lacks any.
    """
    history = open_run(out).history
    there = {m: history.member(m) for m in history.members}
    steps = {m: int(own["step"].max(initial=0)) for m, own in there.items()}
    loads = np.full((max(steps.values(), default=0), len(columns), members), np.nan)
    for m, own in there.items():
        loads[: steps[m], :, m] = np.column_stack([own[name][: steps[m]] for name in columns])
    short = [m for m in range(members) if steps.get(m, 0) < len(loads)]
    return list(loads), not set(short) - set(history.failed)


Found = dict[str, NDArray[Any]]


def by_pulse(
    asked: Any, out: Path | None, device: Any, resume: bool, progress: bool
) -> tuple[Found, dict[str, Any]]:
    """Derivatives of every Mach number and frequency, from one run.

    Returns
    -------
    {name: (m, k)} cl_alpha, cm_alpha, cl_h, cm_h, of a member that failed nan; `converged`; and
    `unsettled`, the loads at the end over their peak.  Then what attributes tell of the pulses
    """
    check_device(device)
    pulses = Pulses.of(asked)
    run = pulses.run(out, device, resume, progress)
    k = np.array(asked.k)
    shape = (len(asked.mach or (None,)), len(k))
    found: Found = {"converged": np.ones(shape, bool), "unsettled": np.zeros(shape)}
    for member in range(2 * shape[0]):
        row, name = member // 2, COORDINATES[member % 2]
        made, ended = of_member(run, member, pulses, name, k)
        for load in LOADS:
            found.setdefault(f"{load}_{name}", np.full(shape, np.nan, complex))[row] = made[load]
        found["converged"][row] &= ended
        found["unsettled"][row] = np.maximum(found["unsettled"][row], made["tail"])
    warn_of_tails(found["unsettled"][:, 0], pulses.limit, asked.mach)
    return found, {"by": "pulse", "duration": pulses.duration, "time_step": pulses.step}


def of_member(
    run: Run, member: int, pulses: Pulses, name: str, k: NDArray[np.float64]
) -> tuple[dict[str, Any], bool]:
    """Response of each load of a member, its tail, and whether its steps converged."""
    if member in run.history.failed or member not in run.history.members:
        return dict.fromkeys((*pulses.columns, "tail"), np.nan), False
    rows = run.history.member(member)
    loads = np.array([rows[load] for load in pulses.columns])
    motion = pulses.motion(name, loads.shape[1])
    made: dict[str, Any] = {
        load: response(own, motion, pulses.step, 2 * k, own[AT_REST - 1])
        for load, own in zip(pulses.columns, loads, strict=True)
    }
    return made | {"tail": pulses.tail(loads)}, bool(np.all(rows["converged"]))


def warn_of_tails(tails: NDArray[np.float64], limit: float, mach: tuple[float, ...] | None) -> None:
    """Warn of loads that have not come to rest, by their Mach numbers."""
    long = np.flatnonzero(tails > limit)
    if not len(long):
        return
    of = "" if mach is None else f" at Mach {', '.join(f'{mach[m]:g}' for m in long)}"
    warn(
        f"derivatives: {MOST:g} chords of way after the start loads{of} are still "
        f"{100 * tails[long].max():.2g} % of their peak, expected {100 * limit:.2g} %; the lowest "
        "frequencies are wrong by as much and more: look whether the flow is steady without the "
        "pulse, or take by='harmonic'"
    )
