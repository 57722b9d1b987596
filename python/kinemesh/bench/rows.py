"""Benchmark rows: the calls of one solver on one mesh, built group by group on demand.

The rows are those of Ma et al. (OpenACC deforming mesh), Tables 3 to 5, and their parts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinemesh.bench.ledger import SWEEPS, Ledger
from kinemesh.bench.timing import again, recorded
from kinemesh.deform import Rigid, TorsionalSprings
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError, NumericalFault
from kinemesh.flow.door.space import symmetry_planes
from kinemesh.flow.gas.implicit import Implicit
from kinemesh.flow.registry import Entry
from kinemesh.linear import Bicgstab
from kinemesh.linear.natural import NaturalIlu, natural_csr, open_library
from kinemesh.mesh import Mesh
from kinemesh.motion import Pitch
from kinemesh.space.markers import walls_of
from kinemesh.space.solids import SolidVertices
from kinemesh.space.vertices import MeshVertices

TEN, FIVE = 10, 5  # iterations of BiCGSTAB: Table 4, and the most of section 6.2
STEPS_PER_CYCLE = 386  # the time step 0.2 of section 6.2
CLOSE = 1e-8  # tolerance of section 6.1
CFL = (20.0, 20.0, 1.0)
NATURAL = "springs, cuSPARSE ILU(0), natural order"
TITLES = {
    "springs": {
        "spring-assembly": "springs: matrix",
        "spring-factor": "springs: copy of the matrix, factor",
        "spring-ten": "springs: ten BiCGSTAB iterations",
        "spring-product": "springs: matrix times vector",
        "spring-sweeps": "springs: preconditioned products of one iteration",
        "spring-solve": "springs: solved to 1e-8, no guess (multigrid)",
        "deformation-step": "springs: step of the mesh (multigrid)",
    },
    "natural": {
        "natural-factor": f"{NATURAL}: copy of the matrix, factor",
        "natural-ten": f"{NATURAL}: ten BiCGSTAB iterations",
        "natural-product": f"{NATURAL}: matrix times vector",
        "natural-solves": f"{NATURAL}: triangular solves of one iteration",
    },
    "flow": {
        "pseudo-step": "flow: pseudo-step",
        "gradients": "flow: gradients and limiter",
        "residual": "flow: fluxes and residual",
        "boundary": "flow: boundary conditions",
        "cfl": "flow: residual norm, CFL number",
        "matrix": "flow: matrix with local time steps",
        "factor": "flow: matrix, factor",
        "krylov": "flow: five BiCGSTAB iterations",
        "implicit": "flow: implicit advance",
        "block-product": "flow: matrix times vector",
    },
}
ROWS = {row: title for group in TITLES.values() for row, title in group.items()}


@dataclass(frozen=True, slots=True)
class Work:
    """Something to time.

    Parameters
    ----------
    make : times -> callable that does it `times` times over
    bytes : compulsory bytes of one, or None where they are not counted
    iterations : what the linear solver needed, of steps in the mean, asked after the timing
    notes : further keys of its figure
    counts : further ones, asked after the timing
    settled : its recordings have run so often that their threads are chosen
    """

    make: Callable[[int], Callable[[], Any]]
    bytes: int | None
    iterations: Callable[[], float] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    counts: Callable[[], Mapping[str, Any]] | None = None
    settled: bool = False


Rows = Iterator[tuple[str, Work | str]]
"""(row, its work), or (row or group, a sentence on why it is left out)"""


class Walk:
    """Steps of a mesh through the pitching of AGARD CT5, one after another."""

    def __init__(self, mover: Any, bodies: int) -> None:
        self.mover, self.bodies, self.done, self.iterations = mover, bodies, 0, 0
        self.law = Pitch(amplitude_deg=2.51, k=0.0814)
        self.dt = 2 * np.pi / self.law.omega(1.0) / STEPS_PER_CYCLE

    def make(self, times: int) -> Callable[[], None]:
        """Callable that takes `times` steps."""

        def steps() -> None:
            for _ in range(times):
                self.step()

        return steps

    def step(self) -> None:
        """Take the next step."""
        start, self.done = self.done, self.done + 1
        notes = self.mover.step(lambda share: self.poses(start + share))
        self.iterations = int(notes["spring_iterations"])

    def poses(self, steps: float) -> list[Any]:
        """Poses of the bodies after so many steps."""
        return [self.law.pose(steps * self.dt, 1.0)] * self.bodies


def vertices_of(backend: Backend, mesh: Mesh) -> MeshVertices:
    """Vertices of a mesh, its walls the bodies."""
    planes, _ = symmetry_planes(None, [mesh], None)
    walls, far = walls_of(None, [mesh], planes)
    kind = SolidVertices if mesh.solids else MeshVertices
    return kind(backend, [mesh], {"wall": walls, "far": far}, planes)


def springs(backend: Backend, mesh: Mesh, wanted: set[str], *_: Any) -> Rows:
    """Rows of the groups springs and natural: a grid, its springs and nothing of the flow.

    Hierarchies, which the host sets up, are made for the rows alone that need them.
    """
    grid = vertices_of(backend, mesh)
    if wanted - {"spring-solve", "deformation-step"}:
        yield from _bicgstab(backend, grid, wanted)
    if "spring-solve" in wanted:
        yield "spring-solve", _solved(backend, grid)
    if "deformation-step" in wanted:
        walk = Walk(TorsionalSprings().attach(grid), len(grid.bodies))
        yield "deformation-step", Work(walk.make, None, lambda: walk.iterations)


def _bicgstab(backend: Backend, grid: MeshVertices, wanted: set[str]) -> Rows:
    """Rows of the matrix and of BiCGSTAB, by DILU in colour order and by the paper's recipe."""
    ledger = Ledger()
    with ledger.watch():
        mover = TorsionalSprings(solver="bicgstab").attach(grid)
        solver = mover.solver
        product = solver.product(solver.b, solver.x)
        assemble = mover.assemble
        ten = [solver.begin, backend.record([solver.iterate], times=TEN)]
        kept = backend.zeros(solver.A.shape, solver.A.dtype, blocks=True)
        copied = {"from": kept, "to": solver.A}
        restore = grid.fields.bind("spring_copy", suffix="f64", **copied)
    assemble()
    backend.put(kept, backend.get(solver.A))
    backend.put(solver.b, np.random.default_rng(0).standard_normal(solver.b.shape))
    solver.factor()
    solver.begin()

    def work(items: list[Any], iterations: Any = None) -> Work:
        return Work(recorded(backend, items), ledger.bytes(items), iterations)

    yield "spring-assembly", work([assemble])
    yield "spring-factor", work([restore, solver.factor])
    yield "spring-ten", work(ten, lambda: int(backend.get(solver.steps).max()))
    yield "spring-product", work([product])
    solver.begin()
    yield (
        "spring-sweeps",
        work([c for c in ledger.leaves(solver.iterate) if ledger.named(c, *SWEEPS)]),
    )
    if wanted & TITLES["natural"].keys():
        p = mover.pattern
        yield from natural(backend, p.row, p.column, backend.get(kept), p.node)


