"""Counts of an unsteady run over its steps, for the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

ARRAYS = ("unconverged", "at_roundoff", "inner", "rows", "lowered")  # of the tally


class Tally:
    """Counts of a run over its steps, for the summary; kept in restarts."""

    def __init__(self, members: int) -> None:
        self.unconverged, self.at_roundoff, self.inner, self.rows, self.lowered = (
            np.zeros(members, int) for _ in ARRAYS
        )
        self.notes: dict[str, float] = {}
        self.first: dict[str, Any] = {}
        self.preflight: dict[str, Any] = {}
        self.start: list[Any] = []  # rows of notes about the first flow
        self.ended: dict[int, int] = {}  # members that were done before the others, after a step

    def add(self, notes: Mapping[str, float]) -> None:
        """Add a mover's numbers."""
        for name, value in notes.items():
            self.notes[name] = self.notes.get(name, 0) + value

    def dump(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return vars(self)

    def load(self, kept: Mapping[str, Any]) -> None:
        """Restore the counts from `dump`."""
        for name, value in kept.items():
            setattr(self, name, np.array(value) if name in ARRAYS else value)
        self.ended = {int(member): step for member, step in self.ended.items()}
