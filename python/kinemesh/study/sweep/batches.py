"""Rows of a sweep in batches, and the ensembles of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from kinemesh.io.store import Block, Region

# Most cases of a batch.  16 cases of 1500 nodes in batches of 1, 2, 4, 8, 16 took 11.3, 11.1, 10.8,
# 11.0, 11.6 s of one thread.
ON_CPU = 4
LEAST_ON_CPU = 4  # batches that a folder has at least
# Nodes of a batch on a GPU.  On an H200 a cycle of 64 steps took 26 ms a case with 128 cases of
# 5000 nodes, 15 ms with 1000; where a sweep is killed, a batch is lost.
NODES_ON_GPU = 5_000_000
SHARE = 0.7  # of the free memory that a batch takes at most


def most_on_gpu(nodes: int, needed: int, free: int | None) -> int:
    """Most cases side by side on a GPU, at least one.

    Parameters
    ----------
    nodes : of the largest case
    needed, free : bytes of that case, and of the device; None where nobody says
    """
    most = NODES_ON_GPU // max(nodes, 1)
    if free is not None:
        most = min(most, int(SHARE * free) // max(needed, 1))
    return max(most, 1)


def chunks_of(groups: NDArray[np.int64], most: int) -> tuple[int, ...]:
    """Rows of a batch along each dimension, at most `most` in all.

    A dimension along which no two neighbours can share an ensemble goes one by one; of the others
    the last ones are filled first, in batches as equal as they can be.

    Parameters
    ----------
    groups : a number per row, equal of those that can share an ensemble
    """
    found = [1] * groups.ndim
    for axis in reversed(range(groups.ndim)):
        size = groups.shape[axis]
        if size > 1 and (np.diff(groups, axis=axis) != 0).all():
            continue
        parts = -(-size // min(size, max(most, 1)))
        found[axis] = -(-size // parts)
        most //= found[axis]
    return tuple(found)


def rows_of(block: Block) -> list[tuple[Region, list[int]]]:
    """Region of each batch among the rows, and the numbers of its rows, in order."""
    numbers = np.arange(prod(block.sizes.values())).reshape(tuple(block.sizes.values()))
    return [(region, numbers[region].ravel().tolist()) for region in block.regions()]


def ensembles(groups: Sequence[int]) -> list[list[int]]:
    """Numbers of the rows of each ensemble of a batch; rows of a negative group are in none."""
    found: dict[int, list[int]] = {}
    for row, group in enumerate(groups):
        if group >= 0:
            found.setdefault(group, []).append(row)
    return list(found.values())
