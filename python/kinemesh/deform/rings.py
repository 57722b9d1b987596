"""Torsional springs of one mesh in space: pattern of their matrix, tetrahedra around each edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered_pairs
from kinemesh.deform.spokes import graph_of
from kinemesh.device.backend import Backend
from kinemesh.linear import Pattern
from kinemesh.linear.stack import Items
from kinemesh.mesh import Mesh
from kinemesh.mesh.kinds import SOLIDS, Kind
from kinemesh.space.solids import SolidVertices

TETRAHEDRA = {"tetrahedra"}
BATCH = 32  # edges that lanes of a device store together
FLAT = 1e-10  # volume over the cube of the longest edge below which a tetrahedron has no spring


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
    if set(mesh.solids) == TETRAHEDRA:
        return found
    p = mesh.points[found]
    sides = p[:, 1:] - p[:, :1]
    across = p[:, [2, 3, 1]] - p[:, [1, 2, 3]]
    longest = np.sqrt(np.maximum((sides**2).sum(axis=2), (across**2).sum(axis=2)).max(axis=1))
    return found[np.abs(np.linalg.det(sides)) > 6 * FLAT * longest**3]


@dataclass(frozen=True, slots=True)
class Rings:
    """Springs of one mesh in space: pattern of their matrix, tetrahedra around each of its edges.

    Parameters
    ----------
    ends : (edges, 2)    nodes that share a tetrahedron, in order
    ring : (edges+1,)    tetrahedra around each
    across : (wedges, 2)    the other two corners of each of these
    """

    pattern: Pattern
    ends: NDArray[np.int32]
    ring: NDArray[np.int32]
    across: NDArray[np.int32]

    @classmethod
    def of(cls, backend: Backend, mesh: Mesh, natural: bool) -> Rings:
        """Springs of a mesh.

        Parameters
        ----------
        natural : whether rows stand in the order of the nodes
        """
        nodes, corners = mesh.nodes, np.sort(spring_tetrahedra(mesh), axis=1)
        low, high, across = (
            np.concatenate([corners[:, own] for own in columns])
            for columns in zip(*PAIRS, strict=True)
        )
        order, _ = ordered_pairs(low, high, nodes)
        low, high = low[order], high[order]
        first = np.flatnonzero(np.diff(low, prepend=-1) | np.diff(high, prepend=-1))
        ends = np.stack([low[first], high[first]], axis=1)
        return cls(
            Pattern.of_graph(backend, *graph_of(ends, nodes), natural=natural),
            ends,
            np.append(first, len(order)).astype(np.int32),
            across[order],
        )

    @staticmethod
    def tables(
        alone: Sequence[Rings], pattern: Pattern, vertices: SolidVertices
    ) -> dict[str, NDArray[Any]]:
        """Fields of the kernels spring_edges_3d and spring_rows_3d of all members."""
        alike = vertices.alike
        edges, wedges, both = (
            Items(alike, counts)
            for counts in (
                [len(own.ends) for own in alone],
                [len(own.across) for own in alone],
                [2 * len(own.ends) for own in alone],
            )
        )
        ends = [(own.ends.ravel(), own.ends[:, ::-1].ravel()) for own in alone]
        on, normals = vertices.sliding
        firsts = np.arange(0, edges.total + BATCH, BATCH, dtype=np.int32)
        return {
            "batch": np.minimum(firsts, edges.total, dtype=np.int32),
            "ends": edges.stack([own.ends for own in alone], vertices.items),
            "ring": edges.offsets([own.ring for own in alone]),
            "across": wedges.stack([own.across for own in alone], vertices.items),
            "slot": pattern.blocks_of(ends, both).reshape(-1, 2),
            "slides": on,
            "mirror": normals,
        }

    @staticmethod
    def assembly(bind: Callable[[str], Any]) -> list[Any]:
        """Calls that put the matrix together: blocks of edges, then rows, scaled."""
        return [bind(name) for name in ("spring_edges", "spring_rows")]


PAIRS = [(a, b, [k for k in range(4) if k not in (a, b)]) for a, b in combinations(range(4), 2)]
"""Corners of a tetrahedron: two ends of an edge, the lower first, and the other two."""
