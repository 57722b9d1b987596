"""Inlets and outlets of a gas: a total state that comes in, a static pressure to flow out to.

Numbers are over those of the stream: pressures over p_inf, temperatures over T_inf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.gas import GAMMA
from kinemesh.mesh.facets import area_vectors
from kinemesh.space.conditions.base import FACES, OUTER, Condition

GAS = "a gas"
OF_UNITS = 10.0  # least pressure from which on all have units
LEAST_INWARD = 0.1  # cosine of an inflow to the inward normal, 84 degrees


@dataclass(frozen=True, slots=True)
class Outlet(Condition):
    """Outflow to a given static pressure; see `kinemesh.outlet`."""

    kind: ClassVar[str] = "outlet"
    role: ClassVar[str] = OUTER
    families: ClassVar[tuple[str, ...]] = (FACES,)
    flux: ClassVar[str] = "outlet"
    flow: ClassVar[str] = GAS
    still: ClassVar[bool] = True
    leaves: ClassVar[bool] = True
    pressure: float

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        return {"back": np.array(self.pressure / GAMMA)}

    def check_among(self, marker: str, others: Mapping[str, Condition]) -> None:
        inlets = {m: own.total_pressure for m, own in others.items() if isinstance(own, Inlet)}
        outlets = [own.pressure for own in others.values() if isinstance(own, Outlet)]
        least = min([self.pressure, *outlets, *inlets.values()])
        if inlets and least >= OF_UNITS:
            raise SettingsError(
                f"boundaries: pressures of inlets and outlets are {least:g} and more, as in "
                "kilopascals, expected pressures over the stream's static pressure, which one of "
                "them is near; divide them by that of the stream"
            )
        if inlets and self.pressure >= max(inlets.values()):
            source = max(inlets, key=lambda m: inlets[m])
            raise SettingsError(
                f"boundaries: the pressure of outlet {marker!r} is {self.pressure:g}, not below "
                f"the total pressure {inlets[source]:g} of inlet {source!r}, so that nothing flows "
                "out; both are over the stream's static pressure"
            )


@dataclass(frozen=True, slots=True)
class Inlet(Condition):
    """Inflow of a given total state; see `kinemesh.inlet`."""

    kind: ClassVar[str] = "inlet"
    role: ClassVar[str] = OUTER
    families: ClassVar[tuple[str, ...]] = (FACES,)
    flux: ClassVar[str] = "inlet"
    flow: ClassVar[str] = GAS
    still: ClassVar[bool] = True
    enters: ClassVar[bool] = True
    total_pressure: float
    total_temperature: float = 1.0
    alpha_deg: float | None = None

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        way = np.zeros(2)
        if self.alpha_deg is not None:
            angle = np.radians(self.alpha_deg)
            way = np.array([np.cos(angle), np.sin(angle)])
        return {
            "total": np.array([self.total_pressure / GAMMA, self.total_temperature]),
            "way": way,
        }

    def check_on(self, marker: str, mesh: Any) -> None:
        """SettingsError for an angle that does not lead into the fluid."""
        if self.alpha_deg is None:
            return
        edges = mesh.boundaries.get(marker, np.zeros((0, 2), int))
        out = area_vectors(mesh.points, edges)
        inward = -(out @ self.arrays()["way"]) / np.linalg.norm(out, axis=1)
        if len(edges) and inward.min() < LEAST_INWARD:
            x, y = mesh.points[edges[inward.argmin()]].mean(axis=0)
            raise SettingsError(
                f"boundaries: inlet {marker!r} has alpha_deg = {self.alpha_deg:g}, which does not "
                f"lead into the fluid at ({x:.4g}, {y:.4g}); give the angle of the inflow to the x "
                "axis, or none for an inflow across the boundary"
            )
