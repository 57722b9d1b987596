"""Corners and noses of coordinate lists, distinguished; noses refined by a spline.

A turn of more than CORNER from one edge of the list to the next is a corner, or a nose that the
list is coarse for.  Beside a corner the list is straight or bends evenly; a nose's turn is spread:
beside it, on both sides, the list turns too, and bends less and less away from it.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

CORNER = np.radians(30.0)  # largest turn that is taken for a curve's without a look beside it
SHARE = 0.025  # of a nose's turn that its neighbours turn by, at least
DECAY = 1.2  # ratio of the curvatures at the first and the second neighbour of a nose, at least
FINE = np.radians(6.0)  # turn from edge to edge of a list that is refined
SAMPLES = 65  # places on each piece of the spline where its turn is found
MOST = 4  # corners that are listed by their places


def turns(curve: Floats) -> Floats:
    """(m,) turn to the right at each point of a closed curve [rad]."""
    out = np.roll(curve, -1, axis=0) - curve
    come = np.roll(out, 1, axis=0)
    cross = come[:, 0] * out[:, 1] - come[:, 1] * out[:, 0]
    return -np.arctan2(cross, (come * out).sum(axis=1))


def told_apart(curve: Floats) -> tuple[Places, Places]:
    """Points of a closed curve (m, 2): corners (c,), and points of noses (k,)."""
    turn = turns(curve)
    sharp = np.abs(turn) > CORNER
    step = np.linalg.norm(np.roll(curve, -1, axis=0) - curve, axis=1)
    bend = 2.0 * turn / (step + np.roll(step, 1))
    nose = np.zeros(len(curve), bool)
    for run in _runs(sharp, turn > 0):
        nose[run] = all(_fades(turn, bend, end, way) for end, way in ((run[0], -1), (run[-1], 1)))
    return np.flatnonzero(sharp & ~nose), np.flatnonzero(nose)


def _fades(turn: Floats, bend: Floats, end: int, way: int) -> bool:
    """Return True if turns and curvatures continue and fall off beyond a run of sharp turns."""
    near, far = (end + way) % len(turn), (end + 2 * way) % len(turn)
    same = turn[near] / turn[end] > SHARE
    return bool(same and bend[near] / turn[end] > DECAY * bend[far] / turn[end])


def _runs(sharp: NDArray[np.bool_], right: NDArray[np.bool_]) -> list[Places]:
    """Neighbours round the curve that are sharp the same way; none where all points are sharp."""
    kind = np.where(sharp, np.where(right, 1, -1), 0)
    starts = np.flatnonzero(kind != np.roll(kind, 1))
    if not len(starts):
        return []
    first = starts[0]
    parts = np.split(np.roll(np.arange(len(kind)), -first), starts[1:] - first)
    return [part for part in parts if kind[part[0]]]


def refined(curve: Floats, corner: Places, nose: Places) -> tuple[Floats, Places]:
    """The closed curve from its first corner on with points added, and its corners.

    The points stay.  Between corners that have a nose between them a cubic spline over the square
    roots of the edges' lengths (Lee, Computer-Aided Design 21, 1989) gives others, so that no edge
    turns by more than FINE.
    """
    first = int(corner[0]) if len(corner) else 0
    closed = np.roll(curve, -first, axis=0)
    closed = np.concatenate([closed, closed[:1]])
    nose = (nose - first) % len(curve)
    ends = [*((corner - first) % len(curve) if len(corner) else [0]), len(curve)]
    parts = []
    for a, b in itertools.pairwise(ends):
        piece = closed[a : b + 1]
        if ((nose >= a) & (nose <= b)).any():
            piece = _splined(piece, periodic=not len(corner))
        parts.append(piece[:-1])
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    return np.concatenate(parts), starts if len(corner) else corner


def _splined(piece: Floats, periodic: bool) -> Floats:
    """A smooth piece of a list with points added, ends included."""
    step = np.linalg.norm(np.diff(piece, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(np.sqrt(step))])
    spline = CubicSpline(knots, piece, bc_type="periodic" if periodic else "not-a-knot")
    parts = []
    for k in range(len(step)):
        fine = np.linspace(knots[k], knots[k + 1], SAMPLES)
        way = np.unwrap(np.arctan2(*spline(fine, 1).T[::-1]))
        turn = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(way)))])
        count = max(1, int(np.ceil(turn[-1] / FINE)))
        inner = np.interp(np.arange(1, count) * (turn[-1] / count), turn, fine)
        parts += [piece[k : k + 1], spline(inner)]
    return np.concatenate([*parts, piece[-1:]])


def said(curve: Floats, corner: Places, nose: Places) -> str:
    """Note on the points taken for corners, and on a refined nose."""
    parts = [listed(curve, corner, "corner") if len(corner) else "no corners"]
    if len(nose):
        parts.append(f"{listed(curve, nose, 'point')} taken for a nose, refined by a spline")
    return "; ".join(parts)


def listed(curve: Floats, places: Places, kind: str) -> str:
    """Points of a list by their coordinates, at most MOST of them."""
    plural = "s" if len(places) > 1 else ""
    text = ", ".join(f"({x:.4g}, {y:.4g})" for x, y in curve[places[:MOST]])
    more = f" and {len(places) - MOST} more" if len(places) > MOST else ""
    return f"{kind}{plural} at {text}{more}"
