"""Figures of a wing along its span: loads of sections, and the flow and mesh that a plane cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.mesh.kinds import OF_CORNERS
from kinemesh.plot.flows import moment_of
from kinemesh.plot.marks import unconverged
from kinemesh.plot.style import BLUE, DARK, RED, at_moment, figure_of, headed, styled
from kinemesh.plot.titles import titled
from kinemesh.plot.units import unit_of
from kinemesh.plot.views import View, window_of
from kinemesh.results.along_walls import along
from kinemesh.results.sections import ACROSS, Section

if TYPE_CHECKING:
    from kinemesh.results.spanwise import Spanwise

Array = NDArray[Any]
ROOT = "root chord"  # unit of lengths of a mesh whose longest chord is 1
MARKED = 60  # stations up to which each has a dot
END = 1e-9  # share of the span about its end
TIP = 0.99  # share of the span from which on sections cut the cap of a tip


@styled
def spanwise(found: Spanwise, title: str | None = None, mark: str | None = None) -> Any:
    """Load along the span, and cl and cm of the sections over their chords.

    Of unsteady runs the mean, and the magnitude of the first harmonic, dashed.  The last 1 % of the
    span, where sections cut the cap of a tip, is left out, but for the load at its end.  `mark` is
    what a reader must know, in red.  Title and mark are those of the run, "" for none.
    """
    title, mark = _told(found, title, mark)
    figure = figure_of(9.6, 3.4 + (0.2 if title else 0.0))
    panels = figure.subplots(1, 3)
    scale, away = found.chord / found.length, np.abs(found.eta)
    within = away <= TIP
    rows = (
        (found.c_cl, "cl", scale, within | (away >= 1 - END), "load", r"$c\,c_l/c_\mathrm{ref}$"),
        (found.cl, "cl", 1.0, within, "lift of sections", "$c_l$"),
        (found.cm, "cm", 1.0, within, "moment about c/4, nose-up", "$c_m$"),
    )
    dots = "." if len(found.eta) <= MARKED else ""
    for axes, (values, name, factor, shown, text, symbol) in zip(panels, rows, strict=True):
        eta = found.eta[shown]
        axes.plot(eta, values[shown], color=BLUE, marker=dots, markersize=4, label="mean")
        if name in found.harmonics:
            size = np.abs(found.harmonics[name]) * factor
            axes.plot(eta, size[shown], "--", color=RED, label="first harmonic, magnitude")
        axes.set(xlabel="share of the span", ylabel=symbol)
        axes.set_title(text)
        low, high = axes.get_ylim()
        if low > 0 or high < 0:  # a load that hardly changes is not to fill the axis
            axes.set_ylim(min(low, 0.0), max(high, 0.0))
    if found.harmonics:
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=2, fontsize=8)
    headed(figure, title, mark)
    return figure


def _told(found: Spanwise, title: str | None, mark: str | None) -> tuple[str, str]:
    """Title and mark as they are given, else those of the run."""
    if found.source is None:
        return title or "", mark or ""
    run, member = found.source
    if title is None:
        title = titled(title, found)
        if run.history.kind == "unsteady" and not found.harmonics:  # of one moment
            flow = run.fields(member=member)
            unit = unit_of(run, flow)
            title = at_moment(title, moment_of(unit.of(flow), unit))
    return title, unconverged(run, member) if mark is None else mark


@styled
def cut(
    points: Array,
    cells: Array,
    values: Array,
    section: Section,
    title: str = "",
    mark: str = "",
    *,
    lines: bool = True,
    view: Any = None,
    on: str = "points",
    unit: str = ROOT,
    label: str = "Mach number",
) -> Any:
    """Values such as Mach numbers, and lines of the mesh, on a plane about a section.

    points (nodes, 3), cells (cells, corners) with -1 behind the last, values (nodes,), which are
    linear along the edges of cells and between the places where the plane cuts these.

    Parameters
    ----------
    lines : whether cells are a mesh's, else for display alone
    view : window (x0, x1, z0, z1) or "body", as of `kinemesh.plot.View`
    on : "points", or "cells": values (cells,), each with one colour
    unit : of lengths;  label : of the values
    """
    from matplotlib.collections import LineCollection, PolyCollection

    wall: Any = section.at(points)[:, ACROSS]
    box = _window(view, wall, section.lines, points[:, ACROSS])
    corners, shown, count = polygons(points, cells, values, section.y, on)
    low, high = corners.min(axis=1), corners.max(axis=1)
    inside = (high[:, 0] > box[0]) & (low[:, 0] < box[1])
    inside &= (high[:, 1] > box[2]) & (low[:, 1] < box[3])
    if not inside.any():
        raise CaseError("plot: nothing of the flow is in view = {:g},{:g},{:g},{:g}".format(*box))
    corners, shown, count = corners[inside], shown[inside], count[inside]
    figure = figure_of(9.6 if lines else 5.6, 4.2)
    panels = list(figure.subplots(1, 1 + lines, squeeze=False)[0])
    if lines:
        panels[0].add_collection(
            PolyCollection(list(corners), facecolors="white", edgecolors=DARK, linewidths=0.25)
        )
        panels[0].set_title("mesh")
    if on == "cells":
        flow = PolyCollection(list(corners), array=shown[:, 0], cmap="viridis", edgecolors="face",
                              linewidths=0.2)  # fmt: skip
        panels[-1].add_collection(flow)
    else:
        flow = panels[-1].tripcolor(*fans(corners, count), shown.ravel(), shading="gouraud",
                                    cmap="viridis")  # fmt: skip
    panels[-1].set_title(label.partition(" [")[0])
    if not lines:  # a cloud's tetrahedra may reach into the walls
        panels[0].fill(*wall[along(section.lines, wall)].T, color="white", zorder=1.5)
    for axes in panels:
        axes.add_collection(LineCollection(wall[section.lines], colors=DARK, linewidths=1.0))
        axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel=f"$x$ [{unit}]")
        axes.grid(False)
    panels[0].set_ylabel(f"$z$ [{unit}]")
    figure.colorbar(flow, ax=panels[-1], shrink=0.85).set_label(label)
    told = rf"plane at {100 * section.eta:.3g} % of the span"
    headed(figure, f"{title}\n{told}" if title else told, mark)
    return figure


def through(flow: Any) -> tuple[Any, str]:
    """Values that a plane of the flow shows, and their name: Mach numbers, or speeds."""
    if flow.incompressible:
        return np.linalg.norm(flow["Velocity"], axis=1), "speed [$U$]"
    return flow["Mach"], "Mach number"


def cells_of(points: Array, walls: Array, section: Section) -> Array:
    """Tetrahedra (k, 4) of the points of a cloud about a section, for display: Delaunay's.

    Those whose corners are all on the walls lie within them, and are left out.
    """
    from scipy.spatial import Delaunay

    x0, x1, z0, z1 = _near(section.at(points)[:, ACROSS])
    size = x1 - x0
    low = np.array([x0, section.y, z0]) - size
    high = np.array([x1, section.y, z1]) + size
    near = np.flatnonzero(((points > low) & (points < high)).all(axis=1))
    found = near[Delaunay(points[near]).simplices]
    solid = np.isin(found, np.unique(walls)).all(axis=1)
    return np.asarray(found[~solid])


def _window(view: Any, wall: Array, lines: Array, points: Array) -> tuple[float, ...]:
    """Window (x0, x1, z0, z1) of a view about a section, within the extent of the points."""
    seen = View.of(view)
    if seen.window in (None, "body"):
        return _near(wall)
    ends = np.stack([points.min(axis=0), points.max(axis=0)])
    return window_of(seen, np.concatenate([wall, ends]), lines)


def _near(wall: Array) -> tuple[float, ...]:
    """Window (x0, x1, z0, z1) about a section, by its size."""
    (x0, z0), (x1, z1) = wall.min(axis=0), wall.max(axis=0)
    reach = 0.5 * max(x1 - x0, z1 - z0)
    return x0 - reach, x1 + reach, z0 - reach, z1 + reach


def polygons(
    points: Array, cells: Array, values: Array, y: float, on: str = "points"
) -> tuple[Array, Array, Array]:
    """Cuts of the cells by a plane: corners (k, m, 2), the last repeated, values there (k, m), and
    numbers of corners (k,)."""
    beyond = points[:, 1] > y
    if not beyond.any():  # the last plane of all, from within
        beyond = points[:, 1] >= y
    count = (cells >= 0).sum(axis=1)
    most = max(len(kind.edges) for kind in OF_CORNERS.values())
    made, found = [np.empty((0, most, 2))], [np.empty((0, most))]
    sizes = [np.empty(0, np.int64)]
    for size, kind in OF_CORNERS.items():
        rows = np.flatnonzero(count == size)
        side = beyond[cells[rows, :size]]
        rows = rows[side.any(axis=1) & ~side.all(axis=1)]
        if not len(rows):
            continue
        first, second = cells[rows][:, np.array(kind.edges)].transpose(2, 0, 1)
        crossed = beyond[first] != beyond[second]
        way = np.where(crossed, points[second, 1] - points[first, 1], 1.0)
        share = (y - points[first, 1]) / way
        x, z = (points[first, k] + share * (points[second, k] - points[first, k]) for k in ACROSS)
        number = crossed.sum(axis=1)
        middle = [np.where(crossed, a, 0).sum(axis=1) / number for a in (x, z)]
        angle = np.arctan2(z - middle[1][:, None], x - middle[0][:, None])
        order = np.argsort(np.where(crossed, angle, np.inf), axis=1)
        place = np.minimum(np.arange(most), number[:, None] - 1)
        order = np.take_along_axis(order, place, axis=1)
        made.append(np.stack([np.take_along_axis(a, order, axis=1) for a in (x, z)], axis=2))
        sizes.append(number)
        if on == "cells":
            found.append(np.repeat(values[rows].astype(float)[:, None], most, axis=1))
            continue
        f = values[first] + share * (values[second] - values[first])
        found.append(np.take_along_axis(f, order, axis=1))
    return np.concatenate(made), np.concatenate(found), np.concatenate(sizes)


def fans(corners: Array, count: Array) -> tuple[Array, Array, Array]:
    """x (n,), z (n,) of the corners of polygons (k, m, 2), and triangles (t, 3) that make them."""
    most = corners.shape[1]
    second = np.arange(1, most - 1)
    rows, column = np.nonzero(second < count[:, None] - 1)
    first = rows * most
    triangles = np.stack([first, first + second[column], first + second[column] + 1], axis=1)
    return *corners.reshape(-1, 2).T, triangles
