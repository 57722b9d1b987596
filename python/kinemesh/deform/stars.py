"""Torsional springs of one mesh in space: pattern of their matrix, tetrahedra around each node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import offsets_of
from kinemesh.deform.spokes import graph_of
from kinemesh.device.backend import Backend
from kinemesh.linear import Pattern
from kinemesh.linear.stack import Items
from kinemesh.mesh import Mesh
from kinemesh.mesh.kinds import SOLIDS, Kind
from kinemesh.space.vertices import Vertices

FLAT = (
    1e-10  # volume of a tetrahedron over the cube of its longest edge below which it has no spring
)


def corner_tetrahedra(kind: Kind) -> NDArray[np.int64]:
    """(k, 4) corners of a cell of a kind whose tetrahedra carry its springs.

    A tetrahedron is its own; other cells have one for each corner and three edges that leave it.
    """
    if kind.corners == 4:
        return np.arange(4)[None]
    found = []
    for corner in range(kind.corners):
        ends = [b if a == corner else a for a, b in kind.edges if corner in (a, b)]
        found += [(corner, *three) for three in combinations(sorted(ends), 3)]
    return np.array(found)


def spring_tetrahedra(mesh: Mesh) -> NDArray[np.int32]:
    """(k, 4) nodes of all tetrahedra of a mesh that carry springs; flat corners have none."""
    each = [
        cells[:, corner_tetrahedra(SOLIDS[name])].reshape(-1, 4)
        for name, cells in mesh.solids.items()
        if len(cells)
    ]
    found = np.concatenate(each).astype(np.int32)
    if set(mesh.solids) == {"tetrahedra"}:
        return found
    p = mesh.points[found]
    sides = p[:, 1:] - p[:, :1]
    across = p[:, [2, 3, 1]] - p[:, [1, 2, 3]]
    longest = np.sqrt(np.maximum((sides**2).sum(axis=2), (across**2).sum(axis=2)).max(axis=1))
    return found[np.abs(np.linalg.det(sides)) > 6 * FLAT * longest**3]


@dataclass(frozen=True, slots=True)
class Stars:
    """Springs of one mesh in space: pattern of their matrix, tetrahedra around each row's node.

    Parameters
    ----------
    stars : (rows+1,)    tetrahedra around the node of each row
    node, other : (stars,), (stars, 3)    that node, and the tetrahedron's other corners
    """

    pattern: Pattern
    stars: NDArray[np.int32]
    node: NDArray[np.int32]
    other: NDArray[np.int32]

    @classmethod
    def of(cls, backend: Backend, mesh: Mesh, natural: bool) -> Stars:
        """Springs of a mesh.

        Parameters
        ----------
        natural : whether rows stand in the order of the nodes
        """
        nodes, corners = mesh.nodes, spring_tetrahedra(mesh)
        pattern = Pattern.of_graph(backend, *graph_of(corners, nodes), natural=natural)
        node = corners.T.ravel()
        other = np.concatenate([np.delete(corners, k, axis=1) for k in range(4)])
        row = pattern.row_of[node]
        order = np.argsort(row, kind="stable")
        return cls(
            pattern,
            offsets_of(row[order], nodes),
            node[order],
            np.ascontiguousarray(other[order], np.int32),
        )

    @staticmethod
    def tables(
        alone: Sequence[Stars], pattern: Pattern, vertices: Vertices
    ) -> dict[str, NDArray[Any]]:
        """Fields of the kernel spring_rows_3d of all members."""
        alike = vertices.alike
        rows = Items(alike, [own.pattern.rows for own in alone])
        stars = Items(alike, [np.diff(own.stars[own.pattern.starts]) for own in alone])
        ends = [(np.repeat(own.node, 3), own.other.ravel()) for own in alone]
        threes = Items(alike, [3 * np.diff(own.stars[own.pattern.starts]) for own in alone])
        return {
            "stars": rows.offsets([own.stars for own in alone]),
            "other": stars.stack([own.other for own in alone], vertices.items),
            "slot": pattern.blocks_of(ends, threes).reshape(-1, 3),
        }
