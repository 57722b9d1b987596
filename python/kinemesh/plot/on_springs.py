"""Figure of the motion of a body on springs: its coordinates over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.plot.style import BLUE, GREY, WIDE, dot, figure_of, styled, wrapped
from kinemesh.plot.units import Unit

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.results import Run

ANGLES = {"alpha": r"pitch $\alpha$ [deg]", "angle": "pitch [deg]"}  # of coordinates, in degrees
SHIFTS = {"h": "plunge", "x": "shift", "y": "shift"}  # those that are lengths


def names_of(run: Run) -> list[str]:
    """Names of the coordinates of a run; none where no body stands on a structure."""
    return list(run.summary["conditions"].get("coordinates", {}).get("names", []))


def _is_mode(name: str) -> bool:
    return name.startswith("mode_")


def _scaled(name: str, values: Any, size: float) -> Any:
    """Coordinates in degrees, in the unit of lengths, or of modes as they are."""
    if _is_mode(name):
        return values
    return np.degrees(values) if name in ANGLES else values * size


@styled
def coordinates(
    history: History,
    names: Sequence[str],
    title: str,
    unit: Unit,
    time: str,
    reference: float = 1.0,
) -> Any:
    """Coordinates of one member over time, a panel each: shifts in the unit, angles in degrees.

    Parameters
    ----------
    names : of the coordinates
    unit, time : of lengths, and the words of that of times
    reference : length to which the history's shifts refer, in lengths of the mesh
    """
    figure = figure_of(6.4, 1.5 + 1.7 * len(names))
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for axes, name in zip(panels, names, strict=True):
        values = history[f"q_{name}"]
        values = _scaled(name, values, reference / unit.size)
        axes.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
        axes.plot(history["time"] / unit.size, values, color=BLUE, **dot(values))
        label = f"{SHIFTS.get(name, '')} {unit.over(name)}{unit.told}".strip()
        axes.set_ylabel(name.replace("_", " ") if _is_mode(name) else ANGLES.get(name, label))
        axes.margins(x=0.01)
    panels[0].set_title(wrapped(title, WIDE))
    panels[-1].set_xlabel(f"time [{time}]")
    return figure