def _solved(backend: Backend, grid: MeshVertices) -> Work | str:
    """The increments of CT5's first step by multigrid, or a sentence on why there are none.

    The first step sets up the hierarchy; then nodes are back where they were, and the same solve is
    repeated on the same matrix.
    """
    mover = TorsionalSprings(tolerance=CLOSE).attach(grid)
    walk, get = Walk(mover, len(grid.bodies)), backend.get
    mover.begin()
    start = time.perf_counter()
    walk.step()
    backend.synchronize()
    seconds = time.perf_counter() - start
    if not grid.ensemble.alive.all():
        return f"the springs of a step are not solved to {CLOSE:g}"
    mover.back()
    mover.put(mover.rows(walk.poses(1.0)))
    backend.put(mover.history, 0.0)
    mover.assemble()

    def make(times: int) -> Callable[[], None]:
        def solve() -> None:
            for _ in range(times):
                mover.begin_solve()
                while get(mover.solver.live).any():
                    mover.iterations()

        return solve

    def counted() -> int:
        return int(get(mover.solver.steps).max())

    return Work(make, None, counted, {"setup": seconds}, settled=True)


def natural(backend: Backend, row: Any, column: Any, blocks: Any, node: Any) -> Rows:
    """Rows of Ma et al.'s recipe on the matrix of the springs."""
    try:
        open_library(backend)
        ilu = NaturalIlu(backend, natural_csr(row, column, blocks, node))
        ilu.factor()
    except (DeviceError, NumericalFault) as error:
        yield "natural", str(error)
        return
    b, x = (backend.zeros(ilu.rows, np.float64) for _ in range(2))
    backend.put(b, np.random.default_rng(0).standard_normal(ilu.rows))
    cost = ilu.bytes()

    yield "natural-factor", Work(again(ilu.factor), cost["factor"])
    ten = Work(again(lambda: ilu.bicgstab(b, x, 0.0, TEN)), TEN * cost["iteration"], lambda: TEN)
    yield "natural-ten", ten
    yield "natural-product", Work(again(lambda: ilu.product(b, x)), cost["product"])

    def solves() -> None:
        ilu.apply(b, x)
        ilu.apply(b, x)

    yield "natural-solves", Work(again(solves), 2 * cost["apply"])


