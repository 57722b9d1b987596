"""The pattern of a block matrix on a node graph, its rows in colour order or as nodes are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from kinemesh.csr import ordered
from kinemesh.device.backend import Backend
from kinemesh.linear.colours import check_colours, colour_parallel
from kinemesh.linear.stack import Alike, Items

Ints = NDArray[np.int32]
CHUNK = 1024


def chunks(first: Ints, size: int = CHUNK) -> tuple[Ints, Ints]:
    """Cut runs of items into chunks that begin anew with each run.

    Returns
    -------
    offsets (chunks+1,) into the items; groups (runs+1,) into the chunks
    """
    counts = np.diff(first)
    pieces = np.maximum(1, -(-counts // size))
    groups = np.concatenate([[0], np.cumsum(pieces)]).astype(np.int32)
    within = np.arange(groups[-1]) - np.repeat(groups[:-1], pieces)
    starts = np.repeat(first[:-1], pieces) + size * within
    return np.append(starts, first[-1]).astype(np.int32), groups


def totals(backend: Backend, offsets: Ints, groups: Ints) -> dict[str, Any]:
    """Chunk tables for kernels that sum over members (TOTALS, csrc/core/kernel.h)."""
    members = len(groups) - 1
    tables = {
        "offsets": offsets,
        "owner": np.repeat(np.arange(members), np.diff(groups)),
        "groups": groups,
        "ended": np.zeros(members),
    }
    return {name: backend.array(table, np.int32) for name, table in tables.items()}


def _sorted_rows(offsets: Ints, neighbour: Ints, node: Ints, row_of: Ints) -> tuple[Ints, Ints]:
    """Offsets and columns of the rows of a graph and the diagonal, `node` of each row."""
    nodes = len(node)
    no_data = np.zeros(len(neighbour), np.int8)
    rows = sp.csr_array((no_data, neighbour, offsets), shape=(nodes, nodes))[node]
    row = rows.indptr + np.arange(nodes + 1, dtype=np.int32)
    others = np.ones(len(neighbour) + nodes, bool)
    others[row[:-1]] = False
    column = np.empty(len(others), np.int32)
    column[others], column[row[:-1]] = row_of[rows.indices], row_of[node]
    found = sp.csr_array((np.zeros(len(column), np.int8), column, row), shape=(nodes, nodes))
    found.sort_indices()
    return found.indptr, found.indices


@dataclass(frozen=True, slots=True)
class Pattern:
    """Block CSR with rows sorted by colour (if coloured), then member, then node.

    Parameters
    ----------
    node : (rows,)           node of a row;  row_of : (nodes,) its inverse
    row : (rows+1,), column : (blocks,), diagonal : (rows,)
    mirror : (blocks,)       block (j, i) of block (i, j); (0,) where nothing asks for it
    member : (rows,)
    colours : list of (first, count)
    item : (rows,)           rows by member;  item_chunks, item_groups: cut for sums
    alone : of an ensemble, the patterns of its distinct meshes
    """

    node: Ints
    row_of: Ints
    row: Ints
    column: Ints
    diagonal: Ints
    mirror: Ints
    member: Ints
    colours: list[tuple[int, int]]
    item: Ints
    item_chunks: Ints
    item_groups: Ints
    alone: Sequence[Pattern] = ()

    @classmethod
    def of_graph(
        cls,
        backend: Backend,
        offsets: Ints,
        neighbour: Ints,
        natural: bool = False,
        colours: ArrayLike | None = None,
    ) -> Pattern:
        """Pattern of the node graph of one mesh (CSR without diagonal).

        With `natural` its rows stand in the order of the nodes, all in one range: no colour.
        Colours (nodes,) that are given are checked; else they are `colour_parallel`'s.
        """
        nodes = len(offsets) - 1
        if natural:
            colour = np.zeros(nodes, np.int32)
        elif colours is None:
            colour = colour_parallel(backend, offsets, neighbour)
        else:
            colour = check_colours(colours, offsets, neighbour)
        node, _ = ordered(colour, int(colour.max(initial=0)) + 1)
        row_of = np.empty(nodes, np.int32)
        row_of[node] = np.arange(nodes, dtype=np.int32)

        row, j = _sorted_rows(offsets, neighbour, node, row_of)
        i = np.repeat(np.arange(nodes, dtype=np.int32), np.diff(row))
        mirror, _ = ordered(j, nodes)  # blocks by column and row: those opposite to each in turn
        counts = np.bincount(colour)
        starts = np.cumsum(counts) - counts
        item_chunks, item_groups = chunks(np.array([0, nodes]))
        return cls(
            node=node,
            row_of=row_of,
            row=row,
            column=j,
            diagonal=np.flatnonzero(i == j).astype(np.int32),
            mirror=mirror,
            member=np.zeros(nodes, np.int32),
            colours=[(int(s), int(c)) for s, c in zip(starts, counts, strict=True)],
            item=np.arange(nodes, dtype=np.int32),
            item_chunks=item_chunks,
            item_groups=item_groups,
        )

    @classmethod
    def of_matrix(cls, matrix: sp.csr_matrix) -> Pattern:
        """Pattern of a matrix of one mesh whose rows stand in the order of the nodes.

        It has the whole diagonal and sorted columns; the pattern has no `mirror`.
        """
        nodes = matrix.shape[0]
        every, column = np.arange(nodes, dtype=np.int32), matrix.indices.astype(np.int32)
        rows = np.repeat(every, np.diff(matrix.indptr))
        item_chunks, item_groups = chunks(np.array([0, nodes]))
        return cls(
            node=every,
            row_of=every,
            row=matrix.indptr.astype(np.int32),
            column=column,
            diagonal=np.flatnonzero(rows == column).astype(np.int32),
            mirror=np.empty(0, np.int32),
            member=np.zeros(nodes, np.int32),
            colours=[(0, nodes)],
            item=every,
            item_chunks=item_chunks,
            item_groups=item_groups,
        )

    @classmethod
    def of_graphs(
        cls, backend: Backend, alike: Alike, graphs: Sequence[tuple[Ints, Ints]]
    ) -> Pattern:
        """Pattern of an ensemble from the node graphs of its distinct meshes, in any colours."""
        return cls.of_members(alike, [cls.of_graph(backend, *graph) for graph in graphs])

    @classmethod
    def of_members(cls, alike: Alike, alone: Sequence[Pattern]) -> Pattern:
        """Pattern of an ensemble from those of its distinct meshes."""
        if alike.members == 1:
            return alone[0]
        nodes = Items(alike, [len(p.node) for p in alone])
        rows = Items(alike, [p.rows for p in alone])
        blocks = Items(alike, [p.blocks for p in alone])
        whole = all(len(p.mirror) for p in alone)
        mirrors = blocks if whole else Items(alike, [0] * len(alone))
        counts = rows.sizes[alike.of].sum(axis=0)
        starts = np.cumsum(counts) - counts
        item_chunks, item_groups = chunks(nodes.first)
        return cls(
            node=rows.stack([p.node for p in alone], nodes),
            row_of=nodes.stack([p.row_of for p in alone], rows),
            row=rows.offsets([p.row for p in alone]),
            column=blocks.stack([p.column for p in alone], rows),
            diagonal=rows.stack([p.diagonal for p in alone], blocks),
            mirror=mirrors.stack([p.mirror for p in alone], blocks),
            member=rows.members(),
            colours=[(int(s), int(c)) for s, c in zip(starts, counts, strict=True)],
            item=nodes.stack([p.item for p in alone], rows),
            item_chunks=item_chunks,
            item_groups=item_groups,
            alone=alone,
        )

    @property
    def starts(self) -> NDArray[np.int64]:
        """(colours+1,) first row of each colour, and the number of rows."""
        return np.array([first for first, _ in self.colours] + [len(self.node)])

    @property
    def rows(self) -> NDArray[np.int64]:
        """(colours,) number of rows of each colour."""
        return np.diff(self.starts)

    @property
    def blocks(self) -> NDArray[np.int64]:
        """(colours,) number of blocks in the rows of each colour."""
        return np.diff(self.row[self.starts])

    def sweeps(self, pairs: int) -> list[tuple[int, tuple[int, int]]]:
        """Pairs of sweeps up and down through the colours: number of the sweep, and rows.

        The colour that a sweep ends with is where the next one begins: once is enough.
        """
        return [
            (turn, over)
            for turn in range(2 * pairs)
            for over in (self.colours[::-1] if turn % 2 else self.colours)[min(turn, 1) :]
        ]

    def colour(self) -> Ints:
        """Colour of each node (nodes,), for rows of an ensemble grouped by colour.

        A member with fewer colours than another has all but the last of its solo run.
        """
        found = np.empty_like(self.node)
        for number, (first, count) in enumerate(self.colours):
            found[self.node[first : first + count]] = number
        return found

    def block(self, i: Ints, j: Ints) -> Ints:
        """Numbers of the blocks (i, j) of node pairs, by bisection of the rows."""
        row, column = self.row_of[i], self.row_of[j]
        low, high = self.row[row], self.row[row + 1] - 1
        for _ in range(int(np.diff(self.row).max(initial=0)).bit_length()):
            middle = (low + high) // 2
            beyond = self.column[middle] < column
            low, high = np.where(beyond, middle + 1, low), np.where(beyond, high, middle)
        return low

    def blocks_of(self, pairs: Sequence[tuple[Ints, Ints]], items: Items) -> Ints:
        """(total,) numbers of the blocks of pairs of nodes, which are `items` of each mesh.

        Parameters
        ----------
        pairs : of each distinct mesh, both nodes of each pair in its own numbers
        """
        alone = self.alone or [self]
        tables = [p.block(*own) for p, own in zip(alone, pairs, strict=True)]
        return items.stack(tables, Items(items.alike, [p.blocks for p in alone]))
