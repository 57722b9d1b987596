"""SU2 native meshes of the plane and of space, read with their marker names, written exactly.

Format: https://su2code.github.io/docs_v7/Mesh-File/ .  Numbers count from 0, as in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import DIMENSIONS
from kinemesh.errors import did_you_mean
from kinemesh.mesh.files.built import built
from kinemesh.mesh.files.su2_beside import OTHERS, PERIODIC, check_other, skip, whole
from kinemesh.mesh.files.su2_lines import Lines, many
from kinemesh.mesh.files.su2_points import points_of
from kinemesh.mesh.files.text_files import path_of, read_text, write_text
from kinemesh.mesh.kinds import FLATS, KINDS, OF_DIMENSION
from kinemesh.mesh.mesh import Mesh

LINE = 3
OF_TYPE = {kind.su2: kind for kind in KINDS.values()}
CORNERS = {LINE: 2} | {number: kind.corners for number, kind in OF_TYPE.items()}
SIDES = {2: (LINE,), 3: tuple(kind.su2 for kind in FLATS.values())}
"""Types of elements of the boundary, by the dimensions of the mesh."""
KEYS = ("NDIME", "NELEM", "NPOIN", "NMARK", "MARKER_TAG", "MARKER_ELEMS")
ROWS = 10_000  # lines that are written at a time


def read_su2(path: str | Path, merge: float | None = None) -> Mesh:
    """Read a `.su2`, `.su2.gz` or `.su2.xz` mesh of the plane or of space.

    In the plane: lines, triangles and quads; in space: triangles and quads on the boundary,
    tetrahedra, pyramids, prisms and hexahedra, whose corners are in VTK's order, as the numbers of
    kinds are VTK's.  Nodes count in the order of the point lines.  As in SU2, whole numbers at the
    end of point and element lines are optional and mean nothing (published meshes have gaps in
    them); so is a z in the plane, which must be the same everywhere.  Clockwise cells are turned,
    those in space that are inside out are mirrored, and a warning says how many.

    Parameters
    ----------
    merge : float    distance within which nodes become one, in lengths of the file (`mesh.merge`)

    Raises
    ------
    MeshError    with file, line, what was found and what was expected
    """
    path = path_of(path)
    lines = Lines.of(path, read_text(path))
    found, markers = _sections(lines)
    points, (cells, rank) = found["NPOIN"], found["NELEM"]
    del lines  # the text of a file in space is larger than all that is made of it
    return built(
        path, points, cells, markers, lambda kind, i: f"element {rank[kind][i]}", "VTK", merge
    )


def _sections(lines: Lines) -> tuple[dict, dict[str, NDArray]]:
    """Walk over the keywords; returns the blocks and the markers' edges or faces."""
    found: dict = {}
    markers: dict[str, NDArray] = {}
    dimensions = _dimensions(lines)
    while lines.at < len(lines):
        start = lines.at
        key, value = _keyword(lines)
        if key in found and key not in PERIODIC:
            raise lines.fault(start, f"a second {key}=, expected one")
        if key == "NDIME":
            found[key] = whole(lines, start, key, value)
            if found[key] not in (2, 3):
                raise lines.fault(start, f"NDIME= {value}, expected 2 or 3")
        elif key == "NELEM":
            found[key] = _elements(lines, whole(lines, start, key, value), dimensions)
        elif key == "NPOIN":
            found[key] = points_of(lines, whole(lines, start, key, value), dimensions)
        elif key == "NMARK":
            found[key] = whole(lines, start, key, value)
        elif key == "MARKER_TAG":
            _marker(lines, start, value, markers, dimensions)
        elif key.startswith("FFD_"):
            skip(lines, key)
        elif key in OTHERS:
            found[key] = value
            check_other(lines, start, key, value)
        else:
            raise lines.fault(start, _unknown(key))
    for key in ("NDIME", "NELEM", "NPOIN", "NMARK"):
        if key not in found:
            raise lines.fault(len(lines), f"the file ends without {key}=, expected it")
    if found["NMARK"] != len(markers):
        names = ", ".join(markers) or "none"
        raise lines.fault(
            len(lines),
            f"{len(markers)} marker(s) ({names}), expected NMARK= {found['NMARK']}",
        )
    return found, markers


def _dimensions(lines: Lines) -> int:
    """Dimensions by the line that says them, wherever it stands; 2 without one."""
    for index in lines.keys:
        if re.match(r"NDIME\s*=\s*3\b", lines.text(index), re.IGNORECASE):
            return 3
    return 2


def _keyword(lines: Lines) -> tuple[str, str]:
    key, equals, value = lines.text(lines.at).partition("=")
    if not equals:
        raise lines.fault(
            lines.at,
            f"'{key[:60]}', expected a keyword such as NELEM=: the list above "
            "is longer than its count, or this is no SU2 mesh",
        )
    lines.at += 1
    return key.strip().upper(), value.strip()


def _unknown(key: str) -> str:
    hint = did_you_mean(key, (*KEYS, *OTHERS), quote="")
    return f"keyword {key[:40]}=, expected one of {', '.join(KEYS)}{hint}"


Tables = tuple[dict[str, NDArray], dict[str, NDArray[np.int64]]]


def _elements(lines: Lines, count: int, dimensions: int) -> Tables:
    """Cells of each kind, and the element number of each."""
    kinds = OF_DIMENSION[dimensions]
    allowed = tuple(kind.su2 for kind in kinds.values())
    flat, starts, types = _typed(lines, count, "element", allowed, DIMENSIONS[dimensions].mesh)
    cells, rank = {}, {}
    for name, kind in kinds.items():
        rank[name] = np.flatnonzero(types == kind.su2)
        if len(rank[name]):
            cells[name] = _nodes(flat, starts, rank[name], kind.corners)[:, kind.to_vtk]
    return cells, rank


