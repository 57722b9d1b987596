"""Points about a swept tapered wing over a half span: rings about each section, and stations.

Sections go along the span and on beyond the tip (O-H), inside a cylinder.  The tip is closed by
parabolas; beyond it the innermost ring is a line that both sides share.
x downstream, y along the span, z up; lengths in root chords.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from kinemesh.errors import KinemeshError, MeshError
from kinemesh.mesh.generate.rays import layers
from kinemesh.mesh.generate.wings.block import merged
from kinemesh.mesh.generate.wings.elliptic import Rings, fraction, rings
from kinemesh.mesh.sections.named import section
from kinemesh.mesh.sections.section import Section
from kinemesh.sentences import NODES

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

SHARE = (128, 40, 60)  # nodes on a ring, rings, stations; all grow alike with the nodes
CAP, OUTER = 0.09, 0.27  # of the stations: round the tip, and beyond it
TIP, ROOT, MOST_STEP = 0.2, 0.5, 1.5  # steps along the span over their mean: both ends, longest
TIP_STEP = 0.5, 2.0  # least and most at the tip, over the length of the tip's cap
SIDE = 0.5  # distance of the last station from the tip, over that of the far field
SPREAD = 0.5  # of the stations on the outer cylinder, towards even steps
MOST = 20_000_000  # nodes
M6 = {"span": 1.47601798, "taper": 455.914 / 810.491, "sweep_deg": 29.999}


def with_m6(more: dict[str, Any], error: type[Exception], maker: str) -> dict[str, Any]:
    """Planform of the ONERA M6 beside other arguments of a wing; `error` where one changes it.

    maker : name of what makes other wings
    """
    for name in M6:
        if name in more:
            raise error(
                f"oneram6: {name} = {more[name]!r}, and that of the ONERA M6 is {M6[name]}; "
                f"leave it out, or make another wing by {maker}"
            )
    return M6 | more


class Planform(NamedTuple):
    """A half wing of root chord 1: span, tip chord, tangent of the leading edge's sweep, cap."""

    span: float
    taper: float
    slope: float
    cap: float

    def chord(self, y: Floats) -> Floats:
        """Chord at y, that of the tip beyond it."""
        return 1.0 - (1.0 - self.taper) * np.minimum(y / self.span, 1.0)

    def nose(self, y: Floats) -> Floats:
        """x of the leading edge at y, that of the tip beyond it."""
        return self.slope * np.minimum(y, self.span)


class Block(NamedTuple):
    """The block of a wing.

    Parameters
    ----------
    place : (stations, rings, around, 3)    places of its nodes
    number : (stations, rings, around)      numbers of its nodes, on both sides of the slit one
    kept : (nodes,)     the place of each node among all
    slit : int      first station where both sides are one line
    cap : int       first station of the cap
    """

    place: Floats
    number: Ints
    kept: NDArray[np.intp]
    slit: int
    cap: int

    @property
    def points(self) -> Floats:
        """(nodes, 3) coordinates."""
        return self.place.reshape(-1, 3)[self.kept]


def shape_of(
    given: str | Path | Section,
    trailing_edge: str | None,
    error: type[KinemeshError] = MeshError,
) -> Section:
    """Section of a wing, its trailing edge closed or sharp; an error of that class for others."""
    if trailing_edge not in (None, "closed", "sharp"):
        raise error(f"wing: trailing_edge = {trailing_edge!r}, expected closed or sharp")
    shape = given if isinstance(given, Section) else section(given, trailing_edge)
    if shape.gap > 0:
        raise error(
            f"wing: section '{shape.name}' has a trailing edge of {shape.gap:.3g}, expected a "
            "closed or sharp one: its two sides meet beyond the tip"
        )
    return shape


def check(nodes: Any, least: int, numbers: Mapping[str, Any], advice: str) -> None:
    """Refuse invalid numbers of a wing.

    Parameters
    ----------
    numbers : {"span": ..., "taper": ..., "sweep_deg": ..., "far_field": ..., "tip": ...}
    advice : what to take for a section without a span
    """
    limits = {
        "span": (0.1, 50.0, f"a half wing needs a span; {advice}"),
        "taper": (0.1, 2.0, ""),
        "sweep_deg": (-60.0, 70.0, ""),
        "far_field": (4.0, 1e3, ""),
        "tip": (0.1, 2.0, ""),
        "shake": (0.0, 0.3, "more turns points round"),
    }
    whole = isinstance(nodes, int | np.integer) and not isinstance(nodes, bool)
    if not whole or not least <= nodes <= MOST:
        raise MeshError(
            "wing: ", NODES, f" = {nodes!r}, expected a whole number of {least} to {MOST}"
        )
    for name, value in numbers.items():
        low, high, why = limits[name]
        number = isinstance(value, int | float | np.integer | np.floating)
        if isinstance(value, bool) or not number or not low <= value <= high:
            reason = f"; {why}" if why else ""
            raise MeshError(f"wing: {name} = {value!r}, expected {low:g} to {high:g}{reason}")
    span, sweep, far_field = (numbers[name] for name in ("span", "sweep_deg", "far_field"))
    reach = span * max(1.0, abs(np.tan(np.radians(sweep)))) + 1.0
    if far_field < 2.0 * reach:
        raise MeshError(
            f"wing: far_field = {far_field:g}, but the wing reaches {reach:.3g} from its root's "
            "nose, expected at least twice that"
        )


