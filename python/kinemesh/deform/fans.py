"""Triangles whose corners carry springs, in runs around their nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Fans:
    """Runs of triangles that share a node, each with the next one an edge.

    Parameters
    ----------
    node, first, length : (runs,)   node in the middle; first spoke and number of spokes
    other : (spokes,)               where spokes end; a closed run ends with its first again
    """

    node: Ints
    first: Ints
    length: Ints
    other: Ints


def spring_triangles(cells: NDArray) -> NDArray:
    """Triangles whose corners carry springs: a quad gives the four that its corners span."""
    flat = cells[:, 3] < 0
    quads = cells[~flat]
    turns = [quads[:, [k, (k + 1) % 4, (k + 3) % 4]] for k in range(4)]
    return np.concatenate([cells[flat, :3], *turns])


def _next(node: Ints, left: Ints, right: Ints, nodes: int) -> Ints:
    """Corner that shares the edge (node, right) of each corner; -1: none, or not one alone.

    A quadrilateral's triangles overlap: around their nodes each stands alone.
    """
    keys = node.astype(np.int64) * nodes + left
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    twice = node[order[1:][keys[1:] == keys[:-1]]]
    want = node.astype(np.int64) * nodes + right
    back = np.sort(want)
    twice = np.concatenate([twice, back[1:][back[1:] == back[:-1]] // nodes])
    at = np.minimum(np.searchsorted(keys, want), len(keys) - 1)
    found = np.where(keys[at] == want, order[at], -1)
    messy = np.zeros(nodes, bool)
    messy[twice] = True
    found[messy[node]] = -1
    return found


def _starts(node: Ints, after: Ints) -> Ints:
    """First corner of every run: those without a corner before, and one of each closed run."""
    before = np.zeros(len(node), bool)
    before[after[after >= 0]] = True
    starts = np.flatnonzero(~before)
    reached = np.zeros(len(node), bool)
    at: Ints = starts
    while len(at):
        reached[at] = True
        at = after[at]
        at = at[at >= 0]
    left = np.flatnonzero(~reached)  # closed runs: one to a node, or a node where two of them meet
    while len(left):
        _, pick = np.unique(node[left], return_index=True)
        begun = left[pick]
        starts = np.concatenate([starts, begun])
        at = begun
        while len(at):
            reached[at] = True
            at = after[at]
            at = at[~reached[at]]
        left = left[~reached[left]]
    return starts


def fans(triangles: Ints, nodes: int) -> Fans:
    """Runs around all nodes of triangles (counter-clockwise)."""
    turned = [triangles[:, [k, (k + 1) % 3, (k + 2) % 3]] for k in range(3)]
    node, left, right = np.concatenate(turned).T
    after = _next(node, left, right, nodes)
    starts = _starts(node, after)
    run, spokes, steps = [], [], []
    at, number, step = starts, np.arange(len(starts)), 0
    while len(at):
        run.append(number)
        spokes.append(left[at])
        steps.append(np.full(len(at), step))
        step += 1
        end = (after[at] < 0) | (after[at] == starts[number])
        run.append(number[end])
        spokes.append(right[at[end]])
        steps.append(np.full(int(end.sum()), step))
        at, number = after[at[~end]], number[~end]
    of, other, rank = (np.concatenate(part) for part in (run, spokes, steps))
    order = np.lexsort((rank, of))
    length = np.bincount(of, minlength=len(starts))
    return Fans(node[starts], np.cumsum(length) - length, length, other[order])
