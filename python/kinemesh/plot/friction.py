"""Figures of viscous flow at walls: friction along them, profiles of boundary layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.plot.style import BLUE, BODIES, DARK, GREY, NARROW, RED, figure_of, styled, wrapped
from kinemesh.plot.titles import titled
from kinemesh.plot.units import CHORDS, Unit, unit_of
from kinemesh.plot.wall_pressures import DASHED, DOTS, singular
from kinemesh.results.sections import extreme

if TYPE_CHECKING:
    from kinemesh.results.along_walls import Wall
    from kinemesh.results.boundary_layers import Layer

LONGEST = 40  # letters of a legend's row, of which there are two side by side
KAPPA, OFFSET = 0.41, 5.0  # of the logarithmic law of the wall
DECADES = 2.5  # of an axis, below which there are names between powers of ten
BUFFER = 11.0  # y+ where its two parts meet
NOSE = 0.1  # share of a wall whose friction may lie beyond the axis
HIGH, LOW = 2.0, 1.2  # ends of the axis over the largest friction behind the nose, the least one
ALL = 1.08  # upper end of the axis over the largest friction, at most
BELOW = 0.04  # of the axis: what it has below 0 or the least friction, so that 0 is seen
BUBBLE = 0.02  # share of a side's length that reversed flow at the nose must have to be shown


@styled
def friction(found: Mapping[str, Wall], title: str | None = None, unit: Unit | None = None) -> Any:
    """Friction coefficient along the walls, by side, or of several bodies by body.

    The lower side is dashed, as that of a symmetric flow lies on the upper one.  The axis is that
    of the friction behind the first tenth of each wall, the rest may lie beyond it.  Values at
    sharp corners and next to them, of a flow that no mesh resolves, are dots that no line joins.
    Friction of reversed flow is negative; the axis always has 0, and what a fiftieth of a side or
    more has below it.  The title is that of the run, "" for none; `unit` is what places are in,
    without one they are drawn in that of the run.
    """
    if any(wall.z is not None for wall in found.values()):
        raise CaseError(
            "friction: the walls are in space, where friction is no line along x; friction.png "
            "of the run's folder has it from above and below (km.plot.surface_friction)"
        )
    if unit is None:
        unit = _unit(found)
        found = unit.of_walls(found)
    figure = figure_of(5.6, 3.8)
    axes = figure.subplots()
    for k, (marker, wall) in enumerate(found.items()):
        for rows, upper, along in _along(wall):
            colour = BODIES[k % len(BODIES)] if len(found) > 1 else BLUE if upper else RED
            side = "upper side" if upper else "lower side"
            label = f"{marker}, {side}" if len(found) > 1 else side
            style = "-" if upper else DASHED
            alone = _sharp(wall)[rows]
            cf = np.where(alone, np.nan, along)
            axes.plot(wall.x[rows], cf, color=colour, linestyle=style, label=label)
            at = rows[alone]
            axes.plot(wall.x[at], wall.cf[at], ".", color=colour, markersize=3)
    axes.axhline(0.0, color=DARK, linewidth=0.7)
    if any(_sharp(wall).any() for wall in found.values()):
        axes.plot([], [], ".", color=GREY, markersize=3, label=DOTS)
    axes.set_ylim(*_axis(list(found.values())))
    axes.set(xlabel=unit.axis("x"), ylabel="$c_f$")
    axes.set_title(wrapped(titled(title, *found.values()), NARROW))
    axes.margins(x=0.02)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    return figure


def _along(wall: Wall) -> Iterator[tuple[NDArray[np.int64], bool, NDArray[np.float64]]]:
    """Nodes of each side, whether it is the upper one, and its friction.

    An end that both sides have may stand across the stream, and its sign be that of the other side,
    as at the rear of a cylinder: it is the one by which the end is next to its neighbour.
    """
    sides = list(_sides(wall))
    every = np.concatenate([rows for rows, _ in sides])
    for rows, upper in sides:
        cf = wall.cf[rows]
        for end, beside in ((0, 1), (-1, -2)):
            if np.sum(every == rows[end]) > 1:
                cf[end] = min(cf[end], -cf[end], key=lambda value: abs(value - cf[beside]))
        yield rows, upper, cf


def _unit(found: Mapping[str, Wall]) -> Unit:
    """Unit of the figures of the run that walls are of; chords where there is none."""
    sources = [wall.source for wall in found.values() if wall.source is not None]
    if not sources:
        return CHORDS
    run, member = sources[0]
    return unit_of(run, run.fields(member=member))


def _axis(walls: list[Wall]) -> tuple[float, float]:
    """Ends of the axis of friction."""
    ends = np.array([_range(wall) for wall in walls])
    low, high = min(0.0, LOW * ends[:, 0].min()), max(0.0, ends[:, 1].max())
    high = high if high > low else 1.0
    return low - BELOW * (high - low), high


def _range(wall: Wall) -> tuple[float, float]:
    """Least friction behind the nose, or in a bubble there, and the largest one to be shown; both
    but for sharp corners."""
    behind = wall.x >= wall.x.min() + NOSE * np.ptp(wall.x)
    sharp = _sharp(wall)
    smooth = behind & ~sharp
    cf = wall.cf[smooth if smooth.any() else behind]
    most = wall.cf[~sharp].max(initial=cf.max())
    least = [float(cf.min()), *(_reversed(wall, rows[~sharp[rows]]) for rows, _ in _sides(wall))]
    return min(least), float(min(HIGH * cf.max(), ALL * most))


def _reversed(wall: Wall, rows: NDArray[np.int64]) -> float:
    """Friction below which a fiftieth of a side lies, or 0 if that is more."""
    if len(rows) < 2:
        return 0.0
    step = np.hypot(np.diff(wall.x[rows]), np.diff(wall.y[rows]))
    size = 0.5 * (np.append(step, 0.0) + np.append(0.0, step))
    order = np.argsort(wall.cf[rows])
    below = np.cumsum(size[order]) >= BUBBLE * size.sum()
    return min(0.0, float(wall.cf[rows][order][np.argmax(below)]))


def _closed(wall: Wall) -> bool:
    """True of a wall that ends where it begins."""
    points = np.stack([wall.x, wall.y], axis=1)
    step = np.hypot(*np.diff(points, axis=0).T).max()
    return bool(np.hypot(*(points[0] - points[-1])) < 2 * step)


def _sharp(wall: Wall) -> NDArray[np.bool_]:
    """(nodes,) those at sharp corners, and their neighbours."""
    at = np.arange(len(wall.x))
    edges = np.stack([at, np.roll(at, -1)], axis=1)
    points = np.stack([wall.x, wall.y], axis=1)
    return np.isin(at, list(singular(points, edges if _closed(wall) else edges[:-1])))


def _sides(wall: Wall) -> Iterator[tuple[NDArray[np.int64], bool]]:
    """Nodes of each side from its leading edge on, and whether it is the upper one.

    The gas is on the left of a wall, so that the upper side goes downstream.
    """
    count, nose = len(wall.x), int(extreme(-wall.x)[0])
    rows = np.arange(count)
    if nose in (0, count - 1):
        yield (rows if nose == 0 else rows[::-1]), nose == 0
        return
    yield np.append(rows[nose:], [0] if _closed(wall) else []).astype(np.int64), True
    yield rows[nose::-1], False


def _name_few_decades(axes: Any) -> None:
    """Name 1, 2 and 5 of each decade of a short logarithmic axis, where names of all meet."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = axes.get_xlim()
    if np.log10(high / low) < DECADES:
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


