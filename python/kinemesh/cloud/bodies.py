"""Closed curves of bodies: checked, splined between their corners, and divided into edges."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as brief

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import Akima1DInterpolator
from scipy.spatial import cKDTree

from kinemesh.cloud.checks import array
from kinemesh.errors import CloudError
from kinemesh.mesh.geometry.curves import area, first_crossing, inside
from kinemesh.mesh.sections.corners import refined, said, told_apart, turns

Floats = NDArray[np.float64]

SAMPLES = 2000  # places along a body where its spacing is found


@dataclass(frozen=True, slots=True)
class Body:
    """A closed curve, clockwise: the fluid is on its left.

    Parameters
    ----------
    curve : (m, 2)       corners first: the first point is one, if there is any
    length : (m+1,)      along the curve to each point and back to the first
    corners : (c,) int   points that stay; at least one
    turns : (m,)         turn to the right at each point, positive at a convex one [rad]
    said : str           what of the given curve was taken for corners, what for a nose
    """

    name: str
    curve: Floats
    length: Floats
    corners: NDArray[np.intp]
    turns: Floats
    said: str

    def at(self, s: Floats) -> Floats:
        """(k, 2) points at lengths s along the curve; straight or Akima between corners."""
        result = np.empty((len(s), 2))
        closed = np.concatenate([self.curve, self.curve[:1]])
        ends = [*self.corners, len(self.curve)]
        for a, b in itertools.pairwise(ends):
            last = b == ends[-1]
            part = (s >= self.length[a]) & ((s <= self.length[b]) if last else s < self.length[b])
            knots, places = self.length[a : b + 1], closed[a : b + 1]
            if b - a < 4:
                values = [np.interp(s[part], knots, places[:, k]) for k in (0, 1)]
                result[part] = np.stack(values, axis=1)
            else:
                result[part] = Akima1DInterpolator(knots, places)(s[part])
        return result

    def samples(self) -> Floats:
        """Arc lengths at which spacing is evaluated: at points, and at steps of 1 / SAMPLES."""
        steps = np.ceil(np.diff(self.length) / self.length[-1] * SAMPLES).astype(int)
        parts = [
            np.linspace(a, b, n, endpoint=False)
            for a, b, n in zip(self.length[:-1], self.length[1:], np.maximum(steps, 1), strict=True)
        ]
        return np.append(np.concatenate(parts), self.length[-1])


def checked(bodies: Mapping[str, ArrayLike]) -> list[Body]:
    """The bodies, each closed once; CloudError where one crosses itself or another."""
    if not isinstance(bodies, Mapping) or not bodies:
        raise CloudError(
            f"bodies is {brief(bodies)}, expected closed curves by name: {{'wing': ...}}"
        )
    for name in bodies:
        if not isinstance(name, str) or name == "farfield":
            raise CloudError(f"body {name!r}, expected a name other than 'farfield'")
    made = [_body(name, curve) for name, curve in bodies.items()]
    for i, one in enumerate(made):
        for other in made[:i]:
            _apart(other, one)
    return made


def _body(name: str, given: ArrayLike) -> Body:
    curve = array(given, f"body '{name}'").astype(np.float64)
    if curve.ndim != 2 or curve.shape[1] != 2 or not np.isfinite(curve).all():
        raise CloudError(
            f"body '{name}' has shape {curve.shape}, expected (points, 2) finite coordinates"
        )
    step = np.linalg.norm(np.diff(curve, axis=0, append=curve[:1]), axis=1)
    curve = curve[step > 1e-9 * step.sum()]  # the first point given again, and twins
    if len(curve) < 3:
        raise CloudError(f"body '{name}' has {len(curve)} different points, expected at least 3")
    met = first_crossing(curve)
    if met:
        x, y = curve[met[0]]
        raise CloudError(
            f"body '{name}' crosses itself: edge {met[0]} at ({x:.6g}, {y:.6g}) meets edge "
            f"{met[1]}, expected a simple closed curve; list its points in their order"
        )
    curve = curve[::-1] if area(curve) > 0 else curve
    corner, nose = told_apart(curve)
    words = f"body '{name}': {said(curve, corner, nose)}"
    if len(nose):
        curve, corner = refined(curve, corner, nose)
    turn = turns(curve)
    first = int(corner[0]) if len(corner) else int(np.argmax(curve[:, 0]))
    curve, turn = np.roll(curve, -first, axis=0), np.roll(turn, -first)
    step = np.linalg.norm(np.diff(curve, axis=0, append=curve[:1]), axis=1)
    length = np.concatenate([[0.0], np.cumsum(step)])
    corners = (corner - first) % len(curve) if len(corner) else np.zeros(1, np.intp)
    return Body(name, curve, length, np.sort(corners), turn, words)


def _apart(one: Body, other: Body) -> None:
    """Refuse bodies that cross or contain each other."""
    met = first_crossing(one.curve, other.curve)
    if met:
        x, y = one.curve[met[0]]
        raise CloudError(
            f"bodies '{one.name}' and '{other.name}' intersect near ({x:.6g}, {y:.6g}), expected "
            "bodies apart; move one"
        )
    for a, b in ((one, other), (other, one)):
        if inside(a.curve[:1], b.curve)[0]:
            raise CloudError(
                f"body '{a.name}' lies inside body '{b.name}', where no fluid is, expected bodies "
                "apart; remove it, or move one"
            )


def gaps(bodies: list[Body], samples: list[Floats]) -> list[tuple[Floats, NDArray[np.intp]]]:
    """For samples (k, 2) of each body: distance to the nearest other body, and its number."""
    result = []
    trees = [cKDTree(places) for places in samples]
    for i, places in enumerate(samples):
        nearest = np.full(len(places), np.inf)
        which = np.full(len(places), -1, np.intp)
        for j, tree in enumerate(trees):
            if i != j:
                distance = tree.query(places)[0]
                which = np.where(distance < nearest, j, which)
                nearest = np.minimum(distance, nearest)
        result.append((nearest, which))
    return result
