"""Benchmark rows of the incompressible step of two overset parts: a plunging NACA 0012, or a wing.

The motion is P3's: Chandar, Sitaraman and Mavriplis (ICCFD7-1202, 2012).  docs/overset.md has the
rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import log, log1p, pi, prod
from typing import Any

import numpy as np

from kinemesh.bench.rows import Rows, Work
from kinemesh.device.backend import Backend
from kinemesh.errors import NumericalFault
from kinemesh.flow.incompressible import Incompressible, IncompressibleSettings
from kinemesh.io.summary import Stopwatch
from kinemesh.mesh import Mesh, airfoil, background
from kinemesh.motion import plunge
from kinemesh.run.march import take_step

BOX, CORE, GROWTH = (-8.0, 16.0, -8.0, 8.0), (-1.5, 3.0, -2.0, 2.0), 1.12  # [chord]
NEAR = 1 / 3  # of the nodes, those of the part about the section
WALL = 0.3  # height of the first cells, times the root of the nodes of their part [chord]
REYNOLDS, HEIGHT, K, STEPS_PER_CYCLE = 2000.0, 0.75, 0.838, 400
FIRST = 5  # steps before any is timed: the first ones begin from the stream
LEAST, LEAST_SPACE = 17_000, 110_000  # nodes with room for the layers of the overlap
SMALL = (
    f"fewer than {LEAST} nodes, in space {LEAST_SPACE}, have no room for the layers of the overlap"
)
MOST = 25_000  # nodes of each member of an ensemble
MEMBERS, MEMBERS_GPU = 4, 100
STALL = 0.7  # as of a run; no step of a projection is too bold
ROWS = {
    "step-parts": "physical step, two overset parts",
    "step-members": "physical step, members of two overset parts",
}
TITLES = {"step": ROWS}
Pair = dict[str, Mesh]
OF_WING: dict[str, Any] = {"reference_area": 2.0, "reference_length": 1.0}
GIVEN: dict[int, dict[str, Any]] = {2: {}, 3: OF_WING}
OVERLAP: dict[int, dict[str, Any]] = {2: {}, 3: {"overlap": 1}}
"""Arguments and settings of the case by dimensions."""


def made(nodes: int) -> Pair:
    """Two parts with about so many nodes in all; none where that is less than LEAST."""
    if nodes < LEAST:
        return {}
    near = round(NEAR * nodes)
    wall = WALL / near**0.5
    wing = airfoil("naca0012", nodes=near, far_field=1.0, outer="overset", wall_spacing=wall)
    spacing = core_spacing(nodes - len(wing.points), BOX, CORE, GROWTH)
    return {"wing": wing, "back": background(BOX, CORE, spacing, GROWTH)}


def core_spacing(nodes: int, box: Sequence[float], core: Sequence[float], growth: float) -> float:
    """Length of the cells in the core of a background with about so many nodes."""
    from scipy.optimize import brentq

    def along(h: float, axis: int) -> float:
        (x0, x1), (c0, c1) = box[axis : axis + 2], core[axis : axis + 2]
        grown = sum(log1p(m * (growth - 1) / growth / h) for m in (c0 - x0, x1 - c1))
        return 1 + (c1 - c0) / h + grown / log(growth)

    def lacking(h: float) -> float:
        return prod(along(h, axis) for axis in range(0, len(box), 2)) - nodes

    return float(brentq(lacking, 1e-4, 1.0))


def rows(backend: Backend, pair: Pair, wanted: set[str], *_: Any) -> Rows:
    """Rows of the physical step of one member, and of many."""
    nodes = sum(len(mesh.points) for mesh in pair.values())
    several = MEMBERS_GPU if backend.on_gpu else MEMBERS
    for row, members, most in (("step-parts", 1, nodes), ("step-members", several, MOST)):
        if row not in wanted:
            continue
        if not pair:
            yield row, SMALL
        elif nodes > most:
            yield row, f"{nodes} nodes of a member, expected at most {most}"
        else:
            yield row, _step(backend, pair, members)


def plunging(backend: Backend, pair: Pair, members: int, **settings: Any) -> Incompressible:
    """A case of so many members, whose Reynolds numbers differ."""
    dimensions = pair["wing"].dimensions
    return Incompressible(
        pair,
        reynolds=(REYNOLDS * np.linspace(1.0, 0.5, members)).tolist(),
        motion={"wing": plunge(amplitude=HEIGHT, k=K, phase_deg=-90)},
        device=backend.device,
        dtype=backend.dtype,
        settings=IncompressibleSettings(**OVERLAP[dimensions], **settings),
        **GIVEN[dimensions],
    )


def timed_case(backend: Backend, pair: Pair, members: int) -> tuple[Incompressible, dict[str, Any]]:
    """The case, with its nodes, members, bytes a node and the seconds that it took to make."""
    start = time.perf_counter()
    case = plunging(backend, pair, members)
    case.backend.synchronize()
    seconds, nodes = time.perf_counter() - start, case.grid.nodes
    memory = case.backend.allocated / nodes
    return case, {"nodes": nodes, "members": members, "memory": memory, "setup": seconds}


def _step(backend: Backend, pair: Pair, members: int) -> Work:
    """Physical steps of so many members."""
    case, notes = timed_case(backend, pair, members)
    walk = Walk(case)
    walk.make(FIRST)()
    walk.begin_count()
    notes["memory"] = case.backend.allocated / notes["nodes"]
    return Work(walk.make, None, walk.mean, notes)


class Walk:
    """Physical steps of a case, one after another, each as a run takes it but for its loads."""

    def __init__(self, case: Incompressible) -> None:
        self.case, self.done = case, 0
        self.begin_count()
        self.dt = np.full(case.grid.members, pi / K / STEPS_PER_CYCLE)
        case.rest(case.bodies.poses(0 * self.dt))
        case.start_from("stream")
        case.dualtime.set_floor(self.dt)
        self.recording = case.marching(STALL)

    def make(self, times: int) -> Callable[[], None]:
        """Callable that takes `times` steps."""

        def steps() -> None:
            for _ in range(times):
                self._step()

        return steps

    def begin_count(self) -> None:
        """Restart the counts of iterations."""
        self.counted, self.iterations, self.corrections = 0, 0.0, 0.0

    def mean(self) -> float:
        """Pressure iterations of a step and a member, in the mean."""
        return round(self.iterations / self.counted, 1)

    def momentum(self) -> dict[str, float]:
        """Corrections of the velocity in a step and a member, in the mean."""
        return {"momentum": round(self.corrections / self.counted, 1)}

    def _step(self) -> None:
        case = self.case
        self.done += 1
        where = f"bench, step {self.done}"
        take_step(case, self.recording, self.done, self.dt, where, Stopwatch())
        if case.missed().any():
            raise NumericalFault(f"{where}: the pressure ended above its tolerance")
        self.counted += 1
        get = case.backend.get
        self.iterations += float(get(case.projection.pressure.steps).mean())
        self.corrections += float(get(case.dualtime.iterations).mean())
