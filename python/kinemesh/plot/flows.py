"""Figures of a flow: Mach number, vorticity, pressure, and pressure along the walls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.plot.spaces import box_about, draw_walls, frame, triangles_of
from kinemesh.plot.style import BLUE, BODIES, DARK, RED, figure_of, styled, wrapped

if TYPE_CHECKING:
    from kinemesh.results import Fields


@dataclass(frozen=True, slots=True)
class Shade:
    """How the colours of a quantity are told."""

    name: str
    field: str  # in field files
    label: str
    colours: str  # matplotlib's name of the map
    step: float  # between two thin lines
    mark: float = np.nan  # a value with a white line
    limit: float = np.inf  # stronger values have the colours of the ends

    @property
    def beyond(self) -> str:
        """Where values go on beyond the colours, as matplotlib has it."""
        return "both" if np.isfinite(self.limit) else "neither"


SHADES = {
    "mach": Shade("Mach number", "Mach", "Mach number", "viridis", 0.05, 1.0),
    "vorticity": Shade("vorticity", "Vorticity", "vorticity [U/chord]", "RdBu_r", 1.0, limit=5.0),
    "cp": Shade("pressure coefficient", "Cp", "$c_p$", "viridis_r", 0.1),
}


@styled
def mach(
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str = "",
) -> Any:
    """Mach number near the body, with the sonic line. points (nodes, 2), cells (cells, 4),
    values (nodes,), walls (k, 2); nothing is smoothed.
    """
    return _drawn("mach", points, cells, values, walls, title)


@styled
def vorticity(
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str = "",
    part: NDArray[Any] | None = None,
) -> Any:
    """Vorticity near the body, from -5 to 5 U/chord; stronger values have the colours of the ends.

    Parameters
    ----------
    points (nodes, 2), cells (cells, 4), values (nodes,), walls (k, 2)
    part : (nodes,) of overset grids, whose cells overlap, the number of each node's part
    """
    return _drawn("vorticity", points, cells, values, walls, title, part)


@styled
def pressure(
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str = "",
    part: NDArray[Any] | None = None,
) -> Any:
    """Pressure coefficient near the body; arguments as of `vorticity`."""
    return _drawn("cp", points, cells, values, walls, title, part)


def _drawn(
    quantity: str,
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    walls: NDArray[Any],
    title: str,
    part: NDArray[Any] | None = None,
) -> Any:
    """Figure of one flow."""
    shade, box = SHADES[quantity], view_of(points, walls)
    picture = Picture(shade, box, range_of(shade, points, cells, values, box))
    picture.paint(points, cells, values, walls, title, part)
    return picture.figure


def values_of(flow: Fields, shade: Shade) -> NDArray[Any]:
    """(nodes,) values of a quantity; CaseError where the fields have none.

    The pressure of incompressible flow, over rho U^2, is half its coefficient.
    """
    if shade.field == "Cp" and "Cp" not in flow and "Vorticity" in flow:
        return 2 * flow["Pressure"]
    if shade.field not in flow:
        raise CaseError(f"plot: the fields have no {shade.field}; there are {', '.join(flow)}")
    return flow[shade.field]


def solved(flow: Fields) -> NDArray[Any]:
    """The cells, of overset parts those without receptors, which others cover: gradients at the rim
    of a part are worse than those below."""
    if "iblank" not in flow:
        return flow.cells
    status = np.append(flow["iblank"], 1)[flow.cells]  # the last is a triangle's fourth corner
    return flow.cells[(status == 1).all(axis=1)]


def moment_of(flow: Fields) -> str:
    """The moment of an unsteady flow in words: `phase 90 degrees`, or its time without a cycle."""
    if np.isnan(flow.phase_deg):
        return f"time {flow.time:g}"
    return f"phase {flow.phase_deg:g} degrees"


def view_of(points: NDArray[Any], walls: NDArray[Any]) -> tuple[float, ...]:
    """Limits (x0, x1, y0, y1) of a picture of the flow."""
    return box_about(points, walls, 0.85)


def range_of(
    shade: Shade,
    points: NDArray[Any],
    cells: NDArray[Any],
    values: NDArray[Any],
    box: tuple[float, ...],
) -> tuple[float, float]:
    """Values in a box that colours begin and end with; CaseError where one is not finite."""
    shown = values[np.unique(_inside(points, triangles_of(cells), box))]
    if not np.isfinite(shown).all():
        raise CaseError(f"plot: the {shade.name} is not finite near the body")
    if np.isfinite(shade.limit):
        return -shade.limit, shade.limit
    return float(shown.min()), float(shown.max())


class Picture:
    """A flow in a view and with colours that stay, however often it is painted.

    Parameters
    ----------
    box : (x0, x1, y0, y1)    what is seen [chord]
    ends : (low, high)        values that the colours begin and end with
    """

    def __init__(self, shade: Shade, box: tuple[float, ...], ends: tuple[float, float]) -> None:
        low, high = ends
        self.shade, self.box = shade, box
        self.levels = np.linspace(low, high if high > low else low + 1e-3, 49)
        self.lines = np.arange(np.ceil(low / shade.step), high / shade.step) * shade.step
        self.figure = figure_of(6.4, 3.7)
        self.axes = self.figure.subplots()
        self.bar: Any = None
        if low < shade.mark < high:
            text = f"{shade.field} {shade.mark:g}"
            self.axes.plot([], [], color="white", linewidth=1.3, label=text)
            style = {"facecolor": "#3b4252", "edgecolor": "none", "labelcolor": "w"}
            self.axes.legend(loc="upper left", frameon=True, **style)

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
        layers = _layers(points, cells, part)
        for number, own in enumerate(layers):
            triangles = _inside(points, triangles_of(own), self.box)
            if len(triangles):
                self._paint_part(points, triangles, values, number / len(layers))
        draw_walls(self.axes, points, walls)
        frame(self.axes, self.box, title)

    def _paint_part(
        self, points: NDArray[Any], triangles: NDArray[Any], values: NDArray[Any], above: float
    ) -> None:
        """Draw what is `above` (0 to 1) others."""
        from matplotlib.tri import Triangulation

        axes = self.axes
        mesh = Triangulation(points[:, 0], points[:, 1], triangles)
        at = {"zorder": 1 + above}
        colours = {"cmap": self.shade.colours, "extend": self.shade.beyond}
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

    def _add_bar(self, filled: Any) -> None:
        """The bar of colours beside the picture."""
        from matplotlib.ticker import MaxNLocator

        place = self.axes.inset_axes([1.02, 0.0, 0.025, 1.0])
        self.bar = self.figure.colorbar(filled, cax=place)
        self.bar.set_label(self.shade.label)
        self.bar.outline.set_linewidth(0.6)
        ends = self.levels[[0, -1]]
        ticks = MaxNLocator(8).tick_values(*ends)
        self.bar.set_ticks([tick for tick in ticks if ends[0] <= tick <= ends[1]])


def _layers(
    points: NDArray[Any], cells: NDArray[Any], part: NDArray[Any] | None
) -> list[NDArray[Any]]:
    """Cells of each part, those of the widest part first."""
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


@styled
def surface_pressure(
    points: NDArray[Any],
    walls: NDArray[Any],
    cp: NDArray[Any],
    title: str = "",
    bodies: Mapping[str, NDArray[Any]] | None = None,
) -> Any:
    """-cp along the walls, by side, or of several bodies by body.

    Sides are told by the walls' orientation (domain on the left).

    Parameters
    ----------
    bodies : marker -> rows of `walls`
    """
    from matplotlib.collections import LineCollection

    figure = figure_of(5.6, 3.8)
    axes = figure.subplots()
    lines: Any = np.stack([points[walls, 0], cp[walls]], axis=2)
    upper = points[walls[:, 1], 0] > points[walls[:, 0], 0]
    parts = [(upper, BLUE, "upper side"), (~upper, RED, "lower side")]
    if bodies is not None and len(bodies) > 1:
        each = zip(bodies.items(), cycle(BODIES), strict=False)
        parts = [(rows, colour, name) for (name, rows), colour in each]
    for side, colour, name in parts:
        axes.add_collection(LineCollection(lines[side], colors=colour, linewidths=1.6))
        axes.plot([], [], color=colour, label=name)
    axes.autoscale_view()
    axes.invert_yaxis()
    axes.margins(0.04)
    axes.set(xlabel="$x/c$", ylabel="$c_p$")
    axes.set_title(wrapped(title, 60))
    axes.legend()
    return figure
