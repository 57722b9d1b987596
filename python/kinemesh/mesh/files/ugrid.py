"""UGRID grids in space, as AFLR, FUN3D and Pointwise write them (.ugrid), text and binary.

Names of boundaries are those of the `.mapbc` file beside the grid, where there is one.
Form: https://www.simcenter.msstate.edu/software/documentation/ug_io/3d_grid_file_type_ugrid.html
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, warn
from kinemesh.mesh.files.built import built, check_places
from kinemesh.mesh.files.mapbc import names_of, stem_of_grid
from kinemesh.mesh.files.text_files import COMPRESSION, path_of, read_bytes, read_text
from kinemesh.mesh.kinds import KINDS
from kinemesh.mesh.merge import by_kind
from kinemesh.mesh.mesh import Mesh

Ints = NDArray[np.int64]
SIDES, SOLIDS = ("triangles", "quads"), ("tetrahedra", "pyramids", "prisms", "hexahedra")
CORNERS = {kind: KINDS[kind].corners for kind in (*SIDES, *SOLIDS)}  # in the order of the file
PYRAMID = [1, 0, 3, 4, 2]  # corners in the order of VTK; the apex is the file's third
COUNTS = 7
MARK = 4  # bytes of the mark at either end of a Fortran record


class Form(NamedTuple):
    """Form of the numbers of a binary file.

    Parameters
    ----------
    order : of bytes, as NumPy has it
    whole, real : bytes of each number
    records : True with Fortran's marks
    """

    order: str
    whole: int
    real: int
    records: bool


FORMS = {
    "b8": Form(">", 4, 8, False),
    "b4": Form(">", 4, 4, False),
    "b8l": Form(">", 8, 8, False),
    "r8": Form(">", 4, 8, True),
    "r4": Form(">", 4, 4, True),
    "lb8": Form("<", 4, 8, False),
    "lb4": Form("<", 4, 4, False),
    "lb8l": Form("<", 8, 8, False),
    "lr8": Form("<", 4, 8, True),
    "lr4": Form("<", 4, 4, True),
}
"""By the part of a name that says it: `b8` of `wing.b8.ugrid`, `lr8` of `wing.lr8.ugrid`."""


def form_of(path: Path) -> Form | None:
    """Form that a file's name says; None of text."""
    inner = path.with_suffix("") if path.suffix.lower() in COMPRESSION else path
    return FORMS.get(inner.with_suffix("").suffix.lower()[1:])


def read_ugrid(path: str | Path, merge: float | None = None) -> Mesh:
    """Read a mesh in space; its markers have the names of the `.mapbc` file beside it.

    `wing.lb8.ugrid` has names in `wing.mapbc`; boundaries of one name are one marker, and without
    that file markers are called by the numbers of boundaries.  The form of a binary file is in its
    name: `b8`, `b4`, `r8`, `r4` (with Fortran's records), with `l` ahead of them where the least
    byte of a number comes first, with `l` behind where whole numbers have 64 bits.

    Parameters
    ----------
    merge : float    distance within which nodes become one, in lengths of the file (`mesh.merge`)

    Raises
    ------
    MeshError    with file, what was found and what was expected
    """
    path = path_of(path)
    form = form_of(path)
    numbers = _Text(path) if form is None else _Binary(path, form)
    counts = numbers.counts()
    nodes, many = int(counts[0]), dict(zip(CORNERS, counts[1:].tolist(), strict=True))
    if not counts[3:].any():
        raise MeshError(f"{path}: has no cells of a volume, expected a mesh in space")
    every = sum(many[kind] * k for kind, k in CORNERS.items())
    numbers.room(3 * nodes, every + sum(many[kind] for kind in SIDES))

    def tables(kinds: tuple[str, ...]) -> dict[str, Ints]:
        return {k: numbers.whole(many[k] * CORNERS[k]).reshape(-1, CORNERS[k]) for k in kinds}

    points, faces = numbers.real(3 * nodes).reshape(-1, 3), tables(SIDES)
    tags = np.concatenate([numbers.whole(many[kind]) for kind in SIDES])
    blocks = tables(SOLIDS)
    notes = numbers.end()
    for note in notes:
        warn(f"{path}: {note}", UserWarning)
    _check(path, points, faces | blocks)
    blocks["pyramids"] = blocks["pyramids"][:, PYRAMID]
    triangles = np.pad(faces["triangles"], ((0, 0), (0, 1)))
    table = np.concatenate([triangles, faces["quads"]]) - 1  # a 0 becomes -1
    names, more, lacking = names_of(path, np.unique(tags))
    markers: dict[str, list[Ints]] = {}
    for tag, name in names.items():
        markers.setdefault(name, []).append(table[tags == tag])
    return built(
        path,
        points,
        {kind: own - 1 for kind, own in blocks.items()},
        {name: np.concatenate(own) for name, own in markers.items()},
        by_kind,
        "UGRID",
        merge,
        (*notes, *more),
        lacking,
    )


