"""Motion of a body that is a state of its run and no function of time, as on a structure."""

from __future__ import annotations

from dataclasses import dataclass

from kinemesh.motion.motions import Motion, Pose, Rate
from kinemesh.motion.numbers import place


@dataclass(frozen=True, slots=True)
class Free(Motion):
    """No law: where the body is follows from its structure and the loads of the flow.

    Parameters
    ----------
    about : (2,)    point of the body about which it turns and its own moment is [chord]
    """

    about: tuple[float, ...] = (0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", place("free", "about", self.about))

    def omega(self, u_inf: float) -> None:
        return None

    def pose(self, t: float, u_inf: float) -> Pose:
        return Pose(about=self.about)

    def rate(self, t: float, u_inf: float) -> Rate:
        return Rate()

    @property
    def pivot(self) -> tuple[float, ...]:
        return self.about