def _nodes(flat: NDArray, starts: NDArray, rank: NDArray, corners: int) -> NDArray:
    """(k, corners) nodes of the lines of one type."""
    if len(rank) == len(starts) and len(flat) % len(starts) == 0:
        table = flat.reshape(len(starts), -1)
        if (starts == table.shape[1] * rank).all():  # all lines are as long
            return table[:, 1 : 1 + corners]
    return flat[starts[rank][:, None] + 1 + np.arange(corners)]


def _typed(
    lines: Lines, count: int, what: str, allowed: tuple[int, ...], place: str
) -> tuple[NDArray, NDArray, NDArray]:
    """Lines of a type and its nodes: all numbers flat, where each line starts, and its type."""
    if count == 0:
        raise lines.fault(lines.at - 1, f"0 {many(what)}, expected at least one")
    first = lines.at
    flat, counts = lines.block(count, np.int64, what)
    starts = np.cumsum(counts) - counts
    kinds = flat[starts]
    wrong = np.flatnonzero(~np.isin(kinds, allowed))
    if len(wrong):
        k = int(wrong[0])
        kind = OF_TYPE.get(int(kinds[k]))
        name = f" ({kind.one})" if kind is not None else ""
        wanted = " or ".join(f"{kind}" for kind in allowed)
        raise lines.fault(
            first + k, f"{what} {k} has type {kinds[k]}{name}, expected {wanted} in {place}"
        )
    corners = np.zeros(max(allowed) + 1, np.int64)
    corners[list(allowed)] = [CORNERS[kind] for kind in allowed]
    wanted_counts = corners[kinds]
    wrong = np.flatnonzero((counts < wanted_counts + 1) | (counts > wanted_counts + 2))
    if len(wrong):
        k = int(wrong[0])
        raise lines.fault(
            first + k,
            f"{what} {k} of type {kinds[k]} has {counts[k]} numbers, expected the type, "
            f"{wanted_counts[k]} nodes and, if wanted, its number",
        )
    return flat, starts, kinds


def _marker(
    lines: Lines, start: int, name: str, markers: dict[str, NDArray], dimensions: int
) -> None:
    what = DIMENSIONS[dimensions].side
    if name.upper() == "SEND_RECEIVE":
        raise lines.fault(
            start,
            "MARKER_TAG= SEND_RECEIVE, nodes that the pieces of a partitioned or periodic mesh "
            "exchange, expected the mesh in one piece and without periodic boundaries",
        )
    if not name:
        raise lines.fault(start, "MARKER_TAG= without a name, expected one")
    if name in markers:
        raise lines.fault(start, f"a second marker '{name}', expected each name once")
    if lines.at >= len(lines):
        raise lines.fault(lines.at, f"the file ends after MARKER_TAG= {name}, expected its {what}s")
    index = lines.at
    key, value = _keyword(lines)
    if key != "MARKER_ELEMS":
        raise lines.fault(index, f"{key}=, expected MARKER_ELEMS= of marker '{name}'")
    count = whole(lines, index, key, value)
    of = f"{what} of marker '{name}',"
    allowed = SIDES[dimensions]
    flat, starts, types = _typed(lines, count, of, allowed, DIMENSIONS[dimensions].mesh)
    corner = np.arange(max(CORNERS[number] for number in allowed))
    markers[name] = flat[np.minimum(starts[:, None] + 1 + corner, len(flat) - 1)]
    markers[name][types == KINDS["triangles"].su2, 3:] = -1
    if lines.at < len(lines) and re.match(r"SEND_TO\s*=", lines.text(lines.at)):
        raise lines.fault(lines.at, "SEND_TO=, expected the mesh in one piece")


def write_su2(mesh: Mesh, path: str | Path) -> None:
    """Write a mesh so that `read_su2` gives back the same doubles, cells and markers."""
    count = sum(map(len, mesh.blocks.values()))
    parts = [f"NDIME= {mesh.dimensions}\nNELEM= {count}\n"]
    for name, cells in mesh.blocks.items():
        parts += _rows(KINDS[name].su2, cells[:, KINDS[name].to_vtk])
    parts.append(f"NPOIN= {mesh.nodes}\n")
    table = np.column_stack([mesh.points.astype(object), np.arange(mesh.nodes)])
    parts += _written("%r " * mesh.dimensions + "%d\n", table)
    parts.append(f"NMARK= {len(mesh.boundaries)}\n")
    for name, sides in mesh.boundaries.items():
        parts.append(f"MARKER_TAG= {name}\nMARKER_ELEMS= {len(sides)}\n")
        corners = (sides >= 0).sum(axis=1)
        for number in SIDES[mesh.dimensions]:
            parts += _rows(number, sides[corners == CORNERS[number], : CORNERS[number]])
    write_text(path_of(path), "".join(parts))


def _rows(number: int, elements: NDArray) -> Iterator[str]:
    """Lines of the elements of a type."""
    return _written(f"{number}{' %d' * CORNERS[number]}\n", elements)


def _written(line: str, table: NDArray) -> Iterator[str]:
    """Rows of a table, by the pattern of a line."""
    for at in range(0, len(table), ROWS):
        rows = table[at : at + ROWS]
        yield line * len(rows) % tuple(rows.ravel().tolist())
