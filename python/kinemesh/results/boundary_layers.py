"""Profile of a boundary layer: velocity along the wall over the distance from it, in wall units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.errors import CaseError, did_you_mean
from kinemesh.io.brief import Brief
from kinemesh.results.along_walls import KEPT, along

if TYPE_CHECKING:
    from kinemesh.results.flow_fields import Fields

FloatArray = NDArray[np.float64]
STRAIGHT = 0.7  # cosine of the turn of a line of nodes between two steps, at least
REACH = 0.25  # length of a line over the largest size of its body, at most


@dataclass(frozen=True, eq=False, repr=False)
class Layer(Brief):
    """Boundary layer along a line of nodes that leaves the wall along its normal.

    u_tau = sqrt(|tau_w| / rho_w), y+ = d u_tau rho_w / mu_w, u+ = u / u_tau

    Parameters
    ----------
    x, y : foot of the line on the wall [chord]
    cf : friction there [-]
    y_plus : (nodes,) distance from the wall
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
    frame: Fields, mach: float, x: float, body: str | None = None, upper: bool = True
) -> Layer:
    """The layer at the wall's node nearest to x, on the upper or the lower side of a body.

    Parameters
    ----------
    mach : Mach number of the stream
    x : place along the wall [chord]
    body : marker; default the first
    upper : whether the gas is above the wall there, else below it

    Raises
    ------
    CaseError    fields without friction, or of cells; no such body or side, friction of 0, no line
        of nodes
    """
    missing = [name for name in KEPT.values() if name not in frame]
    if missing:
        raise CaseError(f"layer: the fields have no {', '.join(missing)}, as of a viscous gas")
    if frame.on == "cells":
        raise CaseError(
            "layer: the fields are of cells, which have no values on walls; take method 'ale', or "
            "Velocity of run.fields() in the cells above a place of the wall"
        )
    if "Friction" in frame:  # a vector
        raise CaseError(
            "layer: the flow is in space, and profiles are of the plane alone; take Velocity of "
            "run.fields() at the nodes above a place of the wall"
        )
    name = next(iter(frame.bodies)) if body is None else body
    if name not in frame.bodies:
        near = did_you_mean(name, frame.bodies)
        raise CaseError(f"layer: no body {name!r}; there are {', '.join(frame.bodies)}{near}")
    walls = frame.walls[frame.bodies[name]]
    nodes, normal = _normals(walls, frame.points)
    side = normal[:, 1] > 0 if upper else normal[:, 1] < 0
    if not side.any():
        raise CaseError(f"layer: {name} has no {'upper' if upper else 'lower'} side")
    row = np.flatnonzero(side)[np.abs(frame.points[nodes[side], 0] - x).argmin()]
    foot, way = int(nodes[row]), normal[row]
    line = _line(frame, foot, way, REACH * float(np.ptp(frame.points[nodes], axis=0).max()))
    cf, unit = float(frame["Cf"][foot]), float(frame["YPlus"][foot])
    if len(line) < 3 or not cf or not unit:
        raise CaseError(
            f"layer: no profile at x = {frame.points[foot, 0]:.6g} of {name}, where cf is {cf:.3g} "
            f"and {len(line)} nodes stand over one another; choose another place"
        )
    distance = (frame.points[line] - frame.points[foot]) @ way
    shear = mach * np.sqrt(abs(cf) / 2 / frame["Density"][foot])
    downstream = np.array([way[1], -way[0]]) * (1.0 if way[1] > 0 else -1.0)
    velocity = (frame["Velocity"][line] - frame["Velocity"][foot])[:, :2] @ downstream
    eddies = frame["EddyViscosity"][line] if "EddyViscosity" in frame else None
    x, y = frame.points[foot].tolist()
    return Layer(x, y, cf, unit * distance / distance[1], velocity / shear, eddies)


def _normals(walls: NDArray[Any], points: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Nodes of a wall, and their normals (nodes, 2) into the gas."""
    nodes = along(walls, points)
    place = np.zeros(len(points), np.int64)
    place[nodes] = np.arange(len(nodes))
    way = points[walls[:, 1]] - points[walls[:, 0]]
    normal = np.zeros((len(nodes), 2))
    for end in walls.T:
        np.add.at(normal, place[end], np.stack([-way[:, 1], way[:, 0]], axis=1))
    return nodes, normal / np.maximum(np.hypot(*normal.T), 1e-300)[:, None]


def _line(frame: Fields, foot: int, normal: FloatArray, reach: float) -> list[int]:
    """Nodes from a wall's along its normal, each the neighbour that lies straightest ahead."""
    x, wall = frame.points, np.unique(frame.walls)
    ring = np.where(frame.cells < 0, frame.cells[:, :1], frame.cells)
    pairs = np.stack([ring, np.roll(ring, -1, axis=1)], axis=-1).reshape(-1, 2)
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    order, offsets = ordered(pairs[:, 0], len(x))
    found, ahead = [foot], normal
    while True:
        near = pairs[order[slice(*offsets[found[-1] : found[-1] + 2])], 1]
        near = near[(near != found[-1]) & ~np.isin(near, wall)]
        way = x[near] - x[found[-1]]
        way /= np.maximum(np.hypot(*way.T), 1e-300)[:, None]
        best = int(np.argmax(way @ ahead)) if len(near) else -1
        if best < 0 or way[best] @ ahead < STRAIGHT or (x[near[best]] - x[foot]) @ normal > reach:
            return found
        found.append(int(near[best]))
        ahead = way[best]
