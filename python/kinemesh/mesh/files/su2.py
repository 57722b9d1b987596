"""SU2 native meshes in two dimensions, read with their marker names and written exactly.

Format: https://su2code.github.io/docs_v7/Mesh-File/ .  Numbers count from 0, as in the file.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, did_you_mean, warn
from kinemesh.mesh.files.text_files import path_of, read_text, write_text
from kinemesh.mesh.files.turned import turned
from kinemesh.mesh.mesh import Mesh, check_cells
from kinemesh.mesh.origin import Origin

LINE, TRIANGLE, QUAD = 3, 5, 9
CORNERS = {LINE: 2, TRIANGLE: 3, QUAD: 4}
FARTHEST = 1e150  # the square of a length must not overflow
SOLIDS = {10: "tetrahedron", 12: "hexahedron", 13: "prism", 14: "pyramid"}
KEYS = ("NDIME", "NELEM", "NPOIN", "NMARK", "MARKER_TAG", "MARKER_ELEMS")
ZONES = ("NZONE", "IZONE")  # how many, and which one begins
OFFSETS = {"AOA_OFFSET": "incidence", "AOS_OFFSET": "sideslip"}  # as SU2 writes after a deformation
PERIODIC = ("PERIODIC_INDEX", "PERIODIC_CENTER", "PERIODIC_ROTATION", "PERIODIC_TRANSLATION")
OTHERS = (*ZONES, *OFFSETS, "NPERIODIC", *PERIODIC)
FLAT = 1e-12  # z may vary by this share of the mesh's width
FORTRAN = re.compile(r"(?<=[0-9.])[dD](?=[+-]?[0-9])")  # its exponents: 1.0D+00


@dataclass(slots=True)
class _Lines:
    """The non-empty lines of a file, without comments, and a place in them."""

    path: Path
    texts: list[str]
    numbers: NDArray[np.int64]
    at: int = 0

    def fault(self, index: int, message: str) -> MeshError:
        if not len(self.numbers):
            return MeshError(f"{self.path}: {message}")
        number = self.numbers[min(index, len(self.numbers) - 1)]
        return MeshError(f"{self.path}, line {number}: {message}")

    def block(self, count: int, what: str) -> list[str]:
        """The next `count` lines, none of which may be a keyword or lie past the end."""
        texts = self.texts[self.at : self.at + count]
        short = next((k for k, text in enumerate(texts) if "=" in text), len(texts))
        if short < count:
            found = f"found '{texts[short]}'" if short < len(texts) else "the file ends"
            raise self.fault(
                self.at + short,
                f"{found} after {short} {what}(s), expected {count}: the count is larger than "
                "the list, or the file is truncated",
            )
        self.at += count
        return texts


def read_su2(path: str | Path) -> Mesh:
    """Read a `.su2`, `.su2.gz` or `.su2.xz` mesh of lines, triangles and quads.

    Nodes count in the order of the point lines.  As in SU2, whole numbers at the end of point and
    element lines are optional and mean nothing (published meshes have gaps in them); so is a z,
    which must be the same everywhere.  Clockwise cells are turned, and a warning says how many.

    Raises
    ------
    MeshError    with file, line, what was found and what was expected
    """
    path = path_of(path)
    text = read_text(path)
    if "%" in text:
        text = re.sub(r"%[^\n]*", "", text)
    stripped = [line.strip() for line in text.split("\n")]
    kept = [k for k, line in enumerate(stripped) if line]
    lines = _Lines(path, [stripped[k] for k in kept], np.array(kept, np.int64) + 1)
    found, markers = _sections(lines)
    points = found["NPOIN"]
    triangles, quads, order = found["NELEM"]
    triangles, quads, notes = turned(path, points, triangles, quads)
    for cells, rank in ((triangles, order[0]), (quads, order[1])):
        try:
            check_cells(points, cells, lambda i, rank=rank: f"element {rank[i]}")  # type: ignore[misc]
        except MeshError as error:
            raise MeshError(f"{path}: {error}") from None
    try:
        return Mesh(points, triangles, quads, markers, origin=Origin(notes=notes))
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from None


def _sections(lines: _Lines) -> tuple[dict, dict[str, NDArray]]:
    """Walk over the keywords; returns the blocks and the markers' edges."""
    found: dict = {}
    markers: dict[str, NDArray] = {}
    while lines.at < len(lines.texts):
        start = lines.at
        key, value = _keyword(lines)
        if key in found and key not in PERIODIC:
            raise lines.fault(start, f"a second {key}=, expected one")
        if key == "NDIME":
            found[key] = _integer(lines, start, key, value)
            if found[key] != 2:
                raise lines.fault(start, f"NDIME= {value}, expected 2: a plane mesh")
        elif key == "NELEM":
            found[key] = _elements(lines, _integer(lines, start, key, value))
        elif key == "NPOIN":
            found[key] = _points(lines, _integer(lines, start, key, value))
        elif key == "NMARK":
            found[key] = _integer(lines, start, key, value)
        elif key == "MARKER_TAG":
            _marker(lines, start, value, markers)
        elif key.startswith("FFD_"):
            _skip(lines, key)
        elif key in OTHERS:
            found[key] = value
            _check_other(lines, start, key, value)
        else:
            raise lines.fault(start, _unknown(key))
    for key in ("NDIME", "NELEM", "NPOIN", "NMARK"):
        if key not in found:
            raise lines.fault(len(lines.texts), f"the file ends without {key}=, expected it")
    if found["NMARK"] != len(markers):
        names = ", ".join(markers) or "none"
        raise lines.fault(
            len(lines.texts),
            f"{len(markers)} marker(s) ({names}), expected NMARK= {found['NMARK']}",
        )
    return found, markers


