"""Reference values that rows of a history do not have: of its summary, or of the solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Scale:
    """Factors from times and powers of a member's history to the published ones.

    Parameters
    ----------
    time : float      reference length over reference speed, in the units of the history's time
    stream : float    speed of the stream over the reference speed: 0 in fluid at rest
    speed : float or None    reference speed, in lengths of the mesh and the history's time; None:
        not known
    """

    time: float
    stream: float = 1.0
    speed: float | None = None


def scales_of(summary: Mapping[str, Any], members: int) -> dict[int, Scale]:
    """Scale of each member of a run, from its summary."""
    conditions = summary.get("conditions", {})

    def each(name: str) -> list[float]:
        value = conditions.get(name)
        values = value if isinstance(value, list) else [value] * members
        return [1.0 if v is None else float(v) for v in values]

    length = conditions.get("reference_length") or 1.0
    machs, streams = each("mach"), each("stream")
    return {
        m: Scale(length / machs[m], streams[m], machs[m]) for m in range(min(members, len(machs)))
    }
