"""Bins of a mesh: for each place the cells that may hold it.

A first grid of uniform bins lies over the mesh; a bin that many more cells meet than a node has a
grid of its own, and so on: no grid parts the few cells round a node.  Here as in the kernel
(csrc/kernels/overset/search.h) a place's bin follows from (place - least) * scale and, within a
bin, from the rest times the number of bins across it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kinemesh.csr import ordered
from kinemesh.errors import MeshError

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

PER_BIN = 2  # cells per bin that a grid is made for
# Cells that a bin lists, over those round a node.  Bins of two squares meet 5.8, so that 1 would
# part each of them; measured, 94 thousand nodes: 34 bytes of bins a cell instead of 52, and 3.7
# cells tested for a place instead of 2.9, in the same time.
CROWD = 2
ACROSS = 64  # most bins of such a grid along an axis
LEVELS = 3  # grids within one another, the first included
FEW = 8  # bins of a cell's box that are all looked at
AT_ONCE = 1 << 14  # columns and rows of boxes that are looked at together, which bounds the memory
MARGIN = 2.0**-20  # of a bin, by which it is larger: far more than rounding moves places and sides


@dataclass(frozen=True, slots=True)
class Bins:
    """Lists of cells by place, as the kernel overset_search reads them.

    Parameters
    ----------
    box : (2, 2) float64    least place [chord]; bins of the first grid per chord
    across : (2,) int32     bins of the first grid along each axis
    bins : (bins, 2) int32  of a list its first entry and their number; of a grid its first bin and
                            minus the number along each axis
    listed : (listings,) int32    cells of the lists, ascending in each
    """

    box: Floats
    across: Ints
    bins: Ints
    listed: Ints

    @property
    def nbytes(self) -> int:
        """Memory of bins and lists [B]."""
        return self.bins.nbytes + self.listed.nbytes


@dataclass(frozen=True, slots=True)
class _Level:
    """Cells in grids: of each entry the cell, the grid, and the corners in bins of that grid."""

    cell: Ints  # (entries,)
    grid: Ints  # (entries,)
    corner: Floats  # (2, 4, entries)


def bins_of(points: Floats, cells: Ints) -> Bins:
    """Bins of cells (cells, 4), triangles with -1 as fourth corner; nodes at points (nodes, 2).

    MeshError where the mesh is so large that its area is not finite.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    with np.errstate(over="ignore"):
        least, size = low - MARGIN * (high - low), (1 + 2 * MARGIN) * (high - low)
        area = size.prod() * PER_BIN
    if not np.isfinite(area):
        raise MeshError(
            f"overset: the mesh is {size[0]:.3g} by {size[1]:.3g} chords, and float64 has no such "
            "area; expected lengths in chords (scale or chord of km.mesh.read)"
        )
    across = np.ceil(size / np.sqrt(area / len(cells)))
    across = np.minimum(across, len(cells)).astype(np.int32)
    scale = across / size
    round_node = int(np.ceil((cells >= 0).sum() / len(points)))  # 4 or 6
    place = np.ascontiguousarray(((points - least) * scale).T)
    corner = np.take(place, np.where(cells < 0, cells[:, 2:3], cells).T, axis=1)
    every = np.arange(len(cells), dtype=np.int32)
    level = _Level(every, np.zeros_like(every), corner)
    grids, bins, listed = across[:, None], np.empty((0, 2), np.int32), np.empty(0, np.int32)
    for left in reversed(range(LEVELS)):
        found, cell, grids, level = _filled(
            level, grids, CROWD * round_node if left else len(cells)
        )
        is_list = found[:, 1] >= 0
        found[is_list, 0] += len(listed)
        found[~is_list, 0] += len(bins) + len(found)
        bins, listed = np.concatenate([bins, found]), np.concatenate([listed, cell])
    return Bins(np.stack([least, scale]), across, bins, listed)


def _filled(level: _Level, grids: Ints, crowd: int) -> tuple[Ints, Ints, Ints, _Level]:
    """Bins of grids (2 numbers of bins, grids), the cells of their lists, and the next level.

    A bin that more than `crowd` cells meet has a grid on the next level.  First entries and first
    bins are counted from the first of what this level adds.
    """
    first = np.concatenate([[0], np.cumsum(grids[0] * grids[1])]).astype(np.int32)
    entry, place = _met(level, grids)
    grid = level.grid[entry]
    key = first[grid] + place[1] * grids[0, grid] + place[0]
    count = np.bincount(key, minlength=first[-1]).astype(np.int32)
    crowded = count > crowd
    size = np.minimum(np.ceil(np.sqrt(count / PER_BIN)), ACROSS).astype(np.int32)
    parted = crowded[key]
    of_list, of_grid = np.flatnonzero(~parted), np.flatnonzero(parted)
    order, offsets = ordered(key[of_list], len(count))
    begin = offsets[:-1]
    begin[crowded] = np.cumsum(size[crowded] ** 2) - size[crowded] ** 2
    bins = np.stack([begin, np.where(crowded, -size, count)], axis=1)
    at, own = entry[of_grid], key[of_grid]
    corner = np.take(level.corner, at, axis=2)
    corner -= place[:, None, of_grid]
    corner *= size[own]
    below = _Level(level.cell[at], (np.cumsum(crowded, dtype=np.int32) - 1)[own], corner)
    return bins, level.cell[entry[of_list[order]]], np.stack([size[crowded]] * 2), below


