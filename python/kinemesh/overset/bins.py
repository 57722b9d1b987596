"""Bins of a mesh: for each place the cells that may hold it.

A first grid of uniform bins lies over the mesh; a bin that many more cells meet than a node has a
grid of its own, and so on: no grid parts the few cells round a node.  Here as in the kernel
(csrc/kernels/overset/search.h) a place's bin follows from (place - least) * scale and, within a
bin, from the rest times the number of bins across it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from kinemesh._core import BIN_MARGIN
from kinemesh.csr import sorted_by
from kinemesh.device.backend import Backend
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


@dataclass(frozen=True, slots=True)
class Bins:
    """Lists of cells by place, as the kernel overset_search reads them.

    Parameters
    ----------
    box : (2, 2) float64    least place [chord]; bins of the first grid per chord; in space (2, 3)
    across : (2,) int32     bins of the first grid along each axis; in space (3,)
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


class Level(Protocol):
    """Cells in grids: of each entry the cell and the grid, and where the cell is in that grid.

    Attributes
    ----------
    cell : (entries,)
    across : (grids, dimensions)    bins of the grids along each axis
    """

    @property
    def cell(self) -> Ints: ...

    @property
    def across(self) -> Ints: ...

    def met(self) -> tuple[Ints, Ints]:
        """Bins that entries meet: of each pair the entry and the bin (pairs,), by entry."""
        ...

    def parted(self, entry: Ints, key: Ints, crowded: NDArray[np.bool_], size: Ints) -> Self:
        """The next level: entries that meet `crowded` bins, which have `size` bins across."""
        ...


@dataclass(frozen=True, slots=True)
class _Level:
    """Cells in grids in the plane, as `Level`.

    Parameters
    ----------
    cell, grid : (entries,);  corner : (entries, 8), x and y of each in bins of that grid
    across : (grids, 2)
    """

    cell: Ints
    grid: Ints
    corner: Floats
    across: Ints

    def _grids(self) -> dict[str, Ints]:
        return {"grid": self.grid, "across": self.across, "first": first_bins(self)[:-1]}

    def met(self) -> tuple[Ints, Ints]:
        grids = self._grids()
        bits, met = np.empty((2, len(self.cell)), np.int32)
        begin = np.zeros(len(met) + 1, np.int32)
        given = {"corner": self.corner, "bits": bits}
        call("met", grid=self.grid, across=self.across, **given, met=met)
        np.cumsum(met, out=begin[1:])
        entry, key = np.empty((2, begin[-1]), np.int32)
        call("bins", **grids, **given, begin=begin, entry=entry, key=key)
        return entry, key

    def parted(self, entry: Ints, key: Ints, crowded: NDArray[np.bool_], size: Ints) -> _Level:
        corner = np.empty((len(key), 8))
        given = self._grids() | {"last": self.corner}
        call("part", **given, entry=entry, key=key, size=size, corner=corner)
        number = np.take(np.cumsum(crowded, dtype=np.int32) - 1, key)
        across = np.stack([size[crowded]] * 2, axis=1)
        return _Level(np.take(self.cell, entry), number, corner, across)


def bins_of(points: Floats, cells: Ints) -> Bins:
    """Bins of cells (cells, 4), triangles with -1 as fourth corner; nodes at points (nodes, 2).

    MeshError where the mesh is so large that its area is not finite.
    """
    box, across = first_grid(points, len(cells), PER_BIN)
    round_node = int(np.ceil((cells >= 0).sum() / len(points)))  # 4 or 6
    corner = np.empty((len(cells), 8))
    x = np.ascontiguousarray(points, np.float64)
    call("corners", x=x, corners=np.ascontiguousarray(cells, np.int32), box=box, corner=corner)
    every = np.arange(len(cells), dtype=np.int32)
    level = _Level(every, np.zeros_like(every), corner, across[None])
    return Bins(box, across, *lists_of(level, CROWD * round_node, PER_BIN))


