"""Generalised forces: sums over walls of traction times the shapes of bodies that bend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import rows_of
from kinemesh.bodies.shapes import Shapes
from kinemesh.device.fields import Fields
from kinemesh.space.volumes import Volumes

KERNELS = {"wall_forces": "mode_forces", "wall_reaction": "mode_reaction"}
"""Sums with shapes by the kernel that sums loads of the same traction."""


class Generalised:
    """Sums over the wall of each body of its traction times each of its shapes.

    Parameters
    ----------
    grid
    walls : Fields of the walls of all bodies
    shapes : of the bodies
    kernel : that sums the loads of these walls
    offsets, groups : tables of the chunks of walls, and of bodies, as of `body_chunks`
    """

    def __init__(
        self, grid: Volumes, walls: Fields, shapes: Shapes, kernel: str, offsets: Any, groups: Any
    ) -> None:
        b, self.backend, self.shapes = grid.backend, grid.backend, shapes
        bodies, self.dimension = len(grid.bodies), grid.dimension
        self.pose = b.zeros((bodies, self.dimension.pose), np.float64)
        self.parts = b.zeros((len(offsets) - 1, 1), np.float64)
        self._sums = [b.zeros((bodies, 1), np.float64) for _ in range(shapes.count)]
        own = walls.also(
            body=b.table(grid.wall.body), pose=self.pose, shape=shapes.faces,
            offsets=b.array(offsets, np.int32), sums=self.parts,
        )  # fmt: skip
        gathered = {"offsets": b.array(groups, np.int32), "parts": self.parts}
        calls = []
        for mode, sums in enumerate(self._sums):
            calls.append(own.bind(KERNELS[kernel], mode=mode))
            calls.append(b.bind("gather_sum_1", **gathered, sums=sums))
        self._measure = b.record(calls)

    def sums(self, placement: Placement) -> NDArray[np.float64]:
        """(bodies, shapes) of the present flow, with the bodies where a step has placed them
        [rho_inf a_inf^2 chord, in space times chord]."""
        self.shapes.at(placement.poses.amplitudes(self.shapes.count))
        self.backend.put(self.pose, rows_of(placement.poses, self.dimension, 0))
        self._measure()
        found: NDArray[np.float64] = np.hstack([self.backend.get(sums) for sums in self._sums])
        return found
