"""Figures as lines of JSON and as tables, with those of Ma et al. beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import log
from pathlib import Path
from typing import Any

from kinemesh.bench.rows import ROWS
from kinemesh.errors import CaseError

FORMAT = "kinemesh-bench-1"
SHARED = ("version", "machine", "device", "device_name", "threads", "dtype", "bandwidth")
KEYS = (
    *("format", *SHARED, "row", "title", "nodes", "seconds", "least", "most", "repeats", "times"),
    *("ns_per_node", "bytes", "rate", "share", "iterations", "paper"),
)
# Ma et al. (OpenACC deforming mesh), seconds on one Tesla K20: nodes, seconds, where from.
SOLVE = (
    (21_329, 0.0304, "Table 3, six iterations"),
    (288_268, 0.3023, "Table 3, six iterations"),
    (5_672_268, 1.63, "Table 4, ten iterations"),
)
PAPER: dict[str, tuple[tuple[int, float, str], ...]] = {
    "spring-assembly": (
        (21_329, 0.0021, "Table 3"),
        (288_268, 0.0219, "Table 3"),
        (5_672_268, 0.23, "Table 4"),
    ),
    "spring-ten": SOLVE,
    "natural-ten": SOLVE,
    "deformation-step": ((94_085, 0.1208, "section 6.2"),),
    "gradients": ((94_085, 0.0261, "Table 5"),),
    "residual": ((94_085, 0.0301, "Table 5"),),
    "boundary": ((94_085, 0.0008, "Table 5"),),
    "implicit": ((94_085, 0.0041 + 0.1099, "Table 5, Set_Time_Step and Implicit_Time_Advance"),),
    "pseudo-step": ((94_085, 0.1620, "section 6.2"),),
}
HEAD = ("row", "nodes", "ms", "least to most", "ns/node", "GB", "share", "iterations", "K20, ms")


def paper(row: str, nodes: int) -> dict[str, Any] | None:
    """The paper's figure of a row on its mesh nearest in size, or None."""
    if row not in PAPER:
        return None
    there, seconds, where = min(PAPER[row], key=lambda known: abs(log(known[0] / nodes)))
    return {"nodes": there, "seconds": round(seconds, 6), "where": where}


def _digits(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def cells(figure: dict[str, Any]) -> list[str]:
    """The cells of a figure's line under HEAD."""
    ms = [_digits(1e3 * figure[name]) for name in ("seconds", "least", "most")]
    if figure["seconds"] < 1e-4:
        ms = [f"{1e3 * figure[name]:.4f}" for name in ("seconds", "least", "most")]
    known, count = figure["paper"], figure["iterations"]
    return [
        figure["title"],
        str(figure["nodes"]),
        ms[0],
        f"{ms[1]} to {ms[2]}",
        _digits(figure["ns_per_node"]),
        "" if figure["bytes"] is None else f"{figure['bytes'] / 1e9:.3g}",
        "" if figure["share"] is None else f"{figure['share']:.2f}",
        "" if count is None else str(count),
        "" if known is None else f"{_digits(1e3 * known['seconds'])} ({known['nodes']} nodes)",
    ]


def heading(figure: dict[str, Any]) -> str:
    """What a run was measured on, in a line."""
    threads = figure["threads"]
    parts = [
        f"kinemesh {figure['version']}",
        figure["dtype"],
        figure["device_name"],
        f"{threads} thread{'' if threads == 1 else 's'}" if threads else figure["device"],
        f"copies at {figure['bandwidth'] / 1e9:.3g} GB/s",
        figure["machine"],
    ]
    return ", ".join(parts)


def markdown(figures: Iterable[dict[str, Any]]) -> str:
    """Tables of figures, one for each of what they were measured on; rows side by side by size."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for figure in figures:
        runs.setdefault(heading(figure), []).append(figure)
    order = {row: number for number, row in enumerate(ROWS)}
    parts = []
    for head, run in runs.items():
        run.sort(key=lambda f: (order.get(f["row"], len(order)), f["nodes"]))
        lines = [HEAD, ["---"] + ["---:"] * (len(HEAD) - 1), *map(cells, run)]
        parts.append(f"{head}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join(parts)


def _figure(text: str, where: str) -> dict[str, Any]:
    """A figure from a line of JSON, or CaseError that names the line."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise CaseError(f"{where}: {error}; expected a line written by kinemesh bench") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise CaseError(f"{where}: expected an object whose format is {FORMAT!r}")
    missing = [key for key in KEYS if key not in found]
    if missing:
        raise CaseError(f"{where}: no {', '.join(missing)}; expected every key of {FORMAT}")
    return found


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Figures of JSON files in the order written; CaseError for what is none."""
    figures = []
    for path in paths:
        for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
            if text.strip():
                figures.append(_figure(text, f"{path}, line {number}"))
    if not figures:
        raise CaseError(f"no figures in {', '.join(map(str, paths))}; write some with --json")
    return figures
