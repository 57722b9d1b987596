"""Figures of the loops of unsteady runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.columns import OF_LOADS
from kinemesh.loops.distance import distances
from kinemesh.plot import references
from kinemesh.plot.style import (
    BLUE,
    RED,
    colour_of,
    dashes_of,
    figure_of,
    hush,
    literal,
    percent,
    phase_axis,
    styled,
    wrapped,
)
from kinemesh.plot.titles import titled
from kinemesh.study.hysteresis import reference_loops

if TYPE_CHECKING:
    from kinemesh.loops.distance import Comparison
    from kinemesh.loops.harmonics import Coefficient
    from kinemesh.loops.loop import Loop

SYMBOLS = {name: own.symbol for name, own in OF_LOADS.items()}
TITLES = {name: own.words for name, own in OF_LOADS.items()}

ALONE = 4.8  # inches across of a panel that is the only one
ROW = 0.068  # height of a row of a legend, of a panel's
MOST = 0.6  # of a panel's height, for its legend


def hysteresis(
    loop: Loop,
    reference: Any = None,
    path: str | Path | None = None,
    title: str | None = None,
    loads: Sequence[str] | None = None,
) -> Any:
    """Figure of cl and cm against alpha (against phase where the body does not pitch).

    `loads` are others of `Loop.load`, in space cy, cm_roll and cm_yaw too.  Without them cd takes
    the place of a cm that is not known, and a load that the loop does not have has no panel.

    Several bodies have a line each beside that of all of them, their cm about their own pivots; of
    bodies that do not turn, about their own points (docs/results.md).
    Arrows show the direction in time.  `reference` is a Loop, a name of a case, a folder, a file or
    a table (`kinemesh.hysteresis`), or a list of several.  Computed ones are dashed lines, of
    measured ones the points are drawn; the legend has the rms distance to each.  Steps that did not
    converge are marked, and counted in the legend.  A loop that is not periodic is drawn open; the
    legend has its change from the cycle before.  The title is that of the run, "" for none.
    """
    others = reference_loops(reference, loop)
    loads = _shown(loop) if loads is None else loads
    if isinstance(loads, str) or not len(loads):
        raise CaseError(f'hysteresis: loads is {loads!r}, expected names of loads, as ["cl", "cd"]')
    missing = [name for name in loads if not references.known(loop, name)]
    if missing:
        raise CaseError(f"hysteresis: {loop.label} has no {', '.join(missing)}")
    return _hysteresis(loop, others, titled(title, loop), loads, path=path)


def _shown(loop: Loop) -> list[str]:
    """Loads of a figure that is not told which: of cl and cm, or cd, those that the loop has."""
    moment = "cm" if references.known(loop, "cm") else "cd"
    return [name for name in ("cl", moment) if references.known(loop, name)]


@styled
def _hysteresis(loop: Loop, others: list[Loop], title: str, loads: Sequence[str]) -> Any:
    width = max(3.6 * len(loads), ALONE)
    figure = figure_of(width, 3.6 if title else 3.3)
    if title:
        figure.suptitle(wrapped(title, int(12.5 * width)), fontsize=10)
    pitches = bool(np.ptp(loop.alpha_deg) > 0)
    away = [distances(loop, other, constant=True) for other in others]
    bodies = list(_of_bodies(loop))
    panels = figure.subplots(1, len(loads), squeeze=False)[0]
    for axes, name in zip(panels, loads, strict=True):
        _references(axes, others, away, name, pitches)
        one_of = loop.load(name)
        assert one_of is not None
        said = _change(loop, one_of)
        x, y, at = curve(loop, name, pitches)
        for k, (marker, one) in enumerate(bodies if name in ("cl", "cm") else ()):
            own, load, _ = curve(one, name, pitches, loop.periodic)
            own_point = " (own pivot)" if loop.bodies[marker].turns else " (own point)"
            about = own_point if name == "cm" else ""
            style = {"color": colour_of(k), "linestyle": dashes_of(k), "zorder": 2.1}
            axes.plot(own, load, linewidth=1.1, label=f"{literal(marker)}{about}", **style)
        _own(axes, loop, name, (x, y), f"{_called(loop)}{said}", pitches)
        if loop.periodic is False and said:
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
    hush(panels)
    _legends(figure, panels)
    return figure


def _legends(figure: Any, panels: Iterable[Any]) -> None:
    """Put legends above the lines, in a figure that is taller where they have many rows."""
    told = [axes.get_legend_handles_labels()[1] for axes in panels]
    every = [sum(1 + text.count("\n") for text in labels) for labels in told]
    taller = max(1.0, (ROW * max(every) + 0.02) / MOST)
    figure.set_figheight(taller * figure.get_figheight())
    for axes, labels, rows in zip(panels, told, every, strict=True):
        if labels != ["kinemesh"]:
            low, high = axes.get_ylim()
            share = (ROW * rows + 0.02) / taller  # of the panel, for the legend above the lines
            axes.set_ylim(low, high + max(0.28, share / (1 - share)) * (high - low))
            axes.legend(loc="upper left", fontsize=7.5)


def _called(loop: Loop) -> str:
    """Label of a loop in its own figure: of a table, which has no `converged`, its own."""
    if len(loop.bodies) > 1:
        return "all bodies"
    return "kinemesh" if loop.converged is not None else references.label(loop)


def _own(
    axes: Any,
    loop: Loop,
    name: str,
    line: tuple[NDArray[Any], NDArray[Any]],
    label: str,
    pitches: bool,
) -> None:
    """Draw the loop of a figure as a line, of a measured one its points and a thin line."""
    if loop.measured is None or name not in loop.measured:
        axes.plot(*line, color=BLUE, label=label)
        return
    at = loop.measured["alpha_deg" if pitches else "phase_deg"], loop.measured[name]
    axes.plot(*line, color=BLUE, linewidth=0.7)
    axes.plot(*at, "o", color=BLUE, markersize=4, label=label)


def _references(
    axes: Any, others: list[Loop], away: list[Comparison], name: str, pitches: bool
) -> None:
    """Draw the references that have a load, with their rms distances in the legend."""
    x = "alpha_deg" if pitches else "phase_deg"
    for other, found, number in zip(others, away, references.numbers(others), strict=True):
        distance = getattr(found, name, None)
        if not references.known(other, name):
            continue
        drawn = references.draw(axes, other, curve(other, name, pitches)[:2], name, x, number)
        share = None if distance is None else distance.rms
        drawn.set_label(references.told(other, share, len(others) == 1))


def _of_bodies(loop: Loop) -> Iterator[tuple[str, Loop]]:
    """Marker and loop of each of several bodies."""
    if len(loop.bodies) < 2:
        return
    order = np.argsort(_in_time(loop))  # loads of bodies are in the order of time
    for marker, body in loop.bodies.items():
        loads = {n: getattr(body, n) for n in ("cl", "cm")}
        loads = {n: replace(one, values=one.values[order]) for n, one in loads.items()}
        yield marker, replace(loop, **loads)


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
    """Sentence about a coefficient that is not periodic, or not known to be."""
    if loop.periodic:  # as a whole: loads beside cl and cm, and one that hardly changes, may not be
        return ""
    if one.share is None:
        return "\n(periodic or not: not known of one cycle)"
    if one.share <= loop.tolerance:
        return ""
    return f"\nnot periodic: changes by {percent(one.share)} a cycle"


def curve(
    loop: Loop, name: str, pitches: bool, periodic: bool | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The loop as a curve, closed unless it is not periodic, and the place of each step in it.

    `periodic` is of a loop whose cycle before is not there.  Of the only cycle of a run nobody
    knows, and its end is not joined to its begin, where the motion may have started.
    """
    one = loop.load(name)
    assert one is not None
    x, y, at = loop.alpha_deg if pitches else loop.phase_deg, one.values, np.arange(loop.steps)
    only = loop.periodic is None and loop.cycles < 2 and loop.converged is not None
    if loop.periodic is not False and periodic is not False and not only:
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
