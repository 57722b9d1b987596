"""Satellites of bare points: near, in all directions, and in sight.

From the nearest outwards a point takes every other that it sees, unless one taken before lies in
nearly the same direction.  So the k-d tree's neighbours are thinned by direction, and no direction
that has a point is left out.  A point that is not surrounded, or whose least-squares matrix is not
well conditioned, looks farther.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from kinemesh.cloud.satellites import condition_number
from kinemesh.cloud.visibility import Walls
from kinemesh.errors import CloudError

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

APART = {2: np.radians(34.0), 3: np.radians(46.0)}  # angle between satellites: about 8, 14 of them
NEAREST = {2: 20, 3: 44}  # first looked at
FARTHER = (1, 2, 4, 8)  # times as many, for those that need them
AIM = 0.3  # cosine: a satellite within 73 degrees of every direction, while more can be had
AIM_CONDITION = 10.0  # of the least-squares matrix, while more can be had
INTO = 0.3  # cosine between a boundary point's normal and its satellite farthest off the wall
BLOCK = 100_000  # points chosen for at once: bounds the memory


class Choice(NamedTuple):
    """Satellites of some points: (k, m) candidates, the mask of those chosen, and their quality."""

    near: Ints
    taken: Bools
    surrounded: Floats
    condition_number: Floats


def choose(points: Floats, walls: Walls, worst: float) -> Ints:
    """(pairs, 2) of satellites: each point's choice, and neighbours along the boundaries.

    Raises CloudError naming the first point that cannot be surrounded by points that it sees.
    """
    tree = cKDTree(points)
    parts = [_along(walls.facets)]
    todo = np.arange(len(points), dtype=np.int32)
    for farther in FARTHER:
        count = min(farther * NEAREST[points.shape[1]], len(points) - 1)
        last = farther == FARTHER[-1] or count == len(points) - 1
        aim = (0.0, worst) if last else (AIM, min(AIM_CONDITION, worst))
        left = []
        for start in range(0, len(todo), BLOCK // farther):
            at = todo[start : start + BLOCK // farther]
            choice = _choice(points, tree, walls, at, count)
            good = _good(choice, at, points, walls, aim)
            if last and not good.all():
                _refuse(points, at, choice, good, worst)
            row, column = np.nonzero(choice.taken & good[:, None])
            parts.append(np.stack([at[row], choice.near[row, column]], axis=1))
            left.append(at[~good])
        todo = np.concatenate(left)
        if not len(todo):
            break
    return np.concatenate(parts)


def _along(facets: Ints) -> Ints:
    """Edges of all facets."""
    return np.concatenate([facets[:, list(pair)] for pair in EDGES[facets.shape[1]]])


EDGES: dict[int, list[tuple[int, int]]] = {2: [(0, 1)], 3: [(0, 1), (1, 2), (2, 0)]}
"""Corners of a facet's edges, by their number."""


def _choice(points: Floats, tree: cKDTree, walls: Walls, at: Ints, count: int) -> Choice:
    """Satellites of points `at` chosen from their `count` nearest points."""
    distance, near = tree.query(points[at], k=count + 1, workers=-1)
    own = near == at[:, None]
    own[~own.any(axis=1), -1] = True  # cannot be: a point is its own nearest
    near = near[~own].reshape(len(at), count).astype(np.int32)
    distance = distance[~own].reshape(len(at), count)
    arm = (points[near] - points[at][:, None]) / distance[..., None]
    taken = _seen(walls, at, near, arm)
    used = np.where(taken[..., None], arm, 0.0)
    matrix = np.einsum("kmi,kmj->kij", used, used)
    return Choice(near, taken, _surrounded(used, taken), condition_number(matrix))


def _seen(walls: Walls, at: Ints, near: Ints, arm: Floats) -> Bools:
    """Mask (k, m) of the chosen candidates, all visible; hidden ones are replaced by others."""
    free, known = np.ones(near.shape, bool), np.zeros(near.shape, bool)
    taken = np.zeros(near.shape, bool)
    todo = np.arange(len(at))
    while len(todo):
        taken[todo] = _spread(arm[todo], free[todo])
        row, column = np.nonzero(taken[todo] & ~known[todo])
        row = todo[row]
        hidden = walls.hidden(at[row], near[row, column])
        known[row, column] = True
        free[row[hidden], column[hidden]] = False
        todo = np.unique(row[hidden])
    return taken


def _spread(arm: Floats, free: Bools) -> Bools:
    """(k, m): free candidates, nearest first, that lie apart from all taken before."""
    limit = np.cos(APART[arm.shape[2]])
    taken = np.zeros_like(free)
    room = int(free.shape[1] if free.shape[1] < 40 else 40)
    kept = np.full((len(arm), room, arm.shape[2]), np.nan)  # nan: compares as apart
    used = np.zeros(len(arm), np.intp)
    most = 0
    for m in range(free.shape[1]):
        dot = np.einsum("kd,krd->kr", arm[:, m], kept[:, :most])
        take = free[:, m] & ~(dot > limit).any(axis=1) & (used < room)
        rows = np.flatnonzero(take)
        kept[rows, used[rows]] = arm[rows, m]
        taken[rows, m] = True
        used[rows] += 1
        most = int(used.max())
    return taken


def _surrounded(arm: Floats, taken: Bools) -> Floats:
    """(k,) least, over all directions, of the largest cosine with a taken satellite."""
    worst = np.full(len(arm), np.inf)
    for direction in DIRECTIONS[arm.shape[2]]:
        cosine = np.where(taken, arm @ direction, -1.0).max(axis=1)
        worst = np.minimum(worst, cosine)
    return worst


def _of_circle() -> Floats:
    angle = np.arange(16) * (np.pi / 8)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _of_sphere() -> Floats:
    grid = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    grid = grid[np.abs(grid).sum(axis=1) > 0]
    return grid / np.linalg.norm(grid, axis=1)[:, None]


DIRECTIONS = {2: _of_circle(), 3: _of_sphere()}
"""Unit vectors all around: 16 in the plane, 26 in space."""


def _good(
    choice: Choice, at: Ints, points: Floats, walls: Walls, aim: tuple[float, float]
) -> Bools:
    """(k,): surrounded, or at a boundary with satellites off it, and well conditioned."""
    on = walls.on[at]
    good = choice.surrounded > aim[0]
    wall = np.flatnonzero(on)
    if len(wall):
        normal = walls.inward(at[wall])
        arm = points[choice.near[wall]] - points[at[wall]][:, None]
        arm /= np.linalg.norm(arm, axis=2, keepdims=True)
        into = np.where(choice.taken[wall], np.einsum("kd,kmd->km", normal, arm), -1.0)
        good[wall] = into.max(axis=1) > INTO
    enough = choice.taken.sum(axis=1) >= points.shape[1]
    return good & enough & (choice.condition_number <= aim[1])


def _refuse(points: Floats, at: Ints, choice: Choice, good: Bools, worst: float) -> None:
    k = int(np.flatnonzero(~good)[0])
    i = at[k]
    place = ", ".join(f"{x:.6g}" for x in points[i])
    raise CloudError(
        f"point {i} at ({place}): of its {choice.near.shape[1]} nearest it can take "
        f"{choice.taken[k].sum()} that it sees in directions apart; their least-squares matrix has "
        f"condition {choice.condition_number[k]:.3g}, expected at most {worst:g} and satellites on "
        f"every side of the fluid: {(~good).sum()} such point(s); add points around it, or "
        "remove it"
    )
