"""``kinemesh bench``: seconds, bytes and shares of copy bandwidth of what a step is made of.

docs/performance.md defines the figures.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TextIO

from kinemesh.errors import DeviceError, SettingsError

# Sizes near those of Ma et al.: 21 329 and 288 268 (Table 3), 94 085 (Table 5), 5 672 268 (Table 4)
SIZES = (5_000, 21_329, 94_085)
SIZES_GPU = (*SIZES, 288_268, 1_400_000, 5_672_268)
LEAST_NODES = 500  # what kinemesh.mesh.airfoil makes
WIDTHS = (76, 8, 8, 18, 8, 8, 6, 10, 22)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `kinemesh bench`."""
    add = parser.add_argument
    sizes = ",".join(map(str, SIZES))
    add("--sizes", metavar="N,N,...", help=f"nodes (default {sizes}; on a GPU up to 5672268)")
    add("--device", default="auto", metavar="DEV", help="auto, cpu, cuda or cuda:N")
    add("--dtype", default="float64", choices=("float64", "float32"), help="precision of the flow")
    add("--rows", metavar="ROW,...", help="rows or groups (springs, natural, flow); default all")
    add("--repeat", type=int, default=5, metavar="N", help="readings of each row (default 5)")
    add("--json", type=Path, metavar="FILE", help="append each figure as a line of JSON")
    add(
        "--table",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="measure nothing; print the figures of JSON files as Markdown",
    )


def chosen_rows(text: str | None) -> list[str]:
    """Rows that `--rows` names, in their own order; SettingsError for an unknown one."""
    from kinemesh.bench.rows import ROWS, TITLES

    if text is None:
        return list(ROWS)
    wanted: set[str] = set()
    for name in (part.strip() for part in text.split(",")):
        if name not in ROWS and name not in TITLES:
            near = get_close_matches(name, [*ROWS, *TITLES], 1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(TITLES)}"
            raise SettingsError(f"rows: unknown row {name!r}; {hint} (rows: {', '.join(ROWS)})")
        wanted |= set(TITLES.get(name, [name]))
    return [row for row in ROWS if row in wanted]


def chosen_sizes(text: str | None, on_gpu: bool) -> list[int]:
    """Numbers of nodes that `--sizes` names; SettingsError for what is no number of nodes."""
    if text is None:
        return list(SIZES_GPU if on_gpu else SIZES)
    sizes = []
    for part in (part.strip() for part in text.split(",")):
        if not part.isdecimal() or int(part) < LEAST_NODES:
            raise SettingsError(
                f"sizes: {part!r}, expected whole numbers of at least {LEAST_NODES}, as in "
                "5000,94085"
            )
        sizes.append(int(part))
    return sizes


def figures(
    backend: Any, sizes: list[int], rows: list[str], repeat: int
) -> Iterator[dict[str, Any] | str]:
    """Figures one by one as they are measured, and sentences on rows that are left out."""
    from kinemesh import mesh
    from kinemesh.bench.rows import GROUPS, TITLES
    from kinemesh.bench.table import FORMAT
    from kinemesh.bench.timing import copy_bandwidth, surroundings

    shared = {"format": FORMAT, **surroundings(backend), "bandwidth": copy_bandwidth(backend)}
    wanted, said = set(rows), set()
    builders = {b: b for group, b in GROUPS.items() if wanted & TITLES[group].keys()}
    for size in sizes:
        there = mesh.airfoil("naca0012", nodes=size)
        for build in builders:
            for figure in _of_group(backend, there, build(backend, there, wanted), wanted, repeat):
                if not isinstance(figure, str):
                    rate = figure["rate"]
                    share = None if rate is None else rate / shared["bandwidth"]
                    yield shared | figure | {"share": share}
                elif figure not in said:
                    said.add(figure)
                    yield figure
            gc.collect()  # solvers refer to themselves, and the next one needs the memory


def _of_group(
    backend: Any, mesh: Any, rows: Any, wanted: set[str], repeat: int
) -> Iterator[dict[str, Any] | str]:
    """Figures of one group on one mesh, or why a row has none."""
    from kinemesh.bench.rows import ROWS, TITLES
    from kinemesh.bench.table import paper
    from kinemesh.bench.timing import measure

    for row, work in rows:
        if row not in wanted and row not in TITLES:
            continue
        if isinstance(work, str):
            yield f"{row} left out: {work}"
            continue
        time = measure(backend, work.make, repeat)
        rate = None if work.bytes is None else work.bytes / time.seconds
        yield {
            "row": row,
            "title": ROWS[row],
            "nodes": mesh.nodes,
            "seconds": time.seconds,
            "least": time.least,
            "most": time.most,
            "repeats": time.repeats,
            "times": time.times,
            "ns_per_node": 1e9 * time.seconds / mesh.nodes,
            "bytes": work.bytes,
            "rate": rate,
            "iterations": work.iterations() if work.iterations else None,
            "paper": paper(row, mesh.nodes),
        }


def _line(texts: Any) -> str:
    first, *others = zip(texts, WIDTHS, strict=True)
    return "  ".join([f"{first[0]:<{first[1]}}", *(f"{t:>{w}}" for t, w in others)]).rstrip()


def _measure(arguments: argparse.Namespace, kept: TextIO | None) -> None:
    from kinemesh.backend import Backend
    from kinemesh.bench.table import HEAD, cells, heading

    backend = Backend(arguments.device, arguments.dtype)
    rows, sizes = chosen_rows(arguments.rows), chosen_sizes(arguments.sizes, backend.on_gpu)
    begun = False
    try:
        for figure in figures(backend, sizes, rows, arguments.repeat):
            if isinstance(figure, str):
                print(f"kinemesh: {figure}", file=sys.stderr)
                continue
            if not begun:
                print(f"{heading(figure)}\n\n{_line(HEAD)}")
                begun = True
            print(_line(cells(figure)), flush=True)
            if kept:
                kept.write(json.dumps(figure) + "\n")
                kept.flush()
    except MemoryError as error:
        raise DeviceError(f"bench: {error or 'out of memory'}; choose smaller --sizes") from None


def main(arguments: argparse.Namespace) -> int:
    """Measure and print, or draw the table of what was measured; the exit status.

    Figures are printed and written one by one, so that an interrupted run keeps those it has.
    """
    if arguments.table:
        if arguments.json or arguments.rows or arguments.sizes:
            raise SettingsError("--table draws what was measured: it takes no other option")
        from kinemesh.bench.table import markdown, read

        print(markdown(read(arguments.table)))
        return 0
    if arguments.repeat < 1:
        raise SettingsError(f"repeat is {arguments.repeat}, expected at least 1")
    chosen_rows(arguments.rows)
    chosen_sizes(arguments.sizes, False)
    with ExitStack() as stack:
        kept = (
            stack.enter_context(arguments.json.open("a", encoding="utf-8"))
            if arguments.json
            else None
        )
        _measure(arguments, kept)
    return 0
