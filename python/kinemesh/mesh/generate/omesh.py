"""O-meshes about aerofoil sections for inviscid flow, from the section's conformal map.

Rays of constant circle angle leave the wall at right angles; along each ray the steps of
log |zeta| grow geometrically.  Both step sizes vary smoothly round the section, so that wall cells
keep one aspect ratio, and are near square at the trailing edge, where the map turns the corner.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from kinemesh.errors import MeshError
from kinemesh.mesh.generate.conformal import CircleMap, circle_map
from kinemesh.mesh.generate.rays import Complexes, Floats, Wanted, bounded, layers
from kinemesh.mesh.sections.section import Section
from kinemesh.sentences import NODES

WALL_ASPECT = 2.2  # length over height of a wall cell, as in published O-meshes for Euler flow
# height over length of the outermost cells, by the outer boundary's marker; sets the default growth
OUTER_ASPECT = {"farfield": 7.3, "overset": 1.0}
TRAILING_WIDTH = 0.45  # reach of the trailing edge's own spacing, circle angle [rad]


def structured(shape: Section, wanted: Wanted) -> Complexes:
    """Points (rings, around), complex, wall first; mirrored exactly for a symmetric section.

    Ray 0 leaves from the (middle of the) trailing edge; rays count counter-clockwise.
    """
    circle = circle_map(shape)
    far = np.log(wanted.far_field / circle.scale)
    around, steps = _counts(circle, wanted, far)
    between = around * _at_middle(*_angles(circle, wanted, around))
    around, steps = _counts(circle, wanted, far, between)
    theta, rate = _angles(circle, wanted, around)
    if shape.symmetric:
        theta, rate = theta[: around // 2 + 1], rate[: around // 2 + 1]
    first = _first_steps(circle, wanted, theta, rate)
    if _at_middle(theta, first) * steps > 0.8 * far:
        raise MeshError(
            f"airfoil: {steps} layers of the wall's height nearly fill the far field, expected "
            "layers that grow: ask for fewer ",
            NODES,
            ", a smaller wall_spacing or more ",
            NODES,
            " around",
        )
    logs = layers(bounded(first, 0.8 * far / steps), far, steps)
    power = 2.0 if wanted.outer == "overset" else 1.0
    points = traced(circle, theta, logs, wanted.far_field, 0.5, power)
    if shape.symmetric:
        points[:, [0, -1]] = points[:, [0, -1]].real
        points = np.concatenate([points, np.conj(points[:, -2:0:-1])], axis=1)
    return points


def _counts(
    circle: CircleMap, wanted: Wanted, far: float, between: float = 2 * np.pi
) -> tuple[int, int]:
    """Nodes round the section and steps from wall to far field.

    `between / around` is the step between rays at mid-chord [rad].
    """

    def steps(around: float) -> float:
        step = between / around / _aspect(circle, wanted, between / around)
        if wanted.growth is not None:
            return float(np.log1p(far * (wanted.growth - 1) / step) / np.log(wanted.growth))
        ratio = max(1.001, OUTER_ASPECT[wanted.outer] * between / around / step)
        return float(far * np.log(ratio) / (step * (ratio - 1)))

    around = wanted.around
    if around is None:
        low, high = 16.0, wanted.nodes / 6.0
        if (low * (steps(low) + 1) > wanted.nodes) or (high * (steps(high) + 1) < wanted.nodes):
            raise MeshError(
                "airfoil: ",
                NODES,
                f" = {wanted.nodes} does not fit the wall_spacing, growth and "
                "far_field asked for; leave one of them out",
            )
        around = brentq(lambda n: n * (steps(n) + 1) - wanted.nodes, low, high, rtol=1e-6)
        around = 2 * round(around / 2)
    return around, round(wanted.nodes / around) - 1


def _aspect(circle: CircleMap, wanted: Wanted, rate: float) -> float:
    """Length over height of the wall cells; `rate` is the step between rays at mid-chord [rad]."""
    if wanted.wall_spacing is None:
        return WALL_ASPECT
    slope = circle.derivative(np.array([1j]))[0]
    return float(rate * abs(slope) / wanted.wall_spacing)


def _bump(theta: Floats | float, width: float) -> Floats:
    """1 at the trailing edge, falling off smoothly and periodically within `width` [rad]."""
    return 1.0 / (1.0 + (2.0 * np.sin(0.5 * theta) / width) ** 2) ** 2


def _angles(circle: CircleMap, wanted: Wanted, around: int) -> tuple[Floats, Floats]:
    """Circle angle of each ray and the local step between rays [rad].

    The map alone makes the first edge at the trailing edge shrink with 1 / around^2, needlessly
    fine; a bump in the step size brings it to the spacing asked for.
    """
    fine = np.linspace(0.0, 2 * np.pi, 40 * around + 1)
    bump = _bump(fine, TRAILING_WIDTH)

    def index(stretch: float) -> Floats:
        """Ray index over the fine angles."""
        density = 1.0 / (1.0 + stretch * bump)
        total = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
        return total * (around / total[-1])

    stretch = _stretch(circle, wanted, around, fine, index)
    ray = index(stretch)
    ray = 0.5 * (ray + around - ray[::-1])  # mirrored to round-off
    spline = PchipInterpolator(ray, fine)
    theta = spline(np.arange(around))
    if circle.corner > 0:
        half = round(float(np.interp(circle.corner, fine, ray)))
        theta[half], theta[around - half] = circle.corner, 2 * np.pi - circle.corner
    return theta, spline(np.arange(around), 1)


def _stretch(
    circle: CircleMap, wanted: Wanted, around: int, fine: Floats, index: Callable[[float], Floats]
) -> float:
    """Relative excess of the step between rays at the trailing edge, 0 for equal steps."""
    spacing = wanted.trailing_spacing or wanted.trailing_step / around
    low, top = -0.9, 3.0  # beyond four times the plain step the wake is starved of rays
    if circle.corner > 0:
        # the corners of a blunt edge must lie on rays: a whole number of edges to each
        def edges(stretch: float) -> float:
            return float(np.interp(circle.corner, fine, index(stretch)))

        plain = edges(0.0)
        target = max(1, round(min(plain, 0.5 * circle.contour.gap / spacing)))
        if plain <= target:
            return _negative_stretch(edges, target)
        return float(brentq(lambda x: edges(x) - target, 0.0, 1e4, rtol=1e-12))

    def first(stretch: float) -> float:
        angle = np.interp(1.0, index(stretch), fine)
        ends = circle.points(np.array([0.0, angle]))
        return float(abs(ends[1] - ends[0]))

    least, most = first(low), first(top)
    if wanted.trailing_spacing is None:
        spacing = min(max(spacing, first(0.0)), most)  # no finer than the map's: angles
    if not least <= spacing <= most:
        raise MeshError(
            f"airfoil: trailing_spacing = {spacing:g} does not fit this many ",
            NODES,
            f", expected {least:.3g} to {most:.3g}",
        )
    return float(brentq(lambda x: first(x) - spacing, low, top, rtol=1e-10))


def _negative_stretch(edges: Callable[[float], float], target: int) -> float:
    """A stretch below 0, clustering: more edges to the corner than the map alone gives."""
    low = -0.999
    if edges(low) < target:
        raise MeshError(
            "airfoil: the blunt trailing edge is too thin for this many ",
            NODES,
            ", expected at least one edge on each half of it; ask for more ",
            NODES,
            " or another trailing_edge",
        )
    return float(brentq(lambda x: edges(x) - target, low, 0.0, rtol=1e-12))


def _first_steps(circle: CircleMap, wanted: Wanted, theta: Floats, rate: Floats) -> Floats:
    """First step of log |zeta| on each ray: the step between rays over the aspect ratio.

    At the trailing edge the ratio tends to 1: there the map bends rays by the section's corner,
    and only square cells of the circle become good triangles.
    """
    aspect = _aspect(circle, wanted, _at_middle(theta, rate))
    away = (1.0 - _bump(theta, TRAILING_WIDTH)) / (1.0 - _bump(0.5 * np.pi, TRAILING_WIDTH))
    return rate * aspect**-away


def _at_middle(theta: Floats, value: Floats) -> float:
    """Value at mid-chord of the upper side, a quarter of the circle from the trailing edge."""
    return float(np.interp(0.5 * np.pi, theta, value))


class Map(Protocol):
    """A conformal map from outside the unit circle."""

    @property
    def coefficients(self) -> Complexes:
        """c_n of the logarithm of its derivative."""
        ...

    def points(self, theta: Floats) -> Complexes:
        """Points of the wall at circle angles."""
        ...

    def derivative(self, zeta: Complexes) -> Complexes:
        """dz/dzeta at points outside or on the circle."""
        ...


def traced(
    circle: Map, theta: Floats, logs: Floats, far: float, middle: complex, power: float = 1.0
) -> Complexes:
    """Points on the rays: the wall exactly, then dz/dzeta integrated outwards by Gauss' rule.

    Points are shifted in proportion to |zeta| - 1 so that the last ring is the circle of radius
    `far` about `middle`.  With the boundary of an overset part, which is near, it is the square:
    at a trailing edge the map is quadratic in zeta - 1, and a linear shift folds the cells.
    """
    points = _trace(circle, theta, logs)
    target = middle + far * np.exp(1j * (theta + circle.coefficients[0].imag))
    shifted = points + (np.expm1(logs) / np.expm1(logs[-1])) ** power * (target - points[-1])
    shifted[-1] = target
    return shifted


def _trace(circle: Map, theta: Floats, logs: Floats) -> Complexes:
    """Points on the rays."""
    wall = circle.points(theta)
    ray = np.exp(1j * theta)
    low, step = logs[:-1], np.diff(logs, axis=0)
    total = np.zeros_like(low, dtype=np.complex128)
    for block in _blocks(low):
        count = 6 if block.start == 0 else 2  # at the wall dz/dzeta has the corners' powers
        for abscissa, weight in zip(*np.polynomial.legendre.leggauss(count), strict=True):
            log_radius = low[block] + step[block] * (0.5 + 0.5 * abscissa)
            zeta = np.exp(log_radius) * ray
            total[block] += 0.5 * weight * step[block] * zeta * circle.derivative(zeta)
    return np.concatenate([wall[None], wall + np.cumsum(total, axis=0)])


def _blocks(low: Floats) -> list[slice]:
    """Layers in groups of similar radius: the farther, the fewer terms of the series."""
    ends = [0, 1, *(round(len(low) * part) for part in (0.03, 0.07, 0.15, 0.3, 0.6)), len(low)]
    ends = sorted(set(ends))
    return [slice(a, b) for a, b in itertools.pairwise(ends)]
