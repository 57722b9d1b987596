"""Meshes of the tables of a file: nodes merged, cells turned and checked, with notes on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import DIMENSIONS
from kinemesh.errors import MeshError
from kinemesh.mesh.files.turned import mirrored, turned
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.merge import merged
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.origin import Origin
from kinemesh.mesh.polygons import check_cells


def check_places(path: Path, points: NDArray[np.float64], dimensions: int, first: int) -> None:
    """MeshError for a place that is not finite or too far; nodes of the file count from `first`."""
    farthest = DIMENSIONS[dimensions].farthest
    wrong = np.flatnonzero(~(np.abs(points) <= farthest).all(axis=1))
    if len(wrong):
        raise MeshError(
            f"{path}: node {wrong[0] + first} is at {points[wrong[0]].tolist()}, expected finite "
            f"coordinates, at most {farthest:g}"
        )


def built(
    path: Path,
    points: NDArray[np.float64],
    cells: Mapping[str, NDArray],
    markers: Mapping[str, NDArray],
    name: Callable[[str, int], str],
    order: str,
    merge: Any = None,
    notes: tuple[str, ...] = (),
    unnamed: str = "",
) -> Mesh:
    """Mesh of a file's tables.

    Parameters
    ----------
    cells, markers : by kind, by name
    name : how messages call a cell of a kind by its number
    order : name of the order in which cells in space should have their corners
    merge : distance within which nodes become one [length of the file]; None: none do
    notes : of the reader, on what it has changed
    unnamed : as of `Origin`

    Raises
    ------
    MeshError    with the file
    """
    try:
        original = None
        if merge is not None:
            made = merged(points, cells, markers, merge, name)
            points, cells, markers, name = (
                made.points,
                made.blocks,
                made.boundaries,
                made.name(name),
            )
            original, notes = made.original, (*notes, made.note)
        if any(len(own) for kind, own in cells.items() if kind in SOLIDS):
            cells, more = mirrored(path, points, cells, name, order)
        else:
            cells, more = turned(path, points, cells)
            for kind, own in cells.items():
                check_cells(points, own, lambda i, kind=kind: name(kind, i))  # type: ignore[misc]
        origin = Origin(notes=(*more, *notes), unnamed=unnamed)
        return Mesh.from_blocks(points, cells, markers, original, origin)
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from None
