"""A run from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kinemesh.errors import CaseError, warn
from kinemesh.io import store
from kinemesh.io import summary as summaries
from kinemesh.io.csv_rows import STEADY, UNSTEADY
from kinemesh.io.history import History
from kinemesh.io.paths import path_of
from kinemesh.io.summary import Summary
from kinemesh.results.run import Run

SWEEP = "sweep.json"  # in the folder of a sweep
OF_FLUTTER = ("crossings.csv", "boundary.csv")  # in that of a flutter analysis


def open(folder: str | Path) -> Any:
    """Open the folder of a run: history, summary, loops, table, flow fields; or of a sweep.

    A run that did not finish opens with a warning: `Run.finished` is None, the summary has no
    result, and history and fields end where the run ended.  A finished run whose history lost rows
    opens with a warning, too, and has no loop.

    Returns
    -------
    Run, or of a sweep the xarray.Dataset that `kinemesh.sweep` gives; cases that have not been run
    have state 0

    Raises
    ------
    CaseError    no such folder, or the folder holds neither run nor sweep
    """
    path = path_of(folder, "the run's folder")
    if not (path / SWEEP).exists():
        return open_run(path)
    if not (path / store.NAME).exists():
        raise CaseError(f"{path}: no batch of the sweep has ended; go on by --resume")
    return store.dataset(str(path / store.NAME))


def open_run(folder: str | Path) -> Run:
    """Open the folder of a run; CaseError also where it holds a sweep."""
    path = path_of(folder, "the run's folder")
    if not path.is_dir():
        what = "is a file, expected the folder" if path.exists() else "no such folder"
        raise CaseError(f"{path}: {what} of a run (what was given to it as out)")
    if (path / SWEEP).exists():
        raise CaseError(f"{path}: holds a sweep, which has neither fields nor films")
    files = [path / name for name in ("history.csv", "summary.json")]
    if not any(file.exists() for file in files):
        raise CaseError(
            f"{path}: holds no run: neither history.csv nor summary.json, as run(..., out=...) "
            "and `kinemesh run` leave them"
        )
    about = _summary(files[1])
    run = Run(_history(files[0], about), about, path)
    if run.finished is None:
        warn(f"{path}: the run {run.told()}")
    for text in list(run.history.lost.values())[:1]:  # once for an ensemble
        more = len(run.history.lost) - 1
        warn(f"{path}: {text}" + (f"; so have {more} members more" if more else ""))
    return run


def _summary(path: Path) -> Summary:
    """The summary of a run; without the file, the summary of a run that did not finish."""
    if path.exists():
        return summaries.read(path)
    return Summary({"format": summaries.FORMAT, "finished": None})


def _history(path: Path, about: dict[str, Any]) -> History:
    """The complete rows of the history; none where the run failed before the first row."""
    if path.exists():
        return History.read(path, torn=about.get("finished") is None)
    none = History(STEADY if about.get("mode") == "steady" else UNSTEADY)
    none.ask_beside(path)
    return none
