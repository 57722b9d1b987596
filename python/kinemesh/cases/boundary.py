"""Boundary of a case's mesh or cloud before it is solved: conditions, and the unit of lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinemesh.errors import KinemeshError
from kinemesh.mesh.extents import Walls, word_of_unit
from kinemesh.overset.parts import Parts
from kinemesh.space.conditions.base import BODY, Condition
from kinemesh.space.conditions.words import Far, Symmetry

if TYPE_CHECKING:
    from kinemesh.cases.casefile import Case
    from kinemesh.cloud import Cloud
    from kinemesh.mesh import Mesh


def conditions_of_case(case: Case, made: Mesh | Cloud) -> dict[str, Condition]:
    """Condition of each marker, as a run has it."""
    from kinemesh.flow.door.space import symmetry_planes
    from kinemesh.space.markers import conditions_on

    if isinstance(made, Parts):
        return made.conditions
    sides = case.mesh.sides()
    planes, sides["boundaries"] = symmetry_planes(None, [made], sides.get("boundaries"))
    return conditions_on([made], **sides, planes=planes) | dict.fromkeys(planes, Symmetry())


def unit_of(case: Case, made: Any) -> str:
    """Unit of length, "chord", of round bodies "diameter", or "mesh length"."""
    if case.flow.references[1] != 1:
        return "mesh length"
    if made is None:
        return "chord"
    try:
        conditions = conditions_of_case(case, made)
    except KinemeshError:  # told in the row of markers
        return "chord"
    walls = [marker for marker, own in conditions.items() if own.role == BODY]
    planes = [m for m, own in conditions.items() if m not in walls and own != Far()]
    return word_of_unit(Walls.of(made, walls, planes).bodies)
