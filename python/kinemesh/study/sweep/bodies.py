"""Numbers of single bodies in rows of a sweep, of cases with several.

Their names are those of a run's history and table, with the marker of the body: `cl_flap`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kinemesh.errors import CaseError
from kinemesh.io.columns import LOADS
from kinemesh.io.store import Variable
from kinemesh.loops.harmonics import FloatArray, coefficient
from kinemesh.loops.loop import Loop

COLUMNS = {  # of a history, by the names of their variables
    "angle_deg": "angle_deg",
    **{load: load for load in LOADS},
    "h": "shift_y",
    "power": "power",
}
OF_CYCLE = ("mean", "amplitude")
OF_WORK = ("thrust", "power_in", "efficiency", "work", "damping")
PIVOT = ", about the pivot of its own motion, or its own point where that has none"
POINT = ", about its own point"


def variables(
    markers: Iterable[str], steady: bool, others: Mapping[str, Variable]
) -> dict[str, Variable]:
    """Variables of bodies with these markers; `others` are those of all bodies together.

    CaseError where two variables have one name.
    """
    derivatives = [name for name in others if name.endswith(("_in_phase", "_quadrature"))]
    every = [*LOADS] if steady else [*COLUMNS, *OF_WORK, *derivatives]
    every += [] if steady else [f"{load}_{name}" for load in LOADS for name in OF_CYCLE]
    found: dict[str, Variable] = {}
    for marker in markers:
        for name in every:
            full, whole = f"{name}_{marker}", others[name]
            if full in found or full in others:
                raise CaseError(
                    f"sweep: two variables {full}, one of them of the marker {marker!r}; rename "
                    "the marker"
                )
            point = (POINT if steady else PIVOT) if name.startswith("cm") else ""
            about = f"{whole.about}, of {marker}{point}"
            if name == "angle_deg":
                about = f"nose-up angle of the motion of {marker}"
            found[full] = whole._replace(about=about)
    return found


def of_loop(loop: Loop, series: Mapping[str, FloatArray]) -> dict[str, Any]:
    """Numbers of each of several bodies over the last cycle.

    Parameters
    ----------
    series : (steps,) of each column, the first at phase 0
    """
    found: dict[str, Any] = {}
    phase = 2 * np.pi * np.arange(loop.steps) / loop.steps
    for marker, body in loop.bodies.items():
        drag = coefficient(series[f"cd_{marker}"], phase, None)
        for name, load in (("cl", body.cl), ("cd", drag), ("cm", body.cm)):
            found[f"{name}_mean_{marker}"] = load.mean
            found[f"{name}_amplitude_{marker}"] = load.amplitude
        own = {name: getattr(body.flapping, name) for name in OF_WORK[:3]}
        own |= {"work": body.work, "damping": body.damping}
        found |= {f"{name}_{marker}": value for name, value in own.items()}
        for name, value in body.derivatives.to_dict().items():
            found |= {f"{name}_{part}_{marker}": number for part, number in value.items()}
    return found


def of_steady(table: Mapping[str, Sequence[Any]], member: int) -> dict[str, Any]:
    """Loads of each of several bodies of a member of a steady run, from the run's table."""
    named = [name for name in table if name.startswith(tuple(f"{load}_" for load in LOADS))]
    return {name: table[name][member] for name in named}