SECTION = {"mach": 0.755, "alpha_deg": 0.016}  # AGARD CT5
WING = {"mach": 0.8395, "alpha_deg": 3.06, "reference_area": 1.15315084}  # ONERA M6
FLOWS = {2: SECTION, 3: WING}


def flow(backend: Backend, mesh: Mesh, _: set[str], entry: Entry, *__: Any) -> Rows:
    """All rows of a flow solver, on the way to the steady flow of AGARD CT5 or the ONERA M6."""
    exact = {"krylov_tolerance": 0.0, "unsteady_krylov_tolerance": 0.0}
    settings = entry.settings(**exact, krylov_iterations=FIVE)
    ledger = Ledger()
    with ledger.watch():
        ale = entry.solver(
            mesh,
            **FLOWS[mesh.dimensions],
            deform=Rigid(),
            device=backend.device,
            dtype=backend.dtype,
            settings=settings,
        )
        ale.start_steady()
        iteration = ale.iteration(0.0, 2**30, CFL, 1)
        boundary = ale.terms["boundary"].residual()
        implicit, residual = ale.pseudo_step(), ale.residual()
        solver = _matrix_of(ale)
        product = solver.product(solver.b, solver.v)
    backend.put(ale.dualtime.floor, 0.0)  # a flow at round-off would end its pseudo-steps

    def work(items: list[Any]) -> Work:
        return Work(recorded(backend, items), ledger.bytes(items))

    steps = Work(lambda times: ale.iteration(0.0, 2**30, CFL, times), ledger.bytes([iteration]))
    yield "pseudo-step", steps
    if not backend.get(ale.dualtime.active).all():
        raise NumericalFault("bench: the flow ended its pseudo-steps before they were timed")
    ale.check_faults("bench, flow")
    yield from _explicit_rows(ledger, work, residual, boundary)
    backend.record(residual)()  # the boundaries have added to it again and again
    leaves = ledger.leaves(iteration)
    end = next(k for k, c in enumerate(leaves) if ledger.named(c, "narrow", "ale_jacobian"))
    yield "cfl", work(leaves[len(residual) : end])
    # One residual, solved for again and again, must not carry the state away.
    backend.put(ale.res, 1e-6 * backend.get(ale.res))
    yield from _implicit_rows(work, implicit, product, ale)
    ale.check_faults("bench, flow")


def _explicit_rows(
    ledger: Ledger, work: Callable, residual: list[Any], boundary: list[Any]
) -> Rows:
    """Rows from u to the residual."""
    gradients = [c for c in residual if ledger.named(c, "gradient")]
    fluxes = [c for c in residual if c not in gradients and not ledger.named(c, "bc_")]
    yield "gradients", work(gradients)
    yield "residual", work(fluxes)
    yield "boundary", work(boundary)


def _implicit_rows(work: Callable, implicit: list[Any], product: Any, ale: Any) -> Rows:
    """Rows from the residual to the new u."""
    solver = _matrix_of(ale)
    at = implicit.index(solver.factor)
    solve = implicit[at + 1]
    yield "matrix", work(implicit[:at])
    yield "factor", work(implicit[: at + 1])
    yield "krylov", work([solve])
    yield "block-product", work([product])
    yield "implicit", work(implicit)


def _matrix_of(ale: Any) -> Bicgstab:
    assert isinstance(ale.implicit, Implicit)  # by its settings
    assert isinstance(ale.implicit.solver, Bicgstab)
    return ale.implicit.solver
