"""Small meshes and clouds: what a solver's memory is counted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinemesh.mesh import Mesh
from kinemesh.mesh.generate.sphere import sphere
from kinemesh.mesh.kinds import KINDS as CELLS
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.solid_faces import open_faces
from kinemesh.overset.parts import OVERSET, Parts
from kinemesh.space.conditions.base import BODY, OUTER
from kinemesh.space.conditions.words import Symmetry

if TYPE_CHECKING:
    from kinemesh.cloud.cloud import Cloud

RINGS = (40, 4, False), (40, 5, False), (40, 4, True)
STACKS = (40, 4, False, 2), (40, 5, False, 2), (40, 4, True, 2), (40, 4, False, 3), (40, 6, True, 3)
SHELLS = (
    *((600, "hexes", 2), (1800, "hexes", 2), (600, "tets", 2), (1800, "tets", 2)),
    *((800, "prisms", 2), (800, "hexes", 3), (800, "tets", 3)),
)
BLOCKS = (6, 3, False), (6, 4, False), (6, 3, True), (8, 3, False)
Sizes = tuple[int, int]


def _solid(first: Sizes, flat: Sizes, tall: Sizes) -> tuple[tuple[int, int, str, bool], ...]:
    """Arguments of `solid`, points across and layers by themselves."""
    return (
        *((*first, kind, False) for kind in SOLIDS),
        *((*first, kind, True) for kind in ("prisms", "tetrahedra")),
        *((*flat, kind, False) for kind in ("hexahedra", "pyramids")),
        *((*tall, kind, True) for kind in ("hexahedra", "prisms")),
    )


SOLID = _solid((5, 3), (7, 2), (4, 5))
FULL = _solid((8, 6), (10, 5), (6, 9))  # cells with others around, whose neighbours are more
WARPED = tuple((*own, 0.05) for own in FULL)
# of a hexahedron, about its diagonal from corner 0 to corner 6
CUTS = {
    "hexahedra": ((0, 1, 2, 3, 4, 5, 6, 7),),
    "prisms": ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)),
    "tetrahedra": (
        *((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6)),
        *((0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)),
    ),
}


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


def shells(nodes: int, cells: str, parts: int) -> dict[str, Mesh]:
    """A background of layers about a sphere, and parts with an overset boundary, as `stack`."""
    own = sphere(nodes, far_field=1.5, cells=cells)
    inner, outer = own.boundaries.values()
    tables = [
        {BODY: inner, OUTER: outer},
        *[{"rod": inner, OVERSET: outer} for _ in range(1, parts)],
    ]
    made = [Mesh.from_blocks(own.points, own.blocks, sides) for sides in tables]
    return dict(zip(["back", *(f"part {k}" for k in range(1, parts))], made, strict=True))


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


def solid(across: int, layers: int, kind: str, mirror: bool, warp: float = 0.0) -> Mesh:
    """Cells of a lattice with a wall below; `mirror`: a plane of symmetry on one side.

    warp : waves of what lies inside, so that faces are not flat and all corners of a cell coupled
    """
    shape = across, across, layers
    at = np.arange(across * across * layers).reshape(shape)
    points = np.stack(np.unravel_index(np.arange(at.size), shape), axis=1).astype(float)
    ways = (0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)
    corners = [
        at[i : across - 1 + i, j : across - 1 + j, k : layers - 1 + k].ravel()
        for k in (0, 1)
        for i, j, _ in ways
    ]
    cubes = np.stack(corners, axis=1)
    if kind == "pyramids":
        middle = len(points) + np.arange(len(cubes))
        points = np.concatenate([points, points[cubes].mean(axis=1)])
        sides = [cubes[:, face[::-1]] for face in CELLS["hexahedra"].faces]
        table = np.concatenate([np.column_stack([side, middle]) for side in sides])
    else:
        table = np.concatenate([cubes[:, own] for own in CUTS[kind]])
    blocks = {kind: table.astype(np.int32)}
    faces = open_faces(blocks, len(points))
    x = points[np.where(faces < 0, faces[:, :1], faces)]
    below, beside = (x[..., 2] == 0).all(axis=1), mirror & (x[..., 1] == 0).all(axis=1)
    named = {BODY: below, Symmetry.kind: beside & ~below, OUTER: ~(below | beside)}
    inside = np.ones(len(points), bool)
    inside[faces[faces >= 0]] = False
    x, y, z = points.T
    waves = np.stack([np.sin(y + 2 * z), np.sin(z + 3 * x), np.sin(x + 2 * y)], axis=1)
    points = points + warp * inside[:, None] * waves
    sides_of = {name: faces[mask] for name, mask in named.items() if mask.any()}
    return Mesh.from_blocks(points, blocks, sides_of)


class Kind(NamedTuple):
    """Spaces of a kind: their maker, and sizes whose counts of what there is differ.

    positive : counts go together, so that bytes for each are sought among those above 0
    """

    make: Callable[..., Any]
    sizes: Sequence[tuple[Any, ...]]
    positive: bool = False


KINDS = {
    "triangles": Kind(ring, RINGS[:2]),
    "cells": Kind(ring, RINGS),
    "parts": Kind(stack, STACKS),
    "parts in space": Kind(shells, SHELLS, positive=True),
    "points": Kind(points, RINGS),
    "points in space": Kind(block, BLOCKS),
    "cells in space": Kind(solid, SOLID),
    "full cells in space": Kind(solid, FULL),
    "warped cells in space": Kind(solid, WARPED, positive=True),
}


def kind_of(space: Any) -> str:
    """The kind of a mesh or cloud, a key of `KINDS`."""
    if isinstance(space, Parts):
        return PARTS[space.dimensions]
    on = "points" if hasattr(space, "satellites") else "cells"
    return NAMES[on, space.points.shape[1]](space)


PARTS = {2: "parts", 3: "parts in space"}
NAMES: dict[tuple[str, int], Callable[[Any], str]] = {
    ("points", 2): lambda space: "points",
    ("points", 3): lambda space: "points in space",
    ("cells", 2): lambda space: "cells" if len(space.quads) else "triangles",
    ("cells", 3): lambda space: "cells in space",
}
"""By what unknowns live on, and the dimensions."""
