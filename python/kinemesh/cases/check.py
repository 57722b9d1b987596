"""Looking at a case without solving it: mesh or cloud, motion, device, memory, pre-flight."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.cases import build
from kinemesh.cases.boundary import conditions_of_case, unit_of
from kinemesh.cases.end_words import ends_in_words
from kinemesh.cases.flown import flown
from kinemesh.cases.looks import LOOKS
from kinemesh.cases.overset_parts import Overset
from kinemesh.cases.points import points
from kinemesh.cases.probe import completed, moved_by, room, small_solver
from kinemesh.device.backend import Backend
from kinemesh.device.energy import SOURCES, Meter
from kinemesh.dimension import dimension_of
from kinemesh.errors import KinemeshError
from kinemesh.flow import memory, registry
from kinemesh.flow.door.inputs import motion_in_words
from kinemesh.flow.door.resolution import cells_in_words
from kinemesh.overset.parts import Parts
from kinemesh.sentences import Sentence
from kinemesh.sentences import said as said_of
from kinemesh.space.conditions.base import BODY, Condition
from kinemesh.space.conditions.table import between_ends
from kinemesh.space.conditions.words import Far, Wall

if TYPE_CHECKING:
    from kinemesh.cases.casefile import Case
    from kinemesh.cloud import Cloud
    from kinemesh.flow.gas.solver import Solver
    from kinemesh.mesh import Mesh
    from kinemesh.run.plan import Plan

KINDS = {Wall.kind: "walls", Far.kind: "far field"}  # conditions that have names in words
WIDTH = len("pre-flight")  # of the longest name of a row
SIDES = {
    ("mesh", 2): "edges",
    ("mesh", 3): "faces",
    ("cloud", 2): "edges",
    ("cloud", 3): "triangles",
}
"""Kinds of what markers have, by what a solver computes on and the dimensions."""


@dataclass
class Report:
    """Result of a check: rows (name, state, text); a state is "ok", "warn", "wrong" or "-".

    `told` is given the line of each row as soon as there is one.
    """

    rows: list[tuple[str, str, str]] = field(default_factory=list)
    told: Callable[[str], object] = field(default=lambda line: None, repr=False)

    @property
    def good(self) -> bool:
        """True if no row is wrong."""
        return all(state != "wrong" for _, state, _ in self.rows)

    @contextmanager
    def look(self, name: str) -> Iterator[list[str]]:
        """Check a row: its text is the list's, or the error; a row for each warning."""
        said: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield said
            except KinemeshError as error:
                self.add(name, "wrong", error.said)
            else:
                self.add(name, "ok", "; ".join(said))
        for warning in caught:
            self.add(name, "warn", said_of(warning.message))

    def leave(self, name: str, why: str) -> None:
        """Add a row without a check."""
        self.add(name, "-", why)

    def add(self, name: str, state: str, text: str) -> None:
        """One more row."""
        self.rows.append((name, state, text))
        self.told(_line(name, state, text))

    @property
    def end(self) -> str:
        """The last line: whether the case is ready to run."""
        count = sum(state == "wrong" for _, state, _ in self.rows)
        warned = sum(state == "warn" for _, state, _ in self.rows)
        ready = f"ready to run{f', {warned} warning(s)' if warned else ''}; nothing was solved"
        return ready if self.good else f"{count} wrong; not ready to run"

    def __str__(self) -> str:
        return "\n".join([*(_line(*row) for row in self.rows), self.end])


def _line(name: str, state: str, text: str) -> str:
    return Sentence(f"{name:<{WIDTH}}  {state:<5}  ", text)


def check(
    case: Case, progress: bool = False, told: Callable[[str], object] = lambda line: None
) -> Report:
    """Check a case without solving it: mesh or cloud, bodies, motion, device, memory.

    Parameters
    ----------
    told : is given each line as soon as it is known, and the last one
    """
    report = Report(told=told)
    _look(report, case, progress)
    told(report.end)
    return report


