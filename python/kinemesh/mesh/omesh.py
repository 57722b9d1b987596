"""O-meshes about aerofoil sections for inviscid flow, from the section's conformal map.

Rays of constant circle angle leave the wall at right angles; along each ray the steps of
log |zeta| grow geometrically.  Both step sizes vary smoothly round the section, so that wall cells
keep one aspect ratio, and are near square at the trailing edge, where the map turns the corner.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from kinemesh.errors import MeshError
from kinemesh.mesh import sections
from kinemesh.mesh.conformal import CircleMap, circle_map
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.quality import corner_angles
from kinemesh.mesh.sections import Section

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

WALL_ASPECT = 2.2  # length over height of a wall cell, as in published O-meshes for Euler flow
OUTER_ASPECT = 7.3  # height over length of the outermost cells; sets the default growth
TRAILING_WIDTH = 0.45  # reach of the trailing edge's own spacing, circle angle [rad]
FLIP = 1.15  # a diagonal is turned if that divides the largest angle by more than this


@dataclass(frozen=True, slots=True)
class OMeshSettings:
    """What `airfoil` was asked for; lengths in chords."""

    nodes: int = 5000  # wanted; the mesh has within 3 % of it
    far_field: float = 50.0  # radius of the outer circle about mid-chord
    wall_spacing: float | None = None  # height of the wall cells at mid-chord
    growth: float | None = None  # ratio of successive steps of log |zeta| at mid-chord
    trailing_spacing: float | None = None  # first edge along the wall from the trailing edge
    around: int | None = None  # nodes round the section, even

    def __post_init__(self) -> None:
        _within("nodes", self.nodes, 500, 6_000_000)
        _within("far_field", self.far_field, 3.0, 1e4)
        _within("wall_spacing", self.wall_spacing, 1e-6, 0.1)
        _within("growth", self.growth, 1.0 + 1e-9, 1.5)
        _within("trailing_spacing", self.trailing_spacing, 1e-6, 0.02)
        _within("around", self.around, 24, self.nodes // 8)
        if self.around is not None and self.around % 2:
            raise MeshError(f"airfoil: around = {self.around}, expected an even number")
        if self.around is not None and self.growth is not None and self.wall_spacing is not None:
            raise MeshError(
                "airfoil: around, growth and wall_spacing are given, expected at most two of "
                "them: with nodes they follow from each other"
            )


def _within(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise MeshError(f"airfoil: {name} = {value!r}, expected {low:g} to {high:g}")


def airfoil(
    section: str | Path | Section = "naca0012",
    nodes: int = 5000,
    far_field: float = 50.0,
    wall_spacing: float | None = None,
    growth: float | None = None,
    trailing_edge: str = "closed",
    trailing_spacing: float | None = None,
    around: int | None = None,
) -> Mesh:
    """Triangulated O-mesh about a section of chord 1, nose at the origin.

    Parameters
    ----------
    section : name, coordinate file or Section
    nodes : int               wanted; `Mesh.nodes` of the result is within 3 %
    far_field : float         radius of the outer circle about (0.5, 0) [chord]
    wall_spacing : float      height of the wall cells at mid-chord; elsewhere in proportion to
                              their length; default length / 2.2 [chord]
    growth : float            ratio of successive steps of log |zeta| on the ray from mid-chord,
                              near the wall that of successive layers less about 1 %
    trailing_edge : closed | sharp | open (see `kinemesh.mesh.section`)
    trailing_spacing : float  first wall edge at a sharp trailing edge; default
                              2 / around^1.5 [chord]
    around : int              nodes round the section; the default follows from the others

    Returns
    -------
    Mesh    markers `airfoil` and `farfield`, nodes renumbered; symmetric for a symmetric section

    Raises
    ------
    MeshError    for arguments that no good mesh fulfils
    """
    wanted = OMeshSettings(nodes, far_field, wall_spacing, growth, trailing_spacing, around)
    shape = section if isinstance(section, Section) else sections.section(section, trailing_edge)
    points = structured(shape, wanted)
    rings, count = points.shape
    triangles = _triangles(points)
    ring = np.arange(count)
    edges = np.stack([ring, np.roll(ring, -1)], axis=1)
    flat = np.stack([points.real.ravel(), points.imag.ravel()], axis=1)
    try:
        mesh = Mesh.from_arrays(
            flat, triangles, {"airfoil": edges, "farfield": edges + (rings - 1) * count}
        )
    except MeshError as error:
        raise MeshError(
            f"airfoil({shape.name}): the mesh folds over ({error}); ask for more nodes, or a "
            "wall_spacing and trailing_spacing nearer to their defaults"
        ) from error
    renumbered = mesh.renumbered()
    return Mesh(
        renumbered.points, renumbered.triangles, renumbered.quads, renumbered.boundaries
    )  # numbers before the renumbering mean nothing to anyone: `original` counts from 0


def structured(shape: Section, wanted: OMeshSettings) -> Complexes:
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
            "layers that grow: ask for fewer nodes, a smaller wall_spacing or more nodes around"
        )
    layers = _layers(_bounded(first, 0.8 * far / steps), far, steps)
    points = _trace(circle, theta, layers)
    points = _to_circle(points, theta, layers, circle, wanted.far_field)
    if shape.symmetric:
        points[:, [0, -1]] = points[:, [0, -1]].real
        points = np.concatenate([points, np.conj(points[:, -2:0:-1])], axis=1)
    return points


def _counts(
    circle: CircleMap, wanted: OMeshSettings, far: float, between: float = 2 * np.pi
) -> tuple[int, int]:
    """Nodes round the section and steps from wall to far field.

    `between / around` is the step between rays at mid-chord [rad].
    """

    def steps(around: float) -> float:
        step = between / around / _aspect(circle, wanted, between / around)
        if wanted.growth is not None:
            return float(np.log1p(far * (wanted.growth - 1) / step) / np.log(wanted.growth))
        ratio = max(1.001, OUTER_ASPECT * between / around / step)
        return float(far * np.log(ratio) / (step * (ratio - 1)))

    around = wanted.around
    if around is None:
        low, high = 16.0, wanted.nodes / 6.0
        if (low * (steps(low) + 1) > wanted.nodes) or (high * (steps(high) + 1) < wanted.nodes):
            raise MeshError(
                f"airfoil: nodes = {wanted.nodes} does not fit the wall_spacing, growth and "
                "far_field asked for; leave one of them out"
            )
        around = brentq(lambda n: n * (steps(n) + 1) - wanted.nodes, low, high, rtol=1e-6)
        around = 2 * round(around / 2)
    return around, round(wanted.nodes / around) - 1


def _aspect(circle: CircleMap, wanted: OMeshSettings, rate: float) -> float:
    """Length over height of the wall cells; `rate` is the step between rays at mid-chord [rad]."""
    if wanted.wall_spacing is None:
        return WALL_ASPECT
    slope = circle.derivative(np.array([1j]))[0]
    return float(rate * abs(slope) / wanted.wall_spacing)


def _bump(theta: Floats | float, width: float) -> Floats:
    """1 at the trailing edge, falling off smoothly and periodically within `width` [rad]."""
    return 1.0 / (1.0 + (2.0 * np.sin(0.5 * theta) / width) ** 2) ** 2


def _angles(circle: CircleMap, wanted: OMeshSettings, around: int) -> tuple[Floats, Floats]:
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


def _stretch(circle, wanted, around, fine, index) -> float:
    """How much larger the step between rays is at the trailing edge, less 1."""
    spacing = wanted.trailing_spacing or 2.0 / around**1.5
    top = 3.0  # beyond four times the plain step the wake is starved of rays
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

    if first(0.0) >= spacing:
        return 0.0
    if first(top) < spacing:
        raise MeshError(
            f"airfoil: trailing_spacing = {spacing:g} is larger than the mesh's own, "
            f"expected at most {first(top):.3g}"
        )
    return float(brentq(lambda x: first(x) - spacing, 0.0, top, rtol=1e-10))


def _negative_stretch(edges, target: int) -> float:
    """A stretch below 0, clustering: more edges to the corner than the map alone gives."""
    low = -0.999
    if edges(low) < target:
        raise MeshError(
            "airfoil: the blunt trailing edge is too thin for this many nodes, expected at least "
            "one edge on each half of it; ask for more nodes or another trailing_edge"
        )
    return float(brentq(lambda x: edges(x) - target, low, 0.0, rtol=1e-12))


def _first_steps(circle: CircleMap, wanted: OMeshSettings, theta: Floats, rate: Floats) -> Floats:
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


def _bounded(first: Floats, top: float) -> Floats:
    """First steps kept smoothly below the one that leaves no growth."""
    return first / (1.0 + (first / top) ** 8) ** 0.125


def _layers(first: Floats, far: float, steps: int) -> Floats:
    """log |zeta| (steps + 1, rays), 0 to far, growing geometrically from the first step."""
    low, high = np.zeros_like(first), np.full_like(first, 1.0)  # of log(growth)
    for _ in range(60):  # bisection on all rays at once
        middle = 0.5 * (low + high)
        with np.errstate(over="ignore"):  # what is too large for a number is above `far` too
            above = first * np.expm1(steps * middle) / np.expm1(middle) > far
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    ratio = 0.5 * (low + high)
    layer = np.arange(steps + 1)[:, None]
    return far * np.expm1(layer * ratio) / np.expm1(steps * ratio)


def _trace(circle: CircleMap, theta: Floats, layers: Floats) -> Complexes:
    """Points on the rays: the wall exactly, then dz/dzeta integrated outwards by Gauss' rule."""
    wall = circle.points(theta)
    ray = np.exp(1j * theta)
    low, step = layers[:-1], np.diff(layers, axis=0)
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


