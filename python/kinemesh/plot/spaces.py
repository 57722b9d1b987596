"""Figures of meshes and clouds; their boxes, walls and frames serve figures of flows too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.plot.style import BLUE, DARK, WIDE, figure_of, styled, wrapped
from kinemesh.plot.units import CHORDS, Unit
from kinemesh.plot.wall_pressures import corners
from kinemesh.results.sections import extreme

ALIKE = 0.7  # of the size of everything, from which on bodies are seen well in its picture
BLUNT = 0.05  # of the size of the bodies: height of what is an edge at most
EDGE = 0.03  # share of a close-up that may lie beyond the edge of a mesh
FLATTEST = 0.15  # height of a window over its width, or the other way round, at least
LONG = 30  # a place over the width of its picture, from which on its numbers have many digits
PANELS = {1: (5.2, 4.8), 2: (6.8, 3.6), 3: (9.6, 3.5)}  # inches


@styled
def mesh(
    points: NDArray[Any],
    cells: NDArray[Any],
    walls: NDArray[Any],
    title: str = "",
    unit: Unit = CHORDS,
) -> Any:
    """Draw the whole mesh, and close-ups of the body and of its trailing edge, if it has one.

    `unit` is what points are in.
    """

    def draw(axes: Any, box: tuple[float, ...], width: float) -> None:
        draw_edges(axes, points, cells, box, width)

    name = f"mesh: {len(points):,} nodes"
    return _views(points, walls, title, name, draw, (0.12, 0.25, 0.5), unit)


@styled
def cloud(points: NDArray[Any], walls: NDArray[Any], title: str = "", unit: Unit = CHORDS) -> Any:
    """The points of a whole cloud, and close-ups of bodies and of their last edge, if it is one.

    `unit` is what points are in.
    """

    def draw(axes: Any, box: tuple[float, ...], size: float) -> None:
        (x, y), (x0, x1, y0, y1) = points.T, box
        near = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        axes.plot(x[near], y[near], ".", color=BLUE, markersize=size, markeredgewidth=0, zorder=2)

    name = f"cloud: {len(points):,} points"
    return _views(points, walls, title, name, draw, (0.8, 1.6, 3.0), unit)


def _views(
    points: NDArray[Any],
    walls: NDArray[Any],
    title: str,
    name: str,
    draw: Any,
    sizes: tuple[float, ...],
    unit: Unit,
) -> Any:
    """Everything, the bodies, the trailing edge; `draw(axes, box, size)` for each.

    Bodies that reach as far as everything does are seen there, and have no close-up.
    """
    from matplotlib.ticker import MaxNLocator

    thin = max(0.35, min(1.0, (10_000 / len(points)) ** 0.5))  # keeps fine meshes from blots
    sides = np.ptp(points, axis=0)
    span = sides.max()
    # of a long channel a window as flat
    half = 0.5 * np.maximum(sides, FLATTEST * span) + 0.03 * span
    mid = points.min(axis=0) / 2 + points.max(axis=0) / 2
    whole = mid[0] - half[0], mid[0] + half[0], mid[1] - half[1], mid[1] + half[1]
    shown: list[tuple[tuple[float, ...], str, float]] = [(whole, name, thin * sizes[0])]
    corner = points[np.unique(walls)] if len(walls) else points
    size = np.ptp(corner, axis=0).max()
    if size < ALIKE * span:
        shown.append((_square(box_about(points, walls, 0.3), points), "body", thin * sizes[1]))
    edge = trailing_edge(points, walls)
    if edge is not None:
        (x, y), near = points[edge], 0.07 * size
        shown.append(((x - near, x + near, y - near, y + near), "trailing edge", sizes[2]))
    width, height = PANELS[len(shown)]
    if len(shown) == 1:  # as flat as what it shows
        height = min(height, width * float(half[1] / half[0]) + 1.0)
    figure = figure_of(width, height + (0.4 if title else 0.0))
    for axes, (box, text, line) in zip(
        figure.subplots(1, len(shown), squeeze=False)[0], shown, strict=True
    ):
        draw(axes, box, line)
        draw_walls(axes, points, walls)
        frame(axes, box, text, unit)
        if max(map(abs, box[:2])) > LONG * (box[1] - box[0]):
            axes.xaxis.set_major_locator(MaxNLocator(3))
    if title:
        figure.suptitle(wrapped(title, int(13.4 * width)), fontsize=10)
    return figure


def trailing_edge(points: NDArray[Any], walls: NDArray[Any]) -> int | None:
    """The sharp or blunt end of a body, farthest downstream of all nodes of the walls; else None.

    It is a corner about which the fluid lies outside; both corners of a blunt one are near it.
    """
    if not len(walls):
        return None
    nodes, outside = corners(points, walls)
    used = np.unique(walls)
    size = np.ptp(points[used], axis=0).max()
    last = points[used, 0].max() - BLUNT * size
    ends = nodes[outside & (points[nodes, 0] >= last)]
    if not len(ends) or np.ptp(points[ends, 1]) > BLUNT * size:
        return None
    return int(ends[extreme(points[ends, 0], size)[0]])


def _square(box: tuple[float, ...], points: NDArray[Any]) -> tuple[float, ...]:
    """Square about a box, moved into the extent of the points where it reaches beyond it."""
    x, y = (box[0] + box[1]) / 2, (box[2] + box[3]) / 2
    half = max(box[1] - box[0], box[3] - box[2]) / 2
    low, high = (f(points, axis=0) for f in (np.min, np.max))
    room = half * (1 - 2 * EDGE)  # the edge of the mesh is seen beside that of the picture
    x, y = (
        float(np.clip(mid, a + room, b - room)) if b - a > 2 * room else mid
        for mid, a, b in zip((x, y), low, high, strict=True)
    )
    return x - half, x + half, y - half, y + half


def draw_edges(
    axes: Any,
    points: NDArray[Any],
    cells: NDArray[Any],
    box: tuple[float, ...],
    width: float,
    colour: str = BLUE,
) -> None:
    """Each edge of the cells in the box once."""
    from matplotlib.collections import LineCollection

    cells = np.asarray(cells, np.int64)
    closed = np.where(cells[:, 3:] >= 0, cells[:, 3:], cells[:, :1])
    ring = np.concatenate([cells[:, :3], closed, cells[:, :1]], axis=1)
    x, y = points[ring, 0], points[ring, 1]
    near = (x.max(1) >= box[0]) & (x.min(1) <= box[1]) & (y.max(1) >= box[2]) & (y.min(1) <= box[3])
    pairs = np.stack([ring[near][:, :-1].ravel(), ring[near][:, 1:].ravel()], axis=1)
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    pairs = np.stack(np.divmod(np.unique(pairs @ [len(points), 1]), len(points)), axis=1)
    axes.add_collection(LineCollection(points[pairs], colors=colour, linewidths=width, zorder=2))


def triangles_of(cells: ArrayLike) -> NDArray[np.int64]:
    """Triangles (t, 3) of cells (cells, 4); a quad gives two, -1 marks a triangle."""
    cells = np.asarray(cells, np.int64)
    quads = cells[cells[:, 3] >= 0]
    return np.concatenate([cells[:, :3], quads[:, [0, 2, 3]]])


def box_about(points: NDArray[Any], walls: NDArray[Any], margin: float) -> tuple[float, ...]:
    """Limits (x0, x1, y0, y1) around the walls; around all points without walls."""
    body = points[np.unique(walls)] if len(walls) else points
    (x0, y0), (x1, y1) = body.min(axis=0), body.max(axis=0)
    size, mid = max(x1 - x0, y1 - y0), (y0 + y1) / 2
    reach = margin * size
    return x0 - 0.8 * reach, x1 + 0.9 * reach, mid - 0.8 * reach, mid + 0.8 * reach


def draw_walls(axes: Any, points: NDArray[Any], walls: NDArray[Any]) -> None:
    """The walls (k, 2) as lines, above all else."""
    from matplotlib.collections import LineCollection

    if len(walls):
        axes.add_collection(LineCollection(points[walls], colors=DARK, linewidths=1.0, zorder=4))


def frame(
    axes: Any, box: tuple[float, ...], title: str, unit: Unit = CHORDS, up: str = "y"
) -> None:
    """Limits (x0, x1, y0, y1), equal axes, labels and title; `up` : the upward axis."""
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal")
    axes.set(xlabel=unit.axis("x"), ylabel=unit.axis(up))
    axes.set_title(wrapped(title, WIDE))
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(True)
