"""Velocities, pressures, fluxes and their memory at the time levels, by name.

The unknowns stand at nodes: velocity `u`, pressure over density `p`; edges have the volume flux
`flow` through their dual face, absolute, and the `memory` of what interpolated velocities leave
out of it.  Velocities in units of the reference speed, lengths in chords.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.space.conditions.base import BODY, OUTER, PLANE
from kinemesh.space.grid import Grid

WEIGHTS = {1: (1, 0, 0), 2: (2, -1, 0), 3: (2, -1, 1)}
"""Weights of velocities of the last two levels and of the pressure's last change, by step."""

VECTORS = ("u", "u1", "u2", "res", "push")
PRESSURES = ("p", "p1", "p2", "phi", "net")
FLUXES = ("flow", "flow1", "flow2", "memory", "memory1", "memory2", "guess")
OF_MEMBERS = ("defect", "mean", "share", "turning")


class Flow:
    """Flow of all members: `flow["u"]` is the array that kernels take as `u`.

    Arrays
    ------
    u, u1, u2 : (nodes, dimensions);  p, p1, p2 : (nodes,) float64
    flow, flow1, flow2, memory, memory1, memory2 : (edges,)
    guess : (edges,) flow extrapolated in time
    res : (nodes, dimensions)    residual of the momentum equation; after a step at the nodes of
        walls what these take, and elsewhere nothing of use
    net : (nodes,) float64       what flows out of each dual
    phi : (nodes,) float64       last change of the pressure
    slope, grad : gradients of velocities, in cells and at nodes;  pull, push : of a pressure
    fading : (nodes,)
    defect : (members,) float64    what closed members lack, per volume
    share : (members,) float64     of the pressure's last change, that a step begins with
    turning : (members,) float64   how hard the turn of a grid couples nodes (eq. 7.9b)
    closure : (members, 2) float64    of the last step the largest divergence |net| / h, and the
        largest rate at which a flow passes a volume
    weights : (3,) float64         of the past, an entry of `WEIGHTS`

    Parameters
    ----------
    grid : Grid, its metrics worked out
    viscosity : (members,)    kinematic, of the reference speed and the lengths of the grid
    given : (nodes,) bool     where velocities are given
    open : (nodes,) bool      where the boundary is open: phi = 0
    blend : share of the mean of both ends in what an edge carries

    Attributes
    ----------
    closed : (members,) bool     members without an open boundary
    enclosed : (members,) int32 device array of these
    velocity : of each patch (bnodes, dimensions) velocities that are given, or of the stream that
        comes in where the boundary is open
    sides : of each patch its tables, as kernels here name them
    spin : (bnodes,) of walls, rate of their turn, counter-clockwise; in space (bnodes, 3)
    fields : Fields    these arrays and those of the grid.  A *view* is a copy with other arrays in
        the place of some: `fields.also(flow=guess)`
    levels : recording    what is becomes the past
    """

    def __init__(
        self,
        grid: Grid,
        viscosity: NDArray[np.float64],
        given: NDArray[np.bool_],
        open: NDArray[np.bool_],
        blend: float,
    ) -> None:
        self.grid, self.backend, self.viscosity = grid, grid.backend, viscosity
        b, dim = self.backend, grid.dimensions
        self.given, self.open = given, open
        self.closed = np.bincount(grid.member[open], minlength=grid.members) == 0
        self.enclosed = b.array(self.closed, np.int32)
        self.velocity = {
            role: b.zeros((len(grid.patches[role]), dim))
            for role in (BODY, OUTER, PLANE)
            if len(grid.patches.get(role, ()))
        }
        self.spin = b.zeros((len(grid.wall), *grid.dimension.spin))
        self.sides = {role: _side(grid.patches[role].device) for role in self.velocity}
        self.fields = grid.fields.also(
            **self._arrays(),
            S=grid.S,
            w=grid.w,
            viscosity=b.array(viscosity, np.float64),
            open=b.array(open, np.int32),
            active=grid.fields["alive"],
            blend=blend,
        )
        bind = self.fields.bind
        self.levels = b.record([bind("inc_levels"), bind("inc_flow_levels")])

    def _arrays(self) -> dict[str, Any]:
        grid, zeros = self.grid, self.backend.zeros
        n, e, dim, cells = grid.nodes, grid.edges, grid.dimensions, grid.vertices.cell_items.total
        return {
            **{name: zeros((n, dim)) for name in VECTORS},
            **{name: zeros(n, np.float64) for name in PRESSURES},
            **{name: zeros(e) for name in FLUXES},
            **{name: zeros(grid.members, np.float64) for name in OF_MEMBERS},
            "grad": zeros((n, dim * dim)),
            "fading": zeros(n),
            "slope": zeros((cells, dim * dim)),
            "pull": zeros((cells, dim)),
            "closure": zeros((grid.members, 2), np.float64),
            "weights": self.backend.array(WEIGHTS[1], np.float64),
        }

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


def _side(device: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of a patch: in space its faces have names of their own beside edges by node."""
    named = {"offsets": "face_offsets", "corners": "faces"}
    return {named.get(name, name): table for name, table in device.items()}
