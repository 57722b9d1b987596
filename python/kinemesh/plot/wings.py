"""Figures of a wing: pressures from above and below, at sections along the span, points or mesh."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError, warn
from kinemesh.io.columns import SIDE
from kinemesh.mesh.edges import edge_keys
from kinemesh.mesh.extents import CHORD, longest_chord
from kinemesh.plot.both_sides import pressure, surface_friction, upper_of
from kinemesh.plot.flows import moment_of
from kinemesh.plot.histories import hysteresis
from kinemesh.plot.marks import unconverged
from kinemesh.plot.overset import above
from kinemesh.plot.pressures import half_chords, unsteady_pressures
from kinemesh.plot.spans import ROOT, cells_of, cut, spanwise, through
from kinemesh.plot.style import BLUE, DARK, RED, at_moment, figure_of, headed, styled
from kinemesh.plot.units import CHORDS, Unit
from kinemesh.plot.views import View
from kinemesh.plot.wall_pressures import DASHED
from kinemesh.results.pressures import write
from kinemesh.results.sections import Span
from kinemesh.results.sections import sections as planes
from kinemesh.results.spanwise import Surface
from kinemesh.study.cuts import Cut, section_pressures
from kinemesh.study.face_diagonals import edges_of

if TYPE_CHECKING:
    from kinemesh.results import Run

SHARES = (0.20, 0.44, 0.65, 0.80, 0.90, 0.96, 0.99)  # of the span, where no data say others
UNSTEADY = (0.44, 0.65, 0.90)  # those of unsteady pressures
CUT = 0.65  # that of the plane that is cut
ALIKE = 1e-6  # chords that sections between two planes may be apart and still be one
ALIKE_TO = 9  # digits of places over the chord at which ends of segments are one
NEAR = 0.6  # chords at the root, of the plane of symmetry that are shown about the wing


@styled
def sections(
    points: NDArray[Any],
    walls: NDArray[Any],
    cp: NDArray[Any],
    stations: list[tuple[float, float]],
    data: NDArray[Any] | None = None,
    label: str = "",
    title: str = "",
    mark: str = "",
    diagonals: NDArray[Any] | None = None,
    unit: Unit = CHORDS,
) -> Any:
    """cp over the local chord at stations along the span; the lower side is dashed, as that of a
    symmetric flow lies on the upper one.

    Parameters
    ----------
    stations : (share of the span, y)
    mark : what a reader must know, in red
    data : (k, 4)    share of the span, x and z over the local chord, cp: measured, and its label
    diagonals : (d, 2)    sides of the walls' triangles that divide faces of four corners
    unit : what the chord of a single section is called
    """

    across = min(len(stations), 4)
    down = -(-len(stations) // across)
    alone = len(stations) == 1
    figure = figure_of(4.6, 3.6) if alone else figure_of(2.5 * across, 2.4 * down)
    panels = np.ravel(figure.subplots(down, across, sharex=True, sharey=True, squeeze=False))
    for axes, (share, y) in zip(panels, stations, strict=False):
        cut = section_pressures(points, walls, cp, y, diagonals)
        for side, colour, style in ((cut.upper, BLUE, "-"), (~cut.upper, RED, DASHED)):
            for x, found in _curves(cut, side):
                axes.plot(x, found, linestyle=style, color=colour, linewidth=1.3)
        if data is not None:
            there = data[np.isclose(data[:, 0], share)]
            axes.plot(there[:, 1], there[:, 3], "o", color=DARK, markersize=2.5, zorder=1)
        axes.set_title(rf"$\eta = {share:.2f}$")
        axes.autoscale_view()
    panels[0].invert_yaxis()
    if not alone:
        half_chords(panels)
    for axes in panels[len(stations) :]:
        axes.set_axis_off()
    for axes in panels[len(stations) - across : len(stations)]:
        axes.tick_params(labelbottom=True)
    sides = ((BLUE, "-"), (RED, DASHED))
    handles = [panels[0].plot([], [], color=c, linestyle=style)[0] for c, style in sides]
    names = ["upper side", "lower side"]
    if data is not None:
        handles.append(panels[0].plot([], [], "o", color=DARK, markersize=2.5)[0])
        names.append(label)
    if alone:
        panels[0].set(xlabel=unit.axis("x"), ylabel="$c_p$")
    else:
        figure.supxlabel("$x/c$", fontsize=10)
        figure.supylabel("$c_p$", fontsize=10)
    figure.legend(handles, names, loc="outside lower right", ncols=3)
    headed(figure, title, mark)
    return figure


def _curves(cut: Cut, side: NDArray[np.bool_]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """x and cp along the curves that the segments of a side make, from their open ends on."""
    place = np.stack([cut.x[side], cut.z[side]], axis=2)
    _, number = np.unique(np.round(place.reshape(-1, 2), ALIKE_TO), axis=0, return_inverse=True)
    ends, x, found = number.reshape(-1, 2), cut.x[side], cut.cp[side]
    at: dict[int, list[int]] = {}
    for row, both in enumerate(ends.tolist()):
        for node in both:
            at.setdefault(node, []).append(row)
    rest = set(range(len(ends)))
    starts = [node for node, rows in at.items() if len(rows) != 2]
    for node in [*starts, *at]:  # then closed curves
        while rows := [row for row in at[node] if row in rest]:
            path = []
            while rows:
                rest.discard(rows[0])
                first = int(ends[rows[0], 0] != node)
                path += [(rows[0], first), (rows[0], 1 - first)]
                node = int(ends[rows[0], 1 - first])
                rows = [row for row in at[node] if row in rest]
            row, end = np.array(path).T
            yield x[row, end], found[row, end]


@styled
def cloud(
    points: NDArray[Any],
    walls: NDArray[Any],
    plane: NDArray[Any],
    colour: NDArray[Any],
    title: str = "",
    unit: str = ROOT,
) -> Any:
    """The points of the wing's upper side and of the plane of symmetry near it, by their colour.

    points (n, 3), walls (t, 3), plane (s,) numbers of points, of a body without one none,
    colour (n,), `unit` of lengths.
    """
    from matplotlib.colors import ListedColormap

    figure = figure_of(9.6 if len(plane) else 5.6, 4.6)
    panels = figure.subplots(1, 2 if len(plane) else 1, squeeze=False)[0]
    top = panels[0]
    count = int(colour.max()) + 1
    tones = ListedColormap([BLUE, RED]) if count <= 2 else "tab20"
    style = {"cmap": tones, "vmin": -0.5, "vmax": max(count, 2) - 0.5, "linewidths": 0}
    upper = np.unique(walls[upper_of(points, walls)])
    drawn = top.scatter(points[upper, 1], points[upper, 0], c=colour[upper], s=2.0, **style)
    top.invert_yaxis()
    top.set(xlabel=f"$y$ [{unit}]", ylabel=f"$x$ [{unit}]", aspect="equal")
    top.set_title("upper side")
    for side in panels[1:]:
        x0, x1, z0, z1 = _about(points, walls, plane)
        x, z = points[plane, 0], points[plane, 2]
        near = (x > x0) & (x < x1) & (z > z0) & (z < z1)
        side.scatter(x[near], z[near], c=colour[plane][near], s=2.0, **style)
        side.set(xlabel=f"$x$ [{unit}]", ylabel=f"$z$ [{unit}]", aspect="equal")
        side.set_title("plane of symmetry")
    for axes in panels:
        axes.grid(False)
    bar = figure.colorbar(drawn, ax=list(panels), shrink=0.85, ticks=range(count))
    bar.set_label("colour")
    told = f"cloud: {len(points):,} points"
    headed(figure, f"{title}\n{told}" if title else told)
    return figure


@styled
def mesh(
    points: NDArray[Any],
    walls: NDArray[Any],
    cells: NDArray[Any],
    plane: NDArray[Any],
    title: str = "",
    unit: str = ROOT,
) -> Any:
    """The faces of the wing's upper side, and the mesh on the plane of symmetry near it.

    points (n, 3), walls (t, 3), cells (c, 8) with -1 behind the last corner, plane (s,) numbers of
    nodes, of a body without one none, `unit` of lengths.
    """
    from matplotlib.collections import LineCollection

    figure = figure_of(9.6 if len(plane) else 5.6, 4.6)
    panels = figure.subplots(1, 2 if len(plane) else 1, squeeze=False)[0]
    top = panels[0]
    style: dict[str, Any] = {"colors": DARK, "linewidths": 0.3}
    edges = edges_of(cells, np.unique(walls), len(points))
    upper = walls[upper_of(points, walls)]
    sides = np.sort(np.concatenate([upper[:, [0, 1]], upper[:, [1, 2]], upper[:, [2, 0]]]), axis=1)
    facets = np.unique(_common(sides, edges, len(points)), axis=0)  # no diagonals of quadrilaterals
    top.add_collection(LineCollection(points[facets][..., [1, 0]], **style))
    top.autoscale_view()
    top.invert_yaxis()
    top.set(xlabel=f"$y$ [{unit}]", ylabel=f"$x$ [{unit}]", aspect="equal")
    top.set_title("upper side")
    for side in panels[1:]:
        x0, x1, z0, z1 = _about(points, walls, plane)
        lines = edges_of(cells, plane, len(points))
        side.add_collection(LineCollection(points[lines][..., [0, 2]], **style))
        side.set(xlabel=f"$x$ [{unit}]", ylabel=f"$z$ [{unit}]", aspect="equal")
        side.set(xlim=(x0, x1), ylim=(z0, z1))
        side.set_title("plane of symmetry")
    for axes in panels:
        axes.grid(False)
    told = f"mesh: {len(points):,} nodes"
    headed(figure, f"{title}\n{told}" if title else told)
    return figure


def _about(points: NDArray[Any], walls: NDArray[Any], plane: NDArray[Any]) -> tuple[float, ...]:
    """Window (x0, x1, z0, z1) about the root of a wing, on its plane of symmetry."""
    root = points[np.intersect1d(walls, plane)][:, [0, 2]]
    low, high = root.min(axis=0), root.max(axis=0)
    room = NEAR * float(np.hypot(*(high - low)))
    (x0, z0), (x1, z1) = low - room, high + room
    return x0, x1, z0, z1


def _common(pairs: NDArray[Any], others: NDArray[Any], total: int) -> NDArray[Any]:
    """Pairs (k, 2) of node numbers that are among the others, either way round."""
    return np.asarray(pairs[np.isin(edge_keys(pairs, total), edge_keys(others, total))])


def figures(
    target: Callable[..., Path], run: Run, member: int, title: str, seen: View, time: Unit
) -> None:
    """Draw the figures of a member of a run in space; none without walls.

    Parameters
    ----------
    target : name of a figure, and perhaps `ending`, -> its path
    seen : range of the colours of the surface's pressure, window of the plane that is cut
    time : unit of times
    """
    flow = run.fields(member=member)
    points, walls = flow.points, flow.walls
    if not len(walls):
        return
    wanted = ["Velocity"] if flow.incompressible else ["Cp", "Mach"]
    for name in [*wanted, "Colour"] if flow.cloud else wanted:
        if name not in flow:
            raise CaseError(f"the fields have no {name}; there are {', '.join(flow)}")
    if seen.frame != "world":
        warn(f"frame = {seen.frame!r} is for pictures of the plane; a wing is shown in the world's",
             UserWarning)  # fmt: skip
    skin = Surface(run, member, "plot")
    frame = next(skin.frames([skin.nearest(flow.time)]))
    at = frame[0], skin.triangles, skin.at_nodes(frame)
    mark, span = unconverged(run, member), skin.span
    alike = same_all_along(*at[:2], span)
    shares = (0.5,) if alike else SHARES
    stations, data, label = _stations(span, shares, run.summary)
    unsteady = run.history.kind == "unsteady"
    now = at_moment(title, moment_of(time.of(flow), time)) if unsteady else title
    about = {"title": now, "mark": mark}
    # a body that is closed at both ends has no plane of symmetry
    near = np.abs(points[:, 1] - span.root) <= 1e-9 * (span.high - span.low)
    plane = np.flatnonzero(near & (span.least >= 0))
    unit = "chord" if alike else ROOT if len(plane) else "longest chord"
    unit = time.word if time.word == "diameter" else unit
    chord = longest_chord(points, walls)
    size = 1.0 if abs(chord - 1) <= CHORD else chord
    shown = points / size
    pressure(at[0] / size, *at[1:], **about, range=seen.range, unit=unit, path=target("cp"))
    if "Friction" in flow:
        of_walls = flow.at_walls()["Friction"]
        surface_friction(shown, walls, of_walls, **about, unit=unit, path=target("friction"))
    own = time if time.word == "diameter" else CHORDS
    faces = {"diagonals": skin.diagonals, "unit": own}
    sections(*at, stations, data, label, **about, **faces, path=target("sections"))
    if not alike:
        loads = run.spanwise(member)
        told = title if loads.harmonics else now  # loads of a cycle have no moment
        spanwise(loads, title=told, mark=mark, path=target("spanwise"))
    (middle,) = planes(points, walls, [0.5 if alike else CUT], span)
    more: dict[str, Any] = {"lines": not flow.cloud, "view": seen.window, "on": flow.on,
                            "unit": unit}  # fmt: skip
    cells = cells_of(points, walls, middle) if flow.cloud else above(flow)
    middle = replace(middle, y=middle.y / size)
    values, label = through(flow)
    more["label"] = label
    cut(shown, cells, values, middle, **about, **more, path=target("cut"))
    if flow.cloud:
        cloud(shown, walls, plane, flow["Colour"], now, unit, path=target("mesh"))
    else:
        mesh(shown, walls, flow.cells, plane, now, unit, path=target("mesh"))
    _unsteady(target, run, member, alike, title, own)


def _unsteady(
    target: Callable[..., Path], run: Run, member: int, alike: bool, title: str, unit: Unit
) -> None:
    """Pressures of sections over the last cycle, and loops of the loads of space, where there is
    one.

    Parameters
    ----------
    alike : whether all sections are the same, of which one is shown
    unit : of the motion; places are over the chord of each section
    """
    if run.history.kind != "unsteady" or run.history.by_time:
        return
    try:
        loop = run.loop(member)
        each = [run.pressures(member, section=s) for s in ([0.5] if alike else UNSTEADY)]
    except CaseError:  # less than a cycle, or a section that is not one curve
        return
    found = {name: body for one in each for name, body in one.items()}
    places = unit if alike else CHORDS
    unsteady_pressures(found, title, unit, places, path=target("pressures"))
    write(target("pressures", ending="csv"), found)
    hysteresis(loop, None, target("side"), title, loads=SIDE)


def same_all_along(points: NDArray[Any], walls: NDArray[Any], span: Span) -> bool:
    """Return True of walls between two planes of symmetry whose sections are the same."""
    if not span.between:
        return False
    low, high = (cut.chord(points) for cut in planes(points, walls, [0, 1], span))
    size = float(np.hypot(*np.ptp(low, axis=0)))
    return bool(np.abs(high - low).max() < ALIKE * size)


def _stations(
    span: Span, shares: Sequence[float], about: Mapping[str, Any]
) -> tuple[list[tuple[float, float]], NDArray[Any] | None, str]:
    """Stations of the sections, with measured data and labels."""
    from kinemesh import cases

    name = (about.get("case") or {}).get("name")
    measured = cases.pressures(name) if name else None
    if measured is None:
        return [(s, span.y(s)) for s in shares], None, ""
    with measured[0].open(encoding="utf-8") as file:
        table = list(csv.DictReader(line for line in file if not line.startswith("#")))
    keys = ("eta", "x_c", "z_c", "cp")
    data = np.array([[float(row[key]) for key in keys] for row in table])
    stations = list(dict.fromkeys((float(row["eta"]), float(row["y"])) for row in table))
    flow, conditions = cases.load(str(name)).flow, about["conditions"]
    if (conditions["mach"], conditions.get("alpha_deg")) != (flow.mach, flow.alpha_deg):
        warn(
            f"sections.png without what was measured: that is at Mach {flow.mach:g} and "
            f"{flow.alpha_deg:g} degrees",
            UserWarning,
        )
        return stations, None, ""
    return stations, data, measured[1]
