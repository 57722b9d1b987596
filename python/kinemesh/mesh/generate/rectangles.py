"""Quadrilaterals between rows and columns of points, hexahedra between planes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.mesh import Mesh

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Rims = Mapping[str, list[Ints]]


def rectangle(x: Floats, y: Floats, rims: Callable[[Ints], Rims]) -> Mesh:
    """Mesh of points in rows, each with the one behind it and those of the next row.

    Parameters
    ----------
    x, y : (rows, columns)    places [chord]
    rims : from the (rows, columns) nodes to those of each marker, in turn along each of its parts
    """
    at = np.arange(x.size, dtype=np.int32).reshape(x.shape)
    cells = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1)
    edges = {
        name: np.concatenate([np.stack([rim[:-1], rim[1:]], axis=1) for rim in parts])
        for name, parts in rims(at).items()
    }
    points = np.stack([x, y], axis=-1).reshape(-1, 2)
    return Mesh.from_arrays(points, cells.reshape(-1, 4), edges)


def box_of(lines: Sequence[Floats], names: Sequence[str]) -> Mesh:
    """Hexahedra between planes at places along x, y and z.

    Parameters
    ----------
    lines : places along each axis [chord]
    names : markers of the sides x0, x1, y0, y1, z0, z1
    """
    points = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    at = np.arange(len(points), dtype=np.int32).reshape([len(line) for line in lines])
    low = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1)
    cells = np.concatenate([low[:, :, :-1], low[:, :, 1:]], axis=-1).reshape(-1, 8)
    faces = {}
    for name, (axis, end) in zip(names, np.ndindex(3, 2), strict=True):
        own = np.take(at, -end, axis=axis)
        faces[name] = np.stack(
            [own[:-1, :-1], own[1:, :-1], own[1:, 1:], own[:-1, 1:]], axis=-1
        ).reshape(-1, 4)
    return Mesh.from_blocks(points, {"hexahedra": cells}, faces)
