"""Clouds about bodies in the plane: layers about each body over a graded quadtree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from kinemesh.cloud import background
from kinemesh.cloud.bodies import Body
from kinemesh.cloud.layers import Rays, thinned
from kinemesh.cloud.spacing import Field, divided
from kinemesh.errors import CloudError
from kinemesh.mesh.geometry.curves import inside

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

KEEP = 0.7  # least distance of a layer's point from others, over the layer's height
ROOM = 0.75  # least distance of a field point from others, over the spacing
PASSES = 2  # of filling holes
MARKS = np.array([0.25, 0.5, 0.75])  # places on wall edges that points keep away from
LARGEST = 0.027  # plain spacing of the longest body over half its perimeter
TRIALS = 10  # clouds made until one has the points asked for
WITHIN = 0.02  # of the points asked for
POWER = -1.8  # of the spacing that the number of points follows, until two trials tell
LARGER = 8  # times as many points in the next trial for a large cloud
TRIAL = 30_000  # points of the first trials for a large cloud


class Wanted(NamedTuple):
    """Arguments of `Cloud.around`, checked."""

    points: int
    far_field: float
    outer: str
    first_spacing: float | None
    first: float
    growth: float
    layers: int
    wall_points: dict[str, int]


def wanted(given: dict[str, Any], names: list[str]) -> Wanted:
    """The arguments, checked; CloudError naming the one that is wrong."""
    counts = given.pop("wall_points") or {}
    if not isinstance(counts, Mapping) or not set(counts) <= set(names):
        raise CloudError(f"around: wall_points = {counts!r}, expected numbers by body: {names}")
    for name, count in counts.items():
        _within(f"wall_points of '{name}'", count, 16, 100_000, whole=True)
    ask = Wanted(**given, wall_points=dict(counts))
    _within("points", ask.points, 500, 20_000_000, whole=True)
    _within("far_field", ask.far_field, 1.0, 1e4)
    _within("first", ask.first, 0.05, 1.5)
    _within("growth", ask.growth, 1.0, 1.6)
    _within("layers", ask.layers, 0, 100, whole=True)
    if ask.first_spacing is not None:
        _within("first_spacing", ask.first_spacing, 1e-6, 1.0)
    if ask.outer not in ("circle", "square"):
        raise CloudError(f"around: outer = {ask.outer!r}, expected circle or square")
    return ask


def _within(name: str, value: Any, low: float, high: float, whole: bool = False) -> None:
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise CloudError(f"around: {name} = {value!r}, expected {kind} of {low:g} to {high:g}")


def placed(bodies: list[Body], ask: Wanted) -> tuple[Floats, dict[str, Ints]]:
    """Points and boundary edges of the cloud."""
    every = np.concatenate([body.curve for body in bodies])
    middle = 0.5 * (every.min(axis=0) + every.max(axis=0))
    reach = np.abs(every - middle).max()
    if ask.far_field < 1.5 * reach:
        raise CloudError(
            f"around: far_field = {ask.far_field:g}, but the bodies reach {reach:.3g} from their "
            "middle, expected at least 1.5 times that"
        )
    goal = min(TRIAL, ask.points)
    scale, before, power = LARGEST, None, POWER
    for _ in range(TRIALS):
        points, boundaries = _cloud(bodies, middle, scale, ask)
        if abs(len(points) / ask.points - 1) < WITHIN:
            return points, boundaries
        if scale == LARGEST and len(points) > ask.points:
            break  # it cannot have fewer
        if abs(len(points) / goal - 1) < 0.1:
            goal = min(LARGER * goal, ask.points)
        if before and abs(np.log(scale / before[0])) > 0.01:
            power = np.log(len(points) / before[1]) / np.log(scale / before[0])
            power = float(np.clip(power, -2.5, -0.4))
        before = scale, len(points)
        scale = min(LARGEST, scale * (goal / len(points)) ** (1.0 / power))
    raise CloudError(
        f"around: the trials ended with {len(points)} points, expected {ask.points} "
        f"within {WITHIN:.0%}; ask for more points, or fewer wall_points"
    )


def _cloud(
    bodies: list[Body], middle: Floats, scale: float, ask: Wanted
) -> tuple[Floats, dict[str, Ints]]:
    """Points and boundary edges at one plain spacing."""
    walls, field, spacing = divided(bodies, scale, ask.wall_points)
    outer = _outer(middle, field, ask)
    boundaries = {}
    start = 0
    for name, curve in zip([*(b.name for b in bodies), "farfield"], [*walls, outer], strict=True):
        number = np.arange(start, start + len(curve), dtype=np.int32)
        boundaries[name] = np.stack([number, np.roll(number, -1)], axis=1)
        start += len(curve)
    made = Maker(walls, outer, field)
    made.layers(spacing, ask)
    size = ask.far_field * (1.0 + 1e-9)
    made.add(*_spaced(background.quadtree(middle, size, field), field))
    for _ in range(PASSES):
        made.add(*background.holes(made.points, field))
    return made.points, boundaries


def _spaced(points: Floats, field: Field) -> tuple[Floats, Floats]:
    return points, field(points)[0]


class Maker:
    """A cloud as it grows: a new point must lie in the fluid and keep its distance."""

    def __init__(self, walls: list[Floats], outer: Floats, field: Field) -> None:
        self.walls, self.outer, self.field = walls, outer, field
        self.points = np.concatenate([*walls, outer])
        self.marks = np.concatenate([_marks(curve) for curve in (*walls, outer)])

    def layers(self, spacing: list[Floats], ask: Wanted) -> None:
        """Layers about all bodies, the first of each, then the second, ..."""
        every = []
        for wall, along in zip(self.walls, spacing, strict=True):
            height = ask.first * along
            if ask.first_spacing is not None:
                height = np.full(len(wall), ask.first_spacing)
            every.append(Rays(wall, along, height, ask.growth))
        for _ in range(ask.layers):
            parts = [rays.next(self.field) for rays in every]
            points, step = (np.concatenate(v) for v in zip(*parts, strict=True))
            good = self._add(points, KEEP * step)
            ends = np.cumsum([len(part[0]) for part in parts])[:-1]
            for rays, mine in zip(every, np.split(good, ends), strict=True):
                rays.stop(mine)

    def add(self, points: Floats, spacing: Floats) -> None:
        """Add the points of the field that have room."""
        self._add(points, ROOM * spacing)

    def _add(self, points: Floats, radius: Floats) -> NDArray[np.bool_]:
        good = inside(points, self.outer)
        for wall in self.walls:
            good &= ~inside(points, wall)
        at = np.flatnonzero(good)
        kept = cKDTree(np.concatenate([self.points, self.marks]))
        good[at] = thinned(points[at], radius[at], kept)
        self.points = np.concatenate([self.points, points[good]])
        return good


def _marks(curve: Floats) -> Floats:
    """Places on the edges of a closed curve, (marks, 2)."""
    along = np.roll(curve, -1, axis=0) - curve
    return (curve[:, None] + MARKS[:, None] * along[:, None]).reshape(-1, 2)


def _outer(middle: Floats, field: Field, ask: Wanted) -> Floats:
    """Far-field points, counter-clockwise, at the field's spacing."""
    spacing = float(field(middle[None] + [[ask.far_field, 0.0]])[0][0])
    if ask.outer == "circle":
        count = max(16, round(2 * np.pi * ask.far_field / spacing))
        angle = np.arange(count) * (2 * np.pi / count)
        return middle + ask.far_field * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    count = max(4, round(2 * ask.far_field / spacing))
    side = np.linspace(-ask.far_field, ask.far_field, count, endpoint=False)
    edge = np.full(count, ask.far_field)
    corners = [(side, -edge), (edge, side), (-side, edge), (-edge, -side)]
    return middle + np.concatenate([np.stack(pair, axis=1) for pair in corners])
