"""Roots of a structure in a stream by the p-k method, told apart by continuity, and crossings.

Time in b / U, p = sigma + i k:
    (p^2 M + kappa^2 K - Q(k) / (2 pi mu)) q = 0,  kappa = 1 / (V* sqrt(mu)),                 (1)
exact where sigma = 0; with structural damping g K is K (1 + i g).  Newton's method solves (1) with
c^H q = 1, c the last shape, in the real unknowns (q, sigma, k); a root at the first V* is followed
from that without loads, a share of which grows from 0 to 1, then over V*.  A crossing is (1) with
sigma = 0 in (q, k, kappa^2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.study.flutter.forces import ComplexArray, Forces

FloatArray = NDArray[np.float64]
SHARES = 8  # steps in which the loads come on at the first V*
ITERATIONS, RESIDUAL = 12, 1e-11  # of Newton's method: at most, and of changes over k
FAR = 0.15  # largest change of p in a step, over |p|; more are two steps
ALIKE = 0.9  # least |cosine| between the shapes of two steps
HALVINGS = 14  # of a step, at most
STEPS = 500  # to the next parameter, at most
AT_REST = 0.01  # k of a root that swings no more, over that of its mode without wind


@dataclass(frozen=True, slots=True)
class Root:
    """A root with its shape: p = sigma + i k, q (n,) of length 1."""

    sigma: float
    k: float
    q: ComplexArray

    @property
    def size(self) -> float:
        return float(np.hypot(self.sigma, self.k))


@dataclass(frozen=True, slots=True)
class Crossing:
    """A mode whose damping is zero at V*, on the way up to instability or back to stability."""

    speed_index: float
    mode: int
    k: float
    omega: float
    up: bool


class NoRoot(Exception):
    """Newton's method has not converged, or a root cannot be followed beyond `last`."""

    def __init__(self, last: Root | None = None) -> None:
        super().__init__()
        self.last = last


@dataclass(frozen=True, slots=True)
class Equation:
    """Equation (1) of a structure and its forces.

    Parameters
    ----------
    structure : its `mass`, `stiffness`, `mu`
    forces : Q(k)
    kappa, share : of (1), and the share of the loads
    """

    structure: Any
    forces: Forces
    kappa: float
    share: float = 1.0

    @property
    def factor(self) -> float:
        return self.share / (2 * pi * float(self.structure.mu))

    def solve(self, near: Root) -> Root:
        """Root near another; NoRoot where the iterations do not end."""
        mass, stiffness = self.structure.mass, self.kappa**2 * self.structure.stiffness
        q, c, x, factor = near.q, near.q, np.array([near.sigma, near.k]), self.factor
        for _ in range(ITERATIONS):
            p, (loads, slope) = complex(*x), self.forces.with_slope(x[1])
            a = p**2 * mass + stiffness - factor * loads
            by_sigma = 2 * p * (mass @ q)
            by_k = 1j * by_sigma - factor * (slope @ q)
            dq, dx = _newton(a, a @ q, (by_sigma, by_k), c, np.vdot(c, q) - 1)
            q, x = q + dq, x + dx
            if abs(dx).max() <= RESIDUAL * max(abs(x).max(), 1e-6):
                return Root(float(x[0]), float(x[1]), q / np.linalg.norm(q))
        raise NoRoot

    def neutral(self, near: Root) -> tuple[Root, float]:
        """Root with sigma = 0 near another, and its kappa."""
        mass, stiffness = self.structure.mass, self.structure.stiffness
        q, c, x, factor = near.q, near.q, np.array([near.k, self.kappa**2]), self.factor
        for _ in range(ITERATIONS):
            (k, square), (loads, slope) = x, self.forces.with_slope(x[0])
            a = -(k**2) * mass + square * stiffness - factor * loads
            by_k = -2 * k * (mass @ q) - factor * (slope @ q)
            dq, dx = _newton(a, a @ q, (by_k, stiffness @ q), c, np.vdot(c, q) - 1)
            q, x = q + dq, x + dx
            if x[1] <= 0:
                break
            if abs(dx / x).max() <= RESIDUAL:
                return Root(0.0, float(x[0]), q / np.linalg.norm(q)), sqrt(x[1])
        raise NoRoot


