"""Overset parts as a user gives them: put together as one mesh, with the conditions they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kinemesh.arguments import is_several, member_count, per_member
from kinemesh.errors import OversetError
from kinemesh.flow.door.arguments import Arguments, Markers, assign_markers, markers_of
from kinemesh.overset.parts import Parts
from kinemesh.space.conditions.table import kinds


def _has_parts(mesh: Any) -> bool:
    """True where meshes are parts: {name: mesh}, of all members or of none."""
    each = list(mesh) if is_several(mesh) else [mesh]
    parts = [isinstance(one, Mapping) for one in each]
    if any(parts) and not all(parts):
        raise OversetError(
            f"member {parts.index(False)} is one mesh and member {parts.index(True)} has parts, "
            "expected {name: mesh} of every member, or of none"
        )
    return any(parts)


def put_together(mesh: Any, motion: Any, **sides: Any) -> Any:
    """Parts of each member, or of all, as one mesh; a mesh as it is.

    Parameters
    ----------
    sides : walls, far, boundaries
    """
    if not _has_parts(mesh):
        return mesh
    members = member_count(mesh=mesh, motion=motion)
    made: dict[Any, Parts] = {}

    def one(parts: Mapping[str, Any], own: Any) -> Parts:
        if own is not None and not isinstance(own, Mapping):
            raise OversetError(
                f"motion is {own!r} for all of {len(parts)} parts, expected that of each part that "
                f"moves by its name, of {', '.join(map(repr, parts))}: "
                f"motion={{{next(iter(parts))!r}: ...}}"
            )
        moving = () if own is None else tuple(own)
        unknown = [name for name in moving if name not in parts]
        if unknown:
            raise OversetError(f"motion of {unknown}, expected parts {list(parts)}")
        key = id(parts), moving
        if key not in made:
            made[key] = Parts.of(parts, moving=moving, **sides)
        return made[key]

    each = [
        one(*pair)
        for pair in zip(per_member(mesh, members), per_member(motion, members), strict=True)
    ]
    return each if is_several(mesh) or is_several(motion) else each[0]


def assign(meshes: Sequence[Any], arguments: Arguments, solver: Any, **sides: Any) -> Markers:
    """Conditions of all markers, of parts those that they know: walls, far field, others by kind.

    Parameters
    ----------
    solver, sides : as of `assign_markers`
    """
    if not isinstance(meshes[0], Parts):
        return assign_markers(meshes, arguments, solver, **sides)
    found = {marker: own for mesh in meshes for marker, own in mesh.conditions.items()}
    order = list(kinds())
    each = sorted(found, key=lambda m: order.index(found[m].kind) if found[m].families else 99)
    return markers_of(meshes, arguments, solver, {marker: found[marker] for marker in each})
