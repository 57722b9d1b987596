"""Broyden's update of the Jacobians of a flow's forces by the coordinates of structures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.structure.alpha import dot, times

FloatArray = NDArray[np.float64]


def updated(
    jacobian: FloatArray,
    dq: FloatArray,
    df: FloatArray,
    who: NDArray[np.bool_],
    units: FloatArray | float = 1.0,
) -> FloatArray:
    """(members, n, n) J + (df - J dq) dq^T / |dq|^2 of those `who` changed, in these units of q.

    Parameters
    ----------
    dq, df : (members, n)    changes of the coordinates and of the forces
    """
    way = dq / units
    square = dot(way, way)
    off = (df - times(jacobian, dq)) / np.where(square > 0, square, 1.0)[:, None]
    step = off[:, :, None] * (way / units)[:, None]
    return jacobian + np.where((who & (square > 0))[:, None, None], step, 0.0)
