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
    pressure : float, callable or sequence    of a gas, static over that of the stream, p / p_inf;
        a function of the time [chord/a_inf]; one for each member; None: incompressible

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
    total_pressure : float, callable or sequence    p_0 / p_inf of a gas, which comes in slower than
        sound; a function of the time [chord/a_inf]; one for each member
    total_temperature : float, callable or sequence    T_0 / T_inf of a gas; default 1
    alpha_deg : float            angle of a gas's inflow to the x axis [deg]; None: across the
        boundary
    velocity : float, (u, v) or callable    of incompressible flow: speed across the boundary, its
        components, or a function (x, y), (x, y, time) or (time); of the arrays x and y it gives
        speeds (n,) or components (2, n), of the time alone a number or two; in reference speeds U,
        times in lengths of the mesh over U
    profile : str                of incompressible flow: "parabolic", a parabola from end to end of
        a straight boundary, `velocity` its largest value; or the file of a table with columns x or
        y, and u, v or speed (across), which `velocity` multiplies

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
