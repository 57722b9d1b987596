"""Meshes to measure loops on: an O-mesh of triangles, jittered lattices of prisms and tetrahedra.

A lattice is of hexahedra that are cut alike, so that a face is known by a vertex of the lattice and
a pattern: nothing is sorted, and nine million cells take seconds.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from kinemesh.bench.loops.topology import Ints, Topology

JITTER = 0.15  # of the spacing, at most, along each axis
Corners = tuple[tuple[int, int, int], ...]
Cut = list[tuple[Corners, list[Corners]]]
"""Cells of a hexahedron of unit edges: vertices, and faces by the right hand out of the cell."""


def _prism(base: list[tuple[int, int]]) -> tuple[Corners, list[Corners]]:
    a, b, c = ((x, y, 0) for x, y in base)
    d, e, f = ((x, y, 1) for x, y in base)
    sides: list[Corners] = [(a, b, e, d), (b, c, f, e), (c, a, d, f)]
    return (a, b, c, d, e, f), [(a, c, b), (d, e, f), *sides]


def _tetrahedron(axes: tuple[int, ...]) -> tuple[Corners, list[Corners]]:
    """The one along a path over the edges of a hexahedron, an axis after the other."""
    path = [np.zeros(3, int)]
    for axis in axes:
        path.append(path[-1] + np.eye(3, dtype=int)[axis])
    a, b, c, d = ((int(p[0]), int(p[1]), int(p[2])) for p in path)
    if np.linalg.det(np.array([b, c, d])) < 0:
        b, c = c, b
    return (a, b, c, d), [(a, c, b), (a, b, d), (a, d, c), (b, c, d)]


PRISMS: Cut = [_prism([(0, 0), (1, 0), (1, 1)]), _prism([(0, 0), (1, 1), (0, 1)])]
TETS: Cut = [_tetrahedron(axes) for axes in permutations(range(3))]
# Cuts of a share of the layers each, from below.
LATTICES: dict[str, list[tuple[float, Cut]]] = {
    "prisms": [(1.0, PRISMS)],
    "tets": [(1.0, TETS)],
    "mixed": [(0.5, PRISMS), (0.5, TETS)],
}


def across(kind: str, cells: int) -> int:
    """Hexahedra along each axis of a lattice of about so many cells."""
    each = sum(share * len(cut) for share, cut in LATTICES[kind])
    return max(2, round((cells / each) ** (1 / 3)))


def lattice(kind: str, cells: int, seed: int = 1) -> Topology:
    """A unit cube of about so many cells, layer by layer; vertices inside are moved at random."""
    m = across(kind, cells)
    strides = np.array([1, m + 1, (m + 1) ** 2])
    patterns: dict[Corners, int] = {}
    faces: list[tuple[int, bool, Ints, Ints]] = []
    hulls, first, begin = [], 0, 0
    for part, (share, cut) in enumerate(LATTICES[kind], 1):
        end = m if part == len(LATTICES[kind]) else begin + round(share * m)
        hexes = _hexes(m, begin, end)
        cell = np.arange(len(hexes), dtype=np.int32) * len(cut) + first
        table = np.empty((len(hexes), len(cut), len(cut[0][0])), np.int32)
        for k, (corners, sides) in enumerate(cut):
            table[:, k] = hexes[:, None] + np.array(corners) @ strides
            for side in sides:
                at = np.min(side, axis=0)
                pattern, left = _pattern(np.array(side) - at, patterns)
                there = (hexes + at @ strides).astype(np.int32)
                faces.append((pattern, left, there, cell + np.int32(k)))
        hulls.append(table.reshape(-1, table.shape[2]))
        first, begin = first + len(hexes) * len(cut), end
    rims = [np.array(p) @ strides for p in patterns]
    return _assembled(_vertices(m, seed), hulls, rims, faces)


def _hexes(m: int, begin: int, end: int) -> NDArray:
    """Lowest vertex of each hexahedron of some layers."""
    k, j, i = np.meshgrid(np.arange(begin, end), np.arange(m), np.arange(m), indexing="ij")
    return ((k * (m + 1) + j) * (m + 1) + i).ravel()


def _vertices(m: int, seed: int) -> NDArray[np.float64]:
    k, j, i = np.meshgrid(*[np.arange(m + 1)] * 3, indexing="ij")
    at = np.stack([i.ravel(), j.ravel(), k.ravel()], axis=1)
    inside = np.all((at > 0) & (at < m), axis=1, keepdims=True)
    moved = np.random.default_rng(seed).uniform(-JITTER, JITTER, at.shape)
    return (at + inside * moved) / m


def _pattern(corners: NDArray, known: dict[Corners, int]) -> tuple[int, bool]:
    """Number of the pattern of a face, and True if it runs like the first one of this pattern."""
    way: Corners = tuple((int(a), int(b), int(c)) for a, b, c in corners)
    for first, number in known.items():
        if set(first) == set(way):
            at = first.index(way[0])
            return number, way[1] == first[(at + 1) % len(first)]
    known[way] = len(known)
    return known[way], True


def _assembled(
    vertex: NDArray[np.float64],
    hulls: list[Ints],
    rims: list[NDArray],
    faces: list[tuple[int, bool, Ints, Ints]],
) -> Topology:
    """The topology, from patterns of faces and the cells on both of their sides.

    A face with a single cell on its right runs the other way round.
    """
    inner: list[tuple[Ints, Ints]] = []
    outer: list[tuple[Ints, Ints]] = []
    for number, way in enumerate(rims):
        sides = np.full((2, len(vertex)), -1, np.int32)
        for pattern, left, there, cell in faces:
            if pattern == number:
                sides[0 if left else 1, there] = cell
        for some, turned in (((sides >= 0).all(axis=0), False), ((sides[1] < 0), False),
                             ((sides[0] < 0), True)):  # fmt: skip
            base = np.flatnonzero(some & (sides >= 0).any(axis=0))
            pair = sides[::-1, base].T if turned else sides[:, base].T
            back = (pair[:, 1] >= 0) & (pair[:, 0] > pair[:, 1])
            pair = np.where(back[:, None], pair[:, ::-1], pair)
            there = np.where(back[:, None] != turned, way[::-1], way)
            to = outer if (pair[:, 1] < 0).any() else inner
            to.append((pair.astype(np.int32), (base[:, None] + there).astype(np.int32)))
    edges = sum(len(pair) for pair, _ in inner)
    both = inner + outer
    counts = np.concatenate([np.full(len(p), rim.shape[1]) for p, rim in both])
    corners = np.concatenate([np.full(len(hull), hull.shape[1]) for hull in hulls])
    return Topology(
        vertex,
        np.concatenate([[0], np.cumsum(corners)]).astype(np.int32),
        np.concatenate([hull.ravel() for hull in hulls]),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        np.concatenate([rim.ravel() for _, rim in both]),
        np.concatenate([pair for pair, _ in both]),
        edges,
    )


def triangles(cells: int) -> Topology:
    """An O-mesh about the NACA 0012, as the other rows of the bench have it."""
    from kinemesh.mesh import airfoil
    from kinemesh.mesh.cell_faces import cell_faces

    mesh = airfoil("naca0012", nodes=max(500, cells // 2))
    own = cell_faces(len(mesh.points), mesh.cells)
    behind = np.stack([own.behind, np.full_like(own.behind, -1)], axis=1)
    faces = len(own.lr) + len(behind)
    return Topology(
        mesh.points,
        np.arange(0, 3 * len(mesh.cells) + 1, 3, dtype=np.int32),
        mesh.cells[:, :3].ravel(),
        np.arange(0, 2 * faces + 1, 2, dtype=np.int32),
        np.concatenate([own.ends, own.outer]).ravel(),
        np.concatenate([own.lr, behind]),
        len(own.lr),
    )
