"""The mesh every solver starts from: points, cells and named boundaries, of the plane or of space.

Lengths are chords.  In the plane cells run counter-clockwise, boundary edges have the domain on
their left, so that the outward normal of an edge (dx, dy) is (dy, -dx).  In space corners are in
the order of CGNS (`kinds.py`), faces of the boundary run counter-clockwise seen from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array

from kinemesh.csr import cuthill_mckee
from kinemesh.dimension import DIMENSIONS, Dimension
from kinemesh.errors import MeshError, did_you_mean, shown, warn
from kinemesh.mesh.edges import cell_edges, edge_keys, four_wide, frozen, listed, numbers, oriented
from kinemesh.mesh.kinds import KINDS, SOLIDS
from kinemesh.mesh.merge import by_kind, merged
from kinemesh.mesh.origin import UNKNOWN, Origin
from kinemesh.mesh.polygons import cell_table, check_cells, counter_clockwise, polygon_areas
from kinemesh.mesh.solid_cells import upright, volumes, warn_of_mirrored, warn_of_turned
from kinemesh.mesh.solid_faces import oriented_faces

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mesh:
    """An immutable, checked mesh of triangles and quads, or of cells in space (`from_blocks`).

    Parameters
    ----------
    points : (nodes, 2) float64    coordinates [chord]; in space (nodes, 3)
    triangles : (t, 3) int32       counter-clockwise; clockwise ones are turned here, with a warning
    quads : (q, 4) int32           so, and convex
    boundaries : dict[str, (k, 2)] edges of each marker; turned here to have the domain on the left;
        in space (k, 4) faces, -1 as fourth entry of triangles, turned to have it behind them
    original : (nodes,) int32      node number in the file the user gave; by default 0, 1, 2, ...
    origin : Origin                where the mesh comes from, for summaries
    solids : dict[str, (k, corners)]    cells of space: tetrahedra, pyramids, prisms, hexahedra;
        those that are inside out are mirrored here, with a warning; there are no plane cells then

    Raises
    ------
    MeshError    naming the first element, node, edge or face that is wrong
    """

    points: Floats
    triangles: Ints
    quads: Ints
    boundaries: dict[str, Ints]
    original: Ints = field(default=None)  # type: ignore[arg-type]
    origin: Origin = UNKNOWN
    solids: dict[str, Ints] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        width = 3 if self.solids else 2
        points = frozen(self.points, np.float64, width, "points")
        triangles = frozen(self.triangles, np.int32, 3, "triangles")
        quads = frozen(self.quads, np.int32, 4, "quads")
        solids = _blocks(self.solids)
        original = np.arange(len(points)) if self.original is None else self.original
        _check_points(points)
        triangles, quads, note = _counter_clockwise(points, triangles, quads)
        warn_of_turned(note)
        solids, note = upright(points, solids)
        warn_of_mirrored(note)
        _check_all_used(len(points), triangles, quads, *solids.values())
        if solids:
            boundaries, said = oriented_faces(points, solids, self.boundaries)
        else:
            boundaries, said = oriented(points, triangles, quads, self.boundaries)
        origin = self.origin
        if said and not origin.slits:
            origin = replace(origin, notes=(*origin.notes, *said), slits=tuple(said))
            for note in said:
                warn(note, UserWarning)
        numbering = _numbering(original, len(points))
        fill(self, points, triangles, quads, boundaries, numbering, origin, solids)

    @classmethod
    def from_arrays(
        cls,
        points: ArrayLike,
        cells: ArrayLike,
        boundaries: Mapping[str, ArrayLike],
        original: ArrayLike | None = None,
        origin: Origin = UNKNOWN,
        merge: float | None = None,
    ) -> Mesh:
        """Mesh from one cell table.

        Parameters
        ----------
        points : (nodes, 2)    coordinates [chord]
        cells : (t, 3) triangles, or (c, 4) quads and triangles, the latter with -1 as fourth entry
        boundaries : dict[str, (k, 2)]
        original : (nodes,), optional
        origin : Origin    where the mesh comes from, for summaries
        merge : float      distance within which nodes become one (`mesh.merge`) [chord]
        """
        table = np.atleast_2d(numbers(cells, "cells"))
        if table.ndim != 2 or table.shape[1] not in (3, 4):
            raise MeshError(f"cells has shape {np.shape(cells)}, expected (cells, 3) or (cells, 4)")
        table = four_wide(table)
        flat = table[:, 3] == -1
        blocks = {"triangles": table[flat, :3], "quads": table[~flat]}
        return cls.from_blocks(points, blocks, boundaries, original, origin, merge)

    @classmethod
    def from_blocks(
        cls,
        points: ArrayLike,
        blocks: Mapping[str, ArrayLike],
        boundaries: Mapping[str, ArrayLike],
        original: ArrayLike | None = None,
        origin: Origin = UNKNOWN,
        merge: float | None = None,
    ) -> Mesh:
        """Mesh from a table of each kind of cell, of the plane or of space.

        Parameters
        ----------
        points : (nodes, 2 or 3)    coordinates [chord]
        blocks : dict[str, (k, corners)]    nodes of the cells of each kind, in CGNS's order:
            triangles, quads; tetrahedra, pyramids, prisms, hexahedra
        boundaries : dict[str, (k, 2)]    in space (k, 3) triangles, or (k, 4) quadrilaterals and
            triangles, the latter with -1 as fourth entry
        original : (nodes,), optional
        origin : Origin    where the mesh comes from, for summaries
        merge : float      distance within which nodes become one (`mesh.merge`) [chord]
        """
        if not isinstance(blocks, Mapping):
            raise MeshError(f"blocks is {shown(blocks)}, expected tables by kind of cell")
        for name in blocks:
            if name not in KINDS:
                raise MeshError(
                    f"blocks has cells '{name}', expected {', '.join(KINDS)}"
                    f"{did_you_mean(name, KINDS)}"
                )
        if merge is not None:
            made = merged(points, blocks, boundaries, merge)
            points, blocks, boundaries = made.points, made.blocks, made.boundaries
            original = made.renumbered(original)
            origin = origin.merged(made.note)
        flat = {name: blocks.get(name, ()) for name in KINDS if name not in SOLIDS}
        solids = {name: cells for name, cells in blocks.items() if name in SOLIDS}
        solids = {name: cells for name, cells in solids.items() if np.size(cells)}
        if solids and any(np.size(cells) for cells in flat.values()):
            raise MeshError(
                f"blocks has {', '.join(blocks)}, expected cells of the plane or of space, not both"
            )
        tables: Any = points, flat["triangles"], flat["quads"], boundaries, original
        more: Any = {"origin": origin, "solids": solids}
        return cls(*tables, **more)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.points)

    @property
    def dimension(self) -> Dimension:
        """The plane, or space."""
        return DIMENSIONS[self.dimensions]

    @property
    def dimensions(self) -> int:
        """2 in the plane, 3 in space."""
        return self.points.shape[1]

    @property
    def blocks(self) -> dict[str, Ints]:
        """Cells of each kind that there is, in the order of `kinds.KINDS`."""
        flat = {"triangles": self.triangles, "quads": self.quads}
        return {name: cells for name, cells in (flat | self.solids).items() if len(cells)}

    @property
    def cells(self) -> Ints:
        """(t + q, 4) int32: triangles first, with -1 as fourth entry; of the plane alone."""
        self._expect_plane("cells")
        return cell_table(self.triangles, self.quads)

    @property
    def areas(self) -> Floats:
        """(t + q,) cell areas, triangles first; of the plane alone [chord^2]."""
        self._expect_plane("areas")
        return np.concatenate([polygon_areas(self.points, c) for c in (self.triangles, self.quads)])

    @property
    def volumes(self) -> Floats:
        """(cells,) cell volumes, by kind in the order of `blocks`; of space alone [chord^3]."""
        if not self.solids:
            raise MeshError("mesh.volumes are of a mesh in space; of one in the plane take areas")
        return np.concatenate([volumes(self.points, KINDS[k], c) for k, c in self.solids.items()])

    def _expect_plane(self, name: str) -> None:
        """MeshError in space."""
        if self.solids:
            instead = "volumes" if name == "areas" else "blocks"
            raise MeshError(
                f"mesh.{name} is of a mesh in the plane; of one in space take {instead}"
            )

    @property
    def edges(self) -> Ints:
        """(edges, 2) int32: each edge once, lower node first, sorted."""
        if self.solids:
            each = [
                edge_keys(cells[:, ends], self.nodes)
                for kind, cells in self.solids.items()
                for ends in KINDS[kind].edges
            ]
            keys = np.concatenate(each)
        else:
            keys = edge_keys(cell_edges(self.triangles, self.quads), self.nodes)
        keys.sort()
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
        return np.stack(np.divmod(keys, self.nodes), axis=1).astype(np.int32)

    @property
    def connections(self) -> tuple[Ints, ...]:
        """The tables that connect the nodes."""
        return tuple(self.solids.values()) or (self.cells,)

    def renumbered(self) -> Mesh:
        """This mesh with its nodes in reverse Cuthill-McKee order, and cells in node order."""
        a, b = self.edges.T
        graph = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(self.nodes, self.nodes))
        order = cuthill_mckee((graph + graph.T).tocsr())
        new = np.empty(self.nodes, np.int32)
        new[order] = np.arange(self.nodes, dtype=np.int32)
        return _checked(
            self.points[order],
            new[self.triangles],
            new[self.quads],
            {name: _with(new, rows) for name, rows in self.boundaries.items()},
            self.original[order],
            self.origin,
            {kind: new[cells] for kind, cells in self.solids.items()},
        ).by_node()

    def by_node(self) -> Mesh:
        """This mesh with cells, and edges or faces of its markers, by their lowest nodes."""
        return _checked(
            self.points,
            _by_node(self.triangles),
            _by_node(self.quads),
            {name: _by_node(rows) for name, rows in self.boundaries.items()},
            self.original,
            self.origin,
            {kind: _by_node(cells) for kind, cells in self.solids.items()},
        )

    def numbered(self) -> Mesh:
        """Copy of this mesh in which the node numbers count as the user's."""
        original = np.arange(self.nodes, dtype=np.int32)
        tables = self.points, self.triangles, self.quads, self.boundaries
        return _checked(*tables, original, self.origin, self.solids)

    def transformed(self, points: ArrayLike) -> Mesh:
        """Cells and markers of this mesh at other coordinates, shaped like `points` [chord]."""
        moved = numbers(points, "transformed: points")
        if moved.shape != self.points.shape:
            raise MeshError(
                f"transformed: points has shape {moved.shape}, expected {self.points.shape}"
            )
        _, folded = upright(moved, self.solids)
        if folded:
            raise MeshError(f"transformed: {folded.removesuffix(': mirrored')}, expected none")
        for kind, cells in () if self.solids else self.blocks.items():
            check_cells(moved, cells, lambda i, kind=kind: by_kind(kind, i))  # type: ignore[misc]
        tables = self.triangles, self.quads, self.boundaries, self.original
        return Mesh(moved, *tables, self.origin.resized(), solids=self.solids)

    def __repr__(self) -> str:
        markers = ", ".join(f"{name}: {len(edges)}" for name, edges in self.boundaries.items())
        cells = self.solids or {"triangles": self.triangles, "quads": self.quads}
        each = ", ".join(f"{len(table)} {kind}" for kind, table in cells.items())
        return f"Mesh({self.nodes} nodes, {each}; {markers})"


