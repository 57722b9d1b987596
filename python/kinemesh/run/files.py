"""Files in a run's folder beside the history: flow fields over time, and restarts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import warn
from kinemesh.io import summary
from kinemesh.io.fields import FieldWriter
from kinemesh.io.history import History
from kinemesh.io.summary import Stopwatch
from kinemesh.mesh.pieces import triangles_of
from kinemesh.results import walls
from kinemesh.run import resume

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving
    from kinemesh.space.volumes import Volumes


class Skin(NamedTuple):
    """Walls of a mesh or cloud in space, as field files want them.

    nodes : (n,) of the mesh;  points, original, triangles : of these, with numbers of their own
    rows : what pressures are asked of: nodes, or of each triangle the row of its face in the patch
    """

    rows: NDArray[np.int64]
    nodes: NDArray[np.int64]
    points: NDArray[np.float64]
    original: NDArray[np.int64]
    triangles: NDArray[np.int64]
    quads: NDArray[np.int64]

    @classmethod
    def of(cls, grid: Volumes, member: int, walls: NDArray[Any]) -> Skin:
        """Make it of triangles (k, 3) of nodes of a member's mesh."""
        mesh, first = grid.meshes[member], int(grid.vertices.first[member])
        nodes, own = np.unique(walls, return_inverse=True)
        nodes = nodes.astype(np.int64)
        original, none = np.asarray(mesh.original, np.int64), np.empty((0, 4), np.int64)
        rows = _faces(grid, member) if grid.on == "cells" else first + nodes
        return cls(rows, first + nodes, mesh.points[nodes], original[nodes], own.reshape(-1, 3),
                   none)  # fmt: skip


def _faces(grid: Volumes, member: int) -> NDArray[np.int64]:
    """(triangles,) row of the walls' patch of the face that each triangle is of."""
    wall, mesh = grid.wall, grid.meshes[member]
    own = np.flatnonzero(wall.member == member)
    rims = wall.shape["outline"][own]
    rims = np.sort(np.where(rims < 0, -1, rims - grid.vertices.first[member]), axis=1)
    each = [mesh.boundaries[marker] for m, marker in grid.bodies if m == member]
    faces = np.concatenate([np.empty((0, 4), np.int64), *map(_four, each)])
    both = np.concatenate([rims, np.sort(faces, axis=1)])
    _, number = np.unique(both, axis=0, return_inverse=True)
    row = np.empty(len(both), np.int64)
    row[number[: len(own)]] = own
    return np.asarray(np.repeat(row[number[len(own) :]], 1 + (faces[:, 3] >= 0)))


def _four(faces: NDArray[Any]) -> NDArray[np.int64]:
    """(n, 4) faces of 3 or 4 corners, a missing one -1."""
    return np.pad(faces.astype(np.int64), ((0, 0), (0, 4 - faces.shape[1])), constant_values=-1)