def _newton(
    a: ComplexArray,
    f: ComplexArray,
    sides: tuple[ComplexArray, ComplexArray],
    c: ComplexArray,
    norm: Any,
) -> tuple[ComplexArray, FloatArray]:
    """Changes of q and of the two real unknowns: a dq + sides dx = -f, c^H dq = -norm."""
    n = len(f)
    whole, side = np.zeros((2 * n + 2, 2 * n + 2)), np.zeros(2 * n + 2)
    whole[:n, :n] = whole[n:-2, n:-2] = a.real
    whole[n:-2, :n] = a.imag
    whole[:n, n:-2] = -a.imag
    for column, values in zip((-2, -1), sides, strict=True):
        whole[:n, column], whole[n:-2, column] = values.real, values.imag
    whole[-2, :n] = whole[-1, n:-2] = c.real
    whole[-2, n:-2], whole[-1, :n] = c.imag, -c.imag
    side[:n], side[n:-2], side[-2], side[-1] = -f.real, -f.imag, -norm.real, -norm.imag
    try:
        found = np.linalg.solve(whole, side)
    except np.linalg.LinAlgError:
        raise NoRoot from None
    dq: ComplexArray = found[:n] + 1j * found[n:-2]
    return dq, np.asarray(found[-2:])


def windless(structure: Any, kappa: float) -> list[Root]:
    """Roots without loads and without damping at kappa, the lowest first."""
    squares, shapes = np.linalg.eig(np.linalg.solve(structure.mass, structure.stiffness.real))
    found = []
    for j in np.argsort(squares.real):
        shape = shapes[:, j].astype(complex)
        found.append(Root(0.0, kappa * sqrt(squares[j].real), shape / np.linalg.norm(shape)))
    return found


def followed(at: Callable[[float], Equation], start: Root, first: float, last: float) -> Root:
    """Root at a parameter `last`, from that at `first`, in steps over which it changes little.

    Raises
    ------
    NoRoot    it cannot be followed
    """
    here, root, step = first, start, last - first
    least = abs(step) / 2**HALVINGS
    for _ in range(STEPS):
        there = last if abs(last - here) <= abs(step) * (1 + 1e-9) else here + step
        try:
            made = at(there).solve(root)
            away = np.hypot(made.sigma - root.sigma, made.k - root.k)
            good = away <= FAR * root.size and abs(np.vdot(made.q, root.q)) >= ALIKE
        except NoRoot:
            good = False
        if good:
            here, root, step = there, made, step * (1.5 if abs(step) < abs(last - first) else 1)
            if here == last:
                return root
        elif abs(step) / 2 < least:
            break
        else:
            step /= 2
    raise NoRoot(root)


@dataclass(frozen=True, slots=True)
class Track:
    """A mode over V*: its roots, and the crossings of its damping.

    Parameters
    ----------
    roots : (speeds,)    None from where its frequency has come to 0, or it cannot be followed
    lost : V* up to which it could be followed, where it could no further; else nan
    """

    mode: int
    roots: list[Root | None]
    crossings: list[Crossing]
    lost: float