def _met(level: _Level, grids: Ints) -> tuple[Ints, Ints]:
    """Entries, and the bins of their grids that they meet: (pairs,), (2, pairs) along each axis."""
    last = np.take(grids, level.grid, axis=1) - 1
    start, end = (
        np.clip((bound + margin).astype(np.int32), 0, last)
        for bound, margin in ((level.corner.min(1), -MARGIN), (level.corner.max(1), MARGIN))
    )
    least = np.cumsum((end - start).sum(axis=0) + 2)  # columns and rows: no fewer bins are met
    blocks = np.flatnonzero(np.diff(least // AT_ONCE)) + 1
    entries, places = [], []
    for begin, stop in pairwise([0, *blocks.tolist(), len(least)]):
        some = slice(begin, stop)
        entry, place = _met_at_once(
            level.corner[:, :, some], *(a[:, some] for a in (start, end, last))
        )
        entries.append(entry + np.int32(begin))
        places.append(place)
    return np.concatenate(entries), np.concatenate(places, axis=1)


def _met_at_once(corner: Floats, start: Ints, end: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Cells and bins that they meet, of cells whose boxes go from the bins `start` to `end`.

    Column by column of a box, so that no more bins are looked at than are met, but for the first
    and the last ones of a column.
    """
    count = (end - start + 1).prod(axis=0)
    cell, column = _counted(start[0], end[0])
    low, high = start[1, cell], end[1, cell]
    large = np.flatnonzero(count[cell] > FEW)
    low[large], high[large] = _rows(corner, cell[large], column[large], last)
    of, row = _counted(low, high)
    cell, place = cell[of], np.stack([column[of], row])
    several = np.flatnonzero(count[cell] > 1)
    met = np.ones(len(cell), bool)
    met[several] = _meets(*(np.take(corner, cell[several], axis=2) - place[:, None, several]))
    met = np.flatnonzero(met)
    return cell[met], np.take(place, met, axis=1)


def _counted(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """The numbers from `first` to `last`, one list after the other, and the list of each."""
    count = last - first + 1
    of = np.repeat(np.arange(len(count), dtype=np.int32), count)
    begin = first + count - np.cumsum(count, dtype=np.int32)
    return of, np.arange(len(of), dtype=np.int32) + begin[of]


def _rows(corner: Floats, cell: Ints, column: Ints, last: Ints) -> tuple[Ints, Ints]:
    """First and last row that may hold cells within columns, a little too many.

    Those beyond the grid count to its first or last column and row, as they do in their boxes.
    """
    x, y = corner[:, :, cell]
    left = np.where(column == 0, -np.inf, column - 2 * MARGIN)
    right = np.where(column == last[0, cell], np.inf, column + 1 + 2 * MARGIN)
    within = (x >= left) & (x <= right)
    low = np.where(within, y, np.inf).min(axis=0)
    high = np.where(within, y, -np.inf).max(axis=0)
    for k in range(4):
        dx, dy = x[k] - x[k - 1], y[k] - y[k - 1]
        for edge in (left, right):
            cut = np.flatnonzero((x[k - 1] < edge) != (x[k] < edge))
            at = y[k - 1, cut] + (edge - x[k - 1])[cut] / dx[cut] * dy[cut]
            low[cut], high[cut] = np.minimum(low[cut], at), np.maximum(high[cut], at)
    first, end = (
        np.clip(bound + margin, 0, last[1, cell]).astype(np.int32)
        for bound, margin in ((low, -2 * MARGIN), (high, 2 * MARGIN))
    )
    return first, end


def _meets(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Return True where cells with corners x, y (4, pairs) meet the unit bin."""
    met = np.ones(x.shape[1], bool)
    for k in range(4):
        dx, dy = x[k] - x[k - 1], y[k] - y[k - 1]
        # from the side to the corner of the bin that is farthest to the left of it
        far_x = np.where(dy < 0, 1 + MARGIN, -MARGIN) - x[k - 1]
        far_y = np.where(dx > 0, 1 + MARGIN, -MARGIN) - y[k - 1]
        met &= dx * far_y >= dy * far_x
    return met