def first_grid(points: Floats, cells: int, per_bin: int) -> tuple[Floats, Ints]:
    """`box` and `across` of `Bins`, of a grid over nodes at points with bins for `per_bin` cells.

    MeshError where the mesh is so large that its area, or volume, is not finite.
    """
    low, high = (bound(np.ascontiguousarray(points.T), axis=1) for bound in (np.min, np.max))
    with np.errstate(over="ignore"):
        least, size = low - BIN_MARGIN * (high - low), (1 + 2 * BIN_MARGIN) * (high - low)
        room = size.prod() * per_bin
    if not np.isfinite(room):
        sides, what = " by ".join(f"{side:.3g}" for side in size), {2: "area", 3: "volume"}
        raise MeshError(
            f"overset: the mesh is {sides} chords, and float64 has no such {what[len(size)]}; "
            "expected lengths in chords (scale or chord of km.mesh.read)"
        )
    edge = (np.sqrt if len(size) == 2 else np.cbrt)(room / cells)
    across = np.minimum(np.ceil(size / edge), cells).astype(np.int32)
    return np.stack([least, across / size]), across


def bin_numbers(place: NDArray, across: NDArray) -> NDArray:
    """(n,) numbers of bins at places (n, axes), of grids with `across` (axes,) or (n, axes) bins.

    The first axis is the fastest, as of the kernels (csrc/kernels/overset/lists.h).
    """
    number = place[:, -1]
    for axis in range(place.shape[1] - 2, -1, -1):
        number = number * across[..., axis] + place[:, axis]
    return np.asarray(number)


def bin_places(number: NDArray, across: NDArray) -> NDArray:
    """(n, axes) places of bins (n,) along the axes, of grids as those of `bin_numbers`."""
    places = []
    for bins in across.T:
        places.append(number % bins)
        number = number // bins
    return np.stack(places, axis=1)


def first_bins(level: Level) -> Ints:
    """(grids+1,) number of the first bin of each grid of a level."""
    return np.concatenate([[0], np.cumsum(level.across.prod(axis=1))]).astype(np.int32)


def lists_of(level: Level, crowd: int, per_bin: int) -> tuple[Ints, Ints]:
    """`bins` and `listed` of `Bins`: those that more than `crowd` cells meet have grids of bins for
    `per_bin` cells."""
    cells, left, next_level = len(level.cell), LEVELS, cast("Level | None", level)
    bins, listed = [], []
    counts = np.zeros(2, np.int32)
    while next_level is not None:
        left -= 1
        found, cell, next_level = _filled(next_level, crowd if left else cells, per_bin)
        is_list = found[:, 1] >= 0
        found[:, 0] += np.where(is_list, counts[1], counts[0] + len(found))
        counts += np.array([len(found), len(cell)], np.int32)
        bins.append(found)
        listed.append(cell)
    return np.concatenate(bins), np.concatenate(listed)


def _filled(level: Level, crowd: int, per_bin: int) -> tuple[Ints, Ints, Level | None]:
    """Bins of grids, the cells of their lists, and the next level, if there is one.

    A bin that more than `crowd` cells meet has a grid on the next level.  First entries and first
    bins are counted from the first of what this level adds.
    """
    entry, key = level.met()
    bins, axes = int(first_bins(level)[-1]), level.across.shape[1]
    count = np.bincount(key, minlength=bins).astype(np.int32)
    crowded = count > crowd
    if not crowded.any():
        listed, offsets = sorted_by(key, entry, bins)
        return np.stack([offsets[:-1], count], axis=1), np.take(level.cell, listed), None
    size = np.ceil((count / per_bin) ** (1 / axes))
    size = np.minimum(size, ACROSS).astype(np.int32)
    parted = np.take(crowded, key)
    alone = ~parted
    listed, offsets = sorted_by(key[alone], entry[alone], bins)
    begin, within = offsets[:-1], size[crowded] ** axes
    begin[crowded] = np.cumsum(within) - within
    found = np.stack([begin, np.where(crowded, -size, count)], axis=1)
    below = level.parted(entry[parted], key[parted], crowded, size)
    return found, np.take(level.cell, listed), below


def call(kernel: str, **fields: Any) -> None:
    """Run a kernel of the bins on the host."""
    Backend("cpu").bind(f"overset_{kernel}", **fields)()
