"""Places of a mesh's nodes in the tetrahedra of its carrier, and what corrects them near walls.

docs/theory.md, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.deform.places import closest, holding, nearest
from kinemesh.errors import MeshError
from kinemesh.mesh import Mesh
from kinemesh.mesh.pieces import triangles_of
from kinemesh.space.distance import wall_facets

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
INSIDE = 1e-9  # share of a corner by which a node may lie outside: round-off
OFF_WALL = 0.1  # most distance of a wall's node from the carrier's wall, over the side of its facet
TURNED = 1 / 3  # reach of the turn with a wall, over that of the correction
REACH = 0.1  # most difference of a boundary's ends along an axis, over the longest of its extents
OUTSIDE = 1.0  # most distance of any other node from the carrier, over the side of its face
FACES = np.array([(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)])
OTHERS = (
    "a carrier about the same bodies, in the same lengths and axes, with enough nodes where they "
    "curve; or take springs or rigid motion"
)


@dataclass(frozen=True, slots=True)
class Bearing:
    """Nodes of one mesh, each in a tetrahedron of its carrier.

    Parameters
    ----------
    corner, share : (nodes, 4)    nodes of the carrier, and the node's coordinates with them
    wall : (nodes, 3)    rows of the nodes of walls that correct it; -1 where none does
    weight : (nodes, 3)    their shares of the nearest place of a wall, fading with the distance
    off : (nodes, 3)    the way from that place [chord]
    close : (nodes,)    the share by which the node turns with the wall there: 1 at it
    spoke : (walls + 1,)    first facet of each node of walls
    ends : (facets, 2)    the other corners of the facets about each, in the mesh, in turn
    """

    corner: Ints
    share: Floats
    wall: Ints
    weight: Floats
    off: Floats
    close: Floats
    spoke: Ints
    ends: Ints

    @classmethod
    def of(
        cls,
        mesh: Mesh,
        carrier: Mesh,
        walls: Sequence[str],
        rows: Ints,
        reach: float,
        still: Sequence[str] = (),
        known: bool = False,
    ) -> Bearing:
        """Places of all nodes of a mesh.

        Parameters
        ----------
        walls : markers of bodies
        rows : (walls,)    nodes of the mesh on these
        reach : distance from walls at which their correction has faded [chord]
        still : markers whose nodes stay, as do nodes beyond them
        known : whether the carrier is of these bodies, so that their walls are not compared

        Raises
        ------
        MeshError    a carrier of other bodies, or one that ends before the mesh does
        """
        for marker in mesh.boundaries:
            _check_reach(mesh, carrier, marker)
        for marker in () if known else walls:
            _check_walls(mesh, carrier, marker)
        corner, share = places(mesh, carrier, still)
        wall = np.full((mesh.nodes, 3), -1, np.int32)
        weight, off = np.zeros((mesh.nodes, 3)), np.zeros((mesh.nodes, 3))
        close = np.zeros(mesh.nodes)
        each = [wall_facets(mesh, [marker]) for marker in walls]  # in the order of the bodies
        facets = np.concatenate([np.empty((0, 3), np.int32), *each])
        row_of = np.full(mesh.nodes, -1, np.int32)
        row_of[rows] = np.arange(len(rows))
        if len(facets):
            facet, away = nearest(mesh.points, mesh.points[facets])
            near = np.flatnonzero(away < reach)
            own, distance = facets[facet[near]], away[near]
            wall[near] = row_of[own]
            weight[near] = closest(mesh.points[near], mesh.points[own])
            foot = (weight[near, :, None] * mesh.points[own]).sum(axis=1)
            off[near] = mesh.points[near] - foot
            weight[near] *= fading(distance / reach)[:, None]
            of = np.repeat(np.arange(len(walls)), list(map(len, each)))
            other = others(mesh.points[near], mesh.points[facets], of, of[facet[near]])
            close[near] = turning(distance, other, TURNED * reach)
        return cls(corner, share, wall, weight, off, close, *spokes(facets, row_of, len(rows)))


def others(points: Floats, corners: Floats, of: NDArray[Any], own: NDArray[Any]) -> Floats:
    """(n,) distances of points to the walls of other bodies than the nearest; inf without any.

    Parameters
    ----------
    corners : (facets, 3, 3);  of : (facets,) number of the body of each
    own : (n,)    of the body whose wall is nearest
    """
    found = np.full(len(points), np.inf)
    for body in np.unique(own):
        here, others = own == body, of != body
        if others.any():
            found[here] = nearest(points[here], corners[others])[1]
    return found


def turning(away: Floats, other: Floats, reach: float) -> Floats:
    """(n,) shares by which nodes turn with the nearest wall: 1 at it, 0 from `reach` on, and half
    way to the wall of another body, where the nearest wall is another one.

    Parameters
    ----------
    away, other : (n,)    distances of the nearest wall, and of those of other bodies [chord]
    """
    limit = np.minimum(reach, 0.5 * (away + other))  # 0 where walls of two bodies meet
    return fading(np.divide(away, limit, out=np.zeros_like(away), where=limit > 0))


def spokes(facets: NDArray[Any], row_of: Ints, rows: int) -> tuple[Ints, Ints]:
    """Facets about the nodes of walls: their offsets (rows + 1,), other corners (k, 2) in turn."""
    each = np.concatenate([np.roll(facets, -k, axis=1) for k in range(3)])
    row = row_of[each[:, 0]]
    order = np.argsort(row, kind="stable")
    first = np.searchsorted(row[order], np.arange(rows + 1))
    return first.astype(np.int32), each[order, 1:].astype(np.int32)


def fading(share: Floats) -> Floats:
    """Factors of the correction at a share of its reach: 1 at the wall, 0 from 1 on, smooth."""
    left = np.maximum(1.0 - share, 0.0)
    return np.asarray(left**2 * (1.0 + 2.0 * share))


def places(mesh: Mesh, carrier: Mesh, still: Sequence[str] = ()) -> tuple[Ints, Floats]:
    """Corners (nodes, 4) of the tetrahedron of a carrier that bears each node, and its coordinates.

    Coordinates of a node beyond a boundary of `still` are zero: it stays, as that does.

    Raises
    ------
    MeshError    a node that lies far outside of the carrier
    """
    cells = carrier.solids["tetrahedra"]
    corners = carrier.points[cells]
    cell, least = holding(mesh.points, corners)
    outside = np.flatnonzero(least < -INSIDE)
    stays = outside[_beyond(mesh.points[outside], carrier, still)]
    outside = np.setdiff1d(outside, stays)
    if len(outside):
        cell[outside] = _beside(mesh, carrier, outside)
    cell[stays] = 0
    own = corners[cell]
    sides = np.swapaxes(own[:, 1:] - own[:, :1], 1, 2)
    three = np.linalg.solve(sides, (mesh.points - own[:, 0])[..., None])[..., 0]
    share = np.concatenate([1.0 - three.sum(axis=1, keepdims=True), three], axis=1)
    share[stays] = 0.0
    return cells[cell], share


def _beyond(points: Floats, carrier: Mesh, still: Sequence[str]) -> NDArray[np.bool_]:
    """(n,) whether places outside of a carrier are no nearer to its other boundaries than to
    those of `still`."""
    sides = ([m for m in carrier.boundaries if (m in still) is there] for there in (True, False))
    there, others = (_boundary(carrier, markers) for markers in sides)
    if not len(points) or not len(there):
        return np.zeros(len(points), bool)
    away = nearest(points, carrier.points[there])[1]
    if not len(others):
        return np.ones(len(points), bool)
    return np.asarray(away <= (1.0 + INSIDE) * nearest(points, carrier.points[others])[1])


def _boundary(mesh: Mesh, markers: Sequence[str]) -> NDArray[Any]:
    """(k, 3) triangles of boundaries."""
    parts = [triangles_of(mesh.boundaries[marker]) for marker in markers]
    return np.concatenate(parts) if parts else np.empty((0, 3), np.int32)


def _beside(mesh: Mesh, carrier: Mesh, outside: NDArray[np.intp]) -> NDArray[np.int64]:
    """Tetrahedra behind the faces of the boundary that are nearest to nodes outside of all."""
    faces = _boundary(carrier, [*carrier.boundaries])
    face, away = nearest(mesh.points[outside], carrier.points[faces])
    size = longest(carrier.points[faces[face]])
    worst = int((away / size).argmax())
    if away[worst] > OUTSIDE * size[worst]:
        raise MeshError(
            f"{named(mesh, int(outside[worst]))} lies {away[worst]:.4g} outside of the carrier, "
            f"whose face there is {size[worst]:.4g} long; expected a carrier that reaches as far "
            "as the mesh, with the same boundary"
        )
    used, inverse = np.unique(face, return_inverse=True)
    return _behind(carrier, np.sort(faces[used], axis=1))[inverse]


def _behind(carrier: Mesh, faces: NDArray[Any]) -> NDArray[np.int64]:
    """Tetrahedra (k,) that have the faces (k, 3), whose nodes ascend."""
    base = np.array([carrier.nodes**2, carrier.nodes, 1], np.int64)
    each = carrier.solids["tetrahedra"][:, FACES].reshape(-1, 3).astype(np.int64)
    keys = np.sort(each, axis=1) @ base
    order = np.argsort(keys)
    at = np.searchsorted(keys, faces.astype(np.int64) @ base, sorter=order)
    return np.asarray(order[at] // 4)


def longest(corners: Floats) -> Floats:
    """(k,) longest sides of triangles (k, 3, 3)."""
    sides = corners[:, [1, 2, 0]] - corners
    return np.asarray(np.sqrt((sides**2).sum(axis=2).max(axis=1)))


def named(mesh: Mesh, node: int) -> str:
    """A node, by its number in the user's file, with its place."""
    x, y, z = mesh.points[node]
    return f"node {mesh.original[node]} (x = {x:.6g}, y = {y:.6g}, z = {z:.6g})"


