"""Spacing of the points of a cloud about bodies: along the walls, and in the field.

Along a wall: the body's plain spacing; finer where it is curved, at corners, on short straight
pieces, and where another body is near.  In the field the spacing grows with the distance from the
wall, quickly from a fine place to the plain spacing, slowly from there on.

The curve turns by the same angle from point to point on bodies of any size: leading edges with
suction peaks make spurious entropy, which costs lift on that body and those behind it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from kinemesh.cloud.bodies import Body, gaps
from kinemesh.errors import CloudError

Floats = NDArray[np.float64]

LOCAL = 0.15  # growth of the spacing with distance from a fine place; the field's, if larger
FAR = 15.0  # growth in the field, times the spacing over the longest body's half perimeter
FASTEST = 0.2  # growth in the field, at most
CURVED = 0.05  # spacing over the radius of curvature, at a plain spacing of 1 / 100
AT_CORNER = 0.125  # spacing at a convex corner over the plain spacing
FINEST = 0.05  # smallest spacing, by curvature or gap, over the plain spacing
ACROSS = 5  # steps across the gap between two bodies, at least


@dataclass(frozen=True, slots=True)
class Field:
    """Spacing in the field, from that along the walls.

    Parameters
    ----------
    tree : of places along the walls
    wall : (k,) spacing there
    plain, growth : spacing at a wall without fine places, and its growth with distance
    local : growth from fine places
    """

    tree: cKDTree
    wall: Floats
    plain: float
    growth: float
    local: float

    def __call__(self, points: Floats) -> tuple[Floats, Floats]:
        """Spacing and distance from the wall at points (n, 2)."""
        distance, at = self.tree.query(points, workers=-1)
        smooth = self.plain + self.growth * distance
        return np.minimum(smooth, self.wall[at] + self.local * distance), distance


def divided(
    bodies: list[Body], scale: float, counts: dict[str, int]
) -> tuple[list[Floats], Field, list[Floats]]:
    """Wall points of each body, the field, and the spacing at the wall points.

    Parameters
    ----------
    scale : plain spacing of the longest body over half its perimeter
    counts : wall points by body, where they are given
    """
    longest = max(body.length[-1] for body in bodies)
    growth = min(FAR * scale, FASTEST)
    local = max(LOCAL, growth)
    lengths = [body.samples() for body in bodies]
    places = [body.at(s) for body, s in zip(bodies, lengths, strict=True)]
    near = gaps(bodies, places)
    walls, wall_spacing, every = [], [], []
    for i, body in enumerate(bodies):
        plain = 0.5 * scale * np.sqrt(body.length[-1] * longest)
        _close(bodies, i, places[i], near[i], FINEST * plain)
        spacing = _along(body, lengths[i], plain, scale, local, near[i][0] / ACROSS)
        s, factor = _places(body, lengths[i], spacing, counts.get(body.name))
        walls.append(body.at(s))
        wall_spacing.append(factor * np.interp(s, lengths[i], spacing))
        every.append(factor * spacing)
    tree = cKDTree(np.concatenate(places))
    plain = 0.5 * scale * longest
    return walls, Field(tree, np.concatenate(every), plain, growth, local), wall_spacing


def _along(body: Body, s: Floats, plain: float, scale: float, local: float, gap: Floats) -> Floats:
    """Spacing at lengths s along a body."""
    spacing = np.minimum(plain, gap)
    spacing = np.minimum(spacing, CURVED * scale / 0.01 * _radius(body, s))
    spacing = np.maximum(spacing, FINEST * plain)
    piece = np.diff(np.append(body.length[body.corners], body.length[-1]))
    shortest = np.minimum(piece, np.roll(piece, 1))
    if len(body.corners) > 1 or abs(body.turns[0]) > 0.5:
        for corner, least in zip(body.corners, shortest, strict=True):
            at = body.length[corner]
            fine = min(AT_CORNER * plain if body.turns[corner] > 0 else plain, least)
            away = np.abs(s - at)
            away = np.minimum(away, body.length[-1] - away)
            spacing = np.minimum(spacing, fine + local * away)
    return _graded(s, spacing, local)


def _radius(body: Body, s: Floats) -> Floats:
    """Radius of curvature along a body; corners left out."""
    step = np.diff(body.length)
    smooth = np.abs(body.turns)
    smooth[body.corners] = 0.0
    curvature = smooth / (0.5 * (step + np.roll(step, 1)))
    # the mean over three points: turns of tabulated curves scatter
    curvature = (np.roll(curvature, 1) + curvature + np.roll(curvature, -1)) / 3.0
    least = 1e-3 / body.length[-1]
    return 1.0 / np.maximum(np.interp(s, body.length, np.append(curvature, curvature[0])), least)


def _graded(s: Floats, spacing: Floats, local: float) -> Floats:
    """The spacing, growing along the closed curve by at most `local` per length."""
    total = s[-1]
    round_twice = np.concatenate([s[:-1] - total, s, s[1:] + total])
    value = np.concatenate([spacing[:-1], spacing, spacing[1:]])
    rise = local * round_twice
    value = np.minimum.accumulate(value - rise) + rise
    value = (np.minimum.accumulate((value + rise)[::-1]) - rise[::-1])[::-1]
    return value[len(s) - 1 : 2 * len(s) - 1]


def _places(body: Body, s: Floats, spacing: Floats, count: int | None) -> tuple[Floats, float]:
    """Arc lengths of wall points, with corners among them, and the factor on the spacing."""
    density = 1.0 / spacing
    index = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(s))])
    factor = 1.0 if count is None else index[-1] / count
    ends = np.append(body.length[body.corners], body.length[-1])
    at = np.interp(ends, s, index) / factor
    steps = np.maximum(1, np.round(np.diff(at))).astype(int)
    if len(steps) == 1:
        steps = np.maximum(steps, 8)
    parts = [
        np.linspace(a, b, n, endpoint=False) for a, b, n in zip(at[:-1], at[1:], steps, strict=True)
    ]
    return np.interp(np.concatenate(parts) * factor, index, s), factor


def _close(bodies: list[Body], i: int, places: Floats, near: tuple, least: float) -> None:
    """Refuse gaps with fewer steps across than ACROSS at the finest spacing."""
    k = int(np.argmin(near[0]))
    if near[0][k] / ACROSS < least:
        x, y = places[k]
        raise CloudError(
            f"bodies '{bodies[i].name}' and '{bodies[near[1][k]].name}' are {near[0][k]:.3g} apart "
            f"near ({x:.6g}, {y:.6g}), expected at least {ACROSS * least:.3g}, {ACROSS} steps of "
            "the finest spacing; ask for more points, or move them apart"
        )
