"""Steady runs: all members march to the steady state, bodies at rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.columns import FIRST
from kinemesh.io.csv_rows import STEADY
from kinemesh.io.history import History
from kinemesh.motion import Pose
from kinemesh.results import Run
from kinemesh.run import criteria, interrupt, phases, settling, turns, wakes
from kinemesh.run import resume as resumption
from kinemesh.run.claim import Claim, folder_of
from kinemesh.run.driver import Driver, drive
from kinemesh.run.joules import check as check_energy
from kinemesh.run.march import march, progress_bar
from kinemesh.sentences import NO_RESUME, Option, Sentence

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.run.resume import Saved

LOADS = ("cd_", "cy", "cm_")
KEEP_EVERY = 50  # iterations between two restarts


def steady(
    solver: Moving,
    out: str | Path | None = None,
    progress: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    energy: bool = False,
) -> Run:
    """March all members to the steady state; see `kinemesh.flow.door.runnable.Runnable.steady`."""
    check_energy(energy)
    folder = folder_of(out, resume, overwrite)
    solver.check_steady()
    claim = Claim(solver, resumption.identity(solver, "steady"))
    return drive(Steady, claim, folder, resume, overwrite, progress, energy)


class Steady(Driver):
    """A march of all members, its rows the iterations."""

    mode = "steady"

    def columns(self) -> tuple[str, ...]:
        return columns(self.solver)

    def cut(self, path: Path, saved: Saved) -> History:
        """History up to the restart; CaseError if a member alive ends before."""
        rows = History.read(path, torn=True)
        done, alive = saved.arrays["dualtime_iterations"], self.solver.grid.ensemble.alive
        last = [rows["iteration"][rows["member"] == m].max(initial=-1) for m in range(len(done))]
        if rows.kind != "steady" or (alive & (np.array(last) < done)).any():
            raise CaseError(
                f"{path}: ends before iteration {done.max()} of {saved.path}, so it is of another "
                "run; run without ",
                NO_RESUME,
                " to begin anew",
            )
        return History.resume(path, saved.step)

    def go(self) -> None:
        self.result, self.notes = to_steady(self, (), self.history)
        self.files.begin()
        self.files.frames()
        self.files.walls()
        self.keep(int(self.result["iterations"].max()))

    def ended(self) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
        induced, told = wakes.at_end(self.solver, self.result)
        found = self.result | induced
        return {n: found[n] for n in FIRST if n in found} | found, [*self.notes, *told], {}


def columns(solver: Moving) -> tuple[str, ...]:
    """Columns of the history of a solver's steady run."""
    return (*STEADY, *solver.steady_columns)


