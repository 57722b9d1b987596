"""Conformal map from outside the unit circle to outside a section.

    dz/dzeta = prod_k (1 - zeta_k / zeta)^beta_k  exp(sum_n c_n zeta^-n),   z' finite at infinity

with one factor per corner, beta_k = (turn of the tangent there) / pi.  On the circle the imaginary
part of the sum is the tangent angle less what the factors give; its conjugate gives the real part,
hence d(arc length)/d(theta), hence the tangent angle again: a fixed point (James, Douglas Aircraft
J0914, 1971; Halsey, AIAA J. 17, 1979).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from kinemesh.errors import MeshError
from kinemesh.mesh.sections import Section

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

CIRCLE = 2048  # points on the circle
PANELS = 3000  # pieces of the section for its arc length
FINE = 8193  # points of the integral of ds/dtheta
ITERATIONS = 200
TOLERANCE = 1e-9  # change of arc length per iteration [chord]: far below any cell


class Contour:
    """A section over its arc length: position parameter, tangent angle, corners."""

    def __init__(self, section: Section) -> None:
        knots = np.linspace(0.0, 1.0, PANELS + 1)
        abscissa, weight = np.polynomial.legendre.leggauss(5)
        inner = knots[:-1, None] + (0.5 + 0.5 * abscissa) / PANELS
        speed = np.abs(section.curve(inner.ravel())[1]).reshape(inner.shape)
        s = np.concatenate([[0.0], np.cumsum(speed @ weight * 0.5 / PANELS)])
        z, dz = section.curve(knots)
        self.section = section
        self.length = float(s[-1])
        self.parameter = CubicHermiteSpline(s, knots, 1.0 / np.abs(dz))
        angle = np.unwrap(np.angle(dz))
        self.start, end = angle[0], angle[-1]
        self.gap = float(abs(z[0] - z[-1])) if section.gap > 0 else 0.0
        if self.gap > 0:
            # unwrapped from the end of the section through the base to its start
            base = end + _turn(np.angle(z[0] - z[-1]) - end)
            self.base_angle = base
            self.turns = [self.start + 2 * np.pi - base, base - end]  # upper, lower corner
        else:
            self.base_angle = np.nan
            self.turns = [self.start + 2 * np.pi - end]
        if not all(0.3 < turn <= np.pi * 1.02 for turn in self.turns):
            raise MeshError(
                f"{section.name}: the sides turn by {np.degrees(self.turns)} degrees at the "
                "trailing edge, expected 17 to 180; check the order of the points"
            )
        self._table = s, angle

    def angle(self, s: Floats) -> Floats:
        """Tangent angle at arc length s, continuous from the upper trailing edge [rad]."""
        dz = self.section.curve(self.parameter(s))[1]
        near = np.interp(s, *self._table)
        return near + _turn(np.angle(dz) - near)


def _turn(angle: Floats) -> Floats:
    """The angle brought into [-pi, pi)."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


@dataclass(frozen=True, slots=True)
class CircleMap:
    """The map and where the section lies on the circle.

    theta runs counter-clockwise from the (middle of the) trailing edge.  A blunt trailing edge
    covers |theta| < corner; a sharp one has corner = 0.
    """

    contour: Contour
    corner: float
    arc: CubicSpline  # arc length of the section over v, theta = theta_of(v)
    coefficients: Complexes

    def points(self, theta: Floats) -> Complexes:
        """Points of the section, exact on its curve, at circle angles in [0, 2 pi]."""
        curve, corner = self.contour.section.curve, self.corner
        if corner == 0.0:
            s = self.arc(_v_of(theta, corner))
            return curve(np.clip(self.contour.parameter(s), 0.0, 1.0))[0]
        z = np.empty(len(theta), np.complex128)
        upper, lower = curve(np.array([0.0, 1.0]))[0]
        signed = np.where(theta > np.pi, theta - 2 * np.pi, theta)
        base = np.abs(signed) <= corner * (1 + 1e-12)
        # on the base ds/dtheta follows the two square roots of a rectangular end
        ratio = np.clip(signed[base] / corner, -1.0, 1.0)
        share = 0.5 + (np.arcsin(ratio) + ratio * np.sqrt(1 - ratio**2)) / np.pi
        z[base] = lower + share * (upper - lower)
        s = self.arc(_v_of(theta[~base], corner))
        z[~base] = curve(np.clip(self.contour.parameter(s), 0.0, 1.0))[0]
        return z

    def derivative(self, zeta: Complexes) -> Complexes:
        """dz/dzeta at points outside or on the circle."""
        inverse = 1.0 / zeta
        small = np.abs(inverse).max()
        c = self.coefficients
        # terms below 1e-15 of the first are left out: most of the field needs few
        count = len(c) if small > 0.999 else min(len(c), int(35.0 / -np.log(small)) + 2)
        total = np.full(zeta.shape, c[count - 1])
        for k in range(count - 2, -1, -1):
            total *= inverse
            total += c[k]
        product = np.exp(total)
        for angle, beta in _corners(self.contour, self.corner):
            product *= (1.0 - np.exp(1j * angle) * inverse) ** beta
        return product

    @property
    def scale(self) -> float:
        """Radius of the section's circle: |z| / |zeta| far away [chord]."""
        return float(np.exp(self.coefficients[0].real))


def _corners(contour: Contour, corner: float) -> list[tuple[float, float]]:
    """Angle on the circle and exponent of each corner."""
    places = (corner, -corner) if contour.gap > 0 else (0.0,)
    return [(a, turn / np.pi) for a, turn in zip(places, contour.turns, strict=True)]


