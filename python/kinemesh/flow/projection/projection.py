"""Incompressible flow by a projection: the flow, its operators, and what takes it in time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.flow.projection.flow import Flow
from kinemesh.flow.projection.initial import Start
from kinemesh.flow.projection.operators import Operators
from kinemesh.flow.projection.overset import OversetOperators
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.flow.projection.steady import SteadyMarch
from kinemesh.flow.projection.step import Step
from kinemesh.overset.connectivity import Connectivity
from kinemesh.space.grid import Grid


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

    def lost(self) -> NDArray[np.float64]:
        """(members,) what the closed duals of each member left over in the last step."""
        return self.operators.lost()
