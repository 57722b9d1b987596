"""Figures of a flow: Mach number, vorticity, pressure, eddy viscosity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.plot.shades import SHADES, Shade, shade_of
from kinemesh.plot.spaces import draw_walls, frame, triangles_of
from kinemesh.plot.style import DARK, figure_of, styled
from kinemesh.plot.units import CHORDS, Unit
from kinemesh.plot.views import View, constant, round_up, strongest, window_of

if TYPE_CHECKING:
    from kinemesh.results import Fields


Array = NDArray[Any]
ACROSS = 4.8  # inches: about the width of a picture without its bar
LETTER = 0.075  # inches: width of a letter of a label
TICK = 0.28  # inches between numbers of a bar, at least
BELOW = 0.3  # inches from a picture to the legend below it: its numbers are between the two
ABOUT = 1.9  # inches of a title of three lines, numbers, a label and a legend, of a flat picture


@styled
def mach(
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str = "",
    *,
    view: Any = None,
    range: Any = None,
    on: str = "points",
    unit: Unit = CHORDS,
) -> Any:
    """Mach number near the body, with the sonic line. points (nodes, 2), cells (cells, 4),
    values (nodes,), walls (k, 2); nothing is smoothed. `view`, `range`, `on`, `unit` as of
    `vorticity`.
    """
    seen = View.of(view, range)
    return _drawn(SHADES["mach"], points, cells, values, walls, title, None, seen, on, unit=unit)


@styled
def vorticity(
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str = "",
    part: NDArray[Any] | None = None,
    *,
    view: Any = None,
    range: Any = None,
    stream: tuple[float, float] = (1.0, 0.0),
    bodies: Mapping[str, NDArray[Any]] | None = None,
    stroke: Sequence[NDArray[Any]] = (),
    on: str = "points",
    gas: bool = False,
    speed: float = 0.0,
    unit: Unit = CHORDS,
) -> Any:
    """Vorticity of the body and its wake; values beyond the range have the colours of its ends.

    Parameters
    ----------
    points (nodes, 2), cells (cells, 4), values (nodes,), walls (k, 2)
    on : "points", or "cells": values (cells,), each with one colour and no lines between them
    part : (nodes,) of overset grids, whose cells overlap, the number of each node's part
    view, range : as of `kinemesh.plot.View`
    stream : its direction, which the wake follows; (0, 0) for a fluid at rest
    bodies : marker -> rows of `walls`
    stroke : (k, 2) places of the walls at other times, which the picture of a wake has too
    gas : values are in a_inf/chord, else in U/chord
    speed : of the stream [a_inf or U], 0 of a fluid at rest; colours go to speed/chord at least, as
        less is no vorticity but the error of the mesh, unless it is all that there is; rounded up
    unit : what points and values are in
    """
    return _about_wake(
        shade_of("vorticity", not gas, speed, unit), points, cells, values, walls, title, part,
        view=view, range=range, stream=stream, bodies=bodies, stroke=stroke, on=on,
        unit=unit,
    )  # fmt: skip


@styled
def eddies(
    points: Array, cells: Array, values: Array, walls: Array, title: str = "", **seen: Any
) -> Any:
    """Eddy viscosity of the body and its wake, over the viscosity of the stream; arguments as of
    `vorticity`, without `gas` and `speed`.
    """
    return _about_wake(SHADES["eddies"], points, cells, values, walls, title, **seen)


@styled
def pressure(
    points: Array, cells: Array, values: Array, walls: Array, title: str = "", **seen: Any
) -> Any:
    """Pressure coefficient of the body and its wake; arguments as of `vorticity`, without `gas` and
    `speed`.
    """
    return _about_wake(SHADES["cp"], points, cells, values, walls, title, **seen)


def _about_wake(
    shade: Shade,
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str,
    part: NDArray[Any] | None = None,
    *,
    view: Any = None,
    range: Any = None,
    stream: tuple[float, float] = (1.0, 0.0),
    bodies: Mapping[str, NDArray[Any]] | None = None,
    stroke: Sequence[NDArray[Any]] = (),
    on: str = "points",
    unit: Unit = CHORDS,
) -> Any:
    """Figure of a flow in the window of its wake; arguments as of `vorticity`."""
    wake = stream, list((bodies or {}).values()), stroke
    seen = View.of(view, range)
    return _drawn(shade, points, cells, values, walls, title, part, seen, on, *wake, unit=unit)


def _drawn(
    shade: Shade,
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str,
    part: NDArray[Any] | None,
    view: View,
    on: str,
    stream: tuple[float, float] | None = None,
    bodies: Sequence[NDArray[Any]] = (),
    stroke: Sequence[NDArray[Any]] = (),
    unit: Unit = CHORDS,
) -> Any:
    """Figure of one flow."""
    box = window_of(view, points, walls, bodies, stream, stroke)
    flow = pieces(points, cells, values, on)
    ends = range_of(shade, *flow, box, view)
    picture = Picture(shade, box, ends, view.range is not None, on == "cells", unit)
    even = constant(flow[0], _inside(flow[0], triangles_of(flow[1]), box), flow[2], box)
    if shade.signed and even is not None:
        told = f"{shade.name} {even[0]:.3g} within {100 * even[1]:.2g} %"
        title = f"{title}, {told}" if title else told
    picture.paint(points, cells, values, walls, title, part)
    return picture.figure


def values_of(flow: Fields, shade: Shade) -> NDArray[Any]:
    """(nodes,) values of a quantity; CaseError where the fields have none.

    The pressure of incompressible flow, over rho U^2, is half its coefficient.
    """
    if shade.field == "Cp" and "Cp" not in flow and flow.incompressible:
        return 2 * flow["Pressure"]
    if shade.field not in flow:
        raise CaseError(f"plot: the fields have no {shade.field}; there are {', '.join(flow)}")
    return flow[shade.field] if shade.scale == 1.0 else shade.scale * flow[shade.field]


def pieces(
    points: NDArray[Any], cells: NDArray[Any], values: NDArray[Any], on: str
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Points, cells and values (points,); of a flow on cells triangles that share no points."""
    if on != "cells":
        return points, cells, values
    owner = np.append(np.arange(len(cells)), np.flatnonzero(cells[:, 3] >= 0))
    alone = np.full((len(owner), 4), -1)
    alone[:, :3] = np.arange(3 * len(owner)).reshape(-1, 3)
    return points[triangles_of(cells).ravel()], alone, np.repeat(values[owner], 3)


