"""Loads and poses of a physical step by the names of bodies, made when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placed import Placed
from kinemesh.bodies.placement import Placement

if TYPE_CHECKING:
    from kinemesh.flow.forces import Loads
    from kinemesh.flow.moving import Moving

Number = Any
"""A float of a case with one member; of several an array (members,)."""


@dataclass(frozen=True, slots=True)
class BodyLoads:
    """Loads of a body in a step, as numbers, or of several members as arrays (members,).

    Parameters
    ----------
    cl, cd : lift and drag, along the axes of the stream [-]
    cm : moment, nose-up, about the body's own point: the pivot of its motion, or that of
        `motion.given`; of a body without a motion `moment_about` [-]
    power : that the flow feeds into its motion (docs/theory.md, eq. 2.17) [-]
    modes : generalised force of each shape of a body that bends, (shapes,), of several members
        (shapes, members); empty of a rigid body [-]
    """

    cl: Number
    cd: Number
    cm: Number
    power: Number
    modes: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


class ByBody:
    """Numbers of all bodies at the end of a step; 400 poses take longer to make than to place.

    Nothing of the run is held that goes on, so a step tells its own numbers for good.

    Parameters
    ----------
    solver : whose bodies they are
    placed : bodies that a user has placed
    placement, loads : of the step
    """

    def __init__(self, solver: Moving, placed: Placed, placement: Placement, loads: Loads) -> None:
        self._bodies, self._members = solver.grid.bodies, solver.grid.members
        self._alive = solver.grid.ensemble.alive.copy()
        self._shapes = solver.bodies.shapes
        self._loads, self._poses, self._as_given = loads, placement.poses, placed.as_given()

    def _number(self, values: NDArray[Any]) -> Number:
        return number(values, self._members == 1)

    def poses(self) -> dict[str, Any]:
        """{body: Pose}, of several members {body: [Pose or None, ...]}."""
        places: dict[str, Any] = {}
        for k, (member, marker) in enumerate(self._bodies):
            own = places.setdefault(marker, [None] * self._members)
            own[member] = self._as_given(k, self._poses[k])
        return {name: own[0] if self._members == 1 else own for name, own in places.items()}

    def loads(self) -> dict[str, BodyLoads]:
        """{body: BodyLoads}; nan of members that have failed."""
        loads = self._loads
        each = np.column_stack([loads.coefficients[:, :2], loads.moment, loads.power])
        found: dict[str, NDArray[Any]] = {}
        for k, (member, marker) in enumerate(self._bodies):
            own = found.setdefault(marker, np.full((4, self._members), np.nan))
            own[:, member] = each[k] if self._alive[member] else np.nan
        told = {}
        for name, values in found.items():
            cl, cd, cm, power = map(self._number, values)
            told[name] = BodyLoads(cl, cd, cm, power, self._forces(name))
        return told

    def _forces(self, marker: str) -> NDArray[np.float64]:
        """Generalised forces of a body, by shape."""
        modes = self._loads.modes
        if modes is None:
            return np.empty(0)
        of = [k for k, (_, name) in enumerate(self._bodies) if name == marker]
        count = max(len(self._shapes[k]) for k in of)
        found = np.full((count, self._members), np.nan)
        for k in of:
            member, own = self._bodies[k][0], len(self._shapes[k])
            if self._alive[member]:
                found[:own, member] = modes[k, :own]
        return found[:, 0] if self._members == 1 else found


def number(values: NDArray[Any], one: bool) -> Number:
    """Value of one member as a number; of several a copy of the array."""
    values = np.asarray(values)
    return values[0].item() if one else values.copy()
