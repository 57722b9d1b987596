"""Walls of a part in space, by bins: whether a place lies within them.

Of each bin it is known whether its own point lies within the walls.  A place in the bin does so too
where the way from it to that point crosses an even number of the bin's facets.  Here as in the
kernel (csrc/kernels/overset/find_space.h) the own point is at `OWN` in bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from kinemesh._core import BIN_MARGIN, BIN_POINT_X, BIN_POINT_Y, BIN_POINT_Z
from kinemesh.csr import ordered
from kinemesh.errors import OversetError
from kinemesh.mesh.pieces import linked
from kinemesh.overset.bins import bin_numbers, bin_places
from kinemesh.sentences import point_in_words

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

OWN = np.array([BIN_POINT_X, BIN_POINT_Y, BIN_POINT_Z])
PER_FACET = 4  # bins for each facet
FAR = 8.0  # sizes of an open wall's end, from it to the point by which it is closed


@dataclass(frozen=True, slots=True)
class Inside:
    """Facets of closed walls by bins.

    Parameters
    ----------
    box : (2, 3) float64     least place [chord], bins per chord
    across : (3,) int32      bins along each axis; 0 without walls
    bins : (bins, 2) int32   first listing; twice their number, and 1 where the own point is within
    listed : (listings,) int32    facets of the bins
    points : (n, 3) float64;  facets : (k, 3) int32
    """

    box: Floats
    across: Ints
    bins: Ints
    listed: Ints
    points: Floats
    facets: Ints

    @property
    def nbytes(self) -> int:
        """Memory of the tables [B]."""
        tables = self.bins, self.listed, self.points, self.facets
        return sum(table.nbytes for table in tables)


NO_WALLS = Inside(
    np.stack([np.zeros(3), np.ones(3)]), np.zeros(3, np.int32), np.empty((0, 2), np.int32),
    np.empty(0, np.int32), np.empty((0, 3)), np.empty((0, 3), np.int32),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mirror:
    """A plane of symmetry of a part.

    Parameters
    ----------
    normal : (3,) unit vector out of the fluid
    nodes : (nodes,) bool    on the plane
    """

    normal: Floats
    nodes: NDArray[np.bool_]


def inside_of(
    points: Floats, facets: Ints, mirrors: Sequence[Mirror], name: str, ends: bool = False
) -> Inside:
    """Tables of the walls of a part.

    Parameters
    ----------
    points : (nodes, 3) of the mesh [chord]
    facets : (k, 3) triangles of its walls
    mirrors : planes of symmetry, at which the walls may end
    name : of the part
    ends : whether walls may end elsewhere, at a far field; nothing is within those

    Raises
    ------
    OversetError    walls that end elsewhere
    """
    if ends and len(facets):
        loose = _rim(facets, mirrors)[1]
        piece = linked(facets)
        facets = facets[~np.isin(piece, piece[np.isin(facets, loose).any(axis=1)])]
    if not len(facets):
        return NO_WALLS
    low, high = points[facets].min(axis=(0, 1)), points[facets].max(axis=(0, 1))
    nodes, local = np.unique(facets, return_inverse=True)
    own = local.reshape(-1, 3).astype(np.int32)
    seen = [Mirror(one.normal, one.nodes[nodes]) for one in mirrors]
    corners, closed = _closed(points[nodes], own, seen, name)
    size = (1 + 2 * BIN_MARGIN) * (high - low)
    least = low - BIN_MARGIN * (high - low)
    edge = np.cbrt(size.prod() / (PER_FACET * len(facets)))
    across = np.maximum(1, np.ceil(size / max(edge, 1e-3 * size.max()))).astype(np.int32)
    box = np.stack([least, across / size])
    key, facet = _met(corners[closed], box, across)
    by_bin, first = ordered(key, int(across.prod()))
    listed = facet[by_bin]
    within = _states(corners, closed, box, across, first, listed)
    bins = np.stack([first[:-1], 2 * np.diff(first) + within], axis=1).astype(np.int32)
    return Inside(box, across, bins, listed.astype(np.int32), corners, closed)


def _closed(
    points: Floats, facets: Ints, mirrors: Sequence[Mirror], name: str
) -> tuple[Floats, Ints]:
    """Points and facets of walls closed by cones beyond the planes of symmetry they end at.

    A place on this side of the planes lies within the walls where it lies within these.
    """
    rim, loose, on = _rim(facets, mirrors)
    if not len(rim):
        return points, facets
    if len(loose):
        told = " and ".join(point_in_words(points[n]) for n in loose[0])
        raise OversetError(
            f"part {name!r}: its walls end between {told}, expected walls that are closed or end "
            "on planes of symmetry, so that it is known what lies within them; close the body, or "
            "name the plane (boundaries, 'symmetry')"
        )
    corners, found = [points], [facets]
    group = linked(rim)
    for number in range(group.max() + 1):
        own = group == number
        planes = [one for one, there in zip(mirrors, on[:, own], strict=True) if there.any()]
        way = np.sum([one.normal for one in planes], axis=0)
        there = points[np.unique(rim[own])]
        size = np.ptp(there, axis=0).max()
        if min(one.normal @ way for one in planes) < 1e-6:
            raise OversetError(
                f"part {name!r}: its walls end on planes of symmetry that face each other and on "
                "another one, expected one plane, or two that meet"
            )
        apex = sum(len(own_points) for own_points in corners)
        corners.append((there.mean(axis=0) + FAR * size * way)[None])
        side = np.full((int(own.sum()), 1), apex)
        found.append(np.concatenate([rim[own], side], axis=1).astype(np.int32))
    return np.concatenate(corners), np.concatenate(found)


def _rim(facets: Ints, mirrors: Sequence[Mirror]) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Edges (k, 2) of one facet alone, those of them on no plane, and on which planes each is."""
    ends = np.concatenate([facets[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    _, place, count = np.unique(
        np.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    rim = ends[count[place.reshape(-1)] == 1]
    on = np.array([one.nodes[rim].all(axis=1) for one in mirrors], bool)
    on = on.reshape(len(mirrors), len(rim))
    return rim, rim[~on.any(axis=0)], on


def _met(corners: Floats, box: Floats, across: Ints) -> tuple[NDArray, NDArray]:
    """Bins that triangles (k, 3, 3) may meet, and which triangle: those of its box that its plane
    does not pass by."""
    there = (corners - box[0]) * box[1]
    low = np.floor(there.min(axis=1) - BIN_MARGIN).astype(np.int64)
    high = np.floor(there.max(axis=1) + BIN_MARGIN).astype(np.int64)
    outside = ((high < 0) | (low >= across)).any(axis=1)
    low, high = np.clip(low, 0, across - 1), np.clip(high, 0, across - 1)
    wide = high - low + 1
    count = np.where(outside, 0, wide.prod(axis=1))
    facet = np.repeat(np.arange(len(corners)), count)
    place = np.arange(len(facet)) - np.repeat(np.cumsum(count) - count, count)
    at = low[facet] + bin_places(place, wide[facet])
    o, u, v = there[:, 0], there[:, 1] - there[:, 0], there[:, 2] - there[:, 0]
    normal = np.cross(u, v)[facet]
    off = (normal * (at + 0.5 - o[facet])).sum(axis=1)
    near = np.abs(off) <= (0.5 + 2 * BIN_MARGIN) * np.abs(normal).sum(axis=1)
    return bin_numbers(at[near], across), facet[near]


def _states(
    points: Floats, facets: Ints, box: Floats, across: Ints, first: Ints, listed: NDArray
) -> NDArray[np.int32]:
    """(bins,) 1 where the own point of a bin lies within the walls."""
    shape = tuple(across[::-1].tolist())
    empty = np.diff(first) == 0
    label, groups = ndimage.label(empty.reshape(shape))
    label = label.ravel()
    state = np.full(len(empty), -1, np.int32)
    beyond = box[0] - np.array([3.1234, 4.5678, 5.4321]) * (across / box[1])
    every = np.arange(len(facets))
    seeds = [int(np.argmax(label == group)) for group in range(1, groups + 1)] or [0]
    for seed in seeds:
        own = _own_points(np.array([seed]), box, across)
        crossed = crosses(points, facets[every], np.broadcast_to(own, (len(facets), 3)), beyond)
        state[label == label[seed] if groups else [seed]] = crossed.sum() & 1
    return _spread(state, points, facets, box, across, first, listed)


def _spread(
    state: NDArray[np.int32],
    points: Floats, facets: Ints, box: Floats, across: Ints, first: Ints, listed: NDArray,
) -> NDArray[np.int32]:  # fmt: skip
    """States of all bins, from those known to their neighbours, by the facets between."""
    strides = np.array([1, across[0], across[0] * across[1]])
    while (state < 0).any():
        lacking = np.flatnonzero(state < 0)
        place = bin_places(lacking, across)
        beside = np.full(len(lacking), -1)
        for axis, stride in enumerate(strides):
            for way in (-1, 1):
                there = place[:, axis] + way
                other = lacking + way * stride
                good = (there >= 0) & (there < across[axis])
                known = np.zeros(len(lacking), bool)
                known[good] = state[other[good]] >= 0
                beside = np.where((beside < 0) & known, other, beside)
        met = beside >= 0
        one, other = lacking[met], beside[met]
        pair, facet = _between(one, other, first, listed)
        crossed = crosses(
            points,
            facets[facet],
            _own_points(one, box, across)[pair],
            _own_points(other, box, across)[pair],
        )
        odd = np.bincount(pair, crossed, len(one)).astype(np.int32) & 1
        state[one] = state[other] ^ odd
    return state


def _between(one: NDArray, other: NDArray, first: Ints, listed: NDArray) -> tuple[NDArray, NDArray]:
    """Facets that either of two bins lists, each once: of each entry the pair and the facet."""
    pairs = []
    for own in (one, other):
        count = first[own + 1] - first[own]
        pair = np.repeat(np.arange(len(own)), count)
        place = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
        pairs.append(np.stack([pair, listed[first[own][pair] + place]], axis=1))
    found = np.unique(np.concatenate(pairs), axis=0)
    return found[:, 0], found[:, 1]


def _own_points(bins: NDArray, box: Floats, across: Ints) -> Floats:
    """(n, 3) own points of bins."""
    return np.asarray(box[0] + (bin_places(bins, across) + OWN) / box[1])


def crosses(points: Floats, facets: Ints, start: Floats, end: Floats) -> NDArray[np.bool_]:
    """(n,) whether ways from `start` to `end` cross facets (n, 3), as the kernels find it."""
    a, b, c = (points[facets[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    before, after = (((normal * (x - a)).sum(axis=-1) >= 0) for x in (start, end))
    way = end - start
    left = []
    for k, m in ((0, 1), (1, 2), (2, 0)):
        one, two = facets[:, k], facets[:, m]
        low, high = points[np.minimum(one, two)], points[np.maximum(one, two)]
        turn = (np.cross(low - start, high - start) * way).sum(axis=-1)
        left.append((turn >= 0) == (one < two))
    return np.asarray((before != after) & (left[0] == left[1]) & (left[1] == left[2]))
