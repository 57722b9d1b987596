"""Sections of walls in space by planes across the span, and their loads (docs/theory.md, 2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, SettingsError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ACROSS = [0, 2]  # axes of a section: x downstream, z up
QUARTER = 0.25  # of the chord: point of a section's moment
FLAT = 1e-9  # thickness over chord of a section that is a line
ROUND = 1e-6  # of a length: what rounding in single precision leaves between equal ones
POINT = 1e-13  # of coordinates: a section of less is a point, but for rounding
BLUFF = 0.8  # width over length from which on the facets decide which line is the longest


@dataclass(frozen=True, eq=False)
class Section:
    """Section of a surface of triangles by a plane of constant y, which moves with the surface.

    Parameters
    ----------
    eta, y : share of the span, and place along it [chord]
    ends : (n, 2)     nodes of the edges that the plane cuts
    share : (n,)      of the way from the first to the second, at the points of the section
    lines : (k, 2)    points that its lines join, the gas on the left with x to the right, z up
    rows : (k,)       triangles that the lines are on
    nose, tail : (m,)     points whose means are the ends of the chord, see `ends_of`; none of a
        section of no size
    """

    eta: float
    y: float
    ends: Ints
    share: Floats
    lines: Ints
    rows: Ints
    nose: Ints
    tail: Ints

    def at(self, values: NDArray[Any]) -> Floats:
        """(n, ...) values at the points of the section, of those at the nodes of the surface."""
        first, second = (np.asarray(values[own], float) for own in self.ends.T)
        part = self.share.reshape(-1, *(1 for _ in first.shape[1:]))
        return first + part * (second - first)

    def flat(self, points: NDArray[Any]) -> bool:
        """Return True of a section that encloses nothing, at places (nodes, 3)."""
        if not len(self.nose):
            return True
        (nose, tail), place = self.chord(points), self.at(points)[:, ACROSS]
        way, off = tail - nose, place - nose
        thick = np.abs(way[0] * off[:, 1] - way[1] * off[:, 0])
        return bool(thick.max() <= FLAT * (way @ way))

    def chord(self, points: NDArray[Any]) -> Floats:
        """(2, 2) nose and tail as (x, z), at places (nodes, 3); nan of a section of no size."""
        if not len(self.nose):
            return np.full((2, 2), np.nan)
        place = self.at(points)[:, ACROSS]
        return np.stack([place[own].mean(axis=0) for own in (self.nose, self.tail)])

    def quarter(self, points: NDArray[Any]) -> tuple[float, Floats]:
        """Length of the chord and its quarter point (x, z), at places (nodes, 3)."""
        nose, tail = self.chord(points)
        return float(np.hypot(*(tail - nose))), nose + QUARTER * (tail - nose)

    def on_edges(self, pairs: NDArray[Any], total: int) -> NDArray[np.bool_]:
        """(n,) True at points on edges that are among pairs (k, 2) of the `total` nodes."""
        own, others = (np.sort(both, axis=1) @ [total, 1] for both in (self.ends, pairs))
        return np.isin(own, others)


@dataclass(frozen=True, slots=True)
class SectionLoads:
    """Loads of a section at one moment, per length of span.

    Parameters
    ----------
    chord : its length
    quarter : (x, z) of the quarter point of the chord; nan of a section of no size
    load : (x, z) force over q_inf [chord]
    moment : nose-up about the quarter point, over q_inf [chord^2]
    """

    chord: float
    quarter: tuple[float, float]
    load: tuple[float, float]
    moment: float

    @classmethod
    def of(cls, section: Section, x: NDArray[Any], cp: NDArray[Any]) -> SectionLoads:
        """Loads by the pressure coefficients cp (nodes,) at places x (nodes, 3) [chord].

        Pressures are linear along lines; the moment has each end's share there, as that of a body
        in the plane has.
        """
        if not len(section.nose):
            return cls(0.0, (np.nan, np.nan), (0.0, 0.0), 0.0)
        place, own = section.at(x)[:, ACROSS], section.at(cp)[section.lines]
        chord, quarter = section.quarter(x)
        ends = place[section.lines]
        way = ends[:, 1] - ends[:, 0]
        fx, fz, moment = 0.0, 0.0, 0.0
        for end in (0, 1):
            half = 0.5 * own[:, end]
            dx, dz = (ends[:, end] - quarter).T
            fx += float((half * way[:, 1]).sum())
            fz -= float((half * way[:, 0]).sum())
            moment += float((half * (dz * way[:, 1] + dx * way[:, 0])).sum())
        return cls(chord, (float(quarter[0]), float(quarter[1])), (fx, fz), moment)

    @classmethod
    def given(cls, section: Section, x: NDArray[Any], density: Floats) -> SectionLoads:
        """Loads of a section by the density along the span of the force along x, of that along z
        and of their moment about the origin (3,)."""
        if not len(section.nose):
            return cls(0.0, (np.nan, np.nan), (0.0, 0.0), 0.0)
        chord, quarter = section.quarter(x)
        px, pz, fx, fz, moment = (float(own) for own in (*quarter, *density))
        return cls(chord, (px, pz), (fx, fz), moment - (pz * fx - px * fz))


@dataclass(frozen=True, slots=True)
class Span:
    """Reach of a surface along y: the root, from which shares of the span count, and the tip.

    The root is where a plane of symmetry closes the surface, of one between two planes the lower.
    A surface that is closed at both ends has it in the middle, and shares from -1 on.

    Parameters
    ----------
    low, high : least and largest y
    root, tip : y of the shares 0 and 1
    between : whether the surface ends at a plane of symmetry on both sides
    """

    low: float
    high: float
    root: float
    tip: float
    between: bool = False

    @classmethod
    def of(cls, points: Floats, triangles: Ints) -> Span:
        """Span of a surface of triangles (t, 3); CaseError of one without extent."""
        if not len(triangles):
            raise CaseError("sections: there are no walls")
        y = points[np.unique(triangles), 1]
        low, high = float(y.min()), float(y.max())
        if not high > low:
            raise CaseError(f"sections: all walls are at y = {low:g}, which no section cuts")
        sides = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]],
                                        triangles[:, [2, 0]]]), axis=1)  # fmt: skip
        each, count = np.unique(sides, axis=0, return_counts=True)
        rim = points[np.unique(each[count == 1]), 1]
        near = 1e-6 * (high - low)
        at_low, at_high = (bool((np.abs(rim - end) < near).any()) for end in (low, high))
        if at_low or not at_high:
            root = low if at_low else 0.5 * (low + high)
            return cls(low, high, root, high, at_low and at_high)
        return cls(low, high, high, low)

    @property
    def least(self) -> float:
        """Least share of the span."""
        return min(self.eta(self.low), self.eta(self.high))

    @property
    def closed(self) -> tuple[bool, bool]:
        """Return for the low and the high end whether a plane of symmetry is there."""
        return self.between or self.root == self.low, self.between or self.root == self.high

    def eta(self, y: float) -> float:
        """Share of the span at y."""
        return (y - self.root) / (self.tip - self.root)

    def y(self, eta: float) -> float:
        """Place of a share of the span; SettingsError of one beyond it."""
        known = isinstance(eta, int | float | np.number) and not isinstance(eta, bool)
        if not known or not self.least - 1e-12 <= eta <= 1 + 1e-12:
            raise SettingsError(
                f"section is {eta!r}, expected a share of the span from {self.least:g} to 1"
            )
        y = self.root + float(eta) * (self.tip - self.root)
        return min(max(y, self.low), self.high)

    def stations(self, count: int) -> Floats:
        """(count,) shares from end to end, dense at tips that are closed."""
        if self.least < 0:
            return np.asarray(np.sin(np.linspace(-np.pi / 2, np.pi / 2, count)))
        return np.asarray(np.sin(np.linspace(0, np.pi / 2, count)))


def sections(
    points: Floats, triangles: Ints, etas: Sequence[float], span: Span | None = None
) -> list[Section]:
    """Sections of a surface at shares of its span.

    Parameters
    ----------
    points : (n, 3)       x downstream, y along the span, z up, as they stand
    triangles : (t, 3)    their area vectors point out of the gas
    """
    reach = Span.of(points, triangles) if span is None else span
    return [_section(points, triangles, reach.y(eta), reach) for eta in etas]


def _section(points: Floats, triangles: Ints, y: float, span: Span) -> Section:
    side = points[triangles, 1]
    beyond = side >= y if y >= span.high else side > y  # at the last end from within
    crossing = beyond.any(axis=1) & ~beyond.all(axis=1)
    corner, beyond = triangles[crossing], beyond[crossing]
    alone = np.argmax(beyond == (beyond.sum(axis=1) == 1)[:, None], axis=1)
    row = np.arange(len(corner))
    tip = corner[row, alone]
    pairs = np.stack([np.stack([tip, corner[row, (alone + k) % 3]], axis=1) for k in (1, 2)], 1)
    pairs = np.sort(pairs, axis=2)
    low, high = points[pairs[..., 0], 1], points[pairs[..., 1], 1]
    share = (y - low) / (high - low)
    for at in (0, 1):  # a node on the plane is one point, whichever edges leave it
        there = share == at
        pairs[there] = pairs[there][:, [at, at]]
    share = np.where((share == 0) | (share == 1), 0.0, share)
    ends, first, point = np.unique(
        pairs.reshape(-1, 2), axis=0, return_index=True, return_inverse=True
    )
    lines: Any = point.reshape(-1, 2)
    where = share.ravel()[first]
    a = points[corner]
    area = np.cross(a[:, 1] - a[:, 0], a[:, 2] - a[:, 0])
    place = points[ends[:, 0]] + where[:, None] * (points[ends[:, 1]] - points[ends[:, 0]])
    way = (place[lines[:, 1]] - place[lines[:, 0]])[:, ACROSS]
    turned = way[:, 1] * area[:, 0] - way[:, 0] * area[:, 2] < 0  # the gas is on the left
    lines[turned] = lines[turned][:, ::-1]
    long = lines[:, 0] != lines[:, 1]
    lines, rows = lines[long], np.flatnonzero(crossing)[long]
    place = place[:, ACROSS]
    rounding = np.abs(place).max(initial=0.0) * POINT
    flat = len(place) < 3 or np.ptp(place, axis=0).max() <= rounding or not len(lines)
    none = np.empty(0, np.int64)
    nose, tail = (none, none) if flat else ends_of(place)
    return Section(span.eta(y), y, ends, where, lines, rows, nose, tail)


def extreme(values: Floats, size: float | None = None) -> Ints:
    """Rows of the largest of the values (n,) but for rounding of their range, or of a size."""
    return np.flatnonzero(
        values >= values.max() - ROUND * (np.ptp(values) if size is None else size)
    )


def ends_of(points: Floats) -> tuple[Ints, Ints]:
    """Numbers of the points (n, 2) whose means are the ends of the chord, nose and tail.

    The chord is the longest line between two points, the nose its end at lower x, of a line across
    the stream the upper one.  Lines that are as long but for rounding count alike, as those from a
    nose to both corners of a blunt edge.  A section nearly as wide as it is long has no such line,
    and its chord goes from the points of lowest x to those of highest.
    """
    from scipy.spatial import ConvexHull
    from scipy.spatial.distance import pdist, squareform

    first = int(np.argmax(np.hypot(*(points - points[0]).T)))
    last = int(np.argmax(np.hypot(*(points - points[first]).T)))
    x, z = points[last] - points[first]
    if np.ptp(points @ [-z, x]) <= ROUND * (x * x + z * z):  # a line, of which rounding makes hulls
        hull = np.array([first, last])
    else:
        hull = ConvexHull(points).vertices
    place = points[hull]
    apart = squareform(pdist(place))
    length = apart.max()
    one, other = np.nonzero(apart >= (1 - ROUND) * length)
    way = place[other] - place[one]
    if np.ptp(place @ [-way[0, 1], way[0, 0]]) > BLUFF * length**2:
        return hull[extreme(-place[:, 0], length)], hull[extreme(place[:, 0], length)]
    streamwise = np.abs(way[:, 0]) > ROUND * length
    forward = np.where(streamwise, way[:, 0] > 0, way[:, 1] < 0)
    return hull[np.unique(one[forward])], hull[np.unique(other[forward])]
