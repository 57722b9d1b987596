"""Options of `kinemesh bench --loops`, refused before anything starts."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from kinemesh.bench.loops.lattice import LATTICES
from kinemesh.bench.loops.orders import ORDERS
from kinemesh.bench.loops.procedures import LOOPS, PROCEDURES, ROWS
from kinemesh.bench.loops.wing_meshes import LEAST as LEAST_WING
from kinemesh.bench.loops.wing_meshes import WINGS
from kinemesh.device.backend import Backend
from kinemesh.errors import DeviceError, SettingsError, did_you_mean

MESHES = ("triangles", *LATTICES, *WINGS)
PAIRS = "pairs"  # a group of rows that is on clouds of its own
LEAST = 1000  # cells
CELLS, CELLS_GPU = 20_000, 1_062_882
# Per cell: what a host takes while a mesh is made, and arrays while its rows are measured.  300
# thousand cells in Hilbert's order, float64: 370, 854, 484 and 535 resident beside at most 672,
# 1109, 1015 and 1038 of arrays, and 1156, 1953, 1685 and 1744 of both on a CPU; of wings 2033,
# 1683, 1431 and 1480 of both, of which at most 889, 793, 700 and 718 are arrays.
HOST = {  # [bytes]
    **{"triangles": 500, "prisms": 1000, "tets": 700, "mixed": 750},
    **{"wing-hexes": 1300, "wing-prisms": 1000, "wing-tets": 900, "wing-hybrid": 900},
}
DEVICE = {  # [bytes]
    **{"triangles": 750, "prisms": 1250, "tets": 1150, "mixed": 1150},
    **{"wing-hexes": 950, "wing-prisms": 850, "wing-tets": 750, "wing-hybrid": 750},
}


class Subject(NamedTuple):
    """A mesh, its number of cells, and the order of them."""

    mesh: str
    cells: int
    order: str


class Plan(NamedTuple):
    """Meshes, in the order in which they are made, and names of rows."""

    subjects: list[Subject]
    rows: set[str]
    pairs: bool


def planned(arguments: argparse.Namespace, on_gpu: bool) -> Plan:
    """The plan of the options; SettingsError for an invalid one."""
    loops = _chosen("loops", arguments.loops, LOOPS, LOOPS)
    groups = _chosen("rows", arguments.rows, PROCEDURES, (*PROCEDURES, PAIRS))
    meshes = _chosen("mesh", arguments.mesh, ("triangles", "prisms"), MESHES)
    orders = _chosen("order", arguments.order, ("natural", "hilbert", "shuffled")
                     if on_gpu else ("natural",), ORDERS)  # fmt: skip
    cells = _cells(arguments.cells, meshes)
    rows = {row.name for row in ROWS if row.procedure in groups and row.loops in loops}
    if not rows and PAIRS not in groups:
        raise SettingsError(
            f"loops: no row of {', '.join(groups)} is by {', '.join(loops)}; expected some of "
            f"{', '.join(row.name for row in ROWS if row.procedure in groups)}"
        )
    subjects = [
        Subject(m, n, o)
        for m in meshes
        for n in cells or [CELLS_GPU if on_gpu else max(CELLS, _least(m))]
        for o in orders
    ]
    return Plan(subjects if rows else [], rows, PAIRS in groups)


def _chosen(
    name: str, text: str | None, default: tuple[str, ...] | list[str], known: Any
) -> list[str]:
    """Names of an option, in the order of `known`; SettingsError for an unknown one."""
    if not text:
        return list(default)
    given = [part.strip() for part in text.split(",")]
    for part in given:
        if part not in known:
            hint = did_you_mean(part, list(known))
            raise SettingsError(
                f"{name}: unknown {part!r}{hint}; expected some of {', '.join(known)}"
            )
    return [one for one in known if one in given]


def _cells(text: str | None, meshes: list[str]) -> list[int]:
    """Whole numbers of `--cells`, which all of the meshes may have."""
    parts = [] if text is None else [part.strip() for part in text.split(",")]
    largest = max(meshes, key=_least)
    least = _least(largest)
    of = f" of {largest}" if least > LEAST else ""
    for part in parts:
        if not part.isdecimal() or int(part) < least:
            raise SettingsError(
                f"cells: {part!r}, expected whole numbers of at least {least}{of}, as in "
                "100000,1000000"
            )
    return [int(part) for part in parts]


def _least(mesh: str) -> int:
    """Fewest cells of a mesh."""
    return LEAST_WING.get(mesh, LEAST)


def fits(backend: Backend, plan: Plan) -> None:
    """DeviceError where a mesh of the plan takes more memory than is free."""
    from kinemesh.flow.memory import available, size

    host = Backend("cpu")
    for subject in plan.subjects:
        made, arrays = (by[subject.mesh] * subject.cells for by in (HOST, DEVICE))
        needs = [(host, made + arrays)]
        if backend.on_gpu:
            needs = [(host, made), (backend, arrays)]
        for there, bytes_ in needs:
            free = available(there)
            if free is not None and bytes_ > free:
                raise DeviceError(
                    f"bench: {subject.cells} cells of {subject.mesh} need about {size(bytes_)} on "
                    f"{there.device}, {size(free)} are free; choose smaller --cells"
                )
