"""Figures of a run: loops, Mach number, mesh, convergence, surface pressure.

Every function returns a matplotlib Figure, and writes it where a path is given. Figures are made
without pyplot, so no window and no display is needed. Lengths in chords, angles in degrees.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError
from kinemesh.figure import BLUE, DARK, RED, figure_of, styled
from kinemesh.io import fields, summary
from kinemesh.io.history import History

if TYPE_CHECKING:
    from kinemesh.hysteresis import Loop


def hysteresis(loop: Loop, reference: Loop | None = None, path: str | Path | None = None) -> Any:
    """cl and cm against alpha (against phase where the body does not pitch).

    Arrows show the direction; the reference is dashed, its rms distance is in the legend.
    Steps that did not converge are marked, and counted in the legend.
    """
    return _hysteresis(loop, reference, path=path)


@styled
def _hysteresis(loop: Loop, reference: Loop | None) -> Any:
    figure = figure_of(7.2, 3.3)
    pitches = loop.damping is not None
    away = None if reference is None else loop.compare(reference)
    for axes, name, symbol in zip(
        figure.subplots(1, 2), ("cl", "cm"), ("$c_l$", "$c_m$"), strict=True
    ):
        if reference is not None:
            share = 100 * getattr(away, name).rms
            x, y = _closed(reference, name, pitches)
            label = f"{reference.label}\nrms difference {share:.2g} % of amplitude"
            axes.plot(x, y, "--", color=DARK, linewidth=1.1, label=label, zorder=3)
        x, y = _closed(loop, name, pitches)
        axes.plot(x, y, color=BLUE, label="kinemesh")
        if pitches:
            _arrows(axes, x, y)
        axes.set_xlabel(r"$\alpha$ [deg]" if pitches else r"$\omega t$ [deg]")
        axes.set_ylabel(symbol)
        axes.set_title("lift" if name == "cl" else "pitching moment, nose-up positive")
        axes.margins(0.06)
        if loop.unconverged:
            _marks(axes, loop, x, y)
        if reference is not None or loop.unconverged:
            low, high = axes.get_ylim()
            axes.set_ylim(low, high + 0.28 * (high - low))
            axes.legend(loc="upper left", fontsize=7.5)
    return figure


def _marks(axes: Any, loop: Loop, x: NDArray[Any], y: NDArray[Any]) -> None:
    """Circles at the steps that did not converge."""
    assert loop.converged is not None
    bad = np.flatnonzero(~loop.converged)
    label = f"{len(bad)} of {loop.steps} steps not converged"
    style = {"color": RED, "markerfacecolor": "none", "markersize": 4.5, "zorder": 5}
    axes.plot(x[bad], y[bad], "o", label=label, **style)


def _closed(loop: Loop, name: str, pitches: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """The loop as a closed curve."""
    y = getattr(loop, name).values
    x = loop.alpha_deg if pitches else loop.phase_deg
    end = x[0] if pitches else x[0] + 360
    return np.r_[x, end], np.r_[y, y[0]]


def _arrows(axes: Any, x: NDArray[Any], y: NDArray[Any], count: int = 4) -> None:
    """Arrow heads along a closed curve, evenly spaced by its length on the paper."""
    dx, dy = np.diff(x) / max(np.ptp(x), 1e-300), np.diff(y) / max(np.ptp(y), 1e-300)
    along = np.r_[0, np.cumsum(np.hypot(dx, dy))]
    for share in (np.arange(count) + 0.5) / count:
        at = np.interp(share * along[-1] + np.array([-0.004, 0.004]) * along[-1], along, x)
        up = np.interp(share * along[-1] + np.array([-0.004, 0.004]) * along[-1], along, y)
        axes.annotate(
            "",
            xy=(at[1], up[1]),
            xytext=(at[0], up[0]),
            arrowprops={"arrowstyle": "-|>", "color": BLUE, "lw": 0, "mutation_scale": 13},
        )


def triangles_of(cells: ArrayLike) -> NDArray[np.int64]:
    """Triangles (t, 3) of cells (cells, 4); a quad gives two, -1 marks a triangle."""
    cells = np.asarray(cells, np.int64)
    quads = cells[cells[:, 3] >= 0]
    return np.concatenate([cells[:, :3], quads[:, [0, 2, 3]]])


def _box(points: NDArray[Any], walls: NDArray[Any], margin: float) -> tuple[float, ...]:
    """Limits (x0, x1, y0, y1) around the walls, or around all points where there are none."""
    body = points[np.unique(walls)] if len(walls) else points
    (x0, y0), (x1, y1) = body.min(axis=0), body.max(axis=0)
    size, mid = max(x1 - x0, y1 - y0), (y0 + y1) / 2
    reach = margin * size
    return x0 - 0.8 * reach, x1 + 0.9 * reach, mid - 0.8 * reach, mid + 0.8 * reach


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

    box = _box(points, walls, 0.85)
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
    _body(axes, points, walls)
    _frame(axes, box, title)
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


def _body(axes: Any, points: NDArray[Any], walls: NDArray[Any]) -> None:
    from matplotlib.collections import LineCollection

    if len(walls):
        axes.add_collection(LineCollection(points[walls], colors=DARK, linewidths=1.0, zorder=4))


def _frame(axes: Any, box: tuple[float, ...], title: str) -> None:
    axes.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel="$x/c$", ylabel="$y/c$")
    axes.set_title(title)
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(True)


@styled
def mesh(points: NDArray[Any], cells: NDArray[Any], walls: NDArray[Any], title: str = "") -> Any:
    """The whole mesh, and close-ups of the body and of its trailing edge."""

    def draw(axes: Any, box: tuple[float, ...], width: float) -> None:
        _edges(axes, points, cells, box, width)

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
    around = _box(points, np.zeros((0, 2), int), 0.0)
    pad = 0.03 * (around[1] - around[0])
    half = max(around[1] - around[0], np.ptp(points[:, 1])) / 2 + pad
    mid = points.min(axis=0) / 2 + points.max(axis=0) / 2
    boxes = (
        (mid[0] - half, mid[0] + half, mid[1] - half, mid[1] + half),
        _square(_box(points, walls, 0.3)),
        (x - size, x + size, y - size, y + size),
    )
    names = (name, "body", "trailing edge")
    for axes, box, text, width in zip((whole, body, tail), boxes, names, sizes, strict=True):
        draw(axes, box, width)
        _body(axes, points, walls)
        _frame(axes, box, text)
    return figure


def _square(box: tuple[float, ...]) -> tuple[float, ...]:
    x, y = (box[0] + box[1]) / 2, (box[2] + box[3]) / 2
    half = max(box[1] - box[0], box[3] - box[2]) / 2
    return x - half, x + half, y - half, y + half


def _edges(
    axes: Any, points: NDArray[Any], cells: NDArray[Any], box: tuple[float, ...], width: float
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
    axes.add_collection(LineCollection(points[pairs], colors=BLUE, linewidths=width, zorder=2))


@styled
def convergence(history: History) -> Any:
    """Residual, and lift and drag, over the iterations of a steady run; a line per member."""
    figure = figure_of(6.4, 4.4)
    top, bottom = figure.subplots(2, 1, sharex=True)
    right = bottom.twinx()
    for m in history.members:
        part = history.member(m)
        label = f" {m}" if len(history.members) > 1 else ""
        at, fade = part["iteration"], 1 - 0.6 * (m - history.members[0]) / len(history.members)
        top.semilogy(at, part["residual"], color=BLUE, alpha=fade, label=f"residual{label}")
        bottom.plot(at, part["cl"], color=BLUE, alpha=fade)
        right.plot(at, part["cd"], color=RED, alpha=fade)
    top.set_ylabel("residual")
    bottom.set(xlabel="iteration")
    bottom.set_ylabel("$c_l$", color=BLUE)
    right.set_ylabel("$c_d$", color=RED)
    right.grid(False)
    right.spines["right"].set_visible(True)
    top.margins(x=0.01)
    return figure


@styled
def surface_pressure(
    points: NDArray[Any], walls: NDArray[Any], cp: NDArray[Any], title: str = ""
) -> Any:
    """-cp along the walls; upper and lower side by the walls' orientation (domain on the left)."""
    from matplotlib.collections import LineCollection

    figure = figure_of(5.6, 3.8)
    axes = figure.subplots()
    lines = np.stack([points[walls, 0], cp[walls]], axis=2)
    upper = points[walls[:, 1], 0] > points[walls[:, 0], 0]
    for side, colour, name in ((upper, BLUE, "upper side"), (~upper, RED, "lower side")):
        axes.add_collection(LineCollection(lines[side], colors=colour, linewidths=1.6))
        axes.plot([], [], color=colour, label=name)
    axes.autoscale_view()
    axes.invert_yaxis()
    axes.margins(0.04)
    axes.set(xlabel="$x/c$", ylabel="$c_p$")
    axes.set_title(title)
    axes.legend()
    return figure


