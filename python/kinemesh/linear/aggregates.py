"""A coarse level under a block matrix, its unknowns those of two nodes each (theory, section 5.5).

Pairs along the lines of thin cells; elsewhere pairs of nodes by the shortest edge.  The matrix of
the level is the sum of the blocks of its nodes (Galerkin, piecewise constant).  With four nodes, or
eight, steps of Newton on 57 thousand nodes take 2, or 4 times the products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.linear.pattern import Pattern
from kinemesh.linear.stack import Alike, Items

Ints = NDArray[np.int32]

ROUNDS = 8  # of a pairing: few nodes are left alone


def pairs_along(starts: Ints, place: Ints, nodes: int) -> Ints:
    """(nodes,) number of the pair that a node of a line is in, else -1.

    A line of an odd number ends with three.

    Parameters
    ----------
    starts, place : (lines+1,) first place of each line, (places,) its node
    """
    counts = np.diff(starts)
    pairs = np.maximum(1, counts // 2)
    own = np.repeat(np.arange(len(counts)), counts)
    within = (np.arange(len(place)) - starts[own]) // 2
    found = np.full(nodes, -1, np.int32)
    found[place] = (np.cumsum(pairs) - pairs)[own] + np.minimum(within, pairs[own] - 1)
    return found


def paired(graph: sp.csr_array) -> Ints:
    """(nodes,) number of each node's pair, by the largest weight that both have left.

    A node whose neighbours are all in pairs goes with the one of the largest weight.
    """
    nodes = graph.shape[0]
    counts, column = np.diff(graph.indptr), graph.indices
    row, filled = np.repeat(np.arange(nodes), counts), np.flatnonzero(counts)
    pair, free = np.arange(nodes), np.ones(nodes, bool)
    # weights that are alike along a line of nodes would let one pair form a round
    order = (np.minimum(row, column) * 2654435761 + np.maximum(row, column) * 40503) % 1009
    weight = graph.data * (1 + 1e-3 * order / 1009)

    def largest(among: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Column of the largest weight of each row among these entries, -1 of none."""
        own, most = np.where(among, weight, -1.0), np.full(nodes, -1.0)
        most[filled] = np.maximum.reduceat(own, graph.indptr[filled]) if len(filled) else -1.0
        at = np.flatnonzero(among & (own == most[row]))
        best = np.full(nodes, -1)
        best[row[at]] = column[at]
        return best

    for _ in range(ROUNDS):
        best = largest(free[row] & free[column])
        asks = np.flatnonzero(best >= 0)
        mutual = asks[best[best[asks]] == asks]
        pair[mutual] = np.minimum(mutual, best[mutual])
        free[mutual] = False
    best = largest(free[row] & ~free[column])
    lone = np.flatnonzero(best >= 0)
    pair[lone] = pair[best[lone]]
    return np.unique(pair, return_inverse=True)[1].astype(np.int32)


def aggregates_of(
    graph: tuple[Ints, Ints], x: NDArray[np.float64], starts: Ints, place: Ints
) -> Ints:
    """(nodes,) number of each node's aggregate.

    Parameters
    ----------
    starts, place : as of `pairs_along`
    """
    offsets, neighbour = graph
    nodes = len(offsets) - 1
    found = pairs_along(starts, place, nodes)
    counts = np.bincount(found[found >= 0], minlength=1)
    single = (found < 0) | (counts[found] == 1)
    ends = np.repeat(np.arange(nodes), np.diff(offsets))
    both, own = single[ends] & single[neighbour], np.cumsum(single) - 1
    squared = ((x[ends] - x[neighbour])[both] ** 2).sum(axis=1)
    near = sp.csr_array(
        (1 / np.maximum(squared, 1e-300), (own[ends[both]], own[neighbour[both]])),
        shape=(single.sum(), single.sum()),
    )
    found[single] = nodes + paired(near)  # behind those of lines
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


