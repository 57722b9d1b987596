"""Motion pre-flight: a cycle of the motion on the mesh alone, before any flow is computed.

A motion that inverts a cell is found in seconds, not after hours of flow.  The mesh is put back
where it was given, so the run itself has the same bits with a pre-flight or without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh import interrupt
from kinemesh.deform import Rigid
from kinemesh.deform.base import Poses
from kinemesh.errors import NumericalFault

if TYPE_CHECKING:
    from kinemesh.solver import Solver

REMEDIES = {
    "springs": "Delaunay mapping, more steps per cycle, or rigid motion",
    "delaunay": "springs, rigid motion, or a smaller motion",
}


def fly(
    ale: Solver,
    dt: NDArray[np.float64],
    steps: int,
    cycle: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    each: Callable[[], Any] = lambda: None,
) -> dict[str, Any]:
    """Move the mesh through `steps` steps of the motion, and put it back.

    Parameters
    ----------
    dt : (members,)    time steps [chord/a_inf]
    cycle : callable   time (members,) -> cycles done, for the phases in the report
    each : called after each step

    Returns
    -------
    dict    steps, least_area [chord^2] and its phase, least_angle_deg and its phase; numbers of
        one member, lists of several.  Empty for rigid motion, which leaves every cell its shape.

    Raises
    ------
    NumericalFault    a cell inverts, or the deformation fails: what, where and at which phase
    """
    if isinstance(ale.deform, Rigid):  # no cell changes its shape: nothing to find
        return {}
    members = ale.grid.members
    least = np.full((members, 2), np.inf)
    phase = np.zeros((members, 2))
    number = 0
    try:
        ale.place(ale.poses(np.zeros(members)))
        mover = ale.deform.attach(ale.grid)
        for number in range(steps + 1):
            before = (number - 1) * dt
            if number:
                mover.step(_poses(ale, before, dt))
            ale.check_faults("moving the mesh")
            found = _measured(ale)
            at = 360 * (cycle(number * dt) % 1)
            phase = np.where(found < least, at[:, None], phase)
            least = np.minimum(found, least)
            each()
            interrupt.check()
    except NumericalFault as fault:
        degrees = ", ".join(f"{p:.0f}" for p in np.unique(360 * (cycle(number * dt) % 1)))
        raise NumericalFault(
            f"pre-flight of the motion, step {number} of {steps} (phase {degrees} degrees): "
            f"{fault}; no flow was computed"
        ) from fault
    finally:
        ale.rewind()
    return _report(steps, least, phase)


def _poses(ale: Solver, before: NDArray[np.float64], dt: NDArray[np.float64]) -> Poses:
    """Poses at a share of the step from `before`."""
    return lambda share: ale.poses(before + share * dt)


def _measured(ale: Solver) -> NDArray[np.float64]:
    """(members, 2) least area and angle of the cells; NumericalFault where one is inverted."""
    ale.grid.look()
    found = ale.grid.worst_cells()
    for member in np.flatnonzero(~(found[:, 0] > 0))[:1]:
        remedy = REMEDIES.get(ale.deform.name, "another deformation or smaller steps")
        raise NumericalFault(
            f"member {member}: {ale.grid.inverted(int(member))} is inverted; try {remedy}"
        )
    return found


def _report(steps: int, least: NDArray[Any], phase: NDArray[Any]) -> dict[str, Any]:
    columns = {
        "least_area": least[:, 0],
        "least_area_phase_deg": phase[:, 0],
        "least_angle_deg": np.degrees(least[:, 1]),
        "least_angle_phase_deg": phase[:, 1],
    }
    one = len(least) == 1
    return {"steps": steps} | {k: v.tolist()[0] if one else v.tolist() for k, v in columns.items()}
