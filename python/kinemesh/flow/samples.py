"""Small meshes and clouds: what a solver's memory is counted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinemesh.mesh import Mesh
from kinemesh.overset.parts import OVERSET, Parts
from kinemesh.space.conditions.base import BODY, OUTER

if TYPE_CHECKING:
    from kinemesh.cloud.cloud import Cloud

RINGS = (40, 4, False), (40, 5, False), (40, 4, True)
STACKS = (40, 4, False, 2), (40, 5, False, 2), (40, 4, True, 2), (40, 4, False, 3), (40, 6, True, 3)
BLOCKS = (6, 3, False), (6, 4, False), (6, 3, True), (8, 3, False)


def ring(around: int, layers: int, quads: bool) -> Mesh:
    """Layers of points about a circle, and triangles or quads between them."""
    angle = 2 * np.pi * np.arange(around) / around
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = 0.5 * 1.5 ** np.arange(layers)[:, None, None] * circle + (0.5, 0.0)
    at = np.arange(around * layers).reshape(layers, around)
    b, d = (np.roll(own, -1, axis=1).ravel() for own in (at[:-1], at[1:]))
    a, c = at[:-1].ravel(), at[1:].ravel()
    cells = [(a, c, d, b)] if quads else [(a, c, d), (a, d, b)]
    table = np.concatenate([np.stack(corners, axis=1) for corners in cells])
    sides = {BODY: np.stack([b, a], 1)[:around], OUTER: np.stack([c, d], 1)[-around:]}
    return Mesh.from_arrays(points.reshape(-1, 2), table, sides)


def stack(around: int, layers: int, quads: bool, parts: int) -> dict[str, Mesh]:
    """A background of that size, and parts with an overset boundary; none is computed on."""
    back = ring(around, layers, quads)
    sides = {"rod": back.boundaries[BODY], OVERSET: back.boundaries[OUTER]}
    cells = back.quads if quads else back.triangles
    other = Mesh.from_arrays(back.points, cells, sides)
    return {"back": back} | {f"part {k}": other for k in range(1, parts)}


def points(around: int, layers: int, quads: bool) -> Cloud:
    """The points of such a mesh, with their neighbours as satellites."""
    from kinemesh.cloud.cloud import Cloud

    return Cloud.from_mesh(ring(around, layers, quads))


def block(across: int, layers: int, diagonals: bool) -> Cloud:
    """Points of a lattice with a wall below and the far field above, neighbours as satellites."""
    from kinemesh.cloud.cloud import Cloud

    shape = across, across, layers
    at = np.arange(across * across * layers).reshape(shape)
    ways = [way for way in product((0, 1), repeat=3) if any(way)]
    pairs = []
    for way in ways if diagonals else np.eye(3, dtype=int).tolist():
        first, last = (
            at[tuple(slice(k * side, n - k * (1 - side)) for k, n in zip(way, shape, strict=True))]
            for side in (0, 1)
        )
        pairs.append(np.stack([first.ravel(), last.ravel()], axis=1))
    sides = {}
    for name, layer in ((BODY, at[:, :, 0].T), (OUTER, at[:, :, -1])):
        a, b, c, d = (
            own.ravel() for own in (layer[:-1, :-1], layer[1:, :-1], layer[:-1, 1:], layer[1:, 1:])
        )
        sides[name] = np.concatenate([np.stack([a, b, d], 1), np.stack([a, d, c], 1)])
    points = np.stack(np.unravel_index(np.arange(at.size), shape), axis=1).astype(float)
    return Cloud.from_pairs(points, np.concatenate(pairs), sides)


class Kind(NamedTuple):
    """Spaces of a kind: their maker, and sizes whose counts of what there is differ."""

    make: Callable[..., Any]
    sizes: Sequence[tuple[Any, ...]]


KINDS = {
    "triangles": Kind(ring, RINGS[:2]),
    "cells": Kind(ring, RINGS),
    "parts": Kind(stack, STACKS),
    "points": Kind(points, RINGS),
    "points in space": Kind(block, BLOCKS),
}


def kind_of(space: Any) -> str:
    """The kind of a mesh or cloud, a key of `KINDS`."""
    if space.points.shape[1] == 3:
        return "points in space"
    if hasattr(space, "satellites"):
        return "points"
    if isinstance(space, Parts):
        return "parts"
    return "cells" if len(space.quads) else "triangles"
