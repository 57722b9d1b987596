"""Loads of a thin section that pitches and plunges in incompressible potential flow (Theodorsen).

With b half the chord, a the axis in half chords behind mid-chord, w = h' + U theta + b (1/2 - a)
theta' the upwash at three quarters of the chord and h positive downwards,
    L = pi rho b^2 (h'' + U theta' - b a theta'') + 2 pi rho U b C(k) w,
    M = pi rho b^2 (b a h'' - U b (1/2 - a) theta' - b^2 (1/8 + a^2) theta'')
        + 2 pi rho U b^2 (a + 1/2) C(k) w.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

ComplexArray = NDArray[np.complex128]


def circulation(k: ArrayLike) -> ComplexArray:
    """Theodorsen's function C(k), of reduced frequencies above 0."""
    from scipy.special import hankel2

    one, zero = hankel2(1, k), hankel2(0, k)
    return np.asarray(one / (one + 1j * zero))


def theodorsen(k: ArrayLike, axis: float = 0.25) -> ComplexArray:
    """(..., 2, 2) cl and cm over h/c and theta, in the form of `kinemesh.derivatives`.

    Rows are lift upwards and nose-up moment about the axis, columns h/c upwards and theta [rad].

    Parameters
    ----------
    k : (...)       reduced frequencies omega c / (2 U), above 0
    axis : float    place of the axis behind the leading edge [chord]
    """
    k = np.asarray(k, float)
    a, s, c = 2 * axis - 1, 1j * k, circulation(k)  # b = U = 1: s is a derivative in time
    plunged, pitched = s, 1 + (0.5 - a) * s  # upwash of h downwards and of theta
    found = np.empty((*k.shape, 2, 2), complex)
    found[..., 0, 0] = pi * s**2 + 2 * pi * c * plunged
    found[..., 0, 1] = pi * (s - a * s**2) + 2 * pi * c * pitched
    found[..., 1, 0] = pi * a * s**2 + 2 * pi * (a + 0.5) * c * plunged
    found[..., 1, 1] = -pi * ((0.5 - a) * s + (1 / 8 + a**2) * s**2) + (
        2 * pi * (a + 0.5) * c * pitched
    )
    # over rho U^2 b and b: coefficients are these, and half of these for moments; h/c is 2 h/b
    found[..., 1, :] /= 2
    found[..., :, 0] *= -2
    return found
