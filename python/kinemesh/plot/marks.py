"""Marks in figures: cases that failed, not converged, not periodic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.plot.style import DARK
from kinemesh.results import run_table

if TYPE_CHECKING:
    from kinemesh.results import Run

Masks = dict[str, NDArray[np.bool_]]

UNCONVERGED, OPEN, FAILED, NOT_RUN = "did not converge", "not periodic", "failed", "not run"
UNKNOWN = "periodic or not: unknown"
MARKERS = {UNCONVERGED: "o", OPEN: "s", FAILED: "x", NOT_RUN: "+"}


def unconverged(run: Run, member: int) -> str:
    """Sentence on a member that did not converge, or whose last cycle did not; else nothing."""
    part = run.history.member(member)
    if run.history.kind == "unsteady":
        last = part["converged"][part["cycle"] > part["cycle"][-1] - 1]
        of = "steps" if run.history.by_time else "steps of the last cycle"
        bad = int((last == 0).sum())
        return f"{bad} of {len(last)} {of} did not converge" if bad else ""
    row = {name: values[member] for name, values in run_table.columns(run).items()}
    if row["converged"] is not False:
        return ""
    drop = row.get("residual_drop")
    drop = part["residual"][-1] if drop is None else drop
    return f"{UNCONVERGED}: residual {drop:.1e} after {part['iteration'][-1]} iterations"


class Marked(NamedTuple):
    """State of a case whose loop is drawn; `periodic` is None where it is unknown."""

    converged: bool
    periodic: bool | None


def masks_of(found: Any) -> Masks:
    """Which cases of a sweep's Dataset have each of the marks, in the shape of `state`."""
    state = found["state"].values
    masks = {NOT_RUN: state == 0, FAILED: state == 2}
    if "converged" in found:
        masks[UNCONVERGED] = (state == 1) & ~found["converged"].values
    if "periodic" in found:
        periodic = found["periodic"].values
        masks[OPEN] = (state == 1) & (periodic == 0)
        masks[UNKNOWN] = (state == 1) & np.isnan(periodic)
    return masks


def put(
    axes: Any,
    x: NDArray[Any],
    y: NDArray[Any],
    masks: Mapping[str, NDArray[Any]],
    halo: float = 2.4,
) -> None:
    """Draw the marks at the places of the cases, each with its number in the legend.

    `halo` is the width of the white line about each [points].
    """
    from matplotlib.patheffects import withStroke

    white = [withStroke(linewidth=halo, foreground="white")]  # to be seen on any colour
    for text, mask in masks.items():
        if mask.any():
            style = {"linestyle": "none", "color": DARK, "markerfacecolor": "none"}
            marker = MARKERS.get(text, "none")
            size = {"o": 9, "s": 3.5}.get(marker, 6)  # a square within a circle is seen
            axes.plot(x[mask], y[mask], marker, markersize=size, path_effects=white,
                      label=f"{text} ({mask.sum()})", **style)  # fmt: skip


def words(marked: Mapping[int, Marked], lost: Mapping[str, int]) -> list[tuple[str, str]]:
    """Markers and words of a legend: the marks of loops, and the numbers of cases without one."""
    counts = {
        UNCONVERGED: sum(not case.converged for case in marked.values()),
        OPEN: sum(case.periodic is False for case in marked.values()),
        UNKNOWN: sum(case.periodic is None for case in marked.values()),
    }
    found = [(MARKERS.get(text, "none"), f"{text} ({n})") for text, n in counts.items() if n]
    out = ", ".join(f"{n} {text}" for text, n in lost.items() if n)
    return [*found, *([("none", f"left out: {out}")] if out else [])]
