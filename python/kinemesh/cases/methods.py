"""Settings and deformation of a method's solver, from a case's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from kinemesh.cases.values import known
from kinemesh.errors import CaseError
from kinemesh.flow import registry
from kinemesh.sentences import Place

DEFORMS = registry.CELLS


def deform_fields(method: str) -> list[str]:
    """Names of the settings of a deformation method."""
    from kinemesh import deform

    kind: Any = deform.METHODS[method]
    keys: list[str] = kind.options()
    return keys


def check_deform(method: str, deform: str | None) -> None:
    """Raise CaseError for a deformation that the method does not support."""
    entry = registry.named(method)
    if deform is not None and deform not in entry.deforms:
        raise CaseError(
            Place("deform", "method"),
            f" = {deform!r} is none of method {method!r}, which computes on a "
            f"{entry.spaces}; use {' or '.join(entry.deforms)}",
        )


def check_bending(
    method: str, deform: str | None, movers: Sequence[str], space: bool, twists: bool
) -> None:
    """Raise CaseError where a body bends, or twists, as the deformation cannot follow.

    Parameters
    ----------
    deform : that the case names; None: the method's own
    movers : deformations of such meshes and clouds
    space : whether they are in space, where they move rigidly by default
    twists : whether sections turn by angles of any size
    """
    from kinemesh import deform as deforms

    own = registry.named(method).deforms
    kinds: Mapping[str, Any] = deforms.METHODS
    bending = [name for name in own if name in movers and kinds[name].bends]
    if twists:
        bending = [name for name in bending if kinds[name].twists]
    if not bending:
        alone = "no deformation that follows" if twists else "rigid bodies alone"
        raise CaseError(
            Place("motion"),
            f" {'twists' if twists else 'bends'} a body, and method {method!r} has {alone}",
            advice="leave modes and twist out, or use method = 'ale'",
        )
    used = deform or ("rigid" if space else own[0])
    if used not in bending:
        what = " lacks method" if deform is None else f" method = {deform!r}"
        why = "bends a body, which meshes in rigid motion cannot follow"
        if kinds[used].bends:
            why = "twists sections, which fields in proportion to amplitudes cannot follow"
        raise CaseError(
            Place("deform"),
            f"{what}, and [motion] {why}",
            advice=f"use method = {' or '.join(map(repr, bending))}",
        )


def check_solver(method: str, given: Mapping[str, Any]) -> None:
    """Raise CaseError for keys unknown to the method's solver, with the known ones."""
    mine = solver_fields(method) if given else None
    if mine is None:
        return
    for other in (name for name in registry.names() if name != method):
        theirs = solver_fields(other) or []
        lost = [key for key in given if key in theirs and key not in mine]
        if lost:
            raise CaseError(
                Place("solver"),
                f" has {', '.join(lost)}, settings of method '{other}'; "
                f"remove what method '{method}' lacks",
            )
    known(Place("solver"), given, mine)


def solver_fields(method: str) -> list[str] | None:
    """Names of the settings of a method's solver; None where it cannot be imported."""
    try:
        settings = registry.named(method).settings
    except ImportError:
        return None
    return [f.name for f in fields(settings)]


def or_use(methods: list[str]) -> str:
    """End of a sentence that names the methods which would do."""
    return f", or use method = {' or '.join(map(repr, methods))}" if methods else ""
