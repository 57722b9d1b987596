"""What steady and unsteady runs share: pseudo-steps until all is converged, and the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh import interrupt
from kinemesh.errors import warn
from kinemesh.io import summary
from kinemesh.io.history import History
from kinemesh.io.summary import Stopwatch

if TYPE_CHECKING:
    from kinemesh.solver import Solver


@dataclass(slots=True)
class Run:
    """What a run leaves behind.

    Parameters
    ----------
    history : History    rows per member and step (or iteration)
    summary : dict       what summary.json holds
    out : Path or None
    """

    history: History
    summary: dict[str, Any]
    out: Path | None


@contextmanager
def progress_bar(total: int, shown: bool, unit: str, done: int = 0) -> Iterator[Any]:
    """tqdm where it is wanted."""
    from tqdm import tqdm

    hide = None if shown else True
    with tqdm(total=total, unit=unit, disable=hide, dynamic_ncols=True, initial=done) as bar:
        yield bar


def march(solver: Solver, recording: Any, where: str, watch: Stopwatch, each: Any = None) -> None:
    """Replay pseudo-steps until no member is active."""
    while True:
        with watch("flow"):
            recording()
            active = solver.backend.get(solver.dualtime.active)
        solver.check_faults(where, solver.dualtime.iterations)
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
    said: Sequence[str] = (),
) -> Run:
    """Close the files and write the summary; its warnings are the notes, and what was `said`."""
    grid = solver.grid

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
    } | {k: one(v) for k, v in timing.items()}
    mesh = grid.sizes() | {"members": grid.members}
    text = summary.collect(
        mode,
        solver.backend.describe(),
        solver.backend.dtype,
        conditions,
        mesh,
        solver.settings,
        watch,
        {k: one(v) for k, v in result.items()},
        [*said, *notes],
    )
    if mode == "steady":
        most = int(np.max(result["iterations"]))
        text["seconds_per_iteration"] = watch.total / max(most, 1)
    history.close()
    for note in notes:
        warn(note)
    if folder is not None:
        summary.write(folder / "summary.json", text)
    return Run(history, text, folder)
