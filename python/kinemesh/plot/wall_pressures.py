"""Figures of the pressure along the walls of bodies in the plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.plot.style import BLUE, BODIES, GREY, NARROW, RED, figure_of, styled, wrapped
from kinemesh.plot.units import CHORDS, Unit

SHARP = 0.5  # cosine of the turn of a wall from which on a node is a corner: 60 degrees
BESIDE = 2  # nodes beside a corner, on each side, whose values are of its singularity
DASHED = (0, (4, 2))
DOTS = "at sharp corners, not resolved"


@styled
def surface_pressure(
    points: NDArray[Any],
    walls: NDArray[Any],
    cp: NDArray[Any],
    title: str = "",
    bodies: Mapping[str, NDArray[Any]] | None = None,
    unit: Unit = CHORDS,
    named: bool = False,
    label: str = "$c_p$",
) -> Any:
    """-cp along the walls, by side, or of several bodies by body.

    Sides are told by the walls' orientation (domain on the left).  The lower side is dashed, as
    that of a symmetric flow lies on the upper one.  Values at corners and next to them, of a flow
    that no mesh resolves, are dots that no line joins.

    Parameters
    ----------
    bodies : marker -> rows of `walls`
    unit : what points are in
    named : sides of a channel, told by their names
    label : of values other than a pressure coefficient, whose axis points up
    """
    from matplotlib.collections import LineCollection

    figure = figure_of(5.6, 3.8)
    axes = figure.subplots()
    upper = points[walls[:, 1], 0] > points[walls[:, 0], 0]
    parts: list[tuple[NDArray[Any], str, Any, str]] = [
        (np.flatnonzero(upper), BLUE, "-", "upper side"),
        (np.flatnonzero(~upper), RED, DASHED, "lower side"),
    ]
    if bodies is not None and (len(bodies) > 1 or named):
        each = zip(bodies.items(), cycle(BODIES), cycle(("-", DASHED if named else "-")))
        parts = [(rows, colour, style, name) for (name, rows), colour, style in each]
    sharp = singular(points, walls)
    for rows, colour, style, name in parts:
        if not len(rows):  # a wall of a channel has one side
            continue
        lines = [np.stack([points[n, 0], cp[n]], axis=1) for n in _paths(walls[rows], sharp)]
        drawn = LineCollection(lines, colors=colour, linewidths=1.6, linestyles=[style])
        axes.add_collection(drawn)
        axes.plot([], [], color=colour, linestyle=style, label=name)
        alone = [n for n in np.unique(walls[rows]) if n in sharp]
        axes.plot(points[alone, 0], cp[alone], ".", color=colour, markersize=3)
    axes.autoscale_view()
    if label == "$c_p$":
        axes.invert_yaxis()
    axes.margins(0.04)
    axes.set(xlabel=unit.axis("x"), ylabel=label)
    axes.set_title(wrapped(title, NARROW))
    if sharp:
        axes.plot([], [], ".", color=GREY, markersize=3, label=DOTS)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    return figure


def corners(points: NDArray[Any], walls: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Nodes (n,) at which a wall turns by more than 60 degrees, and (n,) those with fluid about
    them, as at trailing edges, not within them, as in the corners of a box."""
    before = np.full(len(points), -1)
    before[walls[:, 1]] = walls[:, 0]
    node, after = walls.T
    joined = before[node] >= 0
    node, after = node[joined], after[joined]
    a, b = points[node] - points[before[node]], points[after] - points[node]
    turn = (a * b).sum(axis=1) < SHARP * np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    outside = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0  # the fluid is on the left
    return node[turn], outside[turn]


def singular(points: NDArray[Any], walls: NDArray[Any]) -> set[int]:
    """Nodes at corners of walls, and their neighbours."""
    found = set(corners(points, walls)[0].tolist())
    for _ in range(BESIDE):
        ends = walls[np.isin(walls, list(found)).any(axis=1)]
        found |= set(ends.ravel().tolist())
    return found


def _paths(edges: NDArray[Any], sharp: set[int]) -> Iterator[NDArray[np.int64]]:
    """Nodes along consecutive edges, without those at corners."""
    rest = {int(a): int(b) for a, b in edges if a not in sharp and b not in sharp}
    ends = set(rest.values())
    for start in [a for a in rest if a not in ends] + list(rest):  # then closed ones
        path = [start]
        while path[-1] in rest:
            path.append(rest.pop(path[-1]))
        if len(path) > 1:
            yield np.array(path)
