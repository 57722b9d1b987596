"""Cells of the parts of a mesh in the plane, ready to be searched, and triangles within walls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.pieces import triangles_of
from kinemesh.overset.bins import Bins, bins_of
from kinemesh.overset.parts import Parts
from kinemesh.overset.solids import loops_of, within

Ints = NDArray[np.int32]
WITHIN = -2  # in place of a cell: within the walls (csrc/kernels/overset/status.h)


class Cells(Protocol):
    """Cells of the parts of a mesh.

    Attributes
    ----------
    corners : (cells, 4) int32    nodes, -1 as fourth of a triangle; in space of tetrahedra
    bins : of each part, of what its bins list, counted from the part's first
    first : (parts,) int32        first of these of each part
    listed : number of all that bins list
    """

    @property
    def corners(self) -> Ints: ...

    @property
    def bins(self) -> list[Bins]: ...

    @property
    def first(self) -> Ints: ...

    @property
    def listed(self) -> int: ...

    @staticmethod
    def tables(each: Sequence[Any], shift: Sequence[int]) -> dict[str, NDArray[Any]]:
        """Tables beside these, of the cells of several meshes side by side.

        Parameters
        ----------
        shift : first of `corners` of each mesh
        """
        ...


@dataclass(frozen=True, slots=True)
class PlaneCells:
    """Cells as `Cells`: of each part in turn its cells, then triangles within its walls.

    Parameters
    ----------
    solid : (parts,) int32    first triangle within the walls of each part
    """

    corners: Ints
    bins: list[Bins]
    first: Ints
    solid: Ints

    @classmethod
    def of(cls, mesh: Parts) -> PlaneCells:
        """Cells of a mesh of parts; OversetError where its walls are not closed."""
        every, part = mesh.cells, mesh.part
        cells: list[Ints] = []
        bins, first, solid, count = [], [], [], 0
        for number, name in enumerate(mesh.names):
            begin, end = mesh.first[number : number + 2]
            own = every[part[every[:, 0]] == number]
            body = np.pad(_within(mesh, name), ((0, 0), (0, 1)), constant_values=-1)
            both = np.concatenate([own, body])
            local = np.where(both < 0, both, both - begin).astype(np.int32)
            bins.append(bins_of(mesh.points[begin:end], local))
            first.append(count)
            solid.append(count + len(own))
            count += len(both)
            cells.append(both)
        corners = np.concatenate(cells).astype(np.int32)
        return cls(corners, bins, np.array(first, np.int32), np.array(solid, np.int32))

    @property
    def listed(self) -> int:
        return len(self.corners)

    @staticmethod
    def tables(each: Sequence[PlaneCells], shift: Sequence[int]) -> dict[str, NDArray[Any]]:
        own = [cells.solid + first for cells, first in zip(each, shift, strict=True)]
        return {"solid": np.concatenate(own).astype(np.int32)}


def walls_of_part(mesh: Parts, name: str) -> Ints:
    """(k, 2) edges of a part's walls, the fluid on their left; in space (k, 3) triangles."""
    there = mesh.boundaries.get(name)
    return np.empty((0, mesh.dimensions), np.int32) if there is None else triangles_of(there)


def _within(mesh: Parts, name: str) -> Ints:
    """Triangles within the walls of a part; a background's may end at its far field."""
    edges = walls_of_part(mesh, name)
    if not mesh.outer[mesh.names.index(name)]:
        edges = _closed(edges)
    return within(mesh.points, loops_of(mesh.points, edges, name), name)


def _closed(edges: Ints) -> Ints:
    """The edges of closed runs."""
    while len(edges):
        inner = np.isin(edges[:, 0], edges[:, 1]) & np.isin(edges[:, 1], edges[:, 0])
        if inner.all():
            break
        edges = edges[inner]
    return edges