def solved(flow: Fields) -> NDArray[Any]:
    """The cells, of overset parts those without receptors, which others cover: gradients at the rim
    of a part are worse than those below."""
    if "iblank" not in flow or flow.on == "cells":
        return flow.cells
    status = np.append(flow["iblank"], 1)[flow.cells]  # the last is a triangle's fourth corner
    return flow.cells[(status == 1).all(axis=1)]


def moment_of(flow: Fields, unit: Unit = CHORDS) -> str:
    """The moment of an unsteady flow in words: `phase 90 degrees`, or its time without a cycle."""
    if np.isnan(flow.phase_deg):
        return f"time {flow.time:.5g} {unit.time(flow.incompressible)}"
    return f"phase {flow.phase_deg:g} degrees"


def range_of(
    shade: Shade,
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    box: tuple[float, ...],
    view: View,
) -> tuple[float, float]:
    """Values in a box that colours begin and end with; CaseError where one is not finite."""
    triangles = _inside(points, triangles_of(cells), box)
    if not len(triangles):
        raise CaseError("plot: nothing of the flow is in view = {:g},{:g},{:g},{:g}".format(*box))
    shown = values[np.unique(triangles)]
    if not np.isfinite(shown).all():
        raise CaseError(f"plot: the {shade.name} is not finite near the body")
    if view.range is not None:
        low, high = map(float, view.range)
        return low, high
    if shade.signed:
        limit = strongest(points, triangles, values, box)
        if constant(points, triangles, values, box) is None:
            limit = max(limit, round_up(shade.least) if shade.least > 0 else 0.0)
        return -limit, limit
    return float(shown.min()), float(shown.max())


