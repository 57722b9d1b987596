"""Plane and space: names, columns and words that differ between them, in one object of each.

Meshes, clouds, vertices, volumes, poses and laws have it as `dimension`.  What differs by its
mathematics stands in a table {2: in the plane, 3: in space} beside the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import is_several


@dataclass(frozen=True, slots=True)
class Dimension:
    """The plane, or space.

    Parameters
    ----------
    count : of coordinates
    axes : their names, a letter each
    motion : axes of the plane of motion, in which angles are nose-up
    endings : of names of kernels, the first that there is
    pose : numbers of a body's pose in kernels;  loads : sums of loads of a body's walls
    spin : shape of an angular velocity
    where : in a sentence;  mesh, side, boundary : a mesh there, a piece of its boundary, and
        that in words
    farthest : largest coordinate of a file, whose square, or cube, must not overflow
    one_chord : whether a body has one chord, which lengths refer to; wings have many
    length : what lengths refer to, in words
    """

    count: int
    axes: str
    motion: str
    endings: tuple[str, ...]
    pose: int
    loads: int
    spin: tuple[int, ...]
    where: str
    mesh: str
    side: str
    boundary: str
    farthest: float
    one_chord: bool
    length: str

    def __repr__(self) -> str:
        return f"Dimension({self.axes})"

    @property
    def columns(self) -> list[int]:
        """Columns of coordinates that are of the plane of motion."""
        return [self.axes.index(axis) for axis in self.motion]

    def kernel(self, name: str) -> str:
        """Name of a kernel that there is once per dimension."""
        return name + "".join(self.endings)

    def holds(self, other: Dimension) -> bool:
        """True where what is of the other dimension can stand in this one."""
        return self.count >= other.count

    def lift(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Vectors (..., count) of those of the plane of motion (..., 2); others as they are."""
        *rows, given = vectors.shape
        if given == self.count:
            return vectors
        found = np.zeros((*rows, self.count))
        found[..., self.columns] = vectors
        return found


XY = Dimension(
    count=2,
    axes="xy",
    motion="xy",
    endings=(),
    pose=6,
    loads=4,
    spin=(),
    where="in the plane",
    mesh="a plane mesh",
    side="edge",
    boundary="curve",
    farthest=1e150,
    one_chord=True,
    length="chord",
)
XYZ = Dimension(
    count=3,
    axes="xyz",
    motion="xz",
    endings=("_3d",),
    pose=12,
    loads=6,
    spin=(3,),
    where="in space",
    mesh="a mesh in space",
    side="face",
    boundary="surface",
    farthest=1e100,
    one_chord=False,
    length="reference length",
)
DIMENSIONS = {own.count: own for own in (XY, XYZ)}
"""Both, by the number of coordinates."""


def dimension_of(spaces: Any) -> Dimension:
    """Dimension of a mesh or cloud, of parts by name, or of the first of some; else `XY`."""
    first = next(iter(spaces)) if is_several(spaces) and len(spaces) else spaces
    if isinstance(first, Mapping) and len(first):
        first = next(iter(first.values()))
        first = getattr(first, "mesh", first)  # of a part with a place
    points = getattr(first, "points", None)
    return XY if points is None else DIMENSIONS[points.shape[1]]


def widest(found: Iterable[Dimension]) -> Dimension:
    """The dimension that holds all of these; of none, `XY`."""
    return max(found, key=lambda own: own.count, default=XY)
