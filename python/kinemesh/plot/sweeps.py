"""Figures of sweeps: results over one and two parameters, and the tables of loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError, warn
from kinemesh.io.columns import MASS_FLOW, OF_ENDS, OF_WALLS, WAKE
from kinemesh.loops.loop import Loop, loop_of
from kinemesh.plot import marks
from kinemesh.plot.marks import Marked
from kinemesh.plot.style import BLUE, BODIES, DARK, GREY, WIDE, figure_of, literal, styled, wrapped
from kinemesh.plot.words import BOUNDARIES, condition, label

MOST = 200  # loops in one figure
SEEN, HALO = 110, 1.6  # of the points of a sample [points^2] and of marks on them, see marks.put
NUMBERS = "fiu"  # kinds of types
FLAPPING = ("thrust", "power_in", "efficiency")
BY_CYCLES = (("damping", *FLAPPING), ("cl_amplitude", "cm_amplitude"))
LEADING = (("cl", *WAKE), ("cl_mean", "cd_mean", "cl_amplitude", "strouhal"))
"""Default results of sweeps by cycles (of motions whose work is not known the second), and of
others (of steady cases, by time): the first group with numbers."""

OVER_ONE = (
    ("cl_mean", "cd_mean", "cl_amplitude", "cd_amplitude"),
    ("cl", "cd", "cm", "cd_friction", *WAKE),
)
"""Default results of a sweep over one parameter, panel by panel: by time, of steady cases."""
OF_LOOPS = ("cl_amplitude", "cm_amplitude")  # of a sweep by cycles over one, below those of a map


def parameters(found: Any) -> list[str]:
    """Names of the parameters that vary over a sweep's Dataset."""
    dimensions = found["state"].dims
    return [
        name
        for name, values in found.coords.items()
        if values.ndim == 1
        and values.dims[0] in dimensions
        and len(set(values.values.tolist())) > 1
        and name != "case"
    ]


def key_of(found: Any, name: str) -> str:
    """Key that a parameter is told by: of a number of a boundary its own, which names it too."""
    key = str(found[name].attrs.get("long_name", name))
    return key if f".{BOUNDARIES}." in key else name


def per_case(found: Any) -> list[str]:
    """Names of the numbers in a sweep's Dataset with one value per case."""
    of_case = (n for n, v in found.data_vars.items() if v.dims == found["state"].dims)
    return [n for n in of_case if found[n].dtype.kind in f"{NUMBERS}b"]


def leading(found: Any) -> list[str]:
    """Default results of a sweep's figures: of the first group with numbers those that have some.

    Thrust, power and efficiency are left out of motions with a damping by which nothing is
    propelled: no case has an efficiency.
    """
    for names in BY_CYCLES if "phase" in found.dims else LEADING:
        there = [name for name in names if has_numbers(found, name)]
        if "damping" in there and "efficiency" not in there:
            there = [name for name in there if name not in FLAPPING]
        if there:
            return _moved(found, there)
    return []


def _moved(found: Any, names: list[str]) -> list[str]:
    """Results of which one is not 0; else, of channels without walls, those of their ends."""
    if any(np.nan_to_num(found[name].values).any() for name in names):
        return names
    ends = [name for name in per_case(found) if name.startswith(MASS_FLOW) or name in OF_ENDS]
    return [name for name in ends if has_numbers(found, name)]


def has_numbers(found: Any, name: str) -> bool:
    """Return True if a case that ran has a finite number of this result."""
    if name not in per_case(found):
        return False
    return bool((np.isfinite(found[name].values) & (found["state"].values == 1)).any())


