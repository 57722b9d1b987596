"""Pressures along the walls of two runs beside each other, at equal places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import KinemeshError
from kinemesh.results.pressures import Pressures, at_end
from kinemesh.results.sections import extreme
from kinemesh.study.alike import Chosen

Floats = NDArray[np.float64]
SHARES = (0.25, 0.5, 0.75)  # of the span, at which wings are compared


@dataclass(frozen=True, slots=True, eq=False)
class WallDifference:
    """One quantity of both runs along the wall of a body, at the nodes of the first.

    The second run is taken at the nearest place of its wall, between its nodes, among pieces of it
    that go the same way, so that thin edges have two sides.

    Parameters
    ----------
    x : (nodes,)              along the chord [chord of the body]
    upper, lower : numbers of the nodes of both sides, from the nose on, with the trailing edge
    values : (nodes,) of both
    mean : float              of the size of the difference, over the length of the wall
    largest : float           size of the difference at `largest_at_x` on `largest_side`, "upper" or
        "lower"
    """

    x: Floats
    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    values: tuple[Floats, Floats]
    mean: float
    largest: float
    largest_at_x: float
    largest_side: str

    @property
    def difference(self) -> Floats:
        """(nodes,) the first minus the second."""
        return self.values[0] - self.values[1]

    def rows(self, name: str) -> Iterator[tuple[Any, ...]]:
        """Rows of a table: quantity, both values, difference, share."""
        yield f"{name}, mean difference", None, None, self.mean, None
        place = f"{self.largest_side}, x/c {self.largest_at_x:.3g}"
        yield f"{name}, largest difference ({place})", None, None, self.largest, None


def walls_of(one: Chosen, other: Chosen) -> tuple[dict[str, WallDifference], str]:
    """Differences along the walls by quantity and body, and why there are none."""
    for own in (one, other):
        if own.run.out is None:
            return {}, f"{own.name} kept no fields, out='name' keeps them"
    try:
        each = [_pressures(own) for own in (one, other)]
    except (KinemeshError, OSError) as why:
        return {}, str(why)
    if len(each[0]) != len(each[1]):
        return {}, f"{len(each[0])} and {len(each[1])} bodies"
    found = {}
    for (name, first), second in zip(each[0].items(), each[1].values(), strict=True):
        about = f" {name}" if len(each[0]) > 1 else ""
        there, then = (_quantities(own) for own in (first, second))
        for what in (what for what in there if what in then):
            found[f"{what}{about}"] = _difference(first, second, there[what], then[what])
    return found, ""


def _pressures(own: Chosen) -> Mapping[str, Pressures]:
    """Pressures of bodies in the plane, of wings those of sections."""
    if own.dimensions == 3:
        cuts = [own.run.pressures(own.member, section=share) for share in SHARES]
        return {name: cut for each in cuts for name, cut in each.items()}
    return at_end(own.run, own.member) if own.steady else own.run.pressures(own.member)


def _quantities(own: Pressures) -> dict[str, Floats]:
    """(nodes,) of what is compared: means over a cycle, and the amplitude of the first harmonic."""
    found = {"cp": own.mean}
    if len(own.harmonics):
        found = {"cp mean": own.mean, "cp first harmonic": np.abs(own.harmonics[0])}
    if own.cf is not None:
        found["cf" if not len(own.harmonics) else "cf mean"] = own.cf.mean(axis=0)
    return found


def _difference(first: Pressures, second: Pressures, a: Floats, b: Floats) -> WallDifference:
    ring, its = _ring(first), _ring(second)
    halves = np.hypot(*_ways(first, ring).T) / 2
    weight = np.zeros(len(first.x))
    np.add.at(weight, ring[:-1], halves)
    np.add.at(weight, ring[1:], halves)
    row, part = _nearest(first, ring, second, its)
    both = a, b[its[row]] + part * (b[its[row + 1]] - b[its[row]])
    away, (upper, lower) = np.abs(both[0] - both[1]), _sides(first)
    worst = int(away.argmax())
    side = "upper" if worst in upper else "lower"
    mean = float((away * weight).sum() / weight.sum())
    at = float(first.x[worst])
    return WallDifference(first.x, upper, lower, both, mean, float(away[worst]), at, side)


def _ring(own: Pressures) -> NDArray[np.int64]:
    """Nodes along the wall, a closed one back to its first."""
    return np.r_[: len(own.x), [0] if own.closed else []].astype(int)


def _ways(own: Pressures, ring: NDArray[np.int64]) -> Floats:
    """(pieces, 2) from each node along a wall to the next."""
    return np.diff(np.stack([own.x[ring], own.y[ring]], axis=1), axis=0)


def _nearest(
    first: Pressures, ring: NDArray[np.int64], second: Pressures, its: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Floats]:
    """(nodes,) piece of the second wall next to each node of the first, and the share along it."""
    way = _ways(first, ring)
    tangent = np.zeros((len(first.x), 2))
    np.add.at(tangent, ring[:-1], way)
    np.add.at(tangent, ring[1:], way)
    start = np.stack([second.x, second.y], axis=1)[its[:-1]]
    pieces = _ways(second, its)
    long = np.maximum((pieces**2).sum(axis=1), np.finfo(float).tiny)
    rows, shares = [], []
    for place, forward in zip(np.stack([first.x, first.y], axis=1), tangent, strict=True):
        off = place - start
        share = np.clip((off * pieces).sum(axis=1) / long, 0.0, 1.0)
        away = np.hypot(*(off - share[:, None] * pieces).T)
        alike = pieces @ forward > 0
        row = int(np.where(alike, away, np.inf).argmin()) if alike.any() else int(away.argmin())
        rows.append(row)
        shares.append(share[row])
    return np.array(rows), np.array(shares)


def _sides(own: Pressures) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes of the upper and of the lower side, from the nose on."""
    nose = int(extreme(-own.x)[0])
    sides = [np.arange(nose + 1)[::-1], _ring(own)[nose:]]
    first, second = (float(own.y[side].mean()) for side in sides)
    return (sides[0], sides[1]) if first >= second else (sides[1], sides[0])
