"""Figures of histories: loops of unsteady runs, convergence of steady ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.plot.style import BLUE, BODIES, DARK, RED, figure_of, phase_axis, styled, wrapped
from kinemesh.study.hysteresis import reference_loop

if TYPE_CHECKING:
    from kinemesh.io.history import History
    from kinemesh.loops.harmonics import Coefficient
    from kinemesh.loops.loop import Loop

FAR = 4.0  # how many times the range of what follows a start may have and still be drawn
DASHES = ("-", (0, (5, 2)), (0, (3, 1.5, 1, 1.5)))  # of bodies, whose curves may be equal
UP, DOWN = r"$\uparrow$", r"$\downarrow$"


SYMBOLS = {"cl": "$c_l$", "cd": "$c_d$", "cm": "$c_m$", "power": "$c_P$"}
TITLES = {
    "cl": "lift",
    "cd": "drag",
    "cm": "pitching moment, nose-up positive",
    "power": "power that moves the bodies",
}


def hysteresis(
    loop: Loop,
    reference: Loop | str | Path | None = None,
    path: str | Path | None = None,
    title: str = "",
) -> Any:
    """Figure of cl and cm against alpha (against phase where the body does not pitch).

    Several bodies have a line each beside that of all of them, their cm about their own pivots; of
    bodies that do not turn, about their own points (docs/results.md).
    Arrows show the direction in time.  The reference is dashed; the legend has the rms distance to
    the reference.  Steps that did not converge are marked, and counted in the legend.  A loop that
    is not periodic is drawn open; the legend has its change from the cycle before.
    """
    other = None if reference is None else reference_loop(reference)
    return _hysteresis(loop, other, title, path=path)


@styled
def _hysteresis(loop: Loop, reference: Loop | None, title: str) -> Any:
    figure = figure_of(7.2, 3.6 if title else 3.3)
    if title:
        figure.suptitle(wrapped(title, 90), fontsize=10)
    pitches = bool(np.ptp(loop.alpha_deg) > 0)
    away = None if reference is None else loop.compare(reference)
    bodies = list(_of_bodies(loop))
    second = "cd" if np.isnan(loop.cm.mean) and loop.cd is not None else "cm"
    for axes, name in zip(figure.subplots(1, 2), ("cl", second), strict=True):
        distance = getattr(away, name, None)
        if reference is not None and distance is not None and np.isfinite(distance.rms):
            share = 100 * distance.rms
            x, y, _ = curve(reference, name, pitches)
            label = f"{reference.label}\nrms difference {share:.2g} % of amplitude"
            axes.plot(x, y, "--", color=DARK, linewidth=1.1, label=label, zorder=3)
        said = _change(loop, getattr(loop, name))
        x, y, at = curve(loop, name, pitches)
        for marker, colour, one in bodies:
            own, load, _ = curve(one, name, pitches, loop.periodic)
            own_point = " (own pivot)" if loop.bodies[marker].turns else " (own point)"
            about = own_point if name == "cm" else ""
            style = {"color": colour, "linestyle": DASHES[BODIES.index(colour) % len(DASHES)]}
            axes.plot(own, load, linewidth=1.1, label=f"{marker}{about}", **style)
        axes.plot(x, y, color=BLUE, label=f"{'all bodies' if bodies else 'kinemesh'}{said}")
        if loop.periodic is False:
            axes.plot(x[[0, -1]], y[[0, -1]], "s", color=BLUE, markersize=3.5)
        if pitches:
            _arrows(axes, x, y)
        if pitches:
            axes.set_xlabel(r"$\alpha$ [deg]")
        else:
            phase_axis(axes)
        axes.set_ylabel(SYMBOLS[name])
        axes.set_title(TITLES[name])
        axes.margins(0.06)
        if loop.unconverged:
            _marks(axes, loop, x[at], y[at])
        if reference is not None or loop.unconverged or said or bodies:
            rows = sum(1 + text.count("\n") for text in axes.get_legend_handles_labels()[1])
            low, high = axes.get_ylim()
            axes.set_ylim(low, high + max(0.28, 0.08 * rows) * (high - low))
            axes.legend(loc="upper left", fontsize=7.5)
    return figure


def _of_bodies(loop: Loop) -> Iterator[tuple[str, str, Loop]]:
    """Marker, colour and loop of each of several bodies."""
    if len(loop.bodies) < 2:
        return
    order = np.argsort(_in_time(loop))  # loads of bodies are in the order of time
    for k, (marker, body) in enumerate(loop.bodies.items()):
        loads = {n: getattr(body, n) for n in ("cl", "cm")}
        loads = {n: replace(one, values=one.values[order]) for n, one in loads.items()}
        yield marker, _colour(k), replace(loop, **loads)


def _colour(body: int) -> str:
    """Colour of a body; the first of all is that of their sum."""
    return BODIES[1 + body % (len(BODIES) - 1)]


def _in_time(loop: Loop) -> NDArray[np.intp]:
    """Steps of a loop, which are in the order of phases, from the first of its cycle on."""
    last = int(np.argmin(np.abs((loop.phase_deg - 360 * loop.cycles + 180) % 360 - 180)))
    return np.roll(np.arange(loop.steps), -last - 1)


def _marks(axes: Any, loop: Loop, x: NDArray[Any], y: NDArray[Any]) -> None:
    """Circles at the steps that did not converge."""
    assert loop.converged is not None
    bad = np.flatnonzero(~loop.converged)
    label = f"{len(bad)} of {loop.steps} steps not converged"
    style = {"color": RED, "markerfacecolor": "none", "markersize": 4.5, "zorder": 5}
    axes.plot(x[bad], y[bad], "o", label=label, **style)


def _change(loop: Loop, one: Coefficient) -> str:
    """What must be said of a coefficient whose loop is not periodic, or not known to be."""
    if loop.periodic or one.share is None:
        return "" if loop.periodic else "\n(periodic or not: not known of one cycle)"
    return f"\nnot periodic: changes by {100 * one.share:.2g} % a cycle"


def curve(
    loop: Loop, name: str, pitches: bool, periodic: bool | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The loop as a curve, closed unless it is not periodic, and the place of each step in it.

    `periodic` is of a loop whose cycle before is not there.
    """
    one = getattr(loop, name)
    x, y, at = loop.alpha_deg if pitches else loop.phase_deg, one.values, np.arange(loop.steps)
    if loop.periodic is not False and periodic is not False:
        return np.r_[x, x[0] if pitches else x[0] + 360], np.r_[y, y[0]], at
    order = _in_time(loop)
    last = order[-1]
    if not pitches:
        x = np.where(at > last, x, x + 360)
    if one.change is None:  # from the first step of the cycle on
        return x[order], y[order], np.argsort(order)
    begin = x[last] if pitches else x[last] - 360
    return np.r_[begin, x[order]], np.r_[one.change.start, y[order]], np.argsort(order) + 1


