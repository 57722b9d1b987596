"""Gmsh meshes (.msh 2.2 and 4.1, ASCII and binary), through meshio, physical groups as markers.

Format: https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats .  Cells are turned
counter-clockwise; points of no element at all (those that only built the geometry) are left out.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.mesh import Mesh, check_cells
from kinemesh.mesh.origin import Origin
from kinemesh.mesh.text_files import path_of
from kinemesh.mesh.turned import turned

CORNERS = {"line": 2, "triangle": 3, "quad": 4}
IGNORED = ("vertex",)  # points of the geometry
FLAT = 1e-12  # z may vary by this share of the mesh's width


def read_msh(path: str | Path) -> Mesh:
    """Read a plane mesh of triangles and quads with its physical lines as markers.

    A physical group of lines without a name is called by its number.  A warning says how many
    cells were turned counter-clockwise.

    Raises
    ------
    MeshError    with file, what was found and what was expected
    """
    path = path_of(path)
    raw = _raw(path)
    for block in raw.cells:
        _check_kind(path, block.type)
    kinds = {kind: _joined(raw, kind) for kind in CORNERS}
    if not len(kinds["triangle"]) + len(kinds["quad"]):
        raise MeshError(f"{path}: no triangles and no quads, expected a plane mesh")
    markers = _markers(path, raw)
    used = np.zeros(len(raw.points), bool)
    for block in raw.cells:
        nodes = np.asarray(block.data)
        outside = nodes.size and (nodes.min() < 0 or nodes.max() >= len(used))
        if outside:
            raise MeshError(
                f"{path}: a {block.type} names a node that the file does not have, expected "
                f"{len(used)} nodes"
            )
        used[nodes] = True
    points = _plane(path, raw.points)
    new = np.cumsum(used) - 1
    *cells, notes = turned(path, points, kinds["triangle"], kinds["quad"])
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


def _raw(path: Path) -> Any:
    """What meshio reads; its many errors become one kind."""
    import meshio.gmsh  # here: the rest of the package does not need it

    _check_start(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return meshio.gmsh.read(path)
    except MemoryError as error:
        raise MeshError(f"{path}: a count is larger than memory; is the file complete?") from error
    except Exception as error:
        if "gmsh:physical" in str(error):  # what meshio says of blocks with and without a group
            raise MeshError(
                f"{path}: some elements are in a physical group and some in none, expected all "
                "in one; save with Mesh.SaveAll = 0"
            ) from error
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise MeshError(
            f"{path}: cannot be read as a gmsh mesh ({why}); is it complete? expected version "
            "4.1, or 2.2 (binary: without gaps in its numbers)"
        ) from error


def _check_start(path: Path) -> None:
    """The head and end of the file, and its counts, before anything is allocated by them."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(4096)
            stream.seek(max(0, size - 256))
            tail = stream.read()
    except FileNotFoundError as error:
        raise MeshError(f"{path}: there is no such file") from error
    except OSError as error:
        raise MeshError(f"{path}: cannot be read ({error})") from error
    lines = head.split(b"\n", 2)
    if lines[0].strip() != b"$MeshFormat" and not head.lstrip().startswith(b"$Comments"):
        raise MeshError(f"{path}: does not start with $MeshFormat; is it a gmsh mesh?")
    if lines[0].strip() == b"$MeshFormat":
        version = lines[1].split()[0].decode("ascii", "replace") if len(lines) > 1 else ""
        if version not in ("2", "2.1", "2.2", "4.1"):
            raise MeshError(
                f"{path}: gmsh format {version or 'unknown'}, expected 4.1 or 2.2 "
                "(gmsh -save ... -format msh41)"
            )
    if not tail.rstrip().rsplit(b"\n", 1)[-1].strip().startswith(b"$End"):
        raise MeshError(f"{path}: does not end with $End...; the file is truncated")
    _check_counts(path, size)


