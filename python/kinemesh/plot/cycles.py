"""The last cycle over its phase: motion, lift, drag, moment and power."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.loops.flapping import MOVES
from kinemesh.plot import references
from kinemesh.plot.histories import SYMBOLS, TITLES, curve
from kinemesh.plot.style import (
    BLUE,
    RED,
    colour_of,
    dashes_of,
    figure_of,
    hush,
    phase_axis,
    styled,
    wrapped,
)
from kinemesh.plot.titles import run_of, titled, unit_of_result
from kinemesh.study.hysteresis import reference_loops

if TYPE_CHECKING:
    from kinemesh.loops.loop import Loop

ANGLE = "rad"  # unit of amplitudes that are angles
STYLES = {"h": "-", "x": "--"}
TURNS = 1e-9  # range of an angle [deg] that is not its rounding
SHORT = 14  # letters of a name that has another one beside it above a panel


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


def _of_shapes(loop: Loop, what: str) -> dict[str, str]:
    """Units (`amplitudes`) or names (`shape_names`) of shapes by the columns of their amplitudes,
    as the run says; none without a run."""
    run, member = run_of(loop)
    told = {} if run is None else run.summary.get("conditions", {}).get(what) or {}
    bodies = {name.partition(": ")[2]: own for name, own in told.items()
              if name.startswith(f"{member}: ")}  # fmt: skip
    ends = {f"_{marker}": own for marker, own in bodies.items()}
    if len(bodies) == 1:
        ends[""] = next(iter(bodies.values()))
    return {f"mode_{j + 1}{end}": text for end, own in ends.items() for j, text in enumerate(own)}


def _amplitudes(axes: Any, phase: NDArray[np.float64], loop: Loop, names: Sequence[str]) -> None:
    """Plot amplitudes of shapes, those that are angles in degrees, beside others on the right."""
    units, called = _of_shapes(loop, "amplitudes"), _of_shapes(loop, "shape_names")
    angles = [name for name in names if units.get(name) == ANGLE]
    right = axes.twinx() if 0 < len(angles) < len(names) else axes
    for k, name in enumerate(names):
        number, _, body = name.removeprefix("mode_").partition("_")
        told, turns = called.get(name) or f"shape {number}", name in angles
        values = np.degrees(loop.modes[name]) if turns else loop.modes[name]
        style = {"color": colour_of(k - 1), "linestyle": dashes_of(k - 1)} if k else {"color": BLUE}
        line = np.r_[values, values[0]]
        (right if turns else axes).plot(
            phase, line, label=f"{told}, {body}" if body else told, **style
        )
    if len(angles) < len(names):
        axes.set_ylabel("amplitudes of shapes")
    if angles:
        right.set_ylabel("twist at the tip [deg]")
    if right is not axes:
        right.grid(False)
        right.spines["right"].set_visible(True)
    if names != angles or len(names) > 1:
        handles = [line for own in dict.fromkeys((axes, right)) for line in own.lines]
        _names_above(right, handles)


def _names_above(axes: Any, lines: Iterable[Any]) -> None:
    """Put names of lines above the panel, right of its title: within, curves meet them."""
    handles = [*lines]
    short = all(len(line.get_label()) <= SHORT for line in handles)
    axes.legend(
        handles=handles, loc="lower right", bbox_to_anchor=(1, 1), ncols=2 if short else 1,
        frameon=False, fontsize=7.5, borderaxespad=0.1,
    )  # fmt: skip


def _shifts(loop: Loop) -> dict[str, NDArray[np.float64]]:
    """Shifts of the pivot that vary over the cycle: h upwards, x downstream [chord]."""
    flapping = loop.flapping
    both = {} if flapping is None else {"h": flapping.h, "x": flapping.x}
    return {n: own for n, own in both.items() if own is not None and np.ptp(own) > MOVES}


def _motion(axes: Any, loop: Loop) -> None:
    """Plot the angle on the left and the shifts on the right, without those that are constant.

    Of a body that bends or twists and does neither, plot the amplitudes of its shapes.
    """
    phase = np.r_[loop.phase_deg, loop.phase_deg[0] + 360]
    axes.set_title("motion")
    phase_axis(axes)
    shifts, turns = _shifts(loop), np.ptp(loop.alpha_deg) > TURNS
    modes = [name for name, own in loop.modes.items() if np.ptp(own) > MOVES]
    if modes and not shifts and not turns:
        _amplitudes(axes, phase, loop, modes)
        return
    right = axes.twinx() if shifts and turns else axes
    if turns or not shifts:
        axes.plot(phase, np.r_[loop.alpha_deg, loop.alpha_deg[0]], color=BLUE)
        axes.set_ylabel(r"$\alpha$ [deg], nose-up", color=BLUE)
    if shifts:
        unit = unit_of_result(loop)
        for name, values in shifts.items():
            line = np.r_[values, values[0]] / unit.size
            right.plot(phase, line, STYLES[name], color=RED, label=unit.over(name))
        right.set_ylabel(", ".join(map(unit.over, shifts)) + unit.told, color=RED)
    elif not turns:
        axes.set_ylim(loop.alpha_deg[0] - 1, loop.alpha_deg[0] + 1)
    if right is not axes:
        right.grid(False)
        right.spines["right"].set_visible(True)
    if len(shifts) > 1:
        _names_above(right, right.lines)
