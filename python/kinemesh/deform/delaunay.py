"""Delaunay graph mapping: nodes keep their place in a coarse triangulation of the boundaries.

Wang et al., section 2.3 (docs/theory.md, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay as Triangulation

from kinemesh.deform.base import Deformation, Mover, Poses, pose_rows
from kinemesh.errors import MeshError
from kinemesh.nodes import Nodes


def graph(points: NDArray, hull: NDArray, inner: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Graph of the boundary nodes `hull`, and where the nodes `inner` lie in it.

    Returns
    -------
    vertices (elements, 3) as node numbers, element (inner,), share (inner, 3)
    """
    tri = Triangulation(points[hull])
    element = tri.find_simplex(points[inner], tol=1e-10)
    lost = np.flatnonzero(element < 0)
    if len(lost):
        x, y = points[inner[lost[0]]]
        raise MeshError(
            f"node {inner[lost[0]]} (x = {x:.6g}, y = {y:.6g}) lies outside the Delaunay graph of "
            "the boundary nodes; expected a far field that is convex"
        )
    vertices = hull[tri.simplices]
    corner = points[vertices]
    turned = np.linalg.det(corner[:, 1:] - corner[:, :1]) < 0
    vertices[turned] = vertices[turned][:, [0, 2, 1]]
    used, element = np.unique(element, return_inverse=True)  # slivers that carry nobody may fold
    vertices = vertices[used]
    a, b, c = (points[vertices[element, k]] for k in range(3))
    p = points[inner]

    def area(u: NDArray, v: NDArray, w: NDArray) -> NDArray:
        return np.linalg.det(np.stack([v - u, w - u], axis=1))

    share = np.stack([area(p, b, c), area(a, p, c), area(a, b, p)], axis=1)
    return vertices, element, share / share.sum(axis=1, keepdims=True)


class DelaunayMover(Mover):
    """Boundary nodes by pose, all others with their graph element."""

    def __init__(self, grid: Nodes) -> None:
        super().__init__(grid)
        b = self.backend
        tables: tuple[list[NDArray], ...] = ([], [], [], [])
        count = 0
        for member, first in enumerate(grid.first[:-1]):
            nodes = np.arange(first, grid.first[member + 1])
            hull = np.unique(
                np.concatenate([s.node[s.member == member] for s in (grid.wall, grid.far)])
            )
            inner = np.setdiff1d(nodes, hull)
            vertices, element, share = graph(grid.points, hull, inner)
            for table, part in zip(tables, (inner, element + count, share, vertices), strict=True):
                table.append(part)
            count += len(vertices)
        inner, element, share, vertices = (np.concatenate(t) for t in tables)
        corners = b.array(vertices, np.int32)
        self.move = b.record(
            [
                self.bind_pose(grid.wall.node, grid.wall.body, grid.x),
                b.bind(
                    "graph_folds",
                    vertices=corners,
                    member=grid.table["member"],
                    x=grid.x,
                    faults=grid.faults,
                ),
                b.bind(
                    "graph_map",
                    node=b.array(inner, np.int32),
                    element=b.array(element, np.int32),
                    share=b.array(share, np.float64),
                    vertices=corners,
                    reference=grid.reference,
                    x=grid.x,
                ),
            ]
        )

    def step(self, poses: Poses) -> dict[str, float]:
        self.backend.put(self.pose, pose_rows(poses(1.0)))
        self.move()
        return {}


@dataclass(frozen=True, slots=True)
class Delaunay(Deformation):
    """Delaunay graph mapping from the mesh as given; a graph element that folds is an error."""

    name = "delaunay"

    def attach(self, grid: Nodes) -> DelaunayMover:
        return DelaunayMover(grid)
