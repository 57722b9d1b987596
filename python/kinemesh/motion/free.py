"""Motion of a body that is a state of its run, as on a structure, beside a law where it has one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import Dimension
from kinemesh.motion.law import Motion, Shape
from kinemesh.motion.modes import dimension_of_shapes, shapes_of
from kinemesh.motion.numbers import place
from kinemesh.motion.pose import Pose, Rate

LOOKS = 32  # times at which a law is looked at


@dataclass(frozen=True, slots=True)
class Free(Motion):
    """Place that follows from a structure and the loads of the flow; coordinates add to the law.

    Parameters
    ----------
    about : (2,)    point of the body about which it turns and its own moment is [chord]
    shapes : callables    of a body that bends, as of `km.motion.modes`
    law : Motion    of what the structure does not move; None: it rests
    """

    by_shape: ClassVar[tuple[str, ...]] = ("shapes",)
    owner: ClassVar[str] = "free"
    about: tuple[float, ...] = (0.0, 0.0)
    shapes: tuple[Shape, ...] = field(default=(), repr=False)  # told by their values
    law: Motion | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", place(self.owner, "about", self.about))
        object.__setattr__(self, "shapes", shapes_of(self.owner, self.shapes))

    def omega(self, u_inf: float) -> None:
        return None

    def pose(self, t: float, u_inf: float) -> Pose:
        if self.law is None:
            return Pose(about=self.about)
        there = self.law.pose(t, u_inf)
        return Pose(there.angle, self.about, there.shift)

    def rate(self, t: float, u_inf: float) -> Rate:
        return Rate() if self.law is None else self.law.rate(t, u_inf)

    def settles(self, u_inf: float) -> float:
        return 0.0 if self.law is None else self.law.settles(u_inf)

    @property
    def dimension(self) -> Dimension:
        return dimension_of_shapes(self.shapes)

    @property
    def pivot(self) -> tuple[float, ...]:
        return self.about


def extent(law: Motion, u_inf: float) -> tuple[bool, NDArray[np.float64]]:
    """Turn of a law in the plane, whether there is one, and largest shifts (2,) along x and y.

    The law is looked at over a period, or without one at times from 0 to `LOOKS`.
    """
    times = np.linspace(0, 1, LOOKS) * (law.period(u_inf) or LOOKS)
    angles, shifts = law.path(times.tolist(), u_inf)
    return bool(angles.any()), np.asarray(np.abs(shifts).max(axis=0))
