"""Incompressible cases that have nothing to compute, or are asked for what a run does not do."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.errors import SettingsError


def refuse_rest(case: Any, start: str) -> None:
    """SettingsError for a member whose fluid is at rest and stays so, from this first flow."""
    still = case.streams["stream"] == 0
    if start == "as is":
        speed = np.zeros(case.grid.members)
        u = np.abs(case.backend.get(case.projection.flow["u"])).max(axis=1)
        np.maximum.at(speed, case.grid.member, u)
        still &= speed == 0
    for motion, (member, _) in zip(case.motions, case.grid.bodies, strict=True):
        still[member] &= motion is None
    enters = any(own.still and own.enters for own in case.conditions.values())
    if still.any() and not case.walls.slides and not enters:
        raise SettingsError(
            "stream is 0 and nothing moves, so there is "
            "no flow to compute; give a motion, sliding walls, an inlet, or stream = 1",
            member=int(np.flatnonzero(still)[0]),
        )


def refuse_steady(case: Any) -> None:
    """SettingsError for what only steps in time have, and for a fluid at rest; parts are looked at.

    Of several members those whose parts do not fit fail in the run.
    """
    case.settings.unused(case.settings.of_steps, "a march to a steady flow has no time steps")
    for motion, (_, marker) in zip(case.motions, case.grid.bodies, strict=True):
        if motion is not None:
            raise SettingsError(
                f"motion of {marker!r}: bodies are at rest in a march to a steady flow; leave "
                "motion out, or compute the motion by run(...)"
            )
    refuse_rest(case, "steady")
    if case.grid.members == 1:
        case.look_at_grids("steady flow")
