"""Plot3D grids: structured blocks of points, formatted, of the plane or of space.

A block has markers `imin`, `imax`, `jmin` and so on (of several `block2.imin`); sides that meet
sides, as wake cuts and seams do, are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import DIMENSIONS
from kinemesh.errors import MeshError
from kinemesh.mesh.files.built import built
from kinemesh.mesh.files.text_files import path_of, read_text
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.polygons import polygon_areas

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SUFFIXES = (".p3d", ".p2d", ".p3dfmt", ".p2dfmt", ".plot3d", ".xyz", ".xy")
AXES = "xyz"
SIDES = "ijk"
MOST, DIGITS = 100_000_000, 9  # numbers of a file with repeat counts; digits of a count
ALIKE = 1e-9  # of the extent: two planes of points that are one but for a shift
# Corners of a cell of indices (i, j) or (i, j, k), in the order of VTK.
QUAD = ((0, 0), (1, 0), (1, 1), (0, 1))
HEXAHEDRON = tuple((*corner, k) for k in (0, 1) for corner in QUAD)


@dataclass(frozen=True)
class Block:
    """Points of a block.

    Parameters
    ----------
    points : (ni, nj, 2) or (ni, nj, nk, 3)
    """

    points: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of points along i, j and k."""
        return self.points.shape[:-1]

    def numbered(self, first: int) -> Ints:
        """Numbers of the points, from `first` on, by their indices; i runs fastest."""
        return first + np.arange(np.prod(self.shape)).reshape(self.shape, order="F")

    def listed(self) -> Floats:
        """(points, d) by these numbers."""
        return self.points.reshape(-1, self.points.shape[-1], order="F")


def read_plot3d(path: str | Path, merge: float | None = None) -> Mesh:
    """Read a formatted Plot3D grid of one block or several, with or without their number before.

    Points at one place are one node, as on both sides of a wake cut, on a seam, and where blocks
    meet.  Of a grid in space that is one cell thick between two planes alike, which codes of
    structured grids take for a plane flow, the mesh is that plane.

    Parameters
    ----------
    merge : distance within which points become one [length of the file]; None: at one place alone

    Raises
    ------
    MeshError    with file, what was found and what was expected
    """
    path = path_of(path)
    values = _values(path, read_text(path))
    blocks = _blocks(path, values)
    blocks, notes = REDUCED[blocks[0].points.shape[-1]](blocks)
    dimension = DIMENSIONS[blocks[0].points.shape[-1]]
    points = np.concatenate([own.listed() for own in blocks])
    wrong = np.flatnonzero((np.abs(points) > dimension.farthest).any(axis=1))
    if len(wrong):
        raise MeshError(
            f"{path}: point {wrong[0]} is at {points[wrong[0]].tolist()}, expected coordinates of "
            f"{dimension.farthest:g} at most"
        )
    cells, markers, first = [], dict[str, Ints](), 0
    for number, block in enumerate(blocks, 1):
        node = block.numbered(first)
        first += node.size
        cells.append(_cells(node, points))
        prefix = f"block{number}." if len(blocks) > 1 else ""
        markers |= {prefix + name: own for name, own in _sides(node).items()}
    if merge is None and len(np.unique(points, axis=0)) < len(points):
        merge = 0.0
    table = {CELLS[dimension.count].name: np.concatenate(cells)}
    return built(path, points, table, markers, lambda _, i: f"cell {i}", "Plot3D", merge, notes)


def _values(path: Path, text: str) -> Floats:
    """Numbers of a text, those with a repeat count (2*0.5) as often as it says."""
    try:
        found = _repeated(text) if "*" in text else np.array(_words(text), dtype=np.float64)
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from None
    except ValueError:
        found = np.array([np.nan])
    if np.isfinite(found).all():
        return found
    lines = enumerate(text.split("\n"), 1)
    line, bad = next((k, w) for k, own in lines for w in _words(own) if not _is_number(w))
    raise MeshError(f"{path}, line {line}: {bad!r}, expected a number of a formatted Plot3D grid")


def _words(text: str) -> list[str]:
    """Words with exponents as Python has them: 1.0E-3 for 1.0D-3."""
    return text.replace(",", " ").upper().replace("D", "E").split()


def _repeated(text: str) -> Floats:
    """Numbers with those that have a repeat count as often as it says; ValueError for others."""
    words, counts = [], list[int]()
    for word in _words(text):
        count, star, value = word.partition("*")
        repeats = bool(star) and _is_count(count)
        words.append(value if repeats else word)
        counts.append(int(count) if repeats else 1)
    if sum(counts) > MOST:
        raise MeshError(f"has {sum(counts)} numbers by its repeat counts, expected {MOST} at most")
    return np.repeat(np.array(words, dtype=np.float64), counts)


def _is_count(word: str) -> bool:
    return word.isdecimal() and word.isascii() and len(word) <= DIGITS


def _is_number(word: str) -> bool:
    count, star, value = word.partition("*")
    try:
        return isfinite(float(value if star and _is_count(count) else word))
    except ValueError:
        return False


