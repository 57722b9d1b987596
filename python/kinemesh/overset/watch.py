"""Warnings, each once, of connectivity that harms the result while overset parts move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import OversetError, warn_of
from kinemesh.overset import strides
from kinemesh.overset.report import ALIKE, DONORS, FEW, SIZES, UNLIKE, Taken
from kinemesh.overset.status import Statuses
from kinemesh.overset.strides import Stride, Strides
from kinemesh.sentences import Sentence

MARGIN = 0.95  # of a stride to advise, as other steps meet other moments
EVERY = 16  # poses of which one has its cells looked at, on the host: 50 MB of a million nodes


class Watch:
    """Looks at the connectivity pose by pose.

    Parameters
    ----------
    notes : of the summary, to which warnings are added
    """

    def __init__(self, made: Statuses, notes: list[str] | None = None) -> None:
        self.made, self.poses = made, 0
        self.notes: list[str] = [] if notes is None else notes
        self._told: set[tuple[str, int]] = set()
        self._of_mesh: list[Strides] = []
        self.begin()

    def begin(self) -> None:
        """Forget where the parts were, and the steps so far."""
        self._before: NDArray[np.float64] | None = None
        self._worst: dict[tuple[str, int], tuple[Stride, str]] = {}

    def look(self, when: str) -> None:
        """Warn of poor connectivity at the present poses; when : for the warnings."""
        made, alive = self.made, self.made.grid.ensemble.alive
        receptors, poor, _ = made.backend.get(made.counts).T
        notes = []
        for m in np.flatnonzero(alive & (poor > FEW * receptors)).tolist():
            notes += self._donors(m, f"{poor[m]:.0f} of {receptors[m]:.0f}", when)
        if self.poses % EVERY == 0:
            for m in np.flatnonzero(alive).tolist():
                notes += self._sizes(m, when)
        self.poses += 1
        self.notes += notes
        warn_of(notes)

    def strode(self, when: str) -> dict[str, NDArray[np.float64]]:
        """Strides (members,) of parts since the last pose, in cells and in gaps.

        `stride_gap` where some member has several parts with walls.
        """
        made = self.made
        if not self._of_mesh:
            distinct = zip(made.grid.distinct, made.plans, strict=True)
            self._of_mesh = [Strides(mesh, plan) for mesh, plan in distinct]
        after = made.backend.get(made.pose).copy()
        before, self._before = self._before, after
        found = np.zeros((2, made.grid.members))
        for m in np.flatnonzero(made.grid.ensemble.alive).tolist():
            if before is None:
                break
            own = slice(*made.first[m : m + 2])
            both = self._of_mesh[made.grid.alike.of[m]].found(before[own], after[own])
            for row, (what, stride) in enumerate(zip(("cells", "gap"), both, strict=True)):
                found[row, m] = stride.size
                worst = self._worst.get((what, m))
                if worst is None or stride.size > worst[0].size:
                    self._worst[what, m] = stride, when
        told = {"stride_cells": found[0]}
        return told | ({"stride_gap": found[1]} if any(s.several for s in self._of_mesh) else {})

    def strides(self, asked: Callable[[int, float], str]) -> list[str]:
        """A sentence for each member and kind of stride that is too long.

        Parameters
        ----------
        asked : (member, share) -> the steps that are this share of the present ones, in words
        """
        notes: list[str] = []
        for (what, m), (stride, when) in sorted(self._worst.items()):
            most = strides.CELLS if what == "cells" else strides.GAP
            if stride.size <= most:
                continue
            text = f"{stride.told(what)} ({when}), expected at most {most:g}"
            advice = asked(m, MARGIN * most / stride.size)
            notes.append(Sentence(text, member=m, about=f"stride in {what}", advice=advice))
        return notes

    def _new(self, what: str, member: int) -> bool:
        """Return True on the first call for this warning and member."""
        fresh = (what, member) not in self._told
        self._told.add((what, member))
        return fresh

    def _donors(self, member: int, count: str, when: str) -> list[str]:
        if not self._new("donors", member):
            return []
        taken = Taken.of(self.made, member)
        first = int(np.flatnonzero(taken.receptor & (taken.worth == 1))[0])
        text = (
            f"{count} receptors take values from cells with receptors among "
            f"their corners, such as {taken.place(first)} ({when}); more cells where the parts "
            "lie over one another, or a smaller overlap"
        )
        return [Sentence(text, member=member, about=DONORS)]

    def _sizes(self, member: int, when: str) -> list[str]:
        taken = Taken.of(self.made, member)
        fed = np.flatnonzero(taken.receptor & (taken.worth > 0))
        apart = np.abs(np.log(taken.ratio[fed]))
        if not len(fed) or apart.max() <= np.log(ALIKE):
            return []
        worst = int(fed[apart.argmax()])
        if apart.max() > np.log(UNLIKE):
            self._refuse(member, taken, worst, when)
            return []
        if not self._new("sizes", member):
            return []
        text = (
            f"cells at {taken.place(worst)} are {taken.ratio[worst]:.2g} times as "
            f"large as those that give it its value, expected 1/3 to 3 ({when}); like sizes where "
            "parts end"
        )
        return [Sentence(text, member=member, about=SIZES)]

    def _refuse(self, member: int, taken: Taken, node: int, when: str) -> None:
        """The member fails: cells that give values are of quite another size."""
        place, ratio = taken.place(node), taken.ratio[node]
        times = f"{ratio:.2g} times as large as" if ratio > 1 else f"1/{1 / ratio:.2g} of"
        cause = (
            f"cells at {place} are {times} those that give it its value, expected 1/3 to 3 and at "
            f"most {UNLIKE:g} times apart"
        )
        remedy = "like sizes where parts end: nodes of the part, or spacing of the background"
        error = OversetError(f"{cause} ({when}); {remedy}")
        self.made.grid.ensemble.fail(member, cause, remedy, place=place, error=error, about=SIZES)
