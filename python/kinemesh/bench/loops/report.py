"""Winners of procedures, how far the default is behind them, and ratios beside Weng et al.'s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

BEHIND = 0.1  # share that the default may lose
DEFAULT = {  # of the solver
    "residual": ("store",),
    "flux-sum": ("cells",),
    "gradient": ("solver", "cells"),
    "node-values": ("nodes",),
    "extrema": ("cells",),
}
# Beside the loop over faces, on a V100 (1 to 8.8 million cells), in the words of the paper.
PAPER = {
    ("flux-sum", "cells"): "above 1, at 8.8 million slightly below",
    ("gradient", "cells"): "above 2",
    ("gradient", "nodes"): "above 15",
    ("node-values", "cells"): "below 1, least to 7 million",
    ("node-values", "nodes"): "below 1, least at 8.8 million",
    ("extrema", "cells"): "about 0.8",
}
OTHERS = ("exact", "least-squares")  # of other numbers than the loops beside them


def report(figures: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Lines on the figures of one run: mesh by mesh, procedure by procedure; why no joules."""
    runs: dict[tuple[Any, ...], dict[str, float]] = {}
    whys: dict[str, None] = {}
    for figure in figures:
        if figure.get("why"):
            whys[figure["why"]] = None
        if "loops" not in figure:
            continue
        key = tuple(figure[name] for name in ("mesh", "nodes", "order", "procedure"))
        alone = figure.get("threads") == 1  # then what others use of a processor does not count
        runs.setdefault(key, {})[figure["loops"]] = figure["process" if alone else "seconds"]
    for (mesh, cells, order, procedure), seconds in runs.items():
        alike = {loops: s for loops, s in seconds.items() if loops not in OTHERS}
        if len(alike) < 2:
            continue
        text = f"{mesh}, {cells} cells, {order}: {procedure}: {_winner(procedure, alike)}"
        yield "; ".join([text, *_ratios(procedure, alike)])
    yield from (f"no joules: {why}" for why in whys)


def _winner(procedure: str, seconds: dict[str, float]) -> str:
    best = min(seconds, key=lambda loops: seconds[loops])
    text = f"{best} is fastest ({1e3 * seconds[best]:.3g} ms)"
    default = next((loops for loops in DEFAULT[procedure] if loops in seconds), best)
    if default == best:
        return text
    behind = seconds[default] / seconds[best] - 1
    loses = f", more than {100 * BEHIND:.0f} %" if behind > BEHIND else ""
    return f"{text}, the default, {default}, takes {100 * behind:.0f} % more{loses}"


def _ratios(procedure: str, seconds: dict[str, float]) -> Iterator[str]:
    """Ratios to the loop over faces, beside the paper's."""
    faces = seconds.get("faces", 0.0)
    for loops in seconds if faces else ():
        known = PAPER.get((procedure, loops))
        if known:
            yield f"{loops} / faces {seconds[loops] / faces:.2f} (V100 in the paper: {known})"