class Picture:
    """A flow in a view and with colours that stay, however often it is painted.

    Parameters
    ----------
    box : (x0, x1, y0, y1)    what is seen [chord]
    ends : (low, high)        values that the colours begin and end with
    open : bool               values may lie beyond them, as they may where the shade has a sign
    flat : bool               values are of cells: one colour in each, and no lines
    unit : Unit               of points
    """

    def __init__(
        self,
        shade: Shade,
        box: tuple[float, ...],
        ends: tuple[float, float],
        open: bool = False,
        flat: bool = False,
        unit: Unit = CHORDS,
    ) -> None:
        from matplotlib.transforms import ScaledTranslation

        low, high = ends
        self.shade, self.box, self.flat, self.unit = shade, box, flat, unit
        self.beyond = "both" if open or shade.signed else "neither"
        count = 50 if shade.signed else 49  # with a band about 0
        self.levels = np.linspace(low, high if high > low else low + 1e-3, count)
        self.lines, self.step = _lines(shade, low, high)
        self.figure = figure_of(*_sizes(box))
        self.axes = self.figure.subplots()
        self.bar: Any = None
        self.wide = False  # the bar's label lies beside it, and has no room yet
        if low < shade.mark < high and not flat:
            text = f"{shade.field} {shade.mark:g}"
            self.axes.plot([], [], color="white", linewidth=1.3, label=text)
            style = {"facecolor": "#3b4252", "edgecolor": "none", "labelcolor": "w"}
            place = self.axes.transAxes + ScaledTranslation(0, -BELOW, self.figure.dpi_scale_trans)
            self.axes.legend(loc="upper right", bbox_to_anchor=(1.0, 0.0), bbox_transform=place,
                             frameon=True, **style)  # fmt: skip

    def paint(
        self,
        points: NDArray[Any],
        cells: NDArray[Any],
        values: NDArray[Any],
        walls: NDArray[Any],
        title: str,
        part: NDArray[Any] | None = None,
    ) -> None:
        """Draw a flow in place of the last one; of overset parts the widest lies below."""
        for old in list(self.axes.collections):
            old.remove()
        on = "cells" if self.flat else "points"
        x, shown, values = pieces(points, cells, values, on)
        part = None if part is None else pieces(points, cells, part, on)[2]
        layers, lined = _layers(x, shown, part), False
        for number, own in enumerate(layers):
            triangles = _inside(x, triangles_of(own), self.box)
            if len(triangles):
                lined |= self._paint_part(x, triangles, values, number / len(layers))
        draw_walls(self.axes, points, walls)
        lines = f"lines every {self.step:.4g}" if lined else ""
        told = ", ".join(text for text in (title, lines) if text)
        frame(self.axes, self.box, told, self.unit)
        if self.wide:  # the room of a label beside the bar is found in a second turn
            self.figure.get_layout_engine().execute(self.figure)
            self.wide = False

    def _paint_part(
        self, points: NDArray[Any], triangles: NDArray[Any], values: NDArray[Any], above: float
    ) -> bool:
        """Draw a part at the height `above` (0 to 1); returns True if it has thin lines."""
        from matplotlib.tri import Triangulation

        axes = self.axes
        mesh = Triangulation(points[:, 0], points[:, 1], triangles)
        at = {"zorder": 1 + above}
        if self.flat:
            self._fill(mesh, values[triangles[:, 0]], at)
            return False
        colours = {"cmap": self.shade.colours, "extend": self.beyond}
        filled = axes.tricontourf(mesh, values, levels=self.levels, **colours, **at)
        shown = values[np.unique(triangles)]
        low, high = shown.min(), shown.max()
        lines = self.lines[(self.lines >= low) & (self.lines <= high)]
        if len(lines):
            thin = {"colors": DARK, "linewidths": 0.3, "alpha": 0.45}
            axes.tricontour(mesh, values, levels=lines, **thin, **at)
        if low < self.shade.mark < high:
            mark = {"colors": "white", "linewidths": 1.3}
            axes.tricontour(mesh, values, [self.shade.mark], **mark, **at)
        if self.bar is None:
            self._add_bar(filled)
        return len(lines) > 0

    def _fill(self, mesh: Any, values: NDArray[Any], at: Mapping[str, float]) -> None:
        """Draw triangles in one colour each, those of the levels between which values lie."""
        from matplotlib import colormaps
        from matplotlib.colors import BoundaryNorm

        colours = colormaps[self.shade.colours]
        beyond: Any = self.beyond
        norm = BoundaryNorm(self.levels, colours.N, extend=beyond)
        seamless = {"edgecolors": "face", "linewidth": 0.3, "antialiased": False}
        style = {"cmap": colours, "norm": norm} | seamless
        filled = self.axes.tripcolor(mesh, facecolors=values, **style, **at)
        if self.bar is None:
            self._add_bar(filled).minorticks_off()

    def _add_bar(self, filled: Any) -> Any:
        """Add the bar of colours beside the picture."""
        from matplotlib.ticker import MaxNLocator

        place = self.axes.inset_axes([1.02, 0.0, 0.025, 1.0])
        self.bar = self.figure.colorbar(filled, cax=place)
        high = ACROSS * (self.box[3] - self.box[2]) / (self.box[1] - self.box[0])  # of the bar
        if LETTER * len(self.shade.label) > high:  # of a flat picture
            style = {"rotation": 0, "ha": "left", "va": "center"}
            self.bar.set_label(self.shade.label.replace(" [", "\n["), **style)
            self.wide = True
        else:
            self.bar.set_label(self.shade.label)
        self.bar.outline.set_linewidth(0.6)
        ends = self.levels[[0, -1]]
        if high < 2 * TICK:  # room for the ends alone
            self.bar.set_ticks(ends, labels=[f"{end:.2g}" for end in ends])
            for own, side in zip(self.bar.ax.get_yticklabels(), ("bottom", "top"), strict=True):
                own.set_va(side)
            return self.bar
        count = int(np.clip(high / TICK, 2, 8))
        ticks = MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]).tick_values(*ends)
        self.bar.set_ticks([tick for tick in ticks if ends[0] <= tick <= ends[1]])
        return self.bar


