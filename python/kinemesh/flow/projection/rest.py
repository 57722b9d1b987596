"""Incompressible cases that have nothing to compute, or are asked for what a run does not do."""

from __future__ import annotations

from typing import Any

from kinemesh.errors import SettingsError
from kinemesh.flow.door import rest


def refuse_rest(case: Any, start: str) -> None:
    """SettingsError for a member whose fluid is at rest and stays so, from this first flow."""

    def speeds() -> Any:
        u = case.backend.get(case.projection.flow["u"])
        return rest.fastest(case.grid.member, u, case.grid.members)

    rest.refuse_rest(case, case.walls.slides, speeds if start == "as is" else None)


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