def of_sweep(found: Any) -> tuple[dict[int, Loop], list[dict[str, Any]], dict[int, Marked]]:
    """Loops of the cases that ran, by number; parameters of every case; marks of each loop."""
    if "phase" not in found.dims:
        raise CaseError(
            "loops: cases that are steady or run by time_step have no loops; km.plot.sweep_map "
            f"draws numbers per case, there are {', '.join(per_case(found))}"
        )
    names, dimensions = parameters(found), found["state"].dims
    masks = {name: mask.ravel() for name, mask in marks.masks_of(found).items()}
    none = np.zeros(found["state"].size, bool)
    short, open_, unknown = (
        masks.get(name, none) for name in (marks.UNCONVERGED, marks.OPEN, marks.UNKNOWN)
    )
    found = found[["angle_deg", "cl", "cm", "state"]].load()
    number = np.arange(found["state"].size).reshape(found["state"].shape)
    loops: dict[int, Loop] = {}
    rows: list[dict[str, Any]] = []
    for at in np.ndindex(number.shape):
        case = found.isel(dict(zip(dimensions, at, strict=True)))
        rows.append({name: case[name].item() for name in names})
        if case["state"].item() == 1:
            angle, lift, moment = (case[name].values for name in ("angle_deg", "cl", "cm"))
            phase = case["phase"].values
            loops[int(number[at])] = loop_of(phase, angle, lift, moment, "sweep")
    lost = number.size - len(loops)
    if lost:
        warn(f"left out, having failed or not been run: {lost} of {number.size} cases", UserWarning)
    marked = {m: Marked(not short[m], None if unknown[m] else not open_[m]) for m in loops}
    return loops, rows, marked


@checks_names
def sweep_map(
    found: Any,
    name: str | None = None,
    x: str | None = None,
    y: str | None = None,
    path: str | Path | None = None,
) -> Any:
    """Figure of a result over two parameters of a sweep, with its zero line.

    Of the damping that line is the boundary of stability.  Marks, which the legend counts, are
    cases that failed, have not been run, did not converge, or are not periodic.

    Parameters
    ----------
    found : Dataset of a sweep; of more than two parameters of all combinations, one value of each
        further one: `ds.sel(section="naca0012")`
    name : variable with a number per case; default: the damping, of steady cases cl, of cases that
        run by time_step cl_mean
    x, y : parameters; default: the first two that vary
    path : file to save the figure in (.png, .pdf or .svg)

    Raises
    ------
    CaseError    no such variable or parameter, fewer than two parameters that vary, or more
    """
    some = per_case(found)
    name = next(iter(leading(found)), "damping") if name is None else name
    if name not in some:
        raise CaseError(f"sweep_map: no number {name!r} per case; there are {', '.join(some)}")
    if not has_numbers(found, name):
        numbers = [own for own in some if has_numbers(found, own)]
        raise CaseError(
            f"sweep_map: no case that ran has a number of {name!r}, so that the map is empty; "
            f"there are numbers of {', '.join(numbers) or 'nothing'}"
        )
    names = parameters(found)
    for given in (x, y):
        if given is not None and given not in names:
            raise CaseError(f"sweep_map: {given!r} does not vary, expected two of {names}")
    first = x or next((n for n in names if n != y), "")
    second = y or next((n for n in names if n != first and _apart(found, n, first)), "")
    if not first or not second or first == second:
        raise CaseError(
            f"sweep_map: expected two parameters that vary on their own, there are {names}; give x "
            "and y of parameters that vary together"
        )
    along = {*found[first].dims, *found[second].dims}
    rest = [d for d in found["state"].dims if d not in along and found.sizes[d] > 1]
    if rest:
        raise CaseError(
            f"sweep_map: {', '.join(rest)} varies, too; choose one value, such as "
            f"ds.isel({rest[0]}=0)"
        )
    return _map(found.squeeze(), name, first, second, path=path)


@checks_names
def sweep_lines(found: Any, x: str | None = None, path: str | Path | None = None) -> Any:
    """Figure of mean and amplitude of cl and cd over one parameter of a sweep by time_step; of
    steady cases cl, cd, cm and, of a viscous gas, cd_friction; of cases with a cycle damping, of
    flapping thrust, power and efficiency, and amplitudes of cl and cm.

    Several bodies have a line each beside that of all of them.  Marks, which the legend counts, are
    cases that failed or have not been run, at the foot, and cases that did not converge.

    Parameters
    ----------
    found : Dataset of a sweep; of more than one parameter one value of each further one:
        `ds.sel(section="naca0012")`
    x : parameter; default: the first that varies
    path : file to save the figure in (.png, .pdf or .svg)

    Raises
    ------
    CaseError    no numbers; no such parameter, none that varies, or several
    """
    names, there = parameters(found), over_one(found)
    if not there:
        raise CaseError(
            "sweep_lines: no case that ran has loads, damping, thrust or power; there are "
            f"{', '.join(per_case(found))}"
        )
    if not names or (x is not None and x not in names):
        raise CaseError(f"sweep_lines: {x!r} does not vary, expected one of {names}")
    x = x or names[0]
    rest = [n for n in names if n != x and _apart(found, n, x)]
    if rest:
        raise CaseError(
            f"sweep_lines: {', '.join(rest)} varies, too; choose one value, such as "
            f"ds.isel({found[rest[0]].dims[0]}=0), or draw maps by km.plot.sweep_map"
        )
    return _lines(found.squeeze(), there, x, path=path)


