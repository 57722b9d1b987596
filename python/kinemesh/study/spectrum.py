"""Loads of a run without a cycle: means, amplitudes, Strouhal number."""

from __future__ import annotations

from pathlib import Path

from kinemesh.errors import CaseError, warn
from kinemesh.io.lost import refuse_lost
from kinemesh.io.scales import scales_of
from kinemesh.loops.spectrum import Spectrum, with_bodies
from kinemesh.results import Run
from kinemesh.results import open as open_run


def spectrum(run: Run | str | Path, *, start: float | None = None, member: int = 0) -> Spectrum:
    """Mean, rms, amplitude and Strouhal number of the loads over a window of time.

    Parameters
    ----------
    run : Run, or the folder of one
    start : first time of the window, in the units of the history; None: half of the run
    member : int    of an ensemble, from 0

    Returns
    -------
    Spectrum    `strouhal` is None where no two periods are in the window; `bodies` has those of
        each of several bodies.  A warning tells of loads that swing in less than five periods.

    Raises
    ------
    CaseError    a steady run, a member that failed, lost rows, too few steps in the window
    """
    made = run if isinstance(run, Run) else open_run(run)
    if not isinstance(made, Run):
        raise CaseError(f"spectrum: {run} is a sweep, expected a run")
    if made.history.kind != "unsteady":
        raise CaseError("spectrum: the run is steady, expected an unsteady one")
    made.history.refuse_failed(member, "spectrum")
    refuse_lost(made.history, member, "spectrum")
    found = with_bodies(made.history.member(member), start, per_length(made, member))
    remark = found.remark()
    if remark is not None:
        warn(remark, member=member, about="spectrum")
    return found


def per_length(run: Run, member: int) -> float:
    """Chord over reference speed of a member, in the units of the history."""
    return scales_of(run.summary, run.members)[member].time
