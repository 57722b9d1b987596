"""Triangles and quadrilaterals of the plane: areas, one table of both, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.doubles import check_corners, kind_of
from kinemesh.mesh.edges import listed

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def polygon_areas(points: Floats, cells: Ints) -> Floats:
    """Signed areas of polygons (cells, corners), counter-clockwise positive [chord^2]."""
    if not len(cells):
        return np.empty(0)
    corner = np.take(np.ascontiguousarray(points.T), cells.T, axis=1)
    x, y = corner[:, 1:] - corner[:, :1]  # about the first corner: no cancellation
    return 0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1], axis=0)


def cell_table(triangles: Ints, quads: Ints) -> Ints:
    """(t + q, 4) int32 table of both kinds, -1 as fourth entry of a triangle."""
    found, three = np.empty((len(triangles) + len(quads), 4), np.int32), len(triangles)
    found[:three, :3], found[:three, 3], found[three:] = triangles, -1, quads
    return found


def counter_clockwise(points: Floats, blocks: Mapping[str, Ints]) -> tuple[dict[str, Ints], str]:
    """Polygons by kind, those that run clockwise turned; a sentence that says how many.

    Cells with nodes out of range stay as they are.
    """
    made, counts = {}, []
    for kind, table in blocks.items():
        there = ((table >= 0) & (table < len(points))).all(axis=1)
        clockwise = np.zeros(len(table), bool)
        clockwise[there] = polygon_areas(points, table[there]) < 0
        made[kind] = np.where(clockwise[:, None], table[:, ::-1], table)
        if clockwise.any():
            name = "quadrilaterals" if kind == "quads" else kind
            counts.append(f"{clockwise.sum()} of {len(table)} {name}")
    return made, f"{' and '.join(counts)} turned counter-clockwise" if counts else ""


def check_cells(points: Floats, cells: Ints, name: Callable[[int], str]) -> None:
    """Refuse cells with a node out of range, doubled corners, or that are not convex and positive.

    `name(i)` is how the message calls cell i.
    """
    if not len(cells):
        return
    outside = np.flatnonzero(((cells < 0) | (cells >= len(points))).any(axis=1))
    if len(outside):
        i = int(outside[0])
        raise MeshError(
            f"{name(i)} has nodes {listed(cells[i])}, expected 0 to {len(points) - 1}: "
            f"{len(outside)} such element(s); correct the connectivity"
        )
    check_corners(points, kind_of(cells), cells, name)
    area = polygon_areas(points, cells)
    worst = np.minimum(area, _corner_areas(points, cells))
    bad = np.flatnonzero(~(worst > 0))
    if len(bad):
        i = int(bad[0])
        where = ", ".join(f"({x:.6g}, {y:.6g})" for x, y in points[cells[i]])
        why = "area" if not area[i] > 0 else "smallest corner area (the quad is not convex)"
        raise MeshError(
            f"{name(i)} with nodes {listed(cells[i])} at {where} has {why} {worst[i]:.3g}, "
            f"expected > 0 (counter-clockwise): {len(bad)} such element(s) of {len(cells)}; "
            "turn or repair them"
        )


def _corner_areas(points: Floats, cells: Ints) -> Floats:
    """Smallest of the corner triangles of each quad [chord^2]; a triangle has no other."""
    turns = OTHERS[cells.shape[1]]
    corners = [polygon_areas(points, np.roll(cells, -k, axis=1)[:, :3]) for k in turns]
    return np.min(corners, axis=0)


OTHERS = {3: range(1), 4: range(4)}
"""Turns of the corners of a cell, by their number, that give triangles of their own."""
