"""Incompressible flow by a projection: the flow, its operators, and what takes it in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.flow.projection.flow import Flow
from kinemesh.flow.projection.initial import Start
from kinemesh.flow.projection.operators import Operators
from kinemesh.flow.projection.overset import OversetOperators
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.flow.projection.steady import SteadyMarch
from kinemesh.flow.projection.step import Step
from kinemesh.flow.projection.systems import forget
from kinemesh.overset.connectivity import Connectivity
from kinemesh.space.grid import Grid

CURL: dict[int, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    2: lambda grad: grad[:, 2] - grad[:, 1],
    3: lambda grad: grad[:, [7, 2, 3]] - grad[:, [5, 6, 1]],
}
"""Vorticities by the gradients of u, then v and w, along x, y, z."""


class Projection:
    """All that a case of incompressible flow computes with.

    Parameters
    ----------
    grid : Grid, its metrics worked out
    settings : IncompressibleSettings
    viscosity, given, open : as of `Flow`
    connectivity : Connectivity of overset parts, or None

    Attributes
    ----------
    flow : Flow;  fields : Fields of it;  velocity, spin : its velocities at the boundary
    operators : Operators;  loop, pressure : its control of the velocity and its pressure's solver
    start : Start;  step : Step;  steady : SteadyMarch
    renew : recording    what follows from where overset parts stand
    """

    def __init__(
        self,
        grid: Grid,
        settings: IncompressibleSettings,
        viscosity: NDArray[np.float64],
        given: NDArray[np.bool_],
        open: NDArray[np.bool_],
        connectivity: Connectivity | None = None,
    ) -> None:
        self.grid, self.backend = grid, grid.backend
        blend = 0.5 if settings.convection == "blend" else 0.0
        self.flow = flow = Flow(grid, viscosity, given, open, blend)
        self.fields, self.velocity, self.spin = flow.fields, flow.velocity, flow.spin
        self.operators: Operators = (
            Operators(flow, settings)
            if connectivity is None
            else OversetOperators(flow, settings, connectivity)
        )
        self.loop, self.pressure = self.operators.loop, self.operators.pressure
        self.start = Start(flow, self.operators)
        self.step = Step(flow, self.operators)
        self.steady = SteadyMarch(flow, self.operators, self.start)
        self.renew = self.operators.renew

    def kept(self, levels: bool) -> dict[str, Any]:
        """Device arrays that a restart keeps, with time levels where `levels`."""
        flow, loop, guess = self.flow, self.loop, self.operators.guess
        more = ("u1", "p1", "flow1", "memory1") if levels else ("net", "defect")
        found = {name: flow[name] for name in ("u", "p", "flow", "memory", *more)}
        found |= {
            f"dualtime_{name}": getattr(loop, name)
            for name in ("active", "iterations", "base", "norm", "floor")
        }
        if not levels:
            return found | {f"march_{name}": array for name, array in self.steady.kept().items()}
        return found | ({"last_change": guess.last} if guess else {})

    def forget(self, of: NDArray[np.bool_], inflow: NDArray[np.float64]) -> None:
        """Numbers at these nodes, which may be none, are those of the streams (members, 2)."""
        forget(self.flow, self.operators.guess, of, inflow)

    def lost(self) -> NDArray[np.float64]:
        """(members,) what the closed duals of each member left over in the last step."""
        return self.operators.lost()

    def seen(self, length: float) -> dict[str, NDArray[np.float64]]:
        """Fields of the present flow for files; vorticities [U/length]."""
        for call in self.operators.velocity_slopes(self.fields):
            call()
        get = self.backend.get
        u, p, grad = (get(self.flow[name]).astype(float) for name in ("u", "p", "grad"))
        dim = self.grid.dimensions
        vorticity, u = CURL[dim](grad) * length, np.pad(u, ((0, 0), (0, 3 - dim)))
        return {"Velocity": u, "Pressure": p, "Vorticity": vorticity}
