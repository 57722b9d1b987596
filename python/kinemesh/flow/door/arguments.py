"""Arguments of a case, checked before anything is built: streams, spaces, motions, markers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import instance, member_count, numbers, per_member, point_of
from kinemesh.deform import Deformation
from kinemesh.device.backend import Backend
from kinemesh.dimension import dimension_of
from kinemesh.errors import OversetError, SettingsError, shown, warn
from kinemesh.flow.door import limits, sizes
from kinemesh.flow.door.counted import names_of
from kinemesh.flow.door.rest import check_rest
from kinemesh.mesh import Mesh
from kinemesh.mesh.extents import Walls, measured
from kinemesh.mesh.fingerprint import fingerprint
from kinemesh.motion import Motion
from kinemesh.overset.parts import OVERSET
from kinemesh.sentences import Option
from kinemesh.space.conditions.base import BODY, OUTER, PLANE, ROLES, Condition
from kinemesh.space.conditions.table import (
    conditions_of,
    ends_of,
    expected_of,
    in_words,
    several,
)
from kinemesh.space.conditions.words import Far, Wall
from kinemesh.space.markers import conditions_on, said_in

if TYPE_CHECKING:
    from kinemesh.cloud.cloud import Cloud

STREAM = Option("far_field", "stream")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """Arguments that all solvers share, without the spaces and the markers of their boundaries.

    Parameters
    ----------
    settings : with what follows from the space
    members : int
    streams : (members,) of each number of the stream, such as mach and alpha_deg
    motion : as given, checked where the bodies are known (`motions_of`)
    moment_about : (x, y);  moment_stated : whether it was given
    chord : that k refers to, as stated, or None; in space the reference length, as stated
    reference : area and length of the coefficients
    area : that area as stated, or None
    """

    settings: Any
    backend: Backend
    deform: Deformation
    members: int
    streams: dict[str, NDArray[np.float64]]
    motion: Any
    moment_about: tuple[float, float]
    moment_stated: bool
    chord: float | None
    reference: tuple[float, float]
    area: float | None
    loads: list[str] | None = None
    structure: Any = None


def settings_of(value: Any, kind: type) -> Any:
    """The settings of a solver, of their class; the defaults where none are given.

    Those of another solver that is made of this one have keys that it would leave out.
    """
    made = kind() if value is None else instance(value, kind, "settings", f"{kind.__name__}(...)")
    known = {own.name for own in fields(kind)}
    more = [own.name for own in fields(made) if own.name not in known]
    if more:
        raise SettingsError(
            f"settings is {shown(made)}, whose {', '.join(more)} this solver lacks; expected "
            f"{kind.__name__}(...)",
            argument="settings",
        )
    return made


def arguments_of(
    spaces: Any,
    settings: Any,
    backend: Backend,
    *,
    deform: Any,
    streams: Mapping[str, Any],
    motion: Any,
    moment_about: Any,
    chord: Any,
    reference_area: Any = None,
    reference_length: Any = None,
    boundaries: Any = None,
    loads: Any = None,
    structure: Any = None,
    check: Callable[[Mapping[str, Any], int], dict[str, NDArray[np.float64]]] | None = None,
) -> Arguments:
    """The arguments of a case, checked.

    Parameters
    ----------
    streams : numbers of the stream, by name;  check : of these, and of the number of members;
        None: `gas_streams`
    boundaries : as given, whose conditions may have numbers for each member
    loads : names of the bodies whose loads the coefficients are
    structure : on which bodies stand, checked where these are known (`structures_of`)
    """
    deform = instance(deform, Deformation, "deform", "one of kinemesh.deform, such as Rigid()")
    about = sizes.QUARTER if moment_about is None else moment_about
    dimension = dimension_of(spaces)
    about = point_of(about, "moment_about", ", ".join(dimension.motion))
    members = member_count(mesh=spaces, **streams, motion=motion, structure=structure,
                           **several(boundaries))  # fmt: skip
    deform.check(backend, members)
    found = (check or gas_streams)(streams, members)

    def length(value: Any, name: str) -> float | None:
        return None if value is None else float(numbers(value, 1, name, positive=True)[0])

    stated = length(chord, "chord")
    default = 1.0 if stated is None else stated
    area = length(reference_area, "reference_area")
    long = length(reference_length, "reference_length")
    return Arguments(
        settings=settings,
        backend=backend,
        deform=deform,
        members=members,
        streams=found,
        motion=motion,
        moment_about=about,
        moment_stated=moment_about is not None,
        chord=sizes.length_of_k(stated, long, dimension),
        reference=(default if area is None else area, default if long is None else long),
        area=area,
        loads=names_of(loads),
        structure=structure,
    )


@dataclass(frozen=True, slots=True)
class Markers:
    """Conditions at the boundary, and how large the bodies are.

    Parameters
    ----------
    conditions : by marker, in the order of the patches
    measured : of each member its walls as given;  notes : warnings about them
    """

    conditions: dict[str, Condition]
    measured: list[Walls]
    notes: list[str]

    @property
    def by_kind(self) -> dict[str, list[str]]:
        """Markers of each kind that has some, walls and far field always."""
        found: dict[str, list[str]] = {Wall.kind: [], Far.kind: []}
        for marker, own in self.conditions.items():
            found.setdefault(own.kind, []).append(marker)
        return found

    @property
    def by_role(self) -> dict[str, list[str]]:
        """Markers of each role that has some, bodies and outer boundary always."""
        found: dict[str, list[str]] = {BODY: [], OUTER: []}
        for role in ROLES:
            own = [marker for marker, made in self.conditions.items() if made.role == role]
            found |= {role: own} if own else {}
        return found


def assign_markers(
    spaces: Sequence[Any],
    arguments: Arguments,
    solver: Any,
    *,
    walls: Any,
    far: Any,
    boundaries: Any = None,
    planes: Sequence[str] = (),
) -> Markers:
    """Conditions of all markers; `planes` of symmetry, of clouds in space, have none.

    Parameters
    ----------
    solver : class with its `family` and `method`
    """
    named = conditions_of(boundaries)
    said = [*said_in(walls, far, list(spaces[0].boundaries)), *named]
    _none_alone(spaces, said)
    made = conditions_on(spaces, walls=walls, far=far, boundaries=named, planes=planes)
    _warn_of_open(made, said)
    return markers_of(spaces, arguments, solver, made, planes)


def _warn_of_open(conditions: Mapping[str, Condition], said: Sequence[str]) -> None:
    """Warn of a far field beside inlets and outlets that nobody has named."""
    left = [m for m, own in conditions.items() if own.kind == Far.kind and m not in said]
    ends = ends_of(conditions)
    if ends and left:
        there = ", ".join(f"{own.kind} {marker!r}" for marker, own in ends.items())
        warn(
            f"{', '.join(map(repr, left))}: far field beside {there}, as neither walls, far nor "
            "boundaries names it; name it, so that a forgotten wall or outlet is none",
            about="far field beside inlets",
        )


def markers_of(
    spaces: Sequence[Any],
    arguments: Arguments,
    solver: Any,
    conditions: dict[str, Condition],
    planes: Sequence[str] = (),
) -> Markers:
    """Conditions that a solver computes, with the bodies measured.

    Raises
    ------
    SettingsError    a condition that the solver does not compute
    """
    for marker, own in conditions.items():
        if own.families and solver.family not in own.families:
            wanted = expected_of(own.kind, solver.family)
            raise SettingsError(
                f"boundaries: {marker!r} is {own.words}, which method '{solver.method}' has not; "
                + (f"expected {wanted}" if wanted else f"it has {in_words(solver.family)}"),
                argument="boundaries",
            )
    bodies = [m for m, own in conditions.items() if own.role == BODY]
    others = [*planes, *(m for m, own in conditions.items() if own.role == PLANE)]
    solid = [m for m in bodies if any(len(space.boundaries.get(m, ())) for space in spaces)]
    found = measured(spaces, solid, others)
    channel = bool(ends_of(conditions))
    return Markers(conditions, found, sizes.check(spaces, found, arguments, channel=channel))


def _none_alone(spaces: Sequence[Any], named: Sequence[str]) -> None:
    """OversetError for a part without others, unless the user says what its boundary is."""
    for member, space in enumerate(spaces):
        if OVERSET in space.boundaries and OVERSET not in named:
            raise OversetError(
                f"the mesh ends at a marker '{OVERSET}', within other parts, and "
                'there are none; expected km.Incompressible({"wing": mesh, "back": '
                f"km.mesh.background(...)}}, ...), or far=['{OVERSET}'] of a mesh in a stream",
                member=member,
            )


def gas_streams(given: Mapping[str, Any], members: int) -> dict[str, NDArray[np.float64]]:
    """(members,) Mach numbers and angles [deg] of the streams, and where a member's gas is at rest
    speeds `stream` over that of the Mach number, 1 or 0; a doubtful Mach number is told."""
    machs = numbers(given["mach"], members, "mach", positive=True)
    found = {"mach": machs, "alpha_deg": numbers(given["alpha_deg"], members, "alpha_deg")}
    speeds = numbers(given.get("stream", 1.0), members, "stream")
    wrong = {"mach": limits.wrong_mach, "alpha_deg": limits.wrong_alpha}
    within(wrong | {"stream": limits.wrong_stream}, found | {"stream": speeds})
    if not speeds.all():
        found["stream"] = speeds
        check_rest(found)
    asked = limits.doubt(machs.max())
    if asked:
        warn(asked)
    return found


def within(
    wrong: Mapping[str, Callable[[float], str]], found: Mapping[str, NDArray[np.float64]]
) -> None:
    """SettingsError for a number (members,) that is outside of its limits."""
    for name, says in wrong.items():
        for member, value in enumerate(found[name]):
            if says(value):
                which = member if len(found[name]) > 1 else None
                raise SettingsError(
                    f"{name} is {value:g}, {says(value)}", member=which, argument=name
                )


def meshes_of(value: Any, members: int) -> list[Mesh]:
    """One mesh per member, in an order that keeps neighbours close in memory."""
    hint = "read one with kinemesh.mesh.read or make one with kinemesh.mesh.airfoil"
    return _spaces(value, members, Mesh, hint)


def clouds_of(value: Any, members: int) -> list[Cloud]:
    """One cloud per member, in an order that keeps satellites close in memory."""
    from kinemesh.cloud.cloud import Cloud

    hint = (
        "make one with kinemesh.cloud.airfoil, Cloud.from_mesh, Cloud.from_points or Cloud.around"
    )
    return _spaces(value, members, Cloud, hint)


def _spaces(value: Any, members: int, kind: Any, hint: str) -> list[Any]:
    """One mesh or cloud per member, renumbered; SettingsError where one is neither.

    Members with equal meshes share one object.
    """
    given = per_member(value, members)
    wrong = [g for g in given if not isinstance(g, kind)]
    if wrong:
        parts = "; parts by name are of km.Incompressible" if isinstance(wrong[0], Mapping) else ""
        told = f"{kind.__name__.lower()} is {shown(wrong[0])}, expected a kinemesh {kind.__name__}"
        raise SettingsError(f"{told}: {hint}{parts}")
    if len({own.points.shape[1] for own in given}) > 1:
        several = {"Mesh": "meshes", "Cloud": "clouds"}[kind.__name__]
        raise SettingsError(
            f"{several} in the plane and in space, expected all members in one of the two"
        )
    content, done, each = {}, {}, {id(g): g for g in given}
    for which, space in each.items():
        frames = tuple(getattr(space, "frames", {}).items())
        known = len(each) > 1
        key = (fingerprint(space), *space.boundaries, space.origin, frames) if known else None
        content[which] = key
        if key not in done:
            done[key] = space.renumbered()
    return [done[content[id(g)]] for g in given]


def motions_of(value: Any, members: int, bodies: Sequence[tuple[int, str]]) -> list[Motion | None]:
    """Motion of each body (member, marker)."""
    given = per_member(value, members)
    there: list[list[str]] = [[] for _ in given]
    for member, marker in bodies:
        there[member].append(marker)
    for member, motion in enumerate(given):
        each = motion.values() if isinstance(motion, Mapping) else [motion]
        wrong = [m for m in each if m is not None and not isinstance(m, Motion)]
        if wrong:
            raise SettingsError(
                f"motion is {shown(wrong[0])}, expected one of kinemesh.motion, "
                "such as km.motion.pitch(amplitude_deg=2.5, k=0.08)",
                member=member,
            )
        if isinstance(motion, Motion) and not there[member]:
            raise SettingsError(
                "a motion is given, and no marker is a wall, so there is no body to move; name the "
                "bodies in walls ([mesh] in a case file), or leave the motion out",
                member=member,
            )
        unknown = set(motion) - set(there[member]) if isinstance(motion, Mapping) else set()
        if unknown:
            raise SettingsError(
                f"motion of {sorted(unknown)}, expected bodies {there[member]}", member=member
            )
    return [given[m].get(k) if isinstance(given[m], Mapping) else given[m] for m, k in bodies]


def check_vortex(
    far_field: str,
    mach: NDArray[np.float64],
    motions: Sequence[Motion | None],
    conditions: Mapping[str, Condition],
) -> None:
    """SettingsError for the far vortex where it is not that of the flow.

    Parameters
    ----------
    conditions : at the boundary, by marker
    """
    if far_field != "vortex":
        return
    planes = [marker for marker, own in conditions.items() if own.role == PLANE]
    if planes:
        raise SettingsError(
            f"far_field is 'vortex' with the plane of symmetry {planes}, behind which "
            "is a vortex that it leaves out; use ",
            STREAM,
            " and a far field of 100 chords",
            argument="far_field",
        )
    if (mach >= 1).any():
        raise SettingsError(
            f"far_field is 'vortex' at mach {mach.max():g}, expected a subsonic stream; use ",
            STREAM,
            argument="far_field",
        )
    if any(motion is not None for motion in motions):
        raise SettingsError(
            "far_field is 'vortex' with a motion, whose shed vorticity it leaves out; use ",
            STREAM,
            " and a far field of 100 chords",
            argument="far_field",
        )
