"""O-meshes of quadrilaterals about a circular cylinder, for viscous flow."""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np

from kinemesh.errors import MeshError
from kinemesh.mesh.mesh import Mesh

LEAST = 200  # nodes
ASPECT = 3.0  # length over height of a wall cell, by default


def cylinder(
    nodes: int = 10_000,
    far_field: float = 50.0,
    wall_spacing: float | None = None,
    around: int | None = None,
) -> Mesh:
    """O-mesh about a circle of diameter 1 about the origin, of quadrilaterals.

    Steps of log r grow geometrically from the wall to the far field.

    Parameters
    ----------
    nodes : int             number of nodes; the mesh has as many within one ring
    far_field : float       radius of the outer boundary, a circle [diameters]
    wall_spacing : float    height of the wall cells; default a third of their length [diameters]
    around : int            nodes round the cylinder; default about the square root of `nodes`

    Returns
    -------
    Mesh    markers `cylinder` and `farfield`

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    around = 4 * round(sqrt(nodes) / 4) if around is None else around
    rings = round(nodes / around) if around > 0 else 0
    if nodes < LEAST or around < 16 or rings < 8 or not far_field > 2:
        raise MeshError(
            f"cylinder: nodes = {nodes}, around = {around}, far_field = {far_field}; expected at "
            f"least {LEAST} nodes, 16 around, 8 rings of them, and a far field beyond 2 diameters"
        )
    first = pi / around / ASPECT if wall_spacing is None else wall_spacing
    steps = _steps(log(1 + 2 * first) if first > 0 else 0.0, log(2 * far_field), rings - 1)
    radius = 0.5 * np.exp(np.concatenate([[0.0], np.cumsum(steps)]))
    radius[-1] = far_field
    angle = 2 * pi * np.arange(around) / around
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = (radius[:, None, None] * circle).reshape(-1, 2)
    at = np.arange(around * rings).reshape(rings, around)
    after = np.roll(at, -1, axis=1)
    cells = np.stack([at[:-1], at[1:], after[1:], after[:-1]], axis=-1).reshape(-1, 4)
    sides = {
        "cylinder": np.stack([after[0], at[0]], axis=1),
        "farfield": np.stack([at[-1], after[-1]], axis=1),
    }
    return Mesh.from_arrays(points, cells, sides).renumbered().numbered()


def _steps(first: float, length: float, count: int) -> np.ndarray:
    """(count,) steps from `first` on that grow geometrically and add up to `length`."""
    from scipy.optimize import brentq  # which no other mesh needs

    if not 0 < first * count < length:
        raise MeshError(
            f"cylinder: {count} layers from a wall spacing of {first / 2:.3g} do not grow to the "
            "far field; ask for fewer nodes, a smaller wall_spacing or more nodes around"
        )
    k = np.arange(count)
    growth = brentq(lambda g: first * (g**k).sum() - length, 1.0, 3.0)
    return first * growth**k
