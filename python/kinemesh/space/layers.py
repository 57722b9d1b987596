"""Gradients in thin layers that curve by more than their thickness (docs/theory.md, 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.geometry.curved import Layers

Floats = NDArray[np.float64]


def joined(each: Sequence[Layers], first: NDArray[np.integer]) -> Layers:
    """Layers of several members, whose nodes begin at `first`."""
    rows = np.cumsum([0, *(len(own.node) for own in each)])
    moved = list(zip(each, first, rows, strict=False))
    return Layers(
        np.concatenate([own.node + f for own, f, _ in moved]),
        np.concatenate([own.row + r for own, _, r in moved]),
        np.concatenate([own.neighbour + f for own, f, _ in moved]),
        np.concatenate([own.along for own in each]),
        np.concatenate([own.beside + r for own, _, r in moved]),
    )


def flattened(layers: Layers, x: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Nodes whose layer curves by more than its thickness, and the inverses for their gradients.

    The slope across the layer counts by the share of its thickness in what it curves (eq. 2.3a).

    Returns
    -------
    (m,) nodes, (m, 3) symmetric matrices in place of the inverses of the least-squares ones
    """
    to, across, own = layers.ways(x)
    curve = layers.spread(own)
    curved = curve > 1
    if not curved.any():
        return layers.node[curved], np.empty((0, 3))
    weight = 1 / (to**2).sum(axis=1)
    products = (to[:, 0] ** 2, to[:, 0] * to[:, 1], to[:, 1] ** 2)
    sums = [np.bincount(layers.row, weight * p, len(curve))[curved] for p in products]
    xx, xy, yy = sums
    whole = np.stack([yy, -xy, xx], axis=1) / (xx * yy - xy * xy)[:, None]
    tx, ty = -across[curved, 1], across[curved, 0]
    size = tx * tx * xx + 2 * tx * ty * xy + ty * ty * yy
    along = np.stack([tx * tx, tx * ty, ty * ty], axis=1) / size[:, None]
    share = 1 / curve[curved, None]
    return layers.node[curved], share * whole + (1 - share) * along
