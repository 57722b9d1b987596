"""Roots and limit cycles of bodies on structures in rows of a sweep, by the names of summaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.cases.stated import Stated
from kinemesh.io.store import Variable

if TYPE_CHECKING:
    from kinemesh.results import Run

OF_ROOT = {
    "root_zeta": "share of critical damping of the strongest oscillation, negative where it grows",
    "root_uncertainty": "half the spread of root_zeta over three windows",
    "root_omega": "frequency of the strongest oscillation over that of the structure",
    "root_k": "reduced frequency omega b / U of the strongest oscillation",
}
CYCLE_OMEGA = "cycle_omega"
OF_CYCLE = "half the range of {} over the last four periods; nan where these are not alike"


def variables(cases: Sequence[Stated]) -> dict[str, Variable]:
    """Variables of the result of these cases; none without bodies on structures."""
    built = [case.structure.build() for case in cases if case.structure and case.free]
    names = dict.fromkeys(name for own in built for name in own.names)
    if not names:
        return {}
    told = OF_ROOT | {f"cycle_{name}": OF_CYCLE.format(name) for name in names}
    told[CYCLE_OMEGA] = "frequency of a motion whose last four periods are alike"
    return {name: Variable("f8", about) for name, about in told.items()}


def row_of(cases: Sequence[Stated], run: Run, member: int) -> dict[str, float]:
    """Numbers of a member of a run; nan of those that it has not."""
    result: dict[str, Any] = run.summary["result"]
    found = {}
    for name in variables(cases):
        value = result.get(name)
        own = value[member] if isinstance(value, list) else value
        found[name] = np.nan if own is None else float(own)
    return found
