"""Figures of overset grids: their cells near the bodies, coloured by status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.pieces import reach
from kinemesh.plot.flows import solved
from kinemesh.plot.spaces import draw_edges, draw_walls, frame
from kinemesh.plot.spans import polygons
from kinemesh.plot.style import BLUE, BODIES, RED, figure_of, styled, wrapped
from kinemesh.plot.units import CHORDS, Unit

if TYPE_CHECKING:
    from kinemesh.results import Fields

FIELD, RECEPTOR = 1, -1  # of a node, as in field files; all others are hidden
FAINT = "#c9cdd4"
COLOURS = {"field": BLUE, "receptors": RED, "hidden": FAINT}  # of cells
OWN = BODIES[2:]  # of parts
ROW = 3  # panels at most
SHARE = 0.4  # of the way between the ends of the walls along y, where parts in space are cut


class Part(Protocol):
    """A part to be drawn: `kinemesh.overset.report.PartReport`, or one of a field file."""

    @property
    def points(self) -> NDArray[np.float64]:
        """(nodes, 2), in space (nodes, 3) [chord]."""

    @property
    def cells(self) -> NDArray[Any]:
        """(cells, 4), the fourth of a triangle is -1; in space as wide as the largest cell."""

    @property
    def iblank(self) -> NDArray[Any]:
        """Status of nodes (nodes,): FIELD, RECEPTOR, or hidden."""

    @property
    def walls(self) -> NDArray[Any]:
        """(k, 2) edges of the walls, in space triangles (k, 3)."""


class Shown(NamedTuple):
    """Part of an overset flow in a field file, without hidden cells."""

    points: NDArray[np.float64]
    cells: NDArray[Any]
    iblank: NDArray[Any]
    walls: NDArray[Any]


def parts_of(flow: Fields) -> dict[str, Shown]:
    """The parts of a flow on overset grids, by name."""
    found, owner = {}, flow["Part"]
    for number, name in enumerate(flow.parts):
        nodes = np.flatnonzero(owner == number)  # one after the other
        cells = flow.cells[owner[flow.cells[:, 0]] == number]
        walls = flow.walls[flow.bodies.get(name, np.empty(0, np.int64))]
        first, iblank = nodes[0], flow["iblank"][nodes]
        cells = np.where(cells < 0, -1, cells - first)
        found[name] = Shown(flow.points[nodes], cells, iblank, walls - first)
    return found


def above(flow: Fields) -> NDArray[Any]:
    """Cells that are solved for; of overset parts those of the least extent come last."""
    cells = solved(flow)
    if not flow.parts:
        return cells
    owner = flow["Part"]
    reach = [np.ptp(flow.points[owner == k], axis=0).max() for k in range(len(flow.parts))]
    rank = np.argsort(np.argsort(-np.array(reach), kind="stable"))
    return cells[np.argsort(rank[owner[cells[:, 0]]], kind="stable")]


def cut_by(parts: Mapping[str, Part], y: float | None = None) -> dict[str, Part]:
    """Parts in space where a plane cuts them, as parts of the plane (x, z).

    Parameters
    ----------
    y : of the plane; by default between the least and the largest of the walls, at 0.4 of the way
    """
    if y is None:
        walls = [part.points[np.unique(part.walls)] for part in parts.values() if len(part.walls)]
        places = walls or [part.points for part in parts.values()]
        low, high = reach(np.concatenate(places))
        y = float(low[1] + SHARE * (high[1] - low[1]))
    found: dict[str, Part] = {}
    for name, part in parts.items():
        code = np.select(
            [kinds_of(part) == kind for kind in ("field", "receptors")], [FIELD, RECEPTOR]
        )
        corners, own, count = polygons(part.points, part.cells, code, y, "cells")
        many, most = own.shape
        place = np.arange(many * most).reshape(many, most)
        cells = np.where(np.arange(most) < count[:, None], place, -1)
        lines = _lines(part.points[part.walls], y)
        points = np.concatenate([corners.reshape(-1, 2), lines.reshape(-1, 2)])
        ends = many * most + np.arange(2 * len(lines)).reshape(-1, 2)
        iblank = np.concatenate([own.ravel(), np.full(2 * len(lines), FIELD)]).astype(int)
        found[name] = Shown(points, cells, iblank, ends)
    return found


def _lines(corner: NDArray[Any], y: float) -> NDArray[Any]:
    """(k, 2, 2) places (x, z) where a plane cuts triangles (n, 3, 3)."""
    beyond = corner[..., 1] > y
    corner = corner[beyond.any(axis=1) & ~beyond.all(axis=1)]
    beyond = corner[..., 1] > y
    first, second = corner, np.roll(corner, -1, axis=1)
    crossed = beyond != np.roll(beyond, -1, axis=1)
    way = np.where(crossed, second[..., 1] - first[..., 1], 1.0)
    share = ((y - first[..., 1]) / way)[..., None]
    return (first + share * (second - first))[crossed].reshape(-1, 2, 3)[..., [0, 2]]


SEEN: dict[int, tuple[Callable[[Mapping[str, Part]], Mapping[str, Part]], str]] = {
    2: (lambda parts: parts, "y"),
    3: (cut_by, "z"),
}
"""Parts as they are drawn, and the axis that goes up, by dimensions."""


@styled
def grids(parts: Mapping[str, Part], title: str = "", unit: Unit = CHORDS) -> Any:
    """The grids of overset parts near the bodies: all without hidden cells, and one by one.

    All: each part in a colour of its own.  One by one: blue cells that are solved for, red cells
    with receptors, grey hidden cells, which have covered nodes or nodes within walls.

    Parameters
    ----------
    parts : {name: part with points, cells, iblank, walls}, such as `report.parts` of
        `case.connectivity()`; in space where a plane across y cuts them (`cut_by`)
    unit : what points are in
    """
    seen, up = SEEN[next(iter(parts.values())).points.shape[1]]
    parts = seen(parts)
    box = _box(parts)
    panels = 1 + len(parts)
    rows = -(-panels // ROW)
    columns = -(-panels // rows)
    tall = np.clip(2.6 * (box[3] - box[2]) / (box[1] - box[0]), 1.0, 4.0) + 0.7
    figure = figure_of(3.2 * columns, float(tall) * rows + (1.0 if title else 0.5))
    every = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in every[panels:]:
        axes.remove()
    whole, *single = every[:panels]
    colours = dict(zip(parts, cycle(OWN), strict=False))
    for name, part in sorted(parts.items(), key=_reach, reverse=True):
        shown = part.cells[kinds_of(part) != "hidden"]
        draw_edges(whole, part.points, shown, box, 0.4, colours[name])
        whole.plot([], [], color=colours[name], label=name)
    frame(whole, box, "all parts", unit, up)
    for axes, (name, part) in zip(single, parts.items(), strict=False):
        _draw_status(axes, part, box)
        frame(axes, box, name, unit, up)
    for axes in every[:panels]:
        for part in parts.values():
            draw_walls(axes, part.points, part.walls)
    there = np.unique(np.concatenate([kinds_of(part) for part in parts.values()]))
    drawn = [(kind, c) for kind, c in COLOURS.items() if kind in there]
    marks = [single[0].plot([], [], color=c, label=kind)[0] for kind, c in drawn]
    marks = [*whole.get_legend_handles_labels()[0], *marks]
    figure.legend(handles=marks, loc="outside lower center", ncols=min(len(marks), 2 * columns))
    if title:
        figure.suptitle(wrapped(title, 34 * columns), fontsize=10)
    return figure


def kinds_of(part: Part) -> NDArray[np.str_]:
    """(cells,) "hidden" where a corner is hidden, "receptors" where one is a receptor, "field"."""
    status = np.append(part.iblank, FIELD)[part.cells]  # a missing corner hides nothing
    hidden = ~np.isin(status, (FIELD, RECEPTOR)).all(axis=1)
    takes = (status == RECEPTOR).any(axis=1)
    return np.select([hidden, takes], ["hidden", "receptors"], "field")


def _draw_status(axes: Any, part: Part, box: tuple[float, ...]) -> None:
    """The cells of a part in the colours of their kinds."""
    kinds = kinds_of(part)
    for kind in reversed(COLOURS):
        draw_edges(axes, part.points, part.cells[kinds == kind], box, 0.4, COLOURS[kind])


def _reach(named: tuple[str, Part]) -> float:
    """Extent of a part [chord]: the widest part lies below the others."""
    return float(np.ptp(named[1].points, axis=0).max())


def _box(parts: Mapping[str, Part]) -> tuple[float, ...]:
    """Limits about all walls and receptors."""
    near = [p.points[np.append(np.unique(p.walls), np.flatnonzero(p.iblank == RECEPTOR))]
            for p in parts.values()]  # fmt: skip
    points = np.concatenate(near)
    if not len(points):
        points = np.concatenate([part.points for part in parts.values()])
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    pad = 0.08 * max(x1 - x0, y1 - y0)
    return x0 - pad, x1 + pad, y0 - pad, y1 + pad