def _checked(points: Floats, *tables: Any) -> Mesh:
    """Mesh from the tables of a checked one: equal cells in another order."""
    mesh = object.__new__(Mesh)
    fill(mesh, points, *tables)
    return mesh


def fill(
    mesh: Mesh,
    points: Floats,
    triangles: Ints,
    quads: Ints,
    boundaries: dict[str, Ints],
    original: Ints,
    origin: Origin,
    solids: dict[str, Ints],
) -> None:
    """Give a mesh its tables, which cannot be written from here on."""
    arrays: list[NDArray] = [points, triangles, quads, original]
    for array in (*arrays, *boundaries.values(), *solids.values()):
        array.setflags(write=False)
    for name, value in (
        ("points", points),
        ("triangles", triangles),
        ("quads", quads),
        ("boundaries", boundaries),
        ("original", original),
        ("origin", origin),
        ("solids", solids),
    ):
        object.__setattr__(mesh, name, value)


def _blocks(solids: Mapping[str, ArrayLike]) -> dict[str, Ints]:
    """Tables of the kinds of cells in space, in the order of the kinds."""
    for name in solids:
        if name not in SOLIDS:
            raise MeshError(
                f"solids has cells '{name}', expected {', '.join(SOLIDS)}"
                f"{did_you_mean(name, SOLIDS)}"
            )
    there = {kind: SOLIDS[kind].corners for kind in SOLIDS if kind in solids}
    return {kind: frozen(solids[kind], np.int32, n, kind) for kind, n in there.items()}


