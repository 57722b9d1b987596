"""Torsional springs of one mesh, from its cells alone: pattern and spokes of their matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.csr import offsets_of
from kinemesh.deform.fans import fans, spring_triangles
from kinemesh.device.backend import Backend
from kinemesh.linear import Pattern
from kinemesh.linear.stack import Items
from kinemesh.mesh import Mesh
from kinemesh.space.vertices import Vertices


def graph_of(simplices: NDArray, nodes: int) -> tuple[NDArray, NDArray]:
    """CSR graph (offsets, neighbour) of the nodes that share a triangle, or an edge."""
    pairs = list(permutations(range(simplices.shape[1]), 2))
    a, b = (simplices[:, [pair[k] for pair in pairs]].ravel() for k in (0, 1))
    graph = sp.csr_array((np.ones(len(a), np.int8), (a, b)), shape=(nodes, nodes))
    graph.sum_duplicates()
    return graph.indptr.astype(np.int32), graph.indices.astype(np.int32)


@dataclass(frozen=True, slots=True)
class Spokes:
    """Springs of one mesh: pattern of their matrix, runs of spokes around the node of each row.

    Parameters
    ----------
    fans : (rows+1,)    runs around the node of each row
    runs : (runs+1,)    spokes of each run
    node, other : (spokes,)    nodes where spokes begin and end
    """

    pattern: Pattern
    fans: NDArray
    runs: NDArray
    node: NDArray
    other: NDArray

    @classmethod
    def of(cls, backend: Backend, mesh: Mesh, natural: bool) -> Spokes:
        nodes, triangles = mesh.nodes, spring_triangles(mesh.cells)
        pattern = Pattern.of_graph(backend, *graph_of(triangles, nodes), natural=natural)
        fan = fans(triangles, nodes)
        row = pattern.row_of[fan.node]
        order = np.argsort(row, kind="stable")
        runs = offsets_of(np.repeat(np.arange(len(order)), fan.length[order]), len(order))
        spokes = np.arange(runs[-1]) - np.repeat(runs[:-1] - fan.first[order], fan.length[order])
        return cls(
            pattern,
            offsets_of(row[order], len(pattern.node)),
            runs,
            np.repeat(fan.node[order], fan.length[order]),
            fan.other[spokes],
        )

    @staticmethod
    def tables(
        alone: Sequence[Spokes], pattern: Pattern, vertices: Vertices
    ) -> dict[str, NDArray[Any]]:
        """Fields of the kernel spring_rows of all members."""
        alike = vertices.alike
        rows = Items(alike, [own.pattern.rows for own in alone])
        runs, spokes = (Items(alike, [own.by_colour[k] for own in alone]) for k in (0, 1))
        ends = [(own.node, own.other) for own in alone]
        return {
            "fans": rows.offsets([own.fans for own in alone]),
            "runs": runs.offsets([own.runs for own in alone]),
            "other": spokes.stack([own.other for own in alone], vertices.items),
            "slot": pattern.blocks_of(ends, spokes),
        }

    @staticmethod
    def assembly(bind: Callable[[str], Any]) -> list[Any]:
        """Call that puts the matrix together."""
        return [bind("spring_rows")]

    @property
    def by_colour(self) -> tuple[NDArray, NDArray]:
        """Numbers of runs, and of spokes, around the nodes of each colour."""
        runs = self.fans[self.pattern.starts]
        return np.diff(runs), np.diff(self.runs[runs])