def _arrows(axes: Any, x: NDArray[Any], y: NDArray[Any], count: int = 4) -> None:
    """Arrow heads along a closed curve, evenly spaced by its length on the paper."""
    dx, dy = np.diff(x) / max(np.ptp(x), 1e-300), np.diff(y) / max(np.ptp(y), 1e-300)
    along = np.r_[0, np.cumsum(np.hypot(dx, dy))]
    for share in (np.arange(count) + 0.5) / count:
        at = np.interp(share * along[-1] + np.array([-0.004, 0.004]) * along[-1], along, x)
        up = np.interp(share * along[-1] + np.array([-0.004, 0.004]) * along[-1], along, y)
        axes.annotate(
            "",
            xy=(at[1], up[1]),
            xytext=(at[0], up[0]),
            arrowprops={"arrowstyle": "-|>", "color": BLUE, "lw": 0, "mutation_scale": 13},
        )


@styled
def loads(history: History, title: str = "", unit: str = "") -> Any:
    """Lift and drag of one member over the time of a run without a cycle.

    Of several bodies lift, drag and moment, a line for each and one for all of them.
    A start far beyond all that follows, as an impulsive one is, is told by its value in place of a
    scale that hides the rest.  unit: of the time.
    """
    time = f"time [{unit}]" if unit else "time"
    start = "angle_deg_"
    markers = [n.removeprefix(start) for n in history.columns if n.startswith(start)]
    markers = [n for n in markers if np.isfinite(history[f"cl_{n}"]).any()]  # of this member
    if len(markers) > 1:
        return _loads_of(history, markers, title, time)
    figure = figure_of(6.4, 3.3)
    axes = figure.subplots()
    right = axes.twinx()
    drag = history["cd"]
    axes.plot(history["time"], history["cl"], color=BLUE)
    right.plot(history["time"], drag, color=RED)
    _limit(right, history["time"], (RED, drag))
    _limit(axes, history["time"], (BLUE, history["cl"]))
    axes.set(xlabel=time, title=wrapped(title, 68))
    axes.set_ylabel("$c_l$", color=BLUE)
    right.set_ylabel("$c_d$", color=RED)
    right.grid(False)
    right.spines["right"].set_visible(True)
    axes.margins(x=0.01)
    return figure


