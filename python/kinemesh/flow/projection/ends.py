"""Inlets and outlets of incompressible flow: parts of the far field with their own velocities."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError, warn_of
from kinemesh.space.condition import Condition
from kinemesh.space.conditions import check_meetings
from kinemesh.space.grid import Grid
from kinemesh.space.inflow import Inflow

MOST_LOST = 0.02  # of the flow of an inlet, where it meets walls


def by_kind(markers: Any) -> dict[str, list[str]]:
    """Markers of each kind of boundary, inlets and outlets with the far field."""
    kinds = dict(markers.by_kind)
    ends = [name for kind in ("inlet", "outlet") for name in kinds.pop(kind, [])]
    return kinds | {"far": [*kinds["far"], *ends]}


def enter(case: Any, given: NDArray[np.bool_], is_open: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(bnodes, 2) velocities of the far field of an Incompressible; see `apply`."""
    entering, notes = apply(case.grid, case.conditions, case.inflow, given, is_open)
    case.more |= identity(case.conditions, entering)
    warn_of(notes)
    case.notes += notes
    return entering


def apply(
    grid: Grid,
    conditions: Mapping[str, Condition],
    inflow: NDArray[np.float64],
    given: NDArray[np.bool_],
    is_open: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], list[str]]:
    """(bnodes, 2) velocities of the far field that come in, and warnings.

    Given and open of its ends are set.

    Parameters
    ----------
    inflow : (members, 2)    velocities of the streams
    given, is_open : (nodes,)    where velocities are given, and where the boundary is open

    Raises
    ------
    SettingsError    as of `Inflow.at`, an inlet that lies on walls, and a member without a way out
    """
    check_meetings(conditions, grid.meshes)
    far, walls = grid.patches["far"], set(grid.patches["wall"].node.tolist())
    found: NDArray[np.float64] = inflow[far.member]
    place = {int(node): k for k, node in enumerate(far.node)}
    leaving: list[int] = []
    notes: list[str] = []
    entering: list[int] = []
    for marker, own in conditions.items():
        for mesh, first in zip(grid.meshes, grid.first, strict=False):
            if isinstance(own, Inflow):
                nodes, velocities = own.at(marker, mesh)
                there = [place[int(first) + int(node)] for node in nodes]
                found[there] = velocities
                entering += [int(first) + int(node) for node in nodes]
                solid = np.array([int(first) + int(node) in walls for node in nodes], bool)
                notes += _lost(marker, mesh, nodes, velocities, solid)
            else:
                edges = mesh.boundaries.get(marker, ())
                leaving += [int(first) + int(node) for node in np.unique(edges)]
    given[[node for node in leaving if node not in walls]] = False
    is_open[leaving] = True
    given[entering] = True
    is_open[entering] = False
    closed = np.bincount(grid.member[is_open], minlength=grid.members) == 0
    if conditions and closed.any():
        raise SettingsError(
            f"member {closed.argmax()}: velocities are given all round, and nothing can flow out; "
            "expected an outlet, or a far field that the stream leaves through"
        )
    return found, list(dict.fromkeys(notes))


def _lost(
    marker: str,
    mesh: Any,
    nodes: NDArray[np.int64],
    velocities: NDArray[np.float64],
    solid: NDArray[np.bool_],
) -> list[str]:
    """Warning about the flow of an inlet that its nodes on walls, which are at rest, keep out."""
    if not len(nodes):
        return []
    edges = np.searchsorted(nodes, mesh.boundaries[marker])
    x = mesh.points[nodes]
    way = x[edges[:, 1]] - x[edges[:, 0]]
    out = np.stack([way[:, 1], -way[:, 0]], axis=1)
    moving = np.where(solid[:, None], 0.0, velocities)
    asked, left = (-0.5 * (v[edges].sum(axis=1) * out).sum() for v in (velocities, moving))
    if not left > 0:
        raise SettingsError(
            f"boundaries: all of the flow of inlet {marker!r} comes in at nodes of walls, which "
            "are at rest; expected nodes between them"
        )
    if left > (1 - MOST_LOST) * asked:
        return []
    return [
        f"inlet {marker!r} meets walls, which are at rest: {left:.4g} of the flow of {asked:.4g} "
        "that is asked comes in; a profile that is 0 there keeps it, smaller cells more of it"
    ]


def identity(conditions: Mapping[str, Condition], entering: NDArray[np.float64]) -> dict[str, str]:
    """Hash of velocities by a user's function, by which a run goes on with its own alone."""
    if not any(isinstance(own, Inflow) and callable(own.velocity) for own in conditions.values()):
        return {}
    return {"entering": sha256(np.ascontiguousarray(entering).tobytes()).hexdigest()[:16]}


def refuse_motion(conditions: Mapping[str, Condition], motions: Any) -> None:
    """SettingsError for a mesh that moves with inlets or outlets, which stand still."""
    if conditions and any(motion is not None for motion in motions):
        marker = next(iter(conditions))
        raise SettingsError(
            f"boundaries: {marker!r} is an {conditions[marker].kind}, which stands still, and the "
            "mesh moves; leave motion out"
        )
