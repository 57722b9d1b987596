"""C-meshes about open trailing edges: of the section with a fairing behind its base, and the cells
that fill the fairing.

The fairing's sides go on from those of the section and meet behind the base; the wake cut starts
there.  Corners of the base are nodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from kinemesh.errors import MeshError
from kinemesh.mesh.generate.conformal import CircleMap
from kinemesh.mesh.generate.rays import Complexes, Floats, Wanted
from kinemesh.mesh.sections.section import Section

Ints = NDArray[np.int32]

FAIRING = 1.5  # length over the gap
LONGEST = 6.0  # of one that is a single cell, whose base is one edge
SHARE = 0.05  # of the curve's parameter that each side of the fairing has
FINEST = 0.05  # edge of a base over 1 / nodes on a side of the section, at least [chord]
PART = 10  # nodes on a side of the section over the edges on half of a base, at least
SIDE = 0.66  # nodes on a side of the section over the square root of all, about
REACH = 4.0  # within which nodes make room for the corner, over its distance from the cut


@dataclass(frozen=True, slots=True)
class Base:
    """The base of an open trailing edge in a C-mesh, and its fairing.

    Parameters
    ----------
    edges : int        on each half of the base; 0: one on all of it
    length : float     of the fairing [chord]
    spacing : float    length of the edges, of a base of one edge of the fairing's sides [chord]
    """

    edges: int
    length: float
    spacing: float

    @classmethod
    def of(cls, shape: Section, wanted: Wanted) -> Base:
        """Base of a section: number and length of edges, by nodes or trailing-edge spacing."""
        gap, around = shape.gap, wanted.around
        section = SIDE * np.sqrt(wanted.nodes) if around is None else around / 2
        given = wanted.trailing_spacing
        least = FINEST / section if given is None else given
        if gap < least:
            length = min(least, LONGEST * gap)
            return cls(0, length, float(np.hypot(length, 0.5 * gap)))
        most = section / PART if given is None else np.inf
        edges = max(1, round(min(0.5 * gap / least, most)))
        return cls(edges, FAIRING * gap, 0.5 * gap / edges)

    @property
    def nodes(self) -> int:
        """Approximate number of nodes inside the fairing."""
        return round(2 * FAIRING * self.edges**2)


def faired(shape: Section, length: float) -> Section:
    """The section with its fairing, a sharp one; the base's corners are at SHARE, 1 - SHARE."""
    ends, slopes = shape.curve(np.array([0.0, 1.0]))
    aft = slopes / np.abs(slopes) * [-1.0, 1.0]
    middle = aft.sum() / abs(aft.sum())
    tip = 0.5 * ends.sum() + length * middle
    sides = [_Side(tip, end, -way) for end, way in zip(ends, aft, strict=True)]
    speed = np.mean([side.length for side in sides]) / SHARE * (1.0 - 2.0 * SHARE)
    slow = 1.0 - min(1.0, float(speed / np.abs(slopes).mean()))

    def inner(t: Floats) -> Floats:
        return t - slow * np.sin(2 * np.pi * t) / (2 * np.pi)

    def curve(u: Floats) -> tuple[Complexes, Complexes]:
        t = np.clip((u - SHARE) / (1.0 - 2.0 * SHARE), 0.0, 1.0)
        z, dz = shape.curve(inner(t))
        dz = dz * (1.0 - slow * np.cos(2 * np.pi * t)) / (1.0 - 2.0 * SHARE)
        for side, on, v, way in (
            (sides[0], u < SHARE, u / SHARE, 1.0),
            (sides[1], u > 1.0 - SHARE, (1.0 - u) / SHARE, -1.0),
        ):
            place, slope = side(v[on])
            z[on], dz[on] = place, way / SHARE * slope
        return z, dz

    inside = 1.0 - 2.0 * SHARE
    joints = tuple(SHARE + inside * _where(inner, u) for u in shape.joints)
    return Section(shape.name, curve, 0.0, shape.symmetric, joints, shape.notes)


def _where(rising: Callable[[Floats], Floats], value: float) -> float:
    """Argument in [0, 1] at which a rising function has a value."""
    return float(brentq(lambda t: float(rising(np.array(t))) - value, 0.0, 1.0, xtol=1e-15))


class _Side:
    """Cubic from the fairing's tip to a corner of the base, tangential to the section."""

    def __init__(self, tip: complex, corner: complex, way: complex) -> None:
        step = corner - tip
        self.length = abs(step)
        self.tip, self.corner, self.start, self.end = tip, corner, step, self.length * way

    def __call__(self, v: Floats) -> tuple[Complexes, Complexes]:
        """Points at v, 0 (tip) to 1 (corner), and their derivatives."""
        a, b, t, e = self.tip, self.corner, self.start, self.end
        step = b - a
        place = a + v * (t + v * (3 * step - 2 * t - e + v * (t + e - 2 * step)))
        return place, t + v * (2 * (3 * step - 2 * t - e) + 3 * v * (t + e - 2 * step))


