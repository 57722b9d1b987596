"""Figures of two runs of one case, and of one case on several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.loops.harmonics import interpolate
from kinemesh.plot.histories import SYMBOLS, TITLES
from kinemesh.plot.style import (
    BLUE,
    DARK,
    RED,
    figure_of,
    headed,
    hush,
    literal,
    percent,
    phase_axis,
    quieten,
    styled,
    wrapped,
)
from kinemesh.plot.titles import in_common
from kinemesh.plot.words import label as label_of

if TYPE_CHECKING:
    from kinemesh.loops.loop import Loop
    from kinemesh.study.comparison import Compared
    from kinemesh.study.convergence import Convergence

REMARK = 34  # letters in a line of a remark over a panel


def comparison(compared: Compared, path: str | Path | None = None) -> Any:
    """Figure of two runs of one case: loops one over the other, their difference over the phase.

    Loops are against the angle of each, against the phase where a body does not pitch; differences
    are of the first run minus the second, over the mean of both amplitudes.  Of steady runs the
    loads.
    """
    draw = _loads if compared.loops is None else _loops
    return draw(compared, path=path)


@styled
def _loops(compared: Compared) -> Any:
    assert compared.loops is not None
    assert compared.phase_deg is not None
    loads = compared.loads
    figure = figure_of(max(3.4 * len(loads), 4.0), 5.6)
    panels = figure.subplots(2, len(loads), squeeze=False)
    phase, pitches = compared.phase_deg, all(np.ptp(one.alpha_deg) > 0 for one in compared.loops)
    along = np.r_[phase, phase[0] + 360]
    each = [_angles(loop, phase) if pitches else along for loop in compared.loops]
    for (top, bottom), (name, load) in zip(panels.T, loads.items(), strict=True):
        one, other = (np.r_[v, v[0]] for v in load.values)
        top.plot(each[0], one, color=BLUE, label=literal(compared.labels[0]))
        top.plot(each[1], other, "--", color=RED, linewidth=1.2, label=literal(compared.labels[1]))
        if pitches:
            top.set_xlabel(r"$\alpha$ [deg]")
        else:
            phase_axis(top)
        top.set_ylabel(symbol_of(name))
        top.set_title(wrapped(TITLES.get(name, ""), 40))
        scale = load.scale
        bottom.plot(along, (one - other) * (100 / scale if scale else 1.0), color=DARK)
        bottom.axhline(0.0, color=DARK, linewidth=0.6)
        phase_axis(bottom)
        what = "[% of amplitude]" if scale else "(no amplitude)"
        bottom.set_ylabel(f"difference of {symbol_of(name)}\n{what}")
        if scale:
            told = f"rms {percent(load.rms_share, 3)}, largest {percent(load.largest_share, 3)}"
            bottom.set_title(told)
    hush(panels[0])
    handles = panels[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, fontsize=8)
    noted(figure, [*compared.allowed, *compared.notes], compared.sources)
    return figure


def _angles(loop: Loop, phase_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angle of a loop at the phases at which loops are compared, and at the first one again."""
    found = interpolate(loop.alpha_deg, loop.phase_deg, np.radians(phase_deg))
    return np.r_[found, found[0]]


@styled
def _loads(compared: Compared) -> Any:
    figure = figure_of(max(2.4 * len(compared.loads), 4.0), 3.2)
    panels = figure.subplots(1, len(compared.loads), squeeze=False)[0]
    largest = max(abs(v) for pair in compared.loads.values() for v in (pair.first, pair.second))
    for axes, (name, pair) in zip(panels, compared.loads.items(), strict=True):
        for at, value, colour, label in zip(
            (0, 1), (pair.first, pair.second), (BLUE, RED), compared.labels, strict=True
        ):
            axes.plot([at], [value], "o", color=colour, label=literal(label))
        axes.plot([0, 1], [pair.first, pair.second], color=DARK, linewidth=0.6, zorder=1)
        quieten(axes, (pair.first, pair.second), largest)
        axes.set_xlim(-0.5, 1.5)
        axes.set_xticks([])
        axes.set_ylabel(symbol_of(name))
        share = "" if pair.share is None else f" ({percent(pair.share, 3)})"
        axes.set_title(f"{pair.difference:.2g}{share}")
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, fontsize=8)
    noted(figure, [*compared.allowed, *compared.notes], compared.sources)
    return figure


