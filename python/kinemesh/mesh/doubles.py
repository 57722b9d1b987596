"""Nodes that a cell names twice, and corners of a cell at one place: refused with what to do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.collapsed import shape
from kinemesh.mesh.kinds import FLATS, Kind

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
TOGETHER = 1e-12  # share of a cell's longest edge within which two corners are at one place
ROUNDING = 64 * np.finfo(float).eps
CHUNK = 1 << 16  # cells at a time
COLLAPSED = {
    "triangles": "it has no area: remove it",
    "quads": "with an edge collapsed it is a triangle",
    "tetrahedra": "it has no volume: remove it",
    "pyramids": "with an edge collapsed it is a tetrahedron",
    "prisms": "with an edge from triangle to triangle collapsed it is a pyramid",
    "hexahedra": "with a side collapsed to an edge it is a prism (type 13 of SU2)",
}


def placed(x: Floats) -> str:
    """A place in words."""
    return f"({', '.join(f'{value:.6g}' for value in x)})"


def every(numbers: NDArray) -> str:
    """All corners of a cell."""
    return ", ".join(str(int(n)) for n in numbers)


def merging(distance: float, length: float) -> str:
    """Advice to merge nodes that are so far apart where cells are so long."""
    least = max(10 * distance, 1e-9 * length)
    tolerance = f"{10.0 ** np.ceil(np.log10(least) - 1e-6):g}" if least > 0 else "0"
    return (
        f"merge them: km.mesh.merge(FILE, {tolerance}), merge={tolerance} of km.mesh.read, "
        f"Mesh.from_arrays and Mesh.from_blocks, or [mesh] merge = {tolerance} of a case file"
    )


def check_corners(points: Floats, kind: Kind, cells: Ints, name: Callable[[int], str]) -> None:
    """Refuse cells that name a node twice or have two corners at one place.

    `name(i)` is how a message calls a cell, whose nodes are in range.
    """
    twice = np.zeros(len(cells), bool)
    for a, b in combinations(range(kind.corners), 2):
        twice |= cells[:, a] == cells[:, b]
    if twice.any():
        _refuse_repeated(points, kind, cells, np.flatnonzero(twice), name)
    bad: list[NDArray[np.intp]] = []
    for first in range(0, len(cells), CHUNK):
        short = _short(points, kind, cells[first : first + CHUNK])
        there = np.flatnonzero(short.any(axis=0))
        bad.append(first + there[_with_content(kind, short[:, there])])
    if any(map(len, bad)):
        _refuse_together(points, kind, cells, np.concatenate(bad), name)


def _short(points: Floats, kind: Kind, cells: Ints) -> NDArray[np.bool_]:
    """(edges, cells) True where the ends of an edge are at one place.

    Cells as small as the last digits of their coordinates are not looked at.
    """
    length = _lengths(points, kind, cells)
    longest = length.max(axis=0)
    seen = longest > ROUNDING * np.abs(points).max(initial=0.0)
    found: NDArray[np.bool_] = (length <= TOGETHER * longest) & seen
    return found


def _with_content(kind: Kind, short: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(cells,) True of cells with something left once the ends of short edges are one.

    Others are flat, whatever is done; of triangles and tetrahedra nothing is ever left.
    """
    if kind.corners == kind.dimensions + 1 or not short.shape[1]:
        return np.ones(short.shape[1], bool)
    patterns, number = np.unique(short, axis=1, return_inverse=True)
    left = []
    for column in patterns.T:
        first = list(range(kind.corners))
        for a, b in (kind.edges[k] for k in np.flatnonzero(column)):
            low, high = sorted((first[a], first[b]))
            first = [low if corner == high else corner for corner in first]
        left.append(bool(shape(kind.name, tuple(first))))
    return np.array(left)[number.ravel()]


def _lengths(points: Floats, kind: Kind, cells: Ints) -> Floats:
    """(edges, cells) extent of each edge along the axis where it is longest.

    The square of a length may be too small for a number.
    """
    x = np.take(points, cells.T, axis=0).transpose(0, 2, 1)  # corners, axes, cells
    found = np.empty((len(kind.edges), len(cells)))
    way = np.empty(x.shape[1:])
    for length, (a, b) in zip(found, kind.edges, strict=True):
        np.subtract(x[a], x[b], out=way)
        np.abs(way, out=way)
        np.maximum.reduce(way, axis=0, out=length)
    return found


def _refuse_repeated(
    points: Floats, kind: Kind, cells: Ints, bad: NDArray[np.intp], name: Callable[[int], str]
) -> None:
    i = int(bad[0])
    each, count = np.unique(cells[i], return_counts=True)
    node = int(each[np.argmax(count > 1)])
    how_often = {2: "twice"}.get(int(count.max()), f"{count.max()} times")
    flat = kind.name in ("triangles", "tetrahedra")
    more = "" if flat else ": write it so, or take merge=0 (of a case file [mesh] merge = 0)"
    raise MeshError(
        f"{name(i)} names node {node} {how_often} ({every(cells[i])}), at {placed(points[node])}; "
        f"expected a {kind.one} of {kind.corners} nodes, and {COLLAPSED[kind.name]}{more}: "
        f"{len(bad)} such element(s) of {len(cells)}"
    )


def _refuse_together(
    points: Floats, kind: Kind, cells: Ints, bad: NDArray[np.intp], name: Callable[[int], str]
) -> None:
    i = int(bad[0])
    one = cells[i : i + 1]
    edge = kind.edges[int(np.argmax(_short(points, kind, one)[:, 0]))]
    a, b = sorted(int(cells[i, end]) for end in edge)
    length = _lengths(points, kind, one)[:, 0]
    apart, longest = float(length[kind.edges.index(edge)]), float(length.max())
    raise MeshError(
        f"{name(i)} with nodes {every(cells[i])} has its nodes {a} and {b} at one "
        f"place, {placed(points[a])} ({apart:.3g} apart), expected corners at places of their own; "
        f"{merging(apart, longest)}, and {COLLAPSED[kind.name].removesuffix(': remove it')}: "
        f"{len(bad)} such element(s) of {len(cells)}"
    )


def kind_of(cells: NDArray) -> Kind:
    """The plane's kind of cells by its number of corners."""
    return FLAT[cells.shape[1]]


FLAT = {kind.corners: kind for kind in FLATS.values()}
"""The plane's kinds of cells by their number of corners."""
