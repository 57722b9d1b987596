"""C-meshes about aerofoil sections for inviscid flow, in the parabolic plane of the section's map.

zeta, outside the unit circle, is the plane of the section's conformal map, trailing edge at 1.

    w^2 = zeta + 1/zeta + 2,    w = xi + i eta,    eta >= 0

unwraps section (|xi| <= 2) and wake (|xi| > 2, both sides on the same points) into the real axis:
z(w) is smooth up to the corner of the trailing edge, and lines of constant xi and eta meet at right
angles.  Rays leave the axis at right angles and fan out to the outer boundary.

    xi = X sqrt(1 + eta^2 / (DELTA^2 (1 - X^2 / X_far^2) + X^2)),    X = X(xi at the axis, eta)

An open trailing edge has a fairing (fairing.py): its tip is the trailing edge here.

All steps are a shape times one length, so meshes of one section with more nodes are the same mesh
refined everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from kinemesh.errors import MeshError
from kinemesh.mesh.generate.conformal import CircleMap, circle_map
from kinemesh.mesh.generate.fairing import Base, Corners, faired
from kinemesh.mesh.generate.rays import Complexes, Floats, Wanted, bounded, layers
from kinemesh.mesh.sections.section import Section

WALL_ASPECT = 2.2  # length over height of a wall cell, away from the trailing edge
WAKE_ASPECT = 4.0  # length over height of a cell on the wake cut
OUTER_GROWTH = 8.0  # last over first step on the ray from mid-chord, over sqrt(far field)
NEAREST = 10.0  # smallest far field: nearer, the C is too far from the map's own lines
TRAILING_STEP = 0.02  # step of xi at the trailing edge over that at the nose
TRAILING_WIDTH = 0.3  # reach of the trailing edge's own spacing, in xi
WAKE_GROWTH = 4.0  # how fast steps grow along the wake; per node, this times the step of xi
DELTA = 2.0  # distance from the axis where rays start to fan out
RELAXED = (0.4, 2.0)  # heights at which rays forget the trailing edge, and spread out
SPREAD = 0.7  # how much of the outer spacing is even
SAMPLES = 8000
MIDDLE = np.sqrt(2.0)  # xi at mid-chord


@dataclass(frozen=True, slots=True)
class Axis:
    """Rays of the upper half on the axis, and their spread above it.

    Parameters
    ----------
    xi : (rays,)         places on the axis, 0 (nose) to the outflow
    even, spread         places further up: without the trailing edge's spacing; spread out
    rate : (rays,)       local step of xi
    section : int        index of the trailing edge
    """

    xi: Floats
    even: Floats
    spread: Floats
    rate: Floats
    section: int

    def place(self, eta: Floats) -> Complexes:
        """w (layers, rays) at heights eta."""
        near, far = (eta**2 / (eta**2 + height**2) for height in RELAXED)
        x = self.xi + (self.even - self.xi) * near
        return fan(x + (self.spread - x) * far, eta, self.xi[-1])


def fan(x: Floats, eta: Floats, end: float) -> Complexes:
    """w on the ray that starts at x; the last ray, x = end, is Re(w^2) = end^2."""
    width = DELTA**2 * (1.0 - (x / end) ** 2) + x**2
    return x * np.sqrt(1.0 + eta**2 / width) + 1j * eta


@dataclass(frozen=True, slots=True)
class Rows:
    """Points of a C-mesh.

    Parameters
    ----------
    points : (rows, columns)    section and wake first; columns run from the upper outflow over the
                                nose to the lower outflow; the first row's wake is there twice
    wake : int                  steps along the wake
    fairing : int               steps along each side of the fairing of an open trailing edge
    edges : int                 on each half of its base; 0: one on all of it
    """

    points: Complexes
    wake: int
    fairing: int = 0
    edges: int = 0


def structured(shape: Section, wanted: Wanted) -> Rows:
    """Points of the mesh, complex."""
    refuse_near(wanted)
    base = Base.of(shape, wanted) if shape.gap > 0 else None
    circle = circle_map(shape if base is None else faired(shape, base.length))
    if base is not None:
        wanted = replace(wanted, nodes=wanted.nodes - base.nodes)
    radius = wanted.far_field / circle.scale  # of the outer boundary, in w^2
    axis, rows = _axis(circle, wanted, radius, None if base is None else base.spacing)
    corners = None if base is None else Corners.of(base, circle, axis.xi, axis.section)
    top = height(lambda eta: axis.place(eta), radius, len(axis.xi))
    eta = layers(_first_steps(circle, wanted, axis, top, rows), top, rows)
    w = axis.place(eta)
    halves = []
    for side in (0, 1)[: 1 if shape.symmetric else 2]:
        own = axis
        if corners is not None:
            own = replace(axis, xi=corners.moved(axis.xi, side))
        halves.append(trace(circle, own.xi, own.section, own.place(eta), lower=side == 1))
        if corners is not None:
            halves[side][0, corners.column] = shape.curve(np.array([float(side)]))[0][0]
    upper, lower = halves[0], np.conj(halves[0]) if shape.symmetric else halves[1]
    lower[0, axis.section :] = upper[0, axis.section :]
    weight = np.abs(w) ** 2 - np.abs(w[0]) ** 2
    weight /= weight[-1]
    outer = (w[-1] ** 2 - 2.0) / radius  # 1 on the outflow, exactly
    for half, place in ((upper, outer), (lower, np.conj(outer))):
        to_boundary(half, place, weight, axis.xi, circle, wanted.far_field)
    if shape.symmetric:
        upper[:, 0] = upper[:, 0].real
        upper[0, axis.section :] = upper[0, axis.section :].real
        lower = np.conj(upper)
    wake = len(axis.xi) - 1 - axis.section
    points = np.concatenate([upper[:, ::-1], lower[:, 1:]], axis=1)
    if base is None or corners is None:
        return Rows(points, wake)
    return Rows(points, wake, axis.section - corners.column, base.edges)


def refuse_near(wanted: Wanted) -> None:
    """MeshError for a far field that is too near for a C."""
    if wanted.far_field < NEAREST:
        raise MeshError(
            f"airfoil: far_field = {wanted.far_field:g} with topology 'c', expected at least "
            f"{NEAREST:g}; topology = 'o' has meshes that end nearer"
        )


def _steps(xi: Floats, trailing: float, growth: float) -> Floats:
    """Shape of the step of xi on the axis: 1 at the nose, `trailing` at the trailing edge.

    On the wake the step of x = xi^2 / 4 is trailing + growth times the distance.
    """
    near = ((xi - 2.0) / TRAILING_WIDTH) ** 2
    section = np.sqrt((trailing**2 + near) / (1.0 + near))
    wake = 2.0 * (trailing + growth * np.maximum(xi**2 - 4.0, 0.0) / 4.0) / np.maximum(xi, 2.0)
    return np.where(xi < 2.0, section, wake)


def _count(xi: Floats, step: Floats) -> Floats:
    """Number of steps from the first xi, by the trapezoidal rule."""
    density = 1.0 / step
    return np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(xi))])


def _axis(circle: CircleMap, wanted: Wanted, radius: float, base: float | None) -> tuple[Axis, int]:
    """Rays and the number of layers that fit the required nodes and spacings.

    Near a blunt edge, where steps are about those of its `base`, these need not be met exactly.
    """
    spacing, within = (wanted.trailing_spacing, 1e-3) if base is None else (base, 0.1)
    trailing = TRAILING_STEP
    for _ in range(8):
        axis, rows = _rays(circle, wanted, radius, trailing)
        if spacing is None:
            return axis, rows
        ends = circle.points(2.0 * np.arccos(axis.xi[axis.section - 1 : axis.section + 1] / 2.0))
        found = float(abs(ends[1] - ends[0]))
        if abs(found / spacing - 1.0) < within:
            return axis, rows
        trailing = trailing * (spacing / found) ** 1.1
        if not 1e-5 < trailing < 1.0:
            break
    raise MeshError(
        f"airfoil: trailing_spacing = {spacing:g} does not fit this many nodes, "
        f"expected nearer to {found:.3g}"
    )


def _rays(circle: CircleMap, wanted: Wanted, radius: float, trailing: float) -> tuple[Axis, int]:
    end = float(np.sqrt(radius + 2.0))  # Re(w^2) - 2 = radius
    share = np.linspace(0.0, 1.0, SAMPLES // 2 + 1)
    fine = np.concatenate([2.0 - 2.0 * (1.0 - share) ** 3, 2.0 + (end - 2.0) * share[1:] ** 3])
    tail = fine[SAMPLES // 2 :]

    def length(growth: float) -> float:
        return float(_count(tail, _steps(tail, trailing, growth))[-1])

    total = _count(fine, _steps(fine, trailing, WAKE_GROWTH))
    ahead, behind = float(total[SAMPLES // 2]), length(WAKE_GROWTH)
    section, rows = _counts(circle, wanted, radius, ahead, behind)
    unit = ahead / section
    wake = max(4, round(behind / unit))
    growth = brentq(lambda g: length(g) / unit - wake, 1e-3, 1e3)
    rays = section + wake
    if wanted.around is None and wanted.growth is None:
        rows = round((wanted.nodes + wake) / (2 * rays + 1)) - 1
    index = _count(fine, _steps(fine, trailing, growth)) / unit
    index *= rays / index[-1]
    xi = PchipInterpolator(index, fine)(np.arange(rays + 1))
    xi[section], xi[-1] = 2.0, end
    even, spread = _spread(fine, rays, section, radius)
    return Axis(xi, even, spread, unit * _steps(xi, trailing, growth), section), rows


def _counts(
    circle: CircleMap, wanted: Wanted, radius: float, ahead: float, behind: float
) -> tuple[int, int]:
    """Rays from nose to trailing edge, and layers."""
    top = np.sqrt(radius)  # height of the ray from the nose

    def rows(section: float) -> float:
        rate = ahead / section
        first = rate / _aspect(circle, wanted, rate)
        if wanted.growth is not None:
            return float(np.log1p(top * (wanted.growth - 1) / first) / np.log(wanted.growth))
        ratio = max(1.001, OUTER_GROWTH * np.sqrt(wanted.far_field) * rate / WALL_ASPECT / first)
        return float(top * np.log(ratio) / (first * (ratio - 1)))

    def nodes(section: float) -> float:
        wake = section * behind / ahead
        return (2 * (section + wake) + 1) * (rows(section) + 1) - wake

    if wanted.around is not None:
        section = wanted.around // 2
        wake = round(section * behind / ahead)
        return section, round((wanted.nodes + wake) / (2 * (section + wake) + 1)) - 1
    low, high = 8.0, wanted.nodes / 12.0
    if nodes(low) > wanted.nodes or nodes(high) < wanted.nodes:
        raise MeshError(
            f"airfoil: nodes = {wanted.nodes} does not fit the wall_spacing, growth and "
            "far_field asked for; leave one of them out"
        )
    best = round(brentq(lambda n: nodes(n) - wanted.nodes, low, high, rtol=1e-6))
    wake = round(best * behind / ahead)
    return best, round((wanted.nodes + wake) / (2 * (best + wake) + 1)) - 1


def _aspect(circle: CircleMap, wanted: Wanted, rate: float) -> float:
    """Length over height of the wall cells; `rate` is the step of xi at the nose."""
    if wanted.wall_spacing is None:
        return WALL_ASPECT
    slope = abs(_derivative(circle, np.array([MIDDLE + 0j]))[0])
    middle = float(_steps(np.array([MIDDLE]), TRAILING_STEP, WAKE_GROWTH)[0])
    return float(rate * middle * slope / wanted.wall_spacing)


def _spread(fine: Floats, rays: int, section: int, radius: float) -> tuple[Floats, Floats]:
    """Rays without the trailing edge's spacing, and with even spacing on the outer boundary."""

    def count(growth: float) -> Floats:
        index = _count(fine, 1.0 + growth * np.maximum(fine - 2.0, 0.0) / 2.0)
        return index / index[-1]

    growth = brentq(lambda g: float(np.interp(2.0, fine, count(g))) - section / rays, -0.1, 1e3)
    index = count(growth)
    top = height(lambda eta: fan(fine, eta, fine[-1]), radius, len(fine))
    outer = fan(fine, top, fine[-1]) ** 2
    arc = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(outer)))])
    mixed = (1.0 - SPREAD) * index + SPREAD * arc / arc[-1]
    even, spread = (PchipInterpolator(i * rays, fine)(np.arange(rays + 1)) for i in (index, mixed))
    even[-1] = spread[-1] = fine[-1]
    return even, spread


