"""Figures of a flow: Mach number, pressure along the walls."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.plot.spaces import box_about, draw_walls, frame, triangles_of
from kinemesh.plot.style import BLUE, BODIES, DARK, RED, figure_of, styled, wrapped


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
    from matplotlib.ticker import MaxNLocator
    from matplotlib.tri import Triangulation

    box = box_about(points, walls, 0.85)
    triangles = _inside(points, triangles_of(cells), box)
    shown = values[np.unique(triangles)]
    if not np.isfinite(shown).all():
        raise CaseError("plot: the Mach number is not finite near the body")
    low, high = float(shown.min()), float(shown.max())
    levels = np.linspace(low, high if high > low else low + 1e-3, 49)
    figure = figure_of(6.4, 3.7)
    axes = figure.subplots()
    mesh = Triangulation(points[:, 0], points[:, 1], triangles)
    filled = axes.tricontourf(mesh, values, levels=levels, cmap="viridis")
    lines = np.arange(np.ceil(low / 0.05), high / 0.05) * 0.05
    axes.tricontour(mesh, values, levels=lines, colors=DARK, linewidths=0.3, alpha=0.45)
    if low < 1 < high:
        axes.tricontour(mesh, values, levels=[1.0], colors="white", linewidths=1.3)
        axes.plot([], [], color="white", linewidth=1.3, label="Mach 1")
        axes.legend(
            loc="upper left", frameon=True, facecolor="#3b4252", edgecolor="none", labelcolor="w"
        )
    draw_walls(axes, points, walls)
    frame(axes, box, title)
    bar = figure.colorbar(filled, cax=axes.inset_axes([1.02, 0.0, 0.025, 1.0]))
    bar.set_label("Mach number")
    bar.outline.set_linewidth(0.6)
    bar.ax.yaxis.set_major_locator(MaxNLocator(8))
    return figure


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
