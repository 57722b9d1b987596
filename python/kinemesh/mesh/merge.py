"""Nodes at one place made one: cells, and markers, of what is left.

Of nodes within the tolerance of one another, and of those, the first stays where it is.  Cells
whose corners have become one are of another kind (`collapsed.py`); sides that then have a cell on
both sides leave their markers, and a cell that is there twice is taken once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.collapsed import Cells, shrunk
from kinemesh.mesh.doubles import every, placed
from kinemesh.mesh.edges import four_wide, numbers
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.near import first_within

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Merged:
    """Tables of a mesh whose nodes have been merged.

    Parameters
    ----------
    points : (nodes, d)
    blocks, boundaries : cells by kind, edges or faces by marker
    original : (nodes,) numbers of the nodes given; of new ones numbers above them
    sources : by kind (k, 2) of each cell the kind, by its number, and the cell that it is of
    kinds : names of the kinds given
    note : a sentence on what has become of the mesh
    """

    points: Floats
    blocks: dict[str, Ints]
    boundaries: dict[str, Ints]
    original: Ints
    sources: dict[str, Ints]
    kinds: tuple[str, ...]
    note: str

    def name(self, given: Callable[[str, int], str]) -> Callable[[str, int], str]:
        """How messages call a cell, by how they call those that were given."""

        def called(kind: str, i: int) -> str:
            number, at = self.sources[kind][i]
            return given(self.kinds[number], int(at))

        return called

    def renumbered(self, given: ArrayLike | None) -> NDArray:
        """Numbers of the nodes left, where those given have numbers of their own."""
        if given is None:
            return self.original
        own = numbers(given, "original")
        new = np.arange(max(int(self.original.max(initial=-1)) + 1 - len(own), 0))
        return np.concatenate([own, own.max(initial=-1) + 1 + new])[self.original]


def by_kind(kind: str, i: int) -> str:
    """Name of a cell by its kind and number."""
    return f"{KINDS[kind].one} {i}"


def merged(
    points: ArrayLike,
    blocks: Mapping[str, ArrayLike],
    boundaries: Mapping[str, ArrayLike],
    tolerance: Any,
    name: Callable[[str, int], str] = by_kind,
) -> Merged:
    """Tables with nodes that are at most `tolerance` apart made one [length of the points].

    Raises
    ------
    MeshError    the tolerance is no number of 0 or more, or a cell has no content left
    """
    where = numbers(points, "points").astype(np.float64)
    value = _tolerance(tolerance)
    cells = {key: _table(key, own, len(where), name) for key, own in blocks.items()}
    first = first_within(where, value)
    shared = np.bincount(first, minlength=len(first))[first] > 1
    made = shrunk(
        {key: first[own] for key, own in cells.items()},
        len(where),
        lambda kind, at: _refuse_flat(where, kind, cells[kind], at, value, name),
    )
    twice = _without_doubles(made, shared)
    tables = {kind: own[0] for kind, own in made.blocks.items()}
    nodes = made.nodes + sum(map(len, made.middles))
    markers, gone = _markers(tables, boundaries, first, shared, nodes, twice > 0)
    note = _note(made, first, value, twice, gone)
    return _numbered(where, made, markers, first, tuple(cells), note)


def _tolerance(value: Any) -> float:
    array = np.asarray(value)
    real = array.ndim == 0 and array.dtype.kind in "iuf"
    if not real or not (array >= 0 and np.isfinite(array)):
        raise MeshError(
            f"merge: the tolerance is {value!r}, expected a length of 0 or more, within which "
            "nodes become one"
        )
    return float(array)


def _table(kind: str, value: ArrayLike, nodes: int, name: Callable[[str, int], str]) -> Ints:
    """(k, corners) cells whose nodes are there."""
    table = numbers(value, kind)
    corners = KINDS[kind].corners if kind in KINDS else 0
    if not table.size:
        return np.empty((0, corners), np.int64)
    if table.ndim != 2 or table.shape[1] != corners or table.dtype.kind not in "iu":
        raise MeshError(f"{kind} has shape {table.shape}, expected whole numbers (any, {corners})")
    outside = np.flatnonzero(((table < 0) | (table >= nodes)).any(axis=1))
    if len(outside):
        raise MeshError(
            f"{name(kind, int(outside[0]))} has nodes {every(table[outside[0]])}, expected 0 to "
            f"{nodes - 1}: {len(outside)} such element(s); correct the connectivity"
        )
    return table.astype(np.int64)


def _refuse_flat(
    points: Floats,
    kind: str,
    cells: Ints,
    at: NDArray[np.intp],
    tolerance: float,
    name: Callable[[str, int], str],
) -> None:
    """MeshError about a cell that has nothing left."""
    own = cells[at[0]]
    ends = points[own[np.array(KINDS[kind].edges)]]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    beyond = length[length > 0]
    shortest = f"{beyond.min():.3g}" if len(beyond) else "0"
    raise MeshError(
        f"merge: {name(kind, int(at[0]))}, a {KINDS[kind].one} of nodes {every(own)} at "
        f"{placed(points[own[0]])}, has no content left where nodes within {tolerance:g} are one: "
        f"{len(at)} such element(s) of {len(cells)}; expected a tolerance below the shortest edge "
        f"of a cell, which is {shortest} long here, or a mesh without this cell"
    )


def _without_doubles(made: Cells, shared: NDArray[np.bool_]) -> int:
    """Join the tables of each kind, and take once cells that merging has made the same."""
    gone = 0
    for kind, parts in made.blocks.items():
        cells, sources = np.concatenate(parts), np.concatenate(made.sources[kind])
        order = np.lexsort((sources[:, 1], sources[:, 0]))
        cells, sources = cells[order], sources[order]
        _, at, inverse = np.unique(
            np.sort(cells, axis=1), axis=0, return_index=True, return_inverse=True
        )
        again = at[inverse.ravel()] != np.arange(len(cells))
        old = cells < len(shared)
        again &= (shared[np.where(old, cells, 0)] & old).any(axis=1)
        gone += int(again.sum())
        made.blocks[kind], made.sources[kind] = [cells[~again]], [sources[~again]]
    return gone


def _markers(
    blocks: dict[str, Ints],
    boundaries: Mapping[str, ArrayLike],
    first: Ints,
    shared: NDArray[np.bool_],
    nodes: int,
    twice: bool,
) -> tuple[dict[str, Ints], dict[str, list[int]]]:
    """Markers of what is left of their sides, and how many of each left it.

    These lay inside the domain, or are sides of an earlier marker, of cells that were there twice.
    """
    if not isinstance(boundaries, Mapping):
        return boundaries, {}  # refused with words by the mesh
    given: dict[str, Ints] = {}
    for key, value in boundaries.items():
        own = _sides(key, value, len(first))
        if own is None:
            return dict(boundaries), {}  # type: ignore[arg-type]
        given[key] = own
    kept, gone, known = {}, {}, np.empty((0, 0), np.int64)
    for key, own in given.items():
        touched = np.any(shared[np.maximum(own, 0)] & (own >= 0), axis=1)
        sides, touched = _shrunk_sides(np.where(own < 0, -1, first[own]), touched)
        inside = touched.copy()
        inside[touched] = ~_open(blocks, sides[touched], nodes)
        rows = np.sort(sides, axis=1)
        _, at, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        again = touched & (at[inverse.ravel()] != np.arange(len(sides)))
        before = touched & ~inside & _among(rows, known) if twice else np.zeros(len(sides), bool)
        counts = [len(own) - len(sides), int(inside.sum()), int(before.sum())]
        if any(counts):
            gone[key] = counts
        if len(left := sides[~inside & ~again & ~before]) or not len(own):
            kept[key] = left
        known = rows if not len(known) else np.concatenate([known, rows])
    return kept, gone


def _among(rows: Ints, known: Ints) -> NDArray[np.bool_]:
    """(rows,) True of those that are among others."""
    if not len(known):
        return np.zeros(len(rows), bool)
    _, number = np.unique(np.concatenate([known, rows]), axis=0, return_inverse=True)
    number = number.ravel()
    return np.isin(number[len(known) :], number[: len(known)])


def _sides(key: str, value: ArrayLike, nodes: int) -> Ints | None:
    """(k, 2 or 4) edges or faces, -1 as fourth entry of triangles; None for what is no table."""
    own = four_wide(numbers(value, f"marker '{key}'"))
    if own.ndim != 2 or own.shape[1] not in (2, 4) or own.dtype.kind not in "iu":
        return None
    return own.astype(np.int64) if ((own >= -1) & (own < nodes)).all() else None


def _shrunk_sides(sides: Ints, touched: NDArray[np.bool_]) -> tuple[Ints, NDArray[np.bool_]]:
    """Edges and faces that have not become a point or a line; of three corners left triangles."""
    return SHRUNK[sides.shape[1]](sides, touched)


def _shrunk_edges(edges: Ints, touched: NDArray[np.bool_]) -> tuple[Ints, NDArray[np.bool_]]:
    left = edges[:, 0] != edges[:, 1]
    return edges[left], touched[left]


def _shrunk_faces(sides: Ints, touched: NDArray[np.bool_]) -> tuple[Ints, NDArray[np.bool_]]:
    made = sides.copy()
    count = np.zeros(len(sides), np.int64)
    last = np.where(sides[:, 3] < 0, sides[:, 2], sides[:, 3])
    for k in range(4):  # without corners that follow one that they are one with
        own = sides[:, k]
        new = (own >= 0) & (own != (last if k == 0 else sides[:, k - 1]))
        made[new, count[new]] = own[new]
        count += new
    made[np.arange(4) >= count[:, None]] = -1
    folded = (made[:, 0] == made[:, 2]) | ((made[:, 1] == made[:, 3]) & (count == 4))
    left = (count > 2) & ~folded
    return made[left], touched[left]


SHRUNK = {2: _shrunk_edges, 4: _shrunk_faces}


def _open(blocks: dict[str, Ints], sides: Ints, nodes: int) -> NDArray[np.bool_]:
    """(sides,) True where a side has not two cells or more, whichever way these turn."""
    wanted = np.zeros(nodes, bool)
    wanted[sides[sides >= 0]] = True
    width, rows = sides.shape[1], [np.sort(sides, axis=1)]
    for kind, cells in blocks.items():
        for face in KINDS[kind].faces:
            own = cells[:, list(face)]
            own = own[wanted[own].all(axis=1)]
            wide = np.pad(own, ((0, 0), (0, width - len(face))), constant_values=-1)
            rows.append(np.sort(wide, axis=1))
    _, number = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    number = number.ravel()
    cells_of = np.bincount(number[len(sides) :], minlength=number.max(initial=0) + 1)
    return np.asarray(cells_of[number[: len(sides)]] < 2)


def _note(
    made: Cells, first: Ints, tolerance: float, twice: int, gone: dict[str, list[int]]
) -> str:
    """Sentence on what has become of the mesh."""
    count = int((first != np.arange(len(first))).sum())
    said = [f"merged {count} node(s) with others at most {tolerance:g} from them"]
    for (kind, kinds), number in made.counts.items():
        said.append(f"{number} {kind} with collapsed edges became {' and '.join(kinds)}")
    if twice:
        said.append(f"{twice} cell(s) that were there twice are taken once")
    for key, counts in gone.items():
        whys = "collapsed", "lay inside the domain", "are in an earlier marker"
        each = [f"{n} {why}" for n, why in zip(counts, whys, strict=True) if n]
        said.append(f"of marker '{key}' {', '.join(each)} and left it")
    return "; ".join(said)


def _numbered(
    points: Floats,
    made: Cells,
    markers: dict[str, Ints],
    first: Ints,
    kinds: tuple[str, ...],
    note: str,
) -> Merged:
    """Tables with the nodes that are left numbered anew, new ones behind them."""
    corners = np.concatenate(made.middles) if made.middles else np.empty((0, 8), np.int64)
    there = corners >= 0
    at = np.where(there[..., None], points[np.maximum(corners, 0)], 0.0)
    middles = at.sum(axis=1) / np.maximum(there.sum(axis=1), 1)[:, None]
    stays = np.concatenate([first == np.arange(len(first)), np.ones(len(corners), bool)])
    new = np.append(np.where(stays, np.cumsum(stays) - 1, -1), -1)  # -1 stays
    blocks = {kind: new[own[0]] for kind, own in made.blocks.items()}
    sides: Any = markers
    if all(isinstance(own, np.ndarray) and own.dtype == np.int64 for own in markers.values()):
        sides = {key: new[own] for key, own in markers.items()}
    return Merged(
        np.concatenate([points, middles])[stays],
        blocks,
        sides,
        np.flatnonzero(stays),
        {kind: own[0] for kind, own in made.sources.items()},
        kinds,
        note,
    )