def to_start(
    run: Driver, poses: Sequence[Pose], onward: NDArray[np.bool_] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """March to the steady flow that a motion starts from; as `to_steady`."""
    return to_steady(run, poses, History(columns(run.solver)), "start", onward)


def to_steady(
    run: Driver,
    poses: Sequence[Pose],
    history: History,
    phase: str = "steady",
    onward: NDArray[np.bool_] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """March to the steady state with the bodies at `poses`; result and warnings.

    `onward` (members,) are those that go on from the flow of a march before, others have ended;
    their drops refer to what they referred to there at least.

    A restart of this `phase` is kept every KEEP_EVERY iterations and before Ctrl-C stops the march.
    """
    solver, saved, watch = run.solver, run.saved, run.watch
    s, get = solver.settings, solver.backend.get
    recording = solver.steady_iteration()
    ensemble = solver.grid.ensemble
    done = np.full(solver.grid.members, -1)
    ensemble.at("mesh before the steady flow")
    if saved is None:
        base = get(solver.dualtime.base)
        solver.start_steady(poses)
        if onward is not None:
            solver.backend.put(solver.dualtime.base, base)
            solver.dualtime.go_on(onward)
    else:
        resumption.restore(solver, saved, poses)
        done[:] = saved.arrays["dualtime_iterations"]
        _go_on(solver)
    before = max(int(done.max()), 0)
    about = solver.moment_points(poses)
    ensemble.at("steady flow")
    rising = criteria.Rising(solver.grid.members)
    part = "" if phase == run.mode else f"{phase} of the motion"
    with progress_bar(s.steady_iterations, run.progress, "it", before) as bar:

        def each() -> None:
            with watch("forces and history"), ensemble.quiet():
                iterations = get(solver.dualtime.iterations)
                drop, loads, kind = _rows(solver, history, about, iterations, done)
                settling.look(solver, loads, iterations, iterations > done)
                done[:] = iterations
            told = (f"residual {drop.max(initial=0):.1e}", kind, part)
            bar.set_postfix_str(", ".join(filter(None, told)), refresh=False)
            bar.update(int(iterations.max()) - bar.n)
            rising.refuse(solver, "steady flow")
            run.spent.touch()
            last = int(iterations.max())
            due = last % KEEP_EVERY == 0 or interrupt.asked()
            if due and get(solver.dualtime.active).any():
                run.keep(last, phase)

        march(solver, recording, "steady flow", watch, each)
    return _ended(solver, poses, history)


def _go_on(solver: Moving) -> None:
    """Reactivate members of a restart that ended above the residual now required, or held.

    The check that ended them has counted no iteration, and is made again.
    """
    dual, s, get = solver.dualtime, solver.settings, solver.backend.get
    ended, norm = get(dual.active) == 0, get(dual.norm)
    short = ~(norm <= s.steady_drop * get(dual.base)) & ~(norm <= get(dual.floor))
    short |= solver.behind() | solver.above() | settling.held(solver)
    more = solver.grid.ensemble.alive & ended & short
    more &= get(dual.iterations) < s.steady_iterations
    solver.backend.put(dual.active, np.where(more, 1, get(dual.active)))


def _drop(solver: Moving) -> NDArray[np.float64]:
    """(members,) residuals over their first ones; 0 where the first is 0, as in a fluid at rest."""
    norm, first = (solver.backend.get(a) for a in (solver.dualtime.norm, solver.dualtime.first))
    drop: NDArray[np.float64] = np.zeros_like(norm)
    np.divide(norm, first, out=drop, where=first != 0)
    return drop


def _went(drop: float) -> str:
    """How far a residual that missed its drop came from its first value, in words."""
    return f"fell to {drop:.1e} only" if drop < 1 else f"is still {drop:.2g} times its first value"


def _more(solver: Moving, member: int) -> str:
    """Remedies where the residual of a member has not fallen, the likely one first."""
    s = solver.settings
    most, remedy = s.steady_iterations, s.steady_remedy
    more = f"raise steady_iterations ({most}), or {remedy} where it does not fall"
    likely, phase = solver.likely(member), solver.phase(member, steady=True)
    return f"{f'try {likely}; or ' if likely else ''}{more}{solver.suspects(member)}{phase}"


def _loads(solver: Moving, history: History, member: int) -> list[Any]:
    """Words on the loads of a member that stopped short, and on round-off in single precision."""
    told: list[Any] = [text + "; "] if (text := settling.told(history, member)) else []
    get, dual = solver.backend.get, solver.dualtime
    first, norm = (float(get(array)[member]) for array in (dual.first, dual.norm))
    calm = float(dual.calm[member])
    if not norm <= calm:
        return told
    share = f"round-off of {solver.backend.dtype} alone can leave {calm / first:.1e} of it here; "
    return [*told, share, "take ", Option("dtype", "float64", "--dtype float64"), ", or "]


def _ended(
    solver: Moving, poses: Sequence[Pose], history: History
) -> tuple[dict[str, Any], list[str]]:
    """Result and warnings at the end of a march; members that diverged fail."""
    criteria.refuse_diverged(solver, "steady flow")
    s, get, alive = solver.settings, solver.backend.get, solver.grid.ensemble.alive
    with solver.grid.ensemble.quiet():
        drop = _drop(solver)
        loads = np.where(alive[:, None], solver.coefficients(poses), np.nan)
    behind = solver.behind()
    short = alive & ~(drop <= s.steady_drop)
    ended = get(solver.dualtime.iterations) >= s.steady_iterations
    notes: list[str] = [
        Sentence(
            f"stopped at its limit of {s.steady_iterations} iterations, where the residual "
            f"{_went(drop[m])}, asked {s.steady_drop:.1e}; ",
            *_loads(solver, history, int(m)),
            _more(solver, int(m)),
            member=m,
            about="residual",
        )
        for m in np.flatnonzero(short & ended)
    ]
    notes += [
        Sentence(
            "the model of turbulence has not converged, whose residual had to fall to "
            f"{s.turbulence_drop:.1e} of the most that it was; raise steady_iterations "
            f"({s.steady_iterations}){solver.suspects_beside(m)}{solver.phase(m, steady=True)}",
            member=m,
            about="residual",
        )
        for m in np.flatnonzero(alive & behind & ~short & ended).tolist()
    ]
    numbers = solver.steady_numbers()
    notes += turns.steady_defect_remarks(numbers, alive)
    result: dict[str, Any] = {"cl": loads[:, 0], "cd": loads[:, 1], "cm": loads[:, 2]}
    # of a viscous gas drag by pressure and by friction, in space the other force and moments
    result |= {n: np.where(alive, v, np.nan) for n, v in numbers.items() if n.startswith(LOADS)}
    if len(solver.grid.bodies) > solver.grid.members:
        each = zip(solver.body_coefficients(poses), alive, strict=True)
        result["bodies"] = [of_bodies if runs else {} for of_bodies, runs in each]
    at_floor = alive & criteria.at_roundoff(solver)
    # in float32 a residual is that above round-off: 0 where nothing is
    nothing = (drop == 0) & (get(solver.dualtime.first) > 0)
    result |= {
        "converged": alive & (~short | at_floor) & ~behind,
        "iterations": get(solver.dualtime.iterations),
        "residual_drop": drop,
        "ended_at_roundoff": (short | nothing) & at_floor,
    }
    return result, notes


def _rows(solver: Moving, history: History, about: Any, iterations: Any, done: Any) -> Any:
    """Append a row for each member that iterated.

    Returns drops of members alive, loads of all, and the kind of the iteration in words.
    """
    get = solver.backend.get
    drop, cfl = _drop(solver), get(solver.dualtime.cfl)
    loads = solver.loads(about)
    alive = solver.grid.ensemble.alive
    went, kind = np.flatnonzero(alive & (iterations > done)), ""
    if len(went):
        cl, cd, cm = loads[went].T
        rows = {"iteration": iterations[went], "residual": drop[went], "cfl": cfl[went]}
        numbers = solver.steady_numbers()
        rows |= {name: values[went] for name, values in numbers.items()}
        history.extend({"member": went, "cl": cl, "cd": cd, "cm": cm} | rows)
        kind = phases.of_iteration(numbers, alive & (iterations > done))
    return drop[alive], loads, kind
