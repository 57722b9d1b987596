"""The figures of a run's folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, warn
from kinemesh.loops.distance import distances
from kinemesh.plot import channels, on_springs, steady_walls, sweeps, wings
from kinemesh.plot.cycles import cycle
from kinemesh.plot.ensembles import (
    loops,
    names_of,
    running,
    speed_of,
    stream_of,
)
from kinemesh.plot.films import FORMATS as FILMS
from kinemesh.plot.flows import (
    eddies,
    mach,
    moment_of,
    pressure,
    solved,
    values_of,
    vorticity,
)
from kinemesh.plot.friction import friction, layers
from kinemesh.plot.histories import hysteresis
from kinemesh.plot.overset import grids, parts_of
from kinemesh.plot.pressures import unsteady_pressures
from kinemesh.plot.shades import SHADES
from kinemesh.plot.spaces import cloud, mesh
from kinemesh.plot.style import at_moment
from kinemesh.plot.times import convergence, loads
from kinemesh.plot.titles import case_of, differing, title_of
from kinemesh.plot.units import CHORDS, Unit, unit_of
from kinemesh.plot.views import View, in_frame, wake_of
from kinemesh.results.along_walls import Wall
from kinemesh.results.along_walls import walls as walls_of
from kinemesh.results.boundary_layers import Layer, layer

if TYPE_CHECKING:
    from kinemesh.results import Fields, Run

FORMATS = ("png", "pdf", "svg")
Target = Callable[..., Path]


def from_directory(
    directory: str | Path,
    complete: bool = True,
    *,
    members: bool = False,
    format: str = "png",
    view: Any = None,
    range: Any = None,
    frame: str = "world",
    reference: Any = None,
) -> list[Path]:
    """Draw the figures of a run, or of a sweep, into its folder; returns the paths of the files.

    Unsteady: hysteresis.png, cycle.png, pressures.png with pressures.csv, mach.png, mesh.png.
    Without a cycle loads.png takes the place of the first three; beside it coordinates.png of a
    body on springs.  Incompressible: vorticity.png and pressure.png in place of mach.png, and
    grids.png of overset parts.  Several bodies have a line each in hysteresis.png and loads.png.
    Steady: convergence.png, cp.png, mach.png, mesh.png.
    Of a viscous gas also vorticity.png, friction.png and layers.png, and eddies.png of a turbulent
    one.
    In space cp.png, sections.png, spanwise.png, cut.png and mesh.png of the wing or body
    (`kinemesh.plot.wings`), friction.png of a viscous gas, and no other pictures of the flow; over
    a cycle also side.png, and pressures.png of sections.
    An ensemble has one hysteresis.png (or convergence.png) of all members, and mesh.png where the
    members share the mesh.
    A sweep has hysteresis.png of all cases, where they are at most 200, and map-damping.png over
    the first two parameters; steady or by time_step over one parameter lines.png.

    Parameters
    ----------
    complete : bool    True: a run of less than one cycle is an error; False: it gets no
        hysteresis.png
    members : bool     also draw the figures of each member of an ensemble, into the folder
        `members`, named by the parameters that vary: `members/hysteresis-mach0.5-k0.1.png`
    format : "png", "pdf" or "svg"
    view, range, frame : what pictures of the flow show, as of `kinemesh.plot.View`
    reference : of loops, in place of the published one of a ready case: one or a list, as of
        `kinemesh.plot.hysteresis`

    Raises
    ------
    CaseError    the folder holds no run, or less than one cycle; a view that is none; a reference
        of what has no loop, or of another motion
    """
    from kinemesh.results import Run, open

    if format not in FORMATS:
        more = "; a film is made by --animate (kinemesh.plot.film)" * (format in FILMS)
        raise CaseError(f"format = {format!r}, expected one of {', '.join(FORMATS)}{more}")
    seen = View.of(view, range, frame)
    run = open(directory)
    _refuse(run, reference, members)
    if not isinstance(run, Run):
        return sweeps.figures(run, loops, Path(directory), format)
    made: list[Path] = []

    def target(
        name: str, folder: Path | None = run.out, tail: str = "", ending: str = format
    ) -> Path:
        assert folder is not None
        made.append(folder / f"{name}{tail}.{ending}")
        return made[-1]

    there = running(run)
    if not there:
        raise CaseError(f"{directory}: no figures, as all {run.members} members failed")
    if run.history.kind == "steady":
        title = title_of(run, there[0]) if run.members == 1 else ""
        convergence(run.history, there, title, path=target("convergence"))
    if run.members == 1:
        _member(run, 0, target, complete, seen, reference)
        return made
    _together(run, there[0], target, complete)
    names = names_of(run)
    for member in there if members else []:
        tail = f"-{names[member]}"
        of_member = partial(target, folder=run.out and run.out / "members", tail=tail)
        _member(run, member, of_member, complete, seen, reference)
    return made


def _refuse(run: Any, reference: Any, members: bool) -> None:
    """CaseError for a reference of what has no loop of its own figure."""
    if reference is None:
        return
    why = ""
    if not hasattr(run, "history"):
        why = "a sweep, whose loops are km.open(folder)'s"
    elif run.history.kind == "steady" or run.history.by_time:
        why = "a run without a cycle"
    elif run.members > 1 and not members:
        why = f"an ensemble of {run.members} members; draw those of each member (--members), too"
    if why:
        raise CaseError(f"reference: loops are drawn beside it, and the folder holds {why}")


def _together(run: Run, first: int, target: Target, complete: bool) -> None:
    """The figures of all members of an ensemble, of which `first` did not fail."""
    if run.history.kind == "unsteady" and (complete or _has_cycle(run, None)):
        loops(run, path=target("hysteresis"))
    if "mesh" not in differing(run.asked()):
        flow = run.fields(member=first)
        if flow.points.shape[1] == 2:
            unit = unit_of(run, flow)
            _space(unit.of(flow), case_of(run), target("mesh"), unit)


def _has_cycle(run: Run, member: int | None) -> bool:
    """Return True if a member, or with None any member, has a whole cycle."""
    rows = run.history if member is None else run.history.member(member)
    return bool(rows["cycle"].max(initial=0) > 1 - 1e-6)


def _member(
    run: Run, member: int, target: Target, complete: bool, seen: View, beside: Any = None
) -> None:
    """Figures of one member, its loop beside references."""
    case = run.summary.get("case") or {}
    title = title_of(run, member)
    unsteady = run.history.kind == "unsteady"
    given = run.fields(member=member)
    unit = unit_of(run, given)
    flow = unit.of(given)
    solid = flow.points.shape[1] == 3
    if flow.incompressible and not solid:
        _incompressible(run, member, flow, target, title, seen, unit, beside)
        return
    cyclic = unsteady and not run.history.by_time
    if unsteady and not cyclic:
        _loads(run, member, title, unit, flow.incompressible, target)
    elif cyclic and (complete or _has_cycle(run, member)):
        _loop(run, member, case.get("name"), target, beside)
    if solid:
        wings.figures(target, run, member, title, seen, unit)
        if flow.parts:
            told = at_moment(title, moment_of(flow, unit)) if unsteady else title
            grids(parts_of(flow), told, unit, path=target("grids"))
        return
    if cyclic and _has_cycle(run, member):
        _pressures(run, member, target, title, unit)
    if not unsteady:
        steady_walls.figure(run, member, flow, title, unit, target)
    if "Mach" not in flow:
        raise CaseError(f"{run.out}: the fields have no Mach; there are {', '.join(flow)}")
    told = at_moment(title, moment_of(flow, unit)) if unsteady else title
    places = in_frame(seen, flow, unit.of(run.fields(0, member=member)))
    more: dict[str, Any] = {"view": seen.window, "range": seen.range, "on": flow.on, "unit": unit}
    mach(places, flow.cells, flow["Mach"], flow.walls, told, **more, path=target("mach"))
    if "Cf" in flow:
        _viscous(run, member, given, target, told, seen, unit)
    _space(flow, told, target("mesh"), unit)


def _loads(
    run: Run, member: int, title: str, unit: Unit, incompressible: bool, target: Target
) -> None:
    """Loads, or mass flow, over the time of a member without a cycle, and coordinates of a body on
    springs; no empty figure."""
    rows = run.history.member(member)
    if names := on_springs.names_of(run):
        reference = float(run.summary["conditions"].get("reference_length") or 1.0)
        of = (rows, names, title, unit, unit.time(incompressible), reference)
        on_springs.coordinates(*of, path=target("coordinates"))
    if not (channels.has_loads(rows) or channels.ends(rows)):
        return
    time = {"unit": unit.time(incompressible), "length": unit.size}
    loads(rows, title, **time, path=target("loads"))


def _viscous(
    run: Run, member: int, given: Fields, target: Target, title: str, seen: View, unit: Unit
) -> None:
    """Figures of a viscous gas beside those of an inviscid one; `given` is the flow in lengths of
    the mesh."""
    flow, first = unit.of(given), unit.of(run.fields(0, member=member))
    angle = np.radians(float(run.asked()[member].get("alpha_deg") or 0.0))
    points = in_frame(seen, flow, first)
    wake: dict[str, Any] = {
        "bodies": flow.bodies,
        "view": seen.window,
        "stream": (float(np.cos(angle)), float(np.sin(angle))),
        "stroke": _stroke(run, member, seen, first, unit),
        "on": flow.on,
        "unit": unit,
    }
    values, path, speed = flow["Vorticity"], target("vorticity"), speed_of(run, member)
    of_gas = {"gas": True, "speed": speed, "path": path}
    vorticity(points, flow.cells, values, flow.walls, title, **wake, **of_gas)
    if "EddyViscosity" in flow:
        values, path = flow["EddyViscosity"], target("eddies")
        eddies(points, flow.cells, values, flow.walls, title, **wake, path=path)
    found = walls_of(given)
    if not found:  # a channel without walls
        return
    friction(unit.of_walls(found), title, unit, path=target("friction"))
    if given.on == "cells" and run.walls_move:
        warn("layers.png is not drawn: walls move, and fields of cells have no velocity on them",
             UserWarning)  # fmt: skip
        return
    profiles = _profiles(given, found, float(run.asked()[member]["mach"]), unit)
    if profiles:
        layers(profiles, title, path=target("layers"))


def _profiles(flow: Fields, found: Mapping[str, Wall], mach: float, unit: Unit) -> dict[str, Layer]:
    """Boundary layers at the middle of each side of each body, where there are some."""
    made = {}
    for marker, wall in found.items():
        middle = float(wall.x.min() + wall.x.max()) / 2
        for upper, side in ((True, "above"), (False, "below")):
            try:
                own = layer(flow, mach, middle, marker, upper)
            except CaseError:  # no such side, or no line of nodes there
                continue
            made[f"{side} {marker} at {unit.axis('x')} = {round(own.x / unit.size, 3) + 0.0:g}"] = (
                own
            )
    return made


def _incompressible(
    run: Run,
    member: int,
    flow: Fields,
    target: Target,
    title: str,
    seen: View,
    unit: Unit,
    beside: Any = None,
) -> None:
    """Figures of a member of incompressible flow."""
    unsteady = run.history.kind == "unsteady"
    if not unsteady:
        steady_walls.figure(run, member, flow, title, unit, target)
    elif run.history.by_time:
        _loads(run, member, title, unit, True, target)
    elif _has_cycle(run, member):
        _loop(run, member, None, target, beside)
    told = at_moment(title, moment_of(flow, unit)) if unsteady else title
    more: dict[str, Any] = {"part": flow.get("Part"), "bodies": flow.bodies, "view": seen.window}
    first = unit.of(run.fields(0, member=member))
    more |= {"on": flow.on, "unit": unit}
    more["stream"] = wake_of(stream_of(run, member), flow, first)
    points, more["stroke"] = in_frame(seen, flow, first), _stroke(run, member, seen, first, unit)
    for draw, quantity in ((vorticity, "vorticity"), (pressure, "cp")):
        values, path = values_of(flow, SHADES[quantity]), target(draw.__name__)
        own = {"range": seen.range, "speed": speed_of(run, member)}
        own = own if quantity == "vorticity" else {}
        draw(points, solved(flow), values, flow.walls, told, **more, **own, path=path)
    if flow.parts:
        grids(parts_of(flow), told, unit, path=target("grids"))
    _space(flow, told, target("mesh"), unit)


def _stroke(run: Run, member: int, seen: View, first: Fields, unit: Unit) -> list[NDArray[Any]]:
    """Places of the walls over the last cycle of a member, in a view's frame; none without one."""
    if run.history.kind != "unsteady" or not _has_cycle(run, member):
        return []
    kept = run.frames(member)
    if not np.isfinite(kept.cycle).all():
        return []
    flows = (unit.of(run.fields(int(n), member=member)) for n in kept.last_cycle())
    return [in_frame(seen, flow, first)[np.unique(flow.walls)] for flow in flows]


