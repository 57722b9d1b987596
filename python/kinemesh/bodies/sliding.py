"""Velocities of walls that slide in themselves: checked, and those of each node."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.mesh.facets import area_vectors, lengths
from kinemesh.mesh.pieces import Piece, pieces

Floats = NDArray[np.float64]
Sliding = dict[str, tuple[float, ...] | float]
ALONG = 1e-6  # sine of a facet's angle to the velocity: mesh files keep as many digits or more
SHARP = 0.7  # cosine of the turn between two edges below which a wall has a corner


def velocities(
    points: Floats,
    walls: Mapping[str, NDArray[Any]],
    asked: Mapping[str, tuple[str, tuple[float, ...] | float]],
) -> tuple[Floats, Floats]:
    """Velocities (nodes, d) [U] that walls have beside those of their bodies, and rates of turn.

    The rates (nodes,), counter-clockwise, are those at which the velocity turns along the wall:
    speed times curvature.  A node where walls of several velocities meet rests.

    Parameters
    ----------
    walls : by marker their facets, edges or faces
    asked : of those that slide, the name that a user has for them, and a velocity along flat
        facets, or in the plane the speed along a closed wall

    Raises
    ------
    SettingsError    a velocity that is not along its wall
    """
    nodes, dimensions = points.shape
    spin = np.zeros(nodes)
    low, high = (np.full((nodes, dimensions), way * np.inf) for way in (1, -1))
    for marker, facets in walls.items():
        name, own = asked.get(marker, (marker, (0.0,) * dimensions))
        node = facets[facets >= 0]
        velocity = np.zeros((len(node), dimensions))
        if isinstance(own, tuple):
            check_along(name, own, points, facets)
            velocity[:] = own
        else:
            every, rates = _round(points, name, facets, own)
            velocity[:], spin[node] = every[node], rates[node]
        np.minimum.at(low, node, velocity)
        np.maximum.at(high, node, velocity)
    alike = (low == high).all(axis=1)
    return np.where(alike[:, None], low, 0.0), np.where(alike, spin, 0.0)


def check_along(
    name: str, velocity: tuple[float, ...], points: Floats, facets: NDArray[Any]
) -> None:
    """SettingsError for a velocity through a wall, of edges or of faces."""
    area = area_vectors(points, facets)
    through = np.abs((area * velocity).sum(axis=1)) / lengths(area)
    worst = int(through.argmax())
    if through[worst] > ALONG * lengths(np.array(velocity)):
        corners = facets[worst][facets[worst] >= 0]
        told = " to ".join(_told(points[node]) for node in corners)
        raise SettingsError(
            f"sliding: {name!r} is {_told(velocity)}, which is {through[worst]:.3g} through its "
            f"{'edge' if len(corners) == 2 else 'face'} from {told}, expected a velocity along the "
            "wall; a closed wall slides by a number, its speed, or turns by a motion, "
            "kinemesh.motion.rotate"
        )


def _told(place: Any) -> str:
    """A vector in words."""
    return f"({', '.join(f'{value:.6g}' for value in place)})"


def _round(points: Floats, name: str, edges: NDArray[Any], speed: float) -> tuple[Floats, Floats]:
    """Velocities (nodes, 2) and rates of turn (nodes,) of a closed wall that slides at a speed.

    Counter-clockwise about what it encloses; tangents and curvatures are those of the circle
    through a node and its neighbours.
    """
    velocity, spin = np.zeros(points.shape), np.zeros(len(points))
    for piece in pieces(SimpleNamespace(boundaries={name: edges}, points=points), [name]):
        node, before, after = _neighbours(name, speed, piece)
        a, b = points[node] - points[before], points[after] - points[node]
        _check_smooth(name, speed, points[node], a, b)
        inner, outer = (np.sum(v * v, axis=1)[:, None] for v in (a, b))
        tangent = a / inner + b / outer
        velocity[node] = speed * tangent / np.linalg.norm(tangent, axis=1)[:, None]
        cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        sides = np.sqrt(inner * outer)[:, 0] * np.linalg.norm(a + b, axis=1)
        spin[node] = speed * 2 * cross / sides
    return velocity, spin


def _neighbours(
    name: str, speed: float, piece: Piece
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Nodes of a closed piece, and those before and after each, counter-clockwise."""
    head, tail = np.sort(piece.facets[:, 0]), np.sort(piece.facets[:, 1])
    once = len(np.unique(head)) == len(head) and np.array_equal(head, tail)
    if not (piece.closed and once and piece.content):
        raise SettingsError(
            f"sliding: {name!r} is {speed!r}, expected a velocity (x, y) [U], as the wall does not "
            f"close round a body or the fluid ({piece.told()}); a number is the speed along a "
            "closed wall"
        )
    way = 1 if piece.content > 0 else -1
    first, second = piece.facets[:, ::way].T
    into = np.argsort(second)
    out = np.argsort(first)
    return first[out], first[into], second[out]


def _check_smooth(name: str, speed: float, points: Floats, a: Floats, b: Floats) -> None:
    """SettingsError for a wall with a corner: edges a before and b after each point."""
    cosine = np.sum(a * b, axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    worst = int(cosine.argmin())
    if cosine[worst] < SHARP:
        x, y = points[worst]
        raise SettingsError(
            f"sliding: {name!r} is {speed!r}, and the wall turns by "
            f"{np.degrees(np.arccos(max(cosine[worst], -1.0))):.3g} degrees at ({x:.6g}, {y:.6g}), "
            "expected a smooth wall, along which a speed has a direction; a body with corners "
            "turns by a motion, kinemesh.motion.rotate"
        )
