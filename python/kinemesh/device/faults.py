"""Fault words of kernels: code, entity, and their meaning."""

from __future__ import annotations

import numpy as np

NONE = np.uint64(2**64 - 1)
AREA, DENSITY, PRESSURE, PIVOT, GRAPH, DIVERGED, PLACE, EDDIES = 1, 2, 3, 4, 5, 6, 7, 8
GENTLER = "a smaller CFL number (cfl, cfl_max; rk_cfl of Runge-Kutta) or max_change"
TEXTS = {
    AREA: (
        "area of a cell or dual volume is not positive",
        "smaller steps, or another deformation",
    ),
    DENSITY: ("density is not positive", GENTLER),
    PRESSURE: ("pressure is not positive", GENTLER),
    PIVOT: ("singular diagonal block in the factorisation", "a smaller CFL number"),
    DIVERGED: ("the residual grew 1e5-fold", "a smaller CFL number (cfl, cfl_max, cfl_growth)"),
    EDDIES: ("the turbulent viscosity nu~ is not a number", "a smaller CFL number (cfl, cfl_max)"),
    GRAPH: (
        "an element of the Delaunay graph folds",
        "new graphs on the way (Delaunay(retriangulate=True)), a smaller motion, rigid motion, or "
        "springs on a mesh",
    ),
}


OF_FLOW = (DENSITY, PRESSURE, PIVOT, DIVERGED, EDDIES)
"""Codes of a flow that went wrong, whatever the cause."""


def decode(word: np.uint64) -> tuple[int, int]:
    """(code, entity) of a fault word."""
    return int(word) >> 32, int(word) & 0xFFFFFFFF


def in_words(code: int) -> tuple[str, str]:
    """Meaning of a fault code, and the remedy."""
    return TEXTS.get(code, (f"fault {code}", "a report of this message"))
