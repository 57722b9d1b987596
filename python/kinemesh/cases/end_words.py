"""Inlets and outlets of a case in words: their widths, and what passes without losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinemesh.gas import GAMMA
from kinemesh.space.conditions.base import Condition
from kinemesh.space.conditions.reservoirs import Inlet, Outlet
from kinemesh.space.through import inlets_first


def ends_in_words(mesh: Any, conditions: Mapping[str, Condition]) -> list[str]:
    """Width of each inlet and outlet; of a gas Mach number and mass flow of an outlet to which it
    comes from its one inlet without losses, with nothing narrower between.

    rho u A = p_0 / sqrt(T_0) M (1 + (gamma - 1) / 2 M^2)^(-(gamma + 1) / (2 gamma - 2)) A
    """
    start = {marker: own.at_time(0.0) for marker, own in inlets_first(conditions).items()}
    inlets = [own for own in start.values() if isinstance(own, Inlet)]
    said = []
    for marker, own in start.items():
        ends = mesh.points[mesh.boundaries[marker]]
        width = float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum())
        said.append(f"{marker} {width:.4g} wide")
        if isinstance(own, Outlet) and len(inlets) == 1:
            mach, flow = passed(own.pressure / inlets[0].total_pressure)
            flow *= inlets[0].total_pressure / np.sqrt(inlets[0].total_temperature) * width
            said[-1] += (
                f", where without losses Mach {mach:.4g} would pass {flow:.4g} [rho_inf a_inf "
                "length]"
            )
    return said


def passed(ratio: float) -> tuple[float, float]:
    """Mach number, at most 1, and mass flow per area over rho_0 a_0, where an outlet's pressure is
    this share of the total one.
    """
    square = 2 / (GAMMA - 1) * (ratio ** ((1 - GAMMA) / GAMMA) - 1)
    mach = float(np.sqrt(min(square, 1.0)))
    power = -(GAMMA + 1) / (2 * GAMMA - 2)
    return mach, mach * (1 + 0.5 * (GAMMA - 1) * mach**2) ** power
