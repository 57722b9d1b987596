"""Bodies whose loads the coefficients are: those that a case names, or of a channel its bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError, did_you_mean, shown
from kinemesh.mesh.extents import Walls
from kinemesh.space.conditions.base import Condition
from kinemesh.space.conditions.table import ends_of


def names_of(loads: Any) -> list[str] | None:
    """Names that a user gave, each once; None where none were.

    Raises
    ------
    SettingsError    for what are no names
    """
    if loads is None:
        return None
    named = [loads] if isinstance(loads, str) else loads
    if not isinstance(named, Sequence) or not all(isinstance(name, str) for name in named):
        raise SettingsError(
            f"loads is {shown(loads)}, expected names of walls, such as ['cylinder']",
            argument="loads",
        )
    if not named:
        raise SettingsError("loads is empty, expected names of walls", argument="loads")
    return list(dict.fromkeys(named))


def counted(
    loads: list[str] | None,
    bodies: Sequence[tuple[int, str]],
    conditions: Mapping[str, Condition],
    measured: Sequence[Walls],
) -> NDArray[np.bool_]:
    """(bodies,) whether the loads of a body, (member, marker), are in those of its member.

    Without names all are, but for walls of a channel: of a case with an inlet or outlet, beside a
    body, those that are no part of a body.

    Raises
    ------
    SettingsError    for a name that no wall has
    """
    if loads is not None:
        known = dict.fromkeys(marker for _, marker in bodies)
        for name in loads:
            if name not in known:
                raise SettingsError(
                    f"loads names '{name}', expected one of {', '.join(known)}"
                    f"{did_you_mean(name, known)}",
                    argument="loads",
                )
        return np.array([marker in loads for _, marker in bodies], bool)
    if not ends_of(conditions):
        return np.ones(len(bodies), bool)
    found = []
    for member, marker in bodies:
        closed = _closed(measured[member])
        found.append(not closed or marker in closed)
    return np.array(found, bool)


def _closed(walls: Walls) -> set[str]:
    """Markers of bodies."""
    return {name for body in walls.bodies for name in body.name.split(" (")[0].split(", ")}
