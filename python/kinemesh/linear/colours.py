"""Colours of a graph's nodes such that neighbours differ (docs/theory.md, section 6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from kinemesh.device.backend import Backend
from kinemesh.errors import SettingsError

Ints = NDArray[np.int32]


def colour_first_fit(offsets: Ints, neighbour: Ints) -> Ints:
    """Breadth-first greedy colours, one after the other on the host.

    Each node takes the smallest colour that no neighbour has, in the order in which the fronts
    grow from node 0 (and from the first node left, where the graph falls into parts): Zhang et
    al., Algorithm 1.
    """
    nodes = len(offsets) - 1
    colours = np.full(nodes, -1, np.int32)
    seen = np.zeros(nodes, bool)
    for start in range(nodes):
        if seen[start]:
            continue
        seen[start] = True
        front = deque([start])
        while front:
            i = front.popleft()
            around = neighbour[offsets[i] : offsets[i + 1]]
            taken = set(colours[around].tolist())
            colours[i] = next(c for c in range(len(around) + 1) if c not in taken)
            for j in around[~seen[around]]:
                seen[j] = True
                front.append(j)
    return colours


def check_colours(colours: ArrayLike, offsets: Ints, neighbour: Ints) -> Ints:
    """Check colours (nodes,): SettingsError if a node has none, or a neighbour's.

    Rows of one colour are solved side by side, so a row would read what another writes.
    """
    given, nodes = np.asarray(colours), len(offsets) - 1
    if given.shape != (nodes,) or given.dtype.kind not in "iu":
        raise SettingsError(
            f"colours has shape {given.shape} and dtype {given.dtype}, expected ({nodes},) "
            "integers, one for each node"
        )
    bare = np.flatnonzero(given < 0)
    if len(bare):
        raise SettingsError(
            f"colours: node {bare[0]} has {given[bare[0]]}, expected 0, 1, 2, ...: "
            f"{len(bare)} such node(s)"
        )
    ends = np.repeat(np.arange(nodes), np.diff(offsets))
    same = np.flatnonzero(given[ends] == given[neighbour])
    if len(same):
        i, j = ends[same[0]], neighbour[same[0]]
        raise SettingsError(
            f"colours: nodes {i} and {j} are neighbours and both have colour {given[i]}, expected "
            f"different ones: {len(same) // 2} such pair(s); use colour_first_fit or leave it out"
        )
    return given.astype(np.int32)


def two_colours(offsets: Ints, neighbour: Ints) -> Ints | None:
    """Colours 0 and 1, where two are enough, as on regular clouds; else None."""
    nodes = len(offsets) - 1
    for i in range(min(nodes, 64)):  # most graphs have triangles everywhere
        around = {*neighbour[offsets[i] : offsets[i + 1]].tolist()}
        if any(not around.isdisjoint(neighbour[offsets[j] : offsets[j + 1]]) for j in around):
            return None
    graph = csr_array((np.ones(len(neighbour)), neighbour, offsets), shape=(nodes, nodes))
    _, part = connected_components(graph, directed=False)
    starts = np.unique(part, return_index=True)[1]
    depth = dijkstra(graph, indices=starts, unweighted=True, min_only=True)
    colours = (depth % 2).astype(np.int32)
    ends = np.repeat(np.arange(nodes), np.diff(offsets))
    return None if (colours[ends] == colours[neighbour]).any() else colours


def fewer(colours: Ints, offsets: Ints, neighbour: Ints, passes: int = 1) -> Ints:
    """Recolour so many times, colour after colour: mostly one or two colours less.

    Nodes of one colour choose at once, each the smallest colour that no neighbour has by then: no
    more colours than before, whatever the order of the old ones (iterated greedy, Culberson 1992).
    The last one comes first, as it has few nodes, and in every other pass the order is a fixed
    pseudo-random one.
    """
    for turn in range(passes):
        most = int(colours.max(initial=0)) + 1
        if most > 62:  # a bit for each
            return colours
        order = np.argsort(_mixed(np.arange(most) + most * turn)) if turn % 2 else range(most)[::-1]
        colours = _again(colours, order, offsets, neighbour)
    return colours


def _again(colours: Ints, order: Iterable[int], offsets: Ints, neighbour: Ints) -> Ints:
    """Colours anew, the nodes of the old ones in this order of theirs."""
    bits, coupled = np.zeros(len(colours), np.int64), np.diff(offsets) > 0
    for colour in order:
        nodes = np.flatnonzero((colours == colour) & coupled)
        if not len(nodes):
            continue
        counts = offsets[nodes + 1] - offsets[nodes]
        starts = np.cumsum(counts) - counts
        entries = np.arange(counts.sum()) + np.repeat(offsets[nodes] - starts, counts)
        taken = np.bitwise_or.reduceat(bits[neighbour[entries]], starts)
        bits[nodes] = ~taken & (taken + 1)
    return np.log2(np.maximum(bits, 1)).astype(np.int32)


def _mixed(number: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Fixed pseudo-random numbers, one of each whole number."""
    return (number.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)


def priorities(degree: Ints) -> Ints:
    """A fixed pseudo-random order of the nodes, high degrees first.

    Parameters
    ----------
    degree : (nodes,)       number of neighbours
    """
    node = np.arange(len(degree))
    order = np.lexsort((node, _mixed(node), degree))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def colour_parallel(backend: Backend, offsets: Ints, neighbour: Ints, passes: int = 1) -> Ints:
    """Two colours where two are enough, else Jones-Plassmann's on the device, made `fewer`.

    They are the same on every device.

    Parameters
    ----------
    offsets, neighbour : CSR graph of one mesh
    passes : of `fewer`
    """
    two = two_colours(offsets, neighbour)
    if two is not None:
        return two
    none = np.full(len(offsets) - 1, -1, np.int32)
    return fewer(complete(backend, offsets, neighbour, none), offsets, neighbour, passes)


def complete(backend: Backend, offsets: Ints, neighbour: Ints, given: Ints) -> Ints:
    """Jones-Plassmann's colours, on the device, for nodes of colour -1."""
    with backend.passing():
        return _complete(backend, offsets, neighbour, given)


def _complete(backend: Backend, offsets: Ints, neighbour: Ints, given: Ints) -> Ints:
    graph = {
        "offsets": backend.array(offsets, np.int32),
        "neighbour": backend.array(neighbour, np.int32),
        "priority": backend.array(priorities(np.diff(offsets)), np.int32),
    }
    a = backend.array(given, np.int32)
    b = backend.zeros(len(given), np.int32)
    there = backend.bind("colour_round", **graph, before=a, after=b)
    back = backend.bind("colour_round", **graph, before=b, after=a)
    rounds = backend.record([there, back], times=8)
    while True:
        rounds()
        colours = backend.get(a)
        if (colours >= 0).all():
            return colours
