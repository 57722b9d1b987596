"""What is bad for the result where overset parts move before a run: warnings, each once."""

from __future__ import annotations

import numpy as np

from kinemesh.errors import warn
from kinemesh.overset.report import ALIKE, FEW, Taken
from kinemesh.overset.status import Statuses

EVERY = 16  # poses of which one has its cells looked at, on the host: 50 MB of a million nodes


class Watch:
    """Looks at the connectivity pose by pose."""

    def __init__(self, made: Statuses) -> None:
        self.made, self.poses = made, 0
        self._told: set[tuple[str, int]] = set()

    def look(self, when: str) -> None:
        """Warn of what is bad for the result as the parts stand; when : for the warnings."""
        made, alive = self.made, self.made.grid.ensemble.alive
        receptors, poor, _ = made.backend.get(made.counts).T
        for m in np.flatnonzero(alive & (poor > FEW * receptors)).tolist():
            self._donors(m, f"{poor[m]:.0f} of {receptors[m]:.0f}", when)
        if self.poses % EVERY == 0:
            for m in np.flatnonzero(alive).tolist():
                self._sizes(m, when)
        self.poses += 1

    def _new(self, what: str, member: int) -> bool:
        """Whether this has not been told of a member."""
        fresh = (what, member) not in self._told
        self._told.add((what, member))
        return fresh

    def _donors(self, member: int, count: str, when: str) -> None:
        if not self._new("donors", member):
            return
        taken = Taken.of(self.made, member)
        first = int(np.flatnonzero(taken.receptor & (taken.worth == 1))[0])
        warn(
            f"member {member}: {count} receptors take values from cells with receptors among "
            f"their corners, such as {taken.place(first)} ({when}); more cells where the parts "
            "lie over one another, or a smaller overlap"
        )

    def _sizes(self, member: int, when: str) -> None:
        taken = Taken.of(self.made, member)
        fed = np.flatnonzero(taken.receptor & (taken.worth > 0))
        apart = np.abs(np.log(taken.ratio[fed]))
        if not len(fed) or apart.max() <= np.log(ALIKE) or not self._new("sizes", member):
            return
        worst = int(fed[apart.argmax()])
        warn(
            f"member {member}: cells at {taken.place(worst)} are {taken.ratio[worst]:.2g} times as "
            f"large as those that give it its value, expected 1/3 to 3 ({when}); like sizes where "
            "parts end"
        )