def block_of(
    shape: Section,
    nodes: int,
    span: float,
    taper: float,
    sweep_deg: float,
    far_field: float,
    tip: float,
) -> Block:
    """The block about a wing of checked numbers."""
    around, count, many = counts(nodes)
    base = rings(shape, around, count, far_field)
    plan = Planform(span, taper, np.tan(np.radians(sweep_deg)), tip * taper * base.half_thickness)
    y, thickness = stations(plan, many, SIDE * far_field)
    where = place(base, plan, y, thickness, far_field)
    slit = int(np.argmax(thickness == 0.0))
    number, kept = merged(where.shape[:3], slit)
    return Block(where, number, kept, slit, int(np.argmax(thickness < 1.0)))


def counts(nodes: int) -> tuple[int, int, int]:
    """Nodes on a ring (even), rings and stations."""
    scale = (nodes / np.prod(SHARE)) ** (1.0 / 3.0)
    around = 2 * round(0.5 * SHARE[0] * scale)
    count = round(SHARE[1] * scale)
    # beyond the tip half of the innermost ring is shared
    return around, count, round(nodes / (around * (count - 0.5 * OUTER)))


def stations(plan: Planform, count: int, side: float) -> tuple[Floats, Floats]:
    """Stations along the span, and each section's thickness over that of the wing."""
    cap, outer = max(4, round(CAP * count)), round(OUTER * count)
    inner = count - 1 - cap - outer
    inboard = _inboard(plan, inner)
    share = np.arange(1, cap + 1) / cap
    tip = plan.span + share * plan.cap
    beyond = tip[-1] + _graded(min(plan.cap, side / outer), side, outer)[1:]
    # a parabola: half an ellipse would end with lines along z, where the rings leave along z too
    thickness = np.concatenate([np.ones(inner + 1), 1.0 - share**2, np.zeros(outer)])
    return np.concatenate([inboard, tip, beyond]), thickness


def _inboard(plan: Planform, count: int) -> Floats:
    """Places (count + 1,) from root to tip; steps grow from both by one ratio, up to the longest.

    The spanwise velocity comes up within a section's thickness of the root.  Steps keep their
    shares of the span as wings are refined.
    """
    mean = plan.span / count
    first = min(np.clip(TIP * mean, TIP_STEP[0] * plan.cap, TIP_STEP[1] * plan.cap), mean)
    step = np.arange(count)

    def steps(growth: float) -> Floats:
        ends = np.minimum(ROOT * mean * growth**step, first * growth ** step[::-1])
        return np.minimum(ends, MOST_STEP * mean)

    most = MOST_STEP * mean / min(first, ROOT * mean)  # no step between is shorter than the longest
    ratio = brentq(lambda growth: steps(growth).sum() - plan.span, 1.0, most)
    place = np.concatenate([[0.0], np.cumsum(steps(ratio))])
    place[-1] = plan.span
    return place


def _graded(first: float, far: float, steps: int) -> Floats:
    """Places 0 to far in steps that grow geometrically from the first."""
    return layers(np.array([first]), far, steps)[:, 0]


def place(base: Rings, plan: Planform, y: Floats, thickness: Floats, far_field: float) -> Floats:
    """(stations, rings, around, 3) points; stations spread evenly along the outer cylinder."""
    result = np.empty((len(y), *base.length.shape, 3))
    out = fraction(base.length)
    even = y + SPREAD * (np.linspace(0.0, y[-1], len(y)) - y)
    chord, nose = plan.chord(y), plan.nose(y)
    middle = 0.25 + 0.25 * (plan.slope * plan.span + plan.taper)  # of the cylinder
    for k, at in enumerate(y):
        beyond = max(0.0, at - plan.span - plan.cap)
        plane = base.points(thickness[k], beyond, chord[k], nose[k], middle, far_field)
        result[k, ..., 0], result[k, ..., 2] = plane.real, plane.imag
        result[k, ..., 1] = at + out * (even[k] - at)
    return result
