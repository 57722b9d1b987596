"""Cuts of a wing's surface by planes across the span, and the pressures on them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError
from kinemesh.mesh.edges import edge_keys
from kinemesh.results.sections import extreme

Floats = NDArray[np.float64]


class Cut(NamedTuple):
    """Segments of a section, their two ends along axis 1: one per triangle of the surface, of
    faces of four corners one per face.

    x, z : (k, 2)      from the nose of the section [its chord]
    cp : (k, 2)
    upper : (k,) bool  sides with the fluid above
    nose, chord : float    place x of the nose, and length, in the units of the points
    """

    x: Floats
    z: Floats
    cp: Floats
    upper: NDArray[np.bool_]
    nose: float
    chord: float


def section_pressures(
    points: ArrayLike,
    triangles: ArrayLike,
    cp: ArrayLike,
    y: float,
    diagonals: ArrayLike | None = None,
) -> Cut:
    """Cut of a surface by the plane across the span at y; cp is linear along edges.

    On the diagonal of a face of four corners a linear cp is off the curve between its sides, by an
    eighth of the second difference, so that a section through many faces would be jagged.

    Parameters
    ----------
    points : (n, 3)       x downstream, y along the span, z up
    triangles : (t, 3)    their area vectors point out of the fluid
    cp : (n,)
    diagonals : (d, 2)    sides of triangles that divide faces of four corners

    Raises
    ------
    CaseError    where the plane meets no triangle
    """
    where, corner, value = np.asarray(points, float), np.asarray(triangles), np.asarray(cp, float)
    inner = np.reshape([] if diagonals is None else diagonals, (-1, 2)).astype(np.int32)
    within = edge_keys(inner, len(where))
    beyond = where[corner, 1] > y
    crossing = beyond.any(axis=1) & ~beyond.all(axis=1)
    if not crossing.any():
        low, high = (f(where[corner, 1]) if len(corner) else np.nan for f in (np.min, np.max))
        raise CaseError(f"no surface at y = {y:g}, expected from {low:g} to below {high:g}")
    corner, beyond = corner[crossing], beyond[crossing]
    a = where[corner]
    upper = np.cross(a[:, 1] - a[:, 0], a[:, 2] - a[:, 0])[:, 2] < 0
    # the corner that is alone on its side, and the two edges that leave it
    alone = np.argmax(beyond == (beyond.sum(axis=1) == 1)[:, None], axis=1)
    row = np.arange(len(corner))
    tip = corner[row, alone][:, None]
    ends = np.stack([corner[row, (alone + k) % 3] for k in (1, 2)], axis=1)
    share = (y - where[tip, 1]) / (where[ends, 1] - where[tip, 1])
    x, z, found = (
        (1 - share) * field[tip] + share * field[ends]
        for field in (where[:, 0], where[:, 2], value)
    )
    keys = edge_keys(np.stack([np.repeat(tip, 2, axis=1), ends], axis=2).reshape(-1, 2), len(where))
    kept, x, z, found = _whole_faces(np.isin(keys, within), keys, x, z, found)
    upper = upper[kept]
    nose = float(x.min())
    chord = float(x.max()) - nose
    front = z.ravel()[extreme(-x.ravel())]
    first = 0.5 * (front.min() + front.max())  # of a blunt nose its middle
    return Cut((x - nose) / chord, (z - first) / chord, found, upper, nose, chord)


def _whole_faces(
    inner: NDArray[np.bool_], keys: NDArray[np.int64], *fields: Floats
) -> tuple[Any, ...]:
    """Rows of segments (s, 2) that are left, and fields there, once those of one face are one.

    `inner` (2 s,) ends on a diagonal;  `keys` (2 s,) of the edges that ends are on.
    """
    at = np.flatnonzero(inner)
    at = at[np.argsort(keys[at], kind="stable")]
    twice = np.flatnonzero(keys[at[1:]] == keys[at[:-1]])
    one, other = at[twice], at[twice + 1]
    kept = np.delete(np.arange(len(keys) // 2), other // 2)
    made = [field.copy() for field in fields]
    for field in made:
        field.reshape(-1)[one] = field.reshape(-1)[other ^ 1]
    return kept, *(field[kept] for field in made)
