"""CFL numbers of the steps of an unsteady run: the largest, and the step that would bring it down.

Of solvers whose history has the column `cfl`: the largest rate at which flow passes a volume, times
the step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.run.advice import smaller_step

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.run.plan import Plan

# Measured where loads depend on the step (docs/validation.md, "CFL numbers").
MOST = 10.0
ASKED = 8.0  # of the step that a warning states
START = 2  # first steps, which are not counted: a stream that walls meet at once has no small ones


def largest(rows: History, plan: Plan) -> dict[str, Any]:
    """Of a member's rows: the largest CFL number, its moment, and the number of steps above MOST.

    The first START steps are not counted where there are others.

    `largest`, `step`, `time`, of a run by cycles `phase_deg`, `steps_above`; and where there are
    such steps `steps_per_cycle`, or `time_step`, with which the largest would be about ASKED if it
    goes with the step.
    """
    later = rows["step"] > START
    cfl = np.where(later | ~later.any(), rows["cfl"], np.nan)
    row = int(np.nanargmax(cfl)) if np.isfinite(cfl).any() else 0
    found = {
        "largest": float(cfl[row]),
        "step": int(rows["step"][row]),
        "time": float(rows["time"][row]),
    }
    if plan.periods is not None:
        found["phase_deg"] = float(rows["phase_deg"][row])
    found["steps_above"] = int((cfl > MOST).sum())
    if found["steps_above"]:
        share = ASKED / found["largest"]
        name, value = smaller_step(share, float(plan.dt[0]), plan.steps_per_cycle)
        found[name] = value
    return found


def remark(member: int, found: dict[str, Any], steps: int) -> list[str]:
    """A sentence where a member's CFL number was above MOST; `found` : what `largest` gave."""
    above = found["steps_above"]
    if not above:
        return []
    name = "steps_per_cycle" if "steps_per_cycle" in found else "time_step"
    at = f"phase {found['phase_deg']:.0f} degrees, " if "phase_deg" in found else ""
    return [
        f"member {member}: the CFL number was above {MOST:g} in {above} of {steps} steps, at most "
        f"{found['largest']:.3g} in step {found['step']} ({at}time {found['time']:.4g}): the loads "
        f"may depend on the step; {name} = {found[name]:.6g} would bring it to about {ASKED:g}"
    ]
