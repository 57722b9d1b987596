"""Which members share a linear system, and what their systems are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered_pairs
from kinemesh.linear import Pattern
from kinemesh.linear.stack import Alike
from kinemesh.space.grid import Grid


def same_systems(grid: Grid, open: NDArray[np.bool_]) -> Alike:
    """Members that share a mesh, and the part of its boundary that is open (nodes,)."""
    each: dict[Any, object] = {}
    first, of = grid.first, grid.alike.of
    keys = [(of[m], open[first[m] : first[m + 1]].tobytes()) for m in range(len(of))]
    return Alike([each.setdefault(key, object()) for key in keys])


def of_leads(grid: Grid, same: Alike, values: NDArray[Any]) -> list[NDArray[Any]]:
    """Values of nodes, of the first member of each kind."""
    return [values[grid.first[m] : grid.first[m + 1]] for m in same.lead]


def in_blocks(made: Iterable[Any], patterns: Iterable[Pattern]) -> list[NDArray[np.float32]]:
    """Entries of sparse matrices in the order of the blocks of their patterns."""
    entries = []
    for own, pattern in zip(made, patterns, strict=True):
        row = np.repeat(pattern.row_of, np.diff(own.indptr))
        order, _ = ordered_pairs(row, pattern.row_of[own.indices], own.shape[0])
        entries.append(own.data.astype(np.float32)[order])
    return entries
