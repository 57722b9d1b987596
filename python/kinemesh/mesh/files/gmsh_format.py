"""The sections of a gmsh file (.msh 2.2 and 4.1, ASCII and binary): nodes, elements, groups.

Format: https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats .
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.files.gmsh_numbers import SHORT, Broken, Numbers, at, head, names
from kinemesh.mesh.files.text_files import read_bytes
from kinemesh.mesh.kinds import KINDS

Ints = NDArray[np.int64]
LINE, TRIANGLE, QUAD = 1, 2, 3  # numbers of types
SOLIDS = {4: "tetrahedra", 7: "pyramids", 6: "prisms", 5: "hexahedra"}
HOLDERS = {2: "surface", 3: "volume"}  # entities of the geometry that have the cells
CELLS = {2: {TRIANGLE: "triangles", QUAD: "quads"}, 3: SOLIDS}
SIDES = {2: (LINE,), 3: (TRIANGLE, QUAD)}  # of the boundary, by the dimensions of the mesh
NAMES = {1: "line", 2: "triangle", 3: "quad"} | {k: KINDS[name].one for k, name in SOLIDS.items()}
CORNERS = {1: 2, 2: 3, 3: 4, 15: 1} | {k: KINDS[name].corners for k, name in SOLIDS.items()}
HIGHER = {
    8: "line3", 9: "triangle6", 10: "quad9", 16: "quad8", 20: "triangle9", 21: "triangle10",
    22: "triangle12", 23: "triangle15", 24: "triangle15", 25: "triangle21", 26: "line4",
    27: "line5", 28: "line6", 36: "quad16", 37: "quad25", 38: "quad36",
    11: "tetra10", 12: "hexahedron27", 13: "wedge18", 14: "pyramid14", 17: "hexahedron20",
    18: "wedge15", 19: "pyramid13", 29: "tetra20",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """Elements of one type and of the same groups.

    Parameters
    ----------
    kind : number of gmsh's element type
    nodes : (k, corners)     indices of the file's nodes
    groups : tags of the physical groups that they are in, without the sign of their direction
    entity : number of the curve or surface; 0 where the file does not tell
    """

    kind: int
    nodes: Ints
    groups: tuple[int, ...]
    entity: int = 0


@dataclass(slots=True)
class Found:
    """Contents of a Gmsh file.

    Attributes
    ----------
    points : (n, 3)
    blocks : of elements
    names : {(dimension, tag): name} of physical groups
    missing : partitions that the file does not have, of how many
    notes : on cells that are in several groups
    """

    points: NDArray[np.float64]
    blocks: list[Block]
    names: dict[tuple[int, int], str]
    missing: tuple[int, int] = (0, 0)
    notes: tuple[str, ...] = ()

    @property
    def dimensions(self) -> int:
        """3 where any element is a cell in space."""
        return _dimensions({block.kind for block in self.blocks})


def load(path: Path) -> Found:
    """Nodes, elements and groups of a file; MeshError for an unreadable one."""
    raw = read_bytes(path)
    four, binary, order = head(path, raw)
    nodes = Numbers(path, raw, "Nodes", binary, order, four)
    cells = Numbers(path, raw, "Elements", binary, order, four)
    try:
        entities = _Entities()
        if four:
            for name in ("Entities", "PartitionedEntities"):
                if at(raw, name) >= 0:
                    entities.read(Numbers(path, raw, name, binary, order, four))
        points, tags = (_nodes_4 if four else _nodes_2)(nodes)
        lists = _elements_4(cells, entities) if four else _elements_2(cells)
        nodes.end()
        cells.end()
    except (Broken, ValueError, OverflowError) as error:
        raise MeshError(
            f"{path}: cannot be read as a gmsh mesh ({error}); is it complete? expected version "
            "4.1 or 2.2"
        ) from error
    except _Kind as error:
        raise error.refused(path) from None
    rank = np.argsort(tags, kind="stable")
    twice = np.flatnonzero(np.diff(tags[rank]) == 0)
    if len(twice):
        raise MeshError(f"{path}: two nodes {tags[rank][twice[0]]}, expected each number once")
    blocks = [Block(b.kind, _placed(path, b, tags[rank], rank), b.groups, b.entity) for b in lists]
    missing, called = entities.missing(blocks), names(raw)
    blocks, note = _once(blocks, called)
    return Found(points, blocks, called, missing, (note,) if note else ())


def _once(blocks: list[Block], called: dict[tuple[int, int], str]) -> tuple[list[Block], str]:
    """Blocks without cells that are there again in another group, and a note on these.

    Format 2 writes what is in several physical groups once for each of them.
    """
    dim = _dimensions({block.kind for block in blocks})
    count, doubled, made = 0, set(), []
    wanted = CELLS[dim]
    for kind in wanted:
        own = [block for block in blocks if block.kind == kind]
        groups = np.repeat([min(b.groups, default=0) for b in own], [len(b.nodes) for b in own])
        if len(set(groups.tolist())) < 2:
            made += own
            continue
        nodes = np.concatenate([block.nodes for block in own])
        again = repeated(nodes, groups)
        count += int(again.sum())
        same = np.isin(np.sort(nodes, axis=1), np.sort(nodes[again], axis=1)).all(axis=1)
        doubled |= set(groups[same].tolist()) if again.any() else set()
        made.append(Block(kind, nodes[~again], ()))
    others = [block for block in blocks if block.kind not in wanted]
    if not count:
        return blocks, ""
    words = ", ".join(repr(called.get((dim, tag), str(tag))) for tag in sorted(doubled))
    note = f"{count} cell(s) of a {HOLDERS[dim]} in several physical groups ({words}), taken once"
    return [*others, *made], note


def repeated(rows: Ints, groups: Ints) -> NDArray[np.bool_]:
    """(k,) True of rows that an earlier one of another group has, whatever the order of nodes."""
    each = np.sort(rows, axis=1)
    order = np.lexsort((np.arange(len(each)), *each.T))
    new = np.concatenate([[True], (each[order[1:]] != each[order[:-1]]).any(axis=1)])
    first = np.empty(len(each), np.intp)
    first[order] = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    found: NDArray[np.bool_] = (first != np.arange(len(each))) & (groups[first] != groups)
    return found


def _placed(path: Path, block: Block, tags: Ints, rank: Ints) -> Ints:
    """Places of a block's nodes in the list of the file's."""
    at = np.minimum(np.searchsorted(tags, block.nodes), max(len(tags) - 1, 0))
    absent = (tags[at] != block.nodes) if len(tags) else np.ones(at.shape, bool)
    if absent.any():
        name = NAMES.get(block.kind, "point")
        raise MeshError(
            f"{path}: a {name} names node {block.nodes[absent][0]}, which the file does not have; "
            f"it has {len(tags)} nodes"
        )
    return rank[at]


# ---------------------------------------------------------------- groups of version 4.1


@dataclass(slots=True)
class _Entities:
    """Physical groups of curves, surfaces and volumes, and the partitions of these."""

    groups: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    partitions: dict[tuple[int, int], Ints] = field(default_factory=dict)
    count: int = 0

    def read(self, numbers: Numbers) -> None:
        """Read the entities of $Entities or $PartitionedEntities."""
        parted = numbers.name == "PartitionedEntities"
        if parted:
            self.count = int(numbers.sizes(1)[0])
            numbers.whole(2 * int(numbers.sizes(1)[0]))  # entities of ghosts
        for dim, many in enumerate(numbers.sizes(4).tolist()):
            for _ in range(many):
                self._entity(numbers, dim, parted)
        numbers.end()

    def _entity(self, numbers: Numbers, dim: int, parted: bool) -> None:
        tag = int(numbers.whole(1)[0])
        parent = (dim, tag)
        if parted:
            parent = tuple(numbers.whole(2).tolist())  # type: ignore[assignment]
            own = numbers.whole(int(numbers.sizes(1)[0]))
            self.partitions[dim, tag] = own
        numbers.real(3 if dim == 0 else 6)
        groups = tuple(np.unique(np.abs(numbers.whole(int(numbers.sizes(1)[0])))).tolist())
        if dim > 0:
            numbers.whole(int(numbers.sizes(1)[0]))
        if parted and parent[0] != dim:
            groups = ()  # between partitions
        elif not groups:
            groups = self.groups.get(parent, ())
        self.groups[dim, tag] = groups

    def missing(self, blocks: list[Block]) -> tuple[int, int]:
        """(number of partitions without cells in the file, number of partitions)."""
        dim = _dimensions({b.kind for b in blocks})
        cells = {b.entity for b in blocks if b.kind in CELLS[dim]}
        there = {int(p) for tag in cells for p in self.partitions.get((dim, tag), ())}
        return max(self.count - len(there), 0), self.count


# ---------------------------------------------------------------- nodes and elements


class _Kind(Exception):
    """A type of elements that a mesh of first order does not have."""

    def __init__(self, kind: int) -> None:
        self.kind = kind

    def refused(self, path: Path) -> MeshError:
        """The error that the user sees."""
        if self.kind in HIGHER:
            return MeshError(
                f"{path}: has elements of type {HIGHER[self.kind]}, expected first order (line, "
                "triangle, quad, in space tetrahedron, ...); save with Mesh.ElementOrder = 1"
            )
        return MeshError(
            f"{path}: has elements of gmsh's type {self.kind}, expected triangles and quads, in "
            f"space {', '.join(SOLIDS.values())}"
        )


def _dimensions(kinds: set[int]) -> int:
    return 3 if kinds & set(SOLIDS) else 2


def _corners(kind: int) -> int:
    if kind not in CORNERS:
        raise _Kind(kind)
    return CORNERS[kind]


def _nodes_4(numbers: Numbers) -> tuple[NDArray[np.float64], Ints]:
    """(n, 3) points and (n,) their tags."""
    blocks, total, _, _ = numbers.sizes(4).tolist()
    tags, points = [np.empty(0, np.int64)], [np.empty((0, 3))]
    for _ in range(blocks):
        dim, _, parametric = numbers.whole(3).tolist()
        count = int(numbers.sizes(1)[0])
        tags.append(numbers.sizes(count))
        width = 3 + (dim if parametric else 0)
        points.append(numbers.real(count * width).reshape(count, width)[:, :3])
    return _whole(numbers, total, np.concatenate(points), np.concatenate(tags))


def _nodes_2(numbers: Numbers) -> tuple[NDArray[np.float64], Ints]:
    if not numbers.binary:
        numbers.whole(1)
        table = numbers.real(4 * numbers.count).reshape(-1, 4)
        return _whole(numbers, numbers.count, table[:, 1:], numbers.exact(table[:, 0]))
    row: Any = np.dtype([("tag", f"{numbers.order}i4"), ("x", f"{numbers.order}f8", 3)])
    rows: Any = np.frombuffer(numbers.bytes(numbers.count * row.itemsize), row)
    return rows["x"].astype(np.float64), rows["tag"].astype(np.int64)


def _whole(
    numbers: Numbers, total: int, points: NDArray, tags: Ints
) -> tuple[NDArray[np.float64], Ints]:
    if len(tags) != total:
        raise Broken(f"${numbers.name} has {len(tags)} nodes, and announces {total}")
    return np.ascontiguousarray(points), tags


def _elements_4(numbers: Numbers, entities: _Entities) -> list[Block]:
    """Blocks of elements, their nodes by tag."""
    blocks, total, _, _ = numbers.sizes(4).tolist()
    found = []
    for _ in range(blocks):
        dim, tag, kind = numbers.whole(3).tolist()
        count = int(numbers.sizes(1)[0])
        width = 1 + _corners(kind)
        nodes = numbers.sizes(count * width).reshape(count, width)[:, 1:]
        found.append(Block(kind, nodes, entities.groups.get((dim, tag), ()), tag))
    if (there := sum(len(block.nodes) for block in found)) != total:
        raise Broken(f"$Elements has {there} elements, and announces {total}")
    return found


def _elements_2(numbers: Numbers) -> list[Block]:
    """Blocks of elements from format 2, their nodes by tag, by group."""
    rows = (_rows_binary if numbers.binary else _rows_text)(numbers)
    found = []
    for kind, parts in sorted(rows.items()):
        nodes = np.concatenate([own for own, _ in parts])
        groups = np.concatenate([own for _, own in parts])
        found += [
            Block(kind, nodes[groups == group], (group,) if group else ())
            for group in np.unique(groups).tolist()
        ]
    return found


Rows = dict[int, list[tuple[Ints, Ints]]]  # by type nodes and groups of elements


def _rows_binary(numbers: Numbers) -> Rows:
    """Elements of a binary file; several elements follow one head."""
    rows: Rows = {}
    left = numbers.count
    while left > 0:
        kind, many, tags = numbers.whole(3).tolist()
        if many < 1 or tags < 0:
            raise Broken(f"$Elements has {many} elements of {tags} tags in a row")
        width = 1 + tags + _corners(kind)
        table = numbers.whole(many * width).reshape(many, width)
        groups = np.abs(table[:, 1]) if tags else np.zeros(many, np.int64)
        rows.setdefault(kind, []).append((table[:, 1 + tags :], groups))
        left -= many
    return rows


def _rows_text(numbers: Numbers) -> Rows:
    """Elements of a text, which says type and number of tags of each."""
    rows: Rows = {}
    flat = numbers.whole(len(numbers.flat))[1:]
    at, left = 0, numbers.count
    while left > 0:
        kind, tags = np.append(flat[at + 1 : at + 3], [0, -1])[:2].tolist()
        width = 3 + tags + _corners(kind) if tags >= 0 else len(flat) + 1
        room = min(left, (len(flat) - at) // width)
        if room < 1:
            raise Broken(f"$Elements: {SHORT}")
        table = _alike(flat[at : at + room * width].reshape(room, width))
        groups = np.abs(table[:, 3]) if tags else np.zeros(len(table), np.int64)
        rows.setdefault(kind, []).append((table[:, 3 + tags :], groups))
        at, left = at + table.size, left - len(table)
    numbers.at = at + 1
    return rows


def _alike(table: Ints) -> Ints:
    """Rows of the table up to the first of another type or number of tags."""
    same = 64
    while True:  # in steps that grow, as a mixture may change its type with every row
        other = (table[:same, 1:3] != table[0, 1:3]).any(axis=1)
        if other.any():
            return table[: int(np.argmax(other))]
        if same >= len(table):
            return table
        same *= 4
