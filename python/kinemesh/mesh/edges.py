"""Edges of a mesh: boundary edges have one cell and one marker, with the domain on the left."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.coincident import Sides, check_doubled, check_marked, slits

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


def numbers(value: ArrayLike, name: str) -> NDArray:
    """An array of real numbers; MeshError if it is none."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise MeshError(f"{name} is no array of numbers ({error}), expected one") from error
    if array.size and array.dtype.kind not in "iuf":
        raise MeshError(f"{name} has dtype {array.dtype}, expected numbers")
    return array


def four_wide(table: NDArray) -> NDArray:
    """(k, 4) of triangles (k, 3), whose fourth entry is -1; other tables as they are."""
    if table.shape[1:] != (3,):
        return table
    signed = table.astype(np.int64) if table.dtype.kind == "u" else table
    return np.pad(signed, ((0, 0), (0, 1)), constant_values=-1)


def frozen(value: ArrayLike, dtype: type, width: int, name: str) -> NDArray:
    array = numbers(value, name)
    if array.size == 0:
        array = np.empty((0, width), dtype)
    if array.ndim != 2 or array.shape[1] != width:
        raise MeshError(f"{name} has shape {array.shape}, expected (any, {width})")
    if dtype is np.int32 and array.dtype.kind not in "iu":
        raise MeshError(f"{name} has dtype {array.dtype}, expected integers")
    if dtype is np.int32 and array.size and np.abs(array).max() > np.iinfo(np.int32).max:
        raise MeshError(f"{name} has node number {np.abs(array).max()}, more than int32 holds")
    array = np.array(array, dtype=dtype, order="C")
    array.setflags(write=False)
    return array


def cell_edges(triangles: Ints, quads: Ints) -> Ints:
    """(3 t + 4 q, 2) edges of all cells in their counter-clockwise direction."""
    sides = [np.stack([c, np.roll(c, -1, axis=1)], axis=-1) for c in (triangles, quads)]
    return np.concatenate([side.reshape(-1, 2) for side in sides])


def edge_keys(edges: Ints, nodes: int) -> NDArray[np.int64]:
    """One number per undirected edge."""
    a, b = edges[:, 0], edges[:, 1]
    return np.minimum(a, b).astype(np.int64) * nodes + np.maximum(a, b)


def oriented(
    points: Floats, triangles: Ints, quads: Ints, boundaries: Mapping[str, ArrayLike]
) -> tuple[dict[str, Ints], list[str]]:
    """The markers' edges with the domain on the left; each open edge in exactly one marker.

    Also sentences on markers whose edges lie on one another.
    """
    if not isinstance(boundaries, Mapping):
        raise MeshError(f"boundaries is {boundaries!r}, expected edges by marker: {{'wall': ...}}")
    for name in boundaries:
        if not isinstance(name, str):
            raise MeshError(f"marker {name!r}, expected a name such as 'airfoil'")
    open_keys, open_edges = _open_edges(triangles, quads, len(points))
    owner = np.full(len(open_keys), -1)
    result = {}
    for number, (name, value) in enumerate(boundaries.items()):
        given = frozen(value, np.int32, 2, f"marker '{name}'")
        place = _places(name, given, open_keys, points)
        _claim(name, place, owner, number, list(boundaries), open_edges)
        turned = open_edges[place]
        turned.setflags(write=False)
        result[name] = turned
    missing = np.flatnonzero(owner < 0)
    tables = {"triangles": triangles, "quads": quads}
    sides = Sides.of(points, open_edges, tables)
    check_doubled(sides, tables)
    check_marked(sides, missing, tables)
    if len(missing):
        a, b = open_edges[missing[0]]
        raise MeshError(
            f"boundary edge {a}-{b} at ({points[a][0]:.6g}, {points[a][1]:.6g}) is in no marker: "
            f"{len(missing)} such edge(s); expected every edge of only one cell in a marker "
            f"({', '.join(result) or 'there are none'}); add them to one"
        )
    return result, slits(sides, owner, list(boundaries))


