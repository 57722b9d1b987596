"""Cases in space: what there is of the plane alone, and which markers are planes of symmetry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kinemesh.bodies.planes import check_laws
from kinemesh.deform import Delaunay, Rigid
from kinemesh.dimension import Dimension, dimension_of
from kinemesh.errors import SettingsError
from kinemesh.flow.door.arguments import Arguments
from kinemesh.flow.door.planforms import TURN, edge_on
from kinemesh.mesh.extents import Walls
from kinemesh.sentences import Option
from kinemesh.space.conditions.base import PLANE, Condition
from kinemesh.space.conditions.table import conditions_of
from kinemesh.space.conditions.words import Far, Symmetry, Wall
from kinemesh.space.markers import planes_of
from kinemesh.space.solids import FLAT

KINDS = {3: (Wall.kind, Far.kind)}
"""Kinds of conditions that meshes have, by dimensions, where that is not all."""


def check_space(_: Any, arguments: Arguments) -> None:
    """SettingsError for what there is in the plane alone."""
    if arguments.settings.far_field == "vortex":
        raise SettingsError(
            "far_field is 'vortex', which is of plane flow; use ",
            Option("far_field", "stream"),
            " in space",
            argument="far_field",
        )
    if isinstance(arguments.deform, Delaunay):
        raise SettingsError(
            f"deform is {arguments.deform!r}, which moves nodes and points in the plane; in space "
            "use ",
            Option("deform", Rigid(), "--deform rigid"),
            ", or Modal(), or on meshes TorsionalSprings() or Carrier(), where bodies bend",
        )


def check_solids(case: Any, arguments: Arguments) -> None:
    """SettingsError for what a case in space asks for, and there is on meshes in the plane alone.

    Parameters
    ----------
    case : solver on meshes, with `solids`, its volumes in space, and `viscosity`, of its gas
    """
    check_space(case, arguments)
    loop = arguments.settings.face_loop
    if loop != "store" and not case.solids.any_loop:
        raise SettingsError(
            f"face_loop is {loop!r}, which is of meshes in the plane alone; take 'store'",
            argument="face_loop",
        )


def check_planes(grid: Any, found: Sequence[Walls]) -> None:
    """SettingsError for planes of symmetry whose normal is nearer to z than to y, beside bodies.

    The mesh is in other axes then, whatever the angle of the stream, as it is where walls that
    close round no body, such as a bump drawn out, have no planform.

    Parameters
    ----------
    found : of each member its walls as given
    """
    for member, (unit, walls) in enumerate(zip(grid.normals, found, strict=True)):
        across = abs(unit[-1]) > np.abs(unit[:-1]).max()
        if across and (walls.bodies or edge_on(*walls.seen)):
            normal = ", ".join(f"{c:.3g}" for c in unit)
            raise SettingsError(
                f"the normal of the planes of symmetry is ({normal}), nearer to z than to y; "
                "alpha_deg turns the stream from x to z, through the planes, and lift is along z; "
                f"expected planes across y, with the span of a wing along y: {TURN}",
                member=member,
            )


def check_stream(case: Any) -> None:
    """SettingsError for planes of symmetry that the stream crosses."""
    streams = case.backend.get(case.stream)
    check_crossing(case.grid, streams[:, 1 : 1 + case.grid.dimensions], "at a Mach number of ")


def check_crossing(grid: Any, streams: Any, speed: str) -> None:
    """SettingsError for planes of symmetry that streams (members, dimensions) cross.

    Parameters
    ----------
    speed : words before that across
    """
    for member, (unit, stream) in enumerate(zip(grid.normals, streams, strict=True)):
        across = float(np.abs(unit @ stream))
        if across > FLAT * np.linalg.norm(stream):
            normal = ", ".join(f"{c:.3g}" for c in unit)
            raise SettingsError(
                f"the stream crosses the planes of symmetry, whose normal is ({normal}), "
                f"{speed}{across:.3g}: alpha_deg turns it from x to z; expected planes across "
                "y, with the span of a wing along y: turn the mesh",
                member=member,
            )


def check_mirrors(case: Any) -> None:
    """SettingsError for planes of symmetry that the stream crosses, or that motions leave."""
    check_stream(case)
    check_laws(case.grid, case.motions, case.speed, case.reference[1])


def check_kinds(conditions: Mapping[str, Condition], dimension: Dimension) -> None:
    """SettingsError for conditions that meshes of a dimension do not have."""
    for marker, own in conditions.items():
        if own.kind not in KINDS.get(dimension.count, (own.kind,)):
            raise SettingsError(
                f"boundaries: {marker!r} is {own.words}, which there is on meshes in the plane "
                f"alone; in space expected {Wall.kind}, {Far.kind} or {Symmetry.kind}",
                argument="boundaries",
            )


def symmetry_planes(
    symmetry: Any, spaces: Sequence[Any], boundaries: Any
) -> tuple[list[str], dict[str, Any]]:
    """Markers of planes of symmetry in space, where they are no patches, and other boundaries.

    In the plane a plane of symmetry is a condition as others are.
    """
    return PLANES[dimension_of(spaces).count](symmetry, spaces, conditions_of(boundaries))


Named = dict[str, Condition]


def _conditions(symmetry: Any, spaces: Sequence[Any], named: Named) -> tuple[list[str], Named]:
    """Checks of the plane."""
    planes = [] if symmetry is None else planes_of(symmetry, spaces)
    twice = [marker for marker in planes if marker in named]
    if twice:
        raise SettingsError(f"markers {twice} are both in symmetry and in boundaries")
    return [], named | dict.fromkeys(planes, Symmetry())


def _planes(symmetry: Any, spaces: Sequence[Any], named: Named) -> tuple[list[str], Named]:
    """Checks of space."""
    slip = [marker for marker, own in named.items() if own.role == PLANE]
    others = {marker: own for marker, own in named.items() if marker not in slip}
    if symmetry is None:
        return planes_of(slip or None, spaces, "boundaries"), others
    planes = planes_of(symmetry, spaces)
    if slip and set(slip) != set(planes):
        raise SettingsError(
            f"symmetry is {planes}, and boundaries names the planes {slip}; expected one of the two"
        )
    return planes, others


PLANES = {2: _conditions, 3: _planes}

CHECKS: dict[tuple[str, int], Callable[[Any, Arguments], None]] = {
    ("mesh", 2): lambda case, arguments: None,
    ("mesh", 3): check_solids,
    ("cloud", 2): lambda case, arguments: None,
    ("cloud", 3): check_space,
}
"""Checks of a solver's arguments, by what it computes on and the dimensions."""
