"""Flow through inlets and outlets in rows of a sweep, by the names of a history's columns.

Of cases in time it is the mean over the last cycle, or the window: `mass_flow_inlet_mean`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinemesh.cases.stated import Stated
from kinemesh.io.history import History
from kinemesh.io.store import Variable
from kinemesh.space.conditions.table import conditions_of
from kinemesh.space.through import columns_of

ABOUT = {
    "mass_flow": "mass flow into the fluid at {}",
    "total_pressure": "total pressure at {}, mean over the mass",
    "total_temperature": "total temperature at {} over the stream's, mean over the mass",
    "pressure_drop": "static pressure of inlets less that of outlets, means over the mass",
    "loss": "drop of total pressure over total less static pressure of the inlets",
}


def columns(cases: Sequence[Stated]) -> dict[str, str]:
    """Columns of histories of these cases, with what they are."""
    found: dict[str, str] = {}
    for case in cases:
        conditions = conditions_of(case.mesh.sides().get("boundaries"))
        for column in columns_of(conditions, case.flow.mach is not None):
            name = next(name for name in ABOUT if column.startswith(name))
            found[column] = ABOUT[name].format(column[len(name) + 1 :])
    return found


def variables(cases: Sequence[Stated], steady: bool) -> dict[str, Variable]:
    """Variables of the result of these cases; none without inlets and outlets."""
    if steady:
        return {name: Variable("f8", about) for name, about in columns(cases).items()}
    return {
        f"{name}_mean": Variable("f8", f"mean over the cycle or window: {about}")
        for name, about in columns(cases).items()
    }


def means(cases: Sequence[Stated], rows: History, last: Any) -> dict[str, float]:
    """Means of a case in time over its `last` rows."""
    each = ((name, rows[name][last]) for name in columns(cases))
    return {f"{name}_mean": own.mean() if len(own) else np.nan for name, own in each}
