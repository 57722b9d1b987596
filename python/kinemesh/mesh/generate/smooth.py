"""Conformal map from outside the unit circle to outside a smooth closed curve.

    dz/dzeta = exp(sum_n c_n zeta^-n),    c_1 = 0

dtheta/dt on the curve, the charge of a conductor of its shape, has the same potential all along it:

    1/(2 pi) int log |z(t) - z(t')| dtheta/dt' dt' = log(scale),    int dtheta/dt dt = 2 pi,

a linear system (Symm, Numerische Mathematik 10, 1967) in which log |2 sin((t - t') / 2)| is
integrated exactly on trigonometric polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from kinemesh.errors import MeshError
from kinemesh.mesh.generate.conformal import exponential

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

COUNTS = (256, 512, 1024, 2048)  # points of the system, in one attempt after the other
PASSES = 3  # of the first, over the mean of angle and length that the one before found
TOLERANCE = 1e-6  # change of the angle from one number of points to the next [rad]
ENOUGH = 2e-3  # change that is no error with the most points: a fraction of any cell
SAMPLES = 4096  # places where the angle is kept
CIRCLE = 4096  # points on the circle from which the series comes


@dataclass(frozen=True, slots=True)
class SmoothMap:
    """The map, and where the curve lies on the circle.

    Parameters
    ----------
    curve : CubicSpline        complex points over a periodic parameter, counter-clockwise
    parameter : CubicSpline    rising: the parameter over the circle's angle in [0, 2 pi]
    coefficients : (n,)        c_n
    """

    curve: CubicSpline
    parameter: CubicSpline
    coefficients: Complexes

    def points(self, theta: Floats) -> Complexes:
        """Points of the curve at circle angles in [0, 2 pi]."""
        z: Complexes = self.curve(self.parameter(theta))
        return z

    def derivative(self, zeta: Complexes) -> Complexes:
        """dz/dzeta at points outside or on the circle."""
        return exponential(self.coefficients, 1.0 / zeta)

    @property
    def scale(self) -> float:
        """Radius of the curve's circle: |z| / |zeta| far away."""
        return float(np.exp(self.coefficients[0].real))


def smooth_map(curve: CubicSpline, start: float) -> SmoothMap:
    """The map of a closed curve; angle 0 is at the parameter `start`.

    Raises
    ------
    MeshError    for a curve that the most points do not resolve
    """
    u = np.linspace(start, start + curve.x[-1] - curve.x[0], SAMPLES + 1)
    mean = np.linspace(0.0, 2 * np.pi, SAMPLES + 1)
    before, change = mean, np.inf
    for attempt in (*(COUNTS[0],) * (PASSES - 1), *COUNTS):
        theta = _angle(curve, CubicSpline(mean, u), attempt)(mean)
        change, before = float(np.abs(theta - before).max()), theta
        length = CubicSpline(u, np.abs(curve(u, 1))).antiderivative()(u)
        mean = 0.5 * theta + np.pi * length / length[-1]
        mean[-1] = 2 * np.pi
        if change < TOLERANCE:
            break
    if not change < ENOUGH or not (np.diff(theta) > 0).all():
        raise MeshError(
            f"no conformal map of the curve with {max(COUNTS)} points (last change {change:.2g} "
            "radians); is it too thin, does it nearly touch itself, or have deep coves?"
        )
    parameter = CubicSpline(theta, u)
    return SmoothMap(curve, parameter, _series(curve, parameter))


def _angle(curve: CubicSpline, parameter: CubicSpline, count: int) -> CubicSpline:
    """The circle's angle over t, 0 to 2 pi, of which the curve's parameter is a function."""
    t = 2 * np.pi * np.arange(count) / count
    u = parameter(t)
    z, speed = curve(u), np.abs(curve(u, 1)) * parameter(t, 1)
    lag = np.abs(2.0 * np.sin(0.5 * (t[:, None] - t[None, :])))
    away = np.abs(z[:, None] - z[None, :])
    np.fill_diagonal(lag, 1.0)
    np.fill_diagonal(away, speed)
    mode = np.abs(np.fft.fftfreq(count, 1.0 / count))
    mode[0] = np.inf
    exact = np.fft.ifft(-0.5 / mode).real
    number = np.arange(count)
    system = np.empty((count + 1, count + 1))
    system[:-1, :-1] = np.log(away / lag) / count + exact[(number[:, None] - number) % count]
    system[:-1, -1], system[-1, :-1], system[-1, -1] = -1.0, 1.0 / count, 0.0
    right = np.zeros(count + 1)
    right[-1] = 1.0
    charge = np.linalg.solve(system, right)[:-1]  # dtheta/dt
    rate = CubicSpline(np.append(t, 2 * np.pi), np.append(charge, charge[0]), bc_type="periodic")
    return rate.antiderivative()


def _series(curve: CubicSpline, parameter: CubicSpline) -> Complexes:
    """c_n from the speed on the circle, and the turn from the tangent."""
    theta = 2 * np.pi * np.arange(CIRCLE) / CIRCLE
    slope = curve(parameter(theta), 1) * parameter(theta, 1)
    modes = np.fft.fft(np.log(np.abs(slope))) / CIRCLE
    c = np.array(2.0 * np.conj(modes[: CIRCLE // 2]), np.complex128)
    c[1] = 0.0  # closes the curve
    angle = np.unwrap(np.angle(slope)) - theta - 0.5 * np.pi
    c[0] = modes[0].real + 1j * angle.mean()
    return c
