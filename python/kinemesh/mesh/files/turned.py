"""Cells of a file turned counter-clockwise or mirrored, with a note on their number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import warn
from kinemesh.mesh.polygons import polygon_areas
from kinemesh.mesh.solid_cells import upright


def turned(
    path: Path, points: NDArray[np.float64], triangles: NDArray, quads: NDArray
) -> tuple[NDArray, NDArray, tuple[str, ...]]:
    """Triangles and quadrilaterals counter-clockwise, and a note where any was not.

    Cells with nodes out of range stay as they are.  The note is a warning, too.
    """
    cells, counts = [], []
    for table, kind in ((triangles, "triangles"), (quads, "quadrilaterals")):
        there = ((table >= 0) & (table < len(points))).all(axis=1)
        clockwise = np.zeros(len(table), bool)
        clockwise[there] = polygon_areas(points, table[there]) < 0  # type: ignore[arg-type]
        cells.append(np.where(clockwise[:, None], table[:, ::-1], table))
        if clockwise.any():
            counts.append(f"{clockwise.sum()} of {len(table)} {kind}")
    if not counts:
        return triangles, quads, ()
    note = f"{' and '.join(counts)} turned counter-clockwise"
    warn(f"{path}: {note}", UserWarning)
    return cells[0], cells[1], (note,)


def mirrored(
    path: Path,
    points: NDArray[np.float64],
    blocks: Mapping[str, NDArray],
    name: Callable[[str, int], str],
    order: str,
) -> tuple[dict[str, NDArray], tuple[str, ...]]:
    """Cells in space with those that are inside out mirrored, and a note where any was.

    `name(kind, i)` is how a message calls a cell, `order` whose order of corners the file should
    have.  The note is a warning, too.
    """
    cells, note = upright(points, blocks, name)
    if note:
        warn(f"{path}: {note}; expected corners in the order of {order}", UserWarning)
    return dict(cells), (note,) if note else ()
