"""O-meshes of quadrilaterals about smooth closed curves, from the conformal map of their outside.

Rays are denser where the curve bends; steps of log |zeta| along each grow geometrically from the
wall to the outer circle.
"""

from __future__ import annotations

from math import log, pi, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError
from kinemesh.mesh.extents import longest
from kinemesh.mesh.generate.cylinder import ASPECT, LEAST, ringed
from kinemesh.mesh.generate.rays import Complexes, Floats, bounded, layers, outer_of
from kinemesh.mesh.geometry.curves import area, first_crossing
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.origin import Origin
from kinemesh.mesh.sections import coordinates
from kinemesh.mesh.sections.section import Section

if TYPE_CHECKING:
    from kinemesh.mesh.generate.smooth import SmoothMap

MARKER = "body"
MOST = 10_000_000  # nodes
POINTS = 12  # least number of points of a curve
NEAREST = {"farfield": 2.0, "overset": 1.0}  # least radius of the outer circle [lengths]
BENT = 0.3  # share of the rays that goes by how the curve turns
BLUR = 1.5  # rays over which that is smoothed
FULL = 0.8  # of the way to the outer circle that layers without growth may take
FINE = 8192  # places on the circle where rays are counted


@checks_names
def around(
    curve: str | Path | ArrayLike | Section,
    nodes: int = 10_000,
    far_field: float = 50.0,
    wall_spacing: float | None = None,
    around: int | None = None,
    outer: str = "farfield",
) -> Mesh:
    """O-mesh about a smooth closed curve, such as an ellipse, of quadrilaterals.

    Lengths are those of the curve: the longest distance between two of its points is 1.

    Parameters
    ----------
    curve : (m, 2), coordinate file or Section    points of the curve, either way round and from any
                            of them on, which a periodic cubic spline joins; coordinates stay as
                            they are
    nodes : int             number of nodes; the mesh has as many within one ring
    far_field : float       radius of the outer boundary, a circle about the middle of the curve's
                            box; at least 2, with outer = "overset" 1 [lengths of the curve]
    wall_spacing : float    height of the wall cells, the same all round, but where fewer than
                            would fill the way out; default about a third of their length [lengths
                            of the curve]
    around : int            nodes round the curve; default about the square root of `nodes`, with
                            outer = "overset" as many as make the outermost cells near square
    outer : farfield | overset    marker of the outer boundary; overset: other meshes go on beyond

    Returns
    -------
    Mesh    markers `body` and `farfield` or `overset`

    Raises
    ------
    MeshError    for a curve with corners or one that crosses itself, and for arguments that no
                 good mesh fulfils
    """
    from kinemesh.mesh.generate.omesh import traced  # with parts of SciPy that runs do not need

    _numbers(nodes, far_field, wall_spacing, around, outer)
    points, notes = _points(curve)
    length = longest(points)
    place = points[:, 0] + 1j * points[:, 1]
    circle = _map(place)
    middle = complex(*(0.5 * (points.min(axis=0) + points.max(axis=0))))
    far, high = far_field * length, None if wall_spacing is None else wall_spacing * length
    reach = log(far / circle.scale)
    count = _around(nodes, reach, circle, high, outer) if around is None else around
    rings = round(nodes / count)
    if count < 16 or rings < 8:
        raise MeshError(
            f"around: {count} nodes round the curve and {rings} rings of them, expected at least "
            "16 and 8; ask for more nodes, or other numbers of around and wall_spacing"
        )
    rays = traced(circle, *_layers(circle, count, rings - 1, reach, high), far, middle, 2.0)
    try:
        mesh = ringed(rays, MARKER, outer, Origin(None, notes))
    except MeshError as error:
        raise MeshError(
            f"around: the mesh folds over ({error}); ask for more nodes, or a wall_spacing nearer "
            "to its default"
        ) from error
    return mesh.renumbered().numbered()