def from_directory(directory: str | Path, complete: bool = True) -> list[Path]:
    """The figures of a run's folder; the paths written.

    Unsteady: hysteresis.png, mach.png, mesh.png. Steady: convergence.png, cp.png and the same.
    In space cp.png, sections.png and mesh.png of the wing (`kinemesh.wing_plot`), and no mach.png.
    CaseError where the folder holds no run, or less than one cycle; with `complete=False` such
    a run gives no hysteresis.png.
    """
    folder = Path(directory)
    if not folder.is_dir():
        raise CaseError(f"{folder}: no such folder; expected the output of a run")
    about = summary.read(folder / "summary.json")
    history = History.read(folder / "history.csv")
    made: list[Path] = []
    if history.kind == "steady":
        made.append(folder / "convergence.png")
        convergence(history, path=made[-1])
    for member in history.members:
        made += _member(folder, history.member(member), about, complete, len(history.members) > 1)
    return made


def _member(
    folder: Path, history: History, about: dict[str, Any], complete: bool, several: bool
) -> list[Path]:
    """Figures of one member; where there are several, its number is in the file names."""
    member = history.members[0]
    tail = f"-{member}" if several else ""
    case = about.get("case") or {}
    title = (case.get("title") or case.get("name") or "") + (f" ({member})" if several else "")
    flow = fields.read(folder / f"flow{tail}.vtkhdf")
    points, cells, walls = flow["points"], flow["cells"], flow["walls"]
    made: list[Path] = []

    def target(name: str) -> Path:
        made.append(folder / f"{name}{tail}.png")
        return made[-1]

    if history.kind == "unsteady" and (complete or history["cycle"].max() > 1 - 1e-6):
        _loop(history, case.get("name"), target("hysteresis"))
    if points.shape[1] == 3:
        from kinemesh import wing_plot

        return [*made, *wing_plot.figures(folder, tail, flow, about, title)]
    if history.kind == "steady":
        mach_inf = np.ravel(about["conditions"]["mach"])
        stream = float(mach_inf[member if len(mach_inf) > 1 else 0])
        surface_pressure(points, walls, _cp(flow, stream), title, path=target("cp"))
    if "Mach" not in flow["fields"]:
        raise CaseError(f"{folder / f'flow{tail}.vtkhdf'}: no field Mach")
    mach(points, cells, flow["fields"]["Mach"], walls, title, path=target("mach"))
    if flow["cloud"]:
        cloud(points, walls, path=target("mesh"))
    else:
        mesh(points, cells, walls, path=target("mesh"))
    return made


def _loop(history: History, name: str | None, path: Path) -> None:
    """The loop of a member beside the reference of its case."""
    from kinemesh import cases
    from kinemesh.hysteresis import hysteresis as last_loop

    loop = last_loop(history)
    reference = name if name in cases.references() else None
    try:
        loop.plot(reference, path)
    except CaseError as error:  # the case was changed to another motion
        warnings.warn(f"hysteresis.png without the reference: {error}", stacklevel=3)
        loop.plot(None, path)


def _cp(flow: dict[str, Any], mach: float, gamma: float = 1.4) -> NDArray[Any]:
    """Pressure coefficient (nodes,) from the file, or from its pressure."""
    if "Cp" in flow["fields"]:
        return flow["fields"]["Cp"]
    if "Pressure" not in flow["fields"]:
        raise CaseError("plot: the fields have neither Cp nor Pressure")
    return (flow["fields"]["Pressure"] - 1 / gamma) / (0.5 * mach**2)
