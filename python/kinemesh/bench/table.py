"""Figures as lines of JSON and as tables, beside those of Ma et al. and Zhang et al."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import log
from pathlib import Path
from typing import Any

from kinemesh.bench import (
    carried,
    clouds,
    connected,
    layered,
    ma2017,
    one_grid,
    overset_rows,
    steps,
)
from kinemesh.bench.loops import ROW_TITLES as LOOPS
from kinemesh.bench.loops.pairs import TITLES as PAIRS
from kinemesh.bench.rows import ROWS
from kinemesh.errors import CaseError
from kinemesh.flow import registry

FORMAT = "kinemesh-bench-1"
SHARED = ("method", "version", "machine", "device", "device_name", "threads", "dtype", "bandwidth")
KEYS = (
    *("format", *SHARED, "row", "title", "nodes", "seconds", "least", "most", "process"),
    *("repeats", "times", "ns_per_node", "bytes", "rate", "share", "iterations", "paper"),
)
# Ma et al. (OpenACC deforming mesh), seconds on one Tesla K20: nodes, seconds, where from.
PAPER: dict[str, tuple[tuple[int, float, str], ...]] = {
    **ma2017.on_k20(2),
    "gradients": ((94_085, 0.0261, "Table 5"),),
    "residual": ((94_085, 0.0301, "Table 5"),),
    "boundary": ((94_085, 0.0008, "Table 5"),),
    "implicit": ((94_085, 0.0041 + 0.1099, "Table 5, Set_Time_Step and Implicit_Time_Advance"),),
    "pseudo-step": ((94_085, 0.1620, "section 6.2"),),
}
# Chandar et al. (overset grids), one Tesla C2070: connectivity and first step of a wing, cells
PARTS = {
    "connectivity": ((700_000, 0.030, "Table 3"), (1_500_000, 0.051, "Table 3")),
    "step-parts": ((700_000, 159.8, "Table 4"), (1_500_000, 89.8, "Table 4")),
}
PAPER |= PARTS
# Ma et al. (2017), section 6.2: a hybrid mesh of 450,634 nodes about the ONERA M6, viscous
PAPER_SPACE = ma2017.on_k20(3) | PARTS | {"viscous-step": ((450_634, 0.9457, "section 6.2"),)}
# Zhang et al. (implicit meshless), Table 4: points, seconds of an iteration on one GTX Titan.
TITAN = {
    "regular": (
        (155_680, 8.4870e-3, "Table 4"),
        (306_577, 1.6226e-2, "Table 4"),
        (601_408, 3.0579e-2, "Table 4"),
        (1_193_504, 6.0897e-2, "Table 4"),
    ),
    "irregular": (
        (164_160, 3.2305e-2, "Table 4"),
        (319_168, 6.0300e-2, "Table 4"),
        (617_104, 1.0400e-1, "Table 4"),
        (1_228_880, 1.9511e-1, "Table 4"),
    ),
}
STEP_KEYS = ("members", "memory", "setup")
OVERSET = overset_rows.ROWS | connected.ROWS | steps.ROWS
GRID_KEYS = ("momentum", "memory", "setup")
SEARCH_KEYS = ("queries", "found", "cells", "memory", "setup")
CLOUD_KEYS = ("cloud", "satellites", "colours", "memory")
HEAD = ("row", "nodes", "ms", "least to most", "ns/node", "GB", "share", "iterations", "K20, ms")
WIDTHS = (76, 8, 8, 18, 8, 8, 6, 10, 22)
HEAD_CLOUD = (
    *("row", "points", "ms", "least to most", "ns/point", "GB", "share"),
    *("satellites", "colours", "B/point", "Titan, ms"),
)
WIDTHS_CLOUD = (48, 8, 8, 18, 8, 8, 6, 10, 7, 7, 22)
HEAD_SEARCH = (
    *("row", "nodes", "ms", "least to most", "ns/node", "GB", "share"),
    *("queries", "M/s", "found", "B/cell", "bins, s"),
)
WIDTHS_SEARCH = (44, 8, 8, 18, 8, 8, 6, 9, 8, 6, 7, 8)
HEAD_STEP = (
    *("row", "nodes", "ms", "least to most", "ns/node", "GB", "share"),
    *("iterations", "members", "B/node", "set-up, s", "C2070, ms"),
)
WIDTHS_STEP = (44, 8, 8, 18, 8, 8, 6, 10, 7, 7, 9, 24)
HEAD_GRID = (
    *("row", "nodes", "ms", "least to most", "ns/node", "GB", "share"),
    *("iterations", "momentum", "B/node", "set-up, s"),
)
WIDTHS_GRID = (44, 8, 8, 18, 8, 8, 6, 10, 8, 7, 9)
HEAD_BESIDE = (
    *("row", "nodes", "ms", "least to most", "ns/node", "GB", "share"),
    *("iterations", "first, s", "their nodes", "core, ms", "20 threads, ms", "K20, ms", "ratio"),
)
WIDTHS_BESIDE = (76, 8, 8, 18, 8, 8, 6, 10, 8, 11, 8, 14, 8, 6)
LOOP_KEYS = (
    *("mesh", "order", "procedure", "loops", "faces", "predicted", "colours", "repeatable"),
    *("joules_per_million_cells", "why"),
)
HEAD_LOOPS = (
    *("row", "cells", "ms", "least to most", "ns/cell", "GB", "share"),
    *("mesh", "order", "predicted", "colours", "repeatable", "J/M cells"),
)
WIDTHS_LOOPS = (58, 8, 8, 18, 8, 8, 6, 11, 8, 9, 7, 10, 9)


def columns(figure: dict[str, Any]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Heads of the columns of a figure's table, and their widths on a screen."""
    head: tuple[str, ...] = HEAD
    widths: tuple[int, ...] = WIDTHS
    if "beside" in figure:
        head, widths = HEAD_BESIDE, WIDTHS_BESIDE
    elif "loops" in figure:
        head, widths = HEAD_LOOPS, WIDTHS_LOOPS
    elif "queries" in figure:
        head, widths = HEAD_SEARCH, WIDTHS_SEARCH
    elif "members" in figure:
        head, widths = HEAD_STEP, WIDTHS_STEP
    elif "momentum" in figure:
        head, widths = HEAD_GRID, WIDTHS_GRID
    elif "cloud" in figure:
        head, widths = HEAD_CLOUD, WIDTHS_CLOUD
    if figure["process"] is None:
        return head, widths
    return (*head[:4], "process, ms", *head[4:]), (*widths[:4], 12, *widths[4:])


