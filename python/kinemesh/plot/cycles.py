"""The last cycle over its phase: motion, lift, drag, moment and power."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.loops.flapping import MOVES
from kinemesh.plot.histories import SYMBOLS, TITLES, curve
from kinemesh.plot.style import BLUE, DARK, RED, figure_of, phase_axis, styled
from kinemesh.study.hysteresis import reference_loop

if TYPE_CHECKING:
    from kinemesh.loops.loop import Loop


def cycle(
    loop: Loop, reference: Loop | str | Path | None = None, path: str | Path | None = None
) -> Any:
    """Figure of motion, lift, drag, and power over the phase of the last cycle.

    Where the power is not known the moment takes its place.  The angle is nose-up, h upwards, x
    downstream.  The titles have mean thrust, mean power and efficiency.  A reference is dashed.
    """
    other = None if reference is None else reference_loop(reference)
    return _cycle(loop, other, path=path)


@styled
def _cycle(loop: Loop, reference: Loop | None) -> Any:
    figure = figure_of(7.2, 5.2)
    panels = figure.subplots(2, 2).ravel()
    _motion(panels[0], loop)
    shown = ["cl", *(["cd"] if loop.cd is not None else []), "cm"]
    shown = [*shown[:2], "power"] if loop.power is not None else shown
    for axes, name in zip(panels[1:], shown, strict=False):
        if _known(reference, name):
            x, y, _ = curve(reference, name, False)  # type: ignore[arg-type]
            axes.plot(x, y, "--", color=DARK, linewidth=1.1, label=reference.label)  # type: ignore[union-attr]
            axes.legend(fontsize=7.5)
        x, y, _ = curve(loop, name, False)
        axes.plot(x, y, color=BLUE)
        axes.axhline(getattr(loop, name).mean, color=BLUE, linewidth=0.8, linestyle=":")
        axes.set_ylabel(SYMBOLS[name])
        axes.set_title(f"{TITLES[name]}{_said(loop, name)}")
        phase_axis(axes)
    for axes in panels[1 + len(shown) :]:
        axes.set_visible(False)
    return figure


def _known(loop: Loop | None, name: str) -> bool:
    """Whether a loop has a load."""
    load = getattr(loop, name, None)
    return load is not None and bool(np.isfinite(load.mean))


def _said(loop: Loop, name: str) -> str:
    """What a title has beside the name of a load."""
    if name == "cd" and loop.thrust is not None:
        return f", mean thrust {loop.thrust:.3g}"
    if name == "power":
        share = f", efficiency {loop.efficiency:.3g}" if loop.efficiency is not None else ""
        return f"\nmean {loop.power_in:.3g}{share}"
    return ""


def _lines(loop: Loop) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Name, style and values of the shifts that there are."""
    flapping = loop.flapping
    for name, style, values in (
        ("h/c", "-", None if flapping is None else flapping.h),
        ("x/c", "--", None if flapping is None else flapping.x),
    ):
        if values is not None and np.ptp(values) > MOVES:
            yield name, style, values


def _motion(axes: Any, loop: Loop) -> None:
    """Angle on the left, shifts on the right."""
    phase = np.r_[loop.phase_deg, loop.phase_deg[0] + 360]
    axes.plot(phase, np.r_[loop.alpha_deg, loop.alpha_deg[0]], color=BLUE)
    axes.set_ylabel(r"$\alpha$ [deg], nose-up", color=BLUE)
    axes.set_title("motion")
    phase_axis(axes)
    shifts = list(_lines(loop))
    if not shifts:
        return
    right = axes.twinx()
    for name, style, values in shifts:
        right.plot(phase, np.r_[values, values[0]], style, color=RED, label=name)
    right.set_ylabel(", ".join(name for name, _, _ in shifts), color=RED)
    right.grid(False)
    right.spines["right"].set_visible(True)
    if len(shifts) > 1:
        right.legend(fontsize=7.5)
