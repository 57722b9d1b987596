"""Files in a run's folder beside the history: flow fields over time, and restarts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import warn
from kinemesh.io import summary
from kinemesh.io.fields import FieldWriter
from kinemesh.io.history import History
from kinemesh.io.summary import Stopwatch
from kinemesh.results import along_walls
from kinemesh.run import resume
from kinemesh.space.skins import Skin, skins_of, walls_of

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving


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
            edges, bodies = walls_of(grid, m)
            self.writers[m] = FieldWriter(path, grid.shown(m), edges, bodies, grid.on)
        self._begin_surfaces(upto)

    def _path(self, name: str, member: int) -> Path:
        assert self.folder is not None
        several = self.solver.grid.members > 1
        return self.folder / (f"{name}-{member}.vtkhdf" if several else f"{name}.vtkhdf")

    def _begin_surfaces(self, upto: NDArray[np.float64] | None) -> None:
        """Open the files of surfaces in space, as `begin` does those of the flow."""
        grid = self.solver.grid
        for m, (skin, bodies) in skins_of(grid).items():
            path = self._path("surface", m)
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
                along_walls.write(self.folder / name, found)

    def contents(self, phase: str, step: int, more: Mapping[str, Any]) -> tuple[Any, Any]:
        """Arrays and record of a restart."""
        spent = {"seconds": self.watch.seconds, "total": self.watch.total}
        return resume.contents(self.solver, phase, step, self.ident, {**more, **spent})

    def rescue(self, kept: tuple[Any, Any]) -> None:
        """Write a restart whose contents were kept on the host, where a step has failed."""
        if self.folder is not None:
            self.history.sync()
            resume.write(self.folder, *kept)

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
            arrays, record = self.contents(phase, step, more)
            resume.write(self.folder, arrays, record)
            failed = self.solver.grid.ensemble.told()
            if len(failed) > self.told:
                summary.update(self.folder / "summary.json", failed=failed)
                self.told = len(failed)
