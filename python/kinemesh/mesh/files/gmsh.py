"""Gmsh meshes (.msh 2.2 and 4.1, ASCII and binary), physical groups as markers.

Cells are turned counter-clockwise; points of neither a cell nor a marker (those that only built the
geometry) are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, warn
from kinemesh.mesh.files.gmsh_format import CORNERS, LINE, QUAD, TRIANGLE, Found, Ints, load
from kinemesh.mesh.files.su2 import FARTHEST
from kinemesh.mesh.files.text_files import path_of
from kinemesh.mesh.files.turned import turned
from kinemesh.mesh.mesh import Mesh, check_cells
from kinemesh.mesh.origin import Origin

FLAT = 1e-12  # z may vary by this share of the mesh's width


def read_msh(path: str | Path) -> Mesh:
    """Read a plane mesh of triangles and quads with its physical lines as markers.

    A physical group of lines without a name is called by its number; groups of one name are one
    marker.  The partitions of a mesh are read together.  A warning says how many cells were turned
    counter-clockwise.

    Raises
    ------
    MeshError    with file, what was found and what was expected
    """
    path = path_of(path)
    found = load(path)
    triangles, quads = _joined(found, TRIANGLE), _joined(found, QUAD)
    if not len(triangles) + len(quads):
        raise MeshError(
            f"{path}: no triangles and no quads, expected a plane mesh; where curves are in "
            "physical groups gmsh saves what is in a group alone, so put the surface in one: "
            'Physical Surface("fluid") = {...}'
        )
    absent, partitions = found.missing
    if absent:
        raise MeshError(
            f"{path}: {absent} of the mesh's {partitions} partitions are not in the file, expected "
            "all in one file; save with Mesh.PartitionSplitMeshFiles = 0, or without partitions"
        )
    markers = _markers(path, found)
    used = np.zeros(len(found.points), bool)
    for table in (triangles, quads, *markers.values()):
        used[table] = True
    points = _plane(path, found.points)
    new = np.cumsum(used) - 1
    *cells, notes = turned(path, points, triangles, quads)
    notes += _unnamed(path, found, markers)
    for kind, table in zip(("triangle", "quad"), cells, strict=True):
        try:
            check_cells(points, table, lambda i, kind=kind: f"{kind} {i}")  # type: ignore
        except MeshError as error:
            raise MeshError(f"{path}: {error}") from None
    try:
        return Mesh(
            points[used],
            new[cells[0]],
            new[cells[1]],
            {name: new[edges] for name, edges in markers.items()},
            origin=Origin(notes=notes),
        )
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from None


def _joined(found: Found, kind: int) -> Ints:
    """(n, corners) nodes of all elements of a type."""
    none = np.empty((0, CORNERS[kind]), np.int64)
    return np.concatenate([none, *(b.nodes for b in found.blocks if b.kind == kind)])


def _markers(path: Path, found: Found) -> dict[str, Ints]:
    """Edges of each physical group of lines; lines of the geometry in no group are left out."""
    edges: dict[str, list[Ints]] = {}
    for block in found.blocks:
        if block.kind != LINE or not len(block.nodes):
            continue
        names = list(dict.fromkeys(found.names.get((1, tag), str(tag)) for tag in block.groups))
        if len(names) > 1:
            raise MeshError(
                f"{path}: curve {block.entity} is in the physical groups "
                f"{' and '.join(map(repr, names))}, expected one: each boundary edge has one marker"
            )
        for name in names:
            edges.setdefault(name, []).append(block.nodes)
    if not edges:
        raise MeshError(
            f"{path}: has no physical group of lines, expected one for each boundary, such as "
            'Physical Curve("airfoil") = {...}; and Physical Surface("fluid") = {...}; gmsh writes '
            "none into format 2.2 with Mesh.SaveAll = 1"
        )
    return {name: np.concatenate(parts) for name, parts in edges.items()}


def _unnamed(path: Path, found: Found, markers: Mapping[str, Ints]) -> tuple[str, ...]:
    """A note, and a warning, where some markers are numbers of groups and others have names."""
    given = {name for (dim, _), name in found.names.items() if dim == 1}
    numbers = [name for name in markers if name not in given]
    if not numbers or len(numbers) == len(markers):
        return ()
    note = (
        f"physical group(s) of lines {', '.join(numbers)} without a name, called by their numbers; "
        "gmsh keeps a name for the first group that has it"
    )
    warn(f"{path}: {note}", UserWarning)
    return (note,)


def _plane(path: Path, points: NDArray) -> NDArray[np.float64]:
    """(nodes, 2) coordinates of a mesh whose z is constant."""
    points = np.asarray(points, np.float64)
    wrong = np.flatnonzero(~(np.abs(points) <= FARTHEST).all(axis=1))
    if len(wrong):
        raise MeshError(
            f"{path}: node {wrong[0]} is at {points[wrong[0]].tolist()}, expected finite "
            f"coordinates, at most {FARTHEST:g}"
        )
    if points.shape[1] == 3:
        width = max(np.ptp(points[:, 0]), np.ptp(points[:, 1]))
        if np.ptp(points[:, 2]) > FLAT * width:
            raise MeshError(
                f"{path}: z runs from {points[:, 2].min():g} to {points[:, 2].max():g}, expected "
                "one value: a plane mesh"
            )
    return np.ascontiguousarray(points[:, :2])
