"""Benchmark row of the connectivity of two overset parts: search, status and donors of all nodes.

Poses stay as they are: what is worked out follows from these alone, at every step anew.
"""

from __future__ import annotations

from typing import Any

from kinemesh.bench import steps
from kinemesh.bench.rows import Rows, Work
from kinemesh.bench.timing import recorded
from kinemesh.device.backend import Backend

ROWS = {"connectivity": "connectivity, two overset parts"}
TITLES = {"connectivity": ROWS}


def rows(backend: Backend, pair: steps.Pair, *_: Any) -> Rows:
    """The row of the connectivity, of the parts as they are laid."""
    if not pair:
        yield "connectivity", steps.SMALL
        return
    case, notes = steps.timed_case(backend, pair, 1)
    link = case.donors
    assert link is not None  # the case has parts
    yield "connectivity", Work(recorded(case.backend, [link.update]), None, notes=notes)
