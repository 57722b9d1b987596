"""Edges and faces of one cell that lie on one another, or have a node of others within them.

They are of cells that should share them: at the cut of a wake, between blocks, at hanging nodes;
or of cells that are there twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kinemesh.errors import MeshError
from kinemesh.mesh.doubles import merging, placed
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.names import role_of
from kinemesh.mesh.near import not_alone, shrinking

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
APART = 1e-6  # share of the shortest edge at a node within which others are at its place
WITHIN = 1e-6  # share of its size by which a node within an edge or face may lie off it
SEARCHED = 2000  # sides without a marker that are searched for nodes within them
WORD = {2: "edge", 4: "face"}


@dataclass(frozen=True, slots=True)
class Sides:
    """Edges or faces of one cell, those at one place known.

    Parameters
    ----------
    points : (nodes, d)
    sides : (k, 2 or 4)    as their cell has them, -1 as fourth entry of triangles
    place : (nodes,)       the first of the nodes at the place of each, among those of the sides
    partner : (k,)         another side at the place of each, seen from its other side; -1 for none
    double : (k,)          another side at the place of each, of a cell on its own side; -1 for none
    apart : float          largest distance of two nodes at one place
    """

    points: Floats
    sides: Ints
    place: NDArray[np.intp]
    partner: NDArray[np.intp]
    double: NDArray[np.intp]
    apart: float

    @classmethod
    def of(cls, points: Floats, sides: Ints, tables: Mapping[str, Ints]) -> Sides:
        """Sides of one cell of a mesh, whose cells are in tables by kind."""
        place, apart = _places(shrinking(points) * points, sides, tables)
        none = np.full(len(sides), -1)
        if apart < 0:
            return cls(points, sides, place, none, none, 0.0)
        own = np.where(sides < 0, -1, place[sides])
        rows, backwards = _turned(own)
        _, number = np.unique(rows, axis=0, return_inverse=True)
        number = number.ravel()
        apart /= shrinking(points)
        return cls(points, sides, place, _other(number, backwards, True),
                   _other(number, backwards, False), apart)  # fmt: skip

    def named(self, k: int) -> str:
        """Nodes of a side."""
        return "-".join(str(int(node)) for node in self.sides[k] if node >= 0)

    def middle(self, k: int) -> str:
        """Place of the middle of a side."""
        return placed(self.points[self.sides[k][self.sides[k] >= 0]].mean(axis=0))

    @property
    def word(self) -> str:
        """Edge or face."""
        return WORD[self.sides.shape[1]]

    def twins(self, k: int) -> tuple[int, int]:
        """A node of a side and the one at its place of the side on the other."""
        mine = self.sides[k][self.sides[k] >= 0]
        other = self.sides[self.partner[k]]
        for node in mine.tolist():
            for twin in other[other >= 0].tolist():
                if twin != node and self.place[twin] == self.place[node]:
                    return node, twin
        return int(mine[0]), int(mine[0])

    def merging(self, k: int) -> str:
        """Advice to merge the nodes of a side."""
        x = self.points[self.sides[k][self.sides[k] >= 0]]
        return merging(self.apart, float(np.linalg.norm(x[1] - x[0])))


def _places(
    points: Floats, sides: Ints, tables: Mapping[str, Ints]
) -> tuple[NDArray[np.intp], float]:
    """The first node at the place of each, and the largest distance of two; -1 where none are.

    Cells may be thinner than sides are long, so that their own edges decide what is near.
    """
    place = np.arange(len(points))
    nodes = np.unique(sides[sides >= 0])
    if not len(nodes):
        return place, -1.0
    shortest = _shortest(points, sides)[nodes]
    own = points[nodes]
    near = not_alone(own, APART * shortest)
    if not len(near):
        return place, -1.0
    shortest = np.minimum(shortest, _shortest_of_cells(points, tables, nodes[near])[nodes])
    from scipy.spatial import cKDTree  # here: most meshes do without

    pairs = cKDTree(own[near]).query_pairs(
        float(APART * shortest[near].max()), output_type="ndarray"
    )
    a, b = near[pairs[:, 0]], near[pairs[:, 1]]
    apart = np.linalg.norm(own[a] - own[b], axis=1)
    close = apart <= APART * np.minimum(shortest[a], shortest[b])
    a, b, apart = a[close], b[close], apart[close]
    graph = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(len(nodes), len(nodes)))
    _, part = connected_components(graph, directed=False)
    _, first = np.unique(part, return_index=True)
    place[nodes] = nodes[first[part]]
    return place, float(apart.max(initial=-1.0))


def _shortest(points: Floats, sides: Ints) -> Floats:
    """(nodes,) shortest edge of a side at each."""
    found = np.full(len(points), np.inf)
    for k in range(sides.shape[1]):
        a = sides[:, k]
        b = sides[:, (k + 1) % sides.shape[1]]
        b = np.where(b < 0, sides[:, 0], b)
        a, b = a[a >= 0], b[a >= 0]
        length = np.linalg.norm(points[b] - points[a], axis=1)
        np.minimum.at(found, a, length)
        np.minimum.at(found, b, length)
    return found


def _shortest_of_cells(points: Floats, tables: Mapping[str, Ints], nodes: NDArray) -> Floats:
    """(nodes,) shortest edge of a cell at each of some nodes."""
    found = np.full(len(points), np.inf)
    some = np.zeros(len(points), bool)
    some[nodes] = True
    for kind, cells in tables.items():
        own = cells[some[cells].any(axis=1)]
        for a, b in KINDS[kind].edges:
            length = np.linalg.norm(points[own[:, b]] - points[own[:, a]], axis=1)
            np.minimum.at(found, own[:, a], length)
            np.minimum.at(found, own[:, b], length)
    return found


def _turned(own: NDArray) -> tuple[NDArray, NDArray[np.bool_]]:
    """Sides by sorted nodes, and which run backwards as seen from the least node."""
    return np.sort(own, axis=1), BACKWARDS[own.shape[1]](own)


def _faces_backwards(own: NDArray) -> NDArray[np.bool_]:
    flat = own[:, 3] < 0
    ring = np.where(flat[:, None], own[:, [0, 1, 2, 0]], own)  # triangles repeat their first
    count = np.where(flat, 3, 4)
    least = np.argmin(ring, axis=1)
    rows = np.arange(len(own))
    after = ring[rows, (least + 1) % count]
    before = ring[rows, (least - 1) % count]
    found: NDArray[np.bool_] = after > before
    return found


BACKWARDS: dict[int, Callable[[NDArray], NDArray[np.bool_]]] = {
    2: lambda own: own[:, 0] > own[:, 1],
    4: _faces_backwards,
}


def _other(number: NDArray, backwards: NDArray[np.bool_], opposed: bool) -> NDArray[np.intp]:
    """For each side another one of its number, that runs the other way or the same; -1 for none."""
    found = np.full(len(number), -1)
    order = np.argsort(number, kind="stable")
    ends = np.flatnonzero(np.diff(number[order])) + 1
    for group in np.split(order, ends) if len(ends) < len(number) - 1 else ():
        for k in group if len(group) > 1 else ():
            others = group[(group != k) & ((backwards[group] != backwards[k]) == opposed)]
            if len(others):
                found[k] = others[0]
    return found


def check_doubled(sides: Sides, tables: Mapping[str, Ints]) -> None:
    """Refuse cells that lie on one another, by sides at one place that face the same way."""
    bad = np.flatnonzero(sides.double >= 0)
    if not len(bad):
        return
    k, other = int(bad[0]), int(sides.double[bad[0]])
    one, two = (holder(tables, sides.sides[i]) for i in (k, other))
    raise MeshError(
        f"{one} and {two} lie on one another: their {sides.word}s {sides.named(k)} and "
        f"{sides.named(other)}, at {sides.middle(k)}, are at one place with the cells on the same "
        f"side: {len(bad)} such {sides.word}(s); expected each cell once, as where a mesh or a "
        f"block is there twice: remove one of the two, or {sides.merging(k)}, which takes cells "
        "that are there twice once"
    )


def check_marked(sides: Sides, missing: NDArray[np.intp], tables: Mapping[str, Ints]) -> None:
    """Refuse sides without a marker that have another side, or a node of others, on them."""
    if not len(missing):
        return
    paired = missing[sides.partner[missing] >= 0]
    if len(paired):
        _refuse_paired(sides, paired)
    for k, node in _within(sides, missing[:SEARCHED]):
        raise MeshError(
            f"node {node} at {placed(sides.points[node])} lies within {sides.word} "
            f"{sides.named(k)} of {holder(tables, sides.sides[k])}, which is in no marker: a "
            f"hanging node; expected cells that meet {sides.word} to {sides.word}: divide this "
            "cell at the node, or make the mesh anew without hanging nodes (merging does not help)"
        )
    _check_halves(sides, missing, tables)


def _refuse_paired(sides: Sides, paired: NDArray[np.intp]) -> None:
    k, other = int(paired[0]), int(sides.partner[paired[0]])
    a, b = sides.twins(k)
    raise MeshError(
        f"boundary {sides.word}s {sides.named(k)} and {sides.named(other)} at {sides.middle(k)} "
        f"lie on one another and are in no marker: {len(paired)} such {sides.word}(s), in pairs, "
        f"as along the cut of a wake or between blocks; nodes such as {a} and {b}, at "
        f"{placed(sides.points[a])}, are at one place, expected one node; {sides.merging(k)}"
    )


def _within(sides: Sides, some: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Sides with a node of others within them, and that node."""
    from scipy.spatial import cKDTree

    nodes = np.unique(sides.sides[sides.sides >= 0])
    tree = cKDTree(sides.points[nodes])
    for k in some.tolist():
        own = sides.sides[k][sides.sides[k] >= 0]
        x = sides.points[own]
        middle = x.mean(axis=0)
        size = float(np.linalg.norm(x - middle, axis=1).max())
        for j in sorted(tree.query_ball_point(middle, size)):
            node = int(nodes[j])
            if sides.place[node] not in sides.place[own] and _inside(sides.points[node], x):
                yield k, node


