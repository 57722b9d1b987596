"""Figures over time and iterations: loads of runs without a cycle, convergence of steady ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.plot import channels
from kinemesh.plot.style import (
    BLUE,
    RED,
    WIDE,
    colour_of,
    dashes_of,
    dot,
    ends_of,
    figure_of,
    hush,
    literal,
    styled,
    wrapped,
)

if TYPE_CHECKING:
    from kinemesh.io.history import History

FAR = 4.0  # how many times the range of what follows a start may have and still be drawn
BAND = 0.16  # of the range of an axis, for a mark at its edge
ROWS = 0.75  # of that band, a mark has of several
UP, DOWN = r"$\uparrow$", r"$\downarrow$"
ABOUT = "moment of each body about its own point, of all about the point of the case"


class Load(NamedTuple):
    """Colours and values of the lines that an axis shows."""

    axes: Any
    lines: Sequence[tuple[str, NDArray[np.float64]]]

    def span(self) -> tuple[float, float]:
        """Range of all values; without the first tenth where that is far beyond the rest."""
        every = np.concatenate([line for _, line in self.lines])
        later = np.concatenate([line[len(line) // 10 :] for _, line in self.lines])
        shown = later if np.ptp(every) > FAR * np.ptp(later) > 0 else every
        return float(shown.min()), float(shown.max())


@styled
def loads(history: History, title: str = "", unit: str = "", length: float = 1.0) -> Any:
    """Lift and drag of one member over the time of a run without a cycle; of a channel without
    loads the mass flow through its ends.

    Of several bodies lift, drag and moment, a line for each and one for all of them.
    A start far beyond all that follows, as an impulsive one is, is told by its value in place of a
    scale that hides the rest.  A load that is noise beside the others is drawn on their scale.
    unit: of the time, and `length` what it is of the history's.
    """
    time = f"time [{unit}]" if unit else "time"
    start = "angle_deg_"
    markers = [n.removeprefix(start) for n in history.columns if n.startswith(start)]
    markers = [n for n in markers if np.isfinite(history[f"cl_{n}"]).any()]  # of this member
    if len(markers) > 1:
        loaded = [n for n in markers if _loaded(history, n)]
        return _loads_of(history, loaded, title, time, length)
    at = history["time"] / length
    figure = figure_of(6.4, 3.3)
    axes = figure.subplots()
    if not channels.has_loads(history) and channels.ends(history):
        channels.draw_mass_flow(axes, history, at)
        axes.set(xlabel=time, title=wrapped(title, WIDE))
        axes.margins(x=0.01)
        figure.legend(loc="outside lower center", ncols=4, fontsize=8)
        return figure
    right = axes.twinx()
    axes.plot(at, history["cl"], color=BLUE, **dot(at))
    right.plot(at, history["cd"], color=RED, **dot(at))
    both = (Load(axes, [(BLUE, history["cl"])]), Load(right, [(RED, history["cd"])]))
    limit([both], at)
    axes.set(xlabel=time, title=wrapped(title, WIDE))
    _name_sides(axes, right)
    axes.margins(x=0.01)
    return figure


def _loaded(history: History, marker: str) -> bool:
    """Return True of a body on which a load is; an overset part without walls has none."""
    loads = [history[f"{name}_{marker}"] for name in ("cl", "cd", "cm")]
    return any(bool(np.any(np.nan_to_num(load))) for load in loads)


def _name_sides(left: Any, right: Any) -> None:
    """Lift by the left axis of a panel, drag by the right one."""
    left.set_ylabel("$c_l$", color=BLUE)
    right.set_ylabel("$c_d$", color=RED)
    right.grid(False)
    right.spines["right"].set_visible(True)


def limit(panels: Sequence[Sequence[Load]], time: NDArray[np.float64]) -> None:
    """Set the ranges of all axes of a figure; loads of one panel share theirs.

    Marks at the edges of a panel tell the value of each load that lies farthest beyond it.
    """
    spans = [[load.span() for load in panel] for panel in panels]
    largest = max(high - low for panel in spans for low, high in panel)
    for panel, found in zip(panels, spans, strict=True):
        ends = np.array([ends_of(low, high, largest) for low, high in found])
        wide = ends[:, 1] - ends[:, 0]
        for side, sign in enumerate((-1, 1)):
            marks = []
            for load, own in zip(panel, ends[:, side], strict=True):
                colour, line = max(load.lines, key=lambda one: float((sign * one[1]).max()))
                at = int(np.argmax(sign * line))
                if sign * line[at] > sign * own:
                    marks.append((colour, f"{line[at]:.3g} at {time[at]:.3g}"))
            if marks:  # where no line is but those of the start
                ends[:, side] += sign * BAND * max(1.0, ROWS * len(marks)) * wide
            for row, (colour, text) in enumerate(marks):
                _mark(panel[-1].axes, sign > 0, text, colour, row)
        for load, (low, high) in zip(panel, ends, strict=True):
            load.axes.set_ylim(low, high)


def _mark(axes: Any, up: bool, text: str, colour: str, row: int = 0) -> None:
    """An arrow with words at the end of the upper or lower edge, as a start is at its beginning, or
    so many rows from it."""
    style = {"color": colour, "fontsize": 8, "ha": "right", "va": "top" if up else "bottom"}
    away = (0.0, (-1 if up else 1) * (2.0 + 12.0 * row))  # points
    axes.annotate(f"{UP if up else DOWN} {text}", (0.99, float(up)), xycoords="axes fraction",
                  xytext=away, textcoords="offset points", **style)  # fmt: skip


def _loads_of(
    history: History, markers: Sequence[str], title: str, time: str, length: float
) -> Any:
    """Panels of lift, drag and moment over time; cm of bodies is about their own points."""
    at = history["time"] / length
    figure = figure_of(6.4, 6.0)
    panels, shown = figure.subplots(3, 1, sharex=True), []
    for axes, name, symbol in zip(panels, ("cl", "cd", "cm"), "ldm", strict=True):
        lines = [(BLUE, history[name])]
        for k, marker in enumerate(markers):
            lines.append((colour_of(k), history[f"{name}_{marker}"]))
            style = {"color": colour_of(k), "linestyle": dashes_of(k), "zorder": 2.1, **dot(at)}
            axes.plot(at, lines[-1][1], linewidth=1.3, label=literal(marker), **style)
        axes.plot(at, history[name], color=BLUE, linewidth=2.0, label="all bodies", **dot(at))
        shown.append([Load(axes, lines)])
        axes.set_ylabel(f"$c_{symbol}$")
        axes.margins(x=0.01)
    limit(shown, at)
    panels[0].set_title(wrapped(title, WIDE))
    panels[-1].set(xlabel=time, title=ABOUT)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


@styled
def convergence(history: History, members: Sequence[int] | None = None, title: str = "") -> Any:
    """Residual, lift and drag, and mass flow through ends, over the iterations of a steady run.

    Lift and drag are left out where they are 0, of a channel without walls.
    A line per member, of all or of `members`; the residual of a model of turbulence is dashed.
    """
    eddies = "residual_turbulence"
    shown = history.members if members is None else members
    parts = [history.member(m) for m in shown]
    panels = ["residual"]
    panels += ["loads"] if any(map(channels.has_loads, parts)) else []
    panels += ["mass flow"] if channels.ends(history) else []
    figure = figure_of(6.4, 1.2 + 1.6 * len(panels) if len(panels) > 1 else 3.3)
    found = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    top, below = found[0], dict(zip(panels, found, strict=True))
    right = below["loads"].twinx() if "loads" in below else None
    for m, part in zip(shown, parts, strict=True):
        at, fade = part["iteration"], 1 - 0.6 * (m - shown[0]) / len(history.members)
        name = f"member {m}" if len(shown) > 1 else "gas"
        top.semilogy(at, part["residual"], color=BLUE, alpha=fade, label=name)
        if eddies in history:
            name = "turbulence" if m == shown[-1] else ""
            top.semilogy(at, part[eddies], "--", color=RED, alpha=fade, label=name)
        if right is not None:
            below["loads"].plot(at, part["cl"], color=BLUE, alpha=fade)
            right.plot(at, part["cd"], color=RED, alpha=fade)
        if "mass flow" in below:
            style = {} if m == shown[0] else {"label": ""}
            channels.draw_mass_flow(below["mass flow"], part, at, alpha=fade, **style)
    top.set_title(wrapped(title, WIDE))
    top.set_ylabel("residual")
    if 1 < len(shown) <= 8 or (eddies in history and len(shown) == 1):
        top.legend()
    found[-1].set_xlabel("iteration")
    if right is not None:
        hush((below["loads"], right))
        _name_sides(below["loads"], right)
    if "mass flow" in below:
        below["mass flow"].legend(fontsize=8, ncols=2)
    top.margins(x=0.01)
    return figure
