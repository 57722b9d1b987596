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
from kinemesh.mesh.generate.anderson import Anderson
from kinemesh.mesh.sections.outline import uncrossed
from kinemesh.mesh.sections.section import Section
from kinemesh.mesh.sections.trailing import SMOOTH

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

CIRCLE = 2048  # points on the circle
PANELS = 3000  # pieces of the section for its arc length
FINE = 8193  # points of the integral of ds/dtheta
ITERATIONS = 200
MIXED_ITERATIONS = 600
TOLERANCE = 1e-9  # change of arc length per iteration [chord]: far below any cell
SPREAD = 4.0  # points of the circle that a jump of the tangent is spread over
SMOOTHED = (np.inf, 400.0, 200.0, 100.0)  # modes in one attempt after the other
BESIDE = 1e-9  # distance from a joint, in the curve's parameter, where its tangents are taken


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
            uncrossed(section)
            turned = " and ".join(f"{turn:.0f}" for turn in np.degrees(self.turns) + 0.0)
            raise MeshError(
                f"{section.name}: where it starts and ends, at ({z[0].real:.4g}, {z[0].imag:.4g}), "
                f"the outline turns by {turned} degrees, expected 17 to 180 as at a trailing edge; "
                f"{SMOOTH}"
            )
        self._table = s, angle
        self._jumps = [self._jump(u) for u in section.joints]

    def _jump(self, u: float) -> float:
        """Turn of the tangent at parameter u [rad]."""
        before, after = np.angle(self.section.curve(np.array([u - BESIDE, u + BESIDE]))[1])
        return float(_turn(after - before))

    def spread(self, s: Floats, theta: Floats) -> Floats:
        """Correction of the tangent angle at rising angles on the circle, with arc length s.

        Each jump then is a ramp: the angle depends continuously on s.
        """
        u = self.parameter(s)
        change = np.zeros(len(s))
        width = SPREAD * 2 * np.pi / CIRCLE
        for joint, jump in zip(self.section.joints, self._jumps, strict=True):
            ramp = np.clip((theta - np.interp(joint, u, theta)) / width + 0.5, 0.0, 1.0)
            change += jump * (ramp - (u > joint))
        return change

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

    def parameters(self, theta: Floats) -> Floats:
        """Parameters of the section's curve at circle angles off the base in [0, 2 pi]."""
        s = self.arc(_v_of(theta, self.corner))
        return np.clip(self.contour.parameter(s), 0.0, 1.0)

    def points(self, theta: Floats) -> Complexes:
        """Points of the section, exact on its curve, at circle angles in [0, 2 pi]."""
        curve, corner = self.contour.section.curve, self.corner
        if corner == 0.0:
            return curve(self.parameters(theta))[0]
        z = np.empty(len(theta), np.complex128)
        upper, lower = curve(np.array([0.0, 1.0]))[0]
        signed = np.where(theta > np.pi, theta - 2 * np.pi, theta)
        base = np.abs(signed) <= corner * (1 + 1e-12)
        # on the base ds/dtheta follows the two square roots of a rectangular end
        ratio = np.clip(signed[base] / corner, -1.0, 1.0)
        share = 0.5 + (np.arcsin(ratio) + ratio * np.sqrt(1 - ratio**2)) / np.pi
        z[base] = lower + share * (upper - lower)
        z[~base] = curve(self.parameters(theta[~base]))[0]
        return z

    def derivative(self, zeta: Complexes) -> Complexes:
        """dz/dzeta at points outside or on the circle."""
        inverse = 1.0 / zeta
        product = exponential(self.coefficients, inverse)
        for angle, beta in _corners(self.contour, self.corner):
            product *= (1.0 - np.exp(1j * angle) * inverse) ** beta
        return product

    @property
    def scale(self) -> float:
        """Radius of the section's circle: |z| / |zeta| far away [chord]."""
        return float(np.exp(self.coefficients[0].real))


def exponential(c: Complexes, inverse: Complexes) -> Complexes:
    """exp of the sum of c_n inverse^n, |inverse| <= 1."""
    small = np.abs(inverse).max()
    # terms below 1e-15 of the first are left out: most of the field needs few
    count = len(c) if small > 0.999 else min(len(c), int(35.0 / -np.log(small)) + 2)
    total = np.full(inverse.shape, c[count - 1])
    for k in range(count - 2, -1, -1):
        total *= inverse
        total += c[k]
    return np.exp(total)


def _corners(contour: Contour, corner: float) -> list[tuple[float, float]]:
    """Angle on the circle and exponent of each corner."""
    places = (corner, -corner) if contour.gap > 0 else (0.0,)
    return [(a, turn / np.pi) for a, turn in zip(places, contour.turns, strict=True)]


def _theta_of(v: Floats, corner: float) -> Floats:
    """Angles for v in [-1, 1], dense towards the corners so that ds/dv is smooth at them."""
    return np.pi + (np.pi - corner) * np.sin(0.5 * np.pi * np.sin(0.5 * np.pi * v))


