"""Which member each body of an ensemble is of: sums over a member's bodies, and its first body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Index = NDArray[np.intp] | slice


class Owners:
    """Members of bodies, which are in the order of their members.

    Parameters
    ----------
    bodies : list of (member, marker)
    members : int

    Attributes
    ----------
    of : (bodies,)    member of each
    single : bool     each member has one body
    several : bool    a member has more than one
    bare : (members,) bool    members without a body
    counted : (bodies,) bool  bodies that count in sums
    lead, first : what picks the members with bodies, and of each its first body
    """

    def __init__(self, bodies: Sequence[tuple[int, str]], members: int) -> None:
        self.of = np.array([member for member, _ in bodies], int)
        self.members = members
        self.single = np.array_equal(self.of, np.arange(members))
        counts = np.bincount(self.of, minlength=members)
        self.several, self.bare = bool((counts > 1).any()), counts == 0
        self.counted = np.ones(len(self.of), bool)
        self.lead: Index
        self.first: Index
        self.lead, self.first = np.unique(self.of, return_index=True)
        if self.single:
            self.lead = self.first = slice(None)

    def spread(self, of_members: NDArray[Any]) -> NDArray[Any]:
        """(bodies, ...) the entry (members, ...) of each body's member."""
        return of_members if self.single else of_members[self.of]

    def sums(self, of_bodies: FloatArray) -> FloatArray:
        """(members, ...) sums over the bodies that count of each member of (bodies, ...)."""
        if not self.counted.all():
            of_bodies = of_bodies * self.counted.reshape(-1, *[1] * (of_bodies.ndim - 1))
        if self.single:
            return of_bodies + 0.0  # as a sum from 0 has it: never -0
        total = np.empty((self.members, *of_bodies.shape[1:]))
        for which in np.ndindex(of_bodies.shape[1:]):
            column = of_bodies[:, *which]
            total[:, *which] = np.bincount(self.of, column, self.members)
        return total

    def largest(self, of_bodies: FloatArray) -> FloatArray:
        """(members,) largest of the numbers (bodies,) of a member's bodies, and 0."""
        found = np.zeros(self.members)
        np.maximum.at(found, self.of, of_bodies)
        return found

    def firsts(self, of_bodies: FloatArray) -> FloatArray:
        """(members,) number of each member's first body, of (bodies,); 0 without one."""
        if self.single:
            return of_bodies
        found = np.zeros(self.members)
        found[self.lead] = of_bodies[self.first]
        return found
