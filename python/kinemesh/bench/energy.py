"""Rows of `kinemesh bench --energy`: cases of Wang et al. (dynamic clouds), copies, a residual.

Their Tables 3 to 5 and Figure 14 have seconds, and energies that are rated power times seconds.
docs/energy.md has the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

from kinemesh.bench.rows import Rows, Work
from kinemesh.bench.timing import COPIED, recorded
from kinemesh.cloud import airfoil
from kinemesh.deform import Rigid
from kinemesh.device.backend import Backend
from kinemesh.flow.ale import Ale
from kinemesh.flow.gas.meshless_settings import MeshlessSettings
from kinemesh.flow.meshless import Meshless
from kinemesh.flow.registry import PLANE, Entry
from kinemesh.io.summary import Stopwatch
from kinemesh.mesh import airfoil as mesh_about
from kinemesh.motion import pitch
from kinemesh.run.march import take_step

ROWS = {
    "p2-steady": "NACA 0012, M 0.8, steady, 10,000 Runge-Kutta iterations",
    "p2-ct5": "AGARD CT5, one real step",
    "p2-ct6": "AGARD CT6, one real step",
    "p2-million": "as p2-steady with a million points, one iteration",
    "copy": "copies, a gigabyte read or written",
    "residual": "residual of km.Ale, a million nodes",
}
TITLES = {"energy": ROWS}
# in place of a line of the registry of solvers
ENTRY = Entry("energy", "", "", "cloud", PLANE, (), (), ("energy",))
ITERATIONS, STEPS_PER_CYCLE = 10_000, 64  # of the paper
POINTS, POINTS_CT6, MILLION = 5_557, 4_006, 1_000_000
NODES, NODES_GPU = 94_085, 1_400_000  # of the residual
COPIED_GPU = 1 << 30  # bytes of each of the two arrays
STALL = 0.7  # as of a run
# of one core of a Xeon E5645 (80 W, 6 cores); each card: seconds, speed-up, share of its energy
XEON = {"cpu_watts": 80.0, "cpu_cores": 6}
PAPER: dict[str, dict[str, Any]] = {
    "p2-steady": {
        **XEON,
        "where": "Table 3",
        "cpu_seconds": 465.80,
        "cards": {
            "Quadro 2000": {"watts": 62.0, "seconds": 42.89, "speed_up": 10.86, "ratio": 0.4274},
            "Tesla C2075": {"watts": 225.0, "seconds": 14.15, "speed_up": 32.92, "ratio": 0.5128},
        },
    },
    "p2-ct5": {
        **XEON,
        "where": "Table 4",
        "cpu_seconds": 30.41,
        "cards": {
            "Quadro 2000": {"watts": 62.0, "seconds": 3.22, "speed_up": 9.44, "ratio": 0.4926},
            "Tesla C2075": {"watts": 225.0, "seconds": 1.02, "speed_up": 29.81, "ratio": 0.5650},
        },
    },
    "p2-ct6": {
        **XEON,
        "where": "Table 5",
        "cpu_seconds": 4.985,
        "cards": {
            "Quadro 2000": {"watts": 62.0, "seconds": 0.588, "speed_up": 8.48, "ratio": 0.5494},
            "Tesla C2075": {"watts": 225.0, "seconds": 0.208, "speed_up": 23.97, "ratio": 0.7042},
        },
    },
    "p2-million": {
        **XEON,
        "where": "Figure 14, its last points",
        "cpu_seconds": None,
        "cards": {
            "Quadro 2000": {"watts": 62.0, "seconds": None, "speed_up": 13.0, "ratio": 0.3484},
            "Tesla C2075": {"watts": 225.0, "seconds": None, "speed_up": 56.0, "ratio": 0.3049},
        },
    },
}


def rows(backend: Backend, _: Any, wanted: set[str], *__: Any) -> Rows:
    """Rows that are wanted; `each` of a work's notes is how often it is done for an item."""
    makers: dict[str, Callable[[Backend], Work]] = {
        "p2-steady": lambda b: _iterations(b, POINTS, ITERATIONS),
        "p2-ct5": lambda b: _steps(b, "naca0012", POINTS, 0.755, 0.016, 2.51, 0.0814, 0.25),
        "p2-ct6": lambda b: _steps(b, "naca64a010", POINTS_CT6, 0.796, 0.0, 1.01, 0.202, 0.248),
        "p2-million": lambda b: _iterations(b, MILLION, 1),
        "copy": _copies,
        "residual": _residual,
    }
    for row, make in makers.items():
        if row in wanted:
            yield row, make(backend)


