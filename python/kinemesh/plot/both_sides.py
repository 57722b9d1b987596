"""Figures of the upper and the lower side of a wing or body in space, seen from above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.plot.spans import ROOT
from kinemesh.plot.style import DARK, figure_of, headed, styled

Floats = NDArray[np.float64]
ACROSS = 160  # points of the lattice of lines of friction along the longer side of a panel
SHARE = 0.98  # of the area, whose friction the colours reach
DENSE = 1.5  # lines of friction along the longer side, over Matplotlib's own density
FEWEST = 0.1  # lines along the shorter side, at least, in the same measure
APART = 0.35  # between arrows of a line of friction, over the longer side of a panel
GOLDEN = 0.6180339887  # of that distance, by which arrows of lines drawn one after another differ
ROOM = 0.05  # about a wing, over its own size
INSIDE = -1e-9  # least weight of a corner for a point that counts as within a triangle


def upper_of(points: NDArray[Any], walls: NDArray[Any]) -> NDArray[np.bool_]:
    """(t,) triangles with the fluid above; area vectors point out of the fluid."""
    a, b, c = (points[walls[:, k]] for k in range(3))
    return np.cross(b - a, c - a)[:, 2] < 0


@styled
def pressure(
    points: NDArray[Any],
    walls: NDArray[Any],
    cp: NDArray[Any],
    title: str = "",
    mark: str = "",
    *,
    range: tuple[float, float] | None = None,
    unit: str = ROOT,
) -> Any:
    """cp on the upper and the lower side, seen from above; points (n, 3), walls (t, 3).

    `range` is what colours begin and end with, `mark` what a reader must know, in red, `unit` that
    of lengths.
    """
    used, walls = np.unique(walls, return_inverse=True)
    points, shown, walls = points[used], cp[used], walls.reshape(-1, 3)
    low, high = (shown.min(), shown.max()) if range is None else range
    limits = {"vmin": float(low), "vmax": float(high)}
    ends = ("both" if shown.min() < low and shown.max() > high else "min" if shown.min() < low
            else "max" if shown.max() > high else "neither")  # fmt: skip
    figure, panels = _panels(points, unit)
    for axes, side in zip(panels, _sides(points, walls), strict=True):
        drawn = _painted(axes, points, side, shown, cmap="viridis_r", **limits)
    figure.colorbar(drawn, ax=panels, shrink=0.85, extend=ends).set_label("$c_p$")
    headed(figure, title, mark)
    return figure


@styled
def surface_friction(
    points: NDArray[Any],
    walls: NDArray[Any],
    friction: NDArray[Any],
    title: str = "",
    mark: str = "",
    *,
    unit: str = ROOT,
) -> Any:
    """Size of the friction on the upper and the lower side, and its lines, seen from above.

    Lines follow the friction as it is seen from above: they run together where the flow leaves the
    wall, and apart where it comes to it.  Colours end at what 98 % of the area is below, as edges
    have far more.

    Parameters
    ----------
    points : (n, 3);  walls : (t, 3) triangles
    friction : (n, 3) over the dynamic pressure of the stream
    mark : what a reader must know, in red;  unit : of lengths
    """
    used, walls = np.unique(walls, return_inverse=True)
    points, vectors, walls = points[used], friction[used], walls.reshape(-1, 3)
    size = np.linalg.norm(vectors, axis=1)
    most = reached(points, walls, size)
    figure, panels = _panels(points, unit)
    for axes, side in zip(panels, _sides(points, walls), strict=True):
        drawn = _painted(axes, points, side, size, cmap="viridis", vmin=0.0, vmax=most)
        y, x, along, down = lattice(points, side, vectors)
        if np.isfinite(along).any() and (along != 0).any() | (down != 0).any():
            dense = DENSE * np.ptp(points[:, [1, 0]], axis=0) / np.ptp(points[:, :2], axis=0).max()
            lines = axes.streamplot(y, x, along, down, density=np.maximum(dense, FEWEST),
                                    color=DARK, linewidth=0.5).lines  # fmt: skip
            for own in [*axes.patches]:  # one in the middle of each line
                own.remove()
            _arrows(axes, lines.get_segments(), np.ptp(points[:, :2], axis=0).max())
    ends = "max" if size.max() > most else "neither"
    figure.colorbar(drawn, ax=panels, shrink=0.85, extend=ends).set_label("$c_f$")
    headed(figure, title, mark)
    return figure


def _arrows(axes: Any, segments: list[Floats], size: float) -> None:
    """Arrows along lines given by their segments (n, 2), one line behind the other.

    They are `APART` of the size of the picture apart, and begin elsewhere on each line: the middles
    of lines alone, as Matplotlib has it, stand in one row on a wall whose lines are straight.
    """
    from matplotlib.patches import FancyArrowPatch

    if not segments:
        return
    ends = np.concatenate([np.stack([own[:-1], own[1:]], axis=1) for own in segments])
    way = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    begins = np.append(True, (ends[1:, 0] != ends[:-1, 1]).any(axis=1))
    lines = np.split(np.arange(len(ends)), np.flatnonzero(begins)[1:])
    for number, rows in enumerate(lines):
        behind = np.cumsum(way[rows])
        start = (0.25 + GOLDEN * number) % 1
        places = (start + np.arange(int(behind[-1] / (APART * size)) + 1)) * APART * size
        some = places[places < behind[-1]]
        for place in some if len(some) else [behind[-1] / 2]:
            tail, head = ends[rows[min(np.searchsorted(behind, place), len(rows) - 1)]]
            style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 6, "shrinkA": 0}
            axes.add_patch(FancyArrowPatch(tail, head, color=DARK, linewidth=0, shrinkB=0, **style))


def _panels(points: NDArray[Any], unit: str) -> tuple[Any, Any]:
    """A figure with two panels, x downwards and y to the right."""
    length, width = np.ptp(points[:, :2], axis=0)
    figure = figure_of(8.0, min(max(3.1 * length / width + 1.5, 2.2), 4.2))
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name in zip(panels, ("upper", "lower"), strict=True):
        axes.set(aspect="equal", xlabel=f"$y$ [{unit}]")
        axes.set_title(f"{name} side")
        axes.grid(False)
    panels[0].set_ylabel(f"$x$ [{unit}]")
    (x0, y0), (x1, y1) = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    panels[0].set_ylim(x1 + ROOM * (x1 - x0), x0 - ROOM * (x1 - x0))
    for axes in panels:
        axes.set_xlim(y0 - ROOM * (y1 - y0), y1 + ROOM * (y1 - y0))
        axes.autoscale(False)
    return figure, panels


def _sides(points: NDArray[Any], walls: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Triangles of the upper, then of the lower side."""
    upper = upper_of(points, walls)
    yield walls[upper]
    yield walls[~upper]


