"""Cells in space: the shares of their corners in the duals, their volumes, which way they turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, warn
from kinemesh.mesh.doubles import check_corners
from kinemesh.mesh.edges import listed
from kinemesh.mesh.kinds import KINDS, SOLIDS, Kind

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
CHUNK = 1 << 16  # cells at a time: what is worked out of them stays in the caches


def shares(points: Floats, kind: Kind, cells: Ints) -> Floats:
    """(cells, corners) volume of each cell that the dual of its corner has [chord^3].

    Over the edges at a corner, 1/6 S . (x_b - x_a), with S the area vector of the edge's facet.
    The shares of a tetrahedron are a quarter of its volume each.
    """
    found = np.empty((len(cells), kind.corners))
    for first in range(0, len(cells), CHUNK):
        own = cells[first : first + CHUNK]
        x = np.take(points, own.T, axis=0).transpose(0, 2, 1)  # corners, axes, cells
        x = x - x[:1]  # about the first corner: no cancellation
        found[first : first + CHUNK] = _shares(kind, x).T
    return found


def _shares(kind: Kind, x: Floats) -> Floats:
    """(corners, cells) shares of cells with corners at x (corners, 3, cells)."""
    if kind.corners == 4:
        return np.tile(_triple(x[1], x[2], x[3]) / 24, (4, 1))
    centre = x.mean(axis=0)
    middle = [x[list(face)].mean(axis=0) for face in kind.faces]
    found = np.zeros((kind.corners, x.shape[2]))
    for (a, b), (forth, back) in zip(kind.edges, kind.sides, strict=True):
        half = centre - 0.5 * (x[a] + x[b])
        share = _triple(half, middle[forth] - middle[back], x[b] - x[a]) / 12
        found[a] += share
        found[b] += share
    return found


def _triple(a: Floats, b: Floats, c: Floats) -> Floats:
    """Triple products (a x b) . c of vectors (3, n)."""
    return (
        (a[1] * b[2] - a[2] * b[1]) * c[0]
        + (a[2] * b[0] - a[0] * b[2]) * c[1]
        + (a[0] * b[1] - a[1] * b[0]) * c[2]
    )


def volumes(points: Floats, kind: Kind, cells: Ints) -> Floats:
    """(cells,) volumes, positive where faces run counter-clockwise from outside [chord^3]."""
    return shares(points, kind, cells).sum(axis=1)


def centroids(points: Floats, kind: Kind, cells: Ints) -> Floats:
    """(cells, 3) centroids: of quadrilaterals the cell has the triangles about their means."""
    found = np.empty((len(cells), 3))
    for first in range(0, len(cells), CHUNK):
        own = cells[first : first + CHUNK]
        x = np.take(points, own.T, axis=0).transpose(0, 2, 1)  # corners, axes, cells
        middle = x.mean(axis=0)
        found[first : first + CHUNK] = (middle + _off_centre(kind, x - middle)).T
    return found


def _off_centre(kind: Kind, x: Floats) -> Floats:
    """(3, cells) ways from the mean of the corners, at x (corners, 3, cells) from there."""
    six, moment = np.zeros(x.shape[2]), np.zeros(x.shape[1:])
    for face in kind.faces if kind.corners > 4 else ():
        middle = x[list(face)].mean(axis=0)
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            part = _triple(x[a], x[b], middle)
            six += part
            moment += 0.25 * part * (middle + x[a] + x[b])
    return moment / six if kind.corners > 4 else moment


def upright(
    points: Floats,
    blocks: Mapping[str, Ints],
    name: Callable[[str, int], str] = lambda kind, i: f"{KINDS[kind].one} {i}",
) -> tuple[dict[str, Ints], str]:
    """Cells of positive volume, those that are inside out mirrored; a sentence that says how many.

    `name(kind, i)` is how a message calls a cell.

    Raises
    ------
    MeshError    a corner has no positive share of the cell's volume, or is no node
    """
    made, counts = {}, []
    for key, cells in blocks.items():
        kind = SOLIDS[key]
        _check_range(len(points), kind, cells, name)
        check_corners(points, kind, cells, lambda i, key=key: name(key, i))  # type: ignore[misc]
        share = shares(points, kind, cells)
        inside_out = share.sum(axis=1) < 0
        share[inside_out] *= -1
        bad = np.flatnonzero(~(share > 0).all(axis=1))
        if len(bad):
            _refuse(points, key, cells, share, bad, name)
        made[key] = cells
        if inside_out.any():
            made[key] = np.where(inside_out[:, None], cells[:, kind.mirror], cells)
            counts.append(f"{inside_out.sum()} of {len(cells)} {key}")
    return made, f"{' and '.join(counts)} were inside out: mirrored" if counts else ""


def warn_of_mirrored(note: str) -> None:
    """Warn of cells that were inside out; of none without a note."""
    if note:
        warn(f"{note}; expected corners in the order of CGNS", UserWarning)


def warn_of_turned(note: str) -> None:
    """Warn of cells of the plane that ran clockwise; of none without a note."""
    if note:
        warn(f"{note}; expected corners counter-clockwise", UserWarning)


def _check_range(nodes: int, kind: Kind, cells: Ints, name: Callable[[str, int], str]) -> None:
    outside = np.flatnonzero(((cells < 0) | (cells >= nodes)).any(axis=1))
    if len(outside):
        i = int(outside[0])
        raise MeshError(
            f"{name(kind.name, i)} has nodes {listed(cells[i], 8)}, expected 0 to {nodes - 1}: "
            f"{len(outside)} such element(s); correct the connectivity"
        )


def _refuse(
    points: Floats,
    key: str,
    cells: Ints,
    share: Floats,
    bad: NDArray[np.intp],
    name: Callable[[str, int], str],
) -> None:
    """MeshError about the first cell with a corner that has no positive share of its volume."""
    i = int(bad[0])
    corner = int(np.argmin(np.where(np.isfinite(share[i]), share[i], -np.inf)))
    where = ", ".join("({:.6g}, {:.6g}, {:.6g})".format(*x) for x in points[cells[i]])
    whole = share[i].sum()
    raise MeshError(
        f"{name(key, i)} with nodes {listed(cells[i], 8)} at {where} has volume {whole:.3g} and at "
        f"node {cells[i][corner]} a share of {share[i][corner]:.3g} of it, expected > 0 at every "
        f"corner: {len(bad)} such element(s) of {len(cells)}; the cell is flat or folded, repair it"
    )
