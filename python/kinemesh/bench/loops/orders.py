"""Orders of the cells of a mesh: as generated, by bandwidth, along a curve, at random."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.bench.loops.topology import Numbering, Topology, arranged, means
from kinemesh.csr import cuthill_mckee

ORDERS = ("natural", "rcm", "hilbert", "random", "shuffled")
BITS = {2: 16, 3: 12}  # of a coordinate along Hilbert's curve


def put_in(top: Topology, order: str, seed: int = 2) -> tuple[Topology, Numbering]:
    """Number a mesh in an order; in all but `shuffled` faces follow their cells."""
    rng = np.random.default_rng(seed)
    faces = rng if order == "shuffled" else None
    return arranged(top, cells_by(top, order, rng), faces)


def cells_by(top: Topology, order: str, rng: np.random.Generator) -> NDArray:
    """(cells,) cells in an order of `ORDERS`."""
    if order == "rcm":
        left, right = top.pair[: top.edges].T
        one = np.ones(len(left), np.int8)
        graph = sp.coo_array((one, (left, right)), shape=(top.cells, top.cells))
        return cuthill_mckee((graph + graph.T).tocsr())
    if order == "hilbert":
        return np.argsort(hilbert(means(top)), kind="stable")
    return np.arange(top.cells) if order == "natural" else rng.permutation(top.cells)


def hilbert(x: NDArray[np.float64]) -> NDArray[np.int64]:
    """(n,) places of points along Hilbert's curve through the box about them.

    J. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707 (2004) 381.
    """
    low, d = x.min(axis=0), x.shape[1]
    bits = BITS[d]
    scale = ((1 << bits) - 1) / (x.max(axis=0) - low)
    axes = list(((x - low) * scale).astype(np.int64).T)
    q = 1 << (bits - 1)
    while q > 1:
        for k in range(d):
            high = (axes[k] & q) != 0
            swap = np.where(high, 0, (axes[0] ^ axes[k]) & (q - 1))
            axes[0] = np.where(high, axes[0] ^ (q - 1), axes[0] ^ swap)
            axes[k] = axes[k] ^ swap
        q >>= 1
    for k in range(1, d):
        axes[k] = axes[k] ^ axes[k - 1]
    turn = np.zeros_like(axes[0])
    q = 1 << (bits - 1)
    while q > 1:
        turn ^= np.where((axes[d - 1] & q) != 0, q - 1, 0)
        q >>= 1
    found = np.zeros_like(turn)
    for bit in range(bits - 1, -1, -1):
        for k in range(d):
            found = found << 1 | ((axes[k] ^ turn) >> bit & 1)
    return found
