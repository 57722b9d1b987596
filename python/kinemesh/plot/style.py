"""What all figures share: colours, style, and where they are written."""

from __future__ import annotations

import textwrap
from functools import wraps
from pathlib import Path
from typing import Any

from kinemesh.errors import CaseError
from kinemesh.io.paths import making, path_of

BLUE, RED, GREY, DARK = "#1b5e9b", "#c0392b", "#8a8f98", "#20242b"
BODIES = (BLUE, RED, "#2e8b57", "#b7791f", "#6b4fa0", "#008b8b")  # of several, one after other
STYLE: Any = {
    "font.size": 9,
    "axes.labelsize": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": DARK,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": "#e4e6ea",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.color": DARK,
    "ytick.color": DARK,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "savefig.dpi": 200,
    "mathtext.fontset": "cm",
}


def styled(draw: Any) -> Any:
    """Draw in this style, leaving the user's own style alone; write the file."""

    @wraps(draw)
    def wrapper(*args: Any, path: str | Path | None = None, **kwargs: Any) -> Any:
        import matplotlib

        with matplotlib.rc_context(STYLE):
            figure = draw(*args, **kwargs)
            if path is not None:
                _save(figure, path)
        return figure

    return wrapper


def _save(figure: Any, given: str | Path) -> None:
    """Write a figure in the format of its name; CaseError where that is none, or cannot be."""
    path = path_of(given, "the figure's file")
    known = sorted(figure.canvas.get_supported_filetypes())
    if path.suffix[1:].lower() not in known:
        raise CaseError(f"{path}: expected a name that ends in .{', .'.join(known)}")
    with making(path, "the figure"):
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)


def figure_of(width: float, height: float) -> Any:
    """An empty figure [inches], which shows itself in notebooks."""
    from kinemesh.plot.shown import Shown

    return Shown(figsize=(width, height), layout="constrained")


def wrapped(title: str, width: int) -> str:
    """A title, of one or several lines, in lines of at most so many letters."""
    return "\n".join(part for line in title.split("\n") for part in textwrap.wrap(line, width))


def unit_of_time(incompressible: bool) -> str:
    """What times are counted in."""
    return "chord/U" if incompressible else r"chord/$a_\infty$"


def phase_axis(axes: Any) -> None:
    """The x axis of a phase [deg]: a tick at every quarter of a cycle."""
    from matplotlib.ticker import MultipleLocator

    axes.xaxis.set_major_locator(MultipleLocator(90))
    axes.set_xlabel(r"$\omega t$ [deg]")
