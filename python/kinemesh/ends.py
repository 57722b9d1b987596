"""How runs end: converged or not, diverged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import NumericalFault
from kinemesh.faults import DIVERGED, TEXTS

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.solver import Solver

# Residual over its first value where a march has ended.  Measured over whole marches: below 1.4 on
# the way to the ready cases' steady flows, below 4 where a march stalls.
MOST_RISE = 10.0


def refuse_diverged(solver: Solver, where: str) -> None:
    """NumericalFault where the residual of a march that has ended is MOST_RISE times its first.

    A residual at round-off is none: its first value may have been zero.
    """
    get = solver.backend.get
    norm, first = get(solver.dualtime.norm), get(solver.dualtime.first)
    risen = ~(norm <= MOST_RISE * first) & ~(norm <= get(solver.dualtime.floor))
    for m in np.flatnonzero(risen):
        count = get(solver.dualtime.iterations)[m]
        raise NumericalFault(
            f"member {m}: diverged, the residual rose to {norm[m] / max(first[m], 1e-300):.1e} "
            f"times its first value ({where}, iteration {count}); try {TEXTS[DIVERGED][1]}"
        )


def last_cycle(rows: History) -> NDArray[np.bool_]:
    """(rows,) whether a row is of the last cycle; all rows where there is not one whole cycle."""
    # cycle is a fraction of exact steps: 1e-9 is far above its rounding, far below a step
    return rows["cycle"] > rows["cycle"][-1] - 1 + 1e-9


def converged(rows: History) -> bool:
    """Whether every step of the last cycle of a member's rows converged."""
    return bool(rows["converged"][last_cycle(rows)].all())


def of_members(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Results of one member as they are; of several a list of each."""
    if len(found) == 1:
        return found[0]
    names = dict.fromkeys(name for result in found for name in result)
    return {name: [result.get(name) for result in found] for name in names}