def _theta_of(v: Floats, corner: float) -> Floats:
    """Angles for v in [-1, 1], dense towards the corners so that ds/dv is smooth there."""
    return np.pi + (np.pi - corner) * np.sin(0.5 * np.pi * np.sin(0.5 * np.pi * v))


def _v_of(theta: Floats, corner: float) -> Floats:
    ratio = np.clip((theta - np.pi) / (np.pi - corner), -1.0, 1.0)
    return np.arcsin(np.arcsin(ratio) * 2 / np.pi) * 2 / np.pi


def circle_map(section: Section) -> CircleMap:
    """The conformal map of a section.

    Raises
    ------
    MeshError    if the fixed point is not reached (a shape too far from an aerofoil)
    """
    contour = Contour(section)
    theta = 2 * np.pi * np.arange(CIRCLE) / CIRCLE
    v = np.linspace(-1.0, 1.0, FINE)
    corner = 2.0 * np.sqrt(contour.gap / np.pi) if contour.gap > 0 else 0.0
    rough = np.sqrt(np.sin(_theta_of(v, corner)) ** 2 + 0.04)
    arc = _arc_length(v, corner, rough, contour.length)
    before = arc(_v_of(theta, corner))
    for _ in range(ITERATIONS):
        c = _coefficients(contour, corner, theta, arc)
        log_speed = _real_part(c, theta)
        exact = _theta_of(v, corner)
        speed = np.exp(log_speed(exact)) * _factors(contour, corner, exact)
        if contour.gap > 0:
            corner *= np.sqrt(_base_ratio(contour, corner, log_speed, speed, v))
        arc = _arc_length(v, corner, speed, contour.length)
        now = arc(_v_of(theta, corner))
        change, before = float(np.abs(now - before).max()), now
        if change < TOLERANCE:
            c[0] += np.log(contour.length / _integral(v, corner, speed))
            return CircleMap(contour, corner, arc, c)
    raise MeshError(
        f"{section.name}: no conformal map after {ITERATIONS} iterations (last change "
        f"{change:.2g} chords), expected {TOLERANCE:g}; check the section for loops and kinks"
    )


def _coefficients(contour: Contour, corner: float, theta: Floats, arc: CubicSpline) -> Complexes:
    """c_n from the tangent angle at the circle's points."""
    angle = np.full(len(theta), contour.base_angle)
    on = (theta >= corner) & (theta <= 2 * np.pi - corner)
    angle[on] = contour.angle(arc(_v_of(theta[on], corner)))
    first = theta < corner  # the upper half of the base comes before the section starts
    angle[first] -= 2 * np.pi
    rest = angle - theta - 0.5 * np.pi
    for place, beta in _corners(contour, corner):
        ahead = (theta - place) % (2 * np.pi)
        rest -= beta * 0.5 * (np.pi - ahead)
    modes = np.fft.fft(rest) / len(theta)
    half = len(theta) // 2
    c = 2j * np.conj(modes[:half])  # the part e^{-i n theta} of a real function
    c[0] = 1j * modes[0].real
    c[1] = sum(beta * np.exp(1j * a) for a, beta in _corners(contour, corner))  # closes the curve
    if contour.section.symmetric:
        c = c.real.astype(np.complex128)
    return c


def _real_part(c: Complexes, theta: Floats) -> CubicSpline:
    """log |exp(sum)| on the circle, as a periodic spline."""
    spectrum = np.zeros(len(theta), np.complex128)
    spectrum[: len(c)] = np.conj(c)
    values = np.fft.ifft(spectrum).real * len(theta)
    return CubicSpline(
        np.append(theta, 2 * np.pi), np.append(values, values[0]), bc_type="periodic"
    )


def _factors(contour: Contour, corner: float, theta: Floats) -> Floats:
    """|product of the corner factors| on the circle."""
    result = np.ones_like(theta)
    for place, beta in _corners(contour, corner):
        result *= np.abs(2.0 * np.sin(0.5 * (theta - place))) ** beta
    return result


def _integrand(v: Floats, corner: float, speed: Floats) -> Floats:
    inner = 0.5 * np.pi * np.sin(0.5 * np.pi * v)
    return speed * (np.pi - corner) * np.cos(inner) * np.cos(0.5 * np.pi * v) * np.pi**2 / 4


def _integral(v: Floats, corner: float, speed: Floats) -> float:
    return float(CubicSpline(v, _integrand(v, corner, speed)).integrate(-1.0, 1.0))


def _arc_length(v: Floats, corner: float, speed: Floats, length: float) -> CubicSpline:
    """Arc length over v, scaled to end at the section's length."""
    rate = CubicSpline(v, _integrand(v, corner, speed))
    total = rate.integrate(-1.0, 1.0)
    return CubicSpline(v, rate.antiderivative()(v) * (length / total))


def _base_ratio(
    contour: Contour, corner: float, log_speed: CubicSpline, speed: Floats, v: Floats
) -> float:
    """Length the base should have over the one it has, both per length of the section."""
    t, weight = np.polynomial.legendre.leggauss(40)
    angle = 0.5 * np.pi * t  # theta = corner sin(angle): the square roots become smooth
    theta = corner * np.sin(angle)
    rate = np.exp(log_speed(theta % (2 * np.pi))) * _factors(contour, corner, theta)
    base = float(np.sum(weight * rate * corner * np.cos(angle)) * 0.5 * np.pi)
    return (contour.gap / contour.length) / (base / _integral(v, corner, speed))
