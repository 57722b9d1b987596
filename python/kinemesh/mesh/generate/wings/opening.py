"""Rings about a wing opened beyond its tip, for cells that are cut into tetrahedra.

A tetrahedron between two stations has two short edges, one at each, and there its dihedral angle
is the width of the cell over the step along the span.  Beyond the tip steps grow to chords, and the
rings and rays of the wing's edges would stay as thin as they are at the wing.  So the line beyond
the tip grows, rays spread along it, and rings move off it in proportion to the step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TRAILING = 0.45  # first edge at the trailing edge, over 1 / around [chord]
TRIES = 1.0, 0.5, 0.25, 0.0  # shares of the opening; the first without a cell inside out is taken
LONGEST = 1.25  # step along the span over their mean
LINE = 0.38  # growth of the line's half length with distance beyond the tip
LINE_AT = 0.3  # distance beyond the tip where half of that growth is reached [root chord]
RAYS_AT = 2.0  # distance beyond the tip, over that from the line, where rays have spread half
RAYS_FROM = 0.2  # least of that distance from the line [chord]
FIRST = 0.02  # height of the first ring over the step along the span, along the line
ENDS = 0.012  # more of it at both ends of the line
SHARP = 8  # power of cos t with which that falls off
NOSE = 0.5  # growth of the first rings at the nose
NOSE_SHARP = 32  # power of sin t/2 with which that falls off
NOSE_AT = 0.5  # l over which it falls by e


class Opening(NamedTuple):
    """Rings of a station beyond the tip.

    Parameters
    ----------
    half : float    half length of the line [root chord]
    length, angle : (rings, around)    l and t, of that line
    share : (around,)   of the way to rays that are spread along the line, at the line
    """

    half: float
    length: Floats
    angle: Floats
    share: Floats


def opened(
    length: Floats, angle: Floats, beyond: float, step: float, chord: float, much: float = 1.0
) -> Opening:
    """Rings beyond the tip, from those at its chord.

    Parameters
    ----------
    length, angle : (rings, around)    l and t of the rings about the tip's chord
    beyond : distance beyond the tip's cap
    step : to the next station
    chord : of the tip
    much : share of the opening, more than 0 to 1
    """
    around = length.shape[1]
    half = 0.5 * chord + much * LINE * beyond * beyond / (beyond + LINE_AT)
    away = 0.5 * chord * _away(length, angle)
    share = much * beyond / (beyond + RAYS_AT * (away + RAYS_FROM * chord))
    share *= 1.0 - (away / away[-1]) ** 2  # on the outer cylinder faces stay flat
    angle = angle + share * (spread(around) - angle)
    layer = np.arange(len(length))[:, None]
    away = np.hypot(away, much * layer * step * (FIRST + ENDS * np.cos(angle) ** SHARP))
    return Opening(half, _length(away / half, angle), angle, share[0])


def spread(around: int) -> Floats:
    """(around,) t of points at even distances along both sides of a line."""
    ray = np.arange(around)
    turn = np.arccos(1.0 - 4.0 * np.minimum(ray, around - ray) / around)
    return np.where(ray > around // 2, 2.0 * np.pi - turn, turn)


def blunter(length: Floats, angle: Floats) -> Floats:
    """(rings, around) l with higher first rings at the nose, whose cells are long for their height.

    Parameters
    ----------
    length, angle : (rings, around)    l and t
    """
    start = length - length[0]
    nose = np.sin(0.5 * angle) ** NOSE_SHARP * np.exp(-start / NOSE_AT)
    return length[0] + start * (1.0 + NOSE * nose)


def _away(length: Floats, angle: Floats) -> Floats:
    """Distances of points from the places of the line with the same t, over its half length."""
    c = np.cosh(length)
    return np.sqrt((c - 1.0) * (c - np.cos(2.0 * angle)))


def _length(away: Floats, angle: Floats) -> Floats:
    """l of points by those distances."""
    q = np.cos(2.0 * angle)
    return np.arccosh(np.maximum(1.0, 0.5 * (1.0 + q + np.hypot(1.0 - q, 2.0 * away))))