def _painted(
    axes: Any, points: NDArray[Any], walls: NDArray[Any], values: NDArray[Any], **colours: Any
) -> Any:
    """Triangles in the colours of values (n,) at their corners."""
    from matplotlib.tri import Triangulation

    mesh = Triangulation(points[:, 1], points[:, 0], walls)
    return axes.tripcolor(mesh, values, shading="gouraud", **colours)


def reached(points: NDArray[Any], walls: NDArray[Any], size: Floats) -> float:
    """Friction that `SHARE` of the area is below; 1 without any."""
    a, b, c = (points[walls[:, k]] for k in range(3))
    area, mean = np.linalg.norm(np.cross(b - a, c - a), axis=1), size[walls].mean(axis=1)
    order = np.argsort(mean)
    below = np.cumsum(area[order]) >= SHARE * area.sum()
    return float(mean[order][np.argmax(below)]) or 1.0


def lattice(
    points: NDArray[Any], walls: NDArray[Any], vectors: NDArray[Any]
) -> tuple[Floats, Floats, Floats, Floats]:
    """y and x of a lattice seen from above, and there the parts of vectors (n, 3) along y and x.

    Values are linear in each triangle, nan off them.
    """
    plan, corners = points[:, [1, 0]], walls
    low, high = plan[corners].min(axis=(0, 1)), plan[corners].max(axis=(0, 1))
    step = float((high - low).max()) / ACROSS
    lines = [np.linspace(a, b, max(int((b - a) / step), 2)) for a, b in zip(low, high, strict=True)]
    found = np.full((len(lines[1]), len(lines[0]), 2), np.nan)
    ends = plan[corners].min(axis=1), plan[corners].max(axis=1)
    first = [np.searchsorted(line, ends[0][:, k], "left") for k, line in enumerate(lines)]
    last = [np.searchsorted(line, ends[1][:, k], "right") for k, line in enumerate(lines)]
    for row in np.flatnonzero((last[0] > first[0]) & (last[1] > first[1])):
        own = [slice(first[k][row], last[k][row]) for k in (0, 1)]
        y, x = np.meshgrid(lines[0][own[0]], lines[1][own[1]])
        weights = _weights(plan[corners[row]], y, x)
        within = (weights > INSIDE).all(axis=-1)
        found[own[1], own[0]][within] = (weights @ vectors[corners[row]][:, [1, 0]])[within]
    return lines[0], lines[1], found[..., 0], found[..., 1]


def _weights(corners: Floats, y: Floats, x: Floats) -> Floats:
    """(..., 3) shares of a triangle's corners (3, 2) at places; negative ones outside of it."""
    a, b, c = corners
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    if area == 0:  # seen from its edge
        return np.full((*y.shape, 3), -1.0)
    second = ((y - a[0]) * (c[1] - a[1]) - (x - a[1]) * (c[0] - a[0])) / area
    third = ((b[0] - a[0]) * (x - a[1]) - (b[1] - a[1]) * (y - a[0])) / area
    return np.stack([1 - second - third, second, third], axis=-1)
