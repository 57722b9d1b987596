"""Figure of pressures along the walls of two runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinemesh.plot.comparisons import noted
from kinemesh.plot.style import BLUE, DARK, GREY, RED, figure_of, literal, styled

if TYPE_CHECKING:
    from kinemesh.study.comparison import Compared

SYMBOLS = {"cp": "$c_p$", "cf": "$c_f$"}
ACROSS = 4  # panels in a row


def walls(compared: Compared, path: str | Path | None = None) -> Any:
    """Figure of both runs along their walls, a panel for each quantity, and of the difference.

    The axis of a pressure points down; differences are of the first run minus the second.
    """
    return _walls(compared, path=path)


@styled
def _walls(compared: Compared) -> Any:
    count = len(compared.walls)
    across = min(count, ACROSS)
    down = -(-count // across)
    figure = figure_of(max(3.4 * across, 5.2), 4.8 * down + 0.5)
    panels = figure.subplots(2 * down, across, squeeze=False, height_ratios=(2, 1) * down)
    for at, (name, wall) in enumerate(compared.walls.items()):
        row, column = divmod(at, across)
        top, bottom = panels[2 * row, column], panels[2 * row + 1, column]
        symbol = _symbol(name)
        sides = (("upper", wall.upper, "-", DARK), ("lower", wall.lower, "--", GREY))
        for side, own, line, colour in sides:
            x, (one, other) = wall.x[own], wall.values
            top.plot(x, one[own], color=BLUE, label=literal(compared.labels[0]))
            top.plot(
                x, other[own], "--", color=RED, linewidth=1.2, label=literal(compared.labels[1])
            )
            away = wall.difference[own]
            bottom.plot(x, away, line, color=colour, linewidth=1.2, label=f"{side} side")
        if name.startswith("cp") and "harmonic" not in name:
            top.invert_yaxis()
        top.set_ylabel(symbol)
        top.set_title(
            f"{name}\ndifference: mean {wall.mean:.2g}, largest {wall.largest:.2g}", fontsize=8
        )
        bottom.set_ylabel(f"difference of {symbol}", fontsize=8)
        bottom.set_xlabel("$x/c$")
    for axes in panels[-2:, count - across * (down - 1) :].ravel():
        axes.set_axis_off()
    every = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in panels[:2, 0]]
    marks = {label: handle for pairs in every for handle, label in pairs}
    figure.legend(marks.values(), marks, loc="outside lower center", ncols=2, fontsize=8)
    noted(figure, [*compared.allowed, *compared.notes], compared.sources)
    return figure


def _symbol(name: str) -> str:
    """Letters of a quantity for an axis."""
    what, _, rest = name.partition(" ")
    order = ",1" if rest.startswith("first harmonic") else ""
    return SYMBOLS[what].replace("_" + what[1], "_{" + what[1] + order + "}")
