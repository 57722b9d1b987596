"""Pressures on walls: of steady ones cp, of unsteady ones mean and first harmonic per motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.errors import CaseError
from kinemesh.plot.style import BLUE, GREY, RED, figure_of, headed, literal, styled, wrapped
from kinemesh.plot.titles import titled
from kinemesh.plot.units import CHORDS, Unit
from kinemesh.plot.wall_pressures import DOTS, singular
from kinemesh.results.sections import extreme

if TYPE_CHECKING:
    from kinemesh.results.pressures import Pressures


@styled
def unsteady_pressures(
    found: Mapping[str, Pressures],
    title: str | None = None,
    unit: Unit = CHORDS,
    places: Unit | None = None,
) -> Any:
    """Figure of the mean cp and of its complex first harmonic along the chord; a row per body.

    The leading edge divides the wall into upper and lower side.  The harmonic is per unit of the
    motion where the motion has one degree of freedom; else it is f of Re(f e^(i phi)).  The title
    is that of the run, "" for none; `unit` tells what the chord of the bodies is called, and
    `places` by what places are divided where that is another length, as of sections of a sphere.

    Raises
    ------
    CaseError    pressures of a steady flow, of which `sections` draws cp
    """
    for marker, one in found.items():
        if not len(one.harmonics):
            raise CaseError(
                f"unsteady_pressures: {marker} is of a steady flow, without harmonics; "
                "km.plot.sections draws its cp"
            )
    figure = figure_of(9.6, 3.1 * len(found))
    grid = figure.subplots(len(found), 3, squeeze=False)
    for row, (marker, body) in zip(grid, found.items(), strict=True):
        first = body.harmonics[0] if body.per_motion is None else body.per_motion
        parts = (
            (body.mean, "mean", "$c_p$"),
            (first.real, _part(body, unit, "in phase", "cosine"), "$c_{p,1}$"),
            (first.imag, _part(body, unit, "a quarter turn ahead", "minus sine"), "$c_{p,1}$"),
        )
        for axes, (values, name, symbol) in zip(row, parts, strict=True):
            _draw(axes, body, values)
            axes.set(xlabel=(places or unit).axis("x"), ylabel=symbol)
            axes.set_title(name)
        if len(found) > 1:
            row[0].set_ylabel(f"{literal(marker)}\n$c_p$")
    if any(_sharp(body) for body in found.values()):
        grid[0, 0].plot([], [], ".", color=GREY, markersize=3, label=DOTS)
    handles = grid[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3, fontsize=8)
    told = titled(title, *found.values())
    if told:
        figure.suptitle(wrapped(told, 120), fontsize=10)
    return figure


@styled
def sections(found: Mapping[str, Pressures], title: str | None = None) -> Any:
    """Figure of cp along the chord of sections of a wing, or of bodies: a panel for each.

    Of unsteady runs the mean over the cycle.  The title is that of the run, "" for none.

    Parameters
    ----------
    found : of `run.pressures`, such as `run.pressures(section=0.44) | run.pressures(section=0.9)`
    """
    if not found:
        raise CaseError("sections: nothing to draw, expected pressures of run.pressures(section=)")
    across = min(len(found), 4)
    down = -(-len(found) // across)
    figure = figure_of(*((4.6, 3.8) if len(found) == 1 else (2.5 * across, 2.4 * down + 0.4)))
    panels = np.ravel(figure.subplots(down, across, sharex=True, sharey=True, squeeze=False))
    for axes, (name, body) in zip(panels, found.items(), strict=False):
        _draw(axes, body, body.mean, flip=False)
        axes.set_title(name)
        axes.set_xlabel("$x/c$")
    for axes in panels[len(found) :]:
        axes.set_axis_off()
    for axes in panels[::across]:
        axes.set_ylabel("$c_p$")
    panels[0].invert_yaxis()
    if across > 1:
        half_chords(panels)
    if any(_sharp(body) for body in found.values()):
        panels[0].plot([], [], ".", color=GREY, markersize=3, label=DOTS)
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3, fontsize=8)
    headed(figure, titled(title, *found.values()))
    return figure


def half_chords(panels: Iterable[Any]) -> None:
    """Put ticks at every half of the chord: those at ends of panels side by side have room."""
    from matplotlib.ticker import MultipleLocator

    for axes in panels:
        axes.xaxis.set_major_locator(MultipleLocator(0.5))


def _part(body: Pressures, unit: Unit, of_motion: str, else_of: str) -> str:
    """Label of a component of the first harmonic, with its unit."""
    if body.motion is None:
        return f"first harmonic, {else_of}"
    return f"{of_motion}, per {'radian' if body.motion == 'alpha' else unit.over(body.motion)}"


def _sharp(body: Pressures) -> set[int]:
    """Nodes at sharp corners of a body, and their neighbours."""
    points, at = np.stack([body.x, body.y], axis=1), np.arange(len(body.x))
    walls = np.stack([at, np.roll(at, -1)], axis=1)
    return singular(points, walls if body.closed else walls[:-1])


def _draw(axes: Any, body: Pressures, values: Any, flip: bool = True) -> None:
    """One quantity on both sides of a body."""
    leading, count = int(extreme(-body.x)[0]), len(body.x)
    end = [0] if body.closed else []
    sides = [np.arange(leading + 1), np.r_[leading:count, end].astype(int)]
    if body.y[sides[0]].mean() < body.y[sides[1]].mean():
        sides.reverse()
    styles = (("-", BLUE, "upper side"), ("--", RED, "lower side"))  # equal curves show both
    sharp = _sharp(body)
    for side, (line, colour, label) in zip(sides, styles, strict=True):
        alone = np.isin(side, list(sharp))
        axes.plot(body.x[side], np.where(alone, np.nan, values[side]), line, color=colour,
                  label=label)  # fmt: skip
        axes.plot(body.x[side[alone]], values[side[alone]], ".", color=colour, markersize=3)
    if flip:
        axes.invert_yaxis()
    axes.margins(0.04)
