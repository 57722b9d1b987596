"""Typical section: a rigid section on a spring in plunge and one in pitch.

With b half the chord, U the speed and time in b / U, the coordinates q = (h / b, alpha), h upwards
and alpha nose-up, the loads L b and M about the axis over q_inf b^2, Q q, obey
    M q'' + kappa^2 K q = Q q / (2 pi mu),  kappa = b omega_alpha / U = 1 / (V* sqrt(mu)).
Cubic springs hold K (q + beta q^3) in time; small motions know K alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY
from kinemesh.errors import SettingsError
from kinemesh.structure.coordinates import Coordinates
from kinemesh.structure.numbers import above, check_damping

FloatArray = NDArray[np.float64]


@checks_names
@dataclass(frozen=True, slots=True)
class TypicalSection:
    """Rigid section on springs in plunge and pitch, of two degrees of freedom.

    Parameters
    ----------
    mu : float             mass ratio m / (pi rho b^2), b half the chord [-]
    a : float              elastic axis behind the middle of the chord [b]
    x_alpha : float        centre of mass behind the axis [b]
    r2_alpha : float       squared radius of gyration about the axis [b^2]; above x_alpha^2
    omega_ratio : float    omega_h / omega_alpha, of plunge and pitch alone [-]
    damping : float        structural damping g of both springs: stiffnesses are times 1 + i g [-];
        in time a share g / 2 of critical damping of each mode without wind
    speed_index : float    V* = U / (b omega_alpha sqrt(mu)) of runs [-]; flutter takes its own
    cubic_h, cubic_alpha : float    beta of springs in time: that of plunge holds as one of
        h / b + beta (h / b)^3, that of pitch of alpha + beta alpha^3 [-, 1 / rad^2]; below 0 it
        softens; flutter of small motions leaves them out

    Raises
    ------
    SettingsError    numbers out of their range, or of a mass matrix that is not positive
    """

    mu: float
    a: float
    x_alpha: float
    r2_alpha: float
    omega_ratio: float
    damping: float = 0.0
    speed_index: float | None = None
    cubic_h: float = 0.0
    cubic_alpha: float = 0.0

    names = ("h", "alpha")
    dimension = XY

    def __post_init__(self) -> None:
        limits = {"mu": 0.0, "r2_alpha": 0.0, "omega_ratio": 0.0, "speed_index": 0.0}
        for own in fields(self):
            if getattr(self, own.name) is None:
                continue
            value = above("typical-section", own.name, getattr(self, own.name),
                          limits.get(own.name))  # fmt: skip
            object.__setattr__(self, own.name, value)
        check_damping("typical-section", self.damping, [self.damping])
        if self.r2_alpha <= self.x_alpha**2:
            raise SettingsError(
                f"typical-section: r2_alpha is {self.r2_alpha:g}, x_alpha {self.x_alpha:g}, so the "
                f"mass matrix is not positive; expected r2_alpha above x_alpha^2 = "
                f"{self.x_alpha**2:g}: it is the moment of inertia about the axis, not about the "
                "centre of mass"
            )

    @property
    def mass(self) -> FloatArray:
        """(2, 2) M over m b^2."""
        return np.array([[1.0, -self.x_alpha], [-self.x_alpha, self.r2_alpha]])

    @property
    def stiffness(self) -> NDArray[Any]:
        """(2, 2) K over m b^2 omega_alpha^2, complex with structural damping."""
        own = np.diag([self.omega_ratio**2, self.r2_alpha])
        return own * (1 + 1j * self.damping) if self.damping else own

    @property
    def frequencies(self) -> FloatArray:
        """(2,) frequencies without wind, over omega_alpha, the lowest first."""
        squares = np.linalg.eigvals(np.linalg.solve(self.mass, self.stiffness.real)).real
        found: FloatArray = np.sqrt(np.sort(squares))
        return found

    @property
    def ratios(self) -> FloatArray:
        """(2,) frequencies without wind, over omega_alpha."""
        return self.frequencies

    @property
    def least_mu(self) -> float:
        """Mass ratio, one at all Mach numbers."""
        return self.mu

    def at(self, mach: float) -> Self:
        """Structure at a Mach number, the same at all."""
        return self

    @property
    def axis(self) -> float:
        """Place of the axis behind the leading edge [chord]."""
        return (1 + self.a) / 2

    def coordinates(self, speed: float, length: float) -> Coordinates:
        """Plunge h upwards [length of the mesh] and pitch alpha nose-up [rad] in a stream.

        Parameters
        ----------
        speed : U, in the units of the case;  length : chord [length of the mesh]

        Raises
        ------
        SettingsError    a section without a speed index
        """
        if self.speed_index is None:
            raise SettingsError(
                "typical-section: a run needs the speed index; give speed_index = U / (b "
                "omega_alpha sqrt(mu)), or ask km.flutter for the boundary"
            )
        b = length / 2
        m = self.mu * np.pi * b**2
        omega = speed / (self.speed_index * b * np.sqrt(self.mu))
        of = np.array([1 / b, 1.0])  # coordinates over b and 1
        each = m * b**2 * np.outer(of, of)
        mass, stiffness = each * self.mass, omega**2 * each * self.stiffness.real
        found = Coordinates(
            self.names, mass, np.zeros((2, 2)), stiffness, units=np.array([b, 1.0]),
            turn=np.array([0.0, 1.0]), shift=np.array([[0.0, 1.0], [0.0, 0.0]]),
            about=(self.axis * length, 0.0), reference=omega,
            cubic=stiffness.diagonal() * [self.cubic_h / b**2, self.cubic_alpha],
        )  # fmt: skip
        if not self.damping:
            return found
        frequencies, shapes = found.modes
        own = mass @ shapes
        return replace(found, damping=own @ np.diag(self.damping * frequencies) @ own.T)