def _open_edges(triangles: Ints, quads: Ints, nodes: int) -> tuple[NDArray[np.int64], Ints]:
    """Keys, sorted, and directed edges of the sides with one cell; refuses cells that overlap."""
    edges = cell_edges(triangles, quads)
    backwards = edges[:, 0] > edges[:, 1]
    both = np.sort(2 * edge_keys(edges, nodes) + backwards)  # values alone: many times faster
    del edges, backwards
    keys = both >> 1
    start = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    sides = np.diff(np.append(start, len(keys)))
    crowded = np.flatnonzero(sides > 2)
    if len(crowded):
        a, b = _ends(both[start[crowded[:1]]], nodes)[0]
        raise MeshError(
            f"edge {a}-{b} belongs to {sides[crowded[0]]} cells "
            f"({_cells_at(a, b, triangles, quads)}), expected 1 or 2: "
            f"{len(crowded)} such edge(s); remove the cells that overlap"
        )
    twice = np.flatnonzero(both[1:] == both[:-1])
    if len(twice):
        a, b = _ends(both[twice[:1]], nodes)[0]
        raise MeshError(
            f"edge {a}-{b} has two cells on the same side "
            f"({_cells_at(a, b, triangles, quads)}), expected one on each: "
            f"{len(twice)} such edge(s); the cells overlap, as where a node has moved through an "
            "edge: repair the mesh there, or remove a cell that is there twice"
        )
    alone = both[start[sides == 1]]
    return alone >> 1, _ends(alone, nodes)


def _cells_at(a: int, b: int, triangles: Ints, quads: Ints) -> str:
    """The cells with both nodes."""
    found = [
        f"{kind} {i}"
        for kind, cells in (("triangle", triangles), ("quad", quads))
        for i in np.flatnonzero(np.isin(cells, (a, b)).sum(axis=1) == 2)
    ]
    return ", ".join(found[:6])


def _ends(both: NDArray[np.int64], nodes: int) -> Ints:
    """(k, 2) directed edges of 2 key + 1 if the higher node comes first."""
    low, high = np.divmod(both >> 1, nodes)
    swap = (both & 1).astype(bool)
    return np.stack([np.where(swap, high, low), np.where(swap, low, high)], axis=1).astype(np.int32)


def _places(name: str, given: Ints, open_keys: NDArray, points: Floats) -> NDArray[np.intp]:
    """Index of each edge among the open edges."""
    if not len(given):
        raise MeshError(f"marker '{name}' has no edges, expected at least one; remove it")
    outside = np.flatnonzero(((given < 0) | (given >= len(points))).any(axis=1))
    if len(outside):
        raise MeshError(
            f"marker '{name}': edge {listed(given[outside[0]])} names a node that does not "
            f"exist, expected 0 to {len(points) - 1}"
        )
    twice = np.flatnonzero(given[:, 0] == given[:, 1])
    if len(twice):
        raise MeshError(
            f"marker '{name}': edge {listed(given[twice[0]])} names node {given[twice[0], 0]} "
            f"twice: {len(twice)} such edge(s); expected two nodes: remove it, or take merge=0"
        )
    keys = edge_keys(given, len(points))
    place = np.minimum(np.searchsorted(open_keys, keys), len(open_keys) - 1)
    lost = np.flatnonzero(open_keys[place] != keys) if len(open_keys) else np.arange(len(given))
    if len(lost):
        a, b = given[lost[0]]
        raise MeshError(
            f"marker '{name}': edge {a}-{b} is not a boundary edge, expected an edge of exactly "
            f"one cell: {len(lost)} such edge(s); correct the marker"
        )
    return place


def _claim(
    name: str, place: NDArray, owner: NDArray, number: int, names: list[str], edges: Ints
) -> None:
    """Record the marker of each edge; refuse an edge with two markers."""
    taken = np.flatnonzero(owner[place] >= 0)
    values, counts = np.unique(place, return_counts=True)
    if len(taken):
        a, b = edges[place[taken[0]]]
        other = names[owner[place[taken[0]]]]
        raise MeshError(
            f"edge {a}-{b} is in markers '{other}' and '{name}': {len(taken)} such edge(s); "
            "expected each boundary edge in one marker; remove it from the other"
        )
    if (counts > 1).any():
        a, b = edges[values[np.argmax(counts > 1)]]
        raise MeshError(f"marker '{name}' lists edge {a}-{b} more than once, expected once")
    owner[place] = number


def listed(numbers: NDArray, most: int = 6) -> str:
    head = ", ".join(str(int(n)) for n in numbers[:most])
    return head + (f" and {len(numbers) - most} more" if len(numbers) > most else "")