@styled
def layers(found: Mapping[str, Layer], title: str | None = None) -> Any:
    """Velocity in boundary layers over the distance from the wall, both in wall units.

    Grey lines are the law of the wall: u+ = y+, and u+ = ln(y+) / 0.41 + 5.  Every second layer is
    dashed, as both sides of a symmetric flow have the same.  The title is that of the run, "" for
    none.
    """
    figure = figure_of(5.6, 3.8)
    axes = figure.subplots()
    inner, outer = np.geomspace(0.1, BUFFER, 60), np.geomspace(BUFFER, 1e4, 60)
    law = {"color": GREY, "linewidth": 1.0, "linestyle": "--"}
    axes.plot(inner, inner, **law, label="law of the wall, turbulent")
    axes.plot(outer, np.log(outer) / KAPPA + OFFSET, **law)
    for k, (name, own) in enumerate(found.items()):
        up = np.where(own.cf < 0, -own.u_plus, own.u_plus)  # in the direction of the friction
        text = f"{name}, $c_f$ = {own.cf:.4g}"
        style = {"color": BODIES[k % len(BODIES)], "linestyle": DASHED if k % 2 else "-"}
        axes.semilogx(own.y_plus[1:], up[1:], marker=".", markersize=3, label=text, **style)
    ends = [float(f(own.y_plus[1:])) for own in found.values() for f in (np.min, np.max)]
    most = max(ends) if max(ends) < BUFFER else max([*ends, 100.0])  # of few cells, or laminar
    axes.set_xlim(min([*ends, 1.0]) / 1.5, most * 1.5)
    _name_few_decades(axes)
    axes.set_ylim(0.0, 1.15 * max(float(own.u_plus.max()) for own in found.values()))
    axes.set(xlabel="$y^+$", ylabel="$u^+$")
    axes.set_title(wrapped(titled(title, *found.values()), NARROW))
    longest = max(map(len, axes.get_legend_handles_labels()[1]))
    figure.legend(loc="outside lower center", ncols=1 if longest > LONGEST else 2, fontsize=8)
    return figure
