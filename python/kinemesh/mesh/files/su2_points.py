"""The points of an SU2 file: coordinates, and what may stand behind them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.files.su2_lines import Lines

FARTHEST = 1e150  # the square of a length must not overflow
FARTHEST_IN_SPACE = 1e100  # nor its cube
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
        expected = (
            "x y, with a z that is the same everywhere and the point's number if wanted"
            if dimensions == 2
            else "x y z, and the point's number if wanted"
        )
        raise lines.fault(start + k, f"point {k} has {counts[k]} numbers, expected {expected}")
    table = flat.reshape(count, -1)
    farthest = FARTHEST if dimensions == 2 else FARTHEST_IN_SPACE
    wrong = np.flatnonzero(~(np.abs(table) <= farthest).all(axis=1))
    if len(wrong):
        k = int(wrong[0])
        raise lines.fault(
            start + k,
            f"point {k} is '{lines.text(start + k)[:80]}', expected finite coordinates, at most "
            f"{farthest:g}",
        )
    rest = table[:, dimensions:]
    if dimensions == 2:
        rest = _without_z(lines, start, table)
    _check_numbers(lines, start, rest, dimensions)
    return np.ascontiguousarray(table[:, :dimensions])


def _without_z(lines: Lines, start: int, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns behind x and y (points, k) without z; refuses one that varies.

    A column is z where all of it is the same; of two columns the first may be numbers, too.
    """
    rest = table[:, 2:]
    if not rest.shape[1]:
        return rest
    level = np.abs(rest[:, 0] - rest[0, 0]) <= FLAT * np.ptp(table[:, :2], axis=0).max()
    if level.all():
        return rest[:, 1:]
    if rest.shape[1] == 1 or (rest.shape[1] == 2 and _are_numbers(rest)):
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


def _check_numbers(lines: Lines, start: int, rest: NDArray[np.float64], dimensions: int) -> None:
    """Refuse what stands behind the coordinates (points, k) and is no number of a point."""
    if rest.shape[1] == 2 and not _are_numbers(rest):
        first = "" if dimensions == 3 else ", behind one z"
        raise lines.fault(
            start,
            f"points end in two numbers each, such as {rest[0, 0]:g} and {rest[0, 1]:g}{first}; "
            "expected numbers of the points, whole and each once, or nothing",
        )
    odd = np.flatnonzero((rest != np.floor(rest)).any(axis=1))
    if len(odd):
        k = int(odd[0])
        either = ", or a z that is the same everywhere: the mesh is plane"
        raise lines.fault(
            start + k,
            f"point {k} ends in {rest[k, -1]:g}, expected its whole number"
            + (either if dimensions == 2 and rest.shape[1] == 1 else ""),
        )