def _limit(axes: Any, time: NDArray[np.float64], *lines: tuple[str, NDArray[np.float64]]) -> None:
    """The range of all that is drawn; where its first tenth is far beyond, of what follows.

    Marks at the edge then tell the values that lie beyond it.
    """
    every = np.concatenate([line for _, line in lines])
    later = np.concatenate([line[len(line) // 10 :] for _, line in lines])
    shown = later if np.ptp(every) > FAR * np.ptp(later) > 0 else every
    low, high = shown.min() - 0.1 * np.ptp(shown), shown.max() + 0.1 * np.ptp(shown) + 1e-9
    axes.set_ylim(low, high)
    beyond = [
        (colour, line[at], time[at])
        for colour, line in lines
        for at in dict.fromkeys((int(np.argmax(line)), int(np.argmin(line))))
        if not low <= line[at] <= high
    ]
    for number, (colour, value, when) in enumerate(beyond):
        up = value > high
        place = {"x": 0.04, "y": 0.97 - 0.07 * number if up else 0.03 + 0.07 * number}
        text = (UP if up else DOWN) + f" {value:.3g} at {when:.3g}"
        style = {"color": colour, "fontsize": 8, "va": "top" if up else "bottom"}
        axes.text(**place, s=text, transform=axes.transAxes, **style)


def _loads_of(history: History, markers: Sequence[str], title: str, time: str) -> Any:
    """Panels of lift, drag and moment over time: bodies, whose cm is about their own points."""
    figure = figure_of(6.4, 6.0)
    panels = figure.subplots(3, 1, sharex=True)
    for axes, name, symbol in zip(panels, ("cl", "cd", "cm"), "ldm", strict=True):
        lines = {marker: history[f"{name}_{marker}"] for marker in markers}
        for k, (marker, load) in enumerate(lines.items()):
            style = {"color": _colour(k), "linestyle": DASHES[k % len(DASHES)]}
            axes.plot(history["time"], load, linewidth=1.3, label=marker, **style)
        axes.plot(history["time"], history[name], color=BLUE, label="all bodies")
        each = [(_colour(k), line) for k, line in enumerate(lines.values())]
        _limit(axes, history["time"], (BLUE, history[name]), *each)
        axes.set_ylabel(f"$c_{symbol}$")
        axes.margins(x=0.01)
    panels[0].set_title(wrapped(title, 68))
    panels[-1].set(xlabel=time, title="moment of each body about its own point")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


@styled
def convergence(history: History, members: Sequence[int] | None = None, title: str = "") -> Any:
    """Residual, and lift and drag, over the iterations of a steady run.

    A line per member, of all or of `members`.
    """
    shown = history.members if members is None else members
    figure = figure_of(6.4, 4.4)
    top, bottom = figure.subplots(2, 1, sharex=True)
    right = bottom.twinx()
    for m in shown:
        part = history.member(m)
        at, fade = part["iteration"], 1 - 0.6 * (m - shown[0]) / len(history.members)
        top.semilogy(at, part["residual"], color=BLUE, alpha=fade, label=f"member {m}")
        bottom.plot(at, part["cl"], color=BLUE, alpha=fade)
        right.plot(at, part["cd"], color=RED, alpha=fade)
    top.set_title(wrapped(title, 68))
    top.set_ylabel("residual")
    if 1 < len(shown) <= 8:
        top.legend()
    bottom.set(xlabel="iteration")
    bottom.set_ylabel("$c_l$", color=BLUE)
    right.set_ylabel("$c_d$", color=RED)
    right.grid(False)
    right.spines["right"].set_visible(True)
    top.margins(x=0.01)
    return figure
