"""Loops of runs, folders and files, and their distance to a reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kinemesh import cases
from kinemesh.errors import CaseError
from kinemesh.io.history import History
from kinemesh.io.paths import path_of
from kinemesh.loops.harmonics import PERIODIC
from kinemesh.loops.loop import SERIES, Loop, loop_of, loop_of_history


def hysteresis(source: Any, member: int | None = None, tolerance: float = PERIODIC) -> Loop:
    """Loop of the last cycle of an unsteady run.

    Parameters
    ----------
    source : Run, History, folder of a run, or history.csv
    member : int           of an ensemble, from 0; not needed where there is one member
    tolerance : float      largest `Loop.change` of a periodic loop [-]

    Raises
    ------
    CaseError    a run by time_step and steps, less than one cycle, steps that are not uniform, a
        steady run, a member that has failed, or a finished run whose history lost rows
    """
    history, label = _history(source)
    if history.by_time:
        raise CaseError(
            f"{label}: the run went by time_step and steps and has no cycle, so no loop; "
            "km.spectrum(run) has its mean loads, amplitudes and Strouhal number"
        )
    return loop_of_history(history, member, tolerance, label)


def _history(source: Any) -> tuple[History, str]:
    if isinstance(source, History):
        return source, str(source.path or "run")
    if isinstance(source, str | Path):
        path = Path(source)
        path = path / "history.csv" if path.is_dir() else path
        return History.read(path), str(source)
    if isinstance(getattr(source, "history", None), History):
        return source.history, str(getattr(source, "out", None) or "run")
    raise CaseError(f"hysteresis: got {source!r}, expected a run, a History, a folder or a file")


def reference_loop(reference: Loop | str | Path) -> Loop:
    """A reference loop: the published loop of a named case, or a loop from a CSV file.

    The file has the columns phase_deg, alpha_deg, cl and cm of one cycle in uniform steps.  A Loop
    is returned as it is.  CaseError where there is no such case or file, or the file has no such
    table.
    """
    if isinstance(reference, Loop):
        return reference
    named = cases.reference(str(reference))
    path, label = (path_of(reference, "the reference"), str(reference)) if named is None else named
    try:
        with path.open(encoding="utf-8") as file:
            rows = [line for line in file if not line.startswith("#")]
        table = np.genfromtxt(rows, delimiter=",", names=True, dtype=float)
    except (OSError, ValueError) as error:
        known = ", ".join(cases.references())
        raise CaseError(
            f"reference '{reference}': cannot be read ({error}); expected a CSV file "
            f"or a case with data: {known}"
        ) from None
    missing = [name for name in SERIES if name not in (table.dtype.names or ())]
    if missing:
        raise CaseError(f"{path}: no columns {missing}; expected {SERIES}")
    phase, alpha, cl, cm = (table[name] for name in SERIES)
    return loop_of(phase, alpha, cl, cm, label)
