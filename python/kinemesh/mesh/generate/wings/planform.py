"""Points about a swept tapered wing over a half span: rings about each section, and stations.

Sections go along the span and on beyond the tip (O-H), inside a cylinder.  The tip is closed by
parabolas; beyond it the innermost ring is a line that both sides share.
x downstream, y along the span, z up; lengths in root chords.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from kinemesh.errors import MeshError
from kinemesh.mesh.generate.rays import layers
from kinemesh.mesh.generate.wings.block import merged
from kinemesh.mesh.generate.wings.elliptic import Rings, blended, fraction, rings
from kinemesh.mesh.generate.wings.heights import check_growth, check_length
from kinemesh.mesh.generate.wings.opening import LONGEST
from kinemesh.mesh.generate.wings.outline import TAPERED, Outline, Wing
from kinemesh.sentences import NODES

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

SHARE = (128, 40, 60)  # nodes on a ring, rings, stations; all grow alike with the nodes
CAP = 0.09  # of the stations, round the tip
TIP, ROOT, MOST_STEP = 0.2, 0.5, 1.5  # steps along the span over their mean: both ends, longest
TIP_STEP = 0.5, 2.0  # least and most at the tip, over the length of the tip's cap
NEAR_SHARE = (112, 52, 66)
SPREAD = 0.5  # of the stations on the outer cylinder, towards even steps
LEAST_STEP = 1 / 3  # along the span, over what it is without stations between root and tip
MOST = 20_000_000  # nodes
OVERSET = "overset"
NEAREST, ROOM = 1.0, 0.5  # least radius of an overset boundary, and way from the wing to it
OF_OUTLINE = (*TAPERED, "tip_section", "twist_about", "stations")
M6 = {"span": 1.47601798, "taper": 455.914 / 810.491, "sweep_deg": 29.999}


def with_m6(more: dict[str, Any], error: type[Exception], maker: str) -> dict[str, Any]:
    """Planform of the ONERA M6 beside other arguments of a wing; `error` where one changes it.

    maker : name of what makes other wings
    """
    for name in (*M6, *(own for own in OF_OUTLINE if own not in M6)):
        if more.get(name) is not None:
            own = f"that of the ONERA M6 is {M6[name]}" if name in M6 else "the ONERA M6 has none"
            raise error(
                f"oneram6: {name} = {more[name]!r}, and {own}; "
                f"leave it out, or make another wing by {maker}"
            )
    return M6 | more


class Beyond(NamedTuple):
    """Stations beyond the tip.

    Parameters
    ----------
    side : distance of the last one from the tip, over that of the far field
    share : of all stations
    even : least first step, over their mean one
    along : least first step, over the mean one along the span, where it may be as short as the last
        of the cap; 0: it is as long as the cap
    """

    side: float
    share: float
    even: float = 0.0
    along: float = 0.0


FAR = Beyond(0.5, 0.27)
# Where other meshes go on beyond, cells there are as long as those of the cylinder.
NEAR = Beyond(0.8, 0.36, even=0.5)
# Duals of the line that closes the cap reach half a step beyond the wing, and hold the flow there
# as its wall does.
LAYERED = Beyond(0.5, 0.36, along=1 / 16)


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


def check(
    nodes: Any, least: int, outline: Outline, numbers: Mapping[str, Any], near: bool = False
) -> None:
    """Refuse invalid numbers of a mesh or cloud about a wing.

    Parameters
    ----------
    numbers : {"far_field": ..., "tip": ...}
    near : whether other meshes go on beyond the outer boundary
    """
    limits = {
        "far_field": (NEAREST if near else 4.0, 1e3, ""),
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
    far_field = numbers["far_field"]
    if near:
        _check_near(outline, far_field)
    elif far_field < 2.0 * outline.reach:
        raise MeshError(
            f"wing: far_field = {far_field:g}, but the wing reaches {outline.reach:.3g} from its "
            "root's nose, expected at least twice that"
        )


def _check_near(outline: Outline, far_field: float) -> None:
    """Refuse a cylinder that comes nearer to the wing than ROOM of the root's chord."""
    nose = outline.nose(outline.y)
    ends = np.concatenate([nose, nose + outline.chord(outline.y)])
    least = float(np.abs(ends - _axis(outline)).max()) + ROOM
    if far_field < least:
        raise MeshError(
            f"wing: far_field = {far_field:g} with outer = 'overset', expected at least "
            f"{least:.3g}, {ROOM:g} beyond the wing"
        )