def _inside(point: Floats, corners: Floats) -> bool:
    """Return True if a point is on an edge (2, d), or in a convex face (n, 3), of some size."""
    size = float(np.linalg.norm(corners - corners.mean(axis=0), axis=1).max())
    if not size:
        return False
    if len(corners) == 2:
        way = corners[1] - corners[0]
        share = float((point - corners[0]) @ way / (way @ way))
        off = float(np.linalg.norm(point - corners[0] - share * way))
        return off <= WITHIN * size and WITHIN < share < 1 - WITHIN
    a, b = corners - point, np.roll(corners, -1, axis=0) - point
    around = float(np.linalg.norm(np.cross(a, b), axis=1).sum())
    ends = corners - corners[0]
    area = np.cross(ends[1:-1], ends[2:]).sum(axis=0)
    whole = float(np.linalg.norm(area))
    if whole <= WITHIN * size**2:  # of corners on a line, which has no inside
        return False
    off = abs(float((point - corners.mean(axis=0)) @ area)) / whole
    return off <= WITHIN * size and around <= (1 + WITHIN) * whole


def _check_halves(sides: Sides, missing: NDArray[np.intp], tables: Mapping[str, Ints]) -> None:
    """Refuse quadrilaterals that meet two triangles."""
    if sides.word == "edge":
        return
    flat = sides.sides[missing, 3] < 0
    triangles = {
        frozenset(own[:3].tolist()): int(k)
        for own, k in zip(sides.sides[missing[flat]], missing[flat], strict=True)
    }
    for k in missing[~flat].tolist():
        own = sides.sides[k].tolist()
        for left in range(4):
            at = triangles.get(frozenset(node for i, node in enumerate(own) if i != left))
            if at is not None:
                raise MeshError(
                    f"face {sides.named(k)} of {holder(tables, sides.sides[k])} at "
                    f"{sides.middle(k)} meets triangles such as {sides.named(at)} of "
                    f"{holder(tables, sides.sides[at])}, expected one face of both cells: put "
                    "pyramids between hexahedra or prisms and tetrahedra, or cut both alike"
                )


def holder(tables: Mapping[str, Ints], side: NDArray) -> str:
    """The cell that a side is of, by its kind and number."""
    corners = side[side >= 0]
    for kind, cells in tables.items():
        found = np.flatnonzero(np.isin(cells, corners).sum(axis=1) == len(corners))
        if len(found):
            return f"{KINDS[kind].one} {found[0]}"
    return "a cell"


def slits(sides: Sides, owner: NDArray, names: Sequence[str]) -> list[str]:
    """Sentences on markers whose sides lie on one another: cuts through which nothing flows.

    A marker of walls that has no other sides is a plate without thickness, and is not told.
    """
    said = []
    for number, name in enumerate(names):
        own = np.flatnonzero(owner == number)
        paired = own[sides.partner[own] >= 0]
        if not len(paired) or (len(paired) == len(own) and role_of(name) == "wall"):
            continue
        k = int(paired[0])
        said.append(
            f"{len(paired)} of {len(own)} {sides.word}s of marker '{name}' lie on others, such as "
            f"{sides.named(k)} on {sides.named(int(sides.partner[k]))} at {sides.middle(k)}: a "
            "slit without thickness, a wall or an outer boundary from both sides; if the flow "
            f"should pass, {sides.merging(k)}"
        )
    return said
