"""Cells of the parts of a mesh in space, ready to be searched: tetrahedra, and walls by bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.facets import area_vectors
from kinemesh.overset.bins import Bins
from kinemesh.overset.bins_space import bins_of_solids
from kinemesh.overset.inside import Inside, Mirror, inside_of
from kinemesh.overset.part_cells import walls_of_part
from kinemesh.overset.parts import Parts
from kinemesh.overset.tetrahedra import tetrahedra_in
from kinemesh.space.conditions.base import PLANE

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class SolidCells:
    """Cells as `overset.part_cells.Cells`: the tetrahedra of each part in turn; bins list solids.

    Parameters
    ----------
    parts : (solids+1,) int32    first tetrahedron of each solid
    inside : of each part        what lies within its walls
    """

    corners: Ints
    bins: list[Bins]
    first: Ints
    parts: Ints
    inside: list[Inside]

    @classmethod
    def of(cls, mesh: Parts) -> SolidCells:
        """Cells of a mesh of parts; OversetError where its walls are not closed."""
        part, counts, corners = mesh.part, [0], []
        bins, sizes, inside = [], [], []
        for number, name in enumerate(mesh.names):
            begin, end = mesh.first[number : number + 2]
            blocks = {
                kind: cells[part[cells[:, 0]] == number] - begin
                for kind, cells in mesh.solids.items()
            }
            points = mesh.points[begin:end]
            solids = tetrahedra_in(points, {kind: own for kind, own in blocks.items() if len(own)})
            bins.append(bins_of_solids(points, solids))
            corners.append(solids.corner + begin)
            sizes.append(np.diff(solids.parts))
            counts.append(counts[-1] + len(sizes[-1]))
            facets = walls_of_part(mesh, name)
            ends = not mesh.outer[number]
            inside.append(inside_of(mesh.points, facets, _mirrors(mesh, name), name, ends))
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int32)
        first = np.array(counts[:-1], np.int32)
        return cls(np.concatenate(corners).astype(np.int32), bins, first, offsets, inside)

    @property
    def listed(self) -> int:
        return len(self.parts) - 1

    @staticmethod
    def tables(each: Sequence[SolidCells], shift: Sequence[int]) -> dict[str, NDArray[Any]]:
        own = [cells.parts[:-1] + first for cells, first in zip(each, shift, strict=True)]
        total = shift[-1] + len(each[-1].corners)
        walls = [inside for cells in each for inside in cells.inside]
        begin, listings, facets, points = (
            np.cumsum([0, *(len(getattr(one, name)) for one in walls)])
            for name in ("bins", "listed", "facets", "points")
        )
        at = [np.array([first, 0]) for first in listings]
        bins = [one.bins + first for one, first in zip(walls, at, strict=False)]
        listed = [one.listed + first for one, first in zip(walls, facets, strict=False)]
        corners = [one.facets + first for one, first in zip(walls, points, strict=False)]
        ints = {
            "parts": np.append(np.concatenate(own), total),
            "wall_across": np.stack([one.across for one in walls]),
            "wall_begin": begin[:-1],
            "wall_bins": np.concatenate(bins),
            "wall_listed": np.concatenate(listed),
            "facet": np.concatenate(corners),
        }
        return {name: table.astype(np.int32) for name, table in ints.items()} | {
            "wall_box": np.stack([one.box.ravel() for one in walls]),
            "wall_point": np.concatenate([one.points for one in walls]),
        }


def _mirrors(mesh: Parts, name: str) -> list[Mirror]:
    """Planes of symmetry of a part, those that lie in one plane as one."""
    found: list[Mirror] = []
    for marker in mesh.of_role(PLANE):
        if not marker.startswith(f"{name}."):
            continue
        faces = mesh.boundaries[marker]
        area = area_vectors(mesh.points, faces).sum(axis=0)
        nodes = np.zeros(mesh.nodes, bool)
        nodes[faces[faces >= 0]] = True
        found.append(Mirror(area / np.linalg.norm(area), nodes))
    return found
