"""Motion of a body whose poses are given step by step, by the loop that takes the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from kinemesh.arguments import checks_names
from kinemesh.motion.free import Free
from kinemesh.motion.law import Shape
from kinemesh.motion.modes import shapes_of
from kinemesh.motion.numbers import place


@dataclass(frozen=True, slots=True)
class Given(Free):
    """No law: the body rests until `Step.place` gives it a pose."""

    owner: ClassVar[str] = "given"


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
