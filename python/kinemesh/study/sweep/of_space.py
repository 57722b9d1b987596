"""Loads of cases in space in rows of a sweep, by the names of a run's table.

They are the force along the span with the moments of roll and yaw, and of steady cases those of
the wake that walls shed: its drag, and the bending of the root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kinemesh.dimension import XYZ, Dimension
from kinemesh.io.columns import OF_LOADS, SIDE, SIDES, WAKE
from kinemesh.io.history import History
from kinemesh.io.store import Variable
from kinemesh.loops.loop import Loop

SHED = "; nan of walls that shed no wake"
STEADY = {
    name: Variable("f8", f"{OF_LOADS[name].words}, coefficient{SHED if name in WAKE else ''}")
    for name in (*WAKE, *SIDE)
}
OF_CYCLE = {
    "mean": "mean of {} over the last cycle",
    "amplitude": "half the range of {} over the last cycle",
}
OF_WINDOW = {
    "mean": "mean of {} over the window",
    "rms": "rms of {} about its mean over the window",
}


def variables(dimension: Dimension, steady: bool, by_time: bool) -> dict[str, Variable]:
    """Variables of the result of cases of a dimension; none in the plane."""
    there = SIDES[dimension.count]
    if steady:
        return STEADY if there else {}
    parts = OF_WINDOW if by_time else OF_CYCLE
    return {
        f"{name}_{part}": Variable("f8", about.format(OF_LOADS[name].words))
        for name in there
        for part, about in parts.items()
    }


def names() -> list[str]:
    """Names of all these variables."""
    return [*STEADY, *variables(XYZ, False, False), *variables(XYZ, False, True)]


def of_march(table: Mapping[str, Sequence[Any]], member: int) -> dict[str, Any]:
    """Loads of a member of a steady run, from the run's table."""
    return {name: table[name][member] for name in STEADY if name in table}


def of_loop(loop: Loop) -> dict[str, float]:
    """Loads over the last cycle."""
    each = loop.side.items()
    return {f"{name}_{part}": getattr(load, part) for name, load in each for part in OF_CYCLE}


def of_window(rows: History, last: Any) -> dict[str, float]:
    """Loads of a case by time over its `last` rows."""
    each = {name: rows[name][last] for name in SIDE if name in rows.columns}
    found = {f"{name}_mean": own.mean() for name, own in each.items() if len(own)}
    return found | {f"{name}_rms": own.std() for name, own in each.items() if len(own)}
