"""Cells of a file turned counter-clockwise or mirrored, with a note on their number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import warn
from kinemesh.mesh.polygons import counter_clockwise
from kinemesh.mesh.solid_cells import upright


def turned(
    path: Path, points: NDArray[np.float64], blocks: Mapping[str, NDArray]
) -> tuple[dict[str, NDArray], tuple[str, ...]]:
    """Triangles and quadrilaterals counter-clockwise, and a note where any was not.

    The note is a warning, too.
    """
    cells, note = counter_clockwise(points, blocks)
    if note:
        warn(f"{path}: {note}", UserWarning)
    return cells, (note,) if note else ()


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