def sizes(found: Convergence, path: str | Path | None = None) -> Any:
    """Figure of one case on several sizes, or time steps: every quantity over these.

    Where a quantity has an order, a line has its law through the finest three sizes, v0 + c h^p,
    and at size 0 its extrapolated value, with the grid-convergence index about the finest value;
    of an order far from the scheme's the points alone, and the remark.
    """
    return _sizes(found, path=path)


@styled
def _sizes(found: Convergence) -> Any:
    count = len(found.values)
    across = min(count, 4)
    down = -(-count // across)
    figure = figure_of(max(2.9 * across, 4.0), 2.7 * down + 0.3)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    largest = max(float(np.abs(values).max()) for values in found.values.values())
    for axes, (name, values) in zip(panels, found.values.items(), strict=False):
        own = found.orders[name]
        axes.plot(found.sizes, values, "o", color=BLUE, markersize=4)
        told = "no order"
        if own.order is not None:
            told = f"order {own.order:.2f}"
        if own.plausible:
            _law(axes, found, name, own.order, own.extrapolated)
            told += "" if own.index is None else f", index {percent(own.index, 3)}"
        axes.set_title(told + (f"\n{wrapped(own.why, REMARK)}" if own.why else ""), fontsize=8)
        quieten(axes, values, largest)
        axes.set_ylabel(symbol_of(name))
        axes.set_xlim(0.0, None)
        axes.set_xlabel(f"{found.of}, finest = 1")
    for axes in panels[count:]:
        axes.set_visible(False)
    every = [
        pair for axes in panels for pair in zip(*axes.get_legend_handles_labels(), strict=True)
    ]
    marks = {label: handle for handle, label in every}
    figure.legend(marks.values(), marks, loc="outside lower center", ncols=3, fontsize=8)
    noted(figure, found.notes, found.sources)
    return figure


def noted(figure: Any, notes: Sequence[str], sources: Any = ()) -> None:
    """Write over a figure the title that its runs share, and small what takes from its numbers."""
    title, width = in_common(sources), figure.get_figwidth()
    told = "\n".join(wrapped(note, int(18 * width)) for note in notes)
    if not told:
        headed(figure, title)
        return
    head = wrapped(title, int(14 * width))
    figure.suptitle("\n".join(text for text in (head, told) if text), fontsize=8 if head else 7)


def _law(axes: Any, found: Convergence, name: str, order: Any, end: Any) -> None:
    """The law of a quantity between size 0, where it is `end`, and the third size."""
    own, finest = found.orders[name], float(found.values[name][0])
    h = np.linspace(0, float(found.sizes[2]), 60)
    if not own.oscillatory:
        law = end + (finest - end) * h**order
        axes.plot(h, law, color=DARK, linewidth=0.9, zorder=1, label="law of the observed order")
    axes.plot([0], [end], "s", color=RED, markersize=4, clip_on=False, label="extrapolated")
    bars = {"color": RED, "capsize": 3, "linewidth": 0.9, "label": "grid-convergence index"}
    axes.errorbar([found.sizes[0]], [finest], yerr=[own.uncertainty], fmt="none", **bars)


def symbol_of(name: str) -> str:
    """A quantity as the label of an axis: a load, part of one, or the flow through an end."""
    if name in SYMBOLS:
        return SYMBOLS[name]
    load, _, part = name.partition("_")
    return f"{SYMBOLS[load]} {part}" if load in SYMBOLS else label_of(name, True)
