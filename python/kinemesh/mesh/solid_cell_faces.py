"""Connectivity of the cells of a mesh in space: which cell is across which face, as flat tables.

As `kinemesh.mesh.cell_faces` has it in the plane: sorted, so that the tables of several meshes side
by side (an ensemble) are those of each mesh with its numbers shifted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered, ordered_pairs
from kinemesh.mesh.dual import around
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.mesh import Mesh

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class SolidCellFaces:
    """Tables of a mesh (or of several side by side).

    Cells are by kind, in the order of `mesh.solids`.  Faces of triangles have -1 as fourth corner.

    Parameters
    ----------
    lr : (faces, 2)             cells on both sides of an inner face, lower number first; sorted
    outline : (faces, 4)        its corners, counter-clockwise seen from the second cell
    offsets : (cells+1,)        entries of each cell in `neighbour` and `edge`
    neighbour, edge : (2 faces,)  cells across the inner faces of each cell, and these faces
    outer : (k, 4)              corners of the boundary's faces, area vectors out of the fluid, in
        the order of `mesh.boundaries`
    behind, marker : (k,)       cell at each of them, and number of its boundary
    starts : (nodes+1,)         entries of each node in `about`
    about : (entries,)          cells at each node
    """

    lr: Ints
    outline: Ints
    offsets: Ints
    neighbour: Ints
    edge: Ints
    outer: Ints
    behind: Ints
    marker: Ints
    starts: Ints
    about: Ints


def solid_cell_faces(mesh: Mesh) -> SolidCellFaces:
    """Tables of a mesh in space, whose faces have two cells, or a cell and a boundary."""
    sides = [mesh.boundaries[name] for name in mesh.boundaries]
    outer = np.concatenate([np.empty((0, 4), np.int32), *sides])
    marker = np.repeat(np.arange(len(sides), dtype=np.int32), [len(own) for own in sides])
    faces, cell = (np.concatenate(parts) for parts in zip(*_faces(mesh), strict=True))
    cells = sum(len(table) for table in mesh.solids.values())
    # faces of the boundary are of cells of their own, behind all others: faces come in pairs
    every = np.concatenate([faces, outer])
    owner = np.concatenate([cell, cells + np.arange(len(outer), dtype=np.int32)])
    pairs = _alike(every, mesh.nodes).reshape(-1, 2)
    lr = owner[pairs]
    swap = lr[:, 0] > lr[:, 1]
    lr[swap], pairs[swap] = lr[swap, ::-1], pairs[swap, ::-1]
    inner = lr[:, 1] < cells
    order, _ = ordered_pairs(lr[inner, 0], lr[inner, 1], cells)
    behind = np.empty(len(outer), np.int32)
    behind[lr[~inner, 1] - cells] = lr[~inner, 0]
    lr, outline = lr[inner][order], faces[pairs[inner, 0][order]]
    corner = np.concatenate([table.ravel() for table in mesh.solids.values()])
    by_node, starts = ordered(corner, mesh.nodes)
    about = np.concatenate(list(_numbers(mesh)))[by_node]
    return SolidCellFaces(lr, outline, *around(lr, cells), outer, behind, marker, starts, about)


def _faces(mesh: Mesh) -> Iterator[tuple[Ints, Ints]]:
    """Faces (n, 4) of all cells, out of them, and their cells: in the order of the cells' kinds."""
    begun = 0
    for name, table in mesh.solids.items():
        cell = np.arange(begun, begun := begun + len(table), dtype=np.int32)
        for face in KINDS[name].faces:
            corners = np.full((len(table), 4), -1, np.int32)
            corners[:, : len(face)] = table[:, face]
            yield corners, cell


def _numbers(mesh: Mesh) -> Iterator[Ints]:
    """Number of the cell of each corner, kind by kind."""
    begun = 0
    for table in mesh.solids.values():
        cell = np.arange(begun, begun := begun + len(table), dtype=np.int32)
        yield np.repeat(cell, table.shape[1])


def _alike(faces: Ints, nodes: int) -> Ints:
    """Faces (n, 4) in an order that has those of the same corners side by side."""
    corners = np.sort(faces, axis=1).T + 1  # 0 of triangles
    order = np.arange(len(faces), dtype=np.int32)
    for column in corners[::-1]:
        order = order[ordered(column[order], nodes + 1)[0]]
    return order
