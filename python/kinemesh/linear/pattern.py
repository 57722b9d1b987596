"""The pattern of a block matrix on a node graph, its rows in colour order or as nodes are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.csr import offsets_of
from kinemesh.device.backend import Backend
from kinemesh.linear.colours import check_colours, colour_parallel

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
    starts = [a + size * np.arange(n) for a, n in zip(first[:-1], pieces, strict=True)]
    return np.concatenate([*starts, [first[-1]]]).astype(np.int32), groups


def totals(backend: Backend, offsets: Ints, groups: Ints) -> dict[str, Any]:
    """What kernels that sum over members are told of their chunks (TOTALS, csrc/core/kernel.h)."""
    members = len(groups) - 1
    tables = {
        "offsets": offsets,
        "owner": np.repeat(np.arange(members), np.diff(groups)),
        "groups": groups,
        "ended": np.zeros(members),
    }
    return {name: backend.array(table, np.int32) for name, table in tables.items()}


@dataclass(frozen=True, slots=True)
class Pattern:
    """Block CSR with rows sorted by colour (where it has colours), then member, then node.

    Parameters
    ----------
    node : (rows,)           node of a row;  row_of : (nodes,) its inverse
    row : (rows+1,), column : (blocks,), diagonal : (rows,)
    mirror : (blocks,)       block (j, i) of block (i, j)
    member : (rows,)
    colours : list of (first, count)
    item : (rows,)           rows by member;  item_chunks, item_groups: cut for sums
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

    @classmethod
    def of_graph(
        cls,
        backend: Backend,
        offsets: Ints,
        neighbour: Ints,
        first: Ints,
        natural: bool = False,
        colours: ArrayLike | None = None,
    ) -> Pattern:
        """Pattern of a node graph (CSR without diagonal) of an ensemble's members.

        With `natural` its rows stand in the order of the nodes, all in one range: no colour.
        Colours (nodes,) that are given are checked; else they are `colour_parallel`'s.
        """
        nodes = len(offsets) - 1
        if natural:
            colour = np.zeros(nodes, np.int32)
        elif colours is None:
            colour = colour_parallel(backend, offsets, neighbour, first)
        else:
            colour = check_colours(colours, offsets, neighbour)
        member_of = np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))
        node = np.argsort(colour, kind="stable").astype(np.int32)
        row_of = np.empty(nodes, np.int32)
        row_of[node] = np.arange(nodes, dtype=np.int32)

        ends = np.repeat(np.arange(nodes), np.diff(offsets))
        i = np.concatenate([row_of[ends], np.arange(nodes)]).astype(np.int64)
        j = np.concatenate([row_of[neighbour], np.arange(nodes)]).astype(np.int64)
        keys = np.sort(i * nodes + j)
        i, j = np.divmod(keys, nodes)
        mirror = np.searchsorted(keys, j * nodes + i)
        counts = np.bincount(colour)
        starts = np.cumsum(counts) - counts
        member = member_of[node]
        item = np.argsort(member, kind="stable").astype(np.int32)
        item_chunks, item_groups = chunks(offsets_of(member, len(first) - 1))
        return cls(
            node=node,
            row_of=row_of,
            row=offsets_of(i, nodes),
            column=j.astype(np.int32),
            diagonal=np.flatnonzero(i == j).astype(np.int32),
            mirror=mirror.astype(np.int32),
            member=member,
            colours=[(int(s), int(c)) for s, c in zip(starts, counts, strict=True)],
            item=item,
            item_chunks=item_chunks,
            item_groups=item_groups,
        )

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
        """(nodes,) colour of each node."""
        found = np.empty_like(self.node)
        for number, (first, count) in enumerate(self.colours):
            found[self.node[first : first + count]] = number
        return found

    def block(self, i: Ints, j: Ints) -> Ints:
        """Numbers of the blocks (i, j), given as nodes."""
        nodes = len(self.node)
        rows = np.repeat(np.arange(nodes, dtype=np.int64), np.diff(self.row))
        keys = rows * nodes + self.column
        want = self.row_of[i].astype(np.int64) * nodes + self.row_of[j]
        return np.searchsorted(keys, want).astype(np.int32)