class Files:
    """flow.vtkhdf and wall.csv (flow-0.vtkhdf, ... of several members) and restart.h5 of a run.

    In space also surface.vtkhdf, the walls with their pressures, which loads and pressures of
    sections are taken from; of an unsteady run it has more frames, as they are small.

    Parameters
    ----------
    folder : Path, or None to write nothing
    ident : dict      what makes the run this run (`resume.identity`)
    """

    def __init__(
        self,
        solver: Moving,
        folder: Path | None,
        watch: Stopwatch,
        history: History,
        ident: Mapping[str, Any],
    ) -> None:
        self.solver, self.folder, self.watch = solver, folder, watch
        self.history, self.ident = history, ident
        self.writers: dict[int, FieldWriter] = {}
        self.surfaces: dict[int, FieldWriter] = {}
        self.skins: dict[int, Skin] = {}
        self.told = 0  # failures that the summary tells of

    def __enter__(self) -> Files:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._all():
            writer.close()
        self.history.close()

    def _all(self) -> list[FieldWriter]:
        return [*self.writers.values(), *self.surfaces.values()]

    def begin(self, upto: NDArray[np.float64] | None = None) -> None:
        """Open the files of fields and surfaces: anew, or cut back to each member's time `upto`.

        Those of members that have failed stay as they are.
        """
        if self.folder is None:
            return
        grid = self.solver.grid
        for m in np.flatnonzero(grid.ensemble.alive).tolist():
            mesh = grid.meshes[m]
            path = self._path("flow", m)
            if upto is not None and path.exists():
                shown = (
                    grid.shown(m) if grid.on == "cells" else mesh
                )  # a cloud's has its cells made
                self.writers[m] = FieldWriter.resume(path, shown, float(upto[m]))
                continue
            if upto is not None:
                warn(f"{path} is not there: its flow fields begin at time {upto[m]:g}")
            edges, bodies = self._walls(m)
            self.writers[m] = FieldWriter(path, grid.shown(m), edges, bodies, grid.on)
        self._begin_surfaces(upto)

    def _path(self, name: str, member: int) -> Path:
        assert self.folder is not None
        several = self.solver.grid.members > 1
        return self.folder / (f"{name}-{member}.vtkhdf" if several else f"{name}.vtkhdf")

    def _walls(self, member: int) -> tuple[NDArray[Any], dict[str, int]]:
        """Wall edges (k, d), in space triangles, of a member, and their number of each body."""
        grid, mesh = self.solver.grid, self.solver.grid.meshes[member]
        markers = [marker for m, marker in grid.bodies if m == member]
        walls = {marker: triangles_of(mesh.boundaries[marker]) for marker in markers}
        none = np.empty((0, grid.dimensions), np.int32)
        edges = np.concatenate([none, *walls.values()])
        return edges, {marker: len(facets) for marker, facets in walls.items()}

    def _begin_surfaces(self, upto: NDArray[np.float64] | None) -> None:
        """Open the files of surfaces in space, as `begin` does those of the flow."""
        grid = self.solver.grid
        if grid.dimensions == 2:
            return
        for m in np.flatnonzero(grid.ensemble.alive).tolist():
            edges, bodies = self._walls(m)
            if not len(edges):
                continue
            path, skin = self._path("surface", m), Skin.of(grid, m, edges)
            if upto is not None and path.exists():
                self.surfaces[m] = FieldWriter.resume(path, skin, float(upto[m]))
            else:
                self.surfaces[m] = FieldWriter(path, skin, skin.triangles, bodies, grid.on)
            self.skins[m] = skin

    def frames(self) -> None:
        """Append the first frames, of fields and surfaces, at time 0."""
        start = np.zeros(self.solver.grid.members)
        self.fields(start)
        self.surface(start)

    def surface(self, time: NDArray[np.float64]) -> None:
        """Append the walls of all running members and the pressures there."""
        if not self.surfaces:
            return
        with self.watch("files"):
            solver = self.solver
            x = solver.backend.get(solver.grid.x)
            running = np.flatnonzero(solver.grid.ensemble.alive).tolist()
            rows = {m: self.skins[m].rows for m in running if m in self.surfaces}
            for m, cp in solver.wall_pressures(rows).items():
                self.surfaces[m].append(float(time[m]), x[self.skins[m].nodes], {"Cp": cp})

    def fields(self, time: NDArray[np.float64]) -> None:
        """Append the flow fields of all running members at each member's time [chord/a_inf]."""
        if not self.writers:
            return
        with self.watch("files"):
            solver, first = self.solver, self.solver.grid.vertices.first
            x = solver.backend.get(solver.grid.x)
            running = np.flatnonzero(solver.grid.ensemble.alive).tolist()
            for m, fields in zip(running, solver.frames(running), strict=True):
                own = slice(first[m], first[m + 1])
                self.writers[m].append(float(time[m]), x[own], fields)

    def walls(self) -> None:
        """Write the flow on the walls of all members that have not failed, where there is friction.

        It is that of the end, of members that ended before others too.
        """
        if self.folder is None:
            return
        grid = self.solver.grid
        ran = [m for m in range(grid.members) if m not in grid.ensemble.failures]
        with self.watch("files"):
            for m, found in zip(ran, self.solver.wall_rows(ran), strict=False):
                name = f"wall-{m}.csv" if grid.members > 1 else "wall.csv"
                walls.write(self.folder / name, found)

    def restart(self, phase: str, step: int, **more: Any) -> None:
        """Write the state that a later run needs to go on with the same bits.

        History and fields are brought to the disk before, so that the restart is never ahead.  The
        summary tells of members that have failed.
        """
        if self.folder is None:
            return
        with self.watch("files"):
            self.history.sync()
            for writer in self._all():
                writer.sync()
            spent = {"seconds": self.watch.seconds, "total": self.watch.total}
            resume.write(self.solver, self.folder, phase, step, self.ident, {**more, **spent})
            failed = self.solver.grid.ensemble.told()
            if len(failed) > self.told:
                summary.update(self.folder / "summary.json", failed=failed)
                self.told = len(failed)
