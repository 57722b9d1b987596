"""Cylinder across the stream, on a spring or free: m y'' + c y' + k y = lift, m = m* pi D^2 / 4."""

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
LEAST_MASS = 1e-6  # mass ratio of a body that is not massless


@checks_names
@dataclass(frozen=True, slots=True)
class Cylinder:
    """Rigid body that is free across the stream, of one degree of freedom.

    Parameters
    ----------
    mass_ratio : float          m* = m / (rho pi D^2 / 4), D the reference length [-]; 0 without a
        spring: the body goes where the flow has no force on it
    reduced_velocity : float    U_r = U / (f_n D), f_n the frequency in vacuum [-]; None: no spring
    zeta : float                share of critical damping of spring and mass alone [-]

    Raises
    ------
    SettingsError    numbers out of their range
    """

    mass_ratio: float
    reduced_velocity: float | None = None
    zeta: float = 0.0

    names = ("y",)
    dimension = XY

    def __post_init__(self) -> None:
        limits = {"reduced_velocity": 0.0}
        for own in fields(self):
            if getattr(self, own.name) is None:
                continue
            value = above(OWNER, own.name, getattr(self, own.name), limits.get(own.name))
            object.__setattr__(self, own.name, value)
        if not 0 <= self.zeta < LARGEST_ZETA:
            raise SettingsError(
                f"{OWNER}: zeta is {self.zeta:g}, expected a share of critical damping from 0 to "
                f"below {LARGEST_ZETA:g}"
            )

        light = self.mass_ratio < LEAST_MASS
        if light and self.mass_ratio != 0:
            raise SettingsError(
                f"{OWNER}: mass_ratio is {self.mass_ratio:g}, expected 0, or from {LEAST_MASS:g} on"
            )
        if light and self.reduced_velocity is not None:
            raise SettingsError(
                f"{OWNER}: mass_ratio is 0 and reduced_velocity {self.reduced_velocity:g}, and "
                "without a mass no spring has a frequency in vacuum; leave reduced_velocity out, "
                "or give a mass_ratio above 0"
            )
        if self.reduced_velocity is None and self.zeta:
            raise SettingsError(
                f"{OWNER}: zeta is {self.zeta:g}, a share of critical damping, which without a "
                "spring is 0; give reduced_velocity, or leave zeta out"
            )

    def coordinates(self, speed: float, length: float) -> Coordinates:
        """Shift y upwards [length of the mesh] in a stream of speed U, of a reference length."""
        mass = self.mass_ratio * np.pi / 4 * length**2
        stiff = self.reduced_velocity is not None
        shed = 2 * np.pi * speed / length  # frequencies over it are f D / U
        omega = shed / self.reduced_velocity if self.reduced_velocity is not None else 0.0
        one = np.ones((1, 1))
        return Coordinates(
            self.names, mass * one, 2 * self.zeta * mass * omega * one, mass * omega**2 * one,
            units=np.array([length]), turn=np.zeros(1), shift=np.array([[0.0, 1.0]]),
            about=(0.0, 0.0), reference=omega if stiff else shed,
        )  # fmt: skip
