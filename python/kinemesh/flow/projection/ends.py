"""Inlets and outlets of incompressible flow: parts of the far field with their own velocities."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError, warn_of
from kinemesh.space.conditions.base import OUTER, Condition
from kinemesh.space.conditions.inflow import Inflow, flow_into
from kinemesh.space.conditions.table import TIMES, ends_of
from kinemesh.space.conditions.values import check_meetings
from kinemesh.space.grid import Grid

MOST_LOST = 0.02  # of the flow of an inlet, where it meets walls


def enter(case: Any, given: NDArray[np.bool_], is_open: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(bnodes, 2) velocities at the outer boundary of an Incompressible; see `apply`."""
    conditions = ends_of(case.conditions)
    entering, notes = apply(case.grid, conditions, case.inflow, given, is_open)
    case.more |= identity(case, conditions, entering)
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
    """(bnodes, 2) velocities at the outer boundary that come in, and warnings.

    Entries of `given` and `is_open` at inlets and outlets are set.

    Parameters
    ----------
    inflow : (members, 2)    velocities of the streams
    given, is_open : (nodes,)    where velocities are given, and where the boundary is open

    Raises
    ------
    SettingsError    as of `Inflow.at`, an inlet that lies on walls, and a member without a way out
    """
    far = grid.patches[OUTER]
    found = velocities(grid, conditions, inflow, np.zeros(grid.members))
    if not conditions:
        return found, []
    check_meetings(conditions, grid.distinct)
    walled, notes = np.zeros(grid.nodes, bool), []
    walled[grid.wall.node] = True
    entering = np.zeros(grid.nodes, bool)
    for marker, own in conditions.items():
        for first, of in zip(grid.first, grid.alike.of, strict=False):
            mesh = grid.distinct[of]
            nodes = np.unique(mesh.boundaries.get(marker, ())).astype(int)
            there = int(first) + nodes
            if isinstance(own, Inflow):
                entering[there] = True
                if not own.varies:  # of what varies nothing may come in yet
                    coming = found[far.places(there)]
                    notes += _lost(marker, mesh, nodes, coming, walled[there])
            else:
                given[there[~walled[there]]] = False
                is_open[there] = True
    given[entering] = True
    is_open[entering] = False
    closed = np.bincount(grid.member[is_open], minlength=grid.members) == 0
    if closed.any():
        raise SettingsError(
            "velocities are given all round, and nothing can flow out; "
            "expected an outlet, or a far field that the stream leaves through",
            member=closed.argmax(),
        )
    return found, list(dict.fromkeys(notes))


def velocities(
    grid: Grid,
    conditions: Mapping[str, Condition],
    inflow: NDArray[np.float64],
    times: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(bnodes, 2) velocities at the outer boundary, at the time of each member (members,)."""
    far = grid.patches[OUTER]
    found: NDArray[np.float64] = inflow[far.member]
    for marker, own in conditions.items():
        if not isinstance(own, Inflow):
            continue
        each = [own.at(marker, mesh) for mesh in grid.distinct] if not own.varies else []
        for member, time in enumerate(times.tolist()):
            of = grid.alike.of[member]
            mine = each[of] if each else own.at(marker, grid.distinct[of], time)
            found[far.places(int(grid.first[member]) + mine[0])] = mine[1]
    return found


def _lost(
    marker: str,
    mesh: Any,
    nodes: NDArray[np.int64],
    every: NDArray[np.float64],
    solid: NDArray[np.bool_],
) -> list[str]:
    """Warning about the flow of an inlet that its nodes on walls, which are at rest, keep out."""
    if not len(nodes):
        return []
    moving = np.where(solid[:, None], 0.0, every)
    asked, left = (flow_into(mesh, marker, nodes, v) for v in (every, moving))
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


def identity(
    case: Any, conditions: Mapping[str, Condition], entering: NDArray[np.float64]
) -> dict[str, str]:
    """Hash of velocities by a function or a table, by which a run goes on with its own alone.

    Parameters
    ----------
    entering : velocities at time 0
    """
    laws = {m: own for m, own in conditions.items() if isinstance(own, Inflow)}
    if not any(callable(own.velocity) or own.tabulated for own in laws.values()):
        return {}
    varies = any(own.varies for own in laws.values())
    found = sha256(np.ascontiguousarray(entering).tobytes())
    for time in TIMES[1:] if varies else ():
        try:
            now = velocities(case.grid, laws, case.inflow, np.full(case.grid.members, time))
        except SettingsError:  # a function need not have values beyond the run
            continue
        found.update(np.ascontiguousarray(now).tobytes())
    return {"entering": found.hexdigest()[:16]}