def _lines(shade: Shade, low: float, high: float) -> tuple[NDArray[np.float64], float]:
    """Values of the thin lines, and their step: every step, at most 25 and of signed values 10."""
    step = high / 5 if shade.signed else shade.step
    step *= max(1.0, np.ceil((high - low) / step / 25))
    numbers = np.arange(np.ceil(low / step), high / step)
    numbers = numbers[numbers != 0] if shade.signed else numbers  # 0 is where nothing is
    return step * numbers, float(step)


def _sizes(box: tuple[float, ...]) -> tuple[float, float]:
    """Width and height of a figure [inches] with a window, its title and its bar of colours.

    In tenths, of which each is an even number of pixels of a film.
    """
    shape = (box[1] - box[0]) / (box[3] - box[2])
    high = 5.0 / shape
    return 6.4, round(float(np.clip(max(high + 0.9, min(high + ABOUT, 2.9)), 0.0, 5.6)), 1)


def _layers(
    points: NDArray[Any], cells: NDArray[Any], part: NDArray[Any] | None
) -> list[NDArray[Any]]:
    """Cells of each part, the widest part first."""
    if part is None:
        return [cells]
    owner = part[cells[:, 0]]
    reach = {k: np.ptp(points[part == k], axis=0).max() for k in np.unique(owner)}
    return [cells[owner == k] for k in sorted(reach, key=lambda k: -reach[k])]


def _inside(points: NDArray[Any], triangles: NDArray[Any], box: tuple[float, ...]) -> NDArray[Any]:
    """Triangles that may touch the box."""
    x, y = points[triangles, 0], points[triangles, 1]
    touches = (x.max(1) >= box[0]) & (x.min(1) <= box[1])
    return triangles[touches & (y.max(1) >= box[2]) & (y.min(1) <= box[3])]
