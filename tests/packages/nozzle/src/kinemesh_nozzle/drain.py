"""An outlet that isentropic flow leaves at a Mach number."""

from dataclasses import dataclass

import numpy as np
from kinemesh.gas import GAMMA
from kinemesh.space.conditions.base import FACES, OUTER, Condition


@dataclass(frozen=True, slots=True)
class Drain(Condition):
    """Outlet whose back pressure is that of a Mach number, by the kernels of the outlet.

    Parameters
    ----------
    mach : of the flow that leaves, where it lost no total pressure; below 1
    total_pressure : of the reservoir, over the stream's static pressure
    """

    kind, role, families, flux = "drain", OUTER, (FACES,), "outlet"
    flow, still, leaves = "a gas", True, True
    mach: float
    total_pressure: float

    def arrays(self):
        share = self.total_pressure * (1 + 0.5 * (GAMMA - 1) * self.mach**2) ** (-3.5)
        return {"back": np.array(share / GAMMA)}
