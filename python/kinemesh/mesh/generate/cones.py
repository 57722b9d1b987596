"""Cells cut into tetrahedra: cones from their first corner, of any kind, next to any other.

Nodes have a rank.  A cell is the cone from its corner of least rank over the faces that do not
hold it, each quadrilateral among them cut through its own corner of least rank.  Two cells cut the
face between them alike, as that follows from the face alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.edges import four_wide
from kinemesh.mesh.kinds import SOLIDS

Ints = NDArray[np.int32]


def cut_faces(faces: Ints, rank: NDArray) -> Ints:
    """(triangles, 3) of faces (k, 3 or 4), -1 as fourth entry of triangles; quads are cut in two.

    The two triangles of a face follow each other.
    """
    faces = four_wide(faces)
    flat = faces[:, 3] < 0
    first = np.argmin(rank[faces], axis=1) if len(faces) else np.empty(0, int)
    turn = (first[:, None] + np.arange(4)) % 4
    ring = np.where(flat[:, None], faces, np.take_along_axis(faces, turn, axis=1))
    pair = np.stack([ring[:, :3], ring[:, [0, 2, 3]]], axis=1)
    there = np.ones((len(faces), 2), bool)
    there[:, 1] = ~flat
    return pair[there]


def tetrahedra(blocks: Mapping[str, NDArray], rank: NDArray) -> Ints:
    """(k, 4) tetrahedra of the cells of all kinds.

    Parameters
    ----------
    rank : (nodes,) numbers that differ within each cell
    """
    found = []
    for name, cells in blocks.items():
        if name == "tetrahedra":
            found.append(np.asarray(cells))
            continue
        first = np.argmin(rank[cells], axis=1)
        for apex in range(SOLIDS[name].corners):
            own = cells[first == apex]
            for face in SOLIDS[name].faces:
                if apex in face:
                    continue
                side = own[:, face]
                base = cut_faces(side, rank)
                tip = np.repeat(own[:, apex], len(base) // max(len(own), 1))
                found.append(np.column_stack([base[:, [0, 2, 1]], tip]))
    return np.concatenate(found).astype(np.int32)
