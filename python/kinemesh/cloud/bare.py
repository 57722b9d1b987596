"""Clouds from bare points: boundaries as lists of points, satellites chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.cloud import checks
from kinemesh.cloud.selection import choose
from kinemesh.cloud.sides import in_fluid
from kinemesh.cloud.visibility import Walls
from kinemesh.errors import CloudError
from kinemesh.mesh.facets import area_vectors
from kinemesh.mesh.geometry.curves import area, inside

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def connected(
    points: Floats,
    boundaries: Mapping[str, ArrayLike],
    normals: Mapping[str, ArrayLike] | None,
    worst: float,
) -> tuple[Ints, dict[str, Ints]]:
    """Pairs of satellites (k, 2) and facets by name, for `Cloud.from_points`."""
    if not isinstance(boundaries, Mapping):
        raise CloudError(f"boundaries is {boundaries!r}, expected points by name: {{'wall': ...}}")
    known = _known(boundaries, normals)
    checks.apart(points)
    facets = {
        name: _facets(points, name, given, known.get(name)) for name, given in boundaries.items()
    }
    facets = checks.facets(points, facets)
    checks.closed(points, facets)
    in_fluid(points, facets)
    every = list(facets.values()) or [np.empty((0, points.shape[1]), np.int32)]
    return choose(points, Walls(points, np.concatenate(every)), worst), facets


def _known(boundaries: Mapping, normals: Mapping | None) -> dict[str, ArrayLike]:
    """Normals by name, of boundaries that exist."""
    if normals is None:
        return {}
    if not isinstance(normals, Mapping):
        raise CloudError(f"normals is {normals!r}, expected arrays by name: {{'wall': ...}}")
    for name in normals:
        if name not in boundaries:
            raise CloudError(f"normals of '{name}', expected names of boundaries: {[*boundaries]}")
    return dict(normals)


def _facets(points: Floats, name: str, given: ArrayLike, normal: ArrayLike | None) -> Ints:
    """Facets of one boundary, turned to have the fluid on their left or behind them."""
    n, d = points.shape
    listed = checks.array(given, f"boundary '{name}'")
    if listed.ndim == 1 and d == 2:
        at = checks.indices(listed, (None,), n, f"boundary '{name}'")
        if len(at) < 3 or len(np.unique(at)) < len(at):
            raise CloudError(
                f"boundary '{name}' lists {len(at)} points, {len(np.unique(at))} different ones, "
                "expected at least 3, each once, in their order along a closed curve"
            )
        facet = np.stack([at, np.roll(at, -1)], axis=1)
        if normal is None:
            return _turned_by_points(points, name, at, facet)
    else:
        facet = checks.indices(listed, (None, d), n, f"boundary '{name}'")
        at = np.unique(facet)
    if normal is None:
        return facet
    return _turned_by_normals(points, name, at, facet, _unit(points, name, at, normal))


def _unit(points: Floats, name: str, at: Ints, normal: ArrayLike) -> Floats:
    """The normals of a boundary's points, checked."""
    given = checks.array(normal, f"normals of '{name}'")
    wanted = (len(at), points.shape[1])
    if given.shape != wanted:
        raise CloudError(f"normals of '{name}' has shape {given.shape}, expected {wanted}")
    size = np.linalg.norm(given, axis=1)
    wrong = np.flatnonzero(~(np.abs(size - 1.0) < 1e-6))
    if len(wrong):
        raise CloudError(
            f"normals of '{name}': that of point {at[wrong[0]]} has length {size[wrong[0]]:g}, "
            "expected unit vectors into the fluid"
        )
    return given.astype(np.float64)


def _turned_by_normals(points: Floats, name: str, at: Ints, facet: Ints, normal: Floats) -> Ints:
    """Facets turned one by one so that their area vectors oppose the normals at their points."""
    place = np.zeros(len(points), np.int64)
    place[at] = np.arange(len(at))
    out = area_vectors(points, facet)
    side = np.einsum("kd,kd->k", out, normal[place[facet]].sum(axis=1))
    return TURNED[points.shape[1]](name, facet, side > 0)


def _turned_curve(name: str, edges: Ints, wrong: NDArray[np.bool_]) -> Ints:
    """Edges of a curve, which turn together."""
    share = wrong.mean()
    if 0.1 < share < 0.9:
        raise CloudError(
            f"boundary '{name}': normals point to the right of {share:.0%} of its edges, "
            "expected all to one side, into the fluid; list the points in their order along "
            "the curve"
        )
    return edges[:, ::-1] if share > 0.5 else edges


TURNED: dict[int, Callable[[str, Ints, NDArray[np.bool_]], Ints]] = {
    2: _turned_curve,
    3: lambda name, facet, wrong: np.where(wrong[:, None], facet[:, ::-1], facet),
}


def _turned_by_points(points: Floats, name: str, at: Ints, facet: Ints) -> Ints:
    """Edges of a closed curve turned to have the side with the other points on their left."""
    others = np.ones(len(points), bool)
    others[at] = False
    if not others.any():
        raise CloudError(
            f"boundary '{name}' has every point of the cloud, expected others in the fluid, which "
            "tell its side; add points there, or give its normals"
        )
    within = inside(points[others], points[at])
    counter_clockwise = area(points[at]) > 0
    return facet if (within.mean() > 0.5) == counter_clockwise else facet[:, ::-1]
