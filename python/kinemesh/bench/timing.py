"""Seconds of recordings, copy bandwidth, and the machine's data."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

from kinemesh.device.backend import Backend

SPAN = 0.02  # seconds that one reading lasts at least, so that clock and launch do not count
MOST = 200  # repetitions within one reading
TRIALS = 5  # runs of a recording on a CPU until its threads are chosen (csrc/core/module.c)
COPIED = 1 << 27  # bytes of each of the two arrays: beyond the caches of any CPU we know


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one repetition: median, least and most of `repeats` readings of `times` each.

    `process` is the median of the seconds that the processors spent in this process, its threads
    added up: where others use the machine it stays as it is, while `seconds` grow.  None on a GPU.
    """

    seconds: float
    least: float
    most: float
    repeats: int
    times: int
    process: float | None = None


def clock(backend: Backend, work: Callable[[], Any]) -> float:
    """Seconds of one call, the device idle before and after."""
    return clocks(backend, work)[0]


def clocks(backend: Backend, work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of one call, the device idle before and after: of the wall, and of the process."""
    backend.synchronize()
    spent, start = time.process_time(), time.perf_counter()  # the wall's clock inside
    work()
    backend.synchronize()
    wall = time.perf_counter() - start
    return wall, time.process_time() - spent


def measure(
    backend: Backend, make: Callable[[int], Callable[[], Any]], repeat: int, settled: bool = False
) -> Timing:
    """Time what `make(times)` does `times` times over.

    The recording is run once before it is timed (a graph is built then) and four times more on a
    CPU, where its fourth run tries the other number of threads: one, or all.

    settled : the recordings in it have run often enough before
    """
    once = make(1)
    once()
    times = min(MOST, max(1, math.ceil(SPAN / max(clock(backend, once), 1e-7))))
    run = make(times)
    for _ in range(0 if settled else 1 if backend.on_gpu else TRIALS):
        run()
    pairs = [clocks(backend, run) for _ in range(repeat)]
    wall, spent = ([second / times for second in seconds] for seconds in zip(*pairs, strict=True))
    process = None if backend.on_gpu else median(spent)
    return Timing(median(wall), min(wall), max(wall), repeat, times, process)


def recorded(backend: Backend, items: list[Any]) -> Callable[[int], Callable[[], Any]]:
    """`make` of `measure` for calls and recordings."""
    return lambda times: backend.record(items, times=times)


def copy_bandwidth(backend: Backend, repeat: int = 5, bytes_each: int = COPIED) -> float:
    """Bytes read and written per second by the best of `repeat` copies beyond the caches.

    On a GPU by copies of the driver, else by the kernel copy_state with the threads of a row.
    """
    if backend.on_gpu:
        return 1e9 * backend._module.copy_bandwidth(backend.ordinal, 1 << 30)
    count = bytes_each // (4 * backend.real.itemsize)
    there, to = backend.zeros((count, 4)), backend.zeros((count, 4))
    backend.put(there, 1)
    call = backend.bind("copy_state", **{"from": there, "to": to})
    return 2 * there.nbytes / measure(backend, recorded(backend, [call]), repeat).least


def version() -> str:
    """Version of the package where it is installed, commit where it runs from a clone."""
    parts = []
    with suppress(metadata.PackageNotFoundError):
        parts.append(metadata.version("kinemesh"))
    root = Path(__file__).resolve().parents[3]
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"]
    if (root / ".git").exists():
        with suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
            parts.append(done.stdout.strip())
    return " at ".join(parts) or "unknown version"


def _processor() -> str:
    """Name of the CPU as the system gives it."""
    table = Path("/proc/cpuinfo")
    if table.is_file():
        for line in table.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def surroundings(backend: Backend) -> dict[str, Any]:
    """Version, machine, device, threads and precision, common to all figures of a run."""
    described = backend.describe()
    return {
        "version": version(),
        "machine": f"{_processor()}, {os.cpu_count()} CPUs",
        "device": described["device"],
        "device_name": described.get("name", _processor()),
        "threads": described.get("threads"),
        "dtype": backend.dtype,
    }


def again(work: Callable[[], Any]) -> Callable[[int], Callable[[], None]]:
    """`make` of `Work` for a callable that queues calls."""

    def make(times: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(times):
                work()

        return run

    return make
