"""Cells of the block about a wing, by kind, and the faces of its markers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.generate.cones import cut_faces, tetrahedra
from kinemesh.mesh.generate.wings.block import hexahedra, prisms, ranks, sides
from kinemesh.mesh.generate.wings.thin import whole

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Tables = dict[str, Ints]


def cells(points: Floats, number: Ints, slit: int, kind: str, layers: int) -> tuple[Tables, Tables]:
    """Cells by kind, and faces of the markers: hexes, prisms, tets or hybrid.

    Among prisms are hexahedra where prisms would be too thin, and pyramids between these and
    tetrahedra.

    Parameters
    ----------
    points : (nodes, 3)
    number : (stations, rings, around)    numbers of the block's nodes
    slit : first station where both sides are one line
    layers : of prisms about the wing, with tetrahedra beyond them, of a hybrid mesh
    """
    faces = sides(number, slit)
    if kind == "hexes":
        return {"hexahedra": hexahedra(number)}, faces
    stations, rings, rays = number.shape
    around = {"prisms": rings - 1, "tets": 0, "hybrid": layers}[kind]
    rank = ranks(number, last=around or None)
    own, made = number[:, : around + 1], {}
    uncut = np.zeros((stations - 1, rays), bool)
    if around:
        uncut = whole(points, own, rank)
        made["prisms"] = prisms(own, rank, where=~uncut)
        made["hexahedra"] = hexahedra(own)[_of_layers(uncut, around).ravel()]
    if kind != "prisms":
        made |= _outer(number[:, around:], rank, uncut)
    end = np.zeros((rings - 1) * rays, bool)
    kept = {
        "wing": uncut[:slit].ravel(),
        "symmetry": end,
        "farfield": np.append(end, uncut & (around == rings - 1)),
    }
    return made, {name: _cut(faces[name], kept[name], own, rank) for name in faces}


def _of_layers(faces: Flags, layers: int) -> Flags:
    """(stations - 1, layers, around) of faces, the same in all layers."""
    return np.repeat(faces[:, None], layers, axis=1)


def _outer(number: Ints, rank: NDArray[np.int64], uncut: Flags) -> Tables:
    """Tetrahedra outside a ring, and pyramids on its faces that are whole.

    Nodes of the ring rank last, so that no cell next to it is the cone from a corner on it.
    """
    outer = hexahedra(number)
    above = _of_layers(uncut, number.shape[1] - 1)
    above[:, 1:] = False
    next_to, apart = outer[above.ravel()], outer[~above.ravel()]
    inner = np.zeros(len(rank), bool)
    inner[number[:, 0]] = True
    cones = tetrahedra({"hexahedra": next_to}, rank)
    apex = np.take_along_axis(next_to, np.argmin(rank[next_to], axis=1)[:, None], axis=1)
    return {
        "tetrahedra": np.concatenate(
            [tetrahedra({"hexahedra": apart}, rank), cones[inner[cones].sum(axis=1) < 3]]
        ),
        "pyramids": np.concatenate([next_to[:, [0, 4, 5, 1]], apex], axis=1),
    }


def _cut(faces: Ints, kept: Flags, number: Ints, rank: NDArray[np.int64]) -> Ints:
    """Faces of a marker as its cells have them.

    Parameters
    ----------
    kept : (faces,) faces on a ring that stay whole; so do all sides of layers of `number`
    """
    ring = np.full(len(rank), number.shape[1])
    for k in range(number.shape[1]):
        ring[number[:, k]] = k
    of = ring[faces]
    side = (of.min(axis=1) < of.max(axis=1)) & (of.max(axis=1) < number.shape[1])
    uncut = kept | side
    pad = ((0, 0), (0, 1))
    cut = np.pad(cut_faces(faces[~uncut], rank), pad, constant_values=-1)
    return np.concatenate([faces[uncut], cut]).astype(np.int32)