def _axis(plan: Outline) -> complex:
    """Axis of the cylinder about the wing, x + i z."""
    tip = complex(plan.nose(plan.y[-1:])[0])
    return 0.25 + 0.25 * (tip.real + plan.taper) + 0.5j * tip.imag


def block_of(
    wing: Wing,
    nodes: int,
    far_field: float,
    tip: float,
    wall_spacing: float | None = None,
    much: float = 0.0,
    outer: str = "farfield",
) -> Block:
    """The block about a wing, of checked numbers.

    Parameters
    ----------
    wall_spacing : height of the first ring at mid-chord [chord of the station]
    much : share of the opening beyond the tip, of cells that are cut into tetrahedra, which are
        wider at both edges too; 0 of all others
    outer : farfield | overset    what the outer boundary is
    """
    around, count, many = counts(nodes, NEAR_SHARE if outer == OVERSET else SHARE)
    wanted: dict[str, Any] = {"opens": much > 0, "outer": outer}

    def about(height: float | None) -> dict[int, Rings]:
        given = around, count, far_field, height
        return {id(own): rings(own, *given, **wanted) for own in wing.sections}

    # with a boundary that is near, cells of the default height may fill the way to it
    made = about(wall_spacing if outer == OVERSET else None)
    if wall_spacing is not None:
        check_length(made[id(wing.sections[0])], wall_spacing)
        made = about(wall_spacing)
        check_growth(made[id(wing.sections[0])], wall_spacing)
    bases = [made[id(own)] for own in wing.sections]
    plan = wing.outline
    plan = plan._replace(cap=tip * plan.taper * bases[-1].half_thickness)
    longest = LONGEST if much else MOST_STEP
    beyond = NEAR if outer == OVERSET else FAR
    y, thickness = stations(plan, many, far_field, beyond, longest)
    where = place(bases, plan, y, thickness, far_field, much)
    slit = int(np.argmax(thickness == 0.0))
    number, kept = merged(where.shape[:3], slit)
    return Block(where, number, kept, slit, int(np.argmax(thickness < 1.0)))


def counts(nodes: int, share: Sequence[int] = SHARE) -> tuple[int, int, int]:
    """Nodes on a ring (even), rings and stations."""
    scale = (nodes / np.prod(share)) ** (1.0 / 3.0)
    around = 2 * round(0.5 * share[0] * scale)
    count = round(share[1] * scale)
    # beyond the tip half of the innermost ring is shared
    return around, count, round(nodes / (around * (count - 0.5 * FAR.share)))


def stations(
    plan: Outline, count: int, far_field: float, beyond: Beyond = FAR, longest: float = MOST_STEP
) -> tuple[Floats, Floats]:
    """Stations along the span, and each section's thickness over that of the wing.

    longest : step over their mean
    """
    cap, outer = max(4, round(CAP * count)), round(beyond.share * count)
    inner = count - 1 - cap - outer
    inboard = _through(plan.y[1:-1], _inboard(plan, inner, longest))
    share = np.arange(1, cap + 1) / cap
    tip = plan.span + share * plan.cap
    side = beyond.side * far_field
    first = plan.cap / cap if beyond.along else plan.cap
    first = max(first, beyond.even * side / outer, beyond.along * plan.span / inner)
    rest = tip[-1] + _graded(min(first, side / outer), side, outer)[1:]
    # a parabola: half an ellipse would end with lines along z, where the rings leave along z too
    thickness = np.concatenate([np.ones(inner + 1), 1.0 - share**2, np.zeros(outer)])
    return np.concatenate([inboard, tip, rest]), thickness


