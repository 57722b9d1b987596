"""Load along the span of walls whose faces have one pressure each (docs/theory.md, 2.7).

Sections of such walls jump at each row of faces.  Here the forces of faces are summed over bands
between rows, and in each band the load is a parabola of that sum, continuous with its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.results.sections import ACROSS, Span, sections

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST = 0.6  # height of a band over that of the faces there


@dataclass(frozen=True, eq=False)
class Bands:
    """Bands across the span of a surface of triangles (t, 3).

    Parameters
    ----------
    triangles : (t, 3)
    ends : (bands + 1,)    of the bands along y, rising
    even, none : (2,)      at either end: whether the load goes on evenly, as at a plane of
        symmetry, and whether it falls to nothing, as where the walls end in a line
    row, band : (parts,)   triangle and band of each part of a triangle
    share : (parts, 3)     shares of the triangle's force at its corners whose sum, and whose
        moment, are those of the part
    """

    triangles: Ints
    ends: Floats
    even: tuple[bool, bool]
    none: tuple[bool, bool]
    row: Ints
    band: Ints
    share: Floats

    @classmethod
    def of_walls(cls, points: Floats, triangles: Ints, span: Span) -> Bands:
        """Bands of walls that reach so far; a tip that ends in a line has no load."""
        even = span.closed
        tips = [span.eta(y) for y in (span.low, span.high)]
        cuts = sections(points, triangles, tips, span)
        low, high = (not own and cut.flat(points) for own, cut in zip(even, cuts, strict=True))
        return cls.of(points, triangles, even, (low, high))

    @classmethod
    def of(
        cls, points: Floats, triangles: Ints, even: tuple[bool, bool], none: tuple[bool, bool]
    ) -> Bands:
        """Bands between rows of nodes, no lower than `LEAST` of the faces there."""
        side = points[triangles, 1]
        low, high = side.min(axis=1), side.max(axis=1)
        ends = _rows(np.unique(points[triangles, 1]), low, high)
        last = len(ends) - 2
        first = np.clip(np.searchsorted(ends, low, "right") - 1, 0, last)
        until = np.maximum(np.clip(np.searchsorted(ends, high, "left") - 1, 0, last), first)
        count = until - first + 1
        row = np.repeat(np.arange(len(triangles)), count)
        band = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + first[row]
        share = _below(side[row], ends[band + 1]) - _below(side[row], ends[band])
        share[count[row] == 1] = 1 / 3
        return cls(triangles, ends, even, none, row, band, share)

    def sums(self, x: NDArray[Any], cp: NDArray[Any]) -> Floats:
        """(bands, 3) force along x and z over q_inf, and its moment nose-up about the origin.

        Parameters
        ----------
        x : (nodes, 3) places [chord]
        cp : (t,) pressure coefficients
        """
        corner = np.asarray(x, float)[self.triangles]
        area = 0.5 * np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        fx, fz = (np.asarray(cp, float)[:, None] * area[:, ACROSS]).T
        part = self.share.sum(axis=1)
        place = (self.share[..., None] * corner[self.row][..., ACROSS]).sum(axis=1)
        moment = place[:, 1] * fx[self.row] - place[:, 0] * fz[self.row]
        each = part * fx[self.row], part * fz[self.row], moment
        bands = len(self.ends) - 1
        return np.stack([np.bincount(self.band, own, bands) for own in each], axis=1)

    def at(self, y: NDArray[Any], sums: Floats) -> Floats:
        """(n, ...) density along the span at y (n,), of sums (bands, ...)."""
        height = np.diff(self.ends)
        mean = sums / height[:, None]
        share = (height[:-1] / (height[:-1] + height[1:]))[:, None]
        between = (1 - share) * mean[:-1] + share * mean[1:]
        low = self._end(0, mean[0], between[:1])
        high = self._end(1, mean[-1], between[-1:])
        rim = np.concatenate([low, between, high])
        k = np.clip(np.searchsorted(self.ends, y, "right") - 1, 0, len(height) - 1)
        way = ((y - self.ends[k]) / height[k])[:, None]
        bulge = 6 * mean[k] - 3 * (rim[k] + rim[k + 1])
        return np.asarray(rim[k] + way * (rim[k + 1] - rim[k] + bulge * (1 - way)))

    def _end(self, side: int, mean: Floats, inner: Floats) -> Floats:
        """(1, ...) density at an end, of the mean of its band and of the density within."""
        if self.none[side]:
            return np.zeros((1, *mean.shape))
        if not len(inner):
            return mean[None]
        return 1.5 * mean[None] - 0.5 * inner if self.even[side] else 2 * mean[None] - inner


def _rows(y: Floats, low: Floats, high: Floats) -> Floats:
    """Ends of bands at places y (k,), rising, `LEAST` of the mean height of triangles apart.

    Parameters
    ----------
    low, high : (t,) ends of triangles along y
    """
    height = high - low
    number, total = np.zeros((2, len(y)))
    for end, sign in ((low, 1), (high, -1)):
        order = np.argsort(end)
        passed = np.searchsorted(end[order], y, "left")
        number += sign * passed
        total += sign * np.append(0.0, np.cumsum(height[order]))[passed]
    apart = LEAST * total / np.maximum(number, 1)
    found = [float(y[0])]
    for place, least in zip(y[1:].tolist(), apart[1:].tolist(), strict=True):
        if place - found[-1] >= least:
            found.append(place)
    if found[-1] < y[-1]:
        found[-1 if len(found) > 1 else len(found) :] = [float(y[-1])]
    return np.array(found)


def _below(side: Floats, y: Floats) -> Floats:
    """(n, 3) shares at corners of triangles of what lies below y (n,): of area, and its moments.

    Parameters
    ----------
    side : (n, 3) of the corners along y
    """
    order = np.argsort(side, axis=1)
    low, middle, high = np.take_along_axis(side, order, axis=1).T
    lower = y <= middle
    tip = np.where(lower, low, high)
    other = np.where(lower, high, low)
    far, near = (np.clip(_part(y - tip, end - tip), 0, 1) for end in (other, middle))
    area = near * far
    cut = np.stack([1 - (near + far) / 3, near / 3, far / 3], axis=1) * area[:, None]
    cut = np.where(lower[:, None], cut, 1 / 3 - cut[:, ::-1])
    found = np.empty_like(cut)
    np.put_along_axis(found, order, cut, axis=1)
    return found


def _part(way: Floats, whole: Floats) -> Floats:
    """Part of a whole, 1 of nothing."""
    return np.where(whole == 0, 1.0, way / np.where(whole == 0, 1.0, whole))
