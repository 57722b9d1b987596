"""Rays that spread with the distance from the axis which they leave.

I(X) counts the rays along the axis.  Ray k is where

    k = integral of I(X + a t) (1 - |t|) dt,  t = -1 to 1,    a = REACH eta

so the spacing along a layer is that of the axis, smoothed over the layer's distance from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator, PPoly

from kinemesh.mesh.generate.rays import Floats

REACH = 0.3  # of the smoothing, over eta
NEAR = 0.02  # widths below it: by quadrature, as second differences have few digits left
GAUSS = np.polynomial.legendre.leggauss(8)
OFFSET = np.concatenate([-0.5 - 0.5 * GAUSS[0], 0.5 + 0.5 * GAUSS[0]])
WEIGHT = np.tile(0.5 * GAUSS[1] * (0.5 - 0.5 * GAUSS[0]), 2)


@dataclass(frozen=True, slots=True)
class Smoothed:
    """Index of rays over X, odd about the nose and about the outflow.

    Parameters
    ----------
    count               index over xi
    integrals           second integrals of the index and of its derivative
    """

    count: PchipInterpolator
    integrals: tuple[PPoly, PPoly]

    @classmethod
    def of(cls, count: PchipInterpolator) -> Smoothed:
        """Make one of an index of rays over xi."""
        return cls(count, (count.antiderivative(2), count.antiderivative(1)))

    def rows(self, eta: Floats, xi: Floats) -> Floats:
        """X at heights eta (rays,) or (layers, rays) from the axis upwards.

        Parameters
        ----------
        xi : (rays,) places on the axis, 0 to the outflow
        """
        rows, x, end = [], xi, xi[-1]
        for height in np.atleast_2d(eta):
            x = self._of(np.minimum(REACH * height, end), x)
            rows.append(x)
        return np.stack(rows) if eta.ndim > 1 else rows[0]

    def together(self, eta: Floats, xi: Floats) -> Floats:
        """X of all layers at once: those of `rows` to 1e-10, in a tenth of the time."""
        width = np.minimum(REACH * eta, xi[-1])
        return self._of(width, np.broadcast_to(xi, eta.shape))

    def _of(self, width: Floats, start: Floats) -> Floats:
        """X of each ray (..., rays), by Newton's method in a bracket."""
        end = start[..., -1].max()
        index = np.arange(start.shape[-1], dtype=np.float64)
        low, high, x = np.zeros_like(start), np.full_like(start, end), start
        for _ in range(60):
            over = self._mean(x, width, 0) - index
            low, high = np.where(over < 0, x, low), np.where(over > 0, x, high)
            new = x - over / self._mean(x, width, 1)
            new = np.where((new < low) | (new > high), 0.5 * (low + high), new)
            new[..., 0], new[..., -1] = 0.0, end
            change, x = np.abs(new - x).max(), new
            if change < 1e-10:
                break
        return x

    def _mean(self, x: Floats, width: Floats, order: int) -> Floats:
        """Index, or its derivative, smoothed over a width."""
        near = width < NEAR
        found = np.empty_like(x)
        found[near] = self.count(x[near, None] + width[near, None] * OFFSET, order) @ WEIGHT
        x, a, twice = x[~near], width[~near], self.integrals[order]
        found[~near] = (twice(x + a) - 2.0 * twice(x) + twice(x - a)) / a**2
        return found
