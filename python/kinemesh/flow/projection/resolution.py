"""Check of the cells at walls, which a Reynolds number wants thin."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinemesh.errors import warn_of
from kinemesh.sentences import Sentence

LAYER = 5.0  # of a plate's boundary layer at its end, over chord / sqrt(reynolds) (Blasius)
FEW = 2.0  # cells across it, below which it is not resolved


def tell_of_cells(case: Any) -> list[str]:
    """A sentence, also a warning, for each member whose wall cells are thicker than half a layer.

    Parameters
    ----------
    case : Incompressible, whose volumes are measured
    """
    grid, wall, b = case.grid, case.grid.wall, case.backend
    if not len(wall):
        return []
    volume, length = b.get(grid.V), np.hypot(*b.get(wall.device["S"]).T)
    sums = [np.zeros(grid.nodes), np.zeros(grid.nodes)]
    np.add.at(sums[0], wall.node, length)
    np.add.at(sums[1], wall.node, 1)
    node = np.flatnonzero((sums[1] > 0) & (sums[0] > 0))
    height = 2 * volume[node] / sums[0][node]  # a node's dual has half of the cell
    chord = 1.0 if case.chord is None else case.chord
    notes: list[str] = []
    for m, reynolds in enumerate(case.streams["reynolds"].tolist()):
        own = height[grid.member[node] == m]
        if not len(own):
            continue
        thick = float(np.median(own)) / chord
        layer = LAYER / np.sqrt(reynolds)
        if thick * FEW > layer:
            text = (
                f"the cells at the walls are {thick:.2g} chords thick, of a Reynolds "
                f"number of {thick * reynolds:.2g}, and a boundary layer at Reynolds number "
                f"{reynolds:.3g} is about {layer:.2g} chords: it is not resolved, so that loads "
                f"are not those of this Reynolds number; wall_spacing of at most "
                f"{layer / (2 * FEW):.2g}, or a lower reynolds"
            )
            notes.append(Sentence(text, member=m, about="boundary layer not resolved"))
    warn_of(notes)
    return notes
