"""The points of an SU2 file: coordinates, and what may stand behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import DIMENSIONS
from kinemesh.mesh.files.su2_lines import Lines

FLAT = 1e-12  # z may vary by this share of the mesh's width
MOST = 5  # numbers in a line: x y, z, and the point's number twice


def points_of(lines: Lines, count: int, dimensions: int) -> NDArray[np.float64]:
    """(count, dimensions) coordinates.

    Behind them may stand the point's number, as old files have it twice, where they count the
    points of a piece and of the whole; in the plane a z that is the same everywhere, too.
    """
    start = lines.at
    flat, counts = lines.block(count, np.float64, "point")
    if count == 0:
        raise lines.fault(start - 1, "NPOIN= 0, expected points")
    odd = np.flatnonzero((counts != counts[0]) | (counts < dimensions) | (counts > MOST))
    if len(odd):
        k = int(odd[0])
        expected = BEHIND[dimensions].expected
        raise lines.fault(start + k, f"point {k} has {counts[k]} numbers, expected {expected}")
    table, farthest = flat.reshape(count, -1), DIMENSIONS[dimensions].farthest
    wrong = np.flatnonzero(~(np.abs(table) <= farthest).all(axis=1))
    if len(wrong):
        k = int(wrong[0])
        raise lines.fault(
            start + k,
            f"point {k} is '{lines.text(start + k)[:80]}', expected finite coordinates, at most "
            f"{farthest:g}",
        )
    rest = BEHIND[dimensions].rest(lines, start, table)
    _check_numbers(lines, start, rest, BEHIND[dimensions])
    return np.ascontiguousarray(table[:, :dimensions])


def _without_z(lines: Lines, start: int, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns behind x and y (points, k) without z; refuses one that varies.

    A column is z where all of it is the same; of two columns the first may be numbers, too.
    """
    rest = table[:, 2:]
    columns = rest.shape[1]
    if not columns:
        return rest
    level = np.abs(rest[:, 0] - rest[0, 0]) <= FLAT * np.ptp(table[:, :2], axis=0).max()
    if level.all():
        return rest[:, 1:]
    if columns < 2 or (columns < 3 and _are_numbers(rest)):
        return rest
    k = int(np.argmin(level))
    raise lines.fault(
        start + k,
        f"point {k} has z = {rest[k, 0]:g}, and point 0 z = {rest[0, 0]:g}, expected one z: "
        "the mesh is plane (or the point's number twice, whole and each once)",
    )


def _are_numbers(columns: NDArray[np.float64]) -> bool:
    """Return True if each column (points, k) numbers the points: whole, from 0 on, each once."""
    whole = (columns == np.floor(columns)) & (columns >= 0)
    each = np.sort(columns, axis=0)
    return bool(whole.all() and (each[1:] != each[:-1]).all())


def _check_numbers(lines: Lines, start: int, rest: NDArray[np.float64], behind: Behind) -> None:
    """Refuse what stands behind the coordinates (points, k) and is no number of a point."""
    columns = rest.shape[1]
    if columns > 1 and not _are_numbers(rest):
        raise lines.fault(
            start,
            f"points end in two numbers each, such as {rest[0, 0]:g} and {rest[0, 1]:g}"
            f"{behind.numbers}; "
            "expected numbers of the points, whole and each once, or nothing",
        )
    odd = np.flatnonzero((rest != np.floor(rest)).any(axis=1))
    if len(odd):
        k = int(odd[0])
        raise lines.fault(
            start + k,
            f"point {k} ends in {rest[k, -1]:g}, expected its whole number"
            + (behind.number if columns < 2 else ""),
        )


class Behind(NamedTuple):
    """Numbers that may stand behind the coordinates that a mesh has.

    Parameters
    ----------
    expected : numbers of a line, in words
    rest : columns that are to be numbers of points;  numbers, number : added where two, where one
        of them are none
    """

    expected: str
    rest: Callable[[Lines, int, NDArray[np.float64]], NDArray[np.float64]]
    numbers: str
    number: str


BEHIND = {
    2: Behind(
        "x y, with a z that is the same everywhere and the point's number if wanted",
        _without_z,
        ", behind one z",
        ", or a z that is the same everywhere: the mesh is plane",
    ),
    3: Behind(
        "x y z, and the point's number if wanted", lambda lines, start, table: table[:, 3:], "", ""
    ),
}
"""By the dimensions of the mesh."""
