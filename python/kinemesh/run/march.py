"""What steady and unsteady runs share: pseudo-steps until all is converged, and the summary."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.errors import warn
from kinemesh.flow.sizes import summed
from kinemesh.io import summary
from kinemesh.io.history import History
from kinemesh.io.summary import Stopwatch, Summary
from kinemesh.results import Run
from kinemesh.run import interrupt

if TYPE_CHECKING:
    from kinemesh.flow.solver import Solver


class _Lines:
    """Progress where no bar can be drawn, as in a log: a line on stderr now and then.

    After each tenth of the way, at most one a second; where a tenth takes longer, every 30 s; and
    at the end.
    """

    OFTEN, SELDOM = 1.0, 30.0  # seconds between two lines

    def __init__(self, total: int, unit: str, done: int) -> None:
        self.total, self.n, self.told, self.more = total, done, done, ""
        self.text = "iteration {} of at most {}" if unit == "it" else unit + " {} of {}"
        self.start = self.last = time.monotonic()

    def update(self, count: int = 1) -> None:
        """So many more are done; a line where one is due."""
        self.n += count
        since = time.monotonic() - self.last
        tenth = 10 * self.n // self.total > 10 * self.told // self.total
        if since >= self.SELDOM or (tenth and since >= self.OFTEN):
            self.tell()

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        """What the next lines say besides."""
        del refresh
        self.more = f", {text}"

    def tell(self) -> None:
        """The line of now, where it is not that of before."""
        if self.n == self.told:
            return
        self.told, self.last = self.n, time.monotonic()
        spent = self.last - self.start
        print(
            f"{self.text.format(self.n, self.total)}, {spent:.0f} s{self.more}",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def progress_bar(total: int, shown: bool, unit: str, done: int = 0) -> Iterator[Any]:
    """tqdm's bar in a terminal or notebook, lines in a log, nothing where it is not `shown`."""
    if not shown:
        yield SimpleNamespace(n=done, update=_nothing, set_postfix_str=_nothing)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a notebook without ipywidgets, which gets lines
        from tqdm.auto import tqdm
    if sys.stderr.isatty() or any(kind.__name__ == "tqdm_notebook" for kind in tqdm.__mro__):
        with tqdm(total=total, unit=unit, dynamic_ncols=True, initial=done) as bar:
            yield bar
        return
    lines = _Lines(total, unit, done)
    try:
        yield lines
    finally:
        lines.tell()


def _nothing(*_: Any, **__: Any) -> None:
    """What is not shown."""


def march(solver: Solver, recording: Any, where: str, watch: Stopwatch, each: Any = None) -> None:
    """Replay pseudo-steps until no member is active."""
    while True:
        with watch("flow"):
            recording()
            solver.check_faults(where, solver.dualtime.iterations)
            active = solver.backend.get(solver.dualtime.active)
        if each is not None:
            each()
        if not active.any():
            return
        interrupt.check()


def finish(
    solver: Solver,
    mode: str,
    history: History,
    folder: Path | None,
    watch: Stopwatch,
    result: dict[str, Any],
    notes: list[str],
    timing: dict[str, Any],
    identity: dict[str, Any],
    said: Sequence[str] = (),
) -> Run:
    """Write the summary; its warnings are the notes, and what was `said`.

    Members that have failed are in both.
    """
    grid, failed = solver.grid, solver.grid.ensemble.told()
    notes = [*[row["text"] for row in failed], *notes, *solver.low_mach.notes()]
    if not grid.ensemble.alive.any():
        notes.insert(0, f"all {grid.members} members failed, which ended the run")

    def one(value: Any) -> Any:
        if grid.members > 1 or np.ndim(value) != 1 or len(value) != 1:
            return value
        return value[0].item() if isinstance(value[0], np.generic) else value[0]

    conditions = {
        "mach": one(solver.mach),
        "alpha_deg": one(solver.alpha_deg),
        "moment_about": solver.moment_about,
        "reference_area": solver.reference[0],
        "reference_length": solver.reference[1],
        "chord": solver.chord,
    } | {k: one(v) for k, v in timing.items()}
    mesh = grid.sizes() | {"members": grid.members} | summed(solver)
    made = summary.collect(
        mode,
        solver.backend.describe(),
        solver.backend.dtype,
        conditions,
        mesh,
        solver.settings,
        watch,
        {k: one(v) for k, v in result.items()},
        [*solver.notes, *said, *notes],
    )
    made |= {"failed": failed, "identity": identity}
    if solver.case is not None:
        made["case"] = dict(solver.case)
    if mode == "steady":
        most = int(np.max(result["iterations"]))
        made["seconds_per_iteration"] = watch.total / max(most, 1)
    history.failed = {row["member"]: row["text"] for row in failed}
    text = Summary(summary.plain(made | {"asked": solver.asked()}))
    for note in notes:
        warn(note)
    if folder is not None:
        summary.write(folder / "summary.json", text)
    return Run(history, text, folder)
