"""Figure of errors against an exact flow over the size of the cells, or the time step."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.plot.comparisons import noted
from kinemesh.plot.style import BLUE, DARK, RED, figure_of, styled

if TYPE_CHECKING:
    from kinemesh.study.convergence import Convergence

ORDER = 2  # of the schemes in space and time, whose slope a line has


def errors(found: Convergence, path: str | Path | None = None) -> Any:
    """Figure of the norms of errors, a panel for each field, both axes logarithmic.

    A line without symbols falls with the second order.
    """
    return _errors(found, path=path)


@styled
def _errors(found: Convergence) -> Any:
    fields = [*dict.fromkeys(name.rpartition(" ")[0] for name in found.errors)]
    figure = figure_of(3.6 * len(fields) + 0.6, 3.8)
    panels = figure.subplots(1, len(fields), squeeze=False)[0]
    for axes, name in zip(panels, fields, strict=True):
        own = {key.rpartition(" ")[2]: e for key, e in found.errors.items() if key.startswith(name)}
        for (norm, error), colour, mark in zip(own.items(), cycle((BLUE, RED, DARK)), "os^"):
            label = f"{norm}, order {error.orders[0]:.2f}"
            axes.loglog(found.sizes, error.values, mark + "-", color=colour, markersize=4,
                        label=label)  # fmt: skip
        least = min(float(error.values[0]) for error in own.values())
        ends = np.array([found.sizes[0], found.sizes[-1]])
        axes.loglog(ends, 0.7 * least * ends**ORDER, color=DARK, linewidth=0.6, label="order 2")
        axes.set_xticks(found.sizes, [f"{size:.3g}" for size in found.sizes])
        axes.minorticks_off()
        axes.set_xlabel(f"{found.of}, finest = 1")
        axes.set_ylabel(f"error of {name}")
        axes.legend(fontsize=8)
    noted(figure, found.notes, found.sources)
    return figure
