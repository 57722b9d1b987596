"""Velocities of walls that slide in themselves, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import real, vector
from kinemesh.bodies.sliding import Sliding, velocities
from kinemesh.bodies.walls import Walls
from kinemesh.dimension import Dimension
from kinemesh.errors import SettingsError
from kinemesh.overset.parts import Parts
from kinemesh.space.cells import Cells
from kinemesh.space.grid import Grid
from kinemesh.space.patches import Patch
from kinemesh.space.walls import facets_of

Floats = NDArray[np.float64]
BY_SPEED = (2,)
"""Dimensions in which walls slide by a speed along them."""


def checked(sliding: Any) -> Sliding:
    """Velocities (x, y), in space (x, y, z), or speeds along closed walls, by marker."""
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
            found[name] = vector(value, f"sliding: {name!r}", expected, (2, 3))
        else:
            found[name] = speed
            if not np.isfinite(speed):
                raise SettingsError(f"sliding: {name!r} is {value!r}, expected {expected}")
    return found


def walls_of(grid: Grid, sliding: Any) -> Walls:
    """Walls of a case, of which some slide in themselves.

    Parameters
    ----------
    sliding : {marker: (x, y) or number}, or None    velocities [U], in space (x, y, z), of walls
        that slide in themselves, as the mesh is given; they turn with their body.  A number is the
        speed along a closed wall of the plane, counter-clockwise.  A node where walls of several
        velocities meet rests, so that nothing flows through them

    Raises
    ------
    SettingsError    no such wall, no velocity, or one that is not along the wall
    """
    asked, node = checked(sliding), grid.wall.node
    still = np.zeros((len(node), *grid.dimension.spin))
    if not asked:
        return Walls(grid, np.zeros((len(node), grid.dimensions)), still, slides=False)
    each = []
    for member, mesh in enumerate(grid.meshes):
        each.append(_along_walls(mesh, facets_of(grid, member), asked))
    velocity, spin = (np.concatenate(own) for own in zip(*each, strict=True))
    turning = still + spin[node].reshape(-1, *[1] * len(grid.dimension.spin))
    return Walls(grid, velocity[node], turning, slides=True)


def of_faces(grid: Cells, patch: Patch, sliding: Any) -> Walls:
    """Walls of a case on cells, of which some slide in themselves, by the faces of a patch.

    Parameters
    ----------
    grid : Cells
    patch : faces of walls, each of one body
    sliding : as of `walls_of`

    Raises
    ------
    SettingsError    as of `walls_of`
    """
    asked, count = checked(sliding), len(patch)
    found, still = np.zeros((count, grid.dimensions)), np.zeros((count, *grid.dimension.spin))
    for member, mesh in enumerate(grid.meshes if asked else ()):
        _along_walls(mesh, facets_of(grid, member), asked)  # which checks them
    for body, (member, marker) in enumerate(grid.bodies):
        if marker in asked:
            mesh, rows = grid.meshes[member], np.flatnonzero(patch.body == body)
            walls, own = {marker: mesh.boundaries[marker]}, {marker: (marker, asked[marker])}
            at_nodes, _ = velocities(mesh.points, walls, own)
            corners = patch.shape[grid.by_face[0]][rows] - grid.vertices.first[member]
            found[rows] = _mean(at_nodes, corners)
    return Walls(grid, found, still, slides=bool(asked), patch=patch)


def _mean(velocity: Floats, corners: NDArray[Any]) -> Floats:
    """Velocities (k, d) of faces by their corners (k, c), negative beyond: along the mean, as fast
    as the corners are."""
    there = corners >= 0
    at = velocity[np.where(there, corners, corners[:, :1])]
    mean, speed = at.mean(axis=1), np.linalg.norm(at, axis=2).max(axis=1)
    size = np.linalg.norm(mean, axis=1)
    share = np.divide(speed, size, out=np.zeros(len(size)), where=size > 0)
    return np.asarray(mean * share[:, None])


def _along_walls(
    mesh: Any, walls: Mapping[str, NDArray[Any]], sliding: Sliding
) -> tuple[Floats, Floats]:
    """Velocities and rates of turn of the nodes of a mesh, as of `kinemesh.bodies.sliding`.

    Parameters
    ----------
    mesh : of a member;  walls : its facets by marker, which a mesh of parts has by part

    Raises
    ------
    SettingsError    no such wall, or a velocity that is not along it
    """
    there = mesh.walls if isinstance(mesh, Parts) else walls
    asked = {_found(name, there): (name, own) for name, own in sliding.items()}
    for name, own in sliding.items():
        if not fits(own, mesh.dimension):
            axes = ", ".join(mesh.dimension.axes)
            raise SettingsError(
                f"sliding: {name!r} is {own!r}, expected a velocity ({axes}) [U] of a wall "
                f"{mesh.dimension.where}"
            )
    return velocities(mesh.points, there, asked)


def fits(velocity: tuple[float, ...] | float, dimension: Dimension) -> bool:
    """Return True of a velocity of a dimension, and of a speed along a wall of the plane."""
    count = dimension.count
    return len(velocity) == count if isinstance(velocity, tuple) else count in BY_SPEED


def _found(name: str, there: Mapping[str, Any]) -> str:
    """The wall of that name; of a part's marker the part may be left out."""
    found = [m for m in there if m == name] or [m for m in there if m.partition(".")[2] == name]
    if len(found) != 1:
        why = "is in several parts" if found else "is no wall"
        raise SettingsError(f"sliding: {name!r} {why}, expected one of {', '.join(there)}")
    return found[0]