def _counter_clockwise(points: Floats, triangles: Ints, quads: Ints) -> tuple[Ints, Ints, str]:
    """Checked cells of the plane, those that run clockwise turned, and a note on their number."""
    cells, note = counter_clockwise(points, {"triangles": triangles, "quads": quads})
    for kind, own in cells.items():
        check_cells(points, own, lambda i, kind=kind: by_kind(kind, i))  # type: ignore[misc]
    return cells["triangles"], cells["quads"], note


def _with(new: Ints, rows: Ints) -> Ints:
    """Rows of nodes by their new numbers; -1 stays."""
    return np.where(rows < 0, rows, new[rows])


def _check_points(points: Floats) -> None:
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(wrong):
        i = int(wrong[0])
        raise MeshError(f"node {i} is at {points[i].tolist()}, expected finite coordinates")


def _check_all_used(nodes: int, *tables: Ints) -> None:
    if not sum(map(len, tables)):
        raise MeshError("the mesh has no cells, expected at least one triangle or quad")
    used = np.zeros(nodes, bool)
    for cells in tables:
        used[cells] = True
    idle = np.flatnonzero(~used)
    if len(idle):
        raise MeshError(
            f"node(s) {listed(idle)} belong to no element, expected every node in one; "
            "remove them from the mesh"
        )


def _numbering(original: ArrayLike, nodes: int) -> Ints:
    array = numbers(original, "original")
    if array.dtype.kind not in "iu":
        raise MeshError(f"original has dtype {array.dtype}, expected integers")
    array = array.astype(np.int32)
    if array.shape != (nodes,):
        raise MeshError(f"original has shape {array.shape}, expected ({nodes},)")
    each = np.sort(array)  # many times faster than `unique`
    if (each[1:] == each[:-1]).any():
        raise MeshError("original names a node twice, expected each number once")
    array.setflags(write=False)
    return array


def _by_node(rows: Ints) -> Ints:
    """Rows sorted by their lowest node."""
    if not len(rows):
        return rows
    lowest = rows[:, :3].min(axis=1) if (rows[:, -1] < 0).any() else rows.min(axis=1)
    return rows[np.argsort(lowest, kind="stable")]
