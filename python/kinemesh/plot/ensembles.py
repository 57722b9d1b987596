"""Figures of ensembles: the loops of all members, coloured by the parameters that vary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import CaseError, warn
from kinemesh.plot import marks
from kinemesh.plot.histories import curve
from kinemesh.plot.marks import Marked
from kinemesh.plot.style import BLUE, DARK, figure_of, headed, hush, phase_axis, styled
from kinemesh.plot.sweeps import key_of, of_sweep, title_of
from kinemesh.plot.titles import differing, in_common, in_unit
from kinemesh.plot.words import condition
from kinemesh.plot.words import label as label_of
from kinemesh.results.asked import values

if TYPE_CHECKING:
    from kinemesh.results import Run
    from kinemesh.study.hysteresis import Loop

DASHES = ("-", "--", ":", "-.")
FEW = 8  # values that a legend lists; more have a bar of colours


@checks_names
def loops(run: Run | Any, by: str | None = None, path: str | Path | None = None) -> Any:
    """Figure of cl and cm of all members against alpha (against phase if one does not pitch).

    Colours show one of the parameters that vary from member to member; dashes show a second one, if
    it has up to four values.  Circles are on loops that did not converge; those that are not
    periodic are open, with a square at each end.  The legend counts these, and what is left out.

    Parameters
    ----------
    run : Run, or Dataset of a sweep    members without a whole cycle are left out, and with a
        warning those that have failed
    by : str         parameter that colours show, a column of `run.table()` or a coordinate of the
        Dataset; default: the parameter with most values
    path : file to save the figure in (.png, .pdf or .svg)

    Raises
    ------
    CaseError    `by` does not vary, or no member has a whole cycle
    """
    sweep = "state" in getattr(run, "variables", ())
    found, rows, marked = of_sweep(run) if sweep else _of_run(run)
    names = differing(rows)
    if by is not None and by not in names:
        raise CaseError(f"loops: by = {by!r}, expected one of what varies: {names}")
    if not found:
        raise CaseError(f"loops: none of {len(rows)} cases has a loop")
    drawn = [rows[member] for member in found]  # colours and legend are of what is drawn
    order = sorted(names, key=lambda name: -len(values(drawn, name)))
    colour = by or (order[0] if order else None)
    rest = [name for name in order if name != colour]
    dash = next((name for name in rest if len(values(drawn, name)) <= len(DASHES)), None)
    more = [name for name in rest if name != dash and len(values(drawn, name)) > 1]
    said = marks.words(marked, _lost(run, sweep, len(rows) - len(found)))
    title = title_of(run) if sweep else in_common([(run, m) for m in found])
    keys = {name: key_of(run, name) for name in names} if sweep else {}
    return _loops(found, rows, marked, (colour, dash, more), said, title, keys, path=path)


def _lost(run: Run | Any, sweep: bool, count: int) -> dict[str, int]:
    """Numbers of cases without a loop: failed, not run, or with less than a cycle."""
    if sweep:
        masks = marks.masks_of(run)
        return {name: int(masks[name].sum()) for name in (marks.FAILED, marks.NOT_RUN)}
    failed = len(run.failed)
    return {marks.FAILED: failed, "without a cycle": count - failed}


def _of_run(run: Run) -> tuple[dict[int, Loop], list[dict[str, Any]], dict[int, Marked]]:
    """Loops by member, the conditions of every member, and the marks of each loop."""
    found: dict[int, Loop] = {}
    last: Exception = CaseError(f"loops: all {run.members} members have failed")
    for member in running(run):
        try:
            found[member] = run.loop(member)
        except CaseError as error:
            last = error
    if not found:
        raise last
    marked = {m: Marked(loop.unconverged == 0, loop.periodic) for m, loop in found.items()}
    rows = [in_unit(run, m, row)[0] if m in found else row for m, row in enumerate(run.asked())]
    return found, rows, marked


def running(run: Run) -> list[int]:
    """Numbers of the members that have not failed; a warning names the others."""
    failed = [row["member"] for row in run.failed]
    if failed:
        numbers = ", ".join(map(str, failed))
        warn(f"left out, having failed (run.failed says why): members {numbers}", UserWarning)
    return [m for m in range(run.members) if m not in failed]


def label(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """A member for the name of a file: `mach0.5-k0.1`."""
    there = [(name.removesuffix("_deg"), row[name]) for name in names if row.get(name) is not None]
    words = [v if isinstance(v, str) else f"{name}{v:g}" for name, v in there]
    return re.sub(r"[^\w.+-]", "_", "-".join(words))


def names_of(run: Run) -> list[str]:
    """Names of the members by the parameters that vary; with numbers where names are equal."""
    rows = run.asked()
    names = [label(row, differing(rows)) for row in rows]
    if len(set(names)) == len(names):
        return names
    return [f"{name}-{m}".lstrip("-") for m, name in enumerate(names)]


def stream_of(run: Run, member: int) -> tuple[float, float] | None:
    """Direction of the stream of incompressible flow, (0, 0) where it is at rest; None of a gas."""
    row = run.asked()[member]
    if "reynolds" not in row or "mach" in row:
        return None
    if row.get("stream") == 0:
        return 0.0, 0.0
    angle = np.radians(row.get("alpha_deg") or 0.0)
    return float(np.cos(angle)), float(np.sin(angle))


def speed_of(run: Run, member: int) -> float:
    """Speed of the stream in the units of vorticity: its Mach number, or 1, or 0 at rest."""
    row = run.asked()[member]
    return float(row.get("mach", 1.0)) * float(row.get("stream", 1.0))


@styled
def _loops(
    found: Mapping[int, Loop],
    rows: Sequence[Mapping[str, Any]],
    marked: Mapping[int, Marked],
    shown: tuple[str | None, str | None, Sequence[str]],
    said: Sequence[tuple[str, str]],
    title: str = "",
    keys: Mapping[str, str] | None = None,
) -> Any:
    by, dash, more = shown
    told: dict[str | None, str] = {
        name: (keys or {}).get(name, name) for name in (by, dash, *more) if name
    }
    figure = figure_of(8.4, 3.5)
    pitches = all(np.ptp(loop.alpha_deg) > 0 for loop in found.values())
    drawn = [rows[m] for m in found]
    tones = _Tones(values(drawn, by) if by else [])
    kinds = values(drawn, dash) if dash else []
    panels = figure.subplots(1, 2)
    for axes, name, symbol in zip(panels, ("cl", "cm"), ("$c_l$", "$c_m$"), strict=True):
        for m, loop in found.items():
            x, y, _ = curve(loop, name, pitches, marked[m].periodic)
            kind = rows[m].get(dash) if dash else None
            style = "-" if kind is None else DASHES[kinds.index(kind)]
            colour = tones.of(rows[m].get(by) if by else None)
            axes.plot(x, y, style, color=colour, linewidth=1.2)
            _mark(axes, x, y, marked[m], colour)
        axes.set_ylabel(symbol)
        axes.set_title("lift" if name == "cl" else "pitching moment, nose-up positive")
        axes.margins(0.06)
        if pitches:
            axes.set_xlabel(r"$\alpha$ [deg]")
        else:
            phase_axis(axes)
    hush(panels)
    entries = [(tones.of(v), "-", condition(told.get(by), v)) for v in tones.listed]
    entries += [(DARK, DASHES[i], condition(told.get(dash), v)) for i, v in enumerate(kinds)]
    entries += [("none", "-", f"for each {condition(told[name])}") for name in more]
    handles = [panels[0].plot([], [], s, color=c, label=text)[0] for c, s, text in entries]
    handles += [
        panels[0].plot([], [], s, ls="none", color=DARK, mfc="none", label=t)[0] for s, t in said
    ]
    if handles:
        figure.legend(handles=handles, loc="outside right upper", fontsize=8)
    headed(figure, title)
    if tones.bar is not None:
        figure.colorbar(tones.bar, ax=panels).set_label(label_of(told.get(by, "")))
    return figure


def _mark(axes: Any, x: NDArray[Any], y: NDArray[Any], case: Marked, colour: Any) -> None:
    """Eight circles on a loop that did not converge, squares at the ends of an open one."""
    style = {"linestyle": "none", "color": colour, "markerfacecolor": "none", "markersize": 4}
    if not case.converged:
        axes.plot(x, y, marks.MARKERS[marks.UNCONVERGED], markevery=max(len(x) // 8, 1), **style)
    if case.periodic is False:
        axes.plot(x[[0, -1]], y[[0, -1]], marks.MARKERS[marks.OPEN], **style)


class _Tones:
    """Colours of values: few values are listed one by one, many numbers have a bar."""

    def __init__(self, levels: list[Any]) -> None:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, Normalize

        self.levels = levels
        few = len(self.levels) <= FEW or any(isinstance(v, str) for v in self.levels)
        self.listed = self.levels if few else []
        self.map = ListedColormap(colormaps["viridis"](np.linspace(0, 0.88, 256)))
        ends = (0, max(len(self.levels) - 1, 1)) if few else (self.levels[0], self.levels[-1])
        self.scale = Normalize(*ends)
        self.bar = None if few else ScalarMappable(self.scale, self.map)

    def of(self, value: Any) -> Any:
        """Colour of a value; blue for None."""
        if value is None:
            return BLUE
        return self.map(self.scale(self.levels.index(value) if self.listed else value))
