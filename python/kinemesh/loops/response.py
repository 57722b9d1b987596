"""Responses of loads at any frequency, from loads in a pulse: arrays in, numbers out.

H(omega) = integral (f - f_0) exp(-i omega s) ds / integral q exp(-i omega s) ds, of a motion q that
begins and ends at rest and loads f that are f_0 before it and long after it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def response(
    load: ArrayLike, motion: ArrayLike, step: float, omega: ArrayLike, rest: float = 0.0
) -> NDArray[np.complex128]:
    """(frequencies,) load over motion, of Re(x exp(i omega s)); by the trapezoidal rule.

    Parameters
    ----------
    load, motion : (steps,)    at the times step, 2 step, ...; the motion ends at rest
    step : float               of time
    omega : (frequencies,)     angular frequencies [rad per time]
    rest : float               load before the motion
    """
    f, q = np.asarray(load, float) - rest, np.asarray(motion, float)
    s = step * np.arange(1, len(q) + 1)
    wave = np.exp(-1j * np.outer(np.atleast_1d(omega), s))
    wave[:, -1] /= 2  # the motion has ended, the load may not be 0 yet
    found: NDArray[np.complex128] = (wave @ f) / (wave @ q)
    return found


def tail(load: ArrayLike, rest: float, last: int) -> float:
    """Largest distance from rest over the last steps, over the largest of all; 0 of no load."""
    away = np.abs(np.asarray(load, float) - rest)
    peak = away.max(initial=0.0)
    return float(away[-last:].max() / peak) if peak else 0.0
