"""O-meshes of quadrilaterals about a circular cylinder, for viscous flow."""

from __future__ import annotations

from math import log, log1p, pi, sqrt

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError
from kinemesh.mesh.generate.rays import Complexes, outer_of
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.origin import UNKNOWN, Origin

LEAST = 200  # nodes
ASPECT = 3.0  # length over height of a wall cell, by default


@checks_names
def cylinder(
    nodes: int = 10_000,
    far_field: float = 50.0,
    wall_spacing: float | None = None,
    around: int | None = None,
    outer: str = "farfield",
) -> Mesh:
    """O-mesh about a circle of diameter 1 about the origin, of quadrilaterals.

    Steps of log r grow geometrically from the wall to the far field.

    Parameters
    ----------
    nodes : int             number of nodes; the mesh has as many within one ring
    far_field : float       radius of the outer boundary, a circle; above 2, with
                            outer = "overset" at least 1 [diameters]
    wall_spacing : float    height of the wall cells; default a third of their length [diameters]
    around : int            nodes round the cylinder; default about the square root of `nodes`,
                            with outer = "overset" as many as make the outermost cells near square
    outer : farfield | overset    marker of the outer boundary; overset: other meshes go on beyond

    Returns
    -------
    Mesh    markers `cylinder` and `farfield` or `overset`

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    near = outer_of("cylinder", outer) == "overset"
    far = far_field >= 1 if near else far_field > 2
    if around is None:
        wide = near and far and nodes >= LEAST
        around = 4 * round((_around(nodes, far_field, wall_spacing) if wide else sqrt(nodes)) / 4)
    rings = round(nodes / around) if around > 0 else 0
    if nodes < LEAST or around < 16 or rings < 8 or not far:
        raise MeshError(
            f"cylinder: nodes = {nodes}, around = {around}, far_field = {far_field}; expected at "
            f"least {LEAST} nodes, 16 around, 8 rings of them, and a far field beyond 2 diameters, "
            "with outer = 'overset' of at least 1"
        )
    first = _first(around) if wall_spacing is None else wall_spacing
    steps = _steps(log(1 + 2 * first) if first > 0 else 0.0, log(2 * far_field), rings - 1)
    radius = 0.5 * np.exp(np.concatenate([[0.0], np.cumsum(steps)]))
    radius[-1] = far_field
    angle = 2 * pi * np.arange(around) / around
    return ringed(radius[:, None] * np.exp(1j * angle), "cylinder", outer).renumbered().numbered()


def ringed(place: Complexes, wall: str, outer: str, origin: Origin = UNKNOWN) -> Mesh:
    """Mesh of quadrilaterals between rings (rings, around) of complex points, the wall first."""
    rings, around = place.shape
    points = np.stack([place.real, place.imag], axis=-1).reshape(-1, 2)
    at = np.arange(around * rings).reshape(rings, around)
    after = np.roll(at, -1, axis=1)
    cells = np.stack([at[:-1], at[1:], after[1:], after[:-1]], axis=-1).reshape(-1, 4)
    sides = {
        wall: np.stack([after[0], at[0]], axis=1),
        outer: np.stack([at[-1], after[-1]], axis=1),
    }
    return Mesh.from_arrays(points, cells, sides, origin=origin)


def _first(around: float) -> float:
    """Height of the wall cells by default [diameters]."""
    return pi / around / ASPECT


def _around(nodes: int, far_field: float, wall_spacing: float | None) -> float:
    """Number of nodes round the cylinder: steps of log r grow to the spacing of the rays.

    n steps that grow geometrically from a to b add up to about n (b - a) / log(b / a).
    """
    from scipy.optimize import brentq

    def missing(around: float) -> float:
        wall = log1p(2 * (_first(around) if wall_spacing is None else wall_spacing))
        growth = 2 * pi / around / wall
        mean = wall * (growth - 1) / log(growth) if growth > 1 else wall
        return around * (log(2 * far_field) / mean + 1) - nodes

    return float(brentq(missing, 1.0, nodes, rtol=1e-9))


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
