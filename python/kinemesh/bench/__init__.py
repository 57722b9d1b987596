"""``kinemesh bench``: seconds, bytes and shares of copy bandwidth of the parts of a step.

docs/performance.md defines the figures.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TextIO

from kinemesh.bench.options import (
    CARRIER,
    Subject,
    add_arguments,
    chosen_entry,
    chosen_rows,
    chosen_subjects,
    set_threads,
)
from kinemesh.errors import DeviceError, SettingsError
from kinemesh.flow.registry import Entry

__all__ = ["add_arguments", "figures", "main"]


def figures(
    backend: Any, entry: Entry, subjects: list[Subject], rows: list[str], repeat: int
) -> Iterator[dict[str, Any] | str]:
    """Figures one by one as they are measured, and sentences on rows that are left out."""
    from kinemesh.bench.table import FORMAT
    from kinemesh.bench.timing import copy_bandwidth, surroundings

    shared = {"format": FORMAT, "method": entry.name, **surroundings(backend)}
    shared["bandwidth"] = copy_bandwidth(backend)
    wanted, said = set(rows), set()
    for subject in subjects:
        for nodes, group in _built(backend, entry, subject, wanted):
            for figure in _of_group(backend, nodes, group, wanted, repeat, subject.wing):
                if not isinstance(figure, str):
                    rate = figure["rate"]
                    share = None if rate is None else rate / shared["bandwidth"]
                    yield shared | figure | {"share": share} | _beside(subject, figure)
                elif figure not in said:
                    said.add(figure)
                    yield figure
            gc.collect()  # the next one needs the memory


def _beside(subject: Subject, figure: dict[str, Any]) -> dict[str, Any]:
    """Times of Ma et al. beside a figure, where they are asked for."""
    from kinemesh.bench import ma2017

    if not subject.beside:
        return {}
    dimensions = 3 if subject.wing else 2
    return {"beside": ma2017.beside(figure["row"], dimensions, figure["nodes"])}


def _built(
    backend: Any, entry: Entry, subject: Subject, wanted: set[str]
) -> Iterator[tuple[int, Any]]:
    """Nodes of the mesh or cloud, and rows of the wanted groups of its solver."""
    from kinemesh.bench.groups import GROUPS, TITLES

    groups = [group for group in entry.bench if wanted & TITLES[group].keys()]
    made: dict[Any, Any] = {}  # one at a time, for its memory
    for build in dict.fromkeys(GROUPS[group] for group in groups):
        make, of = _maker(entry, subject, build)
        if make not in made:
            made = {make: make(*of)}
        there = made[make]
        parts = there.values() if isinstance(there, dict) else [there]
        nodes = sum(len(each.points) for each in parts)
        yield nodes, build(backend, there, wanted, entry, subject.cloud)


def _maker(entry: Entry, subject: Subject, build: Any) -> tuple[Any, tuple[Any, ...]]:
    """Function that makes the mesh or cloud of a group of rows, and what it is called with."""
    from kinemesh.bench import carried, clouds
    from kinemesh.bench.groups import IN_SPACE, MESHES, WINGS
    from kinemesh.bench.options import PARTS

    if subject.cloud:
        return clouds.made, (subject.cloud, subject.size)
    if subject.wing == PARTS:
        return IN_SPACE.get(build, _section), (subject.size,)
    if subject.wing and entry.name == CARRIER:
        return carried.made, (subject.wing, subject.carrier, subject.size)
    if subject.wing:
        return WINGS.get(build, _wing), (subject.wing, subject.size)
    return MESHES.get(build, _section), (subject.size,)


def _section(nodes: int) -> Any:
    """An O-mesh about the NACA 0012."""
    from kinemesh.mesh import airfoil

    return airfoil("naca0012", nodes=nodes)


def _wing(cells: str, nodes: int) -> Any:
    """A mesh in space about the ONERA M6."""
    from kinemesh.mesh import oneram6

    return oneram6(nodes, cells)


def _of_group(
    backend: Any, nodes: int, rows: Any, wanted: set[str], repeat: int, wing: str | None = None
) -> Iterator[dict[str, Any] | str]:
    """Figures of one group of rows on a mesh or cloud, or the reason why a row has none."""
    from kinemesh.bench.groups import TITLES
    from kinemesh.bench.table import paper, title
    from kinemesh.bench.timing import measure

    for row, work in rows:
        if row not in wanted and row not in TITLES:
            continue
        if isinstance(work, str):
            yield f"{row} left out: {work}"
            continue
        time = measure(backend, work.make, repeat, work.settled)
        rate = None if work.bytes is None else work.bytes / time.seconds
        cloud, count = work.notes.get("cloud"), work.notes.get("nodes", nodes)
        yield {
            "row": row,
            "title": title(row, cloud, wing),
            "nodes": count,
            "seconds": time.seconds,
            "least": time.least,
            "most": time.most,
            "process": time.process,
            "repeats": time.repeats,
            "times": time.times,
            "ns_per_node": 1e9 * time.seconds / count,
            "bytes": work.bytes,
            "rate": rate,
            "iterations": work.iterations() if work.iterations else None,
            "paper": paper(row, nodes, cloud, wing),
            **({"mesh": wing} if wing else {}),
            **work.notes,
            **(work.counts() if work.counts else {}),
        }


def _line(texts: Any, widths: tuple[int, ...]) -> str:
    first, *others = zip(texts, widths, strict=True)
    return "  ".join([f"{first[0]:<{first[1]}}", *(f"{t:>{w}}" for t, w in others)]).rstrip()


def loop_figures(
    backend: Any, plan: Any, repeat: int, seconds: float | None
) -> Iterator[dict[str, Any] | str]:
    """Figures of the loops of a plan as they are measured, and sentences on rows left out.

    seconds : of each row in which joules are counted; None: they are not
    """
    from kinemesh.bench.loops import measured_rows, pairs, studies
    from kinemesh.bench.loops.model import machine
    from kinemesh.bench.table import FORMAT
    from kinemesh.bench.timing import copy_bandwidth, surroundings

    shared = {"format": FORMAT, "method": "loops", **surroundings(backend)}
    shared["bandwidth"] = copy_bandwidth(backend)
    model = machine(backend, shared["bandwidth"], repeat) if plan.subjects else None

    def groups() -> Iterator[tuple[int, Any, set[str]]]:
        for subject, study in studies(backend, plan):
            rows = measured_rows(subject, study, plan.rows, model, seconds)
            yield study.top.cells, rows, plan.rows
            gc.collect()
        for points in pairs.SIZES if plan.pairs else ():
            yield points, pairs.rows(backend, points), {"pairs", *pairs.TITLES}

    said = set()
    for nodes, group, wanted in groups():
        for figure in _of_group(backend, nodes, group, wanted, repeat):
            if not isinstance(figure, str):
                yield shared | figure | {"share": figure["rate"] / shared["bandwidth"]}
            elif figure not in said:
                said.add(figure)
                yield figure


def _entry(arguments: argparse.Namespace) -> Entry:
    """Entry to measure: springs beside a paper, a carrier, or a solver."""
    from kinemesh.bench import beside

    return beside.entry_of(arguments) or chosen_entry(arguments)


def _subjects(arguments: argparse.Namespace, entry: Entry, on_gpu: bool) -> list[Subject]:
    """Meshes or clouds on which `entry` is measured."""
    from kinemesh.bench import beside

    if entry is beside.entry_of(arguments):
        return beside.subjects(arguments, entry, on_gpu)
    return chosen_subjects(arguments, on_gpu)


def _measure(arguments: argparse.Namespace, kept: TextIO | None) -> None:
    from kinemesh.device.backend import Backend

    backend = Backend(arguments.device, arguments.dtype)
    entry = _entry(arguments)
    rows = chosen_rows(arguments.rows, entry, arguments.mesh is not None)
    subjects = _subjects(arguments, entry, backend.on_gpu)
    fewer = "--sizes" if arguments.cloud is None else "--points"
    _show(figures(backend, entry, subjects, rows, arguments.repeat), kept, fewer)


def _show(
    figures: Iterator[dict[str, Any] | str], kept: TextIO | None, fewer: str
) -> list[dict[str, Any]]:
    """Print figures and write them, as they come; all of them.

    fewer: the option that takes less memory
    """
    from kinemesh.bench.table import cells, columns, heading

    shown: tuple[str, ...] = ()
    found = []
    try:
        for figure in figures:
            if isinstance(figure, str):
                print(f"kinemesh: {figure}", file=sys.stderr)
                continue
            head, widths = columns(figure)
            if head != shown:
                print("" if shown else f"{heading(figure)}\n", _line(head, widths), sep="\n")
                shown = head
            print(_line(cells(figure), widths), flush=True)
            found.append(figure)
            if kept:
                kept.write(json.dumps(figure) + "\n")
                kept.flush()
    except MemoryError as error:
        told = str(error) or "out of memory"
        raise DeviceError(f"bench: {told}; choose smaller {fewer}") from None
    return found


def main(arguments: argparse.Namespace) -> int:
    """Measure and print, or draw the table of earlier figures; returns the exit status.

    Figures are printed and written one by one, so that an interrupted run keeps those it has.
    """
    if arguments.table:
        others = (
            *("json", "rows", "sizes", "cloud", "points", "method", "overset", "schwarz"),
            *("seconds", "cpu_watts", "cpu_cores", "mesh", "cells", "order", "carrier", "threads"),
        )
        words = arguments.loops, arguments.tets
        if words != (None, None) or any(getattr(arguments, name) for name in others):
            raise SettingsError(
                "--table draws what was measured: it takes no other option but --energy"
            )
        return _draw(arguments)
    for name in ("cells", "order"):
        if getattr(arguments, name) is not None and arguments.loops is None:
            raise SettingsError(f"{name}: only with --loops, whose meshes it chooses")
    set_threads(arguments.threads)  # before what loads kernels
    from kinemesh.bench import beside

    beside.check(arguments)
    if arguments.energy:
        return _energy(arguments)
    if arguments.loops is not None:
        return _loops(arguments)
    if arguments.schwarz:
        return _compare(arguments)
    if arguments.repeat < 1:
        raise SettingsError(f"repeat is {arguments.repeat}, expected at least 1")
    entry = _entry(arguments)
    chosen_rows(arguments.rows, entry, arguments.mesh is not None)
    _subjects(arguments, entry, False)
    with _kept(arguments) as kept:
        _measure(arguments, kept)
    return 0


def _draw(arguments: argparse.Namespace) -> int:
    """Print the table of figures of files; the exit status."""
    from kinemesh.bench import joules, table

    of: Any = joules if arguments.energy else table
    print(of.markdown(of.read(arguments.table)))
    return 0


def _energy(arguments: argparse.Namespace) -> int:
    """Joules of rows on one or several devices; the exit status."""
    from kinemesh.bench import energy, joules
    from kinemesh.bench.options import energy_numbers
    from kinemesh.device.backend import Backend

    seconds, rated = energy_numbers(arguments)
    rows = chosen_rows(arguments.rows, energy.ENTRY)
    names = [name.strip() for name in arguments.device.split(",")]
    backends = [Backend(name, arguments.dtype) for name in dict.fromkeys(names)]
    told = None if rated is None else joules.Rated(*rated)
    shown: set[str] = set()
    with _kept(arguments) as kept:
        for figure in joules.figures(backends, rows, seconds, told):
            heading = joules.heading(figure)
            if not shown:
                print(_line(joules.HEAD, joules.WIDTHS))
            if heading not in shown:
                print(heading)
            print(_line(joules.cells(figure), joules.WIDTHS), flush=True)
            if figure["why"] and figure["why"] not in shown:
                print(
                    f"kinemesh: no joules of {figure['device']}: {figure['why']}", file=sys.stderr
                )
            shown |= {heading, figure["why"]}
            if kept:
                kept.write(json.dumps(figure) + "\n")
                kept.flush()
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    """The pressure of two parts at once and part by part; the exit status."""
    from kinemesh.bench import parts_space, steps
    from kinemesh.bench.options import wanted_sizes
    from kinemesh.bench.schwarz import show
    from kinemesh.device.backend import Backend

    for name in ("rows", "cloud", "points", "method", "overset"):
        if getattr(arguments, name):
            raise SettingsError(f"{name}: without --schwarz, which has sizes, device and json")
    make = steps.made if arguments.tets is None else parts_space.made
    sizes, backend = wanted_sizes(arguments), Backend(arguments.device, arguments.dtype)
    with _kept(arguments) as kept:
        show(backend, sizes, kept, make)
    return 0


def _loops(arguments: argparse.Namespace) -> int:
    """Loops over the same meshes side by side, and which is fastest; the exit status."""
    from kinemesh.bench.loops import pairs
    from kinemesh.bench.loops.planned import fits, planned
    from kinemesh.bench.loops.report import report
    from kinemesh.bench.options import loop_seconds
    from kinemesh.device.backend import Backend

    for name in ("cloud", "points", "method", "overset", "schwarz", "sizes"):
        if getattr(arguments, name):
            raise SettingsError(f"{name}: without --loops, which has mesh, cells and order")
    if arguments.repeat < 1:
        raise SettingsError(f"repeat is {arguments.repeat}, expected at least 1")
    seconds = loop_seconds(arguments)
    planned(arguments, False)  # wrong names before a device is asked for
    backend = Backend(arguments.device, arguments.dtype)
    plan = planned(arguments, backend.on_gpu)
    fits(backend, plan)
    with _kept(arguments) as kept:
        found = _show(loop_figures(backend, plan, arguments.repeat, seconds), kept, "--cells")
    print("", *report(found), *pairs.report(found), sep="\n")
    return 0


def _kept(arguments: argparse.Namespace) -> AbstractContextManager[TextIO | None]:
    """The file that `--json` appends to, or None."""
    return arguments.json.open("a", encoding="utf-8") if arguments.json else nullcontext()
