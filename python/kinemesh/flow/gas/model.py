"""The equations that a solver solves: their number, names, free stream, conversion and outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh import gas
from kinemesh.arguments import states
from kinemesh.dimension import DIMENSIONS

Floats = NDArray[np.float64]


class Euler:
    """The Euler equations of a perfect gas, in the plane or in space.

    A third set of equations is a class that gives names, number, free stream, conversion and
    outputs of its own, and in `endings` what the names of its kernels end in.  A solver that is for
    it names the class as `equations`; states, gradients, matrices, messages and field files follow.

    Parameters
    ----------
    dimensions : 2 or 3

    Attributes
    ----------
    names : of the primitive variables, a column of q each
    variables : int    number of equations
    PRESSURE : place of the pressure in a primitive state, as of csrc/kernels/numbers.h
    endings : of the names of their kernels, the first that there is
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.names = ("rho", *"uvw"[:dimensions], "p")
        self.variables = len(self.names)
        self.endings = DIMENSIONS[dimensions].endings

    @property
    def PRESSURE(self) -> int:
        return self.names.index("p")

    def free_stream(self, mach: ArrayLike, alpha_deg: ArrayLike) -> Floats:
        """(members, variables) primitive states of the uniform streams."""
        return gas.free_stream(mach, alpha_deg, self.dimensions)

    def conserved(self, q: ArrayLike) -> Floats:
        """(..., variables) conserved states (rho, rho velocity, rho E) of primitive ones."""
        return gas.conserved(q)

    def states(self, value: Any, nodes: int) -> NDArray[Any]:
        """(nodes, variables) finite primitive states that a user gave; SettingsError for others."""
        columns = f" ({', '.join(self.names)})"
        return states(value, (nodes, self.variables), "initial state", columns)

    def outputs(self, q: ArrayLike, mach: float) -> dict[str, NDArray[Any]]:
        """The named fields of a field file, of primitive states (nodes, variables).

        Units: rho_inf, a_inf, rho_inf a_inf^2; `mach` is that of the stream.
        Mach is that of the fluid in the frame at rest (`kinemesh.gas`).
        """
        rho, *velocity, p = np.asarray(q).T
        v = np.stack(velocity)
        space = np.zeros((v.shape[1], 3), v.dtype)
        space[:, : len(v)] = v.T
        return {
            "Density": rho,
            "Velocity": space,
            "Pressure": p,
            "Mach": gas.mach_number(rho, v, p),
            "Cp": gas.pressure_coefficient(p, mach),
        }
