"""From the word that a kernel leaves behind to an error that names what, where and when."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinemesh.errors import NumericalFault

NONE = np.uint64(2**64 - 1)
AREA, DENSITY, PRESSURE, PIVOT, GRAPH, DIVERGED = 1, 2, 3, 4, 5, 6
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
    GRAPH: (
        "an element of the Delaunay graph folds",
        "new graphs on the way (Delaunay(retriangulate=True)), a smaller motion, rigid motion, or "
        "springs on a mesh",
    ),
}


def decode(word: np.uint64) -> tuple[int, int]:
    """(code, entity) of a fault word."""
    return int(word) >> 32, int(word) & 0xFFFFFFFF


def raise_faults(
    words: np.ndarray, where: str, place: Callable, iterations: np.ndarray | None = None
) -> None:
    """Raise NumericalFault for the first member with a fault.

    Parameters
    ----------
    words : (members,) uint64
    where : str                what was being done, e.g. "step 120 of 192"
    place : callable           (member, entity, code) -> text " at ..." in the user's numbers
    iterations : (members,)    pseudo-steps made, where some were; 0: of the state before them
    """
    for member in np.flatnonzero(words != NONE):
        code, entity = decode(words[member])
        what, remedy = TEXTS.get(code, (f"fault {code}", "a report of this message"))
        when = where if iterations is None else f"{where}, iteration {iterations[member]}"
        raise NumericalFault(
            f"member {member}: {what}{place(int(member), entity, code)} ({when}); try {remedy}"
        )
