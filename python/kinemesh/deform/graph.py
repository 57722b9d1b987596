"""The Delaunay graph of a member's boundary nodes, and where its inner nodes lie in it.

Wang et al., section 2.3 (docs/theory.md, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.space.vertices import Vertices

NEAR = 1e-10  # share of an element by which a node may lie outside: round-off
ON_WALL = 1e-12  # share of an element by which a node must lie off a wall


@dataclass(frozen=True, slots=True)
class Places:
    """Boundary and inner nodes of one member, as nodes of the ensemble; ascending."""

    hull: NDArray[np.int64]
    inner: NDArray[np.int64]

    @classmethod
    def of(cls, vertices: Vertices, member: int) -> Places:
        sides = [s.node[s.of_member(member)] for s in vertices.sides.values()]
        hull = np.unique(np.concatenate(sides)).astype(np.int64)
        return cls(hull, np.setdiff1d(np.arange(*vertices.first[member : member + 2]), hull))

    def shifted(self, first: int) -> Places:
        """With `first` added to the numbers of nodes."""
        return Places(self.hull + first, self.inner + first)


@dataclass(frozen=True, slots=True)
class Graph:
    """A triangulation of boundary nodes, and the inner nodes' barycentric coordinates in it.

    Parameters
    ----------
    vertices : (elements, 3)    nodes, counter-clockwise
    element : (inner,)          that holds each inner node
    share : (inner, 3)          barycentric coordinates
    """

    vertices: NDArray[np.int64]
    element: NDArray[np.int64]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, vertices: Vertices, points: NDArray, member: int, places: Places) -> Graph:
        """The graph of one member with all nodes at `points` (nodes, 2).

        Raises
        ------
        MeshError    naming the first inner node that lies outside the graph
        """
        hull, inner = places.hull, places.inner
        tri = triangulated(points[hull])
        element = tri.find_simplex(points[inner], tol=NEAR)
        lost = inner[element < 0]
        if len(lost):
            x, y = points[lost[0]]
            raise MeshError(
                f"node {number(vertices, member, lost[0])} (x = {x:.6g}, y = {y:.6g}) lies outside "
                "the Delaunay graph of the boundary nodes; expected a far field that is convex"
            )
        corners = hull[tri.simplices]
        turned = doubled_areas(points, corners) < 0
        corners[turned] = corners[turned][:, [0, 2, 1]]
        return cls(corners, element, shares(points, inner, corners[element]))

    def shifted(self, first: int) -> Graph:
        """With `first` added to the numbers of nodes."""
        return Graph(self.vertices + first, self.element, self.share)

    def used(self) -> Graph:
        """Without the elements that carry no node."""
        used, element = np.unique(self.element, return_inverse=True)
        return Graph(self.vertices[used], element, self.share)


def graphs_as_given(vertices: Vertices) -> list[tuple[Places, Graph]]:
    """Places and Delaunay graph of each distinct initial mesh, in its own numbers; cached."""

    def made(mesh: Any) -> tuple[Places, Graph]:
        member = vertices.alike.lead[vertices.distinct.index(mesh)]
        places = Places.of(vertices, member)
        graph = Graph.of(vertices, vertices.points, member, places)
        first = int(vertices.first[member])
        return places.shifted(-first), graph.shifted(-first)

    return vertices.each("delaunay graphs", made)


def triangulated(points: NDArray[np.float64]) -> Any:
    """Delaunay triangles of points (k, 2), with the locator of other points.

    SciPy would invert the matrix of each triangle by LAPACK, which waits for BLAS's threads each
    time: measured 3.7 s for 358 triangles where another process had the second core, not 2 ms.
    Where a version of SciPy should not look for `_transform`, it does so nevertheless.
    """
    from scipy.spatial import Delaunay as Triangulation  # here: springs do not need it

    made = Triangulation(points)
    made._transform = _transforms(points[made.simplices])
    return made


def _transforms(corner: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, 3, 2) inverse matrix and last corner of triangles (k, 3, 2), in SciPy's form.

    The matrix turns places from the last corner into the first two barycentric coordinates; it is
    nan where it is singular but for round-off.
    """
    matrix = np.moveaxis(corner[:, :2] - corner[:, 2:], 0, -1).swapaxes(0, 1)  # (2, 2, k)
    (ax, bx), (ay, by) = matrix
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.array([[by, -bx], [-ay, ax]]) / (ax * by - bx * ay)
        one, other = (np.abs(m).sum(axis=0).max(axis=0) for m in (matrix, inverse))
        singular = ~(one * other <= 1 / np.finfo(np.float64).eps)
    inverse[:, :, singular] = np.nan
    found = np.concatenate([np.moveaxis(inverse, -1, 0), corner[:, 2:]], axis=1)
    return np.ascontiguousarray(found)  # SciPy's code in C looks at the memory


def number(vertices: Vertices, member: int, node: int) -> int:
    """A node's number in the user's file."""
    return int(vertices.meshes[member].original[node - vertices.first[member]])


def doubled_areas(points: NDArray, vertices: NDArray) -> NDArray[np.float64]:
    """(k,) twice the signed areas of triangles (k, 3)."""
    corner = points[vertices]
    return np.linalg.det(corner[:, 1:] - corner[:, :1])


def shares(points: NDArray, inner: NDArray, corners: NDArray) -> NDArray[np.float64]:
    """(inner, 3) barycentric coordinates of nodes in triangles of nodes (inner, 3)."""
    found = []
    for k in range(3):
        part = corners.copy()
        part[:, k] = inner
        found.append(doubled_areas(points, part))
    share = np.stack(found, axis=1)
    return share / share.sum(axis=1, keepdims=True)


def check_walls(
    vertices: Vertices, points: NDArray, member: int, graph: Graph, places: Places
) -> None:
    """Refuse, with a MeshError, a graph whose elements reach through a wall, or nodes on walls."""
    here = vertices.wall.of_member(member)
    after = vertices.wall.shape["ends"][here, 1]
    edges = np.stack([vertices.wall.node[here], after], axis=1).astype(np.int64)
    edges = edges[edges[:, 1] >= 0]
    sides = graph.vertices[:, [1, 2, 2, 0, 0, 1]].reshape(-1, 2)  # each opposite to a vertex
    wanted, there = (np.sort(e, axis=1) @ [vertices.nodes, 1] for e in (edges, sides))
    missing = edges[~np.isin(wanted, there)]
    if len(missing):
        a, b = (number(vertices, member, node) for node in missing[0])
        x, y = points[missing[0]].mean(axis=0)
        raise MeshError(
            f"the wall between nodes {a} and {b} (x = {x:.6g}, y = {y:.6g}) is no edge of the "
            "Delaunay graph, as another wall is nearer than the edge is long; expected more "
            "nodes along the walls there, or a motion that leaves more room"
        )
    at_wall = np.isin(there, wanted).reshape(-1, 3)[graph.element]
    on = places.inner[(at_wall & (graph.share <= ON_WALL)).any(axis=1)]
    if len(on):
        x, y = points[on[0]]
        raise MeshError(
            f"node {number(vertices, member, on[0])} (x = {x:.6g}, y = {y:.6g}) has come to lie on "
            "a wall, but for round-off; expected a motion that presses nodes less against walls, "
            "such as one that goes back the way it came"
        )
