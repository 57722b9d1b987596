"""The bench of loops over a mesh: procedures of solvers on cells by every loop that gives them.

docs/loops.md has the question, the rows and the figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kinemesh.bench.ledger import Ledger
from kinemesh.bench.loops.lattice import lattice, triangles
from kinemesh.bench.loops.model import Machine
from kinemesh.bench.loops.orders import put_in
from kinemesh.bench.loops.planned import Plan, Subject
from kinemesh.bench.loops.procedures import PROCEDURES, ROWS, Row
from kinemesh.bench.loops.study import Study
from kinemesh.bench.loops.topology import Measures, Topology, measured
from kinemesh.bench.loops.wing_meshes import WINGS, wing
from kinemesh.bench.rows import Rows, Work
from kinemesh.bench.timing import recorded
from kinemesh.device.backend import Backend

TITLES = {
    "residual": "residual",
    "flux-sum": "sum of stored fluxes",
    "gradient": "gradient",
    "node-values": "values at nodes",
    "extrema": "extrema of the pressure",
}
BY = {
    "store": "faces store, cells gather",
    "recompute": "cells, each flux twice",
    "atomics": "faces, atomic sums",
    "colours": "faces, by colours",
    "faces": "faces",
    "cells": "cells",
    "nodes": "nodes",
    "means": "means of faces stored, cells gather",
    "exact": "nodes, exact weights",
    "solver": "the solver's",
    "least-squares": "cells, least squares",
}
SCATTERS = {("flux-sum", "faces"), ("gradient", "faces"), ("gradient", "nodes"),
            ("node-values", "faces"), ("node-values", "cells"), ("extrema", "faces")}  # fmt: skip


def title(row: Row) -> str:
    """Title of a row."""
    sums = " (atomics)" if (row.procedure, row.loops) in SCATTERS else ""
    return f"{TITLES[row.procedure]}: {BY[row.loops]}{sums}"


ROW_TITLES = {row.name: title(row) for row in ROWS}


def measured_rows(
    subject: Subject, study: Study, wanted: set[str], model: Machine | None, seconds: float | None
) -> Rows:
    """Rows on a mesh, one at a time, procedure by procedure.

    Joules are counted for so many seconds of each, where they are given.
    """
    known = {"mesh": subject.mesh, "order": subject.order, "faces": study.top.faces}
    for procedure in PROCEDURES:
        for row in ROWS:
            if row.procedure != procedure or row.name not in wanted:
                continue
            ledger = Ledger()
            with ledger.watch():
                calls = row.calls(study)
            moved = ledger.bytes(calls)
            predicted = None
            if model and row.touches:
                predicted = model.predicted(moved, row.touches(study), len(calls))
            colours = len(study.colours) if row.loops == "colours" else None
            notes = {"procedure": procedure, "loops": row.loops, "repeatable": row.repeatable,
                     "predicted": predicted, "colours": colours}  # fmt: skip
            work = Work(recorded(study.backend, calls), moved, None, known | notes)
            yield row.name, replace(work, notes={**work.notes, **_joules(study, work, seconds)})
        study.clear()


def _joules(study: Study, work: Work, seconds: float | None) -> dict[str, Any]:
    """Joules of a work for a million cells, or why there are none."""
    from kinemesh.bench import joules

    if seconds is None:
        return {"joules_per_million_cells": None, "why": ""}
    found = joules.counted(study.backend, work, seconds)
    if found.watts is None:
        return {"joules_per_million_cells": None, "why": found.why}
    each = found.watts * found.seconds / found.times
    return {"joules_per_million_cells": 1e6 * each / study.top.cells, "why": ""}


def made_of(mesh: str, cells: int) -> Topology:
    """The mesh of a name, of about so many cells."""
    if mesh == "triangles":
        return triangles(cells)
    return wing(mesh, cells) if mesh in WINGS else lattice(mesh, cells)


def studies(backend: Backend, plan: Plan) -> Iterator[tuple[Subject, Study]]:
    """Study of each mesh of the plan; one at a time, for its memory."""
    made: dict[tuple[str, int], tuple[Topology, Measures]] = {}
    for subject in plan.subjects:
        key = (subject.mesh, subject.cells)
        if key not in made:
            made.clear()
            top = made_of(*key)
            made[key] = top, measured(top)
        top, measures = made[key]
        top, by = put_in(top, subject.order)
        yield subject, Study(backend, top, measures.numbered(by))
