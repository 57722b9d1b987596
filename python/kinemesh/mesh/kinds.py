"""The kinds of cells: corners, faces and edges, and their numbers in files.

Corners are in the order of CGNS and gmsh.  VTK and SU2, whose numbers of kinds are VTK's, have
prisms the other way round: there the triangle 0 1 2 looks away from 3 4 5, which VTK documents for
vtkWedge, SU2's and gmsh's files have, and meshio reads.  VTK 9.7 has turned its class round to the
order of CGNS, without a mark in files: its filter of volumes calls prisms of all older files, and
these, negative.
meshio's own cells are in gmsh's order, and it turns prisms where it writes or reads VTK's files.

A cell is positive where its faces, as listed, run counter-clockwise seen from outside.  Of an edge
from a to b, the first face runs through it forwards, the second backwards: its facet of the median
dual is (M, F2, C) and (M, C, F1), from a to b (docs/theory.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import did_you_mean

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of cell.

    Parameters
    ----------
    name, one : its name for several and for one
    dimensions : 2 or 3
    corners : number of corners
    faces : corners of each face, counter-clockwise from outside; of the plane's kinds its edges
    edges : first and last corner of each edge
    sides : faces that run through each edge forwards and backwards; none in the plane
    mirror : order of corners that turns a cell inside out
    vtk, su2 : numbers of the kind in these formats
    meshio : name of the kind in meshio
    """

    name: str
    one: str
    dimensions: int
    corners: int
    faces: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]
    sides: tuple[tuple[int, int], ...]
    mirror: tuple[int, ...]
    vtk: int
    su2: int
    meshio: str

    @property
    def to_vtk(self) -> tuple[int, ...]:
        """Order of the corners in files of VTK and SU2; applied again it leads back."""
        return self.mirror if self.name == "prisms" else tuple(range(self.corners))

    def faces_of(self, corners: int) -> tuple[tuple[int, ...], ...]:
        """The faces of so many corners."""
        return tuple(face for face in self.faces if len(face) == corners)


def _kind(
    name: str, one: str, faces: str, edges: str, mirror: str, number: int, meshio: str
) -> Kind:
    each = tuple(tuple(map(int, face)) for face in faces.split())
    pairs = [text.partition(":") for text in edges.split()]
    sides = tuple((int(s[0]), int(s[2])) for _, _, s in pairs if s)
    ends = tuple((int(e[0]), int(e[1])) for e, _, _ in pairs)
    order = tuple(map(int, mirror))
    flat = 3 if sides else 2
    return Kind(name, one, flat, len(order), each, ends, sides, order, number, number, meshio)


KINDS = {
    kind.name: kind
    for kind in (
        _kind("triangles", "triangle", "01 12 20", "01 12 20", "021", 5, "triangle"),
        _kind("quads", "quad", "01 12 23 30", "01 12 23 30", "0321", 9, "quad"),
        _kind(
            "tetrahedra", "tetrahedron", "021 013 123 203",
            "01:1,0 12:2,0 20:3,0 03:3,1 13:1,2 23:2,3", "0213", 10, "tetra",
        ),
        _kind(
            "pyramids", "pyramid", "0321 014 124 234 304",
            "01:1,0 12:2,0 23:3,0 30:4,0 04:4,1 14:1,2 24:2,3 34:3,4", "03214", 14, "pyramid",
        ),
        _kind(
            "prisms", "prism", "021 345 0143 1254 2035",
            "01:2,0 12:3,0 20:4,0 34:1,2 45:1,3 53:1,4 03:4,2 14:2,3 25:3,4", "345012", 13, "wedge",
        ),
        _kind(
            "hexahedra", "hexahedron", "0321 4567 0154 1265 2376 3047",
            "01:2,0 12:3,0 23:4,0 30:5,0 45:1,2 56:1,3 67:1,4 74:1,5 04:5,2 15:2,3 26:3,4 37:4,5",
            "45670123", 12, "hexahedron",
        ),
    )
}  # fmt: skip
"""All kinds by name; in the order of this table cells of a mesh are numbered."""

FLATS, SOLIDS = (
    {name: kind for name, kind in KINDS.items() if kind.dimensions == own} for own in (2, 3)
)
"""The kinds of cells in the plane, and in space."""

OF_DIMENSION = {2: FLATS, 3: SOLIDS}
"""The kinds of cells by the dimensions of their mesh."""

OF_CORNERS = {kind.corners: kind for kind in SOLIDS.values()}
"""The kinds of cells in space by their number of corners, which tells them."""

WORDS = {  # others for the cells of a generated mesh, by the first letters
    "tet": ("tets",),
    "hex": ("hexes", "quads"),
    "brick": ("hexes", "quads"),
    "quad": ("quads", "hexes"),
    "pri": ("prisms", "triangles"),
    "wedge": ("prisms", "triangles"),
    "tri": ("triangles", "prisms"),
    "mix": ("hybrid",),
}


def cells_named(value: object, ready: Iterable[str]) -> str:
    """Tail of a message on a kind of cells that is none of those that a mesh is made of."""
    names, word = list(ready), str(value).casefold()
    for start, meant in WORDS.items():
        near = [name for name in meant if name in names]
        if word.startswith(start) and near:
            return f"; did you mean '{near[0]}'?"
    return did_you_mean(word, names)
