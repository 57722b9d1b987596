"""Poses of bodies that a user gives, step by step, beside those of the bodies' motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import cos, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.case import Bodies
from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import PoseArray, RateArray
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
        for body in found:
            self._refuse_law(body)
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
            if isinstance(value, kind):
                each: Sequence[Any] = [value] * len(own)
            else:
                each = value if isinstance(value, Sequence) and not isinstance(value, str) else []
            if len(each) != len(own) or not all(isinstance(one, kind) for one in each):
                several = f", or a sequence of {len(own)}, one per member" if len(own) > 1 else ""
                raise SettingsError(
                    f"{what}: {name!r} is {value!r}, expected a km.{kind.__name__}{several}"
                )
            found |= dict(zip(own, each, strict=True))
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
        end = PoseArray.of(ends)

        def poses_at(share: float) -> PoseArray:
            there = laws.at(share)
            angle, pivot, shift = there.angle.copy(), there.about.copy(), there.shift.copy()
            pivot[which] = end.about
            angle[which] = end.angle + (share - 1) * (end.angle - old.angle)
            shift[which] = end.shift + (share - 1) * (end.shift - old.shift)
            return PoseArray(angle, pivot, shift)

        def rates_at() -> RateArray:
            rates = laws.rates
            angle, shift = rates.angle.copy(), rates.shift.copy()
            step = self.bodies.owners.spread(dt)[which]
            angle[which] = change(older.angle, old.angle, end.angle, first) / step
            shift[which] = change(older.shift, old.shift, end.shift, first) / step[:, None]
            for body, rate in self.rates.items():
                angle[body], shift[body] = rate.angle, rate.shift
            return RateArray(angle, shift)

        return Placement(poses_at, rates_at)

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
            return [pose.angle, list(pose.about), list(pose.shift)]

        return {
            "past": {str(b): [numbers(pose) for pose in own] for b, own in self.past.items()},
            "next": {str(b): numbers(pose) for b, pose in self.next.items()},
            "rates": {str(b): [rate.angle, list(rate.shift)] for b, rate in self.rates.items()},
        }

    def load(self, kept: Mapping[str, Any]) -> None:
        """Restore what `dump` gave."""

        def pose(numbers: Sequence[Any]) -> Pose:
            angle, pivot, shift = numbers
            return Pose(angle, tuple(pivot), tuple(shift))

        self.past = {int(b): (pose(own[0]), pose(own[1])) for b, own in kept["past"].items()}
        self.next = {int(b): pose(own) for b, own in kept["next"].items()}
        self.rates = {int(b): Rate(own[0], tuple(own[1])) for b, own in kept["rates"].items()}


def change(older: Any, old: Any, new: Any, first: bool) -> Any:
    """Rate times the time step by BDF1 (`first`) or BDF2, as the volumes have it."""
    return new - old if first else 1.5 * new - 2 * old + 0.5 * older


def about(pose: Pose, point: tuple[float, float]) -> Pose:
    """The same place of a body by a pose about another point."""
    if pose.about == point:
        return pose
    c, s = cos(pose.angle), sin(pose.angle)
    x, y = point[0] - pose.about[0], point[1] - pose.about[1]
    there = c * x + s * y + pose.about[0], c * y - s * x + pose.about[1]
    shift = there[0] + pose.shift[0] - point[0], there[1] + pose.shift[1] - point[1]
    return Pose(pose.angle, point, shift)
