"""Inlets and outlets as users give them in Python: `kinemesh.inlet`, `kinemesh.outlet`."""

from __future__ import annotations

from typing import Any

from kinemesh.arguments import checks_names
from kinemesh.space.conditions.base import Condition
from kinemesh.space.conditions.table import make


@checks_names
def outlet(*, pressure: float | None = None) -> Condition:
    """Outlet of a gas at a given static pressure (theory eq. 2.8c), or of incompressible flow.

    Entropy, the invariant that leaves and the velocity along the boundary are those inside; where
    the gas leaves faster than sound, the pressure is too.  Incompressible flow leaves without
    stress, at pressure 0.

    Parameters
    ----------
    pressure : float    of a gas, static over that of the stream, p / p_inf; None: incompressible

    Raises
    ------
    SettingsError    a number that is not above 0
    """
    return make("outlet", {} if pressure is None else {"pressure": pressure})


@checks_names
def inlet(
    *,
    total_pressure: float | None = None,
    total_temperature: float | None = None,
    alpha_deg: float | None = None,
    velocity: Any = None,
    profile: str | None = None,
) -> Condition:
    """Inlet of a gas from a reservoir (theory eq. 2.8d), or of incompressible flow.

    Parameters
    ----------
    total_pressure : float       p_0 / p_inf of a gas, which comes in slower than sound
    total_temperature : float    T_0 / T_inf of a gas; default 1
    alpha_deg : float            angle of a gas's inflow to the x axis [deg]; None: across the
        boundary
    velocity : float, (u, v) or callable    of incompressible flow: speed across the boundary, its
        components, or a function of the arrays x and y that gives speeds (n,) or components
        (2, n); in reference speeds U
    profile : "parabolic"        of incompressible flow: a parabola from end to end of a straight
        boundary, `velocity` its largest value

    Raises
    ------
    SettingsError    numbers of both kinds of flow, or of none; one outside of its range
    """
    given = {
        "total_pressure": total_pressure,
        "total_temperature": total_temperature,
        "alpha_deg": alpha_deg,
        "velocity": velocity,
        "profile": profile,
    }
    return make("inlet", {name: value for name, value in given.items() if value is not None})