def _blocks(path: Path, values: Floats) -> list[Block]:
    """Blocks of a file, by the one way of numbers and coordinates that has its number of values."""
    for several, dimensions in product((True, False), (2, 3)):
        sizes, at = _sizes(values, several, dimensions)
        if not sizes:
            continue
        needed = [prod(own) for own in sizes]
        blanked = len(values) - at == (dimensions + 1) * sum(needed)
        if not blanked and len(values) - at != dimensions * sum(needed):
            continue
        found = []
        for own, count in zip(sizes, needed, strict=True):
            table = values[at : at + dimensions * count].reshape(dimensions, *own[::-1])
            at += (dimensions + blanked) * count
            if blanked and (values[at - count : at] != 1).any():
                raise MeshError(
                    f"{path}: has points that are blanked (iblank is not 1), expected none; leave "
                    "the holes in, of overset parts (km.overset) they are cut by the run"
                )
            found.append(Block(np.ascontiguousarray(table.T)))
        return found
    head = ", ".join(f"{value:g}" for value in values[:4])
    raise MeshError(
        f"{path}: {len(values)} numbers that begin with {head}, expected a Plot3D grid: the number "
        "of its blocks where there are several, points along i and j (and k) of each, and then of "
        "each all x, all y (and all z); is the file complete?"
    )


def _sizes(values: Floats, several: bool, dimensions: int) -> tuple[list[tuple[int, ...]], int]:
    """Points along the indices of each block, and where coordinates begin; none of no grid."""
    at = 1 if several else 0
    count = int(values[0]) if several and len(values) and 1 <= values[0] < len(values) else 1
    end = at + dimensions * count
    table = values[at:end]
    whole = (table >= 1) & (table <= MOST) & (table == np.rint(table))
    if len(table) < dimensions * count or not whole.all():
        return [], end
    return [tuple(own) for own in table.astype(int).reshape(count, dimensions).tolist()], end


def _in_plane(blocks: Sequence[Block]) -> tuple[list[Block], tuple[str, ...]]:
    """Blocks as they are; those of one plane of points, or of two alike, in that plane."""
    thin = [own for own in map(_thin, blocks) if own is not None]
    if len(thin) < len(blocks) or len({axis for _, axis in thin}) != 1:
        return list(blocks), ()
    axis = thin[0][1]
    rest = [k for k in range(3) if k != axis]
    found = [
        Block(np.ascontiguousarray(np.take(block.points, 0, side)[..., rest]))
        for block, (side, _) in zip(blocks, thin, strict=True)
    ]
    note = (
        f"the grid has one layer of cells along {AXES[axis]}: its mesh is that of the plane "
        f"{AXES[rest[0]]}, {AXES[rest[1]]}"
    )
    return found, (note,)


REDUCED: dict[int, Callable[[Sequence[Block]], tuple[list[Block], tuple[str, ...]]]] = {
    2: lambda blocks: (list(blocks), ()),
    3: _in_plane,
}


def _thin(block: Block) -> tuple[int, int] | None:
    """Index along which a block has one plane of points or two alike, and the axis across them."""
    points = block.points
    extent = float(np.ptp(points.reshape(-1, 3), axis=0).max())
    for side, count in enumerate(block.shape):
        if count > 2:
            continue
        plane = np.take(points, 0, side)
        way = np.take(points, count - 1, side) - plane
        across = np.flatnonzero(np.ptp(plane.reshape(-1, 3), axis=0) <= ALIKE * extent)
        if not len(across):
            continue
        axis = int(across[0])
        other = np.delete(way, axis, axis=-1)
        if np.abs(other).max() <= ALIKE * extent and np.ptp(way[..., axis]) <= ALIKE * extent:
            return side, axis
    return None


def _cells(node: Ints, points: Floats) -> Ints:
    """(cells, corners) of a block, counter-clockwise or in the order of VTK, whatever its hand."""
    kind = CELLS[node.ndim]
    cells = np.stack([_shifted(node, own) for own in kind.corners], axis=-1)
    cells = cells.reshape(-1, len(kind.corners))
    return cells if kind.content(points, cells) > 0 else cells[:, kind.mirrored]


def _shifted(node: Ints, corner: Sequence[int]) -> Ints:
    """Numbers of one corner of all cells."""
    return node[tuple(slice(c, n - 1 + c) for c, n in zip(corner, node.shape, strict=True))]


def _area(points: Floats, cells: Ints) -> float:
    """Area of cells, positive of a right-handed block."""
    return float(polygon_areas(points, cells.astype(np.int32)).sum())


def _volume(points: Floats, cells: Ints) -> float:
    """Volume of cells, but for a factor, positive of a right-handed block."""
    x = points[cells]
    a, b, c = (x[:, k] - x[:, 0] for k in (1, 3, 4))
    return float((np.cross(a, b) * c).sum())


class Cells(NamedTuple):
    """Cells of a block: their kind, corners, the order of these in a mirror, content."""

    name: str
    corners: tuple[tuple[int, ...], ...]
    mirrored: list[int]
    content: Callable[[Floats, Ints], float]


CELLS = {
    2: Cells("quads", QUAD, [0, 3, 2, 1], _area),
    3: Cells("hexahedra", HEXAHEDRON, [0, 3, 2, 1, 4, 7, 6, 5], _volume),
}
"""By the number of indices."""


def _sides(node: Ints) -> dict[str, Ints]:
    """Edges, or faces of quadrilaterals, of each side of a block."""
    found: dict[str, Any] = {}
    for side, end in product(range(node.ndim), (0, -1)):
        own = np.take(node, end, side)
        corners = ((0,), (1,)) if own.ndim == 1 else QUAD
        table = np.stack([_shifted(own, c) for c in corners], axis=-1)
        name = f"{SIDES[side]}{'min' if end == 0 else 'max'}"
        found[name] = table.reshape(-1, len(corners))
    return found
