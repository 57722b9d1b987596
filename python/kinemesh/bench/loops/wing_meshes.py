"""Meshes about the ONERA M6 wing to measure loops on, as Weng et al. have them."""

from __future__ import annotations

import numpy as np

from kinemesh.bench.loops.topology import Ints, Topology
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.solid_cell_faces import solid_cell_faces

PER_NODE = {"wing-hexes": 1.0, "wing-prisms": 1.92, "wing-tets": 6.0, "wing-hybrid": 4.4}
WINGS = tuple(PER_NODE)
LEAST = {"wing-hexes": 9_000, "wing-prisms": 17_000, "wing-tets": 54_000, "wing-hybrid": 40_000}
"""Cells of the smallest mesh that `kinemesh.mesh.oneram6` makes."""
FEWER = 2.54  # a mesh of n nodes has 1 - FEWER / n^(1/3) times as many cells for each


def nodes_of(kind: str, cells: int) -> int:
    """Nodes of a mesh of about so many cells."""
    nodes = cells / PER_NODE[kind]
    for _ in range(20):
        nodes = cells / PER_NODE[kind] / (1 - FEWER / nodes ** (1 / 3))
    return round(nodes)


def wing(kind: str, cells: int) -> Topology:
    """A mesh about the wing, cells in the order of their lowest nodes, as solvers have them."""
    from kinemesh.mesh import oneram6

    made = oneram6(nodes_of(kind, cells), kind.removeprefix("wing-"))
    return of_mesh(made.by_node())


def of_mesh(mesh: Mesh) -> Topology:
    """Cells of a mesh in space, kind by kind, and their faces, those of the boundary last."""
    own = solid_cell_faces(mesh)
    outline = np.concatenate([own.outline, own.outer])
    there = outline >= 0
    behind = np.stack([own.behind, np.full_like(own.behind, -1)], axis=1)
    sizes = [np.full(len(table), table.shape[1]) for table in mesh.solids.values()]
    return Topology(
        mesh.points,
        _offsets(np.concatenate(sizes)),
        np.concatenate([table.ravel() for table in mesh.solids.values()]),
        _offsets(there.sum(axis=1)),
        outline[there],
        np.concatenate([own.lr, behind]),
        len(own.lr),
    )


def _offsets(counts: np.ndarray) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