def _check_reach(mesh: Mesh, carrier: Mesh, marker: str) -> None:
    """MeshError where a boundary of the carrier ends elsewhere than that of the mesh."""
    own, other = (_ends(each, marker) for each in (mesh, carrier))
    apart = np.abs(other - own)
    if apart.max() <= REACH * np.ptp(own, axis=0).max():
        return
    axis = int(apart.max(axis=0).argmax())
    raise MeshError(
        f"boundary {marker!r} of the carrier reaches from {'xyz'[axis]} = {other[0, axis]:.6g} to "
        f"{other[1, axis]:.6g}, that of the mesh from {own[0, axis]:.6g} to {own[1, axis]:.6g}; "
        f"expected {OTHERS}"
    )


def _ends(mesh: Mesh, marker: str) -> Floats:
    """(2, 3) least and largest coordinates of a boundary."""
    faces = mesh.boundaries[marker]
    points = mesh.points[np.unique(faces[faces >= 0])]
    return np.stack([points.min(axis=0), points.max(axis=0)])


def _check_walls(mesh: Mesh, carrier: Mesh, marker: str) -> None:
    """MeshError where nodes of a wall lie far from the carrier's wall of that name."""
    faces = mesh.boundaries[marker]
    nodes = np.unique(faces[faces >= 0])
    corners = carrier.points[wall_facets(carrier, [marker])]
    facet, away = nearest(mesh.points[nodes], corners)
    size = longest(corners[facet])
    worst = int((away / size).argmax())
    if not away[worst] <= OFF_WALL * size[worst]:
        raise MeshError(
            f"{named(mesh, int(nodes[worst]))} of wall {marker!r} lies {away[worst]:.4g} from the "
            f"carrier's, {100 * away[worst] / size[worst]:.3g} % of its facet's {size[worst]:.4g}, "
            f"expected at most {100 * OFF_WALL:g} %: {OTHERS}"
        )