def _numbers(nodes: Any, far_field: Any, wall_spacing: Any, around: Any, outer: str) -> None:
    """MeshError for a number out of its range."""
    least = NEAREST[outer_of("around", outer)]
    limits = {
        "nodes": (nodes, LEAST, MOST, True),
        "far_field": (far_field, least, 1e4, False),
        "wall_spacing": (wall_spacing, 1e-7, 0.5, False),
        "around": (around, 16, MOST // 8, True),
    }
    for name, (value, low, high, whole) in limits.items():
        if value is None and name in ("wall_spacing", "around"):
            continue
        kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            kind = "a whole number" if whole else "a number"
            raise MeshError(f"around: {name} = {value!r}, expected {kind} of {low:g} to {high:g}")


def _points(curve: Any) -> tuple[Floats, tuple[str, ...]]:
    """(m, 2) points of a curve, counter-clockwise and each once, and notes of its file."""
    notes: tuple[str, ...] = ()
    name = "around: the curve"
    if isinstance(curve, str | Path):
        name = str(curve)
        points, notes = coordinates.read(Path(curve))
    elif isinstance(curve, Section):
        name, points = curve.name, curve.points(np.linspace(0.0, 1.0, 801))
    else:
        points = _array(curve)
    step = np.linalg.norm(np.diff(points, axis=0, append=points[:1]), axis=1)
    points = points[step > 1e-9 * max(float(np.ptp(points)), 1e-300)]
    if len(points) < POINTS:
        raise MeshError(f"{name}: {len(points)} points that differ, expected at least {POINTS}")
    met = first_crossing(points)
    if met is not None:
        x, y = points[met[0]]
        raise MeshError(f"{name} crosses itself near ({x:.4g}, {y:.4g}), expected a simple curve")
    points = points if area(points) > 0 else points[::-1]
    from kinemesh.mesh.sections.corners import listed, told_apart

    corner = told_apart(points)[0]
    if len(corner):
        raise MeshError(
            f"{name} has {listed(points, corner, 'corner')}, expected a smooth closed curve; give "
            "more points where it only bends, round its corners, or use km.mesh.airfoil (in a case "
            "file coordinates) for a section with a trailing edge and Cloud.around for a cloud "
            "about any corners"
        )
    return points, notes


def _array(curve: Any) -> Floats:
    try:
        points = np.asarray(curve, np.float64)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        shape = np.shape(points) if points.size else type(curve).__name__
        raise MeshError(
            f"around: the curve is {shape}, expected (points, 2) finite coordinates, or a file"
        )
    return points


def _map(place: Complexes) -> SmoothMap:
    """Map of the spline through points; angle 0 is at the rearmost of them."""
    from scipy.interpolate import CubicSpline

    from kinemesh.mesh.generate.smooth import smooth_map

    closed = np.append(place, place[0])
    knots = np.concatenate([[0.0], np.cumsum(np.sqrt(np.abs(np.diff(closed))))])
    spline = CubicSpline(knots, closed, bc_type="periodic")
    return smooth_map(spline, float(knots[np.argmax(place.real)]))


def _around(nodes: int, reach: float, circle: SmoothMap, high: float | None, outer: str) -> int:
    """Nodes round the curve by default."""
    if outer != "overset":
        return 4 * round(sqrt(nodes) / 4)
    from scipy.optimize import brentq

    theta = 2 * pi * np.arange(256) / 256
    slope = float(np.abs(circle.derivative(np.exp(1j * theta))).mean())

    def missing(count: float) -> float:
        step = 2 * pi / count
        wall = step / ASPECT if high is None else high / slope
        growth = step / wall
        mean = wall * (growth - 1) / log(growth) if growth > 1 else wall
        return count * (reach / mean + 1) - nodes

    return 4 * round(float(brentq(missing, 1.0, nodes, rtol=1e-9)) / 4)


def _layers(
    circle: SmoothMap, count: int, steps: int, reach: float, high: float | None
) -> tuple[Floats, Floats]:
    """Angles of the rays, and log |zeta| (layers, rays) along them."""
    theta, rate = _angles(circle, count)
    slope = np.abs(circle.derivative(np.exp(1j * theta)))
    even = np.sqrt(rate * (2 * pi / count)) / ASPECT  # their heights differ less than their lengths
    first = even if high is None else np.log1p(high / slope)
    if np.median(first) * steps > FULL * reach:
        raise MeshError(
            f"around: {steps} layers of the wall's height nearly fill the way to the outer circle, "
            "expected layers that grow: ask for fewer nodes, a smaller wall_spacing or more nodes "
            "around"
        )
    own = layers(bounded(first, FULL * reach / steps), reach, steps)
    # farther out rings are those of all rays, so that they cross the rays at right angles
    share = np.linspace(0.0, 1.0, steps + 1)[:, None]
    near = (1.0 - share) ** 2 * (1.0 + 2.0 * share)
    return theta, near * own + (1.0 - near) * np.median(own, axis=1, keepdims=True)


def _angles(circle: SmoothMap, count: int) -> tuple[Floats, Floats]:
    """Circle angle of each ray and the local step between rays [rad]."""
    from scipy.interpolate import PchipInterpolator

    fine = 2 * pi * np.arange(FINE + 1) / FINE
    tangent = circle.curve(circle.parameter(fine), 1)
    turn = np.abs(np.angle(tangent[1:] / tangent[:-1]))
    mode = np.fft.fftfreq(FINE, 1.0 / FINE)
    smooth = np.fft.ifft(np.fft.fft(turn) * np.exp(-0.5 * (BLUR * mode * 2 * pi / count) ** 2)).real
    density = 1.0 - BENT + BENT * smooth * (FINE / smooth.sum())
    index = np.concatenate([[0.0], np.cumsum(density)]) * (count / density.sum())
    spline = PchipInterpolator(index, fine)
    ray = np.arange(count)
    return spline(ray), spline(ray, 1)