def _to_circle(
    points: Complexes, theta: Floats, layers: Floats, circle: CircleMap, radius: float
) -> Complexes:
    """Shift the points in proportion to |zeta| - 1 so that the last ring is the circle."""
    turn = circle.coefficients[0].imag
    target = 0.5 + radius * np.exp(1j * (theta + turn))
    weight = np.expm1(layers) / np.expm1(layers[-1])
    shifted = points + weight * (target - points[-1])
    shifted[-1] = target
    return shifted


def _triangles(points: Complexes) -> NDArray[np.int32]:
    """Two triangles per cell, diagonals all one way on each side and mirrored on the other.

    Diagonals from ray i to i + 1, outwards, on the upper side: every inner node has six triangles,
    and the sharp trailing edge's cells are cut at their blunt corner.  A cell is cut the other way
    where that makes its largest angle smaller by more than FLIP.
    """
    rings, count = points.shape
    ring, ray = np.meshgrid(np.arange(rings - 1), np.arange(count), indexing="ij")
    after = (ray + 1) % count
    # counter-clockwise: inner this ray, outer this ray, outer next ray, inner next ray
    a, b = ring * count + ray, (ring + 1) * count + ray
    c, d = (ring + 1) * count + after, ring * count + after
    flat = np.stack([points.real.ravel(), points.imag.ravel()], axis=1)
    outward = [np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]
    inward = [np.stack([a, b, d], axis=-1), np.stack([b, c, d], axis=-1)]

    def largest(pair: list[NDArray]) -> Floats:
        angles = [corner_angles(flat, p.reshape(-1, 3)).max(axis=1) for p in pair]
        return np.maximum(*angles).reshape(a.shape)

    upper = ray < count // 2
    one, other = largest(outward), largest(inward)
    use = np.where(upper, one <= FLIP * other, other > FLIP * one)
    chosen = [np.where(use[..., None], p, q) for p, q in zip(outward, inward, strict=True)]
    return np.concatenate([part.reshape(-1, 3) for part in chosen]).astype(np.int32)
