"""Pieces of a boundary: connected curves (in space surfaces), closed or not.

Facets have the domain on their left (in space their area vector points out of the domain), so a
closed piece about the domain has a positive content, one about a body a negative one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]
NEAR = 1e-9  # share of a size that may be rounding, of a file's digits too


@dataclass(frozen=True, slots=True)
class Piece:
    """Connected facets of a boundary.

    Parameters
    ----------
    names : markers of the facets, in the order of the mesh
    facets : (k, d)        node numbers; quadrilaterals of a mesh in space are two triangles
    low, high : (d,)       least and largest coordinates
    closed : bool          whether no facet has an open end; ends on a plane of symmetry are closed
    content : float        signed area (in space volume) within, where `closed`
    """

    names: tuple[str, ...]
    facets: NDArray[Any]
    low: Floats
    high: Floats
    closed: bool
    content: float

    @property
    def about_body(self) -> bool:
        """True if the piece encloses a body of an area above round-off."""
        least = NEAR * float((self.high - self.low).max()) ** len(self.low)
        return self.closed and self.content < -least

    def encloses(self, other: Piece) -> bool:
        """Return True if the other piece lies within the box of this one."""
        room = NEAR * (self.high - self.low)
        return bool((other.low >= self.low - room).all() and (other.high <= self.high + room).all())

    def told(self) -> str:
        """Least and largest coordinates of the piece, in words."""
        return told(self.low, self.high)


def told(low: Floats, high: Floats, axes: str = "xyz") -> str:
    """Least and largest coordinates in words."""
    each = zip(axes, low, high, strict=False)
    return ", ".join(f"{name} {round(a, 9):.4g} to {round(b, 9):.4g}" for name, a, b in each)


def reach(points: Floats) -> tuple[Floats, Floats]:
    """Least and largest coordinates of points (..., d)."""
    flat = points.reshape(-1, points.shape[-1])
    return flat.min(axis=0), flat.max(axis=0)


def pieces(space: Any, names: Sequence[str], planes: Sequence[str] = ()) -> list[Piece]:
    """Pieces of the markers `names` of a mesh or cloud.

    Parameters
    ----------
    planes : markers of planes of symmetry, at which a piece may end
    """
    there = [n for n in names if n in space.boundaries]
    if not there:
        return []
    each = [triangles_of(space.boundaries[n]) for n in there]
    facets: Any = np.concatenate(each)
    owner = np.repeat(np.arange(len(there)), [len(own) for own in each])
    flat = [space.boundaries[n].ravel() for n in planes if n in space.boundaries]
    mirror = np.unique(np.concatenate(flat)) if flat else np.empty(0, int)
    mirror = mirror[mirror >= 0]
    found = []
    part = linked(facets)
    for number in range(part.max() + 1):
        own = facets[part == number]
        low, high = reach(space.points[own])
        whose = tuple(there[k] for k in np.unique(owner[part == number]))
        # a plane of symmetry closes what ends at it: no content as seen from a point of it, which
        # does not hold of other planes, as above a channel
        ends = np.intersect1d(own, mirror)
        centre = space.points[ends].mean(axis=0) if len(ends) else 0.5 * (low + high)
        content = float(np.linalg.det(space.points[own] - centre).sum())
        found.append(Piece(whose, own, low, high, _closed(own, mirror), content))
    return sorted(found, key=lambda piece: there.index(piece.names[0]))


def triangles_of(faces: NDArray[Any]) -> NDArray[Any]:
    """Facets of a marker, with faces of a mesh in space (k, 4) as triangles (n, 3)."""
    if faces.shape[1] < 4:
        return faces
    halves = np.stack([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]], axis=1)
    return halves[(halves >= 0).all(axis=2)]


def linked(facets: NDArray[Any]) -> NDArray[np.int32]:
    """Number of the piece of each facet, by the nodes that facets share."""
    nodes, inverse = np.unique(facets, return_inverse=True)
    at: Any = inverse.reshape(facets.shape)
    links = np.concatenate([at[:, k : k + 2] for k in range(at.shape[1] - 1)])
    graph = coo_array((np.ones(len(links)), links.T), shape=(len(nodes), len(nodes)))
    return connected_components(graph, directed=False)[1][at[:, 0]]


def _closed(facets: NDArray, mirror: NDArray) -> bool:
    """Return True if each end of a facet (node in the plane, edge in space) is another's too."""
    sides: Any = [np.delete(facets, k, axis=1) for k in range(facets.shape[1])]
    ends = np.sort(np.concatenate(sides), axis=1)
    each, count = np.unique(ends, axis=0, return_counts=True)
    return not (count[~np.isin(each, mirror).all(axis=1)] % 2).any()


def enclosing(found: Sequence[Piece]) -> Piece | None:
    """The closed piece that encloses all others, which close round bodies; None without one."""
    for piece in found:
        others = [p for p in found if p is not piece]
        if (
            others
            and piece.closed
            and piece.content > 0
            and all(p.about_body and piece.encloses(p) for p in others)
        ):
            return piece
    return None
