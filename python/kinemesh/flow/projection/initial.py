"""The flow that a case of incompressible flow begins from: as a user gives it, and made free of
divergence."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kinemesh.arguments import states
from kinemesh.flow.projection.flow import Flow
from kinemesh.flow.projection.operators import Operators
from kinemesh.space.grid import Grid


def given_flow(
    grid: Grid, u: Any, p: Any, inflow: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Velocities (nodes, dimensions) and pressures (nodes,), or None, that a user gave.

    Parameters
    ----------
    u : velocities, or None: of each member its `inflow` (members, dimensions);  p : pressures

    Raises
    ------
    SettingsError    another shape, or what is no finite number, with its member and node
    """

    def where(node: int) -> str:
        return f"member {grid.member[node]}{grid.place(int(grid.member[node]), node, 0)}"

    flow = inflow[grid.member]
    if u is not None:
        flow = states(u, flow.shape, "initial flow: u", " (velocities over U)", where)
    if p is not None:
        p = states(p, (grid.nodes,), "initial flow: p", " (pressures over rho U^2)", where)
    return flow, p


class Start:
    """A start of steps and marches from velocities that may have divergence.

    Parameters
    ----------
    flow : Flow;  operators : Operators on it

    Attributes
    ----------
    project : recording    u and flow made free of divergence; p is spoiled
    """

    def __init__(self, flow: Flow, operators: Operators) -> None:
        self.flow, self.operators, self.backend = flow, operators, flow.backend
        self.project = self.backend.record(self._project())

    def __call__(self, u: NDArray[Any], p: NDArray[Any] | None = None) -> None:
        """Every time level set to velocities u (nodes, dimensions), made free of divergence."""
        b, flow = self.backend, self.flow
        bdf = flow.grid.bdf
        b.put(flow["u"], u)
        if self.operators.guess:
            self.operators.guess.forget()
        keep = b.get(bdf)
        b.put(bdf, [1.0, -1.0, 0.0])
        self.project()
        b.put(bdf, keep)
        b.put(flow["p"], 0.0 if p is None else p)
        for _ in range(2):
            flow.levels()

    def _project(self) -> list[Any]:
        o, flow, view = self.operators, self.flow, self.flow.fields
        return [
            o.solve_for(view["active"]),
            *o.give(view),
            *o.slip(view, flow["u"]),
            *o.fill_velocity(view),
            *o.fill_pressure(view),
            o.cells(view).bind("inc_cell_velocity"),
            view.bind("inc_mean_flow"),
            *o.potential(view),
            *o.correct(view),
        ]
