"""Fluids at rest in which nothing moves: a case that has nothing to compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.flow.door import limits
from kinemesh.motion.free import Free


def check_rest(streams: Mapping[str, NDArray[np.float64]]) -> None:
    """SettingsError for a member with the angle of a stream (members,) that it has not."""
    for speed, alpha in zip(streams["stream"], streams["alpha_deg"], strict=True):
        if said := limits.wrong_rest(speed, alpha):
            raise SettingsError(f"alpha_deg is {alpha:g}, {said}")


def refuse_rest(
    case: Any, slides: bool, speeds: Callable[[], NDArray[np.float64]] | None = None
) -> None:
    """SettingsError for a member whose fluid is at rest and stays so.

    Parameters
    ----------
    slides : True where walls slide
    speeds : of a run from the present flow its largest speed (members,); None: from the stream
    """
    still = case.streams["stream"] == 0
    if speeds is not None and still.any():
        still &= speeds() == 0
    for motion, (member, _) in zip(case.motions, case.grid.bodies, strict=True):
        still[member] &= motion is None
    enters = any(own.still and own.enters for own in case.conditions.values())
    if still.any() and not slides and not enters:
        raise SettingsError(
            "stream is 0 and nothing moves, so there is "
            "no flow to compute; give a motion, sliding walls, an inlet, or stream = 1",
            member=int(np.flatnonzero(still)[0]),
        )


def refuse_unkicked(case: Any, kicks: Sequence[Any]) -> None:
    """SettingsError for a member at rest whose body stands on a structure, and nothing moves it.

    Parameters
    ----------
    kicks : of each member, or None
    """
    if "stream" not in case.streams:
        return
    still = (case.streams["stream"] == 0) & np.array([kick is None for kick in kicks])
    for motion, (member, _) in zip(case.motions, case.grid.bodies, strict=True):
        still[member] &= motion is None or (type(motion) is Free and motion.law is None)
    enters = any(own.still and own.enters for own in case.conditions.values())
    if still.any() and "sliding" not in case.more and not enters:
        raise SettingsError(
            "stream is 0, and the body stands on a structure at rest without a kick, so nothing "
            'ever moves; give kick, such as {"shift": 0.05}, or stream = 1',
            member=int(np.flatnonzero(still)[0]) if len(still) > 1 else None,
        )


def fastest(member: NDArray[Any], velocity: NDArray[Any], members: int) -> NDArray[np.float64]:
    """(members,) largest component of velocities (nodes, dimensions), by the member of each."""
    found = np.zeros(members)
    np.maximum.at(found, member, np.abs(velocity).max(axis=1))
    return found
