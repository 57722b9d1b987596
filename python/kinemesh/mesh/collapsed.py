"""Cells some of whose corners have become one: the kinds that they are then.

A cell is known by its faces.  Those that have shrunk to a line are left out, those that lie on one
another cancel; what is left is a tetrahedron, pyramid or prism, or another body of triangles and
quadrilaterals, which is cut into pyramids and tetrahedra about the middle of its corners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.kinds import KINDS

Ints = NDArray[np.int64]
Ring = tuple[int, ...]
MIDDLE = -1  # a node in the middle of the corners


@dataclass(slots=True)
class Cells:
    """Cells by kind, as they are made.

    Attributes
    ----------
    blocks : by kind (k, corners) nodes
    sources : by kind (k, 2)     number of the kind among those given, and of the cell in it
    middles : (m, 8) corners that have a node in their middle, -1 where there are fewer; its number
        is `nodes` and on
    counts : (kind, kinds that its cells became) -> how many
    """

    nodes: int
    blocks: dict[str, list[Ints]] = field(default_factory=dict)
    sources: dict[str, list[Ints]] = field(default_factory=dict)
    middles: list[Ints] = field(default_factory=list)
    counts: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)

    def add(self, kind: str, cells: Ints, given: int, at: NDArray[np.intp]) -> None:
        """Take cells, made of the cells `at` of a kind given."""
        self.blocks.setdefault(kind, []).append(cells)
        source = np.stack([np.full(len(at), given), at], axis=1)
        self.sources.setdefault(kind, []).append(source)

    def middle(self, cells: Ints) -> Ints:
        """(cells,) new nodes in the middle of the corners."""
        begun = self.nodes + sum(map(len, self.middles))
        wide = np.full((len(cells), 8), -1, np.int64)
        wide[:, : cells.shape[1]] = cells
        self.middles.append(wide)
        return np.arange(begun, begun + len(cells))


def shrunk(
    given: Mapping[str, Ints], nodes: int, flat: Callable[[str, NDArray[np.intp]], None]
) -> Cells:
    """Cells of tables in which a cell may name a node again and again.

    Parameters
    ----------
    flat : (kind, places) called for cells that have no content left
    """
    made = Cells(nodes)
    for number, (kind, cells) in enumerate(given.items()):
        for pattern, at in _patterns(cells):
            own, parts = cells[at], shape(kind, pattern)
            if not parts:
                flat(kind, at)
            corners = {corner for _, ring in parts for corner in ring}
            if MIDDLE in corners:
                first = sorted(corners - {MIDDLE})
                own = np.column_stack([own, made.middle(own[:, first])])
            for name, ring in parts:
                made.add(name, own[:, list(ring)], number, at)
            if pattern != tuple(range(len(pattern))):
                key = kind, tuple(dict.fromkeys(name for name, _ in parts))
                made.counts[key] = made.counts.get(key, 0) + len(at)
    return made


def _patterns(cells: Ints) -> Iterator[tuple[Ring, NDArray[np.intp]]]:
    """Each pattern of corners that are one, the first of them named, and the cells that have it."""
    if not len(cells):
        return
    corners = cells.shape[1]
    first = np.tile(np.arange(corners), (len(cells), 1))
    for j in range(1, corners):
        for k in range(j - 1, -1, -1):
            first[cells[:, k] == cells[:, j], j] = k
    code = first @ (corners ** np.arange(corners))
    each, index = np.unique(code, return_index=True)
    for value, at in zip(each, index, strict=True):
        yield tuple(first[at].tolist()), np.flatnonzero(code == value)


@cache
def shape(kind: str, pattern: Ring) -> tuple[tuple[str, Ring], ...]:
    """Kinds and corners of what a cell is; () where nothing is left.

    Parameters
    ----------
    pattern : for each corner the first one that it is one with
    """
    if pattern == tuple(range(len(pattern))):
        return ((kind, pattern),)
    return LEFT[KINDS[kind].dimensions](kind, pattern)


def _of_polygon(_: str, pattern: Ring) -> tuple[tuple[str, Ring], ...]:
    ring = _ring(pattern)
    return (("triangles", ring),) if len(ring) == 3 else ()


def _of_solid(kind: str, pattern: Ring) -> tuple[tuple[str, Ring], ...]:
    faces = [_ring([pattern[corner] for corner in face]) for face in KINDS[kind].faces]
    faces = [face for face in faces if face]
    faces = [face for face in faces if not any(_opposed(face, other) for other in faces)]
    if not faces or not _closed(faces):
        return ()
    return _known(faces) or _cones(faces)


LEFT = {2: _of_polygon, 3: _of_solid}


def _ring(corners: Ring | list[int]) -> Ring:
    """Corners of a polygon without those that follow one that they are one with; () for a line."""
    found = tuple(c for k, c in enumerate(corners) if c != corners[k - 1])
    return found if len(found) > 2 and len(set(found)) == len(found) else ()


def _opposed(one: Ring, other: Ring) -> bool:
    """Return True if two faces lie on one another, seen from both sides."""
    if len(one) != len(other) or set(one) != set(other):
        return False
    start = other.index(one[0])
    return all(one[k] == other[(start - k) % len(other)] for k in range(len(one)))


def _closed(faces: list[Ring]) -> bool:
    """Return True if each edge of a face is another's, the other way."""
    edges = [(face[k - 1], face[k]) for face in faces for k in range(len(face))]
    return len(set(edges)) == len(edges) and all((b, a) in edges for a, b in edges)


def _known(faces: list[Ring]) -> tuple[tuple[str, Ring], ...]:
    """The kind of cells that has such faces; () for none."""
    nodes = {corner for face in faces for corner in face}
    triangles = [face for face in faces if len(face) == 3]
    quads = [face for face in faces if len(face) == 4]
    sizes = len(triangles), len(quads), len(nodes)
    if sizes in ((4, 0, 4), (4, 1, 5)):
        base = (quads or triangles)[0]
        (apex,) = nodes - set(base)
        return (_on(base, apex),)
    if sizes == (2, 3, 6) and not set(triangles[0]) & set(triangles[1]):
        base = triangles[0][::-1]
        over = {a: b for face in quads for k in range(4) for a, b in _both(face, k)
                if a in base and b not in base}  # fmt: skip
        return (("prisms", (*base, *(over[corner] for corner in base))),)
    return ()


def _both(face: Ring, k: int) -> tuple[Ring, Ring]:
    return (face[k - 1], face[k]), (face[k], face[k - 1])


def _on(base: Ring, apex: int) -> tuple[str, Ring]:
    """Pyramid or tetrahedron on a face that looks out of it."""
    return {3: "tetrahedra", 4: "pyramids"}[len(base)], (*base[::-1], apex)


def _cones(faces: list[Ring]) -> tuple[tuple[str, Ring], ...]:
    """Pyramids and tetrahedra on all faces about a node in the middle."""
    return tuple(_on(face, MIDDLE) for face in faces)