def _keyword(lines: _Lines) -> tuple[str, str]:
    key, equals, value = lines.texts[lines.at].partition("=")
    if not equals:
        raise lines.fault(
            lines.at,
            f"'{lines.texts[lines.at][:60]}', expected a keyword such as NELEM=: the list above "
            "is longer than its count, or this is no SU2 mesh",
        )
    lines.at += 1
    return key.strip().upper(), value.strip()


def _unknown(key: str) -> str:
    hint = did_you_mean(key, (*KEYS, *OTHERS), quote="")
    return f"keyword {key[:40]}=, expected one of {', '.join(KEYS)}{hint}"


def _check_other(lines: _Lines, start: int, key: str, value: str) -> None:
    """Refuse several zones, nonzero offsets of angles, and periodic boundaries."""
    if key in ZONES:
        count = _integer(lines, start, key, value)
        begun = sum(re.match(r"IZONE\s*=", text, re.IGNORECASE) is not None for text in lines.texts)
        if count != 1 or begun > 1:
            count = count if key == "NZONE" else max(count, begun)
            raise lines.fault(
                start,
                f"{key}= {value[:40]}, expected one zone, and the file has {count}; make a file of "
                "each zone",
            )
        return
    if key == "NPERIODIC":
        _integer(lines, start, key, value)
        return
    try:
        numbers = [float(FORTRAN.sub("e", word)) for word in value.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if not numbers:
        raise lines.fault(start, f"{key}= '{value[:40]}', expected numbers")
    if not any(numbers) or key in ("PERIODIC_INDEX", "PERIODIC_CENTER"):
        return
    if key in OFFSETS:
        remedy = f"add {value} to alpha_deg" if key == "AOA_OFFSET" else "a plane flow has none"
        raise lines.fault(
            start,
            f"{key}= {value[:40]}, expected 0: SU2 adds these degrees to the {OFFSETS[key]} of its "
            f"case; remove the line ({remedy})",
        )
    raise lines.fault(
        start,
        f"{key}= {' '.join(value.split())[:40]}, expected zeros: there are no periodic boundaries",
    )


def _skip(lines: _Lines, key: str) -> None:
    """Skip free-form deformation boxes, with one warning per box."""
    if key == "FFD_TAG":
        number = lines.numbers[lines.at - 1]
        text = f"{lines.path}, line {number}: the free-form deformation box is not used"
        warn(text, UserWarning)
    while lines.at < len(lines.texts) and "=" not in lines.texts[lines.at]:
        lines.at += 1


def _integer(lines: _Lines, index: int, key: str, value: str) -> int:
    first = value.split()[0] if value else ""  # NPOIN= may be followed by the count without halo
    if not re.fullmatch(r"[0-9]{1,18}", first):  # what fits in 64 bits
        raise lines.fault(index, f"{key}= '{value[:40]}', expected a whole number")
    return int(first)


def _numbers(
    lines: _Lines, texts: list[str], dtype: type, what: str
) -> tuple[NDArray, NDArray[np.int64]]:
    """All numbers of the lines just passed, flat, and the count per line."""
    start = lines.at - len(texts)
    counts = np.array([len(text.split()) for text in texts], np.int64)
    text = "\n".join(texts)
    flat: NDArray = _flat(text, dtype)
    if len(flat) != counts.sum() and dtype is np.float64:
        flat = _flat(FORTRAN.sub("e", text), dtype)
    if len(flat) != counts.sum():
        kind = int if dtype is np.int64 else float
        for k, text in enumerate(texts):
            for word in text.split():
                try:
                    kind(word)
                except ValueError:
                    wanted = "whole numbers" if kind is int else "numbers"
                    fault = f"{what} {k}: '{word[:40]}', expected {wanted}"
                    raise lines.fault(start + k, fault) from None
        raise lines.fault(start, f"{what}s that cannot be read as numbers")
    return flat, counts


def _flat(text: str, dtype: type) -> NDArray:
    """All numbers of a text; fewer where one cannot be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            found: NDArray = np.fromstring(text, dtype=dtype, sep=" ")
        except ValueError:
            return np.empty(0, dtype)
    return found


def _points(lines: _Lines, count: int) -> NDArray[np.float64]:
    """(count, 2) coordinates."""
    texts = lines.block(count, "point")
    flat, counts = _numbers(lines, texts, np.float64, "point")
    start = lines.at - count
    if count == 0:
        raise lines.fault(start - 1, "NPOIN= 0, expected points")
    odd = np.flatnonzero((counts != counts[0]) | (counts < 2) | (counts > 4))
    if len(odd):
        k = int(odd[0])
        raise lines.fault(
            start + k,
            f"point {k} has {counts[k]} numbers, expected x y, with a z that is the same "
            "everywhere and the point's number if wanted",
        )
    table = flat.reshape(count, -1)
    wrong = np.flatnonzero(~(np.abs(table) <= FARTHEST).all(axis=1))
    if len(wrong):
        k = int(wrong[0])
        raise lines.fault(
            start + k,
            f"point {k} is '{texts[k][:80]}', expected finite coordinates, at most {FARTHEST:g}",
        )
    _check_rest(lines, start, table)
    return np.ascontiguousarray(table[:, :2])


def _check_rest(lines: _Lines, start: int, table: NDArray[np.float64]) -> None:
    """Refuse a z that varies and a number of a point that is not whole.

    A third column is the points' numbers or z, the same everywhere.
    """
    rest = table[:, 2:]
    if not rest.shape[1]:
        return
    level = np.abs(rest[:, 0] - rest[0, 0]) <= FLAT * np.ptp(table[:, :2], axis=0).max()
    if rest.shape[1] == 2 and not level.all():
        k = int(np.argmin(level))
        raise lines.fault(
            start + k,
            f"point {k} has z = {rest[k, 0]:g}, and point 0 z = {rest[0, 0]:g}, expected one z: "
            "the mesh is plane",
        )
    whole = rest[:, -1] == np.floor(rest[:, -1])
    if not whole.all() and not (rest.shape[1] == 1 and level.all()):
        k = int(np.argmin(whole))
        either = ", or a z that is the same everywhere: the mesh is plane"
        raise lines.fault(
            start + k,
            f"point {k} ends in {rest[k, -1]:g}, expected its whole number"
            + (either if rest.shape[1] == 1 else ""),
        )


def _elements(
    lines: _Lines, count: int
) -> tuple[NDArray, NDArray, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(t, 3) triangles, (q, 4) quads, and the element number of each."""
    flat, starts, kinds = _typed(lines, count, "element", (TRIANGLE, QUAD))
    rank = tuple(np.flatnonzero(kinds == kind) for kind in (TRIANGLE, QUAD))
    cells = [
        flat[starts[r][:, None] + 1 + np.arange(CORNERS[kind])]
        for kind, r in zip((TRIANGLE, QUAD), rank, strict=True)
    ]
    return cells[0], cells[1], rank  # type: ignore[return-value]


def _typed(
    lines: _Lines, count: int, what: str, allowed: tuple[int, ...]
) -> tuple[NDArray, NDArray, NDArray]:
    """Lines of a type and its nodes: all numbers flat, where each line starts, and its type."""
    if count == 0:
        raise lines.fault(lines.at - 1, f"0 {what}s, expected at least one")
    flat, counts = _numbers(lines, lines.block(count, what), np.int64, what)
    first = lines.at - count
    starts = np.cumsum(counts) - counts
    kinds = flat[starts]
    wrong = np.flatnonzero(~np.isin(kinds, allowed))
    if len(wrong):
        k = int(wrong[0])
        name = f" ({SOLIDS[int(kinds[k])]})" if int(kinds[k]) in SOLIDS else ""
        wanted = " or ".join(f"{kind}" for kind in allowed)
        raise lines.fault(
            first + k, f"{what} {k} has type {kinds[k]}{name}, expected {wanted} in a plane mesh"
        )
    corners = np.array([CORNERS[kind] for kind in allowed])[np.searchsorted(allowed, kinds)]
    wrong = np.flatnonzero((counts < corners + 1) | (counts > corners + 2))
    if len(wrong):
        k = int(wrong[0])
        raise lines.fault(
            first + k,
            f"{what} {k} of type {kinds[k]} has {counts[k]} numbers, expected the type, "
            f"{corners[k]} nodes and, if wanted, its number",
        )
    return flat, starts, kinds


def _marker(lines: _Lines, start: int, name: str, markers: dict[str, NDArray]) -> None:
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
    if lines.at >= len(lines.texts):
        raise lines.fault(lines.at, f"the file ends after MARKER_TAG= {name}, expected its edges")
    index = lines.at
    key, value = _keyword(lines)
    if key != "MARKER_ELEMS":
        raise lines.fault(index, f"{key}=, expected MARKER_ELEMS= of marker '{name}'")
    count = _integer(lines, index, key, value)
    flat, starts, _ = _typed(lines, count, f"edge of marker '{name}',", (LINE,))
    markers[name] = flat[starts[:, None] + 1 + np.arange(2)]
    if lines.at < len(lines.texts) and re.match(r"SEND_TO\s*=", lines.texts[lines.at]):
        raise lines.fault(lines.at, "SEND_TO=, expected the mesh in one piece")


def write_su2(mesh: Mesh, path: str | Path) -> None:
    """Write a mesh so that `read_su2` gives back the same doubles, cells and markers."""
    parts = ["NDIME= 2", f"NELEM= {len(mesh.triangles) + len(mesh.quads)}"]
    parts += [f"{TRIANGLE} {a} {b} {c}" for a, b, c in mesh.triangles.tolist()]
    parts += [f"{QUAD} {a} {b} {c} {d}" for a, b, c, d in mesh.quads.tolist()]
    parts.append(f"NPOIN= {mesh.nodes}")
    parts += [f"{x!r} {y!r} {k}" for k, (x, y) in enumerate(mesh.points.tolist())]
    parts.append(f"NMARK= {len(mesh.boundaries)}")
    for name, edges in mesh.boundaries.items():
        parts += [f"MARKER_TAG= {name}", f"MARKER_ELEMS= {len(edges)}"]
        parts += [f"{LINE} {a} {b}" for a, b in edges.tolist()]
    write_text(path_of(path), "\n".join(parts) + "\n")