def _look(report: Report, case: Case, progress: bool) -> None:
    """All rows of a case."""
    report.add("case", "ok", f"{case.name} ({case.mode}) {case.title}".rstrip())
    mesh = look_at_space(report, case)
    if case.motion is not None:
        _motion(report, case, mesh)
    if case.free:
        from kinemesh.cases.freed import look_at_structure

        look_at_structure(report, case, unit_of(case, mesh), _speed(case), goes(case))
    if isinstance(mesh, Parts):
        with report.look("points") as said:
            said += points(case, mesh)
    backend = None
    with report.look("device") as said:
        backend = Backend(case.job.device, case.job.dtype)
        about = backend.describe()
        said.append(", ".join(f"{about[k]}" for k in ("device", "name") if k in about))
        said.append(case.job.dtype)
    small: Solver | None = None
    with report.look("settings") as said:
        dimension = case.mesh.dimension if mesh is None else mesh.dimension
        small = small_solver(case, "cpu" if backend is None else backend.device, dimension)
        said.append(small.settings.scheme(case.mode))
        said += [moved_by(case, small)] if case.mode == "unsteady" else []
    if mesh is None or backend is None or small is None:
        report.leave("memory", "not looked at: needs a mesh, a device and settings")
    else:
        with report.look("memory") as said:
            settings = completed(case, small)
            said.append(room(small, mesh, backend, case.mode == "unsteady", settings))
    model, plan = _solver(report, case, mesh)
    if case.job.out is not None:
        _output(report, case, model, plan)
    if case.job.energy and backend is not None:
        _energy(report, backend)
    if case.mode == "unsteady":
        _preflight(report, case, model, plan, progress)


def look_at_space(report: Report, case: Case) -> Mesh | Cloud | None:
    """Rows of the mesh or cloud, its markers and its quality."""
    made: Any = None
    on = registry.named(case.method).on
    count, quality = LOOKS[on]
    with report.look(on) as said:
        (made,) = together([case], [build.space(case)])
        said += [f"parts {case.mesh.source}"] if isinstance(made, Parts) else []
        size = np.ptp(made.points, axis=0)
        said += count(made)
        said.append(f"{' by '.join(f'{length:.4g}' for length in size)} {unit_of(case, made)}s")
    if made is None:
        return None
    walls: list[str] | None = None
    with report.look("markers") as said:
        conditions = conditions_of_case(case, made)
        walls = [marker for marker, own in conditions.items() if own.role == BODY]
        planes = [m for m, own in conditions.items() if m not in walls and own != Far()]
        kinds: dict[str, list[str]] = {"walls": [], "far field": []}
        what = SIDES[registry.named(case.method).on, len(size)]
        for marker, own in conditions.items():
            kind = KINDS.get(own.kind, f"{own.kind} ({own.role})")
            counted = f"{len(made.boundaries[marker])} {what}{numbers_in_words(own)}"
            kinds.setdefault(kind, []).append(f"{marker} ({counted})")
        said += [f"{kind} {', '.join(markers) or 'none'}" for kind, markers in kinds.items()]
    if walls is not None and between_ends(conditions) and len(size) == 2:
        with report.look("ends") as said:
            said += ends_in_words(made, conditions)
    if walls is not None:
        with report.look("bodies") as said:
            said += _bodies(case, made, walls, planes)
    if made.origin.notes:
        with report.look("read") as said:
            said += made.origin.notes
    with report.look("quality") as said:
        said += quality(made)
    return made


def together(cases: Sequence[Case], spaces: Sequence[Any]) -> list[Any]:
    """Meshes and clouds of cases of one kind; the parts of each put together as one mesh."""
    from kinemesh.flow.door.assembly import put_together

    if not isinstance(cases[0].mesh, Overset):
        return list(spaces)
    motions = [None if case.motion is None else case.motion.bodies for case in cases]
    made: list[Any] = put_together(list(spaces), motions, **cases[0].mesh.sides())
    return made


def numbers_in_words(own: Condition) -> str:
    """Numbers of a condition at the boundary."""
    return "".join(f", {name} {_plain(value)}" for name, value in own.numbers.items())


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _speed(case: Case) -> str:
    """Velocity scale of the time unit, "U" or "a_inf"."""
    return "U" if case.flow.mach is None else "a_inf"


def goes(case: Case) -> str:
    """Words on what goes a way in a step; in a fluid at rest no stream does."""
    return "what has the reference speed goes" if case.flow.stream == 0 else "the stream goes"


def _bodies(case: Case, made: Mesh | Cloud, walls: list[str], planes: list[str]) -> list[str]:
    """Sizes of the bodies, and reference lengths of the coefficients."""
    from kinemesh.flow.door.arguments import motions_of
    from kinemesh.flow.door.sizes import check as check_sizes
    from kinemesh.mesh.extents import Walls

    found = Walls.of(made, walls, planes)
    area, length = case.flow.references
    chord = case.chord(dimension_of(made))
    stated = case.flow.reference_area
    told = SimpleNamespace(chord=chord, reference=(area, length), area=stated)
    check_sizes([made], [found], told)
    if case.motion is not None:
        motions_of(case.motion.build(chord), 1, [(0, name) for name in walls])
    return [
        *([body.told() for body in found.bodies] or ["no walls close round a body"]),
        f"coefficients refer to {area:.6g}, moments to a length of {length:.6g}",
    ]


