"""What a run leaves in its folder beside the history: flow fields over time and restarts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.io import restart
from kinemesh.io.fields import FieldWriter, flow
from kinemesh.io.summary import Stopwatch

if TYPE_CHECKING:
    from kinemesh.ale import Ale


class Files:
    """flow.vtkhdf (flow-0.vtkhdf, ... of several members) and restart.h5 of a run.

    Parameters
    ----------
    folder : Path, or None to write nothing
    """

    def __init__(self, ale: Ale, folder: Path | None, watch: Stopwatch) -> None:
        self.ale, self.folder, self.watch = ale, folder, watch
        self.writers: list[FieldWriter] = []

    def __enter__(self) -> Files:
        if self.folder is None:
            return self
        grid = self.ale.grid
        for m, mesh in enumerate(grid.meshes):
            name = f"flow-{m}.vtkhdf" if grid.members > 1 else "flow.vtkhdf"
            walls = [mesh.boundaries[marker] for i, marker in grid.bodies if i == m]
            edges = np.concatenate(walls) if walls else np.empty((0, 2), np.int32)
            self.writers.append(FieldWriter(self.folder / name, mesh, edges))
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self.writers:
            writer.close()

    def fields(self, time: NDArray[np.float64]) -> None:
        """Append the present flow at each member's time [chord/a_inf]."""
        if not self.writers:
            return
        with self.watch("files"):
            q, x = self.ale.primitive().astype(float), self.ale.backend.get(self.ale.grid.x)
            first = self.ale.grid.first
            for m, writer in enumerate(self.writers):
                rho, u, v, p = q[first[m] : first[m + 1]].T
                fields = flow(rho, np.stack([u, v]), p, float(self.ale.mach[m]))
                writer.append(float(time[m]), x[first[m] : first[m + 1]], fields)

    def restart(self, step: int, dt: NDArray[np.float64]) -> None:
        """Write the time levels that a later run needs to go on with the same bits."""
        if self.folder is None:
            return
        with self.watch("files"):
            ale, get = self.ale, self.ale.backend.get
            grid = ale.grid
            state = {} if ale.mover is None else ale.mover.state()
            arrays: dict[str, Any] = {
                "u": ale.u, "u1": ale.u1, "x": grid.x, "V": grid.V, "V1": grid.V1,
                "dV1": grid.dV1, "wall_dV1": grid.wall.device["dV1"],
                "far_dV1": grid.far.device["dV1"],
            }  # fmt: skip
            record = {
                "step": step, "dt": dt.tolist(), "mach": ale.mach.tolist(),
                "alpha_deg": ale.alpha_deg.tolist(), "nodes": [m.nodes for m in grid.meshes],
                "dtype": ale.backend.dtype, "deform": ale.deform.name,
            }  # fmt: skip
            host = {name: get(array) for name, array in arrays.items()}
            host |= {f"deform_{name}": value for name, value in state.items()}
            restart.write(self.folder / "restart.h5", host, record)
