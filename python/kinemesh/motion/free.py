"""Motion of a body that is a state of its run and no function of time, as on a structure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kinemesh.dimension import Dimension
from kinemesh.motion.modes import dimension_of_shapes, shapes_of
from kinemesh.motion.motions import Motion, Pose, Rate, Shape
from kinemesh.motion.numbers import place


@dataclass(frozen=True, slots=True)
class Free(Motion):
    """No law: where the body is follows from its structure and the loads of the flow.

    Parameters
    ----------
    about : (2,)    point of the body about which it turns and its own moment is [chord]
    shapes : callables    of a body that bends, as of `km.motion.modes`
    """

    by_shape: ClassVar[tuple[str, ...]] = ("shapes",)
    owner: ClassVar[str] = "free"
    about: tuple[float, ...] = (0.0, 0.0)
    shapes: tuple[Shape, ...] = field(default=(), repr=False)  # told by their values

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", place(self.owner, "about", self.about))
        object.__setattr__(self, "shapes", shapes_of(self.owner, self.shapes))

    def omega(self, u_inf: float) -> None:
        return None

    def pose(self, t: float, u_inf: float) -> Pose:
        return Pose(about=self.about)

    def rate(self, t: float, u_inf: float) -> Rate:
        return Rate()

    @property
    def dimension(self) -> Dimension:
        return dimension_of_shapes(self.shapes)

    @property
    def pivot(self) -> tuple[float, ...]:
        return self.about
