"""Drag of wings by their wake, and bending of their root, at the end of a steady run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.gas import critical_pressure_coefficient
from kinemesh.io.columns import WAKE
from kinemesh.results.wake import lift_of
from kinemesh.sentences import Sentence
from kinemesh.space.skins import skins_of

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving

APART = 0.2  # of the induced drag, as much as drag by pressures may differ from it
COUNTS = 5e-4  # of cd, from which a difference is told
FEW = 0.02  # of the pressures on walls: supersonic flow at a tip's cap, without a shock


def at_end(
    solver: Moving, result: dict[str, Any]
) -> tuple[dict[str, NDArray[np.float64]], list[str]]:
    """Induced drag and bending of the root of a steady flow in space, (members,) each, for the
    result, and warnings.

    A member whose walls shed no wake has nan; where all have, there are no such numbers.
    """
    members = range(solver.grid.members)
    found, told = np.full((2, len(members)), np.nan), []
    area, length = solver.reference
    skins = {m: skin for m, (skin, _) in skins_of(solver.grid).items()}
    if not skins:
        return {}, []
    x = solver.backend.get(solver.grid.x).astype(float)
    pressures = solver.wall_pressures({m: skin.rows for m, skin in skins.items()})
    for m, cp in pressures.items():
        skin, alpha = skins[m], float(solver.alpha_deg[m])
        lift = lift_of(x[skin.nodes], skin.triangles, cp, solver.grid.on, alpha)
        if lift is None or not _all_counted(solver, m):
            continue
        found[:, m] = lift.drag / area, lift.bending / (area * length)
        inviscid = "mach" in solver.streams and "cd_friction" not in result
        if inviscid and result["converged"][m] and _subsonic(cp, float(solver.speed[m])):
            told += _compared(m, float(result["cd"][m]), float(found[0, m]))
    names = () if np.isnan(found).all() else WAKE
    return dict(zip(names, found, strict=False)), told


def _subsonic(cp: NDArray[np.float64], mach: float) -> bool:
    """Return True where at most `FEW` of the pressures on walls are of supersonic flow."""
    return bool(np.mean(cp <= critical_pressure_coefficient(mach)) <= FEW)


def _all_counted(solver: Moving, member: int) -> bool:
    """Return True where the loads of a member are those of all its walls."""
    owners = solver.grid.owners
    return bool(owners.counted[owners.of == member].all())


def _compared(member: int, cd: float, wake: float) -> list[str]:
    """Sentence on a drag by pressures that is not the induced drag; nothing where it is."""
    apart = abs(cd - wake)
    if apart <= max(APART * wake, COUNTS):
        return []
    return [
        Sentence(
            f"cd is {cd:.4f} by pressures and {wake:.4f} by the wake (cd_induced), expected the "
            f"same within {100 * APART:g} % in a gas without friction and shocks: {apart:.4f} of "
            "it is an error of the mesh; ",
            "take more nodes on the walls, where they are curved most",
            member=member,
            about="cd_induced",
        )
    ]