@dataclass(frozen=True)
class Level:
    """A coarse level: its pattern, and tables of the way to it (csrc/kernels/linear/aggregates.h).

    Attributes
    ----------
    blocks, sides, spread : tables of the three kernels
    node : (rows,) a node of each row, which faults name
    graphs, points : of each distinct mesh, CSR and the means of the nodes' coordinates
    """

    pattern: Pattern
    blocks: dict[str, Any]
    sides: dict[str, Any]
    spread: dict[str, Any]
    node: Ints
    graphs: Sequence[tuple[Ints, Ints]]
    points: Sequence[NDArray[np.float64]]


def level_of(
    backend: Any,
    pattern: Pattern,
    alike: Alike,
    graphs: Sequence[tuple[Ints, Ints]],
    points: Sequence[NDArray[np.float64]],
    lines: Sequence[dict[str, Ints]],
    named: Ints,
) -> Level:
    """The coarse level under the pattern of an ensemble.

    Parameters
    ----------
    graphs, points, lines : of each distinct mesh: CSR, (nodes, dimensions), tables of its lines
    named : (nodes,) what faults call the nodes of the pattern
    """
    patterns = pattern.alone or [pattern]
    made = [
        _alone(backend, p, graph, x, own)
        for p, graph, x, own in zip(patterns, graphs, points, lines, strict=True)
    ]
    coarse = Pattern.of_members(alike, [own["pattern"] for own in made])
    nodes, rows, wholes = (
        Items(alike, count)
        for count in (
            [len(p.node) for p in patterns],
            [p.rows for p in patterns],
            [own["pattern"].rows for own in made],
        )
    )
    blocks = Items(alike, [p.blocks for p in patterns])
    sums = Items(alike, [own["pattern"].blocks for own in made])
    starts = [own["pattern"].starts for own in made]
    terms = Items(alike, [
        np.diff(own["blocks_from"][own["pattern"].row[s]])
        for own, s in zip(made, starts, strict=True)
    ])  # fmt: skip
    parts = Items(
        alike, [np.diff(own["sides_from"][s]) for own, s in zip(made, starts, strict=True)]
    )
    return Level(
        pattern=coarse,
        blocks={
            "from": sums.offsets([own["blocks_from"] for own in made]),
            "term": terms.stack([own["blocks"] for own in made], blocks),
            "owner": sums.members(),
        },
        sides={
            "from": wholes.offsets([own["sides_from"] for own in made]),
            "term": parts.stack([own["sides"] for own in made], rows),
            "member": coarse.member,
        },
        spread={"whole": rows.stack([own["whole"] for own in made], wholes)},
        node=named[wholes.stack([own["node"] for own in made], nodes)],
        graphs=[own["graph"] for own in made],
        points=[own["points"] for own in made],
    )


def _alone(
    backend: Any, pattern: Pattern, graph: tuple[Ints, Ints], x: NDArray[np.float64], lines: Any
) -> dict[str, Any]:
    """Pattern and tables of the level of one mesh."""
    number = aggregates_of(graph, x, lines["line"], pattern.node[lines["place"]])
    count = int(number.max()) + 1
    # aggregates of the rows and columns of each block
    row = np.repeat(number[pattern.node], np.diff(pattern.row))
    column = number[pattern.node[pattern.column]]
    other = row != column
    near = sp.csr_array((np.ones(other.sum()), (row[other], column[other])), shape=(count, count))
    near.sum_duplicates()
    coupled = near.indptr.astype(np.int32), near.indices.astype(np.int32)
    coarse = Pattern.of_graph(backend, *coupled)
    blocks, blocks_from = ordered(coarse.block(row, column), len(coarse.column))
    whole = coarse.row_of[number[pattern.node]]
    sides, sides_from = ordered(whole, count)
    sizes = np.bincount(number)
    means = [np.bincount(number, own) / sizes for own in x.T]
    return {
        "graph": coupled,
        "points": np.stack(means, axis=1),
        "pattern": coarse,
        "blocks": blocks.astype(np.int32),
        "blocks_from": blocks_from.astype(np.int32),
        "sides": sides.astype(np.int32),
        "sides_from": sides_from.astype(np.int32),
        "whole": whole.astype(np.int32),
        "node": pattern.node[sides[sides_from[:-1]]],
    }
