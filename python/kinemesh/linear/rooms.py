"""Room for the renewed rows of coarse levels (`kinemesh.linear.holes`), counted on a hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

import numpy as np

from kinemesh.linear.blocks import Blocks
from kinemesh.linear.hierarchy import COARSEST, LONG, Level

# Renewed rows for which there is room: those beside rows that are never own, and so many times the
# root of a level's rows in each piece of the matrix, or a few.  Measured on a section over a
# background, 20,000 to 1.5 million nodes: 1.5 to 6 times the root of all.
SLOTS = 4.0
FEW = 256
# Where rows are long, as those of meshes in space are, so many times the power 2/3 of them, on the
# finest level, the next and so on.  Measured on a sphere over a background, 24 to 519 thousand
# nodes: up to 0.4, 0.8, 1.9, 4.7, without those beside rows that are never own; a hole half as wide
# as the finest level has 1.5.
SURFACE = (2.0, 3.0, 6.0, 12.0)
# Entries of a renewed row on the finest level, the next and so on, at least, and of the transfer to
# it; measured up to 19, 31, 48, 59, 39 on rings about a cylinder over a background, 15,000 to
# 154,000 nodes, and 9, 8, 8, 8 of the transfer in space.
WIDE = (32, 64, 128, 192)
WIDE_UP = (16, 32, 64)
# Columns that a renewed row meets on the way, up to which it needs no second look, and those that
# it has at most (rim_row.h).
TABLE, MOST = 448, 896
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a level of one member in the tables.

    Parameters
    ----------
    count, longest : rows, and entries of the longest one
    mean : entries of a row
    """

    count: int
    longest: int
    mean: float

    @classmethod
    def of(cls, matrix: Blocks) -> Rows:
        """Rows of a matrix."""
        own = np.diff(matrix.row)
        return cls(len(own), int(own.max(initial=0)), float(own.mean()) if len(own) else 0.0)


def are_long(levels: Sequence[Level]) -> bool:
    """True where rows are as long as those of meshes in space."""
    return any(Rows.of(level.matrix).mean > LONG for level in levels)


def slots(rows: int, number: int, pieces: int, edge: int, long: bool) -> int:
    """Renewed rows that a level has room for.

    Parameters
    ----------
    number : of the level, 0 the finest
    pieces : of the matrix
    edge : rows beside some that are never own, or that these reach
    long : whether rows are long
    """
    reach = SLOTS * np.sqrt(rows * pieces)
    if long:
        reach = of(SURFACE, number) * np.cbrt(float(rows) ** 2 * pieces)
    return min(rows, edge + max(FEW, ceil(reach)))


def width(own: Rows, number: int) -> int:
    """Entries that a renewed row has room for.

    Measured: 54 and 180 at most, of 27 and 78 in the tables at most and 8.5 and 31 in the mean, of
    a matrix of 130 thousand rows; 47, 127, 225, 234, 128 of 27, 89, 137, 147, 105 and 10, 36,
    69, 86, 67 on a sphere over a background of 519 thousand; up to 470 of 425 and 101 where cells
    are thin.
    """
    counted = own.longest + 4 * own.mean
    return min(max(of(WIDE, number), 32 * ceil(counted / 32)), own.count, MOST)


def of(numbers: Sequence[Number], number: int) -> Number:
    """Number of a level; the last one is that of all that follow."""
    return numbers[min(number, len(numbers) - 1)]


# Levels by dimensions: rows beside those that are never own, over that power of rows; how many
# fewer rows the next one has; entries of a renewed row; whether rows are long.  Measured on
# spheres over backgrounds, 95 to 519 thousand nodes: 0.5 to 1.1; 4 to 9; up to 96, 256, 416, 832.
EDGE = {2: (2.0, 1 / 2), 3: (1.1, 2 / 3)}
FEWER = {2: 4.5, 3: 5.0}
WIDTHS = {2: WIDE, 3: (64, 224, 416, 640)}
ARE_LONG = {2: False, 3: True}


def room_of(rows: int, pieces: int, dimensions: int) -> int:
    """Estimate of the bytes of a member's renewed rows, to be refused before they are there."""
    found, number, (edge, power) = 0, 0, EDGE[dimensions]
    widths, long = WIDTHS[dimensions], ARE_LONG[dimensions]
    while rows > COARSEST:
        entries = min(of(widths, number), rows) + min(of(WIDE_UP, number), rows)
        room = slots(rows, number, pieces, round(edge * rows**power), long)
        found += room * (8 * entries + 16)
        rows, number = round(rows / FEWER[dimensions]), number + 1
    return found
