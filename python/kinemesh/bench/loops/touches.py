"""Sectors of memory that warps of a GPU touch, counted from index tables on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SECTOR = 32  # bytes that memory moves at once
WARP = 32  # items whose sectors are counted together
SAMPLES = 256  # warps of each call that are looked at
At = Callable[[int, int], NDArray]


class Touch(NamedTuple):
    """Records of an array that items touch.

    Parameters
    ----------
    kind : "read", "write", or "reduce": a sum, or an extremum, that the memory makes
    width : bytes of a record
    at : items first and end -> records; of what items share a warp moves each sector once, but
        reduces every record
    """

    kind: str
    width: int
    at: At


class Touches(NamedTuple):
    """Number of items of a call, and what they touch; a call after another starts anew."""

    items: int
    touched: list[Touch]


def itself(first: int, end: int) -> NDArray:
    """Records of the items' own numbers."""
    return np.arange(first, end)


def table(entries: NDArray) -> At:
    """Records that an index table (items, k) names; those below 0 are none."""

    def at(first: int, end: int) -> NDArray:
        found = entries[first:end].ravel()
        return found[found >= 0]

    return at


def entries_of(offsets: NDArray) -> At:
    """Entries of the items' lists themselves."""
    return lambda first, end: np.arange(offsets[first], offsets[end])


def listed(offsets: NDArray, entries: NDArray) -> At:
    """Records that the items' lists name; those below 0 are none."""

    def at(first: int, end: int) -> NDArray:
        found = entries[offsets[first] : offsets[end]]
        return found[found >= 0]

    return at


def through(first_of: At, then: At) -> At:
    """Records behind records: those that each of the first ones leads to."""

    def at(first: int, end: int) -> NDArray:
        some = np.unique(first_of(first, end))
        return np.concatenate([then(int(k), int(k) + 1) for k in some] or [np.empty(0, int)])

    return at


def sectors(width: int, records: NDArray, shared: bool) -> int:
    """Sectors that records of `width` bytes lie in; `shared`: each once."""
    first = records.astype(np.int64) * width // SECTOR
    last = (records.astype(np.int64) * width + width - 1) // SECTOR
    if not shared:
        return int((last - first + 1).sum())
    span = first[:, None] + np.arange((width - 2) // SECTOR + 2)
    return len(np.unique(span[span <= last[:, None]]))


def count(touches: Touches, samples: int = SAMPLES, seed: int = 0) -> dict[str, float]:
    """Sectors of a call by kind: "read", "write", "reduce"."""
    found = {"read": 0.0, "write": 0.0, "reduce": 0.0}
    warps = -(-touches.items // WARP)
    chosen = np.arange(warps)
    if warps > samples:
        chosen = np.random.default_rng(seed).choice(warps, samples, replace=False)
    items = 0
    for warp in chosen.tolist():
        first, end = warp * WARP, min((warp + 1) * WARP, touches.items)
        items += end - first
        for kind, width, at in touches.touched:
            found[kind] += sectors(width, at(first, end), shared=kind != "reduce")
    return {kind: number * touches.items / items for kind, number in found.items()}
