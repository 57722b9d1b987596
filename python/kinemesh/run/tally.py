"""Counts of an unsteady run over its steps, for the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.io.history import History
from kinemesh.run import criteria
from kinemesh.sentences import Sentence, of_row

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving

AT_START = "steady flow at the start: "
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

    def remarks(self, solver: Moving, history: History) -> list[str]:
        """Sentences on the first flow, and on steps of members that ended short."""
        drop = solver.settings.unsteady_drop
        notes: list[str] = [_start_note(row) for row in self.start]
        notes += [
            Sentence(
                f"{n} of {history.member(m)['step'].max(initial=0):.0f} steps ended above the "
                f"asked residual drop {drop:g} (converged = 0 in the history)",
                criteria.short_steps(solver, m, history.member(m)),
                member=m,
                about=criteria.NOT_CONVERGED,
            )
            for m, n in enumerate(self.unconverged)
            if n
        ]
        notes += [
            Sentence(
                f"{count} edges (sum over steps) ended below second order: a gradient asked for a "
                "negative density or pressure there",
                member=m,
                about="below second order",
            )
            for m, count in enumerate(self.lowered)
            if count
        ]
        return notes


def _start_note(row: Any) -> Sentence:
    """A note about the first flow, from its row with the words `before` it."""
    note = of_row(row)
    before = row.get("before", "") if isinstance(row, Mapping) else ""
    return Sentence(before, note, about=before + note.about)