def tracks(structure: Any, forces: Forces, speeds: FloatArray, of: str = "") -> list[Track]:
    """Every mode over increasing V*.

    Parameters
    ----------
    of : end of the name of what fails, such as " at Mach 0.8"

    Raises
    ------
    CaseError    a root beyond the frequencies of Q
    """
    scale, made = sqrt(structure.mu), []
    for mode, still in enumerate(windless(structure, 1 / (speeds[0] * scale)), start=1):
        _within(forces, still, mode, speeds[0], of)
        roots: list[Root | None] = [None] * len(speeds)
        root, lost = still, float("nan")
        for i, speed in enumerate(speeds):
            try:
                root = _next(structure, forces, root, speeds[i - 1] if i else None, speed)
            except NoRoot as end:
                # near rest k falls as a root of the distance, faster than steps follow
                slow = AT_REST * still.k * speeds[0] / speed
                if end.last is None or end.last.k > slow:
                    lost = speeds[max(i - 1, 0)]
                break
            if root.k <= AT_REST * still.k * speeds[0] / speed:
                break
            _within(forces, root, mode, speed, of)
            roots[i] = root
        made.append(Track(mode, roots, _crossings(structure, forces, mode, speeds, roots), lost))
    return made


def _next(structure: Any, forces: Forces, root: Root, before: float | None, speed: float) -> Root:
    """Root at a V* from that at the one before; at the first from that without loads."""
    scale = sqrt(structure.mu)

    def at(speed: float) -> Equation:
        return Equation(structure, forces, 1 / (speed * scale))

    def loaded(share: float) -> Equation:
        return replace(at(speed), share=share)

    if before is not None:
        return followed(at, root, before, speed)
    for j in range(SHARES):
        root = followed(loaded, root, j / SHARES, (j + 1) / SHARES)
    return root


def _within(forces: Forces, root: Root, mode: int, speed: float, of: str) -> None:
    """CaseError where Q does not reach a root."""
    if forces.least <= root.k <= forces.most * (1 + 1e-9):
        return
    way = (
        "larger k, or begin at a higher" if root.k > forces.most else "smaller k, or end at a lower"
    )
    raise CaseError(
        f"flutter: mode {mode}{of} has k = {root.k:.3g} at speed index {speed:.3g}, and Q is known "
        f"from k = {forces.least:.3g} to {forces.most:.3g}; give Q at {way} speed index"
    )


def _crossings(
    structure: Any, forces: Forces, mode: int, speeds: FloatArray, roots: list[Root | None]
) -> list[Crossing]:
    """Crossings of a mode: V* between which its damping changes its sign, made exact."""
    found = []
    for i in range(len(speeds) - 1):
        one, other = roots[i], roots[i + 1]
        if one is None or other is None or (one.sigma > 0) == (other.sigma > 0):
            continue
        root, speed = _neutral(structure, forces, one, other, speeds[i], speeds[i + 1])
        omega = root.k * speed * sqrt(structure.mu)
        found.append(Crossing(speed, mode, root.k, omega, other.sigma > 0))
    return found


def _neutral(
    structure: Any, forces: Forces, one: Root, other: Root, low: float, high: float
) -> tuple[Root, float]:
    """Root without damping, and its V*, between two V* at which signs of damping differ."""
    scale = sqrt(structure.mu)
    while True:
        share = one.sigma / (one.sigma - other.sigma)
        speed = low + share * (high - low)
        try:
            near = Root(0.0, one.k + share * (other.k - one.k), one.q)
            root, kappa = Equation(structure, forces, 1 / (speed * scale)).neutral(near)
            if low <= 1 / (kappa * scale) <= high:
                return root, 1 / (kappa * scale)
        except NoRoot:
            pass
        middle = (low + high) / 2
        if not low < middle < high:
            return one, low
        half = _next(structure, forces, one, low, middle)
        if (half.sigma > 0) == (one.sigma > 0):
            one, low = half, middle
        else:
            other, high = half, middle


def divergence(structure: Any, forces: Forces) -> float:
    """Lowest V* at which the stiffness kappa^2 K - Q(0) / (2 pi mu) is lost; nan without one.

    nan too where Q is not known at k = 0.
    """
    if forces.least > 0:
        return float("nan")
    lost = np.linalg.eigvals(np.linalg.solve(structure.stiffness.real, forces(0.0).real))
    squares = [v.real for v in lost if abs(v.imag) <= 1e-9 * abs(v) and v.real > 0]
    return sqrt(2 * pi / max(squares)) if squares else float("nan")
