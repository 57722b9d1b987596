"""C-meshes about aerofoil sections for viscous flow: wall cells of one height, wakes that spread.

The plane w = xi + i eta is that of cmesh.py: it unwraps section and wake into the real axis.

Rays are in steps of arc length along the axis that are small at the nose and at the trailing edge
and grow along the wake.  Along a layer the spacing is smoothed over its distance from the axis
(smoothed.py) with X -> xi the fan of cmesh.py: rays leave the axis at right angles, and the last
ray is the outflow plane.

Along each ray heights grow geometrically from the height h of the wall cells.  At a distance s
behind the trailing edge lower layers are thicker,

    first height = h (1 + s / (WAKE_START h))^WIDENING,

and layers further from the wake than s stay as they are: a wake is far thicker than the layers that
leave the wall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.optimize import brentq

from kinemesh.errors import MeshError
from kinemesh.mesh.generate import cmesh
from kinemesh.mesh.generate.conformal import CircleMap, circle_map
from kinemesh.mesh.generate.rays import Complexes, Floats, Wanted, layers
from kinemesh.mesh.generate.smoothed import Smoothed
from kinemesh.mesh.generate.spacing import Normal
from kinemesh.mesh.sections.section import Section

COLUMNS = 3.45  # columns over layers, by default: as in NASA's C-grids
LONGEST = 1.1  # length of the longest ray over the far field, at first
NOSE, TRAILING, MIDDLE = 0.03, 0.2, 2.5  # shape of steps on the section: both ends, longest
SLOPE, STEEP = 9.0, 0.09  # change of that shape near the ends; at most this times the steps
WAKE_SLOPE, WAKE_STEEP = 12.0, 0.2  # log of the growth along the wake, times steps; its largest
WIDENING = 0.75
WAKE_START = 5000.0  # wall units, if h is that of y+ = 1
LEAST = 12  # steps on each side of a section
KNOTS = 120  # of the lengths of rays
FIRST = 1e-7  # first of them, in eta
SAMPLES = 4000
EXACT = 4  # iterations for the first height


@dataclass(frozen=True, slots=True)
class Axis:
    """Rays of one half, the same for both sides of the section.

    Parameters
    ----------
    xi : (rays,)        places on the axis, 0 (nose) to the outflow
    behind : (rays,)    distance behind the trailing edge, 0 on the section [chord]
    section : int       index of the trailing edge
    index               of the rays over xi
    """

    xi: Floats
    behind: Floats
    section: int
    index: Smoothed

    def place(self, eta: Floats) -> Complexes:
        """w at heights eta, (rays,) or (layers, rays) from the axis upwards."""
        return cmesh.fan(self.index.rows(eta, self.xi), eta, self.xi[-1])


def structured(shape: Section, wanted: Wanted, normal: Normal) -> cmesh.Rows:
    """Points of the mesh, complex."""
    cmesh.refuse_near(wanted)
    if shape.gap > 0:
        raise MeshError(
            "airfoil: heights = 'even' with an open trailing edge, expected trailing_edge = "
            "'closed' or 'sharp'; heights = 'aspect' has meshes for it"
        )
    circle = circle_map(shape)
    radius = wanted.far_field / circle.scale
    section, wake, likely = _counts(wanted, normal)
    axis = _axis(circle, radius, section, wake, wanted.trailing_spacing)
    top = cmesh.height(axis.place, radius, len(axis.xi))
    knots = layers(np.full_like(top, FIRST), top, KNOTS)
    w = axis.place(knots)
    sides = (0, 1)[: 1 if shape.symmetric else 2]
    lengths = [_lengths(circle, axis, w, side) for side in sides]
    first, rows = normal.solved(max(float(s[-1].max()) for s in lengths), likely)
    halves = []
    for side, length in zip(sides, lengths, strict=True):
        high = heights(first, length[-1], rows, axis.behind)
        half, weight = _half(circle, axis, at_heights(length, knots, high), high[1], side)
        edge = float(np.abs(np.diff(half[0, : section + 1])).min())
        if first > edge:
            raise MeshError(
                f"airfoil: the wall cells are {first:.4g} high, expected less than the shortest "
                f"edge of the wall, {edge:.4g}; ask for a smaller wall_spacing or fewer nodes"
            )
        outer = (w[-1] ** 2 - 2.0) / radius  # 1 on the outflow, exactly
        cmesh.to_boundary(
            half, np.conj(outer) if side else outer, weight, axis.xi, circle, wanted.far_field
        )
        step = half[1] - half[0]  # which that has changed a little
        half[1] = half[0] + high[1] * step / np.abs(step)
        halves.append(half)
    upper = halves[0]
    if shape.symmetric:
        upper[:, 0] = upper[:, 0].real
        upper[0, section:] = upper[0, section:].real
        halves.append(np.conj(upper))
    lower = halves[1]
    lower[0, section:] = upper[0, section:]
    return cmesh.Rows(np.concatenate([upper[:, ::-1], lower[:, 1:]], axis=1), wake)


def _counts(wanted: Wanted, normal: Normal) -> tuple[int, int, int]:
    """Steps on each side of the section and along the wake, and likely layers."""
    far = wanted.far_field
    if wanted.around is not None:
        if normal.fixed:
            raise MeshError(
                "airfoil: around is given with two of wall_spacing (or y_plus), growth and layers, "
                "expected one of them at most: with nodes they follow from each other"
            )
        section = wanted.around // 2
        wake = round(_wake_steps(section, far))
        rows = round((wanted.nodes + wake) / (2 * (section + wake) + 1)) - 1
        found = normal.solved(LONGEST * far, rows)[1]
        if found != rows:
            raise MeshError(
                f"airfoil: around = {wanted.around} leaves {rows} layers, and {found} are needed; "
                "ask for more nodes, fewer around or a larger wall_spacing"
            )
        return section, wake, rows
    rows = normal.solved(LONGEST * far, round(np.sqrt(wanted.nodes / COLUMNS)) - 1)[1]

    def nodes(section: float) -> float:
        wake = _wake_steps(section, far)
        return (2 * (section + wake) + 1) * (rows + 1) - wake

    if nodes(LEAST) > wanted.nodes:
        raise MeshError(
            f"airfoil: {rows} layers of nodes = {wanted.nodes} leave fewer than {LEAST} steps on "
            f"each side of the section, expected nodes of at least {nodes(LEAST):.0f}; or ask for "
            "a larger wall_spacing, a larger growth or fewer layers"
        )
    section = round(brentq(lambda n: nodes(n) - wanted.nodes, LEAST, wanted.nodes))
    # (2 (section + wake) + 1) (rows + 1) - wake
    wake = (wanted.nodes - (2 * section + 1) * (rows + 1)) / (2 * rows + 1)
    return section, round(wake), rows


def _wake_steps(section: float, far: float) -> float:
    growth = min(WAKE_SLOPE / section, WAKE_STEEP)
    return float(np.log1p(growth * far * section / TRAILING) / growth)


def _axis(circle: CircleMap, radius: float, section: int, wake: int, spacing: float | None) -> Axis:
    """Rays with a first step of `spacing` at the trailing edge, or the default one."""
    end = float(np.sqrt(radius + 2.0))  # Re(w^2) - 2 = radius
    share = np.linspace(0.0, 1.0, SAMPLES + 1)
    on, off = 2.0 - 2.0 * (1.0 - share) ** 2, 2.0 + (end - 2.0) * share**4
    theta = 2.0 * np.arccos(on / 2.0)
    arc = 0.5 * (_along(circle.points(theta)) + _along(circle.points(2 * np.pi - theta)))
    places = off.astype(np.complex128)
    parts = cmesh.integral(circle, places[:-1], places[1:], 4)
    tail = np.concatenate([[0.0], np.cumsum(np.abs(parts))])
    trailing = TRAILING
    for _ in range(20):
        count, last = on_section(arc, section, trailing)
        found = arc[-1] - float(np.interp(section - 1, count, arc))
        if spacing is None or abs(found / spacing - 1.0) < 1e-4:
            break
        trailing = trailing * (spacing / found) ** 1.1
        if not 1e-5 < trailing < 1.0:
            raise MeshError(
                f"airfoil: trailing_spacing = {spacing:g} does not fit this many nodes, expected "
                f"nearer to {found:.3g}"
            )
    growth = _growth(tail[-1] / last, wake)
    behind = section + np.log1p(growth * tail / last) / np.log1p(growth)
    fine, index = np.append(on, off[1:]), np.append(count, behind[1:])
    index[-1] = section + wake
    xi = PchipInterpolator(index, fine)(np.arange(section + wake + 1))
    xi[0], xi[section], xi[-1] = 0.0, 2.0, end
    distance = np.interp(xi, off, tail)
    fine = np.concatenate([-fine[:0:-1], fine, 2.0 * end - fine[-2::-1]])
    index = np.concatenate([-index[:0:-1], index, 2.0 * index[-1] - index[-2::-1]])
    return Axis(xi, distance, section, Smoothed.of(PchipInterpolator(fine, index)))


def _along(points: Complexes) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.abs(np.diff(points)))])


def on_section(arc: Floats, section: int, trailing: float) -> tuple[Floats, float]:
    """Index over the arc length from the nose, and the step at the trailing edge."""
    r = arc / arc[-1]
    slope = min(SLOPE, STEEP * section)
    density = 1.0 / (NOSE + slope * r) + 1.0 / (trailing + slope * (1.0 - r)) + 1.0 / MIDDLE
    count = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(r))])
    unit = count[-1] / section
    return count / unit, float(arc[-1] * unit / density[-1])


def _growth(length: float, steps: int) -> float:
    """Growth - 1 of steps from 1 that fill a length."""

    def count(growth: float) -> float:
        return float(np.log1p(growth * length) / np.log1p(growth))

    low, high = 1e-6, 0.5
    if not (steps < count(low) and steps > count(high)):
        raise MeshError(
            f"airfoil: {steps} steps along the wake do not grow from the trailing edge's to the "
            "far field, expected other nodes or trailing_spacing"
        )
    return float(brentq(lambda g: count(g) - steps, low, high))


def _lengths(circle: CircleMap, axis: Axis, w: Complexes, side: int) -> Floats:
    """Lengths of the rays from the axis to each w."""
    z = cmesh.trace(circle, axis.xi, axis.section, w, lower=side == 1)
    parts = np.abs(np.diff(z, axis=0))
    return np.concatenate([np.zeros((1, w.shape[1])), np.cumsum(parts, axis=0)])


def heights(first: float, top: Floats, rows: int, behind: Floats) -> Floats:
    """Heights (rows + 1, rays) along each ray."""
    k = np.arange(rows)[:, None]

    def rates(extra: float | Floats) -> Floats:
        """Logs of the growth that make the rays as long as they are."""
        low, high = np.zeros_like(top), np.ones_like(top)
        for _ in range(50):
            middle = 0.5 * (low + high)
            above = first * np.exp(k * middle + extra).sum(axis=0) > top
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return 0.5 * (low + high)

    rate = rates(0.0)
    reach = np.log1p(np.expm1(rate) * behind / first) / rate  # layers up to that height
    t = np.minimum(k / np.maximum(reach, 1e-9), 1.0)
    extra = WIDENING * np.log1p(behind / (WAKE_START * first)) * (1.0 - t * t * (3.0 - 2.0 * t))
    steps = first * np.exp(k * rates(extra) + extra)
    return np.concatenate([np.zeros((1, len(top))), np.cumsum(steps, axis=0)])


def at_heights(length: Floats, knots: Floats, high: Floats) -> Floats:
    """Eta at each height on each ray, whose lengths are known at the knots."""
    eta = np.empty_like(high)
    for ray in range(len(eta[0])):
        known, at = np.log(length[1:, ray]), np.log(knots[1:, ray])
        wanted = np.log(high[1:, ray])
        # below the first knot eta is in proportion to the height
        found = CubicSpline(known, at)(np.maximum(wanted, known[0]))
        eta[1:, ray] = np.exp(found + np.minimum(wanted - known[0], 0.0))
    eta[0], eta[-1] = 0.0, knots[-1]
    return eta


def _half(
    circle: CircleMap, axis: Axis, eta: Floats, first: Floats, side: int
) -> tuple[Complexes, Floats]:
    """Points of one half, with exact first heights, and weights that are 1 on the boundary."""
    for _ in range(EXACT):
        low, high = axis.place(eta[:2])
        if side == 1:
            low, high = -np.conj(low), -np.conj(high)
        eta[1] *= first / np.abs(cmesh.integral(circle, low, high, 6))
    w = axis.place(eta)
    weight: NDArray[np.float64] = np.abs(w) ** 2 - np.abs(w[0]) ** 2
    half = cmesh.trace(circle, axis.xi, axis.section, w, lower=side == 1)
    return half, weight / weight[-1]
