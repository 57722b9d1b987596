"""Rows of `check` of a body on springs: structure, kick, period and time steps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.cases.structures import KICK, MAY, NEEDS
from kinemesh.flow.door.structures import Structures, period_of
from kinemesh.run.coupled import tell_unresolved
from kinemesh.run.plan import time_steps

if TYPE_CHECKING:
    from kinemesh.cases.casefile import Case

NO_KICK = "no kick: steady loads alone move it"


def look_at_structure(report: Any, case: Case, unit: str, scale: str, goes: str) -> None:
    """Rows of the structure and of the time steps; a mode with too few of these is told.

    Parameters
    ----------
    unit, scale : words of the unit of length, and of the speed in the unit of time
    goes : words on what goes a way in a step
    """
    part, job, mach = case.structure, case.job, case.flow.speed
    assert part is not None
    own = None
    with report.look("structure") as said:
        own = Structures([part.build()], [0], np.array([mach]), case.flow.references[1])
        if case.motion is not None:  # a law beside it, whose cycles count where there is no spring
            own.laws = list(case.motion.named(case.flow.chord).values())[:1]
        period = period_of(own.own[0])
        names = [n for n in (*NEEDS[part.kind], *MAY[part.kind]) if n != KICK]
        said.append(", ".join([part.kind, *_pairs({n: getattr(part, n) for n in names})]))
        said.append("kick " + ", ".join(_pairs(part.kick)) if part.kick else NO_KICK)
        told = f"period of the first mode without a flow {period:.5g} {unit}/{scale}"
        said.append(told if np.isfinite(period) else "first mode without stiffness, so no period")
        if job.steps_per_cycle is not None:
            _ = own.periods  # refused without a spring
    if own is None:
        return
    with report.look("steps") as said:
        by_cycles, count = time_steps(job.cycles, job.steps_per_cycle, job.time_step, job.steps)
        given: Any = job.steps_per_cycle if by_cycles else job.time_step
        step = float(own.periods[0]) / given if by_cycles else given
        way = f"in which {goes} {mach * step:.3g} {unit}s"
        said.append(f"{step:.4g} {unit}/{scale}, {way}")
        if np.isfinite(period):
            said.append(f"{period / step:.3g} in a period of the first mode")
        said.append(f"{count} steps")
        tell_unresolved(own, np.array([step]))


def _pairs(table: Any) -> list[str]:
    given = ((name, value) for name, value in table.items() if value is not None)
    return [f"{name} {_text(value)}" for name, value in given]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return Path(value).name
    if isinstance(value, Mapping):
        return " ".join(f"{name} {own:g}" for name, own in value.items())
    return " ".join(map(_text, value)) if isinstance(value, list | tuple) else f"{value:g}"