def _motion(report: Report, case: Case, mesh: Mesh | Cloud | None) -> None:
    """Rows of the motion and the time steps."""
    from kinemesh.run.plan import time_steps

    assert case.motion is not None
    made, mach, job = case.motion.named(case.chord(dimension_of(mesh))), case.flow.speed, case.job
    unit = unit_of(case, mesh)
    with report.look("motion") as said:
        period = next(iter(made.values())).period(mach)
        said += [f"{name} {motion_in_words(own)}".lstrip() for name, own in made.items()]
        if period is not None:
            said.append(f"period {period:.5g} {unit}/{_speed(case)}")
    if job.steps_per_cycle is None or period is None or case.free:  # told with its structure
        return
    with report.look("steps") as said:
        _, count = time_steps(job.cycles, job.steps_per_cycle, None, None)
        step = period / job.steps_per_cycle
        said.append(
            f"{step:.4g} {unit}/{_speed(case)}, in which {goes(case)} {mach * step:.3g} {unit}s"
        )
        said.append(f"{count} steps" + (" at most" if job.until == "periodic" else ""))


def _output(report: Report, case: Case, model: Solver | None, plan: Plan | None) -> None:
    """Row of the folder: empty, or with files of a run."""
    from kinemesh.io.folder import refuse_written
    from kinemesh.run.claim import Claim, folder_of
    from kinemesh.run.coupled import identity_of

    with report.look("output") as said:
        out = folder_of(case.job.out, resume=False, overwrite=False)
        assert out is not None
        said.append(str(out))
        refuse_written(out)
        if model is not None and out.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of steps, which have a row
                run = identity_of(model, plan, case.kick)
            said.append(Claim(model, run, plan).look(out))


def _energy(report: Report, backend: Backend) -> None:
    """Row of the meters; a warning where the device that computes has none."""
    meter = Meter(backend)
    meter.start()
    found = meter.read()
    meter.close()
    each = ((name, found[name]) for name in SOURCES if name == "cpu" or backend.on_gpu)
    text = "; ".join(f"{name}: {own['method'] or own['why']}" for name, own in each)
    report.add("energy", "warn" if meter.why else "ok", text)


def _solver(
    report: Report, case: Case, made: Mesh | Cloud | None
) -> tuple[Solver | None, Plan | None]:
    """Row of the solver, which is built if nothing is wrong."""
    from kinemesh.run.coupled import refuse_still
    from kinemesh.run.plan import Plan

    model: Solver | None = None
    plan: Plan | None = None
    if report.good:
        with report.look("solver") as said:
            overset = isinstance(case.mesh, Overset)  # of which what was looked at is put together
            model = build.solver(case, None if overset else made)
            if case.mode == "steady":
                model.check_steady()
            else:
                job = case.job
                plan = Plan.of(model, job.start, job.cycles, job.steps_per_cycle, job.time_step,
                               job.steps, job.until, job.periodic_tolerance)  # fmt: skip
                refuse_still(model, plan, case.kick)
            said += [f"built, {memory.size(model.backend.allocated)}", *cells_in_words(model)]
    else:
        report.leave("solver", "not built, as something above is wrong")
    return model, plan


def _preflight(
    report: Report, case: Case, model: Solver | None, plan: Plan | None, progress: bool
) -> None:
    """Row of the motion's pre-flight, which needs a solver and its steps; a folder's errors are
    none of the motion.
    """
    from kinemesh.run.march import progress_bar
    from kinemesh.run.preflight import fly
    from kinemesh.run.turns import foretell, refuse_farthest

    if model is None or plan is None or case.job.preflight is False:
        why = "not asked for" if case.job.preflight is False else "not made, as something is wrong"
        report.leave("pre-flight", why)
        return
    with report.look("pre-flight") as said:
        refuse_farthest(model, plan)
        foretell(model, plan)
        with progress_bar(plan.dry_steps + 1, progress, "pre-flight step") as bar:
            found: dict[str, Any] = fly(model, plan.dt, plan.dry_steps, plan.phases, bar.update)
        if not found:
            moves = any(motion is not None for motion in model.motions)
            rigid = "rigid motion, which leaves every cell its shape"
            said.append(rigid if moves else "not needed, as no body moves")
            return
        said += flown(found, model, plan)