def _copies(backend: Backend) -> Work:
    """Copies from one array to another, beyond the caches; an item is 1e9 bytes."""
    size = COPIED_GPU if backend.on_gpu else COPIED
    there, to = (backend.zeros((size // (4 * backend.real.itemsize), 4)) for _ in range(2))
    call = backend.bind("copy_state", **{"from": there, "to": to})
    return Work(recorded(backend, [call]), 2 * size, notes={"each": 1e9 / (2 * size)})


def _residual(backend: Backend) -> Work:
    """Gradients, fluxes and boundaries of a flow on a mesh; an item is a million nodes."""
    mesh = mesh_about("naca0012", nodes=NODES_GPU if backend.on_gpu else NODES)
    told: Any = {"device": backend.device, "dtype": backend.dtype}
    case = Ale(mesh, mach=0.755, alpha_deg=0.016, deform=Rigid(), **told)
    case.start_steady()
    nodes = case.grid.nodes
    notes = {"nodes": nodes, "each": 1e6 / nodes}
    return Work(recorded(backend, case.residual()), None, notes=notes)


def _iterations(backend: Backend, points: int, each: int) -> Work:
    """Iterations of Runge-Kutta about the NACA 0012 at Mach 0.8; an item is `each` of them."""
    settings = MeshlessSettings(time="rk")
    told: Any = {"device": backend.device, "dtype": backend.dtype, "settings": settings}
    case = Meshless(airfoil("naca0012", points=points), mach=0.8, alpha_deg=1.25, **told)
    case.start_steady()
    backend.put(case.dualtime.floor, 0.0)  # a flow at round-off would end
    cfl = case.settings.ramp(case.settings.cfl)
    notes = {"nodes": case.grid.nodes, "each": each}
    return Work(lambda times: case.iteration(0.0, 2**30, cfl, times), None, notes=notes)


def _steps(
    backend: Backend,
    section: str,
    points: int,
    mach: float,
    alpha: float,
    amplitude: float,
    k: float,
    about: float,
) -> Work:
    """Real steps of a pitching section, from its steady flow on; an item is one."""
    case = Meshless(
        airfoil(section, points=points),
        mach=mach,
        alpha_deg=alpha,
        motion=pitch(amplitude_deg=amplitude, k=k, about=(about, 0.0)),
        device=backend.device,
        dtype=backend.dtype,
    )
    walk = Walk(case, pi / (k * mach) / STEPS_PER_CYCLE)
    notes = {"nodes": case.grid.nodes, "each": 1, "least": STEPS_PER_CYCLE}
    return Work(walk.make, None, walk.mean, notes)


class Walk:
    """Real steps of a case, one after another, each as a run takes it but for its loads."""

    def __init__(self, case: Meshless, dt: float) -> None:
        self.case, self.dt, self.done, self.iterations = case, np.array([dt]), 0, 0
        case.steady()
        case.settle()
        case.dualtime.set_floor(self.dt)
        self.recording = case.marching(STALL)

    def make(self, times: int) -> Callable[[], None]:
        """Callable that takes `times` steps."""

        def steps() -> None:
            for _ in range(times):
                self._step()

        return steps

    def mean(self) -> float:
        """Pseudo-steps of a step, in the mean."""
        return round(self.iterations / self.done, 1)

    def _step(self) -> None:
        self.done += 1
        where = f"bench, step {self.done}"
        take_step(self.case, self.recording, self.done, self.dt, where, Stopwatch())
        self.iterations += int(self.case.backend.get(self.case.dualtime.iterations).sum())
