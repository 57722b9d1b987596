"""Clouds about swept tapered wings over a half span with a symmetry plane.

Rings about each section, sections along the span and on beyond the tip (O-H): inside a cylinder.
The tip is closed by parabolas; beyond it the innermost ring is a line that both sides share.
x downstream, y along the span, z up; lengths in root chords.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.cloud import block
from kinemesh.cloud.checks import WORST_CONDITION
from kinemesh.cloud.cloud import Cloud
from kinemesh.cloud.elliptic import Rings, fraction, rings
from kinemesh.errors import CloudError
from kinemesh.mesh.generate.rays import layers
from kinemesh.mesh.origin import Origin
from kinemesh.mesh.sections.named import section
from kinemesh.mesh.sections.section import Section

Floats = NDArray[np.float64]

SHARE = (128, 40, 60)  # points on a ring, rings, stations; all grow alike with the points
CAP, OUTER = 0.09, 0.27  # of the stations: round the tip, and beyond it
TIP_STEP = 0.5  # spacing of stations at the tip, over the length of the tip's cap
SIDE = 0.5  # distance of the last station from the tip, over that of the far field
SPREAD = 0.5  # of the stations on the outer cylinder, towards even steps
SHAKE = 0.15  # of irregular clouds: largest shift, over the distance of the nearest neighbour
M6 = {"span": 1.47601798, "taper": 455.914 / 810.491, "sweep_deg": 29.999}


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


def wing(
    section: str | Path | Section = "naca0012",
    points: int = 300_000,
    span: float = 3.0,
    taper: float = 1.0,
    sweep_deg: float = 0.0,
    far_field: float = 20.0,
    trailing_edge: str | None = None,
    tip: float = 0.6,
    irregular: bool = False,
    shake: float = SHAKE,
    seed: int = 0,
    worst_condition: float = WORST_CONDITION,
) -> Cloud:
    """A cloud about a half wing, root chord 1, leading edge of the root at the origin.

    Parameters
    ----------
    section : name, coordinate file or Section    streamwise, the same all along the span
    points : int              wanted, within 3 %
    span : float              of the half wing, without the cap [root chord]
    taper : float             chord of the tip [root chord]
    sweep_deg : float         of the leading edge [deg]
    far_field : float         radius of the cylinder about the wing; the last station is half as
                              far beyond the tip [root chord]
    trailing_edge : closed | sharp
    tip : float               length of the cap along the span, over the tip's half thickness
    irregular : bool          points shaken, and satellites across cells by chance: 14 on average
                              in place of 6 in two colours
    shake : float             largest shift, over the distance of the nearest neighbour
    seed : int                of shifts and choices

    Returns
    -------
    Cloud    boundaries `wing`, `symmetry` and `farfield`

    Raises
    ------
    CloudError, MeshError    for arguments that no good cloud fulfils
    """
    shape = _shape(section, trailing_edge)
    _of_irregular(irregular, shake, seed)
    _numbers(points, span, taper, sweep_deg, far_field, tip, shake)
    around, count, stations = _counts(points)
    base = rings(shape, around, count, far_field)
    plan = Planform(span, taper, np.tan(np.radians(sweep_deg)), tip * taper * base.half_thickness)
    y, thickness = _stations(plan, stations, SIDE * far_field)
    place = _place(base, plan, y, thickness, far_field)
    slit = int(np.argmax(thickness == 0.0))
    number, kept = block.merged(place.shape[:3], slit)
    pairs = [block.lines(number), block.ends(number, slit, int(np.argmax(thickness < 1.0)))]
    if irregular:
        chance = np.random.default_rng(seed)
        place = block.shaken(place, shake, chance)
        pairs.append(block.diagonals(number, slit, chance))
    where = place.reshape(-1, 3)[kept]
    return Cloud.from_pairs(
        where,
        np.concatenate(pairs),
        block.boundaries(number, slit),
        None,
        worst_condition,
        Origin(notes=shape.notes),
    )


def oneram6(points: int = 300_000, **more: Any) -> Cloud:
    """The ONERA M6 wing, root chord 1 (810.491 mm): `wing` with its section and planform.

    Semispan 1.47601798, leading-edge sweep 29.999, trailing-edge sweep 15.692 degrees.
    """
    for name in M6:
        if name in more:
            raise CloudError(f"oneram6: {name} is that of the wing, expected other arguments")
    plan: dict[str, Any] = M6 | more
    return wing("oneram6", points, **plan)


def _shape(given: str | Path | Section, trailing_edge: str | None) -> Section:
    if trailing_edge not in (None, "closed", "sharp"):
        raise CloudError(f"wing: trailing_edge = {trailing_edge!r}, expected closed or sharp")
    shape = given if isinstance(given, Section) else section(given, trailing_edge)
    if shape.gap > 0:
        raise CloudError(
            f"wing: section '{shape.name}' has a trailing edge of {shape.gap:.3g}, expected a "
            "closed or sharp one: its two sides meet beyond the tip"
        )
    return shape


def _of_irregular(irregular: bool, shake: float, seed: int) -> None:
    """Refuse arguments for an irregular wing that a regular cloud has no use for."""
    if not isinstance(irregular, bool | np.bool_):
        raise CloudError(f"wing: irregular = {irregular!r}, expected True or False")
    for name, value, own in (("shake", shake, SHAKE), ("seed", seed, 0)):
        if not irregular and not (isinstance(value, int | float) and value == own):
            raise CloudError(
                f"wing: {name} = {value!r} has no effect without irregular=True, expected none"
            )


def _numbers(
    points: int,
    span: float,
    taper: float,
    sweep_deg: float,
    far_field: float,
    tip: float,
    shake: float,
) -> None:
    """Refuse invalid numbers of a wing."""
    limits = {
        "span": (span, 0.1, 50.0, "a half wing needs a span; for a section use cloud.airfoil"),
        "taper": (taper, 0.1, 2.0, ""),
        "sweep_deg": (sweep_deg, -60.0, 70.0, ""),
        "far_field": (far_field, 4.0, 1e3, ""),
        "tip": (tip, 0.1, 2.0, ""),
        "shake": (shake, 0.0, 0.3, "more turns points round"),
    }
    whole = isinstance(points, int | np.integer) and not isinstance(points, bool)
    if not whole or not 20_000 <= points <= 20_000_000:
        raise CloudError(f"wing: points = {points!r}, expected a whole number of 20000 to 20000000")
    for name, (value, low, high, why) in limits.items():
        number = isinstance(value, int | float | np.integer | np.floating)
        if isinstance(value, bool) or not number or not low <= value <= high:
            reason = f"; {why}" if why else ""
            raise CloudError(f"wing: {name} = {value!r}, expected {low:g} to {high:g}{reason}")
    reach = span * max(1.0, abs(np.tan(np.radians(sweep_deg)))) + 1.0
    if far_field < 2.0 * reach:
        raise CloudError(
            f"wing: far_field = {far_field:g}, but the wing reaches {reach:.3g} from its root's "
            "nose, expected at least twice that"
        )


def _counts(points: int) -> tuple[int, int, int]:
    """Points on a ring (even), rings and stations."""
    scale = (points / np.prod(SHARE)) ** (1.0 / 3.0)
    around = 2 * round(0.5 * SHARE[0] * scale)
    count = round(SHARE[1] * scale)
    # beyond the tip half of the innermost ring is shared
    return around, count, round(points / (around * (count - 0.5 * OUTER)))


def _stations(plan: Planform, count: int, side: float) -> tuple[Floats, Floats]:
    """Stations along the span, and each section's thickness over that of the wing."""
    cap, outer = max(4, round(CAP * count)), round(OUTER * count)
    inner = count - 1 - cap - outer
    step = min(TIP_STEP * plan.cap, plan.span / inner)
    inboard = plan.span - _graded(step, plan.span, inner)[::-1]
    inboard[0] = 0.0
    share = np.arange(1, cap + 1) / cap
    tip = plan.span + share * plan.cap
    beyond = tip[-1] + _graded(min(plan.cap, side / outer), side, outer)[1:]
    # a parabola: half an ellipse would end with lines along z, where the rings leave along z too
    thickness = np.concatenate([np.ones(inner + 1), 1.0 - share**2, np.zeros(outer)])
    return np.concatenate([inboard, tip, beyond]), thickness


def _graded(first: float, far: float, steps: int) -> Floats:
    """Places 0 to far in steps that grow geometrically from the first."""
    return layers(np.array([first]), far, steps)[:, 0]


def _place(base: Rings, plan: Planform, y: Floats, thickness: Floats, far_field: float) -> Floats:
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
