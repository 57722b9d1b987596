"""Bins of a mesh in space, as those of the plane (bins.py): a cell is its tetrahedra."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.overset.bins import Bins, bin_places, call, first_bins, first_grid, lists_of
from kinemesh.overset.tetrahedra import Tetrahedra

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

PER_BIN = 4  # cells per bin that a grid is made for
# Cells that a bin lists, over those round a node.  Measured about the ONERA M6, 20 thousand nodes,
# tetrahedra and hexahedra: with 2 and 2 cells per bin 250 and 383 bytes a cell, with 4 and 4 130
# and 148, where a search of a host takes 1.3 and 1.1 times as long.
CROWD = 4


@dataclass(frozen=True, slots=True)
class Level:
    """Cells in grids, as `overset.bins.Level`.

    Parameters
    ----------
    solids : x, parts, corner    of the cells
    cell, grid : (entries,)
    low, scale : (grids, 3)    least place [chord], bins per chord
    across : (grids, 3)
    """

    solids: dict[str, NDArray]
    cell: Ints
    grid: Ints
    low: Floats
    scale: Floats
    across: Ints

    def met(self) -> tuple[Ints, Ints]:
        given = self.solids | {
            "cell": self.cell, "grid": self.grid,
            "low": self.low, "scale": self.scale, "across": self.across,
        }  # fmt: skip
        met = np.empty(len(self.cell), np.int32)
        call("met_3d", **given, met=met)
        begin = np.concatenate([[0], np.cumsum(met, dtype=np.int32)]).astype(np.int32)
        entry, key = np.empty((2, begin[-1]), np.int32)
        first = first_bins(self)[:-1]
        call("bins_3d", **given, first=first, begin=begin, entry=entry, key=key)
        return entry, key

    def parted(self, entry: Ints, key: Ints, crowded: NDArray[np.bool_], size: Ints) -> Level:
        bins, first = np.flatnonzero(crowded), first_bins(self)
        grid = np.searchsorted(first, bins, "right") - 1
        place = bin_places(bins - first[grid], self.across[grid])
        scale, many = self.scale[grid], size[crowded][:, None]
        return Level(
            self.solids,
            np.take(self.cell, entry),
            np.take(np.cumsum(crowded, dtype=np.int32) - 1, key),
            self.low[grid] + place / scale,
            scale * many,
            np.repeat(many, 3, axis=1).astype(np.int32),
        )


def bins_of_solids(points: Floats, solids: Tetrahedra) -> Bins:
    """Bins of cells in space; nodes at points (nodes, 3).

    MeshError where the mesh is so large that its volume is not finite.
    """
    cells = len(solids.parts) - 1
    box, across = first_grid(points, cells, PER_BIN)
    x = np.ascontiguousarray(points, np.float64)
    every = np.arange(cells, dtype=np.int32)
    level = Level(
        {"x": x, "parts": solids.parts, "corner": solids.corner},
        every, np.zeros_like(every), box[:1], box[1:], across[None],
    )  # fmt: skip
    return Bins(box, across, *lists_of(level, CROWD * solids.round_node, PER_BIN))
