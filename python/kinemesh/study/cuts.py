"""Cuts of a wing's surface by planes across the span, and the pressures on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError
from kinemesh.results.sections import extreme

Floats = NDArray[np.float64]


class Cut(NamedTuple):
    """Segments of a section, one per triangle of the surface, their two ends along axis 1.

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


def section_pressures(points: ArrayLike, triangles: ArrayLike, cp: ArrayLike, y: float) -> Cut:
    """Cut of a surface by the plane across the span at y; cp is linear along edges.

    Parameters
    ----------
    points : (n, 3)       x downstream, y along the span, z up
    triangles : (t, 3)    their area vectors point out of the fluid
    cp : (n,)

    Raises
    ------
    CaseError    where the plane meets no triangle
    """
    where, corner, value = np.asarray(points, float), np.asarray(triangles), np.asarray(cp, float)
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
    nose = float(x.min())
    chord = float(x.max()) - nose
    front = z.ravel()[extreme(-x.ravel())]
    first = 0.5 * (front.min() + front.max())  # of a blunt nose its middle
    return Cut((x - nose) / chord, (z - first) / chord, found, upper, nose, chord)
