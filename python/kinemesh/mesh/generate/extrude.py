"""Meshes of the plane drawn out along the span, between two planes of symmetry."""

from __future__ import annotations

import numbers as abc
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.dimension import XY
from kinemesh.errors import MeshError, shown
from kinemesh.mesh.generate.cones import cut_faces, tetrahedra
from kinemesh.mesh.kinds import cells_named
from kinemesh.mesh.mesh import Mesh

Ints = NDArray[np.int32]
LEFT, RIGHT = "symmetry_left", "symmetry_right"
CELLS = ("hexes", "prisms", "tets")


@checks_names
def extruded(mesh: Mesh, span: float = 1.0, layers: int = 1, cells: str | None = None) -> Mesh:
    """Mesh in space between two planes of symmetry, each of them a mesh of the plane.

    The plane's y becomes z, and y runs along the span, from 0.

    Parameters
    ----------
    mesh : of the plane
    span : float    distance of the planes [chord]
    layers : int    cells between them
    cells : str     "hexes" of a mesh of quadrilaterals; "prisms", quadrilaterals cut through their
        shorter diagonal; "tets"; None: prisms of triangles, hexahedra of quadrilaterals

    Returns
    -------
    Mesh    markers of `mesh`, and the planes `symmetry_left` (y = 0) and `symmetry_right`

    Raises
    ------
    MeshError    naming the argument that cannot be used
    """
    _check(mesh, span, layers, cells)
    flat, count = mesh.nodes, layers + 1
    triangles, quads = mesh.triangles, mesh.quads
    if cells in ("prisms", "tets"):
        triangles = np.concatenate([triangles, halves(mesh.points, quads)])
        quads = quads[:0]
    points = np.empty((count, flat, 3))
    points[..., ::2] = mesh.points
    points[..., 1] = (span * np.linspace(0.0, 1.0, count))[:, None]

    def drawn(table: Ints, order: Callable[[Ints, Ints], list[Ints]]) -> Ints:
        """Cells of all layers: a row of the plane's table, and the same one layer on."""
        each = [
            np.column_stack(order(table + k * flat, table + (k + 1) * flat)) for k in range(layers)
        ]
        return np.concatenate(each).astype(np.int32)

    # counter-clockwise in the plane is clockwise as seen along the span: the far one comes first
    blocks = {
        "prisms": drawn(triangles, lambda near, far: [far, near]),
        "hexahedra": drawn(quads, lambda near, far: [far, near]),
    }
    planes = np.concatenate([np.pad(triangles, ((0, 0), (0, 1)), constant_values=-1), quads])
    sides = {LEFT: planes, RIGHT: np.where(planes < 0, planes, planes + layers * flat)}
    for name, edges in mesh.boundaries.items():
        sides[name] = drawn(edges, lambda near, far: [near, far[:, ::-1]])
    if cells == "tets":
        rank = np.arange(count * flat).reshape(flat, count).T.ravel()  # by node of the plane
        blocks = {"tetrahedra": tetrahedra(blocks, rank)}
        sides = {name: cut_faces(faces, rank) for name, faces in sides.items()}
    names = (*mesh.boundaries, LEFT, RIGHT)
    sides = {name: sides[name] for name in names}
    # a node has the number of its node of the plane, counted on through the layers
    high = int(mesh.original.max()) + 1
    original = (mesh.original + high * np.arange(count)[:, None]).ravel()
    return Mesh.from_blocks(points.reshape(-1, 3), blocks, sides, original, mesh.origin)


def halves(points: NDArray[np.float64], quads: Ints) -> Ints:
    """(2 k, 3) triangles of quadrilaterals cut through their shorter diagonals."""
    x = points[quads]
    first = np.linalg.norm(x[:, 2] - x[:, 0], axis=-1)
    other = np.linalg.norm(x[:, 3] - x[:, 1], axis=-1)
    ring = np.where((other < first)[:, None], np.roll(quads, -1, axis=1), quads)
    return ring[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def _check(mesh: Any, span: Any, layers: Any, cells: Any) -> None:
    if not isinstance(mesh, Mesh) or not XY.holds(mesh.dimension):
        raise MeshError(f"extruded: the mesh is {shown(mesh)}, expected a Mesh of the plane")
    real, whole = isinstance(span, abc.Real), isinstance(layers, abc.Integral)
    if isinstance(span, bool) or not (real and 0 < span < np.inf):
        raise MeshError(f"extruded: span is {span!r}, expected a number above 0")
    if isinstance(layers, bool) or not (whole and layers > 0):
        raise MeshError(f"extruded: layers is {layers!r}, expected a whole number from 1")
    if cells is not None and cells not in CELLS:
        near = cells_named(cells, CELLS)
        raise MeshError(f"extruded: cells is {cells!r}, expected {', '.join(CELLS)}, or None{near}")
    if cells == "hexes" and len(mesh.triangles):
        raise MeshError(
            f"extruded: the mesh has {len(mesh.triangles)} triangles, expected quadrilaterals "
            'alone for cells="hexes"; make it with cells="quads", or take "prisms"'
        )
    for name in (LEFT, RIGHT):
        if name in mesh.boundaries:
            raise MeshError(f"extruded: the mesh has a marker '{name}', which is a plane's name")
