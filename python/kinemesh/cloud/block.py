"""Points in the block of a wing (`mesh/generate/wings/block.py`): neighbours and boundaries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def lines(number: Ints) -> Ints:
    """(k, 2) neighbours along stations, rings and rays."""
    round_ring = np.stack([number, np.roll(number, -1, axis=2)], axis=-1)
    out = np.stack([number[:, :-1], number[:, 1:]], axis=-1)
    along = np.stack([number[:-1], number[1:]], axis=-1)
    return np.concatenate([pairs.reshape(-1, 2) for pairs in (round_ring, out, along)])


def ends(number: Ints, slit: int, cap: int) -> Ints:
    """(k, 2) pairs across the trailing edge and, from the cap on, across the nose.

    There the neighbours lie on one line.  The second rays of the next ring lie above and below,
    and have the other colour.
    """
    half = number.shape[2] // 2
    parts = []
    for ray, first in ((0, 0), (half, cap)):
        for other in (ray - 2, ray + 2):
            parts.append(np.stack([number[first:, 0, ray], number[first:, 1, other]], axis=1))
    return np.concatenate(parts)


def diagonals(number: Ints, slit: int, chance: np.random.Generator) -> Ints:
    """(k, 2): one diagonal of each side of the cells and one through each cell, by chance.

    On the wing it is that of the boundary's triangles: the other may lie inside the wing.
    """
    closed = np.concatenate([number, number[:, :, :1]], axis=2)
    on_wing = np.zeros((closed.shape[1], closed.shape[0] - 1, 1), bool)
    on_wing[0, :slit] = True
    parts = [
        _across(closed, chance),
        _across(np.moveaxis(closed, 1, 0), chance, on_wing),
        _across(np.moveaxis(number, 2, 0), chance),
    ]
    low, high = slice(None, -1), slice(1, None)
    ends: list[list[NDArray]] = [[], []]
    for turn in range(4):
        ring, ray = (low, high)[turn & 1], (low, high)[turn >> 1]
        other = (high, low)[turn & 1], (high, low)[turn >> 1]
        ends[0].append(closed[low, ring, ray])
        ends[1].append(closed[high, other[0], other[1]])
    pick = chance.integers(0, 4, ends[0][0].shape)
    through = [np.choose(pick, end).ravel() for end in ends]
    return np.concatenate([*parts, np.stack(through, axis=1)])


def _across(
    sheets: Ints, chance: np.random.Generator, first: NDArray[np.bool_] | None = None
) -> Ints:
    """One diagonal of each cell of sheets (k, m, n): from its first corner, or by chance."""
    a, b = sheets[:, :-1, :-1], sheets[:, 1:, :-1]
    c, d = sheets[:, 1:, 1:], sheets[:, :-1, 1:]
    one = chance.random(a.shape) < 0.5
    if first is not None:
        one |= first
    return np.stack([np.where(one, a, b).ravel(), np.where(one, c, d).ravel()], axis=1)


def shaken(place: Floats, share: float, chance: np.random.Generator) -> Floats:
    """Points (stations, rings, around, 3) shifted by up to a share of the nearest's distance.

    Points of the boundaries and of the line beyond the tip stay.  Of the nearest: where cells are
    long, a shift along them turns the directions to all others.
    """
    inner = (slice(1, -1), slice(1, -1))
    nearest = np.full(place[inner].shape[:3], np.inf)
    for axis in range(3):
        ahead = np.linalg.norm(np.roll(place, -1, axis=axis) - place, axis=-1)
        near = np.minimum(ahead, np.roll(ahead, 1, axis=axis))
        nearest = np.minimum(nearest, near[inner])
    way = chance.normal(size=(*nearest.shape, 3))
    way *= chance.uniform(0.0, 1.0, nearest.shape)[..., None] / np.linalg.norm(
        way, axis=-1, keepdims=True
    )
    moved = place.copy()
    moved[inner] += share * nearest[..., None] * way
    return moved


def boundaries(number: Ints, slit: int) -> dict[str, Ints]:
    """Triangles with area vectors out of the fluid: wing, symmetry plane, far field."""
    closed = np.concatenate([number, number[:, :, :1]], axis=2)
    # rays cross rings points along the span, rays cross stations against the rings
    root, last = closed[0].T, closed[-1].T
    wall, outer = closed[: slit + 1, 0].T, closed[:, -1].T
    far = np.concatenate([_triangles(last, before_ends=True), _triangles(outer)[:, ::-1]])
    return {"wing": _triangles(wall), "symmetry": _triangles(root)[:, ::-1], "farfield": far}


def _triangles(sheet: Ints, before_ends: bool = False) -> Ints:
    """(k, 3): two per cell of a sheet (m, n), right-handed about first axis cross second.

    Cells before the two ends of a line, where three corners lie on it, may be cut the other way.
    """
    a, b, c, d = sheet[:-1, :-1], sheet[1:, :-1], sheet[1:, 1:], sheet[:-1, 1:]
    half = len(a) // 2
    turn = np.zeros((len(a), 1), bool)
    turn[[half - 1, -1]] = before_ends
    first = [np.where(turn, *ends) for ends in ((a, a), (b, b), (d, c))]
    second = [np.where(turn, *ends) for ends in ((b, a), (c, c), (d, d))]
    return np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in (first, second)])