def _space(flow: Fields, title: str, path: Path, unit: Unit) -> None:
    """The mesh, or the points of a cloud."""
    if flow.cloud:
        cloud(flow.points, flow.walls, title, unit, path=path)
    else:
        mesh(flow.points, flow.cells, flow.walls, title, unit, path=path)


def _loop(run: Run, member: int, name: str | None, target: Target, beside: Any = None) -> None:
    """The loop of a member beside references, or that of its case, and its cycle over the phase."""
    from kinemesh import cases
    from kinemesh.study.hysteresis import reference_loops

    loop, title, path = run.loop(member), title_of(run, member), target("hysteresis")
    others = reference_loops(beside, loop)
    for other in others:  # another motion is an error before anything is drawn
        distances(loop, other, constant=True)
    cycle(loop, others, path=target("cycle"), title=title)
    if others:
        hysteresis(loop, others, path, title)
        return
    reference = name if name in cases.references() else None
    if reference is not None and not _as_published(run, reference):
        warn(
            f"{path.name} without the reference: the case has another stream or motion", UserWarning
        )
        reference = None
    try:
        hysteresis(loop, reference, path, title)
    except CaseError as error:  # the case was changed to another motion
        warn(f"{path.name} without the reference: {error}", UserWarning)
        hysteresis(loop, None, path, title)


def _pressures(run: Run, member: int, target: Target, title: str, unit: Unit) -> None:
    """Unsteady pressures of a member, as a figure and as numbers; along the chord of each body."""
    from kinemesh.results.pressures import write

    try:
        found = run.pressures(member)
    except CaseError as error:  # a wall that is no curve, or few frames
        warn(f"no pressures.png: {error}", UserWarning)
        return
    own = unit if unit.word == "diameter" else CHORDS
    unsteady_pressures(found, title, own, path=target("pressures"))
    write(target("pressures", ending="csv"), found)


def _as_published(run: Run, name: str) -> bool:
    """Return True if a run has the stream and the motion of a ready case."""
    from kinemesh import cases

    case, conditions = cases.load(name), run.summary["conditions"]
    motion = None if case.motion is None else case.motion.build(case.chord())
    streams = case.flow.streams(case.method)
    asked = streams | {"alpha_deg": case.flow.alpha_deg, "motion": repr(motion)}
    # of one body the summary has its motion itself
    given = {n: v[0] if isinstance(v, list) and len(v) == 1 else v for n, v in conditions.items()}
    return all(given.get(name, value) == value for name, value in asked.items())
