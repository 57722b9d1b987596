"""Findings of a motion's pre-flight, in words."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from kinemesh.errors import warn
from kinemesh.overset.report import DONORS, SIZES
from kinemesh.run.preflight import FLAT
from kinemesh.sentences import said as told

if TYPE_CHECKING:
    from kinemesh.run.plan import Plan

TOLD = (DONORS, SIZES)  # the pre-flight has warned of these, with the phase


def flown(found: dict[str, Any], model: Any, plan: Plan) -> list[str]:
    """Findings of a pre-flight, in words."""
    if "receptors" in found:
        return _donors(found, model, plan)
    whole = "no satellites on one line" if "worst_condition" in found else "no cell inverts"
    said = [f"{found['steps']} steps, {whole}"]
    for tail, words in (("_phase_deg", "at phase {:.0f}"), ("_time", "at time {:.4g}")):
        for key in (name.removesuffix(tail) for name in found if name.endswith(tail)):
            angle = f"{key}_deg" in found
            value = f"{found[f'{key}_deg']:.3g} degrees" if angle else f"{found[key]:.3g}"
            said.append(
                f"{key.replace('_', ' ')} {value} {words.format(found[key + tail])}"
                f"{_as_given(found, f'{key}_deg' if angle else key)}"
            )
    return said


def _as_given(found: dict[str, Any], name: str) -> str:
    """End of a finding: the number of the mesh or cloud as given."""
    given = found.get(f"given_{name}")
    if given is None:
        return ""
    flat = name.endswith("_deg") and given < FLAT
    return f" (as given {given:.3g}{', so that corners are flat anyway' * flat})"


def _donors(found: dict[str, Any], model: Any, plan: Plan) -> list[str]:
    """Findings of a pre-flight of overset parts, with their connectivity at the worst moment."""

    def at(name: str) -> float:
        if plan.periods is None:
            return float(found[f"{name}_time"])
        return found[f"{name}_phase_deg"] / 360 / float(plan.cycle(np.ones(1))[0])

    def when(name: str) -> str:
        if plan.periods is None:
            return f"time {at(name):.4g}"
        return f"phase {found[f'{name}_phase_deg']:.0f}"

    most, poor = found["receptors"], found["poor_donors"]
    worst = "poor_donors" if poor else "receptors"
    said = [
        f"{found['steps']} steps, every receptor has a donor",
        f"at most {most:.0f} receptors, at {when('receptors')}",
        f"at most {poor:.0f} poor donors, at {when('poor_donors')}" if poor else "no poor donors",
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = model.connectivity(at(worst))
    for warning in caught:
        note = told(warning.message)
        if note.about not in TOLD:
            warn(note, warning.category)
    takes = [p for p in report.parts.values() if p.receptor]
    if takes:
        low, high = min(p.ratio[0] for p in takes), max(p.ratio[1] for p in takes)
        said.append(
            f"at {when(worst)} {report.fewer or f'overlap {report.overlap}'}, cells of receptors "
            f"{low:.2f} to {high:.2f} times as large as those of their donors"
        )
    return said