@dataclass(frozen=True, slots=True)
class Corners:
    """The base's corners on the axis of a C-mesh.

    Parameters
    ----------
    xi : of the upper and the lower corner
    column : int     of the ray that goes to both
    """

    xi: tuple[float, float]
    column: int

    @classmethod
    def of(cls, base: Base, circle: CircleMap, xi: Floats, section: int) -> Corners:
        """Corners and the ray nearest to them; MeshError where it is far from the fairing."""

        def angle(share: float, low: float) -> float:
            found = brentq(
                lambda a: float(circle.parameters(np.array([a]))[0]) - share, low, low + np.pi
            )
            return float(found)

        corner = 2.0 * np.cos(0.5 * angle(SHARE, 0.0)), -2.0 * np.cos(0.5 * angle(1 - SHARE, np.pi))
        index = float(np.interp(np.mean(corner), xi[: section + 1], np.arange(section + 1)))
        column = min(round(index), section - 1) if base.edges else section - 1
        if section - column > section // 2:
            raise MeshError(
                f"airfoil: {base.edges} edges on each half of the blunt trailing edge do not fit "
                "this many nodes; ask for more nodes, or a larger trailing_spacing"
            )
        return cls(corner, column)

    def moved(self, xi: Floats, side: int) -> Floats:
        """Abscissas of the rays on the axis, shifted near the corner so that one meets it."""
        away, wanted = 2.0 - xi, 2.0 - self.xi[side]
        near = (xi / 2.0) ** 2 / (1.0 + (away / (REACH * wanted)) ** 2) ** 2
        factor = (wanted / away[self.column] - 1.0) / near[self.column]
        return np.where(xi < 2.0, 2.0 - away * (1.0 + factor * near), xi)


def filled(upper: Complexes, lower: Complexes, edges: int) -> tuple[Complexes, Ints, Ints]:
    """Points and cells between the sides of the fairing.

    Parameters
    ----------
    upper, lower : (n,)    nodes from the corner to the tip, which both have
    edges : int            on each half of the base; 0: one on all of it, and n is 2

    Returns
    -------
    points : (k,)          that are new
    triangles : (t, 3)     of nodes numbered upper 0 to n - 1, lower n to 2 n - 1, then the new ones
    base : (b,)            nodes of the base, from the lower corner to the upper
    """
    n = len(upper)
    if edges == 0:
        none = np.empty(0, np.complex128)
        return none, np.array([[0, 2, 3]], np.int32), np.array([2, 0], np.int32)
    width = np.abs(upper - lower)
    count = np.maximum(1, np.round(edges * width / width[0])).astype(int)
    points: list[Complexes] = []
    rows: list[list[NDArray]] = []  # of each line across: halves, from the middle to the side
    start = 2 * n
    for k in range(n - 1):
        middle = 0.5 * (upper[k] + lower[k])
        share = np.arange(1, count[k]) / count[k]
        own = [np.array([middle]), *(middle + share * (z[k] - middle) for z in (upper, lower))]
        points += own
        first = start + 1 + np.arange(count[k] - 1)
        halves = (first, k), (first + count[k] - 1, n + k)
        rows.append([np.concatenate([[start], inner, [side]]) for inner, side in halves])
        start += 2 * count[k] - 1
    rows.append([np.array([n - 1])] * 2)
    cells = []
    for one, other in itertools.pairwise(rows):
        cells += [_strip(one[0], other[0]), _strip(one[1], other[1])[:, ::-1]]
    base = np.concatenate([rows[0][1][::-1], rows[0][0][1:]])
    return np.concatenate(points), np.concatenate(cells).astype(np.int32), base.astype(np.int32)


def _strip(one: NDArray, other: NDArray) -> NDArray:
    """Triangles between two rows of nodes side by side, counter-clockwise with `other` on the
    right of `one`."""
    i, j, cells = 0, 0, []
    a, b = max(len(one) - 1, 1), max(len(other) - 1, 1)
    while i < len(one) - 1 or j < len(other) - 1:
        ahead = i < len(one) - 1 and (j == len(other) - 1 or (i + 1) / a <= (j + 1) / b)
        if ahead:
            cells.append((one[i], other[j], one[i + 1]))
            i += 1
        else:
            cells.append((one[i], other[j], other[j + 1]))
            j += 1
    return np.array(cells)
