"""Cases side by side: which of them can be members of one ensemble, and its solver."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from kinemesh.cases import build
from kinemesh.cases.stated import Stated
from kinemesh.dimension import dimension_of
from kinemesh.flow import registry

OWN = ("mach", "reynolds", "stream", "alpha_deg")  # of [flow], each member has its own


def shared(case: Stated) -> str:
    """Key of a case's properties common to an ensemble: members have equal keys.

    Members have a mesh (or cloud), stream and motion each, and share all else.
    """
    flow = {f.name: getattr(case.flow, f.name) for f in dataclasses.fields(case.flow)}
    told = (
        (case.mode, case.method, *case.mesh.shared),
        sorted((name, value) for name, value in flow.items() if name not in OWN),
        case.flow.reynolds is None,  # viscous and inviscid members have other kernels
        case.deform,
        case.structure and (case.structure.kind, case.structure.frees, case.structure.kick),
        dataclasses.replace(case.job, out=None),
        sorted(case.solver.items()),
    )
    return repr(told)


def solver(
    cases: Sequence[Stated],
    spaces: Sequence[Any],
    motions: Sequence[Any] | None = None,
    structures: Sequence[Any] | None = None,
) -> Any:
    """The solver of an ensemble, a member per case, on the mesh (or cloud) of each.

    Parameters
    ----------
    motions, structures : of each member, in place of those that the cases state
    """
    dimension = dimension_of(spaces)
    options = build.options(cases[0], dimension)
    for name in (*cases[0].flow.streams(cases[0].method), "alpha_deg"):
        options[name] = [getattr(case.flow, name) for case in cases]
    if motions is not None:
        options["motion"] = list(motions)
    elif cases[0].motion is not None:
        options["motion"] = [
            None if case.motion is None else case.motion.build(case.chord(dimension))
            for case in cases
        ]
    if structures is not None:
        options["structure"] = list(structures)
    elif "structure" in options:
        options["structure"] = [case.structure.build() for case in cases if case.structure]
    return registry.named(cases[0].method).solver(list(spaces), **options)
