"""Matrices of slopes at layers that curve by more than their thickness, by NumPy (theory 2.2)."""

import numpy as np
from kinemesh.mesh.geometry.curved_solids import SolidLayers

PAIRS = np.triu_indices(3)  # entries of symmetric matrices, in their order
FLAT = 1e-9  # least over largest eigenvalue of a sum that has an inverse


def flattened(layers, x):
    """Nodes whose layer curves by more than its thickness, and the inverses for their gradients.

    The slope across the layer counts by the share of its thickness in what it curves (eq. 2.3a).

    Returns
    -------
    (m,) nodes, (m, 3) symmetric matrices, in space (m, 6), in place of the inverses of the
    least-squares ones
    """
    return (_on_surfaces if isinstance(layers, SolidLayers) else _on_lines)(layers, x)


def _on_lines(layers, x):
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


def _on_surfaces(layers, x):
    """Slopes along a layer are the least-squares ones in the plane that touches it.

    Nodes whose neighbours along the layer lie on one line are left out.
    """
    to, across, own = layers.ways(x)
    curve = layers.spread(own)
    weight = 1 / (to**2).sum(axis=1)
    whole = np.zeros((len(curve), 3, 3))
    for k, j in zip(*PAIRS, strict=True):
        terms = weight * to[:, k] * to[:, j]
        whole[:, k, j] = whole[:, j, k] = np.bincount(layers.row, terms, len(curve))
    normal = across[:, :, None] * across[:, None, :]
    flat = np.eye(3) - normal
    along = flat @ whole @ flat + normal  # the way across apart from those along
    size = np.linalg.eigvalsh(along)
    found = (curve > 1) & (size[:, 0] > FLAT * size[:, 2])
    found[found] = np.linalg.cond(whole[found]) < 1 / FLAT
    share = (1 / np.maximum(curve[found], 1.0))[:, None, None]
    inverse = np.linalg.inv(along[found]) - normal[found]
    rows = share * np.linalg.inv(whole[found]) + (1 - share) * inverse
    return layers.node[found], rows[:, *PAIRS]