def _inboard(plan: Outline, count: int, longest: float) -> Floats:
    """Places (count + 1,) from root to tip; steps grow from both by one ratio, up to the longest.

    The spanwise velocity comes up within a section's thickness of the root.  Steps keep their
    shares of the span as wings are refined.
    """
    mean = plan.span / count
    first = min(np.clip(TIP * mean, TIP_STEP[0] * plan.cap, TIP_STEP[1] * plan.cap), mean)
    step = np.arange(count)

    def steps(growth: float) -> Floats:
        ends = np.minimum(ROOT * mean * growth**step, first * growth ** step[::-1])
        return np.minimum(ends, longest * mean)

    most = longest * mean / min(first, ROOT * mean)  # no step between is shorter than the longest
    ratio = brentq(lambda growth: steps(growth).sum() - plan.span, 1.0, most)
    place = np.concatenate([[0.0], np.cumsum(steps(ratio))])
    place[-1] = plan.span
    return place


def _through(kinks: Floats, even: Floats) -> Floats:
    """Places from root to tip of which one is at each of the outline's stations between.

    The place nearest to a station, or the next that is free, moves there, and those between with
    it.
    """
    if not len(kinks):
        return even
    last = len(even) - 1
    rows = np.round(np.interp(kinks, even, np.arange(last + 1))).astype(int)
    for k in range(len(rows)):  # one row each, from the root on, and from the tip back
        rows[k] = max(rows[k], rows[k - 1] + 1 if k else 1)
    for k in range(len(rows))[::-1]:
        rows[k] = min(rows[k], rows[k + 1] - 1 if k + 1 < len(rows) else last - 1)
    found = even
    if rows[0] > 0:
        ends = [0.0, *kinks, even[-1]]
        move = PchipInterpolator(even[[0, *rows, last]], ends)
        found = move(even)
        found[[0, *rows, last]] = ends
    share = np.diff(found) / np.diff(even)
    worst = int(np.argmin(share))
    if rows[0] < 1 or share[worst] < LEAST_STEP:
        panel = int(np.searchsorted(kinks, 0.5 * (found[worst] + found[worst + 1])))
        raise MeshError(
            f"wing: stations[{panel}] and stations[{panel + 1}] are too near to one another for "
            f"the {last} steps from root to tip of this many ",
            NODES,
            ", of which each station has one of its own; give fewer stations there, or more ",
            NODES,
        )
    return found


def _graded(first: float, far: float, steps: int) -> Floats:
    """Places 0 to far in steps that grow geometrically from the first."""
    return layers(np.array([first]), far, steps)[:, 0]


def place(
    bases: Sequence[Rings],
    plan: Outline,
    y: Floats,
    thickness: Floats,
    far_field: float,
    much: float = 0.0,
) -> Floats:
    """(stations, rings, around, 3) points; stations spread evenly along the outer cylinder.

    Parameters
    ----------
    bases : rings about the section of each of the outline's stations
    much : share of the opening beyond the tip
    """
    result = np.empty((len(y), *bases[0].length.shape, 3))
    even = y + (SPREAD + much * (1.0 - SPREAD)) * (np.linspace(0.0, y[-1], len(y)) - y)
    chord, nose, twist = plan.chord(y), plan.nose(y), plan.twist(y)
    middle = _axis(plan)
    step = np.diff(y)
    step = np.append(step, step[-1] ** 2 / step[-2])
    for k, at in enumerate(y):
        panel, share = plan.at(at)
        base = blended(bases[panel], bases[panel + 1], share)
        beyond = max(0.0, at - plan.span - plan.cap)
        plane = base.points(
            thickness[k],
            beyond,
            chord[k],
            nose[k],
            middle,
            far_field,
            twist[k],
            plan.about,
            step[k],
            much,
        )
        result[k, ..., 0], result[k, ..., 2] = plane.real, plane.imag
        result[k, ..., 1] = at + fraction(base.length) * (even[k] - at)
    return result
