"""Benchmark rows of a carrier's step: springs of its tetrahedra, the map of all nodes, metrics.

Ma et al. (2017), section 6.2: a hybrid mesh of 450,634 nodes about the ONERA M6 goes with one of
108,396 nodes.  docs/performance.md has the rows.
"""

from __future__ import annotations

import time
from typing import Any

from kinemesh.bench.ledger import Ledger
from kinemesh.bench.rows import Rows, Walk, Work, vertices_of
from kinemesh.bench.timing import again, recorded
from kinemesh.deform import Carrier, TorsionalSprings
from kinemesh.device.backend import Backend
from kinemesh.mesh import Mesh, oneram6
from kinemesh.space.solids import SolidGrid, SolidVertices

FIRST = 5  # steps before any is timed: from the fourth on the guess is of third order
SIZES, SIZES_GPU = (100_000,), (108_396, 450_634, 1_083_960)
ROWS = {
    "carrier-springs": "carrier: step of its springs (multigrid)",
    "carrier-map": "carrier: walls and map of all nodes",
    "carrier-metrics": "carrier: metrics and swept volumes",
    "carrier-step": "carrier: step of the mesh with its metrics",
}
TITLES = {"carrier": ROWS}
Pair = dict[str, Mesh]


def made(cells: str, carrier: int | None, nodes: int) -> Pair:
    """A mesh about the ONERA M6 with about so many nodes, and its carrier.

    Parameters
    ----------
    carrier : nodes of the carrier; None: what `Carrier()` takes, a tenth and 10,000 at least
    """
    mesh = oneram6(nodes, cells)
    if carrier is not None:
        return {"mesh": mesh, "carrier": oneram6(carrier, "tets")}
    assert mesh.origin.carrier is not None  # all wings have one
    return {"mesh": mesh, "carrier": mesh.origin.carrier()}


def rows(backend: Backend, pair: Pair, wanted: set[str], *_: Any) -> Rows:
    """Rows of the steps of a mesh that a carrier carries through the pitching of AGARD CT5."""
    mesh, carrier = pair["mesh"], pair["carrier"]
    if "carrier-springs" in wanted:
        yield "carrier-springs", _springs(backend, carrier)
    if wanted & {"carrier-map", "carrier-metrics", "carrier-step"}:
        yield from _carried(backend, mesh, carrier)


def _springs(backend: Backend, carrier: Mesh) -> Work:
    """Steps of the springs of a carrier alone."""
    start = time.perf_counter()
    vertices = vertices_of(backend, carrier)
    walk = Walk(TorsionalSprings().attach(vertices), len(vertices.bodies))
    walk.make(FIRST)()  # the hierarchy
    backend.synchronize()
    notes = {"nodes": carrier.nodes, "setup": time.perf_counter() - start}
    return Work(walk.make, None, lambda: walk.iterations, notes, settled=True)


def _carried(backend: Backend, mesh: Mesh, carrier: Mesh) -> Rows:
    """Rows of the mesh that is carried."""
    start, ledger = time.perf_counter(), Ledger()
    with ledger.watch():
        vertices = vertices_of(backend, mesh)
        assert isinstance(vertices, SolidVertices)
        grid = SolidGrid(vertices, vertices.planes)
        grid.fit()
        mover = Carrier(mesh=carrier).attach(vertices)
    grid.start()
    walk = Walk(mover, len(vertices.bodies))

    def step() -> None:
        grid.keep_levels()
        mover.begin()
        walk.step()
        metrics()

    def metrics() -> None:
        grid.measure()
        grid.sweep()

    again(step)(FIRST)()  # the hierarchy
    backend.synchronize()
    notes = {"nodes": mesh.nodes, "setup": time.perf_counter() - start}
    yield (
        "carrier-map",
        Work(recorded(backend, [mover.move]), ledger.bytes([mover.move]), None, notes),
    )
    yield "carrier-metrics", Work(again(metrics), None, None, notes)
    yield "carrier-step", Work(again(step), None, lambda: walk.iterations, notes)
