"""Loads of a steady march: those that change under a residual at round-off, those of its end.

In float32 they may change while the residual is round-off already.  The residual of a node is a sum
of fluxes that cancel.  In thin cells their round-off is more than what a boundary layer still has
to change, so that a small residual is no sign of its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinemesh.io.columns import LOADS

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.io.history import History

EACH = 10  # iterations of which a mean is kept
CHANGE = 1e-5  # of a load of 1 or less from the older half of the means to the other; else a share
SCATTER = 1.2  # a change over the standard deviation of the means, below which it is noise
NOISE = 1e-4  # most that a change by noise may be, as CHANGE
LAST, FEWEST = 4, 20  # of a march that ended short: its last quarter, of 20 iterations at least
STEADY = 1e-4  # most that loads of 1 or less may vary there to have settled; else a share


def look(
    solver: Moving,
    loads: NDArray[np.float64],
    iterations: NDArray[np.integer],
    went: NDArray[np.bool_],
) -> None:
    """Take up the loads (members, 3) of an iteration, and hold members whose loads change.

    They go on (`DualTime.hold`); in float64, and where a solver has no `hold`, nothing is held.

    Parameters
    ----------
    iterations : (members,) made so far
    went : (members,) who has made one; a check that ends a march is made again where it goes on
    """
    dual, b = solver.dualtime, solver.backend
    if getattr(dual, "hold", None) is None:
        return
    recent = b.get(dual.recent)
    recent[-1, went] += loads[went]
    full = went & ((iterations + 1) % EACH == 0)
    recent[:-2, full], recent[-2, full] = recent[1:-1, full], recent[-1, full] / EACH
    recent[-1, full] = 0
    b.put(dual.recent, recent)
    b.put(dual.hold, np.where(settled(recent[:-1]), 0, 1))


def held(solver: Moving) -> NDArray[np.bool_]:
    """(members,) whether their loads still changed when they were looked at last."""
    hold = getattr(solver.dualtime, "hold", None)
    none = np.zeros(solver.grid.members, bool)
    return none if hold is None else solver.backend.get(hold) != 0


def settled(loads: NDArray[np.floating]) -> NDArray[np.bool_]:
    """(members,) whether loads (means, members, 3) change by no more than noise.

    Those that are not there yet, nan, change.
    """
    loads = loads.astype(np.float64)
    half = len(loads) // 2
    first, last = loads[:half].mean(axis=0), loads[half:].mean(axis=0)
    noise = np.minimum(SCATTER * loads.std(axis=0), NOISE)
    most = np.maximum(CHANGE, noise) * np.maximum(1, np.abs(last))
    still: NDArray[np.bool_] = (np.abs(last - first) <= most).all(axis=1)
    return still


def told(history: History, member: int) -> str:
    """How much the loads of a member vary at the end of its march, in words; or nothing.

    Nothing of a march that is too short to tell, or without a wall that bears loads.
    """
    rows = history.member(member) if member in history.members else None
    count = 0 if rows is None else max(FEWEST, rows.rows // LAST)
    if rows is None or rows.rows < 2 * count:
        return ""
    last = {name: rows[name][-count:] for name in LOADS}
    if not any(v.any() for v in last.values()):
        return ""
    vary = {name: float(np.ptp(v) / max(1.0, abs(v[-1]))) for name, v in last.items()}
    most = max(vary, key=lambda name: vary[name])
    if vary[most] <= STEADY:
        told = f"the loads have settled: cl, cd and cm vary by {vary[most]:.1e} at most"
    else:
        told = f"the loads have not settled: {most} varies by {vary[most]:.1e}"
    return f"{told} over the last {count} iterations"
