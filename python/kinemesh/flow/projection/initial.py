"""The flow that a case of incompressible flow begins from, as a user gives it."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kinemesh.arguments import states
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
