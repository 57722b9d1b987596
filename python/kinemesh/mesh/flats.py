"""Flat ends of a mesh in space, and the walls that end on them within their rim.

A flat is what the boundary has in a plane across an axis with the whole mesh on one side.  Where a
body ends on one it is a half model, and the flat a plane of symmetry, or the wall that the model is
mounted on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.facets import area_vectors
from kinemesh.mesh.pieces import linked, reach, triangles_of

Floats = NDArray[np.float64]
THIN = 1e-6  # share of the mesh's size that a flat may be thick, of single precision in a file
ACROSS = 0.999  # least cosine between the normal of a flat's face and the axis


@dataclass(frozen=True, slots=True)
class Flat:
    """Faces of a marker in a flat on which a wall ends.

    Parameters
    ----------
    marker : of the faces
    axis, place : the flat is where coordinate `axis` has the value `place`
    whole : whether all faces of the marker are in the flat
    walls : markers of what ends on them
    """

    marker: str
    axis: int
    place: float
    whole: bool
    walls: tuple[str, ...]

    def told(self) -> str:
        """Faces, plane and what ends there, in words."""
        faces = f"marker {self.marker!r} lies" if self.whole else f"part of {self.marker!r} lies"
        rest = "the rest of it" if self.walls == (self.marker,) else " and ".join(self.walls)
        plane = f"{'xyz'[self.axis]} = {round(self.place, 9):.6g}"
        return f"{faces} in the plane {plane}, where the mesh ends, and {rest} ends on it"

    def advice(self) -> str:
        """Way to a plane of symmetry."""
        own = "" if self.whole else "give the plane a marker of its own and "
        name = repr(self.marker) if self.whole else "NAME"
        return f"{own}say boundaries={{{name}: 'symmetry'}}"


def flats_of(space: Any, markers: Sequence[str], walls: Sequence[str]) -> list[Flat]:
    """Flats of these markers on which walls end; none of a mesh in the plane.

    Parameters
    ----------
    markers : all but those of planes of symmetry
    walls : those of `markers` that are walls
    """
    there = [n for n in markers if n in space.boundaries]
    return FLATS[space.points.shape[1]](space, there, walls) if there else []


def _of_space(space: Any, there: Sequence[str], walls: Sequence[str]) -> list[Flat]:
    each = [triangles_of(space.boundaries[n]) for n in there]
    facets: Any = np.concatenate(each)
    owner = np.repeat(np.arange(len(there)), [len(own) for own in each])
    corner = space.points[facets]
    area = area_vectors(space.points, facets)
    size: Any = np.linalg.norm(area, axis=1)
    solid = np.isin(owner, [k for k, name in enumerate(there) if name in walls])
    low, high = reach(space.points)
    room = THIN * float((high - low).max())
    found = []
    for axis in range(3):
        across = np.abs(area[:, axis]) >= ACROSS * size
        for place in (low[axis], high[axis]):
            inside = across & (np.abs(corner[:, :, axis] - place) <= room).all(axis=1)
            if inside.any() and (solid & ~inside).any():
                found += _ended(space.points, facets, owner, inside, solid, there, axis, place)
    return found


def _ended(
    points: Floats,
    facets: NDArray[Any],
    owner: NDArray[Any],
    inside: NDArray[np.bool_],
    solid: NDArray[np.bool_],
    names: Sequence[str],
    axis: int,
    place: float,
) -> list[Flat]:
    """Flats at one place.

    Parameters
    ----------
    inside, solid : (facets,) whether they lie in it, and whether they are walls
    """
    others = np.delete(np.arange(3), axis)
    flat = np.unique(facets[inside])
    low, high = reach(points[flat][:, others])
    room = THIN * float((high - low).max())
    off = np.flatnonzero(solid & ~inside)
    part = linked(facets[off])
    own: dict[int, set[str]] = {}
    for number in range(part.max() + 1):
        rows = off[part == number]
        rim = np.intersect1d(facets[rows], flat)
        if len(rim) < 3:
            continue
        least, most = reach(points[rim][:, others])
        if not ((least > low + room).all() and (most < high - room).all()):
            continue
        touching = inside & np.isin(facets, rim).any(axis=1)
        ends = {names[k] for k in np.unique(owner[rows[np.isin(facets[rows], rim).any(axis=1)]])}
        for k in np.unique(owner[touching]).tolist():
            own[k] = own.get(k, set()) | ends
    whole = {k: bool(inside[owner == k].all()) for k in own}
    return [
        Flat(names[k], axis, float(place), whole[k], tuple(sorted(ends))) for k, ends in own.items()
    ]


FLATS: dict[int, Callable[[Any, Sequence[str], Sequence[str]], list[Flat]]] = {
    2: lambda space, there, walls: [],
    3: _of_space,
}
