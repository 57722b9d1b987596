"""Benchmark rows of the incompressible step of one grid about a NACA 0012.

The grid plunges as the part of `kinemesh.bench.steps` does, or is at rest in a stream that comes at
an angle.  docs/performance.md has the rows.
"""

from __future__ import annotations

import time
from typing import Any

from kinemesh.bench.rows import Rows, Work
from kinemesh.bench.steps import FIRST, HEIGHT, REYNOLDS, K, Walk
from kinemesh.device.backend import Backend
from kinemesh.flow.incompressible import Incompressible
from kinemesh.mesh import Mesh
from kinemesh.motion import plunge

ALPHA = 10.0  # degrees, of the grid at rest
ROWS = {
    "step": "physical step, one grid that plunges",
    "step-still": "physical step, one grid at rest",
}
TITLES = {"one-grid": ROWS}


def case_of(backend: Backend, mesh: Mesh, row: str) -> Incompressible:
    """The case of a row."""
    still = row == "step-still"
    return Incompressible(
        mesh,
        reynolds=REYNOLDS,
        alpha_deg=ALPHA if still else 0.0,
        motion=None if still else plunge(amplitude=HEIGHT, k=K, phase_deg=-90),
        device=backend.device,
        dtype=backend.dtype,
    )


def rows(backend: Backend, mesh: Mesh, wanted: set[str], *_: Any) -> Rows:
    """Rows of the physical step of one grid."""
    for row in ROWS:
        if row not in wanted:
            continue
        start = time.perf_counter()
        case = case_of(backend, mesh, row)
        case.backend.synchronize()
        seconds = time.perf_counter() - start
        walk = Walk(case)
        walk.make(FIRST)()
        walk.begin_count()
        notes = {"memory": case.backend.allocated / case.grid.nodes, "setup": seconds}
        yield row, Work(walk.make, None, walk.mean, notes, walk.momentum)
