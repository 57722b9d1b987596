"""Grids of a case that may overlap, where none does: each member has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.errors import SettingsError

if TYPE_CHECKING:
    from kinemesh.overset.connectivity import Connectivity
    from kinemesh.overset.report import OversetReport


def _nothing() -> None: ...


class Alone:
    """Grids of which each member has one: nothing overlaps, and nothing is done.

    Attributes
    ----------
    connectivity : Connectivity by which rows of nodes are given by others; None here
    """

    connectivity: Connectivity | None = None

    def begin(self) -> None:
        """Forget where the parts were."""

    @property
    def update(self) -> Callable[[], Any]:
        """Callable that brings the connectivity up to date."""
        return _nothing

    def place(self, placement: Placement, renew: Callable[[], Any], where: str = "") -> None:
        """Parts are where a placement has their bodies; those without a body are as given.

        Parameters
        ----------
        renew : updates the connectivity, and what follows from it
        where : when this is, for errors
        """

    def look(self, when: str) -> None:
        """Warn of connectivity that is bad for the result."""

    def flown(self, placement: Placement, when: str) -> dict[str, NDArray[np.float64]]:
        """(members,) of each number by which a pre-flight judges parts in a placement."""
        return {}

    def strides(self, asked: Callable[[int, float], str]) -> list[str]:
        """Sentence for each member in which parts moved too far in a step (`Driven.strides`)."""
        return []

    def fields(self) -> dict[str, NDArray[Any]]:
        """(nodes,) of each field for field files."""
        return {}

    def report(self, case: Any, time: Any, member: Any) -> OversetReport:
        """Report on a member's parts at a time of their motions (`Moving.connectivity`)."""
        raise SettingsError(
            "connectivity: the case has one mesh, expected overset parts, such as "
            'km.Incompressible({"wing": wing, "back": back}, ...)'
        )
