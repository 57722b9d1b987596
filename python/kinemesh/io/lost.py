"""Rows missing in the history of a finished run, judged by its summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError


def made(summary: Mapping[str, Any]) -> dict[int, int]:
    """Steps, or iterations of a steady run, of each member of a finished run that did not fail.

    None of a run that did not finish, and of a summary that does not tell.
    """
    result, asked = summary.get("result") or {}, summary.get("conditions") or {}
    failed = {row["member"] for row in summary.get("failed", [])}
    members = (summary.get("mesh") or {}).get("members", 1)
    found = {}
    for member in range(members) if summary.get("finished") else ():
        if summary.get("mode") == "steady":
            count = _of(result.get("iterations"), member)
        else:
            count = asked.get("steps")
            cycles = _of(result.get("cycles"), member)
            if asked.get("until") == "periodic" and isinstance(cycles, int | float):
                count = round(cycles * asked["steps_per_cycle"])  # each to its own end
            if result.get("steps_run") is not None:  # by time, where members ended before others
                count = _of(result["steps_run"], member)
        if member not in failed and isinstance(count, int):
            found[member] = count
    return found


def _of(value: Any, member: int) -> Any:
    """A member's entry; of a run of one member the value itself."""
    if not isinstance(value, list):
        return value
    return value[member] if member < len(value) else None


def lost(
    steps: Mapping[int, NDArray[np.int64]], unit: str, summary: Mapping[str, Any]
) -> dict[int, str]:
    """Members without exactly one row per step in order -> description of the lost rows.

    Parameters
    ----------
    steps : {member: (rows,) numbers of its steps}
    unit : step | iteration
    """
    found = {}
    for member, count in made(summary).items():
        own = steps.get(member, np.empty(0, np.int64))
        own, wanted = own[own > 0], np.arange(1, count + 1)
        if np.array_equal(own[:count], wanted):
            continue
        absent = np.setdiff1d(wanted, own)
        first = f"the first that is missing is {absent[0]}" if len(absent) else "some stand twice"
        found[member] = (
            f"the history has {len(own)} rows of the {count} {unit}s that the finished run made "
            f"of member {member} ({first}); bring the file back, or run again"
        )
    return found


def refuse_lost(history: Any, member: int | None, label: str) -> None:
    """Raise CaseError if rows of a member are lost; member None: of any member."""
    of = [member] if member is not None else list(history.lost)
    for text in (history.lost[m] for m in of if m in history.lost):
        raise CaseError(f"{label}: {text}")
