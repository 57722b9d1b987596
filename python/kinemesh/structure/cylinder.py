"""Cylinder on a spring across the stream: m y'' + c y' + k y = lift, m = m* pi D^2 / 4."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY
from kinemesh.errors import SettingsError
from kinemesh.structure.coordinates import Coordinates
from kinemesh.structure.numbers import above

OWNER = "cylinder"
LARGEST_ZETA = 1.0


@checks_names
@dataclass(frozen=True, slots=True)
class Cylinder:
    """Rigid body on a spring across the stream, of one degree of freedom.

    Parameters
    ----------
    mass_ratio : float          m* = m / (rho pi D^2 / 4), D the reference length [-]
    reduced_velocity : float    U_r = U / (f_n D), f_n the frequency in vacuum [-]
    zeta : float                share of critical damping of spring and mass alone [-]

    Raises
    ------
    SettingsError    numbers out of their range
    """

    mass_ratio: float
    reduced_velocity: float
    zeta: float = 0.0

    names = ("y",)
    dimension = XY

    def __post_init__(self) -> None:
        limits = {"mass_ratio": 0.0, "reduced_velocity": 0.0}
        for own in fields(self):
            value = above(OWNER, own.name, getattr(self, own.name), limits.get(own.name))
            object.__setattr__(self, own.name, value)
        if not 0 <= self.zeta < LARGEST_ZETA:
            raise SettingsError(
                f"{OWNER}: zeta is {self.zeta:g}, expected a share of critical damping from 0 to "
                f"below {LARGEST_ZETA:g}"
            )

    def coordinates(self, speed: float, length: float) -> Coordinates:
        """Shift y upwards [length of the mesh] in a stream of speed U, of a reference length."""
        mass = self.mass_ratio * np.pi / 4 * length**2
        omega = 2 * np.pi * speed / (self.reduced_velocity * length)
        one = np.ones((1, 1))
        return Coordinates(
            self.names, mass * one, 2 * self.zeta * mass * omega * one, mass * omega**2 * one,
            units=np.array([length]), turn=np.zeros(1), shift=np.array([[0.0, 1.0]]),
            about=(0.0, 0.0), reference=omega,
        )  # fmt: skip
