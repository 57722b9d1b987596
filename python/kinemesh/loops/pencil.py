"""Roots of signals that are sums of damped oscillations, by the matrix pencil.

Samples y_n = sum c_j z_j^n, z_j = exp(s_j dt), have a Hankel matrix of as low a rank as there are
roots; with H of all signals stacked, V its largest right singular vectors, V' and V'' these without
their last and first row, the z_j are the eigenvalues of V'^+ V''.
Hua and Sarkar, IEEE Trans. Acoust. Speech Signal Process. 38 (1990) 814-824.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
NOISE = 1e-4  # singular values over the largest one that are no roots
LEAST = 12  # samples of a signal, at least


@dataclass(frozen=True, slots=True)
class Root:
    """An oscillation exp(s t) of several signals.

    Parameters
    ----------
    s : complex           growth and angular frequency [1 / unit of time]
    shape : (signals,)    its complex amplitude in each signal at the first sample
    strength : float      norm of its part of the signals, each as large as 1
    """

    s: complex
    shape: NDArray[np.complex128]
    strength: float

    @property
    def zeta(self) -> float:
        """Share of critical damping, negative where it grows."""
        return -self.s.real / abs(self.s) if self.s else 0.0


def roots_of(
    signals: FloatArray, dt: float, most: int | None = None, noise: float = NOISE
) -> list[Root]:
    """Oscillations of signals at equal steps, the strongest first; of a pair that of positive
    frequency.

    Parameters
    ----------
    signals : (signals, samples)    each is brought to the largest value 1
    dt : float                      between samples
    most : int                      roots, of a pair both; None: those above the noise
    noise : float                   share of the largest singular value below which none is a root

    Raises
    ------
    ValueError    fewer than `LEAST` samples, or values that are not finite
    """
    y = np.atleast_2d(np.asarray(signals, float))
    if y.shape[1] < LEAST or not np.isfinite(y).all():
        raise ValueError(f"{y.shape[1]} samples, expected at least {LEAST}, all finite")
    size = np.abs(y).max(axis=1)
    live = size > 0
    if not live.any():
        return []
    scaled = y[live] / size[live, None]
    count = y.shape[1]
    width = count // 2
    hankel = np.concatenate([
        np.lib.stride_tricks.sliding_window_view(own, width + 1) for own in scaled
    ])  # fmt: skip
    _, values, right = np.linalg.svd(hankel, full_matrices=False)
    rank = int((values > noise * values[0]).sum())
    rank = max(1, min(rank if most is None else most, width))
    base = right[:rank].T
    z = np.linalg.eigvals(np.linalg.lstsq(base[:-1], base[1:], rcond=None)[0])
    z = z[np.abs(z) > 0]
    powers = z[None, :] ** np.arange(count)[:, None]
    amplitudes = np.linalg.lstsq(powers, scaled.T.astype(complex), rcond=None)[0]
    strength = np.linalg.norm(powers, axis=0) * np.linalg.norm(amplitudes, axis=1)
    s = np.log(z.astype(complex)) / dt
    found = []
    for j in np.argsort(-strength).tolist():
        if s[j].imag >= 0:
            shape = np.zeros(len(y), complex)
            shape[live] = amplitudes[j] * size[live]
            found.append(Root(complex(s[j]), shape, float(strength[j])))
    return found


def spread(signals: FloatArray, dt: float, root: Root, most: int | None = None) -> float:
    """Half the spread of a root's share of critical damping over three windows of two thirds of
    the samples; nan of too few samples."""
    count = np.atleast_2d(signals).shape[1]
    length = 2 * count // 3
    if length < LEAST:
        return float("nan")
    each = []
    for first in (0, (count - length) // 2, count - length):
        own = roots_of(np.atleast_2d(signals)[:, first : first + length], dt, most)
        each.append(min(own, key=lambda one: abs(one.s - root.s), default=root).zeta)
    return (max(each) - min(each)) / 2
