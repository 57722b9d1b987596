"""Joules of rows: work repeated for seconds between two ticks of a counter, and ratios of devices.

docs/energy.md defines the figures.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, NamedTuple

from kinemesh.bench.energy import PAPER, ROWS
from kinemesh.bench.groups import GROUPS
from kinemesh.bench.rows import Work
from kinemesh.bench.timing import MOST, clock, recorded, surroundings
from kinemesh.device.backend import Backend
from kinemesh.device.counters import Board
from kinemesh.device.energy import Meter
from kinemesh.errors import CaseError, DeviceError

FORMAT = "kinemesh-energy-1"
WARM = 1.0  # seconds of work before a row is measured
SETTLE, IDLE = 2.0, 2.0  # seconds from load to idle, and of idle that are measured
PIECE = 0.01  # seconds of work between two looks at the clock
PATIENCE = 2.0  # seconds in which a counter steps
CARD = "Tesla C2075"  # of the paper's, in the table
RULE = "rated power x seconds (P2)"
HEAD = (
    *("row", "device", "threads", "wall, s", "speed-up", "joules", "over, s", "W", "net, W"),
    *("J/item", "ratio measured", "by P2's rule", "P2's ratio", "P2, s"),
)
WIDTHS = (67, 8, 7, 10, 8, 9, 8, 7, 7, 10, 14, 12, 10, 8)
FIGURES = ("seconds", "joules", "over", "watts", "idle_watts", "joules_per_item", "why")
RATIOS = ("speed_up", "ratio", "rule", "paper")
KEYS = ("version", "machine", "device", "device_name", "threads", "dtype", "row", *FIGURES, *RATIOS)


class Rated(NamedTuple):
    """Rated power of the sockets [W], of all of their cores."""

    watts: float
    cores: int


class Count(NamedTuple):
    """Repetitions of a work, their seconds, and the joules counted over other seconds."""

    times: int
    seconds: float
    joules: float | None = None
    over: float | None = None
    why: str = ""
    facts: dict[str, Any] = {}  # noqa: RUF012  # of a tuple, which nobody changes

    @property
    def watts(self) -> float | None:
        return None if self.joules is None or self.over is None else self.joules / self.over


def figures(
    backends: Sequence[Backend], rows: Sequence[str], seconds: float, rated: Rated | None
) -> Iterator[dict[str, Any]]:
    """Figures one by one as they are measured; those of a CPU first, which the others refer to."""
    on_cpu: dict[str, dict[str, Any]] = {}
    for backend in sorted(backends, key=lambda each: each.on_gpu):
        shared = {"format": FORMAT, **surroundings(backend)}
        idle = idle_watts(backend)
        for row, work in GROUPS["energy"](backend, None, set(rows)):
            assert isinstance(work, Work)
            figure = shared | _figure(row, work, counted(backend, work, seconds), idle)
            figure |= _ratios(figure, None if not backend.on_gpu else on_cpu.get(row), rated)
            if not backend.on_gpu:
                on_cpu[row] = figure
            yield figure
            del work
            gc.collect()  # the next one needs the memory


def _figure(row: str, work: Work, count: Count, idle: float | None) -> dict[str, Any]:
    """Figure of a row without what others have to do with it."""
    each = work.notes["each"]
    item, watts = count.seconds / count.times * each, count.watts
    return {
        "row": row,
        "title": ROWS[row],
        "nodes": work.notes.get("nodes"),
        "iterations": None if work.iterations is None else work.iterations(),
        "repetitions": count.times,
        "repeated_for": count.seconds,
        "seconds": item,
        "joules": count.joules,
        "over": count.over,
        "watts": watts,
        "idle_watts": idle,
        "joules_per_item": None if watts is None else watts * item,
        "why": count.why,
        **count.facts,
    }


def _ratios(
    figure: dict[str, Any], core: dict[str, Any] | None, rated: Rated | None
) -> dict[str, Any]:
    """Ratios to the CPU's figure of a row; rated power is in that by the paper's rule alone."""
    found: dict[str, Any] = dict.fromkeys(RATIOS) | {"paper": PAPER.get(figure["row"])}
    if core is None:
        return found
    if None not in (figure["joules_per_item"], core["joules_per_item"]):
        found["ratio"] = figure["joules_per_item"] / core["joules_per_item"]
    if core["threads"] != 1:
        return found
    found["speed_up"] = core["seconds"] / figure["seconds"]
    limit = figure.get("power_limit_watts")
    if rated is not None and limit is not None:
        ratio = limit * rated.cores / rated.watts / found["speed_up"]
        about = {"cpu_watts": rated.watts, "cpu_cores": rated.cores, "gpu_watts": limit}
        found["rule"] = {"method": RULE, **about, "ratio": ratio}
    return found


# ---- measuring ----------------------------------------------------------------------------


def counted(backend: Backend, work: Work, seconds: float) -> Count:
    """Work repeated for so many seconds, after a second of it; with what meters count meanwhile."""
    once = work.make(1)
    once()
    times = min(MOST, max(1, ceil(PIECE / max(clock(backend, once), 1e-7))))
    run, least = work.make(times), work.notes.get("least", 1)
    start = perf_counter()
    while perf_counter() - start < WARM:
        run()
        backend.synchronize()
    meter = Meter(backend)
    meter.start()
    try:
        if meter.board is not None:
            return _by_ticks(backend, meter, run, times, seconds, least)
        return _bracketed(backend, meter, run, times, seconds, least)
    finally:
        meter.close()


def _repeated(
    backend: Backend, meter: Meter, run: Callable[[], Any], times: int, seconds: float, least: int
) -> Count:
    """Work for so many seconds, and so many times at least."""
    done, start = 0, perf_counter()
    while done < least or perf_counter() - start < seconds:
        run()
        backend.synchronize()
        meter.touch()
        done += times
    return Count(done, perf_counter() - start)


def _bracketed(backend: Backend, meter: Meter, *work: Any) -> Count:
    """Joules by two readings around the work, as of counters whose steps are short."""
    count = _repeated(backend, meter, *work)
    found = meter.stop()
    own = found["gpu" if backend.on_gpu else "cpu"]
    if own["joules"] is None:
        return count._replace(why=own["why"])
    facts = {"method": own["method"], "own_share": own.get("own_share")}
    return count._replace(joules=own["joules"], over=found["seconds"], facts=facts)


def _by_ticks(
    backend: Backend, meter: Meter, run: Callable[[], Any], times: int, seconds: float, least: int
) -> Count:
    """Joules from one tick of the board's counter to another, with the work going on throughout."""
    board = meter.board
    assert board is not None

    def step() -> float:
        run()  # the board is read while a recording runs
        joules = board.joules()
        backend.synchronize()
        return joules

    try:
        first, at = _tick(step, board)
        count = _repeated(backend, meter, run, times, seconds, least)
        last, end = _tick(step, board)
    except DeviceError as error:
        return _repeated(backend, meter, run, times, seconds, least)._replace(why=str(error))
    found = meter.stop()
    gpu = found["gpu"]
    facts = {name: gpu.get(name) for name in ("method", "power_limit_watts", "others")}
    facts["host_watts"] = found["cpu"].get("watts")
    return count._replace(joules=last - first, over=end - at, facts=facts)


