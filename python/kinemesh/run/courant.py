"""CFL numbers of the steps of an unsteady run: the largest, and the step that would bring it down.

Of solvers whose history has the column `cfl`: the largest rate at which flow passes a volume, times
the step.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.run.advice import smaller_step

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.run.plan import Plan

# For each pass through momentum and pressure in a step (`outer`), measured: from here on loads
# depend on the step by percents (docs/validation.md, "CFL numbers").
MOST = 10.0
MOST_PASSES = 3  # that were measured
SHARE = 0.8  # of the limit, to which the step that a warning states would bring the largest
# First steps, which are not counted: where a stream meets walls at once they have peaks that the
# loads do not keep (fine plunging section, 800 steps: 43, later 17; cl 0.1 % off at first).
START = 2


def largest(rows: History, plan: Plan, outer: int = 1) -> dict[str, Any]:
    """Of a member's rows: the largest CFL number, its moment, and how many steps are above a limit.

    The first START steps are not counted where there are others.

    Parameters
    ----------
    outer : passes through momentum and pressure in a step

    Returns
    -------
    dict    `largest`, `step`, `time`, of a run by cycles `phase_deg`, `limit`, `steps_above`; and
        where there are such steps `steps_per_cycle`, or `time_step`, with which the largest would
        be SHARE of the limit if it goes with the step
    """
    later = rows["step"] > START
    cfl = np.where(later | ~later.any(), rows["cfl"], np.nan)
    row = int(np.nanargmax(cfl)) if np.isfinite(cfl).any() else 0
    limit = MOST * outer
    found = {
        "largest": float(cfl[row]),
        "step": int(rows["step"][row]),
        "time": float(rows["time"][row]),
    }
    if plan.periods is not None:
        found["phase_deg"] = float(rows["phase_deg"][row])
    found |= {"limit": limit, "steps_above": int((cfl > limit).sum())}
    if found["steps_above"]:
        share = SHARE * limit / found["largest"]
        name, value = smaller_step(share, float(plan.dt[0]), plan.steps_per_cycle)
        found[name] = value
    return found


def remark(member: int, found: dict[str, Any], steps: int) -> list[str]:
    """A sentence where a member's CFL number was above the limit; `found` : what `largest` gave."""
    above, limit = found["steps_above"], found["limit"]
    if not above:
        return []
    name = "steps_per_cycle" if "steps_per_cycle" in found else "time_step"
    at = f"phase {found['phase_deg']:.0f} degrees, " if "phase_deg" in found else ""
    passes = ceil(found["largest"] / MOST)
    more = f", or outer = {passes} bear it" if passes <= MOST_PASSES else ""
    return [
        f"member {member}: the CFL number was above {limit:g} in {above} of {steps} steps, at most "
        f"{found['largest']:.3g} in step {found['step']} ({at}time {found['time']:.4g}): the loads "
        f"may depend on the step; {name} = {found[name]:.6g} would bring it to about "
        f"{SHARE * limit:g}{more}"
    ]