def title(row: str, cloud: str | None = None, wing: str | None = None) -> str:
    """Title of a row, with the kind of cloud, or the cells of a mesh in space."""
    if cloud:
        return f"{cloud} cloud: {clouds.ROWS[row]}"
    if wing:
        return f"{wing}: {(ROWS | carried.ROWS | OVERSET | one_grid.ROWS | layered.ROWS)[row]}"
    return (ROWS | OVERSET | one_grid.ROWS | layered.ROWS | LOOPS | PAIRS)[row]


def paper(
    row: str, nodes: int, cloud: str | None = None, wing: str | None = None
) -> dict[str, Any] | None:
    """The papers' figure of a row on its mesh or cloud nearest in size, or None.

    Parameters
    ----------
    cloud, wing : kind of the cloud; cells of a mesh in space; None: the plane
    """
    among = (PAPER_SPACE if wing else PAPER).get(row, ())
    if cloud:
        among = TITAN.get(cloud, ()) if row == "cloud-one-pair" else ()
    if not among:
        return None
    there, seconds, where = min(among, key=lambda known: abs(log(known[0] / nodes)))
    return {"nodes": there, "seconds": round(seconds, 6), "where": where}


def _digits(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def _milliseconds(seconds: float, of: float | None = None) -> str:
    """Milliseconds, short ones (or those of short rows, `of`) with four places."""
    short = (seconds if of is None else of) < 1e-4
    return f"{1e3 * seconds:.4f}" if short else _digits(1e3 * seconds)


def cells(figure: dict[str, Any]) -> list[str]:
    """The cells of a figure's line under the heads of its columns."""
    known = [n for n in ("seconds", "least", "most", "process") if figure[n] is not None]
    ms = [_milliseconds(figure[name], figure["seconds"]) for name in known]
    return [
        figure["title"],
        str(figure["nodes"]),
        ms[0],
        f"{ms[1]} to {ms[2]}",
        *ms[3:],
        _digits(figure["ns_per_node"]),
        "" if figure["bytes"] is None else f"{figure['bytes'] / 1e9:.3g}",
        "" if figure["share"] is None else f"{figure['share']:.2f}",
        *_last_cells(figure),
    ]


def _last_cells(figure: dict[str, Any]) -> list[str]:
    """Last cells of a row, which differ between meshes, clouds, donor search, parts and loops."""
    if "beside" in figure:
        return _beside_cells(figure)
    if "loops" in figure:
        predicted = figure["predicted"]
        colours = "" if figure["colours"] is None else str(figure["colours"])
        time = "no model" if predicted is None else _milliseconds(predicted)
        joules = figure["joules_per_million_cells"]
        each = "" if joules is None else f"{joules:.3f}"
        known = [figure["mesh"], figure["order"], time, colours]
        return [*known, "yes" if figure["repeatable"] else "no", each]
    if "queries" in figure:
        rate = figure["queries"] / figure["seconds"] / 1e6
        numbers = (rate, figure["found"], figure["memory"], figure["setup"])
        return [str(figure["queries"]), *map(_digits, numbers)]
    known, count = figure["paper"], figure["iterations"]
    of = "points" if "cloud" in figure else "nodes"
    beside = "" if known is None else f"{_digits(1e3 * known['seconds'])} ({known['nodes']} {of})"
    if "members" in figure:
        sizes = f"{figure['memory']:.0f}", _digits(figure["setup"])
        mean = "" if count is None else f"{count:.1f}"
        return [mean, str(figure["members"]), *sizes, beside]
    if "momentum" in figure:
        sizes = f"{figure['memory']:.0f}", _digits(figure["setup"])
        return [f"{count:.1f}", f"{figure['momentum']:.1f}", *sizes]
    if "cloud" not in figure:
        return ["" if count is None else str(count), beside]
    return [
        f"{figure['satellites']:.1f}",
        str(figure["colours"]),
        f"{figure['memory']:.0f}",
        beside,
    ]


def _beside_cells(figure: dict[str, Any]) -> list[str]:
    """Last cells of a row of springs beside Ma et al.: iterations, and their times."""
    count, known = figure["iterations"], figure["beside"]
    first = _digits(figure["setup"]) if "setup" in figure else ""
    own = ["" if count is None else str(count), first]
    if known is None:
        return [*own, *[""] * 5]
    times = {name: known[name] for name in ("core", "threads", "gpu")}
    likeness = ma2017.like(figure["device"], figure["threads"])
    other, process = times[likeness], figure["process"]
    mine = process if likeness == "core" and process else figure["seconds"]
    ratio = "" if other is None else _digits(other / mine)
    ms = ["" if time is None else _digits(1e3 * time) for time in times.values()]
    return [*own, str(known["nodes"]), *ms, ratio]


def heading(figure: dict[str, Any]) -> str:
    """Version, method, precision, device and machine of a figure, in a line.

    Where times of a paper stand beside it, a second line says which.
    """
    threads = figure["threads"]
    parts = [
        f"kinemesh {figure['version']}",
        figure["method"],
        figure["dtype"],
        figure["device_name"],
        f"{threads} thread{'' if threads == 1 else 's'}" if threads else figure["device"],
        f"copies at {figure['bandwidth'] / 1e9:.3g} GB/s",
        figure["machine"],
    ]
    told = ", ".join(parts)
    return f"{told}\n{ma2017.SOURCE}" if "beside" in figure else told


def markdown(figures: Iterable[dict[str, Any]]) -> str:
    """Tables of figures, one per heading; rows side by side by size."""
    runs: dict[tuple[str, tuple[str, ...]], list[dict[str, Any]]] = {}
    for figure in figures:
        runs.setdefault((heading(figure), columns(figure)[0]), []).append(figure)
    meshes = [*layered.ROWS, *carried.ROWS, *OVERSET, *one_grid.ROWS]
    names = [*ROWS, *clouds.FLOWS, *clouds.ROWS, *meshes, *LOOPS, *PAIRS]
    order = {name: number for number, name in enumerate(names)}

    def place(figure: dict[str, Any]) -> tuple[Any, ...]:
        last = len(order)
        if "loops" in figure:  # mesh by mesh, what is compared side by side
            mesh = figure["mesh"], figure["nodes"], figure["order"]
            return (*mesh, order.get(figure["row"], last))
        kind = order.get(figure["cloud"], last) if "cloud" in figure else 0
        mesh = figure.get("mesh", "")
        return kind, mesh, order.get(figure["row"], last), figure["nodes"]

    parts = []
    for (head, _), run in runs.items():
        run.sort(key=place)
        head_row = columns(run[0])[0]
        lines = [head_row, ["---"] + ["---:"] * (len(head_row) - 1), *map(cells, run)]
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
    row = found.get("row")
    own = (
        (clouds.ROWS, CLOUD_KEYS),
        (overset_rows.ROWS, SEARCH_KEYS),
        (connected.ROWS | steps.ROWS, STEP_KEYS),
        (one_grid.ROWS, GRID_KEYS),
        (LOOPS, LOOP_KEYS),
    )
    more = next((keys for rows, keys in own if row in rows), ())
    # older lines have no method: one solver there was on meshes, one on clouds
    found.setdefault("method", registry.first("cloud" if "cloud" in found else "mesh").name)
    found.setdefault("process", None)  # nor the time of the process
    missing = [key for key in (*KEYS, *more) if key not in found]
    if missing:
        raise CaseError(f"{where}: no {', '.join(missing)}; expected every key of {FORMAT}")
    return found


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Figures of JSON files in the order written; CaseError for other files."""
    figures = []
    for path in paths:
        for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
            if text.strip():
                figures.append(_figure(text, f"{path}, line {number}"))
    if not figures:
        raise CaseError(f"no figures in {', '.join(map(str, paths))}; write some with --json")
    return figures
