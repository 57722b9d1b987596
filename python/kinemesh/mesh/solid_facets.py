"""Corners in the gradient of cells in space, and facets of the dual at their edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.kinds import Kind

Floats = NDArray[np.float64]


def gradients(x: Floats, kind: Kind) -> Floats:
    """Weights (corners, cells, 3) of the corners in the gradient, exact for linear fields.

    A cell's surface is fanned about the means of its faces, in each triangle values are linear
    (docs/theory.md, eq. 7.1).

    Parameters
    ----------
    x : (corners, cells, 3)    about a place near the cell
    """
    weights, volume = np.zeros_like(x), np.zeros(x.shape[1])
    for face in map(list, kind.faces):
        mean = x[face].mean(axis=0)
        arms = x[face] - mean
        fans = np.cross(arms, np.roll(arms, -1, axis=0))  # twice the areas
        every = fans.sum(axis=0)
        volume += (every * mean).sum(axis=1)
        weights[face] += fans + np.roll(fans, 1, axis=0) + every / len(face)
    return np.asarray(weights / volume[:, None])  # sixths, of both


def facets(x: Floats, kind: Kind) -> tuple[Floats, Floats]:
    """Area vectors and ways along the edges, each (edges, cells, 3), of the dual's facets.

    Parameters
    ----------
    x : (corners, cells, 3)
    """
    means = np.array([x[list(face)].mean(axis=0) for face in kind.faces])
    a, b = (x[[edge[end] for edge in kind.edges]] for end in (0, 1))
    first, second = (means[[side[k] for side in kind.sides]] for k in (0, 1))
    area: Any = 0.5 * np.cross(x.mean(axis=0) - 0.5 * (a + b), first - second)
    return area, b - a
