"""Solids within the walls of a part: their triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import OversetError
from kinemesh.sentences import point_in_words

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def loops_of(points: Floats, edges: Ints, name: str) -> list[Ints]:
    """Nodes of each closed run of wall edges (k, 2), the fluid on their left.

    Raises
    ------
    OversetError    a run that is not closed, of the part `name`
    """
    after = dict(edges.tolist())
    ends = np.flatnonzero(np.bincount(edges.ravel()) % 2)
    if len(ends):
        told = " and ".join(point_in_words(points[node]) for node in ends[:2])
        raise OversetError(
            f"part {name!r}: its walls end at {told}, expected closed walls, so that it is known "
            "what lies within them; close the body, or give its remaining edges a wall's marker"
        )
    found = []
    while after:
        run, node = [], next(iter(after))
        while node in after:
            run.append(node)
            node = after.pop(node)
        found.append(np.array(run, np.int32))
    return found


def within(points: Floats, loops: list[Ints], name: str) -> Ints:
    """(t, 3) triangles of the solids inside loops with the fluid outside."""
    found = [np.empty((0, 3), np.int32)]
    for loop in loops:
        x, y = (points[loop] - points[loop[0]]).T
        if (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() < 0:
            found.append(ears(points, loop[::-1], name))
    return np.concatenate(found)


def ears(points: Floats, ring: Ints, name: str) -> Ints:
    """(n-2, 3) triangles of a polygon (n,), counter-clockwise, cut off by ears.

    Ears that do not touch are cut off in one go: triangles double in size from one go to the next,
    and none stands at a node with all others.
    """
    found = []
    while len(ring) > 3:
        before, after = np.roll(ring, 1), np.roll(ring, -1)
        cut = _apart(_ears(points, before, ring, after), len(ring) - 3)
        if not len(cut):
            raise OversetError(
                f"part {name!r}: the walls near {point_in_words(points[ring[0]])} cross "
                "themselves, expected closed walls that do not"
            )
        found.append(np.stack([before, ring, after], axis=1)[cut])
        ring = np.delete(ring, cut)
    return np.concatenate([*found, ring[None]]).astype(np.int32)


def _ears(points: Floats, before: Ints, ring: Ints, after: Ints) -> NDArray[np.intp]:
    """Corners whose triangles contain no other corner; without such ears, straight corners."""
    turn = _turn(points[before], points[ring], points[after])
    hollow = ring[turn <= 0]
    found = [
        k
        for k in np.flatnonzero(turn > 0).tolist()
        if _empty(points, before, ring, after, k, hollow)
    ]
    return np.array(found, np.intp) if found else np.flatnonzero(turn == 0)


def _empty(
    points: Floats, before: Ints, ring: Ints, after: Ints, k: int, hollow: Ints
) -> np.bool_ | bool:
    """Return True if no hollow corner lies in or on the triangle of corner k."""
    if not len(hollow):
        return True
    a, b, c = before[k], ring[k], after[k]
    other = hollow[(hollow != a) & (hollow != c)]
    p, (a, b, c) = points[other], points[[a, b, c]]
    return not ((_turn(a, b, p) >= 0) & (_turn(b, c, p) >= 0) & (_turn(c, a, p) >= 0)).any()


def _turn(a: Floats, b: Floats, c: Floats) -> Floats:
    """Twice the area of triangles (..., 2)."""
    u, v = b - a, c - a
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def _apart(found: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Subset of ascending corners of a ring without neighbours in it, at most `most`."""
    cut: list[int] = []
    ring = most + 3
    for k in found.tolist():
        if len(cut) < most and (not cut or (k - cut[-1] > 1 and (cut[0] - k) % ring > 1)):
            cut.append(k)
    return np.array(cut, np.intp)
