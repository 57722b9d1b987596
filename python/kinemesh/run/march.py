"""March of a step: pseudo-steps until all members have ended, with the progress display."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import NumericalFault
from kinemesh.io.summary import Stopwatch
from kinemesh.run import interrupt

if TYPE_CHECKING:
    from kinemesh.bodies.placement import Placement
    from kinemesh.flow.moving import Moving


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
        """Set the text at the end of the next lines."""
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
    """Do nothing, in place of a progress bar's methods."""


def take_step(
    solver: Moving,
    recording: Any,
    number: int,
    dt: NDArray[np.float64],
    where: str,
    watch: Stopwatch,
    placement: Placement | None = None,
    again: Callable[[], Placement | None] = lambda: None,
) -> dict[str, float]:
    """Take physical step `number`: begin, place, march; returns the deformation's numbers.

    Bodies are placed, and the step marches, until `again` has no other placement.

    Parameters
    ----------
    recording : of `Moving.marching`
    number : int           from 1
    dt : (members,)        time steps of the solver
    where : str            for messages
    placement : of the bodies; None: by their motions
    again : callable       another placement of the step that has marched, or None
    """
    before = (number - 1) * dt
    there: Placement | None = placement or solver.by_laws(before, dt)
    begun, notes = False, dict[str, float]()
    while there is not None:
        with watch("deformation"), solver.grid.ensemble.quiet():
            try:
                if not begun:
                    solver.begin_step(dt, 1 if number == 1 else 2)
                    solver.at_time(before + dt)
                    begun = True
                notes = solver.place(there)
            except NumericalFault as fault:
                raise NumericalFault(fault.said, f" ({where})") from fault
            solver.check_faults(where)
        with watch("flow"):
            solver.predict()
        march(solver, recording, where, watch)
        there = again()
    return notes


def march(solver: Moving, recording: Any, where: str, watch: Stopwatch, each: Any = None) -> None:
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