def _tick(step: Callable[[], float], board: Board) -> tuple[float, float]:
    """Joules and time where the counter has just stepped."""
    start, before = perf_counter(), board.joules()
    while perf_counter() - start < PATIENCE:
        now = step()
        if now != before:
            return now, perf_counter()
    raise DeviceError(f"the counter stood still for {PATIENCE:g} s")


def idle_watts(backend: Backend) -> float | None:
    """Power of the device that computes without work, its context alive; None without a meter."""
    meter = Meter(backend)
    meter.start()
    meter.close()
    if meter.why:
        return None
    there, to = (backend.zeros((1 << 20, 4)) for _ in range(2))
    copy = recorded(backend, [backend.bind("copy_state", **{"from": there, "to": to})])(MOST)
    start = perf_counter()
    while perf_counter() - start < WARM:
        copy()
        backend.synchronize()
    sleep(SETTLE)
    meter = Meter(backend)
    meter.start()
    try:
        way = _by_ticks if meter.board is not None else _bracketed
        return way(backend, meter, lambda: sleep(PIECE), 1, IDLE, 1).watts
    finally:
        meter.close()


# ---- the table ----------------------------------------------------------------------------


def cells(figure: dict[str, Any]) -> list[str]:
    """The cells of a figure's line under HEAD."""
    watts, idle, rule = figure["watts"], figure["idle_watts"], figure["rule"]
    paper = figure["paper"] or {}
    card = paper.get("cards", {}).get(CARD, {}) if figure["threads"] is None else {}
    return [
        f"{figure['row']}: {ROWS[figure['row']]}",
        figure["device"],
        _text(figure["threads"], "d"),
        _text(figure["seconds"], ".3g"),
        _text(figure["speed_up"], ".1f"),
        _text(figure["joules"], ".4g"),
        _text(figure["over"], ".2f"),
        _text(watts, ".0f"),
        _text(None if watts is None or idle is None else watts - idle, ".0f"),
        _text(figure["joules_per_item"], ".3g"),
        _text(figure["ratio"], ".2%"),
        _text(None if rule is None else rule["ratio"], ".2%"),
        _text(card.get("ratio"), ".2%"),
        _text(card["seconds"] if card else paper.get("cpu_seconds"), "g"),
    ]


def _text(value: Any, form: str) -> str:
    return "" if value is None else f"{value:{form}}"


def heading(figure: dict[str, Any]) -> str:
    """Version, precision, device and machine of a figure, in a line."""
    names = ("dtype", "device_name", "machine")
    return ", ".join([f"kinemesh {figure['version']}", *(figure[name] for name in names)])


def markdown(found: Iterable[dict[str, Any]]) -> str:
    """Table of figures, under a line for each device that they are of."""
    all_of = list(found)
    heads = dict.fromkeys(heading(figure) for figure in all_of)
    lines = [HEAD, ["---"] + ["---:"] * (len(HEAD) - 1), *map(cells, all_of)]
    return "\n\n".join([*heads, "\n".join(f"| {' | '.join(line)} |" for line in lines)])


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Figures of JSON files in the order written; CaseError for other files."""
    found = []
    for path in paths:
        for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
            where = f"{path}, line {number}"
            try:
                figure = json.loads(text)
            except ValueError as error:
                raise CaseError(f"{where}: {error}; expected a line of JSON") from None
            if not isinstance(figure, dict) or figure.get("format") != FORMAT:
                raise CaseError(f"{where}: expected an object whose format is {FORMAT!r}")
            missing = [key for key in KEYS if key not in figure]
            if missing or figure["row"] not in ROWS:
                lacks = ", ".join(missing) or f"row among {', '.join(ROWS)}"
                raise CaseError(f"{where}: no {lacks}; expected every key of {FORMAT}")
            found.append(figure)
    if not found:
        raise CaseError(f"no figures in {', '.join(map(str, paths))}; write some with --json")
    return found
