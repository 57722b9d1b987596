"""Generalised forces Q(k) of one Mach number between the frequencies at which they are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

ComplexArray = NDArray[np.complex128]


class Forces:
    """Q(k) by a cubic spline through Q at k and its conjugate at -k, as real loads have it.

    Parameters
    ----------
    k : (frequencies,)       reduced frequencies omega b / U, from 0 or above
    q : (frequencies, n, n)  forces over q_inf b^2 by coordinates

    Attributes
    ----------
    least, most : first and last k
    """

    def __init__(self, k: ArrayLike, q: ArrayLike) -> None:
        from scipy.interpolate import CubicSpline

        given, values = np.asarray(k, float), np.asarray(q, complex)
        order = np.argsort(given)
        given, values = given[order], values[order]
        self.least, self.most = float(given[0]), float(given[-1])
        behind = slice(None, 0, -1) if given[0] == 0 else slice(None, None, -1)
        if given[0] == 0:
            values[0] = values[0].real  # a steady load
        both = np.concatenate([-given[behind], given])
        spline = CubicSpline(both, np.concatenate([values[behind].conj(), values]))
        self._knots, self._powers = spline.x, spline.c  # (4, intervals, n, n), the cube first

    def __call__(self, k: float) -> ComplexArray:
        """(n, n) Q."""
        return self.with_slope(k)[0]

    def with_slope(self, k: float) -> tuple[ComplexArray, ComplexArray]:
        """(n, n) Q and dQ/dk; SciPy's own call takes five times as long, and roots ask often."""
        i = min(max(int(self._knots.searchsorted(k, "right")) - 1, 0), len(self._knots) - 2)
        x, (c3, c2, c1, c0) = k - self._knots[i], self._powers[:, i]
        value = ((c3 * x + c2) * x + c1) * x + c0
        return value, (3 * c3 * x + 2 * c2) * x + c1