def over_one(found: Any) -> list[str]:
    """Default results over one parameter, those with numbers; [] without any."""
    groups = OVER_ONE if "phase" not in found.dims else ((*leading(found), *OF_LOOPS),)
    each = ([n for n in dict.fromkeys(names) if has_numbers(found, n)] for names in groups)
    return _moved(found, next((there for there in each if there), []))


@styled
def _lines(found: Any, names: Sequence[str], x: str) -> Any:
    if found[x].dtype.kind in NUMBERS:
        found = found.sortby(x)
    columns = {1: 1, 3: 3}.get(len(names), 2)
    down = -(-len(names) // columns)
    figure = figure_of(5.2 if columns == 1 else 7.2, 0.6 + (3.0 if columns == 1 else 2.1) * down)
    panels = figure.subplots(down, columns, sharex=True, squeeze=False)
    ran, masks = found["state"].values == 1, marks.masks_of(found)
    for axes, name in zip(panels.flat, names, strict=False):
        across = _places(axes.xaxis, found[x].values)
        start = f"{name}_"
        own = [n for n in per_case(found) if n.startswith(start) and n not in OF_WALLS]
        bodies = [n.removeprefix(start) for n in own]
        for k, marker in enumerate(bodies):
            alone = np.where(ran, found[start + marker].values, np.nan)
            colour = BODIES[1:][k % (len(BODIES) - 1)]
            axes.plot(across, alone, ".-", color=colour, linewidth=1.1, label=literal(marker))
        values = np.where(ran, found[name].values, np.nan)
        whole = {"label": "all bodies"} if bodies else {}
        axes.plot(across, values, ".-", color=BLUE, **whole)
        foot = axes.get_ylim()[0]
        # at the foot what has no number as it did not run, but not what ran without one
        marks.put(axes, across, np.where(np.isfinite(values) | ran, values, foot), masks)
        axes.set_ylabel(label(name, True))
    for number, axes in enumerate(panels.flat):
        axes.set_visible(number < len(names))
        if len(names) - columns <= number < len(names):  # the last of its column
            axes.set_xlabel(label(key_of(found, x)))
            axes.tick_params(labelbottom=True)
    panels[0, 0].set_title(title_of(found))
    if panels[0, 0].get_legend_handles_labels()[0]:
        told = panels[0, 0].get_legend_handles_labels()
        figure.legend(*told, loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _apart(found: Any, one: str, other: str) -> bool:
    """Return True if two parameters vary independently: on two dimensions, or in a sample."""
    return found[one].dims != found[other].dims or found[one].dims == ("case",)


@styled
def _map(found: Any, name: str, x: str, y: str) -> Any:
    figure = figure_of(5.2, 4.0)
    axes = figure.subplots()
    sampled = found[x].dims == found[y].dims
    if not sampled:  # a mesh of colours needs places in order
        found = found.sortby([n for n in (x, y) if found[n].dtype.kind in NUMBERS])
    order = found[x].dims if sampled else (*found[y].dims, *found[x].dims)
    values = found[name].transpose(*order).values.astype(float)
    ran = found["state"].transpose(*order).values == 1
    values = np.where(ran, values, np.nan)
    across, up = _places(axes.xaxis, found[x].values), _places(axes.yaxis, found[y].values)
    tones = _tones(values)
    points = [across, up] if sampled else [*np.meshgrid(across, up)]
    shown: Any
    if sampled:
        # an edge, as values next to 0 are white
        shown = axes.scatter(across, up, c=values, s=SEEN, edgecolors=GREY, linewidths=0.5, **tones)
    else:
        shown = axes.pcolormesh(across, up, values, shading="nearest", **tones)
    _boundary(axes, points, values, sampled)
    thin = {"halo": HALO} if sampled else {}
    marks.put(axes, points[0], points[1], marks.masks_of(found.transpose(*order, ...)), **thin)
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    axes.grid(False)
    if sampled:  # points at the ends of the ranges are whole, too
        axes.use_sticky_edges = False
        axes.margins(0.06)
        axes.autoscale()
    axes.set_title(title_of(found))
    axes.set_xlabel(label(key_of(found, x)))
    axes.set_ylabel(label(key_of(found, y)))
    figure.colorbar(shown, ax=axes).set_label(label(name, True))
    return figure


def title_of(found: Any) -> str:
    """Title of a sweep, with the parameters that are constant over what is shown."""
    fixed = {n: v.item() for n, v in found.coords.items() if v.ndim == 0 and n != "case"}
    words = ", ".join(condition(key_of(found, name), value) for name, value in fixed.items())
    told = "\n".join(text for text in (str(found.attrs.get("title", "")), words) if text)
    return wrapped(told, WIDE)


def _places(axis: Any, values: NDArray[Any]) -> NDArray[np.float64]:
    """Positions of values on an axis; texts get 0, 1, 2, ... as ticks."""
    if values.dtype.kind in NUMBERS:
        return values.astype(float)
    texts = list(dict.fromkeys(map(str, values)))
    axis.set_ticks(range(len(texts)), texts)
    return np.array([texts.index(str(value)) for value in values], float)


def _tones(values: NDArray[np.float64]) -> dict[str, Any]:
    """Colour map of values: diverging about zero where signs differ."""
    from matplotlib.colors import TwoSlopeNorm

    low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
    if low < 0 < high:
        most = max(-low, high)
        return {"cmap": "RdBu", "norm": TwoSlopeNorm(0.0, -most, most)}
    return {"cmap": "viridis"}


def _boundary(
    axes: Any, points: Sequence[NDArray[np.float64]], values: NDArray[np.float64], sampled: bool
) -> None:
    """The line on which values are zero, where they have both signs."""
    good = np.isfinite(values)
    if not ((values[good] < 0).any() and (values[good] > 0).any()):
        return
    style: dict[str, Any] = {"levels": [0.0], "colors": DARK, "linewidths": 1.6}
    if sampled:
        if good.sum() > 2:
            axes.tricontour(points[0][good], points[1][good], values[good], **style)
    elif min(values.shape) > 1:
        axes.contour(*points, values, **style)


def figures(found: Any, loops: Callable[..., Any], folder: Path, format: str) -> list[Path]:
    """The figures of a sweep's folder: loops of at most MOST cases, results over one parameter as
    lines, over two as maps; none without numbers.

    Where more than two vary, the others have their first values in the maps.
    """
    made = []
    if "phase" in found.dims and (found["state"] == 1).sum() <= MOST:
        made.append(folder / f"hysteresis.{format}")
        loops(found, path=made[-1])
    varied = [d for d in found["state"].dims if found.sizes[d] > 1]
    shown = found.isel({} if "case" in varied else {d: 0 for d in varied[2:]})
    names = parameters(shown)
    single = names and not any(_apart(found, n, names[0]) for n in names[1:])
    if single and over_one(found):
        made.append(folder / f"lines.{format}")
        sweep_lines(found, path=made[-1])
    elif len(names) > 1 and not single:
        for name in leading(shown):
            made.append(folder / f"map-{name}.{format}")
            sweep_map(shown, name, path=made[-1])
    if not made:
        raise CaseError(
            f"{folder}: no figures, as loops take a cycle and at most {MOST} cases, lines and maps "
            f"parameters that vary and numbers, there are {parameters(found)}; "
            f"km.open({str(folder)!r}) has the numbers of each case: {', '.join(per_case(found))}"
        )
    return made
