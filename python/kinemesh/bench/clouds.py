"""Benchmark rows of the meshless solver, on the clouds of Zhang, Ma, Chen and Cao (2018).

Their Table 4 has the time of an iteration about the ONERA M6 on regular and irregular clouds.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from kinemesh.bench.ledger import Ledger
from kinemesh.bench.rows import Rows, Work
from kinemesh.bench.timing import recorded
from kinemesh.cloud import airfoil, oneram6
from kinemesh.cloud.cloud import Cloud
from kinemesh.device.backend import Backend
from kinemesh.errors import NumericalFault
from kinemesh.flow.gas.lusgs import Lusgs
from kinemesh.flow.gas.meshless_settings import MeshlessSettings
from kinemesh.flow.registry import Entry
from kinemesh.flow.terms.convection import CLOUD_FLUXES

# Every figure starts from the free stream, and times do not depend on the CFL number: at these no
# cloud's flow leaves, whatever the sweeps, however long a row is repeated.
CFL, RK_CFL = (1.0, 1.0, 1.0), 0.01
FLOWS: dict[str, dict[str, Any]] = {
    "regular": {"mach": 0.8395, "alpha_deg": 3.06, "reference_area": 1.15315084},
    "irregular": {"mach": 0.8395, "alpha_deg": 3.06, "reference_area": 1.15315084},
    "plane": {"mach": 0.8, "alpha_deg": 1.25},
}
SWEEPS = MeshlessSettings().lusgs_sweeps
LUSGS = {"time": "lusgs"}
ROWS = {
    "cloud-geometry": "least-squares matrices, normals",
    "cloud-gradients": "gradients and limiter",
    "cloud-residual": "fluxes and residual",
    "cloud-sweeps": "one pair of LU-SGS sweeps",
    "cloud-one-pair": "iteration, one pair of sweeps",
    "cloud-iteration": f"iteration, {SWEEPS} pairs of sweeps",
    "cloud-stage": "Runge-Kutta stage",
    "cloud-runge-kutta": f"Runge-Kutta iteration, {len(CLOUD_FLUXES['roe'].stages)} stages",
}
TITLES = {"cloud": ROWS}


def made(kind: str, points: int) -> Cloud:
    """The cloud of a kind with about so many points."""
    if kind == "plane":
        return airfoil("naca0012", points=points)
    return oneram6(points=points, irregular=kind == "irregular")


class Case:
    """A solver on a cloud, its calls noted while it is built."""

    def __init__(
        self, backend: Backend, cloud: Cloud, entry: Entry, kind: str, **settings: Any
    ) -> None:
        self.kind, self.ledger = kind, Ledger()
        with self.ledger.watch():
            self.solver = entry.solver(
                cloud,
                **FLOWS[kind],
                device=backend.device,
                dtype=backend.dtype,
                settings=entry.settings(**settings),
            )
            self.solver.start_steady()
            self.once = self.iteration(1)
            implicit = self.solver.implicit if self.solver.settings.time == "lusgs" else None
            self.sweeps = implicit.calls() if isinstance(implicit, Lusgs) else []
        # a flow at round-off would end its pseudo-steps
        self.solver.backend.put(self.solver.dualtime.floor, 0.0)

    def iteration(self, times: int) -> Any:
        """Recording of so many pseudo-steps."""
        return self.solver.iteration(0.0, 2**30, CFL, times)

    def whole(self) -> Work:
        """Pseudo-steps, from the state to the next."""
        return Work(self.iteration, self.ledger.bytes([self.once]), notes=self.notes())

    def part(self, items: list[Any]) -> Work:
        """Some of the calls again and again."""
        return Work(
            recorded(self.solver.backend, items), self.ledger.bytes(items), notes=self.notes()
        )

    def notes(self) -> dict[str, Any]:
        """Numbers of the cloud beside its figures; `memory`: bytes of the arrays per point."""
        grid = self.solver.grid
        return {
            "cloud": self.kind,
            "satellites": len(grid.neighbour) / grid.nodes,
            "colours": len(self.solver.pattern.colours),
            "memory": self.solver.backend.allocated / grid.nodes,
        }

    def check(self) -> None:
        """Raise NumericalFault if the timed calls did not do their work."""
        if not self.solver.backend.get(self.solver.dualtime.active).all():
            raise NumericalFault("bench: the flow ended its pseudo-steps before they were timed")
        self.solver.check_faults(f"bench, {self.kind} cloud")


def rows(backend: Backend, cloud: Cloud, wanted: set[str], entry: Entry, kind: str) -> Rows:
    """Rows of a meshless solver on a cloud of a kind."""
    for names, build, settings in (
        (("cloud-geometry", "cloud-gradients", "cloud-residual", "cloud-iteration"), _parts, LUSGS),
        (("cloud-sweeps", "cloud-one-pair"), _one_pair, LUSGS | {"lusgs_sweeps": 1}),
        (("cloud-runge-kutta", "cloud-stage"), _explicit, {"time": "rk", "rk_cfl": RK_CFL}),
    ):
        if wanted.isdisjoint(names):
            continue
        case = Case(backend, cloud, entry, kind, **settings)
        yield from build(case)
        case.check()
        del case
        gc.collect()  # the next one needs the memory


def _parts(case: Case) -> Iterator[tuple[str, Work]]:
    """Rows from the places to the residual, and a pseudo-step of LU-SGS."""
    residual = case.solver.residual()
    parts = ("gradient", "smooth", "even_gradient")
    gradients = [c for c in residual if case.ledger.named(c, *parts)]
    yield "cloud-iteration", case.whole()
    yield "cloud-geometry", case.part([case.solver.grid.measure.recorded])
    yield "cloud-gradients", case.part(gradients)
    yield "cloud-residual", case.part([c for c in residual if c not in gradients])


def _one_pair(case: Case) -> Iterator[tuple[str, Work]]:
    """Rows of a pseudo-step with one sweep up through the colours and one down."""
    yield "cloud-one-pair", case.whole()
    yield "cloud-sweeps", case.part(case.sweeps)


def _explicit(case: Case) -> Iterator[tuple[str, Work]]:
    """Rows of Runge-Kutta; a stage with its residual, from the first state of the last step."""
    yield "cloud-runge-kutta", case.whole()
    calls = case.ledger.leaves(case.once)
    stages = [i for i, call in enumerate(calls) if case.ledger.named(call, "cloud_stage")]
    yield "cloud-stage", case.part(calls[stages[-2] + 1 :])
