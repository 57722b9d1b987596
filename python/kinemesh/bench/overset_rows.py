"""Benchmark rows of overset grids: the donor search about the NACA 0012, in space the ONERA M6.

docs/overset.md has the rows; places are 2 a cell.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bench.ledger import Ledger
from kinemesh.bench.rows import Rows, Work
from kinemesh.bench.timing import recorded
from kinemesh.device.backend import Backend
from kinemesh.device.faults import NONE
from kinemesh.flow.registry import PLANE, SPACE, Entry
from kinemesh.mesh import Mesh, airfoil
from kinemesh.overset import Donors
from kinemesh.overset.tetrahedra import tetrahedra_of

FAR_FIELD = 3.0  # of a body's mesh over a background [chord]
EACH = 2  # places of a cell
ROWS = {
    "search-ordered": "search: in cells, in their order",
    "search-random": "search: in cells, in random order",
    "search-lattice": "search: lattice over the mesh, row by row",
    "search-weights": "weights: in cells, in their order",
}
TITLES = {"search": ROWS}
# in place of a line of the registry of solvers
ALL = "search", "connectivity", "step"
ENTRY = Entry("overset", "", "", "mesh", PLANE, (), (), ALL)
IN_SPACE = Entry("overset", "", "", "mesh", SPACE, (), (), ("search",))
PARTS_IN_SPACE = Entry("overset", "", "", "mesh", SPACE, (), (), ALL)


def made(nodes: int) -> Mesh:
    """The mesh with about so many nodes."""
    return airfoil("naca0012", nodes=nodes, far_field=FAR_FIELD)


def rows(backend: Backend, mesh: Mesh, *_: Any) -> Rows:
    """Rows of the donor search in a mesh."""
    start = time.perf_counter()
    donors = Donors(mesh, backend.device)
    setup, cells = time.perf_counter() - start, sum(map(len, mesh.blocks.values()))
    notes = {"setup": setup, "cells": cells, "memory": donors.bins.nbytes / cells}
    corners = CORNERS[mesh.dimensions](mesh).repeat(EACH, axis=0)
    share = np.random.default_rng(0).dirichlet((1, 1, 1, 1), len(corners))
    places = np.einsum("ck,ckd->cd", share, mesh.points[corners])
    random = np.random.default_rng(1).permutation(places)
    for row, chosen in (
        ("search-ordered", places),
        ("search-random", random),
        ("search-lattice", _lattice(mesh, len(places))),
    ):
        yield row, _search(donors, chosen, notes, row == "search-lattice")
    yield "search-weights", _weights(donors, places, notes)


def _search(donors: Donors, places: NDArray, notes: dict[str, Any], beyond: bool) -> Work:
    """The cells of places, all of which are in a cell unless some are beyond the mesh."""
    backend, ledger = donors.backend, Ledger()
    with ledger.watch():
        cell = backend.zeros(len(places), np.int32)
        faults = backend.array([NONE], np.uint64)
        call = donors.cells_call(backend.table(places, np.float64), cell, faults)
    call()
    found = float((backend.get(cell) >= 0).mean())
    assert beyond or found == 1.0, "a place in a cell was not found"
    return Work(
        recorded(backend, [call]),
        ledger.bytes([call]),
        notes=notes | {"queries": len(places), "found": found},
    )


def _weights(donors: Donors, places: NDArray, notes: dict[str, Any]) -> Work:
    """The weights of places in cells."""
    backend, ledger = donors.backend, Ledger()
    cells = donors.search(places)[0]
    with ledger.watch():
        there = backend.table(places, np.float64), backend.table(cells)
        weights = backend.zeros((len(places), donors.corners), np.float64)
        call = donors.weights_call(*there, weights)
    return Work(
        recorded(backend, [call]),
        ledger.bytes([call]),
        notes=notes | {"queries": len(places), "found": 1.0},
    )


def _first_cones(mesh: Mesh) -> NDArray:
    """Corners (cells, 4) of a tetrahedron in each cell."""
    solids = tetrahedra_of(mesh)
    return np.asarray(solids.corner[solids.parts[:-1]])


CORNERS: dict[int, Callable[[Mesh], NDArray]] = {
    2: lambda mesh: np.where(mesh.cells < 0, mesh.cells[:, 2:3], mesh.cells),
    3: _first_cones,
}
"""Four corners between which places are in a cell, by dimensions."""


def _lattice(mesh: Mesh, count: int) -> NDArray:
    """About so many places at equal distances over the box of the mesh, row by row."""
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    along = round(count ** (1 / mesh.dimensions) - 0.5)
    lines = (np.linspace(a, b, along) for a, b in zip(low, high, strict=True))
    return np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, mesh.dimensions)
