"""A jet that comes in faster than sound: its whole state is given."""

from dataclasses import dataclass

import numpy as np
from kinemesh.gas import GAMMA
from kinemesh.space.conditions.base import FACES, OUTER, Condition


@dataclass(frozen=True, slots=True)
class Jet(Condition):
    """Inflow along x at a Mach number, its pressure and density over those of the stream."""

    kind, role, families, flux = "jet", OUTER, (FACES,), "jet"
    flow, still, enters = "a gas", True, True
    mach: float
    pressure: float = 1.0
    density: float = 1.0

    def arrays(self):
        speed = self.mach * np.sqrt(self.pressure / self.density)
        return {"jet": np.array([self.density, speed, 0.0, self.pressure / GAMMA])}
