"""Which members share a linear system, and what their systems are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.flow.projection.flow import Flow
from kinemesh.linear import Pattern
from kinemesh.linear.guess import Guess
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
        single = sp.csr_array((own.data.astype(np.float32), own.indices, own.indptr), own.shape)
        rows = single[pattern.node]
        rows.indices = pattern.row_of[rows.indices]
        rows.has_sorted_indices = False
        rows.sort_indices()
        entries.append(rows.data)
    return entries


def forget(
    flow: Flow, guess: Guess | None, of: NDArray[np.bool_], inflow: NDArray[np.float64]
) -> None:
    """Numbers at these nodes (nodes,), which may be none, are those of the streams (members, 2)."""
    b, grid = flow.backend, flow.grid
    edges, values = of[grid.lr[:, 0]], inflow[grid.member[of]]
    flows = ("flow", "flow1", "flow2", "memory", "memory1", "memory2")
    velocities = dict.fromkeys(("u", "u1", "u2"), (of, values))
    pressures = dict.fromkeys(("p", "p1", "p2"), (of, 0.0))
    for name, (where, new) in (velocities | pressures | dict.fromkeys(flows, (edges, 0.0))).items():
        array = b.get(flow[name])
        array[where] = new
        b.put(flow[name], array)
    if guess:
        guess.forget(of)