def height(ray: Callable[[Floats], Complexes], radius: float, rays: int) -> Floats:
    """eta at which each ray meets the outer boundary: |w^2| = radius ahead, Im(w^2) behind."""
    low, high = np.zeros(rays), np.full(rays, 3.0 * np.sqrt(radius))
    for _ in range(60):
        middle = 0.5 * (low + high)
        square = ray(middle) ** 2
        above = np.where(square.real < 0, np.abs(square), square.imag) > radius
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)


def _first_steps(circle: CircleMap, wanted: Wanted, axis: Axis, top: Floats, rows: int) -> Floats:
    """First step of eta on each ray: the step of xi over an aspect ratio that is 1 at the edge."""
    away = ((axis.xi - 2.0) / np.where(axis.xi < 2.0, TRAILING_WIDTH, 1.0)) ** 2
    middle = ((MIDDLE - 2.0) / TRAILING_WIDTH) ** 2
    power = (1.0 - 1.0 / (1.0 + away) ** 2) / (1.0 - 1.0 / (1.0 + middle) ** 2)
    wall = _aspect(circle, wanted, axis.rate[0]) ** power
    wake = WAKE_ASPECT ** (away / (1.0 + away))
    first = axis.rate / np.where(axis.xi < 2.0, wall, wake)
    if first[axis.section // 2] * rows > 0.8 * top[axis.section // 2]:
        raise MeshError(
            f"airfoil: {rows} layers of the wall's height nearly fill the far field, expected "
            "layers that grow: ask for fewer nodes, a smaller wall_spacing or more nodes around"
        )
    return bounded(first, 0.8 * top / rows)


def _derivative(circle: CircleMap, w: Complexes) -> Complexes:
    """dz/dw."""
    t = 0.5 * (w + np.sqrt(w - 2.0) * np.sqrt(w + 2.0))  # zeta = t^2, |t| >= 1
    zeta = t * t
    return circle.derivative(zeta) * 2.0 * t * zeta / (zeta - 1.0)


def integral(circle: CircleMap, start: Complexes, end: Complexes, order: int) -> Complexes:
    """Change of z from start to end by Gauss' rule."""
    total = np.zeros(start.shape, np.complex128)
    for abscissa, weight in zip(*np.polynomial.legendre.leggauss(order), strict=True):
        w = start + (end - start) * (0.5 + 0.5 * abscissa)
        total += 0.5 * weight * (end - start) * _derivative(circle, w)
    return total


def trace(circle: CircleMap, xi: Floats, section: int, w: Complexes, lower: bool) -> Complexes:
    """Points (rows, rays) of one half: the section exactly, the rest by integration."""
    theta = 2.0 * np.arccos(np.minimum(xi[: section + 1] / 2.0, 1.0))
    wall = circle.points(2 * np.pi - theta if lower else theta)
    behind = xi[section:].astype(np.complex128)
    wake = wall[-1] + np.cumsum(integral(circle, behind[:-1], behind[1:], 6))
    z = np.empty(w.shape, np.complex128)
    z[0] = np.concatenate([wall, wake])
    if lower:
        w = -np.conj(w)
    for row in range(1, len(w)):
        # at the wall dz/dw has the corner's power
        z[row] = z[row - 1] + integral(circle, w[row - 1], w[row], 6 if row == 1 else 2)
    return z


def to_boundary(
    half: Complexes, outer: Complexes, weight: Floats, xi: Floats, circle: CircleMap, far: float
) -> None:
    """Shift points so that the outflow is a plane and the rest of the boundary its C.

    The frame is turned by the angle at which the wake leaves, that of zero lift.
    """
    turn = np.exp(1j * circle.coefficients[0].imag)
    half -= 0.5
    half /= turn
    behind = np.maximum(xi**2 - 4.0, 0.0) ** 3  # the section stays where it is
    half += (far - half[:, -1].real)[:, None] * (behind / behind[-1])
    side = np.sign(outer[1].imag)
    target = np.where(outer.real < 0, far * outer / np.abs(outer), far * (outer.real + 1j * side))
    target[-1] = far * (1.0 + 1j * side)
    half += weight * (target - half[-1])
    half[-1] = target
    half *= turn
    half += 0.5
