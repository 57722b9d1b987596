"""Motion of a body whose poses are given step by step, by the loop that takes the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kinemesh.arguments import checks_names
from kinemesh.dimension import Dimension
from kinemesh.motion.free import Free
from kinemesh.motion.modes import dimension_of_shapes, shapes_of
from kinemesh.motion.motions import Shape
from kinemesh.motion.numbers import place


@dataclass(frozen=True, slots=True)
class Given(Free):
    """No law: the body rests until `Step.place` gives it a pose."""

    by_shape: ClassVar[tuple[str, ...]] = ("shapes",)
    shapes: tuple[Shape, ...] = field(default=(), repr=False)  # told by their values

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", place("given", "about", self.about))
        object.__setattr__(self, "shapes", shapes_of("given", self.shapes))

    @property
    def dimension(self) -> Dimension:
        return dimension_of_shapes(self.shapes)


@checks_names
def given(about: Sequence[float] = (0.0, 0.0), shapes: Shape | Sequence[Shape] = ()) -> Given:
    """Motion of a body whose poses are given in each step of `case.steps`, by `Step.place`.

    Until then the body rests where it is given; between poses it stays at the last one.

    Parameters
    ----------
    about : (2,)    point of its own moment (`Step.loads`, column `cm_BODY`), which goes with the
        body; of a part in its own frame; in space (x, z) or (x, y, z) [chord]
    shapes : callables    of a body that bends, as of `km.motion.modes`; poses have their
        amplitudes, `km.Pose(modes=...)`
    """
    return Given(place("given", "about", about), shapes_of("given", shapes))