def _check_counts(path: Path, size: int) -> None:
    """Refuse a count of nodes or elements that the file's bytes cannot hold."""
    raw = path.read_bytes()
    binary = raw.split(b"\n", 2)[1].split()[1:2] == [b"1"]
    four = raw.split(b"\n", 2)[1].startswith(b"4")
    for name in (b"$Nodes", b"$Elements"):
        at = raw.find(name + b"\n")
        if at < 0:
            at = raw.find(name + b"\r\n")
        if at < 0:
            raise MeshError(f"{path}: no {name.decode()} section, expected one")
        start = raw.index(b"\n", at) + 1
        if binary and four:
            numbers = np.frombuffer(raw[start : start + 32], "<u8")
            found = int(numbers[1]) if len(numbers) == 4 else size
        else:
            words = raw[start : start + 200].split(b"\n", 1)[0].split()
            place = 1 if four else 0
            good = len(words) > place and words[place].isdigit()
            found = int(words[place]) if good else size
        if found > size:
            raise MeshError(
                f"{path}: {name.decode()} announces {found} entries in a file of {size} bytes; "
                "expected a count that the file can hold: it is damaged"
            )


def _check_kind(path: Path, kind: str) -> None:
    if kind in CORNERS or kind in IGNORED:
        return
    if kind.startswith(("tetra", "hexahedron", "wedge", "pyramid")):
        raise MeshError(
            f"{path}: has elements of type {kind}, expected a plane mesh of triangles and quads; "
            "mesh and save the surface only (gmsh -2)"
        )
    if kind.startswith(("line", "triangle", "quad")):
        raise MeshError(
            f"{path}: has elements of type {kind}, expected first order (line, triangle, quad); "
            "save with Mesh.ElementOrder = 1"
        )
    raise MeshError(f"{path}: has elements of type {kind}, expected triangles and quads")


def _joined(raw: Any, kind: str) -> NDArray[np.int64]:
    parts = [np.asarray(b.data, np.int64) for b in raw.cells if b.type == kind and len(b.data)]
    return np.concatenate(parts) if parts else np.empty((0, CORNERS[kind]), np.int64)


def _markers(path: Path, raw: Any) -> dict[str, NDArray[np.int64]]:
    """Edges of each physical group of lines."""
    tags = raw.cell_data.get("gmsh:physical")
    names = {int(v[0]): n for n, v in raw.field_data.items() if int(v[1]) == 1}
    found: dict[str, list[NDArray]] = {}
    for k, block in enumerate(raw.cells):
        if block.type != "line" or not len(block.data):
            continue
        groups = np.zeros(len(block.data), int) if tags is None else np.asarray(tags[k])
        for tag in np.unique(groups):
            if tag == 0:  # a line of the geometry that is in no group
                continue
            name = names.get(int(tag), str(int(tag)))
            found.setdefault(name, []).append(np.asarray(block.data, np.int64)[groups == tag])
    if not found:
        raise MeshError(
            f"{path}: has no physical group of lines, expected one for each boundary, such as "
            'Physical Curve("airfoil") = {...}; and Physical Surface("fluid") = {...}'
        )
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _plane(path: Path, points: NDArray) -> NDArray[np.float64]:
    """(nodes, 2) coordinates of a mesh whose z is constant."""
    points = np.asarray(points, np.float64)
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(wrong):
        raise MeshError(
            f"{path}: node {wrong[0]} is at {points[wrong[0]].tolist()}, expected finite "
            "coordinates"
        )
    if points.shape[1] == 3:
        width = max(np.ptp(points[:, 0]), np.ptp(points[:, 1]))
        if np.ptp(points[:, 2]) > FLAT * width:
            raise MeshError(
                f"{path}: z runs from {points[:, 2].min():g} to {points[:, 2].max():g}, expected "
                "one value: a plane mesh"
            )
    return np.ascontiguousarray(points[:, :2])
