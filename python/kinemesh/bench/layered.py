"""Benchmark rows of viscous flow: pseudo-steps with the model of Spalart and Allmaras, and parts.

Meshes have layers at walls: a C-mesh about the NACA 0012 as that of `naca0012-sa`, in space a C-H
mesh about the ONERA M6 as that of `oneram6-sa`.  Rows of inviscid flow are of the same mesh.  Their
procedures are those of Ma et al. (2017), section 6.2; docs/performance.md has the rows.
"""

from __future__ import annotations

from typing import Any

from kinemesh.bench.ledger import Ledger
from kinemesh.bench.rows import CFL, FIVE, FLOWS, Rows, Work
from kinemesh.bench.timing import again, recorded
from kinemesh.deform import Rigid
from kinemesh.device.backend import Backend
from kinemesh.errors import NumericalFault, SettingsError
from kinemesh.flow.registry import Entry
from kinemesh.mesh import Mesh, airfoil, oneram6

ROWS = {
    "inviscid-step": "inviscid, same mesh: pseudo-step",
    "inviscid-fluxes": "inviscid, same mesh: fluxes and residual",
    "viscous-step": "viscous: pseudo-step with the model",
    "viscous-gradients": "viscous: gradients and limiter",
    "viscous-fluxes": "viscous: fluxes and residual",
    "viscous-matrix": "viscous: matrix with local time steps",
    "viscous-implicit": "viscous: implicit advance of the gas",
    "eddies-residual": "viscous: residual and matrix of the model",
    "eddies-implicit": "viscous: implicit advance of the model",
    "viscous-mesh": "viscous: metrics and wall distance of a mesh that moves",
}
TITLES = {"viscous": ROWS}
CELLS = "hexes"  # of C-H meshes
REYNOLDS = {2: 6e6, 3: 14.6e6}  # by the chord, at the root


def section(nodes: int) -> Mesh:
    """A C-mesh with layers about the NACA 0012."""
    return airfoil(
        "naca0012", nodes, 50.0, topology="c", cells="quads", heights="even", y_plus=1.0,
        reynolds=REYNOLDS[2],
    )  # fmt: skip


def wing(cells: str, nodes: int) -> Mesh:
    """A C-H mesh with layers about the ONERA M6; SettingsError for other cells than hexahedra."""
    if cells != CELLS:
        raise SettingsError(f"mesh: {cells!r} with rows of viscous flow, expected {CELLS}")
    growth = 1.24 if nodes > 300_000 else 1.35
    return oneram6(nodes, topology="ch", y_plus=1.0, reynolds=REYNOLDS[3], growth=growth)


def rows(backend: Backend, mesh: Mesh, wanted: set[str], entry: Entry, *_: Any) -> Rows:
    """Rows of pseudo-steps without and with viscosity, on one mesh."""
    if wanted & {"inviscid-step", "inviscid-fluxes"}:
        yield from _inviscid(backend, mesh, entry)
    if any(row.startswith(("viscous", "eddies")) for row in wanted):
        yield from _viscous(backend, mesh, entry)


def _solver(backend: Backend, mesh: Mesh, entry: Entry, ledger: Ledger, **laws: Any) -> Any:
    """Solver whose linear systems of the gas take five iterations, at the start of a march."""
    exact = {"krylov_tolerance": 0.0, "unsteady_krylov_tolerance": 0.0, "krylov_iterations": FIVE}
    with ledger.watch():
        made = entry.solver(
            mesh, **FLOWS[mesh.dimensions], **laws, deform=Rigid(), device=backend.device,
            dtype=backend.dtype, settings=entry.settings(**exact),
        )  # fmt: skip
        made.start_steady()
    return made


def _step(backend: Backend, solver: Any, ledger: Ledger) -> tuple[Work, list[Any]]:
    """Work of pseudo-steps of a solver, and the calls of its residual."""
    with ledger.watch():
        once = solver.iteration(0.0, 2**30, CFL, 1)
        residual = solver.residual()
    backend.put(solver.dualtime.floor, 0.0)  # a flow at round-off would end its pseudo-steps
    steps = Work(lambda times: solver.iteration(0.0, 2**30, CFL, times), ledger.bytes([once]))
    return steps, residual


def _go_on(backend: Backend, solver: Any) -> None:
    """NumericalFault if the pseudo-steps that were timed had ended, or found wrong states."""
    solver.check_faults("bench, viscous")
    if not backend.get(solver.dualtime.active).all():
        raise NumericalFault("bench: the flow ended its pseudo-steps before they were timed")


def _fluxes(ledger: Ledger, residual: list[Any]) -> list[Any]:
    """Calls of fluxes through faces and of their sums."""
    return [call for call in residual if ledger.named(call, "ale_flux", "ale_residual")]


def _inviscid(backend: Backend, mesh: Mesh, entry: Entry) -> Rows:
    ledger = Ledger()
    solver = _solver(backend, mesh, entry, ledger)
    steps, residual = _step(backend, solver, ledger)
    yield "inviscid-step", steps
    _go_on(backend, solver)
    fluxes = _fluxes(ledger, residual)
    yield "inviscid-fluxes", Work(recorded(backend, fluxes), ledger.bytes(fluxes))


def _viscous(backend: Backend, mesh: Mesh, entry: Entry) -> Rows:
    ledger = Ledger()
    reynolds = REYNOLDS[mesh.dimensions]
    solver = _solver(backend, mesh, entry, ledger, reynolds=reynolds, turbulence="sa")
    steps, residual = _step(backend, solver, ledger)

    def work(items: list[Any]) -> Work:
        return Work(recorded(backend, items), ledger.bytes(items))

    yield "viscous-step", steps
    _go_on(backend, solver)
    gradients = [c for c in residual if ledger.named(c, "gradient") and not ledger.named(c, "eddy")]
    yield "viscous-gradients", work(gradients)
    yield "viscous-fluxes", work(_fluxes(ledger, residual))
    with ledger.watch():
        sources = solver.terms["turbulence"].residual()
    backend.record(residual)()
    # One residual, solved for again and again, must not carry the state away.
    backend.put(solver.res, 1e-6 * backend.get(solver.res))
    advance = solver.pseudo_step()
    beyond = advance.index(solver.terms["turbulence"].solver.factor)
    gas, model = advance[:beyond], advance[beyond:]
    at = gas.index(solver.implicit.solver.factor)
    yield "viscous-matrix", work(gas[:at])
    yield "viscous-implicit", work(gas)
    yield "eddies-residual", work(sources)
    yield "eddies-implicit", work(model)
    yield "viscous-mesh", Work(again(lambda: (solver.grid.measure(), solver.grid.sweep())), None)