def _v_of(theta: Floats, corner: float) -> Floats:
    ratio = np.clip((theta - np.pi) / (np.pi - corner), -1.0, 1.0)
    return np.arcsin(np.arcsin(ratio) * 2 / np.pi) * 2 / np.pi


def circle_map(section: Section) -> CircleMap:
    """The conformal map of a section.

    Raises
    ------
    MeshError    if the outline crosses itself, or the fixed point is not reached (a shape too far
                 from an aerofoil)
    """
    contour = Contour(section)
    found = _Iteration(contour)
    if found.ended():
        return found.map
    uncrossed(section)
    for modes in SMOOTHED:
        found = _Iteration(contour, Anderson(), modes)
        if found.ended():
            return found.map
    raise MeshError(
        f"{section.name}: no conformal map after {ITERATIONS} iterations and {len(SMOOTHED)} times "
        f"{MIXED_ITERATIONS} accelerated ones (last change {found.change:.2g} chords), expected "
        f"{TOLERANCE:g}; check the section for loops and kinks"
    )


class _Iteration:
    """The fixed point, plain, or with a mix of earlier iterates.

    With a mix the tangent's jumps at the section's joints are spread over a few points of the
    circle: a point that lies at a joint would else go from one side to the other for ever.  Modes
    beyond `modes` fade: the map is that of a smoother section, the wall's points are its own.
    """

    def __init__(
        self, contour: Contour, mix: Anderson | None = None, modes: float = np.inf
    ) -> None:
        self.contour, self.mix = contour, mix
        self.fading = np.exp(-((np.arange(CIRCLE // 2) / modes) ** 2))
        self.fading[:2] = 1.0  # the scale, and what closes the curve
        self.theta = 2 * np.pi * np.arange(CIRCLE) / CIRCLE
        self.v = np.linspace(-1.0, 1.0, FINE)
        self.corner = 2.0 * np.sqrt(contour.gap / np.pi) if contour.gap > 0 else 0.0
        rough = np.sqrt(np.sin(_theta_of(self.v, self.corner)) ** 2 + 0.04)
        self.arc = _arc_length(self.v, self.corner, rough, contour.length)
        self.change = np.inf

    @property
    def map(self) -> CircleMap:
        """The map that was reached."""
        return CircleMap(self.contour, self.corner, self.arc, self.coefficients)

    def ended(self) -> bool:
        """Iterate; True if the fixed point is reached."""
        before = self.arc(_v_of(self.theta, self.corner))
        for _ in range(ITERATIONS if self.mix is None else MIXED_ITERATIONS):
            speed = self._step()
            now = self.arc(_v_of(self.theta, self.corner))
            self.change, before = float(np.abs(now - before).max()), now
            if self.change < TOLERANCE:
                length = _integral(self.v, self.corner, speed)
                self.coefficients[0] += np.log(self.contour.length / length)
                return True
        return False

    def _step(self) -> Floats:
        """One step; d(arc length)/d(theta) at the fine angles."""
        contour, v = self.contour, self.v
        c = _coefficients(contour, self.corner, self.theta, self.arc, self.mix is not None)
        if self.mix is not None:
            c *= self.fading
        self.coefficients = c
        values = _real_part(c, self.theta)
        if self.mix is not None:
            values = self.mix(values)
        log_speed = CubicSpline(
            np.append(self.theta, 2 * np.pi), np.append(values, values[0]), bc_type="periodic"
        )
        exact = _theta_of(v, self.corner)
        speed = np.exp(log_speed(exact)) * _factors(contour, self.corner, exact)
        if contour.gap > 0:
            self.corner *= np.sqrt(_base_ratio(contour, self.corner, log_speed, speed, v))
        self.arc = _arc_length(v, self.corner, speed, contour.length)
        return speed


def _coefficients(
    contour: Contour, corner: float, theta: Floats, arc: CubicSpline, spread: bool
) -> Complexes:
    """Coefficients c_n from the tangent angle on the circle; `spread` smooths its jumps."""
    angle = np.full(len(theta), contour.base_angle)
    on = (theta >= corner) & (theta <= 2 * np.pi - corner)
    s = arc(_v_of(theta[on], corner))
    angle[on] = contour.angle(s)
    if spread:
        angle[on] += contour.spread(s, theta[on])
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


def _real_part(c: Complexes, theta: Floats) -> Floats:
    """log |exp(sum)| at the circle's points."""
    spectrum = np.zeros(len(theta), np.complex128)
    spectrum[: len(c)] = np.conj(c)
    return np.fft.ifft(spectrum).real * len(theta)


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
    """Required over present length of the base, both per length of the section."""
    t, weight = np.polynomial.legendre.leggauss(40)
    angle = 0.5 * np.pi * t  # theta = corner sin(angle): the square roots become smooth
    theta = corner * np.sin(angle)
    rate = np.exp(log_speed(theta % (2 * np.pi))) * _factors(contour, corner, theta)
    base = float(np.sum(weight * rate * corner * np.cos(angle)) * 0.5 * np.pi)
    return (contour.gap / contour.length) / (base / _integral(v, corner, speed))
