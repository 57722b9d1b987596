"""Profile of a boundary layer: velocity along the wall over the distance from it, in wall units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, did_you_mean
from kinemesh.io.brief import Brief
from kinemesh.results.above_walls import STATIONS, line_above
from kinemesh.results.along_walls import KEPT

if TYPE_CHECKING:
    from kinemesh.results.flow_fields import Fields

FloatArray = NDArray[np.float64]
REACH = 0.25  # length of a line over the largest size of its body, at most


@dataclass(frozen=True, eq=False, repr=False)
class Layer(Brief):
    """Boundary layer along a line of nodes, or of cells, that leaves the wall along its normal.

    u_tau = sqrt(|tau_w| / rho_w), y+ = d u_tau rho_w / mu_w, u+ = u / u_tau

    Parameters
    ----------
    x, y : foot of the line on the wall [chord]
    cf : friction there [-]
    y_plus : (nodes,) distance from the wall; of cells those of the wall and of their centres
    u_plus : (nodes,) velocity along the wall relative to it, downstream positive
    eddy_viscosity : (nodes,) over the viscosity of the stream; None without a model of turbulence
    """

    x: float
    y: float
    cf: float
    y_plus: FloatArray
    u_plus: FloatArray
    eddy_viscosity: FloatArray | None
    source: Any = field(default=None, repr=False, compare=False)  # run and member, for titles


def layer(
    frame: Fields,
    mach: float,
    x: float,
    body: str | None = None,
    upper: bool = True,
    moves: bool = False,
) -> Layer:
    """The layer at the wall's node nearest to x, on the upper or the lower side of a body.

    Of fields of cells it begins at the middle of the wall's edge nearest to x, and u+ is that of
    the cells above it, at their centres.

    Parameters
    ----------
    mach : Mach number of the stream
    x : place along the wall [chord]
    body : marker; default the first
    upper : whether the gas is above the wall there, else below it
    moves : whether walls move, or slide

    Raises
    ------
    CaseError    fields without friction, or of cells with walls that move; no such body or side,
        friction of 0, no line of nodes
    """
    missing = [name for name in KEPT.values() if name not in frame]
    if missing:
        raise CaseError(f"layer: the fields have no {', '.join(missing)}, as of a viscous gas")
    if "Friction" in frame:  # a vector
        raise CaseError(
            "layer: the flow is in space, and profiles are of the plane alone; take Velocity of "
            "run.fields() at the nodes above a place of the wall"
        )
    if frame.on == "cells" and moves:
        raise CaseError(
            "layer: the wall moves, and fields of cells have no velocity on it; take method 'ale', "
            "or Velocity of run.fields() in the cells above a place of the wall"
        )
    name = next(iter(frame.bodies)) if body is None else body
    if name not in frame.bodies:
        near = did_you_mean(name, frame.bodies)
        raise CaseError(f"layer: no body {name!r}; there are {', '.join(frame.bodies)}{near}")
    stations = STATIONS[frame.on](frame, frame.walls[frame.bodies[name]])
    side = stations.normal[:, 1] > 0 if upper else stations.normal[:, 1] < 0
    if not side.any():
        raise CaseError(f"layer: {name} has no {'upper' if upper else 'lower'} side")
    row = np.flatnonzero(side)[np.abs(stations.foot[side, 0] - x).argmin()]
    foot, way, first = stations.foot[row], stations.normal[row], int(stations.first[row])
    reach = REACH * float(np.ptp(stations.foot, axis=0).max())
    line = line_above(stations, first, foot, way, reach)
    cf, unit = float(frame["Cf"][first]), float(frame["YPlus"][first])
    if len(line) < stations.fewest or not cf or not unit:
        raise CaseError(
            f"layer: no profile at x = {foot[0]:.6g} of {name}, where cf is {cf:.3g} and "
            f"{len(line)} {stations.word} stand over one another; choose another place"
        )
    distance = (stations.places[line] - foot) @ way
    shear = mach * np.sqrt(abs(cf) / 2 / frame["Density"][first])
    downstream = np.array([way[1], -way[0]]) * (1.0 if way[1] > 0 else -1.0)
    velocity = (frame["Velocity"][line] - stations.speed(first))[:, :2] @ downstream
    eddies = frame["EddyViscosity"][line] if "EddyViscosity" in frame else None
    y_plus, u_plus = unit * distance / stations.height(distance), velocity / shear
    if stations.off:  # the wall itself is none of the places
        y_plus, u_plus = np.append(0.0, y_plus), np.append(0.0, u_plus)
        eddies = None if eddies is None else np.append(0.0, eddies)
    return Layer(float(foot[0]), float(foot[1]), cf, y_plus, u_plus, eddies)
