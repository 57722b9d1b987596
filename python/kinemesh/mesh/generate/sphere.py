"""Meshes about a sphere: the faces of a cube blown up, in layers outwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import MeshError
from kinemesh.mesh.generate.cones import cut_faces, tetrahedra
from kinemesh.mesh.generate.rays import layers as places
from kinemesh.mesh.generate.rays import outer_of
from kinemesh.mesh.kinds import cells_named
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.solid_faces import open_faces
from kinemesh.sentences import NODES

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
CELLS = ("hexes", "prisms", "tets")
RADIUS = 0.5
GROWTH = 1.2
FIRST = 0.5  # height of the first layer over the edge of a cell on the sphere
LAYERS = 4  # at least
NEAR = 1e-9  # of the radius: round-off of places on the plane
LIMITS = {
    "nodes": (500, 50_000_000),
    "wall_spacing": (1e-6, 0.2),
    "growth": (1.01, 1.5),
    "far_field": (1.5, 1e3),
}
NEAREST = {"farfield": 1.5, "overset": 0.75}  # least radius of the outer boundary, by its marker


@checks_names
def sphere(
    nodes: int = 50_000,
    wall_spacing: float | None = None,
    growth: float | None = None,
    far_field: float = 20.0,
    cells: str = "hexes",
    outer: str = "farfield",
    half: bool = False,
) -> Mesh:
    """A mesh about a sphere of diameter 1, its centre at the origin, or about half of it.

    Parameters
    ----------
    nodes : int             wanted, 500 at least; of a few thousand within a tenth
    wall_spacing : float    height of the first layer; half an edge on the sphere by default
    growth : float          wanted ratio of successive layers; by default 1.2 where `wall_spacing`
                            is given, else that of cells which keep their shape outwards
    far_field : float       radius of the outer boundary; at least 1.5, with outer = "overset" 0.75
                            [diameters]
    cells : str             hexes; prisms, whose triangles lie along the sphere; tets
    outer : farfield | overset    marker of the outer boundary; overset: other meshes go on beyond
    half : bool             of y above 0 alone, on a plane of symmetry

    Returns
    -------
    Mesh    markers `sphere` and that of `outer`, of half a sphere also `symmetry`

    Raises
    ------
    MeshError    naming the argument that cannot be used
    """
    _check(nodes, wall_spacing, growth, far_field, cells, outer_of("sphere", outer), half)
    across, count, first = _counts(nodes * (1 + half), wall_spacing, growth, far_field)
    way, quads, rank = _half(*_faces(across)) if half else _faces(across)
    radius = RADIUS + places(np.array([first]), far_field - RADIUS, count)
    _check_growth(np.diff(radius[:, 0]), nodes)
    many = len(way)
    points = (radius[:, :, None] * way).reshape(-1, 3)
    hexes = {"hexahedra": _drawn(quads, many, count)}
    ends = {"sphere": quads, outer: quads + np.int32(count * many)}
    blocks = hexes
    if cells == "prisms":
        ends = {name: cut_faces(own, np.tile(rank, count + 1)) for name, own in ends.items()}
        blocks = {"prisms": _drawn(cut_faces(quads, rank), many, count)}
    elif cells == "tets":
        # layer by layer within a node's rank, so that all faces along the radius are cut alike
        ranks = (rank * (count + 1) + np.arange(count + 1)[:, None]).ravel()
        blocks = {"tetrahedra": tetrahedra(hexes, ranks)}
        ends = {name: cut_faces(own, ranks) for name, own in ends.items()}
    if half:
        ends["symmetry"] = _on_plane(points, blocks)
    return Mesh.from_blocks(points, blocks, ends)


def _half(way: Floats, quads: Ints, rank: NDArray) -> tuple[Floats, Ints, NDArray]:
    """Unit vectors, faces and ranks of `_faces`, of y above 0 alone."""
    kept = quads[(way[quads, 1] > -NEAR).all(axis=1)]
    nodes, number = np.unique(kept, return_inverse=True)
    own = way[nodes]
    own[np.abs(own[:, 1]) < NEAR, 1] = 0.0
    return own, number.reshape(-1, 4).astype(np.int32), np.argsort(np.argsort(rank[nodes]))


def _on_plane(points: Floats, blocks: dict[str, Ints]) -> Ints:
    """Faces of the boundary at y = 0."""
    faces = open_faces(blocks, len(points))
    y = points[np.where(faces < 0, faces[:, :1], faces), 1]
    return faces[(y == 0).all(axis=1)]


def _counts(
    nodes: int, wall_spacing: float | None, growth: float | None, far_field: float
) -> tuple[int, int, float]:
    """Cells along an edge of the cube (even), layers, and the height of the first."""
    far, found = far_field - RADIUS, []
    for across in range(2, 4096, 2):
        surface = 6 * across**2 + 2
        if surface * (LAYERS + 1) > 1.1 * nodes:
            break
        edge = 0.5 * np.pi * RADIUS / across
        first = FIRST * edge if wall_spacing is None else wall_spacing
        alike = 1.0 + edge / RADIUS if wall_spacing is None else GROWTH
        ratio = alike if growth is None else growth
        wanted = np.log1p(far * (ratio - 1.0) / first) / np.log(ratio)
        count = max(LAYERS, round(nodes / surface) - 1)
        found.append((abs(np.log(count / wanted)), across, count, first))
    if not found:
        raise MeshError("sphere: ", NODES, f" = {nodes}, too few for a mesh")
    _, across, count, first = min(found)
    return across, count, first


def _faces(across: int) -> tuple[Floats, Ints, NDArray[np.int64]]:
    """Unit vectors of the nodes, faces (k, 4) seen from outside, and ranks of the nodes.

    The faces of the cube are divided by equal angles.  Of a quadrilateral the corner nearest the
    cube's corner has the least rank: it is cut through the corner of 120 degrees.
    """
    line = np.arange(across + 1) * 2 - across
    a, b = np.meshgrid(line, line, indexing="ij")
    top = np.full_like(a, across)
    at = np.arange((across + 1) ** 2).reshape(a.shape)
    quad = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    lattice: list[NDArray] = []
    tables: list[NDArray] = []
    for axis in range(3):
        for sign in (1, -1):
            place = np.stack([a, b, sign * top], axis=-1).reshape(-1, 3)
            lattice.append(np.roll(place, axis + 1, axis=1))
            tables.append((quad if sign > 0 else quad[:, ::-1]) + len(at.ravel()) * len(tables))
    places_of, number = np.unique(np.concatenate(lattice), axis=0, return_inverse=True)
    angle = np.tan(0.25 * np.pi * places_of / across)
    way = angle / np.linalg.norm(angle, axis=1)[:, None]
    from_corner = 3 * across - np.abs(places_of).sum(axis=1)
    rank = np.empty(len(way), np.int64)
    rank[np.argsort(from_corner, kind="stable")] = np.arange(len(way))
    return way, number.reshape(-1)[np.concatenate(tables)].astype(np.int32), rank


def _drawn(table: Ints, many: int, layers: int) -> Ints:
    """Cells of all layers over the faces of one."""
    step = (many * np.arange(layers, dtype=np.int32))[:, None, None]
    near, far = table + step, table + step + np.int32(many)
    return np.concatenate([near, far], axis=2).reshape(-1, 2 * table.shape[1])


def _check_growth(heights: Floats, nodes: int) -> None:
    """Refuse layers that grow faster than any that are asked for may."""
    ratio, most = heights[1] / heights[0], LIMITS["growth"][1]
    if ratio > most:
        raise MeshError(
            f"sphere: {len(heights)} layers from {heights[0]:.3g} to the far field grow by "
            f"{ratio:.3g} each, expected at most {most:g}; give more than {nodes} ",
            NODES,
            ", a larger wall_spacing or a nearer far_field",
        )


def _check(
    nodes: Any, wall_spacing: Any, growth: Any, far_field: Any, cells: Any, outer: str, half: Any
) -> None:
    given = {"wall_spacing": wall_spacing, "growth": growth, "far_field": far_field}
    if isinstance(nodes, bool) or not isinstance(nodes, int | np.integer):
        raise MeshError("sphere: ", NODES, f" = {nodes!r}, expected a whole number")
    for name, value in {"nodes": nodes, **given}.items():
        if value is None and name != "far_field":
            continue
        low, high = LIMITS[name]
        low = NEAREST[outer] if name == "far_field" else low
        real = isinstance(value, int | float | np.integer | np.floating)
        if isinstance(value, bool) or not real or not low <= value <= high:
            term = NODES if name == "nodes" else name
            raise MeshError("sphere: ", term, f" = {value!r}, expected {low:g} to {high:g}")
    if not isinstance(half, bool):
        raise MeshError(f"sphere: half = {half!r}, expected True or False")
    if cells not in CELLS:
        near = cells_named(cells, CELLS)
        raise MeshError(f"sphere: cells = {cells!r}, expected {', '.join(CELLS)}{near}")
