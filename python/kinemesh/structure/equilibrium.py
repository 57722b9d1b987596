"""Equilibrium of structures in a steady flow: coordinates at which the springs hold its loads.

K q + k3 q^3 = f(q), without inertia, by Newton's method on the structure and a Jacobian J of the
flow's forces: by a difference in each coordinate about where it begins, then by Broyden's updates,
each step a steady flow.  The equilibrium is stable where no real eigenvalue of J over the slope of
the springs is above 1; beyond, a body that is moved goes further: static divergence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.structure.alpha import Matrices, solved, times
from kinemesh.structure.broyden import updated

FloatArray = NDArray[np.float64]
TOLERANCE = 1e-4  # force out of balance over the largest one at which a member is done
NONE = 1e-5  # of q_inf times length: forces that are none
PROBE = 1e-3  # change of a coordinate over its unit, by which J is learnt
CLOSE, MOST = 1e-12, 50  # last step of Newton's method over a unit, and steps at most
REAL = 1e-9  # imaginary part of a real eigenvalue, over its size


class Equilibrium:
    """Search for the equilibria of an ensemble.

    Parameters
    ----------
    of : Matrices
    units : (members, n)    of the coordinates, by which forces are compared
    scale : (members,)      q_inf times length, of which small forces are none

    Attributes
    ----------
    at : (members, n)       coordinates that the flow is to be solved at; of members that are done
        their equilibria
    wanted : (members,)     members that are not done
    count : int             flows that have been taken
    apart : (members,)      force out of balance at the last flow, over the largest
    """

    def __init__(self, of: Matrices, units: FloatArray, scale: FloatArray) -> None:
        self.of, self.units, self.scale = of, units, scale
        members, n = units.shape
        self.at = self.from_q = np.zeros((members, n))
        self.from_f = np.zeros((members, n))
        self.jacobian = np.zeros((members, n, n))
        self.wanted = np.ones(members, bool)
        self.apart, self.count = np.zeros(members), 0

    def take(self, forces: FloatArray) -> NDArray[np.bool_]:
        """Take the steady flow's forces (members, n) at `at`; who has to be solved at the new one.

        Forces of members that are done change nothing.
        """
        n, own = self.units.shape[1], self.wanted
        probe = self.count - 1  # coordinate that has been changed alone
        if 0 <= probe < n:
            slope = (forces - self.from_f) / (PROBE * self.units[:, probe, None])
            self.jacobian[own, :, probe] = slope[own]
        else:
            self._take_up(forces)
        self.count += 1
        if self.count <= n:
            step = np.zeros_like(self.at)
            step[:, self.count - 1] = PROBE * self.units[:, self.count - 1]
            found = self.from_q + step
        else:
            found = self._balanced()
        self.at = np.where(self.wanted[:, None], found, self.at)
        return self.wanted

    def _take_up(self, forces: FloatArray) -> None:
        """Forces at a place that is none of a probe; who is in balance there is done."""
        own, units = self.wanted[:, None], self.units
        if self.count:
            dq, df = self.at - self.from_q, forces - self.from_f
            self.jacobian = updated(self.jacobian, dq, df, self.wanted, units)
        self.from_q = np.where(own, self.at, self.from_q)
        self.from_f = np.where(own, forces, self.from_f)
        springs = self.of.springs(self.from_q)
        each = (springs - self.from_f, springs, self.from_f)
        left, *most = ((np.abs(one) * units).max(axis=1) for one in each)
        size = np.maximum(np.maximum(*most), NONE * self.scale / TOLERANCE)
        self.apart = np.where(self.wanted, left / size, self.apart)
        self.wanted = self.wanted & ~(self.apart <= TOLERANCE)

    def _balanced(self) -> FloatArray:
        """Coordinates at which the springs hold the forces that J foretells; nan without any."""
        q, going = self.from_q, self.wanted.copy()
        for _ in range(MOST):
            foretold = self.from_f + times(self.jacobian, q - self.from_q)
            step = solved(self.of.slopes(q) - self.jacobian, foretold - self.of.springs(q))
            q = np.where(going[:, None], q + step, q)
            going = going & ~((np.abs(step) / self.units).max(axis=1) <= CLOSE)
            if not going.any():
                break
        return np.where(going[:, None], np.nan, q)

    @property
    def growth(self) -> FloatArray:
        """(members,) loads that a change of the coordinates brings over what the springs then hold,
        above 1 where they diverge; 0 where none is known."""
        over = np.linalg.solve(self.of.slopes(self.from_q), self.jacobian)
        values = np.linalg.eigvals(over)
        real = np.abs(values.imag) <= REAL * np.abs(values)
        return np.asarray(np.where(real, values.real, 0.0).max(axis=1))

    @property
    def lost(self) -> NDArray[np.bool_]:
        """(members,) members that diverge, or for which J foretells no equilibrium.

        On cubic springs there may be one beyond the linear springs' divergence.
        """
        n = self.units.shape[1]
        if self.count <= n:
            return np.zeros(len(self.units), bool)
        over = (self.growth >= 1) & ~(self.wanted & self.of.nonlinear)
        return np.asarray(over | np.isnan(self.at).any(axis=1))

    def kept(self) -> dict[str, Any]:
        """Everything that the next flow follows from, as lists."""
        names = ("at", "from_q", "from_f", "jacobian", "wanted", "apart")
        return {name: getattr(self, name).tolist() for name in names} | {"count": self.count}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Take up what `kept` gave."""
        for name, value in kept.items():
            setattr(self, name, value if name == "count" else np.array(value))
