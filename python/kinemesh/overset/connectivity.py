"""Connectivity of overset grids: status and donors of nodes, and its check."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.device.faults import NONE
from kinemesh.errors import OversetError
from kinemesh.overset.failures import about, failure
from kinemesh.overset.report import OversetReport
from kinemesh.overset.status import COVERED, Statuses


class Connectivity(Statuses):
    __doc__ = Statuses.__doc__

    def begin(self) -> None:
        """Reset the status, so that the next `update` frees no nodes."""
        self.backend.put(self.status, COVERED)
        self.backend.put(self.words, NONE)

    def check(self, where: str = "") -> bool:
        """Fail members with invalid connectivity after `update`; returns True if any failed.

        Members fail by walls that intersect, by nodes without fluid or receptors without a donor
        where values are needed, and by field nodes that had no fluid at the last update.

        Parameters
        ----------
        where : str    when it is, for the error; empty where its reader says so

        Raises
        ------
        OversetError    outside of a run of several members
        """
        if self.backend.read(self.words).min() == NONE:  # as nearly always
            return False
        words, members = self.backend.get(self.words), self.grid.ensemble
        self.backend.put(self.words, NONE)
        found = np.flatnonzero((words != NONE) & members.alive).tolist()
        for member in found:
            told = failure(self, member, words[member])
            when = f" ({where})" if where else ""
            error = OversetError(f"{told.cause}{when}", place=told.place, advice=told.remedy)
            facts: Any = {"place": told.place, "error": error, "about": about(words[member])}
            members.fail(member, told.cause, told.remedy, **facts)
        return bool(found)

    def report(self, member: int = 0, problem: str = "") -> OversetReport:
        """Report on the connectivity of a member at the present poses, with warnings.

        Parameters
        ----------
        problem : why the parts cannot be solved on as they stand, if that is known
        """
        return OversetReport.of(self, member, problem)
