"""Cells of a mesh in space as tetrahedra, so that those of neighbours meet face to face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.device.threads import over
from kinemesh.mesh import Mesh
from kinemesh.mesh.kinds import SOLIDS, Kind

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
CELLS = 1 << 14  # cut together


@dataclass(frozen=True, slots=True)
class Tetrahedra:
    """The tetrahedra of positive volume of cells, those of each side by side.

    Parameters
    ----------
    parts : (cells+1,) first tetrahedron of each cell
    corner : (tetrahedra, 4) nodes
    spots : (tetrahedra,) places of these in their cell, 3 bits each
    most : corners of a cell, at most
    round_node : cells round a node, in the mean, rounded up
    """

    parts: Ints
    corner: Ints
    spots: Ints
    most: int
    round_node: int


def tetrahedra_of(mesh: Mesh) -> Tetrahedra:
    """The cells of a mesh in space as `tetrahedra_in`."""
    return tetrahedra_in(mesh.points, mesh.blocks)


def tetrahedra_in(points: Floats, blocks: Mapping[str, Ints]) -> Tetrahedra:
    """Cells (k, corners) of each kind at points (nodes, 3), each cut into the tetrahedra of a cone.

    The apex is the cell's lowest node, and quadrilaterals are cut through theirs.  So neighbours
    cut the face between them alike, and each place of the mesh is in one tetrahedron more of
    positive than of negative volume: those of positive volume leave no place out.
    """
    some, count = [], 0
    for name, cells in blocks.items():
        some += [
            (SOLIDS[name], cells[k : k + CELLS], count + k) for k in range(0, len(cells), CELLS)
        ]
        count += len(cells)

    def cut(kind: Kind, cells: Ints, first: int) -> list[tuple[Ints, Ints, Ints]]:
        """Corners, places and cells of tetrahedra of some cells, by triangles of their faces."""
        found = []
        for own, spot in _cones(kind, cells):
            rows = np.flatnonzero(_positive(points, own))
            places = spot[rows] @ (1 << 3 * np.arange(4))
            found.append((own[rows], places, (first + rows).astype(np.int32)))
        return found

    every = chain.from_iterable(over(lambda own: cut(*own), some))
    corner, spots, cell = zip(*every, strict=True)
    order, parts = ordered(np.concatenate(cell), count)
    most = max(cells.shape[1] for cells in blocks.values() if len(cells))
    return Tetrahedra(
        parts,
        np.concatenate(corner)[order].astype(np.int32),
        np.concatenate(spots)[order].astype(np.int32),
        most,
        -(-sum(cells.size for cells in blocks.values()) // len(points)),
    )


def _cones(kind: Kind, cells: Ints) -> list[tuple[Ints, Ints]]:
    """Nodes of tetrahedra and their places in the cells (cells, 4), of each triangle of the faces.

    Triangles at the apex are among them: their tetrahedra have no volume.
    """
    if kind.corners == 4:
        return [(cells, np.tile(np.arange(4), (len(cells), 1)))]
    apex, every, found = cells.argmin(axis=1), np.arange(len(cells)), []
    for face in kind.faces:
        own = np.array(face)
        lowest = cells[:, own].argmin(axis=1)  # the triangles are its fan
        for k in range(1, len(face) - 1):
            triangle = [own[(lowest + way) % len(face)] for way in (0, k, k + 1)]
            spot = np.stack([apex, *triangle], axis=1)
            found.append((cells[every[:, None], spot], spot))
    return found


def _positive(points: Floats, corner: Ints) -> NDArray[np.bool_]:
    """(tetrahedra,) those with a volume above round-off, none with a corner twice."""
    o, u, v, w = (points[corner[:, k]] for k in range(4))
    volume = (np.cross(u - o, v - o) * (w - o)).sum(axis=1)
    repeated = (corner[:, 1:] == corner[:, :1]).any(axis=1)
    return np.asarray((volume > 0) & ~repeated)
