"""Gmsh meshes (.msh 2.2 and 4.1, ASCII and binary), physical groups as markers.

Cells are turned counter-clockwise, in space mirrored where they are inside out; points of neither a
cell nor a marker (those that only built the geometry) are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import DIMENSIONS
from kinemesh.errors import MeshError, warn
from kinemesh.mesh.files.built import built, check_places
from kinemesh.mesh.files.gmsh_format import (
    CELLS,
    CORNERS,
    SIDES,
    Found,
    Ints,
    load,
    repeated,
)
from kinemesh.mesh.files.text_files import path_of
from kinemesh.mesh.merge import by_kind
from kinemesh.mesh.mesh import Mesh

FLAT = 1e-12  # z may vary by this share of the mesh's width


class Words(NamedTuple):
    """Names that gmsh has for the entities of a boundary, and an example of their groups."""

    several: str
    one: str
    example: str


WORDS = {
    1: Words(
        "lines", "curve", 'Physical Curve("airfoil") = {...}; and Physical Surface("fluid") = {...}'
    ),
    2: Words(
        "surfaces",
        "surface",
        'Physical Surface("wing") = {...}; and Physical Volume("fluid") = {...}',
    ),
}
"""By the dimensions of the entities."""


def read_msh(path: str | Path, merge: float | None = None) -> Mesh:
    """Read a mesh: of the plane with physical lines as markers, of space with physical surfaces.

    A file with tetrahedra, pyramids, prisms or hexahedra is a mesh in space.  A physical group of
    the boundary without a name is called by its number; groups of one name are one marker.  The
    partitions of a mesh are read together.  A warning says how many cells were turned
    counter-clockwise or mirrored.

    Parameters
    ----------
    merge : float    distance within which nodes become one, in lengths of the file (`mesh.merge`)

    Raises
    ------
    MeshError    with file, what was found and what was expected
    """
    path = path_of(path)
    found = load(path)
    cells = {name: _joined(found, kind) for kind, name in CELLS[found.dimensions].items()}
    if not any(map(len, cells.values())):
        raise MeshError(
            f"{path}: no triangles and no quads, expected a plane mesh; where curves are in "
            "physical groups gmsh saves what is in a group alone, so put the surface in one: "
            'Physical Surface("fluid") = {...}, of a mesh in space Physical Volume("fluid") = {...}'
        )
    absent, partitions = found.missing
    if absent:
        raise MeshError(
            f"{path}: {absent} of the mesh's {partitions} partitions are not in the file, expected "
            "all in one file; save with Mesh.PartitionSplitMeshFiles = 0, or without partitions"
        )
    points = _points(path, found, cells)
    markers = _markers(path, found)
    used = np.zeros(len(found.points), bool)
    for table in (*cells.values(), *markers.values()):
        used[table[table >= 0]] = True
    new = np.append(np.cumsum(used) - 1, -1)  # -1 stays
    for note in found.notes:
        warn(f"{path}: {note}", UserWarning)
    notes = (*found.notes, *_unnamed(path, found, markers))
    return built(
        path,
        points[used],
        {name: new[table] for name, table in cells.items()},
        {name: new[sides] for name, sides in markers.items()},
        by_kind,
        "gmsh",
        merge,
        notes,
    )


def _joined(found: Found, kind: int) -> Ints:
    """(n, corners) nodes of all elements of a type."""
    none = np.empty((0, CORNERS[kind]), np.int64)
    return np.concatenate([none, *(b.nodes for b in found.blocks if b.kind == kind)])


def _markers(path: Path, found: Found) -> dict[str, Ints]:
    """Edges or faces of each physical group; those of the geometry in no group are left out."""
    dim = found.dimensions - 1
    words, side = WORDS[dim], DIMENSIONS[found.dimensions].side
    sides: dict[str, list[Ints]] = {}
    groups: dict[str, list[Ints]] = {}
    for block in found.blocks:
        if block.kind not in SIDES[found.dimensions] or not len(block.nodes):
            continue
        names = list(dict.fromkeys(found.names.get((dim, tag), str(tag)) for tag in block.groups))
        if len(names) > 1:
            raise MeshError(
                f"{path}: {words.one} {block.entity} is in the physical groups "
                f"{' and '.join(map(repr, names))}, expected one: each boundary {side} has one "
                "marker"
            )
        width = ((0, 0), (0, 2 * dim - block.nodes.shape[1]))
        for name in names:
            sides.setdefault(name, []).append(np.pad(block.nodes, width, constant_values=-1))
            group = np.full(len(block.nodes), min(block.groups))
            groups.setdefault(name, []).append(group)
    if not sides:
        raise MeshError(
            f"{path}: has no physical group of {words.several}, expected one for each boundary, "
            f"such as {words.example}; gmsh writes none into format 2.2 with Mesh.SaveAll = 1"
        )
    tables = {name: (np.concatenate(sides[name]), np.concatenate(groups[name])) for name in sides}
    return {name: own[~repeated(own, group)] for name, (own, group) in tables.items()}


def _unnamed(path: Path, found: Found, markers: Mapping[str, Ints]) -> tuple[str, ...]:
    """A note, and a warning, where some markers are numbers of groups and others have names."""
    side = found.dimensions - 1
    given = {name for (dim, _), name in found.names.items() if dim == side}
    numbers = [name for name in markers if name not in given]
    if not numbers or len(numbers) == len(markers):
        return ()
    note = (
        f"physical group(s) of {WORDS[side].several} {', '.join(numbers)} without a name, called "
        "by their numbers; gmsh keeps a name for the first group that has it"
    )
    warn(f"{path}: {note}", UserWarning)
    return (note,)


def _points(path: Path, found: Found, cells: Mapping[str, Ints]) -> NDArray[np.float64]:
    """(nodes, 2) coordinates of a mesh whose z is constant, in space (nodes, 3)."""
    check_places(path, found.points, found.dimensions, first=0)
    return COORDINATES[found.dimensions](path, found.points, cells)


def _in_plane(
    path: Path, points: NDArray[np.float64], cells: Mapping[str, Ints]
) -> NDArray[np.float64]:
    """(nodes, 2) x and y; MeshError where z varies over the cells."""
    own = points[np.unique(np.concatenate([table.ravel() for table in cells.values()]))]
    low, high = own.min(axis=0), own.max(axis=0)
    if high[2] - low[2] > FLAT * (high - low)[:2].max():
        level = (high - low)[:2] <= FLAT * (high[2] - low[2])
        turn = (
            f"; all of it has one {'xy'[int(np.argmax(level))]}: a mesh of another plane is to be "
            "turned into that of x and y"
            if level.any()
            else ""
        )
        raise MeshError(
            f"{path}: triangles and quads without cells of a volume, and z runs from {low[2]:g} to "
            f"{high[2]:g}; a mesh in space needs its cells, and gmsh saves what is in physical "
            'groups alone: put the volume into one, Physical Volume("fluid") = {...}; expected one '
            f"value of z of a mesh in the plane{turn}"
        )
    return np.ascontiguousarray(points[:, :2])


COORDINATES: dict[int, Callable[..., NDArray[np.float64]]] = {
    2: _in_plane,
    3: lambda path, points, cells: points,
}
