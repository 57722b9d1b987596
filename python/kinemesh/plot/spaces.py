"""Figures of meshes and clouds, and what those of flows share with them: boxes, walls, frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.plot.style import BLUE, DARK, figure_of, styled, wrapped


@styled
def mesh(points: NDArray[Any], cells: NDArray[Any], walls: NDArray[Any], title: str = "") -> Any:
    """The whole mesh, and close-ups of the body and of its trailing edge."""

    def draw(axes: Any, box: tuple[float, ...], width: float) -> None:
        draw_edges(axes, points, cells, box, width)

    name = f"{title or 'mesh'}: {len(points):,} nodes"
    return _views(points, walls, name, draw, (0.12, 0.25, 0.5))


@styled
def cloud(points: NDArray[Any], walls: NDArray[Any], title: str = "") -> Any:
    """The points of a whole cloud, and close-ups of the bodies and of the last trailing edge."""

    def draw(axes: Any, box: tuple[float, ...], size: float) -> None:
        (x, y), (x0, x1, y0, y1) = points.T, box
        near = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        axes.plot(x[near], y[near], ".", color=BLUE, markersize=size, markeredgewidth=0, zorder=2)

    name = f"{title or 'cloud'}: {len(points):,} points"
    return _views(points, walls, name, draw, (0.8, 1.6, 3.0))


def _views(
    points: NDArray[Any], walls: NDArray[Any], name: str, draw: Any, sizes: tuple[float, ...]
) -> Any:
    """Everything, the bodies, the trailing edge; `draw(axes, box, size)` for each."""
    thin = max(0.35, min(1.0, (10_000 / len(points)) ** 0.5))  # keeps fine meshes from blots
    sizes = (thin * sizes[0], thin * sizes[1], sizes[2])
    figure = figure_of(9.6, 3.5)
    whole, body, tail = figure.subplots(1, 3)
    corner = points[np.unique(walls)] if len(walls) else points
    x, y = corner[np.argmax(corner[:, 0])]
    size = 0.07 * max(np.ptp(corner[:, 0]), np.ptp(corner[:, 1]))
    around = box_about(points, np.zeros((0, 2), int), 0.0)
    pad = 0.03 * (around[1] - around[0])
    half = max(around[1] - around[0], np.ptp(points[:, 1])) / 2 + pad
    mid = points.min(axis=0) / 2 + points.max(axis=0) / 2
    boxes = (
        (mid[0] - half, mid[0] + half, mid[1] - half, mid[1] + half),
        _square(box_about(points, walls, 0.3)),
        (x - size, x + size, y - size, y + size),
    )
    names = (name, "body", "trailing edge")
    for axes, box, text, width in zip((whole, body, tail), boxes, names, sizes, strict=True):
        draw(axes, box, width)
        draw_walls(axes, points, walls)
        frame(axes, box, text)
    return figure


def _square(box: tuple[float, ...]) -> tuple[float, ...]:
    x, y = (box[0] + box[1]) / 2, (box[2] + box[3]) / 2
    half = max(box[1] - box[0], box[3] - box[2]) / 2
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
    """Limits (x0, x1, y0, y1) around the walls, or around all points where there are none."""
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


def frame(axes: Any, box: tuple[float, ...], title: str) -> None:
    """Limits (x0, x1, y0, y1), equal axes, labels and title."""
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel="$x/c$", ylabel="$y/c$")
    axes.set_title(wrapped(title, 68))
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(True)
