"""Poses of bodies that a user gives, step by step, beside those of the bodies' motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.case import Bodies
from kinemesh.bodies.frames import CASE
from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import PoseArray, RateArray
from kinemesh.bodies.ways import Way
from kinemesh.dimension import XYZ
from kinemesh.errors import SettingsError, did_you_mean
from kinemesh.motion import Given, Motion, Pose, Rate

REST = Pose()


class Placed:
    """Poses that are given for the next step, and those of the steps before.

    A body that was placed stays at its last pose until it is placed again.

    Parameters
    ----------
    bodies : Bodies
    check : callable    (body's name, its motion) -> None; raises where it cannot be placed

    Attributes
    ----------
    past : {body: (pose, the one before)}    of bodies that have been placed
    next, rates : {body: Pose}, {body: Rate}    of the step to come; rates where they are given
    """

    def __init__(self, bodies: Bodies, check: Callable[[str, Motion | None], None]) -> None:
        self.bodies, self.check = bodies, check
        self.past: dict[int, tuple[Pose, Pose]] = {}
        self.next: dict[int, Pose] = {}
        self.rates: dict[int, Rate] = {}

    def give(self, poses: Any, rates: Any = None) -> None:
        """Take up poses, and rates, of the step to come; SettingsError for others.

        Parameters
        ----------
        poses : {body: Pose}, or for several members {body: sequence of one Pose per member}
        rates : {body: Rate} likewise, or None: differences of the poses of the last steps
        """
        found = self._of_bodies("place", poses, Pose)
        speeds = {} if rates is None else self._of_bodies("place: rates", rates, Rate)
        for body in speeds:
            if body not in found:
                raise SettingsError(
                    f"place: rates of {self.bodies.bodies[body][1]!r}, expected a pose of it too"
                )
        for body, pose in found.items():
            self._refuse_law(body)
            for own in (pose, *([speeds[body]] if body in speeds else ())):
                self.bodies.check_modes("place", body, own)
            if not self.bodies.dimension.holds(pose.dimension):
                raise SettingsError(
                    f"place: {self.bodies.bodies[body][1]!r} is at {pose!r}, which is of space; on "
                    "a mesh in the plane expected points of two numbers, and no axis"
                )
        self.next |= found
        self.rates = {b: rate for b, rate in self.rates.items() if b not in found} | speeds

    def _of_bodies(self, what: str, given: Any, kind: type) -> dict[int, Any]:
        """Entries by the number of their body."""
        if not isinstance(given, Mapping):
            raise SettingsError(
                f"{what}: got {given!r}, expected {{body: km.{kind.__name__}(...)}} with the names "
                f"{self._names()}"
            )
        found: dict[int, Any] = {}
        for name, value in given.items():
            own = [k for k, (_, marker) in enumerate(self.bodies.bodies) if marker == name]
            if not own:
                raise SettingsError(
                    f"{what}: no body {name!r}, expected one of {self._names()}"
                    f"{did_you_mean(name, self._names())}"
                )
            members = len(self.bodies.speed)
            if isinstance(value, kind):
                found |= dict.fromkeys(own, value)
                continue
            each = value if isinstance(value, Sequence) and not isinstance(value, str) else []
            if len(each) != members or members == 1:
                each = [kind]  # none of them
            if not all(isinstance(one, kind | None) for one in each):
                several = f", or a sequence of {members}, one per member" if members > 1 else ""
                raise SettingsError(
                    f"{what}: {name!r} is {value!r}, expected a km.{kind.__name__}{several}, None "
                    "of members without such a body"
                )
            of = {self.bodies.bodies[k][0]: k for k in own}
            found |= {of[m]: one for m, one in enumerate(each) if one is not None and m in of}
        return found

    def _names(self) -> list[str]:
        return list(dict.fromkeys(marker for _, marker in self.bodies.bodies))

    def _refuse_law(self, body: int) -> None:
        motion, (_, name) = self.bodies.motions[body], self.bodies.bodies[body]
        if motion is not None and not isinstance(motion, Given):
            raise SettingsError(
                f"place: body {name!r} moves by {motion!r}, so it cannot be placed as well; give "
                f"it motion={{{name!r}: km.motion.given()}} and the poses of that law"
            )
        self.check(name, motion)

    def as_given(self) -> Callable[[int, Pose], Pose]:
        """(body, pose about a point of the case) -> pose as a user gives it in this step.

        Points that users give are of the body's own frame.
        """
        now = {body: poses[0] for body, poses in self.past.items()} | self.next
        frames, shapes = self.bodies.frames, self.bodies.shapes

        def pose(body: int, there: Pose) -> Pose:
            if body in now:
                return now[body]
            there = replace(there, modes=there.modes[: len(shapes[body])])  # others may have more
            if frames[body] == CASE:
                return there
            return replace(there, about=tuple(frames[body].own(there.about).tolist()))

        return pose

    def over(self, laws: Placement, dt: NDArray[np.float64], first: bool) -> Placement:
        """Placement of a step: by the laws, with the bodies that have been placed at their poses.

        On the way angles and shifts go in proportion to the time; a body that is placed about
        another point than before is at the same place about that point when the step begins.

        Parameters
        ----------
        dt : (members,)    time steps
        first : the run's first step, whose rates are of first order
        """
        now = {body: poses[0] for body, poses in self.past.items()} | self.next
        if not now:
            return laws
        which = sorted(now)
        ends = [self._framed(body, now[body]) for body in which]

        def before(steps: int) -> PoseArray:
            found = []
            for body, last in zip(which, ends, strict=True):
                pose = self.past.get(body, (REST, REST))[steps - 1]
                found.append(about(self._framed(body, pose), last.about))
            return PoseArray.of(found)

        old, older = before(1), before(2)
        way = Way(old, PoseArray.of(ends), of=np.array(which))

        def rates_at() -> RateArray:
            rates, step = laws.rates, self.bodies.owners.spread(dt)[way.of]
            angle, shift = rates.angle.copy(), rates.shift.copy()
            axis, modes = (None if a is None else a.copy() for a in (rates.axis, rates.modes))
            earlier = None if first else Way(older, old, of=way.of)
            speeds = way.rates(step, earlier, self.bodies.dimension, self.bodies.modes)
            angle[way.of], shift[way.of] = speeds.angle, speeds.shift
            if axis is not None:
                axis[way.of] = speeds.axis
            if modes is not None:
                modes[way.of] = speeds.modes
            for body, rate in self.rates.items():
                given = rate.into(self.bodies.dimension)
                angle[body], shift[body] = given.angle, given.shift
                if axis is not None:
                    axis[body] = given.axis
                if modes is not None:
                    modes[body] = 0.0
                    modes[body, : len(given.modes)] = given.modes
            return RateArray(angle, shift, axis, modes)

        return Placement(lambda share: way.over(laws.at(share), share), rates_at)

    def _framed(self, body: int, pose: Pose) -> Pose:
        """Pose about a point of the case, of one about a point of the body's own frame."""
        return replace(pose, about=self.bodies.frames[body].point(pose.about))

    def accept(self) -> None:
        """The step has ended: its poses are those of the last one."""
        for body in {*self.past, *self.next}:
            last = self.past.get(body, (REST, REST))[0]
            self.past[body] = self.next.get(body, last), last
        self.next, self.rates = {}, {}

    def dump(self) -> dict[str, Any]:
        """Everything, for JSON."""

        def numbers(pose: Pose) -> list[Any]:
            axis = pose.axis and list(pose.axis)
            return [pose.angle, list(pose.about), list(pose.shift), axis, list(pose.modes)]

        return {
            "past": {str(b): [numbers(pose) for pose in own] for b, own in self.past.items()},
            "next": {str(b): numbers(pose) for b, pose in self.next.items()},
            "rates": {
                str(b): [
                    rate.angle,
                    list(rate.shift),
                    rate.axis and list(rate.axis),
                    list(rate.modes),
                ]
                for b, rate in self.rates.items()
            },
        }

    def load(self, kept: Mapping[str, Any]) -> None:
        """Restore what `dump` gave."""

        def pose(numbers: Sequence[Any]) -> Pose:
            return Pose(*numbers[:4], modes=tuple(*numbers[4:]))

        self.past = {int(b): (pose(own[0]), pose(own[1])) for b, own in kept["past"].items()}
        self.next = {int(b): pose(own) for b, own in kept["next"].items()}
        self.rates = {
            int(b): Rate(*own[:3], modes=tuple(*own[3:])) for b, own in kept["rates"].items()
        }


def about(pose: Pose, point: Sequence[float]) -> Pose:
    """Pose about another point by which a body is where this one has it."""
    if pose.about == tuple(point):
        return pose
    if len(point) == 3:
        pose = pose.into(XYZ)
        shift = (pose.apply(point) - point).tolist()
        return Pose(pose.angle, point, shift, pose.axis, modes=pose.modes)
    c, s = cos(pose.angle), sin(pose.angle)
    x, y = point[0] - pose.about[0], point[1] - pose.about[1]
    there = c * x + s * y + pose.about[0], c * y - s * x + pose.about[1]
    shift = there[0] + pose.shift[0] - point[0], there[1] + pose.shift[1] - point[1]
    return Pose(pose.angle, point, shift, modes=pose.modes)
