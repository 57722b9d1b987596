"""CFL numbers of the steps of an unsteady run: the largest, and the step that would bring it down.

Of solvers whose history has the column `cfl`: the largest rate at which flow passes a volume, times
the step.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.run.advice import smaller_step
from kinemesh.sentences import Sentence

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.run.plan import Plan

# For each pass through momentum and pressure in a step (`outer`), measured: from here on loads
# depend on the step by percents (docs/validation.md, "CFL numbers").
MOST = 10.0
MOST_PASSES = 3  # that were measured
SHARE = 0.8  # of the limit, to which the step that a warning states would bring the largest
FAR = 10.0  # times the limit: beyond it the flow may have blown up, and its numbers tell no step
# First steps, which are not counted: where a stream meets walls at once they have peaks that the
# loads do not keep (fine plunging section, 800 steps: 43, later 17; cl 0.1 % off at first).
START = 2


def peak(
    values: Any, rows: History | Mapping[str, Any], plan: Plan, limit: float
) -> dict[str, Any]:
    """Largest of values (rows,), its step and time, and the number of steps above a limit."""
    later = rows["step"] > START
    counted = np.where(later | ~later.any(), values, np.nan)
    row = int(np.nanargmax(counted)) if np.isfinite(counted).any() else 0
    found = {
        "largest": float(counted[row]),
        "step": int(rows["step"][row]),
        "time": float(rows["time"][row]),
    }
    if plan.periods is not None:
        found["phase_deg"] = float(rows["phase_deg"][row])
    return found | {"limit": limit, "steps_above": int((counted > limit).sum())}


def moment(found: dict[str, Any]) -> str:
    """Step, phase and time of a peak, in words; `found` : result of `peak`."""
    at = f"phase {found['phase_deg']:.0f} degrees, " if "phase_deg" in found else ""
    return f"step {found['step']} ({at}time {found['time']:.4g})"


def largest(rows: History, plan: Plan, outer: int = 1) -> dict[str, Any]:
    """Largest CFL number in a member's rows, its step and time, and the number of steps above MOST.

    The first START steps are not counted where there are others.

    Parameters
    ----------
    outer : passes through momentum and pressure in a step

    Returns
    -------
    dict    `largest`, `step`, `time`, of a run by cycles `phase_deg`, `limit`, `steps_above`; and
        where there are such steps, with the largest below FAR limits, `steps_per_cycle`, or
        `time_step`, with which the largest would be SHARE of the limit if it goes with the step
    """
    limit = MOST * outer
    found = peak(rows["cfl"], rows, plan, limit)
    if found["steps_above"] and found["largest"] <= FAR * limit:
        share = SHARE * limit / found["largest"]
        name, value = smaller_step(share, float(plan.dt[0]), plan.steps_per_cycle)
        found[name] = value
    return found


def remark(member: int, found: dict[str, Any], steps: int) -> list[str]:
    """Warning where a member's CFL number was above the limit; `found` : result of `largest`."""
    above, limit = found["steps_above"], found["limit"]
    if not above:
        return []
    name = next((key for key in ("steps_per_cycle", "time_step") if key in found), None)
    if name is None:
        advice = (
            "the steps are far too long, and where the flow has blown up the number tells no step "
            "that would do; shorter steps, as a warning of the pre-flight tells, if there is one"
        )
    else:
        passes = ceil(found["largest"] / MOST)
        more = f", or outer = {passes} bear it" if passes <= MOST_PASSES else ""
        advice = (
            f"the loads may depend on the step; {name} = {found[name]:.6g} would bring it to about "
            f"{SHARE * limit:g}{more}"
        )
    text = (
        f"the CFL number was above {limit:g} in {above} of {steps} steps, at most "
        f"{found['largest']:.3g} in {moment(found)}: {advice}"
    )
    return [Sentence(text, member=member, about="CFL number")]
