"""The last cycle over its phase: motion, lift, drag, moment and power."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.loops.flapping import MOVES
from kinemesh.plot import references
from kinemesh.plot.histories import SYMBOLS, TITLES, curve
from kinemesh.plot.style import BLUE, RED, figure_of, hush, phase_axis, styled, wrapped
from kinemesh.plot.titles import titled
from kinemesh.study.hysteresis import reference_loops

if TYPE_CHECKING:
    from kinemesh.loops.loop import Loop

TURNS = 1e-9  # range of an angle [deg] that is not its rounding


def cycle(
    loop: Loop,
    reference: Any = None,
    path: str | Path | None = None,
    title: str | None = None,
) -> Any:
    """Figure of motion, lift, drag, and power over the phase of the last cycle.

    Where the power is not known the moment takes its place.  The angle is nose-up, h upwards, x
    downstream.  The titles have the means of drag and power, and the efficiency.  Dotted lines are
    means; references are as of `hysteresis`, one or a list.  A motion that does not turn has no
    axis of the angle.  The title is that of the run, "" for none.
    """
    return _cycle(loop, reference_loops(reference, loop), titled(title, loop), path=path)


@styled
def _cycle(loop: Loop, others: list[Loop], title: str) -> Any:
    shown = [name for name in ("cl", "cd", "cm") if references.known(loop, name)]
    shown = [*shown[:2], "power"] if loop.power is not None else shown
    down = 1 if len(shown) == 1 else 2
    figure = figure_of(7.2, 2.6 * down + (0.4 if title else 0.0))
    if title:
        figure.suptitle(wrapped(title, 90), fontsize=10)
    panels = figure.subplots(down, 2).ravel()
    _motion(panels[0], loop)
    handles: dict[Any, Any] = {}
    for axes, name in zip(panels[1:], shown, strict=False):
        for k, (other, number) in enumerate(zip(others, references.numbers(others), strict=True)):
            if references.known(other, name):
                line = curve(other, name, False)[:2]
                drawn = references.draw(axes, other, line, name, "phase_deg", number)
                drawn.set_label(references.label(other))
                handles[k] = drawn
        x, y, _ = curve(loop, name, False)
        handles["last cycle"] = axes.plot(x, y, color=BLUE, label="last cycle")[0]
        dotted = {"color": BLUE, "linewidth": 0.9, "linestyle": ":", "label": "mean over the cycle"}
        handles["mean"] = axes.axhline(getattr(loop, name).mean, **dotted)
        axes.set_ylabel(SYMBOLS[name])
        axes.set_title(f"{TITLES[name]}{_said(loop, name)}")
        phase_axis(axes)
    hush([axes for axes, name in zip(panels[1:], shown, strict=False) if name != "power"])
    for axes in panels[1 + len(shown) :]:
        axes.set_visible(False)
    figure.legend(handles=[*handles.values()], loc="outside lower center", ncols=3, fontsize=8)
    return figure


def _said(loop: Loop, name: str) -> str:
    """Mean of a load, with thrust or efficiency, for a panel's title."""
    if name == "cd" and loop.cd is not None:
        thrust = " (thrust)" if loop.cd.mean < 0 else ""
        return f"\nmean {loop.cd.mean:.3g}{thrust}"
    if name == "power":
        share = f", efficiency {loop.efficiency:.3g}" if loop.efficiency is not None else ""
        return f"\nmean {loop.power_in:.3g}{share}"
    return ""


def _lines(loop: Loop) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Name, style and values of each shift of the motion."""
    flapping = loop.flapping
    for name, style, values in (
        ("h/c", "-", None if flapping is None else flapping.h),
        ("x/c", "--", None if flapping is None else flapping.x),
    ):
        if values is not None and np.ptp(values) > MOVES:
            yield name, style, values


def _motion(axes: Any, loop: Loop) -> None:
    """Plot the angle on the left and the shifts on the right, without those that are constant.

    Of a body that bends or twists and does neither, plot the amplitudes of its shapes.
    """
    phase = np.r_[loop.phase_deg, loop.phase_deg[0] + 360]
    axes.set_title("motion")
    phase_axis(axes)
    shifts, turns = list(_lines(loop)), np.ptp(loop.alpha_deg) > TURNS
    modes = {name: own for name, own in loop.modes.items() if np.ptp(own) > MOVES}
    if modes and not shifts and not turns:
        for name, values in modes.items():
            label = f"shape {name.removeprefix('mode_').replace('_', ', ')}"
            axes.plot(phase, np.r_[values, values[0]], label=label)
        axes.set_ylabel("amplitudes of shapes")
        axes.legend(fontsize=7.5)
        return
    right = axes.twinx() if shifts and turns else axes
    if turns or not shifts:
        axes.plot(phase, np.r_[loop.alpha_deg, loop.alpha_deg[0]], color=BLUE)
        axes.set_ylabel(r"$\alpha$ [deg], nose-up", color=BLUE)
    for name, style, values in shifts:
        right.plot(phase, np.r_[values, values[0]], style, color=RED, label=name)
    if shifts:
        right.set_ylabel(", ".join(name for name, _, _ in shifts), color=RED)
    elif not turns:
        axes.set_ylim(loop.alpha_deg[0] - 1, loop.alpha_deg[0] + 1)
    if right is not axes:
        right.grid(False)
        right.spines["right"].set_visible(True)
    if len(shifts) > 1:
        right.legend(fontsize=7.5)
