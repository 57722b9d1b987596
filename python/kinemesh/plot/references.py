"""References in figures of loops: computed loops as lines, measured points as symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.plot.style import BODIES, DARK, DASHES, literal, percent, wrapped

if TYPE_CHECKING:
    from kinemesh.loops.loop import Loop

SYMBOLS_OF_POINTS = ("o", "s", "^", "D", "v")
SEPARATED = {True: "\n", False: ", "}  # a name from what is told of it, by whether it is alone
LONGEST = 30  # letters in a line of a legend


def draw(
    axes: Any, other: Loop, line: tuple[NDArray[Any], NDArray[Any]], name: str, x: str, number: int
) -> Any:
    """Draw a reference and return its artist.

    Parameters
    ----------
    line : the loop as a curve, of a computed one
    name : of the load;  x : "alpha_deg" or "phase_deg"
    number : of the reference among those of its kind
    """
    if other.measured is not None and name in other.measured:
        at = other.measured[x], other.measured[name]
        symbol = SYMBOLS_OF_POINTS[number % len(SYMBOLS_OF_POINTS)]
        colour = DARK if number == 0 else BODIES[1 + number % (len(BODIES) - 1)]
        style = {"color": colour, "markerfacecolor": "none", "markersize": 4, "zorder": 3}
        return axes.plot(*at, symbol, **style)[0]
    colour = DARK if number == 0 else BODIES[1 + (number - 1) % (len(BODIES) - 1)]
    style = {"color": colour, "linewidth": 1.1, "zorder": 3}
    dashes = "--" if number == 0 else DASHES[(number - 1) % len(DASHES)]
    return axes.plot(*line, linestyle=dashes, **style)[0]


def numbers(others: list[Loop]) -> list[int]:
    """Number of each reference among those of its kind, computed or measured."""
    kinds = [other.measured is not None for other in others]
    return [kinds[:k].count(kind) for k, kind in enumerate(kinds)]


def known(loop: Loop, name: str) -> bool:
    """Return True if a loop has finite values of a load."""
    load = loop.load(name)
    return load is not None and bool(np.isfinite(load.mean))


def label(other: Loop) -> str:
    """Label of a reference: of a long path its end, of other words lines of a legend."""
    name = other.label
    if len(name) > LONGEST and " " not in name and "/" in name:
        return literal("\u2026/" + name.rstrip("/").rpartition("/")[2])
    return literal(wrapped(name, LONGEST + 10))


def told(other: Loop, share: float | None, alone: bool) -> str:
    """Label with the rms distance, a share of the amplitude, in a line of its own where there is
    one reference; without a share that of a load that does not change."""
    if share is None:
        return f"{label(other)}{SEPARATED[alone]}constant"
    if not alone:
        return f"{label(other)}, rms {percent(share)}"
    return f"{label(other)}\nrms difference {percent(share)} of amplitude"
