"""Velocities of walls that slide in themselves, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import pair, real
from kinemesh.bodies.walls import Walls
from kinemesh.errors import SettingsError
from kinemesh.mesh.pieces import Piece, pieces
from kinemesh.overset.parts import Parts
from kinemesh.space.grid import Grid

Floats = NDArray[np.float64]
Sliding = dict[str, tuple[float, float] | float]
ALONG = 1e-6  # sine of an edge's angle to the velocity: mesh files keep as many digits or more
SHARP = 0.7  # cosine of the turn between two edges below which a wall has a corner


def checked(sliding: Any) -> Sliding:
    """Velocities (x, y), or speeds along closed walls, by marker, as numbers."""
    if sliding is None:
        return {}
    if not isinstance(sliding, Mapping):
        text = f"sliding is {sliding!r}, expected {{marker of a wall: (x, y)}} [U]"
        raise SettingsError(text, argument="sliding")
    expected = "a velocity (x, y) [U], or of a closed wall the speed along it"
    found: Sliding = {}
    for name, value in sliding.items():
        try:
            speed = float(real(value))
        except (TypeError, ValueError, OverflowError):
            found[name] = pair(value, f"sliding: {name!r}", expected)
        else:
            found[name] = speed
            if not np.isfinite(speed):
                raise SettingsError(f"sliding: {name!r} is {value!r}, expected {expected}")
    return found


def walls_of(grid: Grid, sliding: Any) -> Walls:
    """Walls of a case, of which some slide in themselves.

    Parameters
    ----------
    sliding : {marker: (x, y) or number}, or None    velocities [U] of walls that slide in
        themselves, as the mesh is given; they turn with their body.  A number is the speed along a
        closed wall, counter-clockwise.  A node where walls of several velocities meet rests, so
        that nothing flows through them

    Raises
    ------
    SettingsError    no such wall, no velocity, or one that is not along the wall
    """
    asked, node = checked(sliding), grid.wall.node
    if not asked:
        return Walls(grid, np.zeros((len(node), 2)), np.zeros(len(node)), slides=False)
    each = []
    for member, mesh in enumerate(grid.meshes):
        markers = [marker for m, marker in grid.bodies if m == member]
        each.append(along_walls(mesh, markers, asked))
    velocity, spin = (np.concatenate(own) for own in zip(*each, strict=True))
    return Walls(grid, velocity[node], spin[node], slides=True)


def along_walls(
    mesh: Any, markers: Sequence[str], sliding: Sliding
) -> tuple[Floats, NDArray[np.float64]]:
    """Velocities (nodes, 2) [U] that walls have beside those of their bodies, and rates of turn.

    The rates (nodes,), counter-clockwise, are those at which the velocity turns along the wall:
    speed times curvature.  A node where walls of several velocities meet rests.

    Parameters
    ----------
    mesh : of a member;  markers : of its walls, which may stand in a mesh of parts otherwise

    Raises
    ------
    SettingsError    no such wall, or a velocity that is not along it
    """
    there = mesh.walls if isinstance(mesh, Parts) else {n: mesh.boundaries[n] for n in markers}
    spin = np.zeros(mesh.nodes)
    low, high = (np.full((mesh.nodes, 2), way * np.inf) for way in (1, -1))
    asked = {_found(name, there): (name, own) for name, own in sliding.items()}
    for marker, edges in there.items():
        name, own = asked.get(marker, (marker, (0.0, 0.0)))
        node, velocity = edges.ravel(), np.zeros((edges.size, 2))
        if isinstance(own, tuple):
            _check_along(name, own, mesh.points[edges])
            velocity[:] = own
        else:
            every, rates = _round(mesh, name, edges, own)
            velocity[:], spin[node] = every[node], rates[node]
        np.minimum.at(low, node, velocity)
        np.maximum.at(high, node, velocity)
    alike = (low == high).all(axis=1)
    return np.where(alike[:, None], low, 0.0), np.where(alike, spin, 0.0)


def _found(name: str, there: Mapping[str, Any]) -> str:
    """The wall of that name; of a part's marker the part may be left out."""
    found = [m for m in there if m == name] or [m for m in there if m.partition(".")[2] == name]
    if len(found) != 1:
        why = "is in several parts" if found else "is no wall"
        raise SettingsError(f"sliding: {name!r} {why}, expected one of {', '.join(there)}")
    return found[0]


def _check_along(name: str, velocity: tuple[float, float], ends: Floats) -> None:
    """SettingsError for a velocity through a wall (edges, 2, 2)."""
    (x, y), along = velocity, ends[:, 1] - ends[:, 0]
    through = np.abs(along[:, 0] * y - along[:, 1] * x) / np.linalg.norm(along, axis=1)
    worst = int(through.argmax())
    if through[worst] > ALONG * np.hypot(x, y):
        (x0, y0), (x1, y1) = ends[worst]
        raise SettingsError(
            f"sliding: {name!r} is ({x:g}, {y:g}), which is {through[worst]:.3g} through its edge "
            f"from ({x0:.6g}, {y0:.6g}) to ({x1:.6g}, {y1:.6g}), expected a velocity along the "
            "wall; a closed wall slides by a number, its speed, or turns by a motion, "
            "kinemesh.motion.rotate"
        )


def _round(mesh: Any, name: str, edges: NDArray[Any], speed: float) -> tuple[Floats, Floats]:
    """Velocities (nodes, 2) and rates of turn (nodes,) of a closed wall that slides at a speed.

    Counter-clockwise about what it encloses; tangents and curvatures are those of the circle
    through a node and its neighbours.
    """
    velocity, spin = np.zeros((mesh.nodes, 2)), np.zeros(mesh.nodes)
    for piece in pieces(SimpleNamespace(boundaries={name: edges}, points=mesh.points), [name]):
        node, before, after = _neighbours(name, speed, piece)
        a, b = mesh.points[node] - mesh.points[before], mesh.points[after] - mesh.points[node]
        _check_smooth(name, speed, mesh.points[node], a, b)
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
