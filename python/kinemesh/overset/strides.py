"""Strides of overset parts per step: in cells at the overset boundary, and in gaps between walls.

A part ends within others, whose cells there are like its own (`kinemesh.overset.watch`).  All of it
is worked out on the host, of the nodes of walls and of overset boundaries alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from kinemesh.bodies.poses import matrix_of
from kinemesh.mesh.facets import area_vectors, lengths
from kinemesh.overset.parts import Parts
from kinemesh.overset.plan import Plan
from kinemesh.sentences import point_in_words
from kinemesh.space.conditions.base import RIM

Floats = NDArray[np.float64]
# Largest strides at which loads are those of one grid, or of smaller steps (docs/validation.md,
# "Strides of parts").
CELLS = 2.5
GAP = 0.25


@dataclass(frozen=True, slots=True)
class Stride:
    """A step of one part relative to another.

    Parameters
    ----------
    size : how far a node moves, over the cells' size (along the normal of the overset boundary) or
        over the gap
    part, other : names
    place : of the node after the step, (x, y), in space (x, y, z) [chord]
    away : the cells' size, or the gap, there [chord]
    """

    size: float
    part: str
    other: str
    place: tuple[float, ...]
    away: float

    def told(self, what: str) -> str:
        """Sentence on the stride; what : "cells" or "gap"."""
        at = point_in_words(self.place, 4)
        if what == "cells":
            return (
                f"part {self.part!r} moves relative to {self.other!r} by {self.size:.2g} of its "
                f"cells at {at} in a step"
            )
        return (
            f"part {self.part!r} moves relative to {self.other!r} by {self.size:.2g} of the gap "
            f"of {self.away:.2g} between their walls at {at} in a step"
        )


NONE = Stride(0.0, "", "", (0.0, 0.0), np.inf)


class Strides:
    """Strides of the parts of one mesh of parts.

    Parameters
    ----------
    plan : of the mesh
    """

    def __init__(self, mesh: Parts, plan: Plan) -> None:
        self.names = mesh.names
        # nodes of overset boundaries, unit normals there, sizes of cells
        self.ends: list[tuple[Floats, Floats, Floats]] = []
        self.walls: list[Floats] = []
        self.boxes: list[Floats] = []
        normal = _normals(mesh)
        for number in range(len(mesh.names)):
            own = np.arange(*mesh.first[number : number + 2])
            end = own[plan.layer[own] == 0]
            points = mesh.points[own]
            self.ends.append((mesh.points[end], normal[end], plan.across[end]))
            self.walls.append(mesh.points[own[plan.wall[own]]])
            self.boxes.append(np.stack([points.min(axis=0), points.max(axis=0)]))
        self.trees = [cKDTree(walls) if len(walls) else None for walls in self.walls]

    @property
    def several(self) -> bool:
        """Return True if more than one part has walls, so that there are gaps."""
        return sum(tree is not None for tree in self.trees) > 1

    def found(self, before: Floats, after: Floats) -> tuple[Stride, Stride]:
        """The largest strides, in cells and in gaps, from poses to poses (parts, 6 or 12)."""
        cells, gap = NONE, NONE
        for part, other in self._moving(before, after):
            cells = max(cells, self._cells(part, other, before, after), key=_size)
            gap = max(gap, self._gap(part, other, before, after), key=_size)
        return cells, gap

    def _moving(self, before: Floats, after: Floats) -> Iterator[tuple[int, int]]:
        moved = (before != after).any(axis=1)
        for part in range(len(self.names)):
            for other in range(len(self.names)):
                if part != other and (moved[part] or moved[other]):
                    yield part, other

    def _cells(self, part: int, other: int, before: Floats, after: Floats) -> Stride:
        """Largest stride in cells, over overset-boundary nodes within the other part's box.

        Along their normals: a part that turns within its own outline covers what it covered.
        """
        points, normals, sizes = self.ends[part]
        if not len(points):
            return NONE
        there = _within(points, after[part], after[other])
        low, high = self.boxes[other]
        inside = ((there >= low) & (there <= high)).all(axis=1)
        across = _within(points + normals, after[part], after[other]) - there
        moved = there - _within(points, before[part], before[other])
        far = np.abs((moved * across).sum(axis=1)) / sizes
        return self._stride(part, other, np.where(inside, far, 0.0), sizes, points, after)

    def _gap(self, part: int, other: int, before: Floats, after: Floats) -> Stride:
        """Largest stride of a part's wall nodes over their distances to the other part's walls."""
        points, tree = self.walls[part], self.trees[other]
        if tree is None or not len(points) or len(points) > len(self.walls[other]):
            return NONE
        there = _within(points, after[part], after[other])
        gap = np.maximum(tree.query(there)[0], 1e-300)
        far = lengths(there - _within(points, before[part], before[other])) / gap
        return self._stride(part, other, far, gap, points, after)

    def _stride(
        self, part: int, other: int, far: Floats, away: Floats, points: Floats, after: Floats
    ) -> Stride:
        node = int(far.argmax())
        place = tuple(_placed(points[node : node + 1], after[part])[0].tolist())
        names = self.names[part], self.names[other]
        return Stride(float(far[node]), *names, place, float(away[node]))


def _normals(mesh: Parts) -> Floats:
    """(nodes, dimensions) unit normals on overset boundaries, 0 elsewhere."""
    found = np.zeros(mesh.points.shape)
    for marker in mesh.of_role(RIM):
        facets = mesh.boundaries[marker]
        area = area_vectors(mesh.points, facets)
        for corner in facets.T:
            np.add.at(found, corner[corner >= 0], area[corner >= 0])
    length = lengths(found)[:, None]
    return np.divide(found, length, out=found, where=length > 0)


def _size(stride: Stride) -> float:
    return stride.size


def _placed(points: Floats, row: Floats) -> Floats:
    """Points moved by a pose."""
    turn, shift = matrix_of(row)
    return points + points @ turn.T + shift


def _within(points: Floats, own: Floats, other: Floats) -> Floats:
    """Points of a part at its pose in the frame of another part."""
    turn, shift = matrix_of(other)
    there = _placed(points, own) - shift
    return np.asarray(there + there @ turn)
