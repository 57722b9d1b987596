"""Sizes of the bodies of a mesh or cloud: chord, planform, box.

A body is a closed curve, in space a closed surface, of walls, symmetry being no opening.  Its chord
is the longest distance between two of its points, its planform half the sum of the facets' areas as
seen along z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.flats import Flat, flats_of
from kinemesh.mesh.names import words_of
from kinemesh.mesh.pieces import NEAR, Piece, pieces, told

Floats = NDArray[np.float64]
CHORD = 0.02  # share by which a section's measured chord may differ from what it is said to be


@dataclass(frozen=True, slots=True)
class Body:
    """A body as measured.

    Parameters
    ----------
    name : its markers
    size : float          chord (in space area of the planform) in lengths of the mesh
    low, high : (d,)      least and largest coordinates
    """

    name: str
    size: float
    low: Floats
    high: Floats

    def told(self) -> str:
        """Name, size and box in words."""
        if len(self.low) == 2:
            size = f"{self.size:.4g} long"
        else:
            size = (
                f"of a planform of {self.size:.4g}, {self.span:.4g} wide along y and "
                f"{self.mean_chord:.4g} long on average"
            )
        return f"{self.name} is {size} ({told(self.low, self.high)})"

    @property
    def span(self) -> float:
        """Width along y of a body in space; from the plane of symmetry of a half model."""
        return float(self.high[1] - self.low[1])

    @property
    def mean_chord(self) -> float:
        """Planform over span."""
        return self.size / self.span

    def numbers(self) -> dict[str, Any]:
        """Size and box by name, for a summary."""
        what = "length" if len(self.low) == 2 else "planform_area"
        return {what: self.size, "from": self.low.tolist(), "to": self.high.tolist()}


@dataclass(frozen=True, slots=True)
class Walls:
    """The walls of a mesh or cloud.

    Parameters
    ----------
    bodies : as measured
    loose : markers whose walls enclose no body
    names : all markers of walls
    flats : flat ends of a mesh in space on which walls end, but for planes of symmetry
    """

    bodies: list[Body]
    loose: list[str]
    names: Sequence[str] = ()
    flats: Sequence[Flat] = ()

    @classmethod
    def of(cls, space: Any, walls: Sequence[str], planes: Sequence[str] = ()) -> Walls:
        """Walls of a mesh or cloud, with the bodies measured."""
        mirrors = [n for n in walls if "symmetry" in words_of(n)]  # of a half model in the plane
        found: list[Body] = []
        loose = dict.fromkeys(n for n in mirrors if n in space.boundaries)
        others = [n for n in walls if n not in mirrors]
        for piece in pieces(space, others, [*planes, *mirrors]):
            if not piece.about_body:
                loose |= dict.fromkeys(piece.names)
                continue
            name = ", ".join(piece.names)
            again = sum(body.name.split(" (")[0] == name for body in found)
            name = f"{name} ({again + 1})" if again else name
            found.append(Body(name, _size(space.points, piece), piece.low, piece.high))
        others = [name for name in space.boundaries if name not in planes]
        return cls(found, list(loose), walls, flats_of(space, others, walls))


def measured(
    spaces: Sequence[Any], walls: Sequence[str], planes: Sequence[str] = ()
) -> list[Walls]:
    """The walls of each member."""
    done: dict[int, Walls] = {}
    for space in spaces:
        if id(space) not in done:
            done[id(space)] = Walls.of(space, walls, planes)
    return [done[id(space)] for space in spaces]


def _size(points: Floats, piece: Piece) -> float:
    if points.shape[1] == 2:
        return longest(points[np.unique(piece.facets)])
    corner = points[piece.facets]
    a, b = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    return float(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 4)


def longest(points: Floats) -> float:
    """Longest distance between two of the points (n, 2)."""
    low, high = points.min(axis=0), points.max(axis=0)
    off = np.hypot(*(points - 0.5 * (low + high)).T)
    # the other end is at most as far off the middle as any: nearer ones cannot span the box
    points = points[off >= (1 - NEAR) * (high - low).max() - off.max()]
    each = (np.hypot(*(points[k:] - points[k]).T).max() for k in range(len(points)))
    return float(max(each))
