"""The perfect gas of all solvers, scaled so that density and speed of sound of the stream are 1.

Pressure of the stream is then 1 / gamma (docs/theory.md, section 1).  csrc/physics/gas.h has gamma,
and these relations for the kernels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh._core import GAMMA as GAMMA  # ratio of specific heats [-]


def free_stream(mach: ArrayLike, alpha_deg: ArrayLike, dimensions: int = 2) -> NDArray[np.float64]:
    """(members, dimensions + 2) primitive states of uniform streams, rho = a = 1.

    The angle of attack turns the stream from x to y in the plane, to z in space.
    """
    mach, alpha = np.broadcast_arrays(np.asarray(mach, float), np.radians(alpha_deg))
    one = np.ones_like(mach)
    velocity = [mach * np.cos(alpha), *[0 * one] * (dimensions - 2), mach * np.sin(alpha)]
    return np.stack([one, *velocity, one / GAMMA], axis=-1)


def conserved(q: ArrayLike) -> NDArray[np.float64]:
    """(..., 2 + d) conserved states (rho, rho velocity, rho E) of primitive ones."""
    rho, *velocity, p = np.moveaxis(np.asarray(q, float), -1, 0)
    energy = p / (GAMMA - 1) + rho * sum(v * v for v in velocity) / 2
    return np.stack([rho, *(rho * v for v in velocity), energy], axis=-1)


def mach_number(density: ArrayLike, velocity: ArrayLike, pressure: ArrayLike) -> NDArray:
    """(nodes,) Mach number |v| / a of the fluid in the frame at rest; velocity is (d, nodes)."""
    rho, v, p = np.asarray(density), np.asarray(velocity), np.asarray(pressure)
    return np.sqrt((v * v).sum(axis=0) * rho / (GAMMA * p))


def pressure_coefficient(pressure: ArrayLike, mach: float) -> NDArray:
    """Cp = (p - 1/gamma) / (mach^2 / 2) of pressures in units of rho_inf a_inf^2."""
    return np.asarray((np.asarray(pressure) - 1 / GAMMA) / (0.5 * mach**2))


def critical_pressure_coefficient(mach: float) -> float:
    """Cp at which a stream of a Mach number, of one entropy and total enthalpy, is sonic."""
    share = (2 + (GAMMA - 1) * mach**2) / (GAMMA + 1)
    return float(2 / (GAMMA * mach**2) * (share ** (GAMMA / (GAMMA - 1)) - 1))
