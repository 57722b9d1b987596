"""Inlets and outlets of incompressible flow: parts of the far field with their own velocities."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.space.conditions import Condition, Inflow
from kinemesh.space.grid import Grid


def by_kind(markers: Any) -> dict[str, list[str]]:
    """Markers of each kind of boundary, inlets and outlets with the far field."""
    kinds = dict(markers.by_kind)
    ends = [name for kind in ("inlet", "outlet") for name in kinds.pop(kind, [])]
    return kinds | {"far": [*kinds["far"], *ends]}


def apply(
    grid: Grid,
    conditions: Mapping[str, Condition],
    inflow: NDArray[np.float64],
    given: NDArray[np.bool_],
    is_open: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """(bnodes, 2) velocities of the far field that come in; given and open of its ends are set.

    Parameters
    ----------
    inflow : (members, 2)    velocities of the streams
    given, is_open : (nodes,)    where velocities are given, and where the boundary is open

    Raises
    ------
    SettingsError    as of `Inflow.at`
    """
    far, walls = grid.patches["far"], set(grid.patches["wall"].node.tolist())
    found: NDArray[np.float64] = inflow[far.member]
    place = {int(node): k for k, node in enumerate(far.node)}
    leaving: list[int] = []
    entering: list[int] = []
    for marker, own in conditions.items():
        for mesh, first in zip(grid.meshes, grid.first, strict=False):
            if isinstance(own, Inflow):
                nodes, velocities = own.at(marker, mesh)
                there = [place[int(first) + int(node)] for node in nodes]
                found[there] = velocities
                entering += [int(first) + int(node) for node in nodes]
            else:
                edges = mesh.boundaries.get(marker, ())
                leaving += [int(first) + int(node) for node in np.unique(edges)]
    given[[node for node in leaving if node not in walls]] = False
    is_open[leaving] = True
    given[entering] = True
    is_open[entering] = False
    return found


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
            "mesh moves; let a part move over a background (overset grids), or leave motion out"
        )