def _check(path: Path, points: NDArray[np.float64], tables: dict[str, Ints]) -> None:
    """Refuse, with a MeshError, places and numbers of nodes that cannot be."""
    check_places(path, points, 3, first=1)
    for kind, own in tables.items():
        odd = np.argwhere((own < 1) | (own > len(points)))
        if len(odd):
            row, corner = odd[0]
            raise MeshError(
                f"{path}: {KINDS[kind].one} {row + 1} has node {own[row, corner]}, expected 1 to "
                f"{len(points)}"
            )


def _odd(text: str) -> str:
    """First word that is no number, and its line."""
    for row, line in enumerate(text.split("\n")):
        for word in line.split():
            try:
                float(word)
            except ValueError:
                return f"line {row + 1} has {word[:20]!r}"
    return "has text"


class _Text:
    """Numbers of a text file, one after the other."""

    def __init__(self, path: Path) -> None:
        self.path, self.at = path, 0
        try:
            text = read_text(path)
        except MeshError:
            if b"\0" not in read_bytes(path)[: 4 * COUNTS]:
                raise
            raise MeshError(
                f"{path}: is binary, and its name does not say in which form, expected one such as "
                f"{stem_of_grid(path)}.lb8.ugrid ({', '.join(FORMS)})"
            ) from None
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            try:
                self.numbers = np.fromstring(text, sep=" ")
            except (DeprecationWarning, ValueError):
                raise MeshError(f"{path}: {_odd(text)}, expected numbers alone") from None

    def counts(self) -> Ints:
        if len(self.numbers) < COUNTS:
            raise MeshError(f"{self.path}: has {len(self.numbers)} numbers, expected its 7 counts")
        return _counts(self.path, self.whole(COUNTS))

    def room(self, real: int, whole: int) -> None:
        """Refuse, with a MeshError, a file with fewer numbers than its counts say."""
        expected = COUNTS + real + whole
        if len(self.numbers) < expected:
            raise MeshError(
                f"{self.path}: has {len(self.numbers)} numbers, expected {expected} by its counts; "
                "it is truncated, or they are wrong"
            )

    def real(self, count: int) -> NDArray[np.float64]:
        self.at += count
        return self.numbers[self.at - count : self.at]

    def whole(self, count: int) -> Ints:
        found = self.real(count)
        odd = np.flatnonzero(found != np.trunc(found))
        if len(odd):
            raise MeshError(f"{self.path}: has {found[odd[0]]:g} where whole numbers were expected")
        return found.astype(np.int64)

    def end(self) -> tuple[str, ...]:
        """A note on what stands behind the cells."""
        left = len(self.numbers) - self.at
        return (f"{left} numbers behind the cells are left out",) if left else ()


class _Binary:
    """Numbers of a binary file, one after the other."""

    def __init__(self, path: Path, form: Form) -> None:
        self.path, self.form, self.at = path, form, 0
        self.raw = read_bytes(path)

    def counts(self) -> Ints:
        form, least = self.form, COUNTS * self.form.whole + 2 * MARK * self.form.records
        if len(self.raw) < least:
            raise MeshError(f"{self.path}: has {len(self.raw)} bytes, expected its 7 counts")
        self._mark(COUNTS * form.whole)
        found = _counts(self.path, self.whole(COUNTS))
        self._mark(COUNTS * form.whole)
        return found

    def room(self, real: int, whole: int) -> None:
        """Refuse, with a MeshError, a file with fewer bytes than its counts say."""
        own = real * self.form.real + whole * self.form.whole
        expected = self.at + own + 2 * MARK * self.form.records
        if len(self.raw) < expected:
            raise MeshError(
                f"{self.path}: has {len(self.raw)} bytes, expected {expected} by its counts; it is "
                "truncated, they are wrong, or its numbers have another form than its name says"
            )
        self._mark(own)

    def _mark(self, size: int) -> None:
        """Take the mark of a Fortran record of so many bytes."""
        if not self.form.records:
            return
        (found,) = self._taken("u4", 1).tolist()
        if found != size:
            raise MeshError(
                f"{self.path}: a Fortran record of {found} bytes, expected {size}; without records "
                "its name has b in the place of r"
            )

    def _taken(self, kind: str, count: int) -> NDArray:
        found = np.frombuffer(self.raw, self.form.order + kind, count, self.at)
        self.at += found.nbytes
        return found

    def real(self, count: int) -> NDArray[np.float64]:
        return self._taken(f"f{self.form.real}", count).astype(np.float64)

    def whole(self, count: int) -> Ints:
        return self._taken(f"i{self.form.whole}", count).astype(np.int64)

    def end(self) -> tuple[str, ...]:
        """A note on what stands behind the cells."""
        left = len(self.raw) - self.at - MARK * self.form.records
        return (f"{left} bytes behind the cells are left out",) if left else ()


def _counts(path: Path, found: Ints) -> Ints:
    if (found < 0).any() or (found > 2**40).any() or not found[0]:
        raise MeshError(
            f"{path}: begins with the counts {found.tolist()}, expected those of nodes, triangles, "
            "quads, tetrahedra, pyramids, prisms and hexahedra; the form of a binary file is to be "
            f"in its name, as in {stem_of_grid(path)}.lb8.ugrid"
        )
    return found
