"""From a Case to a mesh or cloud, a solver, a run and its folder."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from kinemesh.cases.overset_parts import Overset, of_motions, of_part
from kinemesh.cases.parts import MeshPart
from kinemesh.cases.sources import GENERATED, SIDES
from kinemesh.cases.values import in_file, in_section
from kinemesh.dimension import XY, Dimension, dimension_of
from kinemesh.flow import registry
from kinemesh.mesh.marking import marked
from kinemesh.run.claim import folder_of
from kinemesh.sentences import Place

if TYPE_CHECKING:
    from kinemesh.cases.stated import Stated
    from kinemesh.results import Run


def mesh(part: MeshPart, **outer: Any) -> Any:
    """Mesh of a case, read or generated; `outer` : names of generators' outer boundary."""
    made = part.of.make(part, {**_given(part), **outer})
    return made if part.markers is None else marked(made, part.markers)


def laid(parts: Overset) -> dict[str, Any]:
    """Parts of a case: {name: mesh with its place}."""
    from kinemesh.overset import Part

    made = {}
    for name, own in parts.parts.items():
        outer = {"outer": "overset"} if own.mesh.of.overset else {}
        with of_part(name), in_section(Place("mesh")):
            made[name] = Part(mesh(own.mesh, **outer), own.at, own.angle_deg, own.scale)
    return made


def of_flow(case: Stated) -> dict[str, Any]:
    """Arguments of a case's mesh that its flow gives: the Reynolds number of its `y_plus`."""
    if isinstance(case.mesh, Overset) or case.mesh.y_plus is None:
        return {}
    return {"reynolds": case.flow.reynolds_of_unit}


def cloud(part: MeshPart, **outer: Any) -> Any:
    """Cloud of a case: about a wing or bodies, or on the nodes of a mesh.

    Nodes of triangles carry loads better than as many points of a regular cloud
    (docs/meshless.md).
    """
    from kinemesh.cloud import Cloud

    own = part.of.cloud
    return Cloud.from_mesh(mesh(part, **outer)) if own is None else own(part, _given(part))


BY_TIME = ("time_step", "steps", "start")
MAKERS = {"mesh": mesh, "cloud": cloud}


def space(case: Stated) -> Any:
    """Mesh, cloud or parts of a case."""
    if isinstance(case.mesh, Overset):
        return laid(case.mesh)
    return MAKERS[registry.named(case.method).on](case.mesh, **of_flow(case))


def _given(part: MeshPart) -> dict[str, Any]:
    """Arguments of a generated mesh or cloud."""
    return {n: getattr(part, n) for n in GENERATED if getattr(part, n) is not None}


def settings(case: Stated) -> Any:
    """Settings of a case's solver."""
    return registry.named(case.method).settings(**case.solver)


def solver(case: Stated, grid: Any = None, of_case: bool = True) -> Any:
    """Solver of a case, ready to run; on `grid`, if any, in place of the case's mesh or cloud.

    `of_case` is whether the markers of that mesh are those of the case.
    """
    kind = registry.named(case.method).solver
    if grid is None:
        with in_section(Place("mesh")):
            grid = space(case)
    told = options(case, dimension_of(grid), of_case)
    # what only the flow, the motion or the mesh forbids
    with in_section(Place("mesh"), SIDES), in_section(Place("solver"), case.solver):
        model = kind(grid, **told)
    model.case = _about(case)
    return model


def options(case: Stated, dimension: Dimension = XY, of_case: bool = True) -> dict[str, Any]:
    """Arguments of a case's solver; `dimension` : of its mesh or cloud."""
    told: dict[str, Any] = {
        **case.flow.streams(case.method),
        "alpha_deg": case.flow.alpha_deg,
        "moment_about": case.flow.moment_about,
        "device": case.job.device,
        "dtype": case.job.dtype,
    }
    told |= case.mesh.sides() if of_case else {}
    if of_case and case.flow.loads is not None:
        told["loads"] = case.flow.loads
    with in_section(Place("mesh"), SIDES):
        told |= case.flow.laws(case.method, case.mesh.slides() if of_case else {})
    with in_section(Place("solver")):
        told["settings"] = settings(case)
    for name in registry.named(case.method).references:
        if getattr(case.flow, name) is not None:
            told[name] = getattr(case.flow, name)
    if of_case:
        case.check_bending(dimension)
    # names of bodies, and shapes, are of the case's own mesh
    anywhere = case.motion is not None and case.motion.bodies is None and not case.shapes
    if case.motion is not None and (of_case or anywhere):
        with of_motions() if isinstance(case.mesh, Overset) else nullcontext():
            told["motion"] = case.motion.build(case.chord(dimension))
    if case.structure is not None and case.free and of_case:
        told["structure"] = case.structure.build()
    if case.deform is not None:
        with in_section(Place("deform")):
            made = case.deform.build()
            told["deform"] = made if of_case else made.elsewhere
    return told


def _about(case: Stated) -> dict[str, Any]:
    part = case.mesh
    source = part.source
    names = {"name": case.name, "title": case.title, "mode": case.mode, "method": case.method}
    says = {"title_says": dict(case.title_says)} if case.title_says else {}
    of = {"package": case.package} if case.package else {}
    return names | of | says | {"mesh": str(source)}


def run(case: Stated, progress: bool = False, resume: bool = False, overwrite: bool = False) -> Run:
    """Run a case, or resume it; `case.job.out` is the folder, if any."""
    folder_of(case.job.out, resume, overwrite)  # refused before a mesh is made
    with in_file(case.file):
        model = solver(case)
    told: dict[str, Any] = {"out": case.job.out, "progress": progress, "resume": resume}
    return go(case, model, overwrite=overwrite, **told)


def go(case: Stated, model: Any, **told: Any) -> Run:
    """Run the solver of a case, or of cases that share all but mesh, stream and motion."""
    told |= {"energy": True} if case.job.energy else {}
    told |= {"kick": case.kick} if case.kick is not None else {}
    if case.mode == "steady":
        return model.steady(**told)
    return model.run(
        cycles=case.job.cycles,
        steps_per_cycle=case.job.steps_per_cycle,
        until=case.job.until,
        periodic_tolerance=case.job.periodic_tolerance,
        preflight=case.job.preflight is not False,
        **{n: v for n in BY_TIME if (v := getattr(case.job, n)) is not None},
        **told,
    )
