"""The gas and its flux in closed form (gamma = 1.4), for tests to hold kernels against."""

import numpy as np

GAMMA = 1.4


def conserved(q):
    rho, *velocity, p = np.moveaxis(np.asarray(q), -1, 0)
    energy = p / (GAMMA - 1) + 0.5 * rho * sum(own * own for own in velocity)
    return np.stack([rho, *(rho * own for own in velocity), energy], -1)


def primitive(u):
    rho, *momentum, energy = np.moveaxis(u, -1, 0)
    p = (GAMMA - 1) * (energy - 0.5 * sum(own * own for own in momentum) / rho)
    return np.stack([rho, *(own / rho for own in momentum), p], -1)


def flux(q, s, w):
    """(rho V_r, rho u V_r + p S, (rho E + p) V_r + w p), V_r = u.S - w."""
    rho, u, v, p = np.moveaxis(np.asarray(q), -1, 0)
    sx, sy = np.moveaxis(np.asarray(s), -1, 0)
    vr = u * sx + v * sy - w
    energy = p / (GAMMA - 1) + 0.5 * rho * (u * u + v * v)
    return np.stack([rho * vr, rho * u * vr + p * sx, rho * v * vr + p * sy,
                     (energy + p) * vr + w * p], -1)  # fmt: skip


def jacobian(q, s, w):
    """dF/du by the complex step, exact to round-off."""
    step, u = 1e-30, conserved(q).astype(complex)
    columns = [flux(primitive(u + 1j * step * np.eye(4)[k]), s, w).imag / step for k in range(4)]
    return np.stack(columns, -1)
