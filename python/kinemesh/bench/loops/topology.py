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
    g, d, f = means(top), top.dimensions, top.faces
    S, xf, middle = (np.empty((f, d)) for _ in range(3))
    parts = Parts(np.zeros(f), np.zeros((f, d)), np.zeros((f, d, d)))
    count = np.diff(top.rims)
    for corners in np.unique(count):
        alike = np.flatnonzero(count == corners)
        for face in np.array_split(alike, 1 + len(alike) // CHUNK):
            x = top.vertex[top.rim[top.rims[:-1][face][:, None] + np.arange(corners)]]
            _shape(x, face, S, xf, middle, parts)
    V, moment = np.zeros(top.cells), np.zeros((top.cells, d))
    for side, sign in ((0, 1.0), (1, -1.0)):
        end = top.edges if side else f  # the last faces have no second cell
        cell = top.pair[:end, side]
        flow, part = np.empty(end), np.empty((d, end))
        for first in range(0, end, CHUNK):
            own = slice(first, first + CHUNK)
            c = middle[:end][own] - g[cell[own]]
            flow[own] = parts.flow[:end][own] + (c * S[:end][own]).sum(axis=1)
            some = parts.moment[:end][own] + flow[own, None] * c
            some += (parts.tensor[:end][own] @ c[:, :, None])[..., 0]
            part[:, own] = some.T
        V += sign / d * np.bincount(cell, flow, top.cells)
        for k in range(d):
            moment[:, k] += sign / (d + 1) * np.bincount(cell, part[k], top.cells)
    return Measures(S, xf, V, g + moment / V[:, None])


class Parts(NamedTuple):
    """Sums over the parts of each face, with a the way from the mean of its vertices to a part's.

    a.n, (a.n) a and a n^T, n the part's area vector; zero where a face has one part.
    """

    flow: Floats
    moment: Floats
    tensor: Floats


def _shape(x: Floats, face: NDArray, S: Floats, xf: Floats, middle: Floats, parts: Parts) -> None:
    """Enter the faces with vertices x (faces, corners, dimensions)."""
    middle[face] = xf[face] = m = x.mean(axis=1)
    if x.shape[2] == 2:
        t = x[:, 1] - x[:, 0]
        S[face, 0], S[face, 1] = t[:, 1], -t[:, 0]
        return
    if x.shape[1] == 3:
        a, b = x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]
        S[face] = 0.5 * _cross(a, b)
        return
    way = x - m[:, None]
    total, size, at = np.zeros_like(m), np.zeros(len(m)), np.zeros_like(m)
    flow, moment, tensor = (np.zeros_like(p[face]) for p in parts)
    for k in range(x.shape[1]):
        b, c = way[:, k], way[:, (k + 1) % x.shape[1]]
        normal, a = 0.5 * _cross(b, c), (b + c) / 3
        area = np.sqrt((normal * normal).sum(axis=1))
        total += normal
        size += area
        at += area[:, None] * a
        through = (a * normal).sum(axis=1)
        flow += through
        moment += through[:, None] * a
        tensor += a[:, :, None] * normal[:, None]
    S[face], xf[face] = total, m + at / size[:, None]
    parts.flow[face], parts.moment[face], parts.tensor[face] = flow, moment, tensor


def _cross(a: Floats, b: Floats) -> Floats:
    x, y, z = (0, 1, 2)
    return np.stack(
        [
            a[:, y] * b[:, z] - a[:, z] * b[:, y],
            a[:, z] * b[:, x] - a[:, x] * b[:, z],
            a[:, x] * b[:, y] - a[:, y] * b[:, x],
        ],
        axis=1,
    )
