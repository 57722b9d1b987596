"""Style of all figures: colours, fonts, scales, files."""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np

from kinemesh.errors import CaseError
from kinemesh.io.paths import making, path_of

BLUE, RED, GREY, DARK = "#1b5e9b", "#c0392b", "#8a8f98", "#20242b"
BODIES = (BLUE, RED, "#2e8b57", "#b7791f", "#6b4fa0", "#008b8b")  # of several, one after other
DASHES = ((0, (5, 2)), (0, (3, 1.5, 1, 1.5)), (0, (1, 1.2)))  # of bodies, over what is equal
NARROW = 60  # letters of a title in a figure 5.6 inches wide
WIDE = 76  # letters of a title in a figure 6.4 inches wide
WIDTH = 11.5  # letters of a title to an inch, capitals and figures among them
NOISE = 1e-3  # of the largest range in a figure: what is below is drawn as zero
ROUNDING = 1e-6  # share below which a difference is not told in figures
QUIET = 0.05  # of the largest range: where the axis of noise ends, on both sides
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
    "axes.formatter.limits": (-4, 6),
    "pdf.fonttype": 42,  # TrueType, not Type 3: text that journals take and editors find
    "svg.fonttype": "none",  # text as text
}


def styled(draw: Any) -> Any:
    """Draw a figure in this style, leaving the user's own alone, and write its file."""

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
        fonts = logging.getLogger("fontTools")  # warns of the dates in matplotlib's own font
        before = fonts.level
        fonts.setLevel(logging.ERROR)
        try:
            figure.savefig(path)
        finally:
            fonts.setLevel(before)


def figure_of(width: float, height: float) -> Any:
    """An empty figure [inches], which shows itself in notebooks."""
    from kinemesh.plot.shown import Shown

    return Shown(figsize=(width, height), layout="constrained")


def wrapped(title: str, width: int) -> str:
    """A title, of one or several lines, in lines of at most so many letters.

    Lines end between conditions (`, `), and between words only where a condition is longer; a
    number stays with its name and its unit.
    """
    return "\n".join(row for line in title.split("\n") for row in _rows(line, width))


def literal(name: str) -> str:
    """A name of a user's as a figure shows it: no formula between `$`, and no `_` that hides it."""
    return (" " * name.startswith("_") + name).replace("$", r"\$")


def at_moment(title: str, moment: str) -> str:
    """A title with the moment at the end of its last line, or below it where that is long."""
    full = len(title.rpartition("\n")[2]) + len(moment) > 64
    return ("\n" if full else ", ").join(text for text in (title, moment) if text)


def headed(figure: Any, title: str, mark: str = "") -> None:
    """Put a title over a figure, in lines as wide as it is, and below in red what must be known."""
    width = int(WIDTH * figure.get_figwidth())
    if title:
        figure.suptitle(wrapped(title, width), fontsize=10)
    if mark:
        told = figure.legend(
            [],
            [],
            title=wrapped(mark, int(8 * figure.get_figwidth())),
            loc="outside lower left",
            title_fontsize=8,
            borderpad=0,
        )
        told.get_title().set_color(RED)
        # panels of a fixed aspect make room for it when they are laid out again, to be drawn
        figure.get_layout_engine().execute(figure)


def _rows(line: str, width: int) -> Iterator[str]:
    """The lines that a line is broken into."""
    rows, parts = [""], line.split(", ")
    for n, part in enumerate(parts):
        text = part + "," * (n + 1 < len(parts))
        joined = f"{rows[-1]} {text}".strip()
        if len(joined) <= width:
            rows[-1] = joined
            continue
        whole = re.sub(r" (?=number|-?[\d.]*\d)|(?<=\d) (?=deg|chord)", "\xa0", text)
        rows += [row.replace("\xa0", " ") for row in textwrap.wrap(whole, width)]
    yield from filter(None, rows)


def dot(values: Any) -> dict[str, Any]:
    """Style of a line that is one point long, which no line shows; of others nothing."""
    return {"marker": "o", "markersize": 4} if len(values) == 1 else {}


def colour_of(body: int) -> str:
    """Colour of a body; the first of all is that of their sum."""
    return BODIES[1 + body % (len(BODIES) - 1)]


def dashes_of(body: int) -> Any:
    """Dashes of a body, which leave the full line of the sum of all to be seen where both agree."""
    return DASHES[body % len(DASHES)]


def ends_of(low: float, high: float, largest: float) -> tuple[float, float]:
    """Ends of a load's axis, from its range and the largest range of the loads beside it.

    A range of less than a thousandth of it is noise, which is drawn on the scale of the others.
    """
    if high - low < NOISE * largest:
        half = QUIET * largest
        middle = 0.0 if max(abs(low), abs(high)) < half else (low + high) / 2
        return middle - half, middle + half
    pad = 0.1 * (high - low) or 0.05 * abs(low) or 1.0
    return low - pad, high + pad


def hush(panels: Iterable[Any]) -> None:
    """Widen the axes of loads that are noise beside those of other panels."""
    spans = {axes: axes.dataLim.intervaly for axes in panels}
    largest = max((high - low for low, high in spans.values()), default=0.0)
    for axes, (low, high) in spans.items():
        if high - low < NOISE * largest:
            axes.set_ylim(*ends_of(low, high, largest))


def quieten(axes: Any, values: Iterable[float], largest: float) -> None:
    """Widen the axis of values that are rounding beside the largest one of a figure."""
    if max(map(abs, values), default=0.0) < ROUNDING * largest:
        axes.set_ylim(-QUIET * largest, QUIET * largest)


def percent(share: float, digits: int = 2) -> str:
    """A share in per cent with so many digits, and no exponent: `0.071 %`, `130 %`.

    What is less than a millionth says so, as it is rounding.
    """
    if 0 < abs(share) < ROUNDING:
        return f"below {percent(ROUNDING)}"
    return f"{np.format_float_positional(100 * share, digits, fractional=False, trim='-')} %"


def phase_axis(axes: Any) -> None:
    """The x axis of a phase [deg]: a tick at every quarter of a cycle."""
    from matplotlib.ticker import MultipleLocator

    axes.xaxis.set_major_locator(MultipleLocator(90))
    axes.set_xlabel(r"$\omega t$ [deg]")
