"""The last cycle of one of several bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinemesh.io.brief import Brief
from kinemesh.loops.flapping import Flapping
from kinemesh.loops.harmonics import Coefficient
from kinemesh.loops.work import Derivatives, Work


@dataclass(frozen=True, slots=True, repr=False)
class BodyLoop(Brief):
    """The last cycle of one of several bodies.

    `cm` is about the pivot of the body's own motion, or its own point where that has none
    (docs/results.md); `turns` is whether its angle changes.
    """

    cl: Coefficient
    cm: Coefficient
    energy: Work
    flapping: Flapping  # drag, thrust, power, efficiency and shift
    turns: bool = True

    @property
    def cd(self) -> Coefficient:
        """Drag."""
        return self.flapping.cd

    @property
    def work(self) -> float:
        """Work of the flow on the body over the cycle, as `Loop.work`."""
        return self.energy.total

    @property
    def damping(self) -> float | None:
        """Aerodynamic damping of the body's own motion, as `Loop.damping`."""
        return self.energy.damping

    @property
    def derivatives(self) -> Derivatives:
        """Derivatives of the body's loads with its own motion, as `Loop.derivatives`."""
        return self.energy.derivatives

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the body (no series), ready for JSON."""
        loads = {"cl": self.cl, "cd": self.cd, "cm": self.cm}
        told = {n: {"mean": c.mean, "amplitude": c.amplitude} for n, c in loads.items()}
        return told | self.flapping.numbers() | self.energy.to_dict()
