"""Points that a case with overset parts gives in frames of parts, in words, in both frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kinemesh.flow.door.sizes import QUARTER
from kinemesh.sentences import point_in_words
from kinemesh.space.conditions.base import BODY

if TYPE_CHECKING:
    from kinemesh.cases.stated import Stated
    from kinemesh.overset.parts import Parts

Point = tuple[float, float]


def points(case: Stated, made: Parts) -> list[str]:
    """Pivots of motions and points of moments, in the frame of their part and in that of the case.

    Parameters
    ----------
    made : the parts put together
    """
    return [
        f"{what} {point_in_words(own, 4)} of {part}, "
        f"{point_in_words(made.frames[part].point(own), 4)} of the case"
        for what, part, own in _given(case, made)
    ]


def _given(case: Stated, made: Parts) -> Iterator[tuple[str, str, Point]]:
    """Name of each point, the part whose frame it is in, and the point."""
    motions = {} if case.motion is None else case.motion.named(case.flow.chord)
    pivots = {name: motion.pivot for name, motion in motions.items()}
    for name, pivot in pivots.items():
        if pivot is not None:
            yield "pivot", name, (pivot[0], pivot[-1])
    walls, asked = made.of_role(BODY), case.flow.moment_about
    if walls:
        yield "moments about", walls[0], QUARTER if asked is None else asked
    if len(walls) > 1:
        for name in walls:
            own = pivots.get(name) or (asked if asked is not None else (0.0, 0.0))
            yield f"cm_{name} about", name, (own[0], own[-1])
