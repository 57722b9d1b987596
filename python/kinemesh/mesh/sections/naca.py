"""NACA 4- and 5-digit sections: one thickness, laid off at right angles to a camber line.

4-digit: Jacobs, Ward, Pinkerton, NACA TR-460 (1933).  5-digit, standard and reflex: Jacobs,
Pinkerton, NACA TR-537 (1935).  Equations and constants of both as in Ladson, Brooks, Hill, Sproles,
NASA TM 4741 (1996).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinemesh.errors import MeshError
from kinemesh.mesh.sections.section import Complexes, Floats, Section
from kinemesh.mesh.sections.trailing import THICK

Camber = Callable[[Floats], tuple[Floats, Floats, Floats]]  # x -> y, its slope, second derivative

NACA_OPEN = (0.2969, -0.1260, -0.3516, 0.2843, -0.1015)  # of sqrt(x), x, x^2, x^3, x^4
# 5-digit mean lines of design lift 0.3, by place of the camber [twentieths of the chord]:
# end of the front part m, k1, and for the reflex ones k2 / k1
STANDARD = {
    1: (0.0580, 361.4, 0.0),
    2: (0.1260, 51.64, 0.0),
    3: (0.2025, 15.957, 0.0),
    4: (0.2900, 6.643, 0.0),
    5: (0.3910, 3.230, 0.0),
}
REFLEX = {
    2: (0.1300, 51.990, 0.000764),
    3: (0.2170, 15.793, 0.00677),
    4: (0.3180, 6.520, 0.0303),
    5: (0.4410, 3.191, 0.1355),
}


def by_digits(digits: str, trailing_edge: str | None) -> Section:
    """The section of four or five digits."""
    first, thickness = [int(digit) for digit in digits[:-2]], int(digits[-2:])
    if len(first) == 2:
        return naca4(first[0], first[1], thickness, trailing_edge)
    return naca5(first[0], first[1], first[2], thickness, trailing_edge)


def naca4(camber: int, place: int, thickness: int, trailing_edge: str | None = None) -> Section:
    """NACA 4-digit section: camber [%], its place [tenths], thickness [%]."""
    name = f"naca{camber}{place}{thickness:02d}"
    if thickness == 0 or (camber > 0) != (place > 0):
        raise MeshError(
            f"{name}: expected a thickness above 00, and camber and its place both zero or neither"
        )
    m, p = camber / 100.0, place / 10.0
    # the camber line's curvature jumps at p, and with it the tangent of a curve at a distance from
    # it that changes
    joints = (0.5 - 0.5 * np.sqrt(p), 0.5 + 0.5 * np.sqrt(p)) if camber else ()
    return _section(name, lambda x: _parabolas(m, p, x), thickness, trailing_edge, joints)


def naca5(
    lift: int, place: int, reflex: int, thickness: int, trailing_edge: str | None = None
) -> Section:
    """NACA 5-digit section: design lift [0.15], place of the camber [twentieths], thickness [%].

    Parameters
    ----------
    reflex : 0 or 1    1: the camber line turns up behind, for no moment about the quarter chord
    """
    name = f"naca{lift}{place}{reflex}{thickness:02d}"
    lines = (STANDARD, REFLEX)[reflex] if reflex in (0, 1) else {}
    if thickness == 0 or lift == 0 or place not in lines:
        raise MeshError(
            f"{name}: expected digits L P Q and a thickness above 00, with L from 1, and P from 1 "
            "to 5 with Q = 0, or 2 to 5 with Q = 1 (reflex)"
        )
    m, k1, ratio = lines[place]
    scale = lift / 2.0 * k1 / 6.0  # the mean lines are tabulated for L = 2
    return _section(name, lambda x: _cubics(m, scale, ratio, x), thickness, trailing_edge)


def _section(
    name: str, line: Camber, percent: int, trailing_edge: str | None, joints: tuple[float, ...] = ()
) -> Section:
    """The section of a camber line and a thickness [%]."""
    t = percent / 100.0
    a = _coefficients(trailing_edge)

    def curve(u: Floats) -> tuple[Complexes, Complexes]:
        q = 1.0 - 2.0 * u  # signed sqrt(x): both sides are one smooth curve through the nose
        x = q * q
        half, half_slope = (5.0 * t * v for v in _half_thickness(a, q))
        y, slope, bend = line(x)
        normal = 1j * (1.0 + 1j * slope) / np.sqrt(1.0 + slope**2)
        turn = bend / (1.0 + slope**2)
        dz = 2.0 * q * (1.0 + 1j * slope) + normal * (half_slope + 2j * q * turn * half)
        return x + 1j * y + half * normal, -2.0 * dz

    gap = 2.0 * 5.0 * t * max(float(a.sum()), 0.0) if trailing_edge == "open" else 0.0
    straight = not np.any(line(np.linspace(0.0, 1.0, 11))[0])
    shut = 10.0 * t * sum(NACA_OPEN) if trailing_edge in (None, "closed") else 0.0
    notes = (f"{name}: trailing edge of {shut:.4g} chords closed",) if shut > THICK else ()
    return Section(name, curve, gap, straight, joints, notes)


def _coefficients(trailing_edge: str | None) -> Floats:
    """Coefficients of the half thickness over 5 t, for a kind of trailing edge."""
    a = np.array(NACA_OPEN)
    if trailing_edge == "sharp":
        from scipy.optimize import brentq  # here: meshes that are read do not need it

        reach = brentq(lambda x: _half_thickness(a, np.sqrt(x))[0], 1.0, 1.1, xtol=1e-15)
        # x -> reach x and y -> y / reach, put into the coefficients, keep the chord at 1
        a = a * reach ** (np.array([0.5, 1.0, 2.0, 3.0, 4.0]) - 1.0)
    if trailing_edge != "open":
        a[4] = -a[:4].sum()  # closed: -0.1036; sharp: the root, without its round-off
    return a


def _half_thickness(a: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Half thickness over 5 t, odd in q = +-sqrt(x), and its derivative in q."""
    r = np.abs(q)
    value = q * (a[0] + r * (a[1] + r**2 * (a[2] + r**2 * (a[3] + r**2 * a[4]))))
    slope = a[0] + r * (2 * a[1] + r**2 * (4 * a[2] + r**2 * (6 * a[3] + r**2 * 8 * a[4])))
    return value, slope


def _parabolas(m: float, p: float, x: Floats) -> tuple[Floats, Floats, Floats]:
    """4-digit camber line, its slope and second derivative."""
    if m == 0.0:
        zero = np.zeros_like(x)
        return zero, zero, zero
    front = x < p
    scale = m / np.where(front, p, 1.0 - p) ** 2
    rest = np.where(front, 0.0, 1.0 - 2.0 * p)
    return scale * (rest + 2.0 * p * x - x * x), 2.0 * scale * (p - x), -2.0 * scale


def _cubics(m: float, scale: float, ratio: float, x: Floats) -> tuple[Floats, Floats, Floats]:
    """5-digit camber line, its slope and second derivative; both parts in one (TM 4741)."""
    ahead = x - m
    cubic = np.where(ahead < 0, 1.0, ratio)
    tilt = ratio * (1.0 - m) ** 3 + m**3
    y = cubic * ahead**3 - tilt * x + m**3
    return scale * y, scale * (3.0 * cubic * ahead**2 - tilt), scale * 6.0 * cubic * ahead
