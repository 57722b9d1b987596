"""Generalised alpha, the time rule of structures in the steps of a flow (Chung and Hulbert, 1993).

M a + C v + K q + k3 q^3 = f, with M a at n + 1 - alpha_m and all else at n + 1 - alpha_f, so that a
step is A q1 + k3 N = side + share f1 for the coordinates q1 and forces f1 at its end.  The cubic
part is N = w (q1 + q) (q1^2 + q^2) / 4 + (1 - w) q1^3, w = 2 alpha_f, whose first term is the mean
of q^3 on the way from q to q1.  With rho = 1 it is the trapezoidal rule, of second order, without
damping of its own, and the change of energy in a step is the work (q1 - q) (f + f1) / 2 of the
forces, less that of the dampers, to rounding, with cubic springs too.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """(members, n) products of (members, n, n) matrices and vectors, in a fixed order of sums."""
    found = matrix[:, :, 0] * vector[:, None, 0]
    for j in range(1, vector.shape[1]):
        found = np.asarray(found + matrix[:, :, j] * vector[:, None, j])
    return np.asarray(found)


def dot(one: FloatArray, other: FloatArray) -> FloatArray:
    """(members,) products of vectors (members, n), in a fixed order of sums."""
    return times(one[:, None, :], other)[:, 0]


def solved(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """(members, n) solutions of the systems of all members, each with the bits of its own."""
    found = np.linalg.solve(matrix, vector[:, :, None])[:, :, 0]
    return np.asarray(found, np.float64)


@dataclass(frozen=True, slots=True)
class Matrices:
    """Mass, damping and stiffness (members, n, n) of the structures of an ensemble, and cubic
    stiffness k3 (members, n) of each coordinate by itself."""

    mass: FloatArray
    damping: FloatArray
    stiffness: FloatArray
    cubic: FloatArray | float = 0.0

    @property
    def massless(self) -> NDArray[np.bool_]:
        """(members,) whether a structure has neither mass nor damper nor spring."""
        every = (self.mass, self.damping, self.stiffness)
        linear = np.any([own.any(axis=(1, 2)) for own in every], axis=0)
        return np.asarray(~(linear | self.nonlinear))

    @property
    def nonlinear(self) -> NDArray[np.bool_]:
        """(members,) whether a spring of a structure is cubic."""
        found = np.broadcast_to(self.cubic, self.mass.shape[:2]).any(axis=1)
        return np.asarray(found)

    def springs(self, q: FloatArray) -> FloatArray:
        """(members, n) forces K q + k3 q^3 that springs hold against."""
        return times(self.stiffness, q) + self.cubic * q**3

    def slopes(self, q: FloatArray) -> FloatArray:
        """(members, n, n) derivatives of `springs` by q."""
        more = np.broadcast_to(3 * self.cubic * q**2, q.shape)
        return np.asarray(self.stiffness + more[:, :, None] * np.eye(q.shape[1]))

    def energy(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """(members,) kinetic energy and that of springs."""
        linear = 0.5 * (dot(v, times(self.mass, v)) + dot(q, times(self.stiffness, q)))
        return linear + 0.25 * dot(self.cubic * q**2, q**2)


@dataclass(frozen=True, slots=True)
class State:
    """Structures at a time: coordinates, their rates, accelerations and forces (members, n)."""

    q: FloatArray
    v: FloatArray
    a: FloatArray
    f: FloatArray


def at_rest(of: Matrices, q: FloatArray, f: FloatArray) -> State:
    """Structures that are let go at `q` under forces `f`; those without a mass begin at rest."""
    none, one = of.massless, np.eye(q.shape[1])
    mass = np.where(none[:, None, None], one, of.mass)
    a = solved(mass, f - of.springs(q))
    return State(q, np.zeros_like(q), np.where(none[:, None], 0.0, a), f)


class Rule:
    """Steps of structures by generalised alpha.

    Parameters
    ----------
    of : Matrices
    dt : (members,)    time steps
    rho : (members,)   or one for all: spectral radius at infinite frequency, 0 to 1: 1 keeps all
        motions, less damps those that a step does not resolve; 0 where forces alone are balanced

    Attributes
    ----------
    left : (members, n, n) A;  share : (members, 1) of the forces at the end of a step
    """

    def __init__(self, of: Matrices, dt: FloatArray, rho: float | FloatArray = 1.0) -> None:
        rho = np.broadcast_to(np.asarray(rho, float), dt.shape)[:, None]
        mass, force = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        beta = 0.25 * (1 - mass + force) ** 2
        self._put(of, dt[:, None], mass, force, 0.5 - mass + force, beta)

    def first(self) -> Rule:
        """Rule of a first step from rest, whose acceleration is the one at its end throughout.

        Forces of the flow at rest lack those of the added mass, which act as soon as a body is let
        go: the trapezoidal rule would take half of them in the first step, an error of first order
        in the rate.  Structures without a mass keep their rule.
        """
        found, none = copy(self), self.of.massless[:, None]
        mine = (self.mass, self.force, self.gamma, self.beta)
        pairs = zip(mine, (0.0, 0.0, 1.0, 0.5), strict=True)
        found._put(self.of, self.dt, *(np.where(none, own, new) for own, new in pairs))
        return found

    def _put(self, of: Matrices, h: FloatArray, *numbers: FloatArray) -> None:
        """Take up time steps (members, 1), and alpha_m, alpha_f, gamma, beta of that shape."""
        self.of, self.dt = of, h
        self.mass, self.force, self.gamma, self.beta = numbers
        self.share = share = 1 - self.force
        mass = self.mass
        self.left = (
            ((1 - mass) / (self.beta * h**2))[:, :, None] * of.mass
            + (share * self.gamma / (self.beta * h))[:, :, None] * of.damping
            + share[:, :, None] * of.stiffness
        )

    def side(self, now: State) -> FloatArray:
        """(members, n) side of a step from a state."""
        of, dt = self.of, self.dt
        q, v = self._ahead(now)
        before = (
            (1 - self.mass) / (self.beta * dt**2) * times(of.mass, q)
            - self.mass * times(of.mass, now.a)
            + times(of.damping, self.share * (self.gamma / (self.beta * dt) * q - v))
            - self.force * times(of.damping, now.v)
        )
        return before + self.force * (now.f - times(of.stiffness, now.q))

    def cubic(self, now: State, q: FloatArray) -> FloatArray:
        """(members, n) forces of cubic springs in a step from a state to coordinates q."""
        p, w = now.q, 2 * self.force
        return self.of.cubic * (w / 4 * (q + p) * (q**2 + p**2) + (1 - w) * q**3)

    def slopes(self, now: State, q: FloatArray) -> FloatArray:
        """(members, n, n) derivatives of `cubic` by q."""
        p, w = now.q, 2 * self.force
        each = self.of.cubic * (w / 4 * (3 * q**2 + 2 * q * p + p**2) + 3 * (1 - w) * q**2)
        return np.asarray(each[:, :, None] * np.eye(q.shape[1]))

    def ended(self, now: State, q: FloatArray, f: FloatArray) -> State:
        """State at the end of a step from `now`, with coordinates and forces there."""
        ahead, speed = self._ahead(now)
        a = (q - ahead) / (self.beta * self.dt**2)
        return State(q, speed + self.gamma * self.dt * a, a, f)

    def _ahead(self, now: State) -> tuple[FloatArray, FloatArray]:
        """Coordinates and rates at the end of a step without an acceleration there."""
        q = now.q + self.dt * now.v + (0.5 - self.beta) * self.dt**2 * now.a
        return q, now.v + (1 - self.gamma) * self.dt * now.a
