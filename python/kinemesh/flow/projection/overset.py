"""Operators on parts that overlap: what is not solved for comes from other parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinemesh.device.fields import Fields
from kinemesh.flow.projection import systems
from kinemesh.flow.projection.exchange import Exchange
from kinemesh.flow.projection.flow import Flow
from kinemesh.flow.projection.laplacians import FULL
from kinemesh.flow.projection.matrices import Graph
from kinemesh.flow.projection.operators import Operators
from kinemesh.flow.projection.settings import IncompressibleSettings
from kinemesh.linear.constraints import Constraints
from kinemesh.linear.stack import Alike
from kinemesh.overset.connectivity import Connectivity


class OversetOperators(Operators):
    """Operators on the parts of an overset case (docs/overset.md).

    Parameters
    ----------
    connectivity : Connectivity of the parts

    Attributes
    ----------
    exchange : Exchange    what the parts take from one another
    """

    def __init__(
        self, flow: Flow, settings: IncompressibleSettings, connectivity: Connectivity
    ) -> None:
        linear = settings.interpolation == "linear"
        self.exchange = Exchange(flow.grid, connectivity, linear, flow.given, flow.open)
        super().__init__(flow, settings)

    def graphs(self, laplacians: Sequence[sp.csr_matrix]) -> list[Graph]:
        if not FULL[self.grid.dimensions]:
            return super().graphs(laplacians)
        plans = self.exchange.connectivity.plans  # whose graphs are those of the Laplacians
        return [(plan.offsets, plan.neighbour) for plan in plans]

    def solved(self) -> dict[str, Any]:
        own = self.exchange
        none = self.backend.zeros(self.grid.members, np.int32)
        return own.named | {"loose": own.loose, "closed": none}

    def field(self) -> NDArray[np.float64]:
        solved = self.backend.get(self.exchange.connectivity.status) == 1
        return np.where(solved, 1.0, 0.0)

    def constraints(self, same: Alike) -> Constraints:
        grid, link = self.grid, self.exchange.connectivity
        never = systems.of_leads(grid, same, link.never)
        volume = np.where(self.flow.closed[grid.member], self.backend.get(grid.V), 0.0)
        return Constraints(link.status, link.donor, link.weight, never, volume, link.words)

    def tables(self) -> dict[str, Any]:
        full = FULL[self.grid.dimensions]
        return super().tables() | (self.exchange.connectivity.rows if full else {})

    def renewal(self) -> list[Any]:
        return [
            self.solve_for(self.flow["active"]),
            self.exchange.connectivity.update,
            self.exchange.rows,
            self.pressure.refresh,
        ]

    def take(self, view: Fields, vector: Any, slopes: Any = None) -> list[Any]:
        return self.exchange.vector(vector, view["active"], slopes)

    def fill_velocity(self, view: Fields) -> list[Any]:
        return [*self.velocity_slopes(view), *self.take(view, view["u"], view["grad"])]

    def fill_pressure(self, view: Fields) -> list[Any]:
        taken = self.exchange.pressure(view["p"], view["push"], view["active"])
        return [*self.pressure_slopes(view, view["p"]), *taken]

    def phi_slopes(self, view: Fields) -> list[Any]:
        fields = {"p": view["phi"], "slope": view["pull"]}
        return [self.cells(view).bind("inc_cell_pressure", **fields)]

    def level(self, view: Fields) -> list[Any]:
        return self.exchange.level(view, self.pressure)

    def leaks(self, view: Fields) -> list[Any]:
        return [self.exchange.leaks(view)]

    def lost(self) -> NDArray[np.float64]:
        return self.exchange.lost(self.flow.closed, self.flow["defect"])
