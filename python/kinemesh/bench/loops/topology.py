"""Cells of any shape, their faces and vertices; measures; numberings of the same mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered, ordered_pairs

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
CHUNK = 1 << 12  # faces measured at once, what is worked out of them within the caches


@dataclass(frozen=True, slots=True)
class Topology:
    """Cells between faces.

    Parameters
    ----------
    vertex : (vertices, dimensions)  coordinates
    hulls (cells+1,), hull           vertices of each cell
    rims (faces+1,), rim             vertices of each face, by the right hand out of its first cell;
                                     in the plane with that cell on the left
    pair : (faces, 2)                cells of a face, lower number first; -1 as the second: none
    edges : int                      faces between two cells, which are the first ones
    """

    vertex: Floats
    hulls: Ints
    hull: Ints
    rims: Ints
    rim: Ints
    pair: Ints
    edges: int

    @property
    def cells(self) -> int:
        return len(self.hulls) - 1

    @property
    def faces(self) -> int:
        return len(self.pair)

    @property
    def dimensions(self) -> int:
        return int(self.vertex.shape[1])


@dataclass(frozen=True, slots=True)
class Measures:
    """Metrics in the field names of the solvers: S, xf of faces, V and centroids x of cells."""

    S: Floats
    xf: Floats
    V: Floats
    x: Floats

    def numbered(self, by: Numbering) -> Measures:
        """Measures in another numbering."""
        S = np.where(by.turned[:, None], -self.S[by.face], self.S[by.face])
        return Measures(S, self.xf[by.face], self.V[by.cell], self.x[by.cell])


@dataclass(frozen=True, slots=True)
class Numbering:
    """Old number of each new cell, face and vertex; faces whose cells have changed sides."""

    cell: NDArray
    face: NDArray
    turned: NDArray
    vertex: NDArray


def taken(offsets: Ints, entries: NDArray, items: NDArray) -> tuple[Ints, NDArray]:
    """Lists of some items, in their order: offsets and entries."""
    count = np.diff(offsets)[items]
    found = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    at = np.arange(found[-1], dtype=np.int32)
    at += np.repeat(offsets[:-1][items] - found[:-1], count)
    return found, entries[at]


def transposed(offsets: Ints, entries: Ints, count: int) -> tuple[Ints, Ints]:
    """Items whose lists have each of `count` entries: offsets and items."""
    order, starts = ordered(entries, count)
    item = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    return starts, item[order]


def means(top: Topology) -> Floats:
    """(cells, dimensions) means of the vertices of each cell."""
    first = top.hulls[:-1]
    return np.stack(
        [
            np.add.reduceat(part[top.hull], first) / np.diff(top.hulls)
            for part in np.ascontiguousarray(top.vertex.T)
        ],
        axis=1,
    )


def arranged(
    top: Topology, cell: NDArray, rng: np.random.Generator | None = None
) -> tuple[Topology, Numbering]:
    """Mesh whose cell k is cell `cell[k]` of another; vertices are numbered as cells use them.

    Faces are in the order of their cells, or with `rng` in random order.
    """
    new = np.empty(top.cells, np.int32)
    new[cell] = np.arange(top.cells, dtype=np.int32)
    pair = np.where(top.pair < 0, -1, new[top.pair])
    turn = (pair[:, 1] >= 0) & (pair[:, 0] > pair[:, 1])
    pair[turn] = pair[turn, ::-1]
    rim = _turned(top, turn)
    inner, e = pair[: top.edges], top.edges
    order: NDArray = ordered_pairs(inner[:, 0], inner[:, 1], top.cells)[0]
    last: NDArray = ordered(pair[e:, 0], top.cells)[0]
    if rng is not None:
        order, last = rng.permutation(order), rng.permutation(last)
    face = np.concatenate([order, e + last])
    hulls, hull = taken(top.hulls, top.hull, cell)
    rims, rim = taken(top.rims, rim, face)
    use = np.full(len(top.vertex), len(hull), np.int64)
    use[hull[::-1]] = np.arange(len(hull), dtype=np.int64)[::-1]  # of equal places the last stays
    old = np.argsort(use, kind="stable")
    vertex = np.empty(len(old), np.int32)
    vertex[old] = np.arange(len(old), dtype=np.int32)
    found = Topology(top.vertex[old], hulls, vertex[hull], rims, vertex[rim], pair[face], e)
    return found, Numbering(cell, face, turn[face], old)


def _turned(top: Topology, turn: NDArray) -> Ints:
    """`rim` with the vertices of some faces the other way round."""
    rim, count = top.rim.copy(), np.diff(top.rims)
    for corners in np.unique(count):
        at = top.rims[:-1][turn & (count == corners)][:, None] + np.arange(corners)
        rim[at] = top.rim[at[:, ::-1]]
    return rim


def measured(top: Topology) -> Measures:
    """Area vectors and middles of faces, volumes and centroids of cells.

    In space a face is made of triangles about the mean of its vertices: its middle is the mean of
    theirs by area.  Volume and centroid follow from these triangles by divergence, seen from the
    mean of the cell's vertices.
    """
    d, f, cells = top.dimensions, top.faces, top.cells
    vertex, g = np.ascontiguousarray(top.vertex.T), np.ascontiguousarray(means(top).T)
    S, xf = np.empty((f, d)), np.empty((f, d))
    flow, part = np.empty((2, f)), np.empty((2, d, f))
    count = np.diff(top.rims)
    for corners in np.unique(count):
        alike = np.flatnonzero(count == corners)
        for face in np.array_split(alike, 1 + len(alike) // CHUNK):
            rim = top.rim[top.rims[:-1][face] + np.arange(corners)[:, None]]
            own = _shape(np.take(vertex, rim, axis=1).transpose(1, 0, 2))
            S[face], xf[face] = own.S.T, own.xf.T
            for side in (0, 1):  # where there is no second cell, what comes out is not taken
                c = own.middle - g[:, top.pair[face, side]]
                through = own.flow + (c * own.S).sum(axis=0)
                flow[side, face] = through
                some = own.moment + through * c
                if own.tensor is not None:
                    some += (own.tensor * c).sum(axis=1)
                part[side][:, face] = some
    V, moment = np.zeros(cells), np.zeros((d, cells))
    for side, sign in ((0, 1.0), (1, -1.0)):
        end = top.edges if side else f
        cell = top.pair[:end, side]
        V += sign / d * np.bincount(cell, flow[side, :end], cells)
        for k in range(d):
            moment[k] += sign / (d + 1) * np.bincount(cell, part[side, k, :end], cells)
    return Measures(S, xf, V, np.ascontiguousarray((g + moment / V).T))


class Shape(NamedTuple):
    """Faces side by side: vectors are (dimensions, faces).

    Parameters
    ----------
    S, xf, middle : area vectors, middles, means of the vertices
    flow, moment, tensor : sums over the parts of each face, with a the way from the mean of its
        vertices to a part's: a.n, (a.n) a and a n^T, n the part's area vector; of faces of one
        part they are 0
    """

    S: Floats
    xf: Floats
    middle: Floats
    flow: Floats | float = 0.0
    moment: Floats | float = 0.0
    tensor: Floats | None = None


def _shape(x: Floats) -> Shape:
    """Faces with vertices x (corners, dimensions, faces)."""
    return SHAPES[x.shape[1]](x, x.sum(axis=0) / len(x))


def _edge(x: Floats, m: Floats) -> Shape:
    t = x[1] - x[0]
    return Shape(np.stack([t[1], -t[0]]), m, m)


def _polygon(x: Floats, m: Floats) -> Shape:
    if len(x) == 3:
        return Shape(0.5 * _cross(x[1] - x[0], x[2] - x[0]), m, m)
    way, n = x - m, x.shape[2]
    total, size, at, moment = np.zeros((3, n)), np.zeros(n), np.zeros((3, n)), np.zeros((3, n))
    flow, tensor = np.zeros(n), np.zeros((3, 3, n))
    for k in range(len(x)):
        b, c = way[k], way[(k + 1) % len(x)]
        normal, a = 0.5 * _cross(b, c), (b + c) / 3
        area = np.sqrt((normal * normal).sum(axis=0))
        total += normal
        size += area
        at += area * a
        through = (a * normal).sum(axis=0)
        flow += through
        moment += through * a
        tensor += a[:, None] * normal
    return Shape(total, m + at / size, m, flow, moment, tensor)


SHAPES = {2: _edge, 3: _polygon}


def _cross(a: Floats, b: Floats) -> Floats:
    """Cross products of vectors (3, n)."""
    return np.stack(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    )
