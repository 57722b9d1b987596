"""Rows of cases that run by time_step and steps: `kinemesh.spectrum` of each, in place of a loop.

Names of numbers of single bodies are those of `kinemesh.study.sweep.bodies`: `cl_mean_flap`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kinemesh.errors import CaseError
from kinemesh.io.columns import LOADS
from kinemesh.io.history import History
from kinemesh.io.store import Variable
from kinemesh.loops.spectrum import LEAST, Spectrum, with_bodies

OF_LOAD = {
    "mean": "mean of {} over the window",
    "rms": "rms of {} about its mean over the window",
    "amplitude": "amplitude of the largest harmonic of {}; half the range where no two periods are "
    "in the window",
}
OF_SPECTRUM = {
    f"{load}_{name}": Variable("f8", about.format(load))
    for load in LOADS
    for name, about in OF_LOAD.items()
} | {
    "strouhal": Variable("f8", "frequency chord / U; nan where no two periods are in the window"),
    "periods": Variable("f8", "periods in the window; 0 where nothing swings"),
}
OF_RUN = {
    "window_start": Variable("f8", "first time of the window, half of the run"),
    "window_end": Variable("f8", "last time of the window"),
    "unconverged_steps": Variable("i8", "steps of the run that did not converge"),
}


def variables(markers: Iterable[str]) -> dict[str, Variable]:
    """Variables of the result; `markers` : of cases with several bodies."""
    of_bodies = {
        f"{name}_{marker}": whole._replace(about=f"{whole.about}, of {marker}")
        for marker in markers
        for name, whole in OF_SPECTRUM.items()
    }
    return OF_SPECTRUM | OF_RUN | of_bodies


def row_of(rows: History, per_length: float) -> dict[str, Any]:
    """Row of a case that ran; `note` is set in a run too short for a window.

    Parameters
    ----------
    rows : of one member
    per_length : chord over reference speed, in the units of the history
    """
    missed = int((rows["converged"] == 0).sum())
    found: dict[str, Any] = {"unconverged_steps": missed, "converged": missed == 0}
    try:
        whole = with_bodies(rows, per_length=per_length)
    except CaseError:  # too few steps
        return found | {"note": f"fewer than {LEAST} steps in the last half: raise run.steps"}
    found |= {"window_start": whole.start, "window_end": whole.end} | _numbers(whole)
    for marker, own in whole.bodies.items():
        found |= {f"{name}_{marker}": value for name, value in _numbers(own).items()}
    return found


def _numbers(made: Spectrum) -> dict[str, Any]:
    lines = {load: getattr(made, load) for load in LOADS}
    found = {f"{load}_{name}": getattr(lines[load], name) for load in LOADS for name in OF_LOAD}
    return found | {"strouhal": made.strouhal, "periods": made.periods}
