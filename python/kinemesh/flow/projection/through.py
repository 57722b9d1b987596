"""Incompressible flow through inlets and outlets (docs/theory.md, section 2.10)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.conditions.base import OUTER
from kinemesh.space.through import Passing, columns_of, ends_on, numbers_of


class Through:
    """Flow through the inlets and outlets of a case, as it is now.

    Parameters
    ----------
    case : solver, with its projection

    Attributes
    ----------
    columns : of histories; none without inlets and outlets
    """

    def __init__(self, case: Any) -> None:
        self.backend, self.grid, self.length = case.backend, case.grid, case.reference[1]
        self.columns = columns_of(case.conditions, of_gas=False)
        if not self.columns:
            return
        patch = case.grid.patches[OUTER]
        outer = {marker: OUTER for marker, own in case.conditions.items() if own.role == OUTER}
        self.ends = ends_on(case.grid, case.conditions, outer)
        self.found = self.backend.zeros((len(patch), 3), np.float64)
        own = {"node": patch.device["node"], "through": self.found}
        self.call = case.projection.fields.bind("inc_through", **own)

    def numbers(self) -> dict[str, NDArray[Any]]:
        """(members,) of each of `columns`."""
        if not self.columns:
            return {}
        self.call()
        mass, p, kinetic = self.backend.get(self.found).T
        passing = {OUTER: Passing(mass, p, p + kinetic, None)}
        ensemble = self.grid.ensemble
        with ensemble.quiet():
            found = numbers_of(self.ends, passing, self.grid.members, self.length)
        return {name: np.where(ensemble.alive, own, np.nan) for name, own in found.items()}
