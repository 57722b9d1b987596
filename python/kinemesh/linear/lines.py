"""Colours that follow lines of thin cells (docs/theory.md, section 5.1).

Across thin cells nodes are coupled thousands of times more strongly than along them.  DILU in two
colours carries a change over two of these cells, in colours that count along a line of them over
PERIOD cells.  In space 4 of these are as good and half of the launches: the ONERA M6 on 300
thousand nodes in hexahedra takes 159 pseudo-steps for 153, and 1.13 s of an H100 for 1.40.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from kinemesh.device.backend import Backend
from kinemesh.linear.colours import colour_first_fit, colour_parallel, complete

Ints = NDArray[np.int32]

THIN = 50.0  # third shortest edge of a node over its shortest: a mesh with one has lines
ALONG = 2.0  # third shortest edge over one that is part of a line
RARE = 0.02  # of the nodes of lines: fewer in a phase have no colours of their own
NODES = 1 << 12  # looked at together: what is made of them on the way stays in a core's cache
# Of `fewer`: 10 or 11 colours of tetrahedra become 9, 6 of triangles 5, in 4 passes half of them.
# BiCGSTAB takes as many iterations, on a GPU in 0.9 of the time.
PASSES = 10
PERIOD = {2: 8, 3: 4}  # positions along a line before its colours repeat, by dimensions


def colour_along_lines(
    backend: Backend, offsets: Ints, neighbour: Ints, x: NDArray[np.float64]
) -> Ints:
    """(nodes,) colours along the lines of a mesh with thin cells; else `colour_parallel`'s.

    Parameters
    ----------
    offsets, neighbour : CSR graph of one mesh
    x : (nodes, dimensions) coordinates
    """
    short, thin = short_edges(offsets, neighbour, x)
    if not thin.any():
        return colour_parallel(backend, offsets, neighbour, PASSES)
    start = line_colours(offsets, neighbour, short, PERIOD[x.shape[1]])
    return complete(backend, offsets, neighbour, start)


def short_edges(
    offsets: Ints, neighbour: Ints, x: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Edges of lines, (entries,), and nodes of thin cells, (nodes,).

    An edge of a line is one of the two shortest of both its nodes, whose third shortest are
    longer by ALONG.
    """
    some = range(0, len(x), NODES)
    each = [_shortest(offsets[k : k + NODES + 1], neighbour, x, k) for k in some]
    found, ends = (np.concatenate([own[k] for own in each]) for k in range(2))
    there = csr_array((found + 1, (ends, neighbour[found])), shape=(len(x), len(x)))
    both_ways = there.multiply(there.T.astype(bool))
    short = np.zeros(len(neighbour), bool)
    short[both_ways.data - 1] = True
    return short, np.concatenate([own[2] for own in each])


def _shortest(
    offsets: Ints, neighbour: Ints, x: NDArray[np.float64], begin: int
) -> tuple[NDArray[np.intp], Ints, NDArray[np.bool_]]:
    """Some nodes' entries that are edges of lines to them, the node of each, who is in thin cells.

    Parameters
    ----------
    offsets : of these nodes, from node `begin` on
    """
    counts, first_entry = np.diff(offsets), offsets[0]
    ends = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    offsets, neighbour = offsets - first_entry, neighbour[first_entry : offsets[-1]]
    length = reduce(np.hypot, (x[neighbour] - x[begin + ends]).T)
    again = np.flatnonzero((ends[1:] == ends[:-1]) & (neighbour[1:] == neighbour[:-1])) + 1
    length[again] = np.inf  # two faces between the same cells are one way
    least, first = _least(length, offsets, ends)
    left = length.copy()
    left[first] = np.inf
    _, second = _least(left, offsets, ends)
    left[second] = np.inf
    third, _ = _least(left, offsets, ends)
    third[(counts < 3) | np.isinf(third)] = 0.0
    short = np.zeros(len(length), bool)
    short[first] = short[second] = True
    found = np.flatnonzero(short & (third[ends] >= ALONG * length))
    return found + first_entry, begin + ends[found], third >= THIN * least


def _least(
    values: NDArray[np.float64], offsets: Ints, ends: NDArray
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The least value of the entries of each node, inf without any, and the first entry with it."""
    has = np.flatnonzero(np.diff(offsets))
    least = np.full(len(offsets) - 1, np.inf)
    least[has] = np.minimum.reduceat(values, offsets[has]) if len(has) else np.inf
    entry = np.flatnonzero(values == least[ends])
    first = np.ones(len(entry), bool)
    first[1:] = np.diff(ends[entry]) > 0
    return least, entry[first]


def line_colours(
    offsets: Ints, neighbour: Ints, short: NDArray[np.bool_], period: int = PERIOD[2]
) -> Ints:
    """(nodes,) colours of the nodes of lines, -1 elsewhere.

    Lines that touch differ in phase: colour = phases (position mod period) + phase.
    """
    nodes = len(offsets) - 1
    ends = np.repeat(np.arange(nodes, dtype=np.int32), np.diff(offsets))
    line, position = lines_of(ends[short], neighbour[short], nodes)
    count = int(line.max(initial=-1)) + 1
    own, other = np.take(line, ends), np.take(line, neighbour)
    touch = (own >= 0) & (other >= 0) & (own != other)
    pairs = own[touch], other[touch]
    graph = csr_array((np.ones(len(pairs[0])), pairs), shape=(count, count))
    graph.sum_duplicates()
    phase = colour_first_fit(graph.indptr.astype(np.int32), graph.indices.astype(np.int32))
    size = np.bincount(phase[line[line >= 0]], minlength=1)
    phases = int((size >= RARE * size.sum()).sum())  # first fit gives the lowest to most lines
    kept = (line >= 0) & (phase[line] < phases)
    colours = np.where(kept, phases * (position % period) + phase[line], -1)
    # two nodes of one line that touch where it turns back on itself
    same = (own >= 0) & (own == other) & (ends > neighbour)
    again = ends[same]
    again = again[(colours[again] >= 0) & (colours[again] == colours[neighbour[same]])]
    colours[again] = -1
    return colours.astype(np.int32)


def lines_of(ends: Ints, neighbour: Ints, nodes: int) -> tuple[Ints, Ints]:
    """Number of each node's line, -1 where it is on none, and its position along the line.

    Parameters
    ----------
    ends, neighbour : both nodes of every edge of the lines, in both directions; a node has at
        most two edges
    """
    graph = csr_array((np.ones(len(ends)), (ends, neighbour)), shape=(nodes, nodes))
    _, part = connected_components(graph, directed=False)
    edges = np.bincount(ends, minlength=nodes)
    keep = edges > 0
    # an end of each line, or the first node of a ring
    inner_last = np.lexsort((np.arange(nodes), edges == 2))
    start = inner_last[np.unique(part[inner_last], return_index=True)[1]]
    depth = dijkstra(graph, indices=start, unweighted=True, min_only=True)
    number = np.cumsum(np.bincount(part[keep], minlength=part.max() + 1) > 0) - 1
    line = np.where(keep, number[part], -1).astype(np.int32)
    return line, np.where(keep, depth, 0).astype(np.int32)
