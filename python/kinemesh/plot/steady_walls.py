"""Pressure of a steady run in the plane along its walls, or along the sides of a channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from kinemesh import gas
from kinemesh.errors import CaseError
from kinemesh.plot import channels
from kinemesh.plot.flows import values_of
from kinemesh.plot.shades import SHADES
from kinemesh.plot.units import Unit
from kinemesh.plot.wall_pressures import surface_pressure

if TYPE_CHECKING:
    from kinemesh.results import Fields, Run


def figure(
    run: Run, member: int, flow: Fields, title: str, unit: Unit, target: Callable[..., Any]
) -> None:
    """Draw cp.png of a member along the walls, of a channel without walls along its sides.

    cp, or where the gas comes from reservoirs alone its pressure over their total pressure.  None
    of a flow without walls and sides.
    """
    channel = not len(flow.walls)
    near = (channels.sides(flow) if channel else flow).at_walls()
    if not len(near.walls):
        return
    values, label = _pressure(run, member, near)
    more: dict[str, Any] = {"named": channel, "label": label, "path": target("cp")}
    surface_pressure(near.points, near.walls, values, title, near.bodies, unit, **more)


def _pressure(run: Run, member: int, flow: Fields) -> tuple[NDArray[Any], str]:
    """Pressure (nodes,) that is drawn, and its label."""
    if flow.incompressible:
        return values_of(flow, SHADES["cp"]), SHADES["cp"].label
    shade = channels.pressure_of(run, member)
    if shade.field in flow:
        return values_of(flow, shade), shade.label
    if "Pressure" not in flow:
        raise CaseError("plot: the fields have neither Cp nor Pressure")
    mach = float(run.asked()[member]["mach"])
    return gas.pressure_coefficient(flow["Pressure"], mach), shade.label
