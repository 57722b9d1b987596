"""Motion of a body as a function of time: what each law has, and sums of laws.

Convention (docs/theory.md): omega = 2 k u_inf / chord; the angle is nose-up positive, so that a
body pitched by `angle` is turned by -angle about the z axis.
Units: lengths in chords, time in chords over the speed of sound, angles in radians inside and in
degrees where a name ends in `_deg`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import degrees, pi
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import XY, XYZ, Dimension, widest
from kinemesh.errors import SettingsError
from kinemesh.motion.numbers import lifted
from kinemesh.motion.periods import common_omega
from kinemesh.motion.pose import NOSE_UP, Pose, Rate

DIFFERENCE = 1e-3  # error of a harmonic: 1e-12 / 30 of its rate, and about as much by rounding
CENTRAL = {-2: 1, -1: -8, 1: 8, 2: -1}  # twelfths of a difference, by steps of time
ONE_SIDED = {1: 48, 2: -36, 3: 16, 4: -3}  # less 25 of the present value


Shape = Callable[[NDArray[np.float64]], Any]
"""Displacement (n, 2), in space (n, 3), of points (n, 2) or (n, 3) of the body as given, for an
amplitude of 1 [chord]."""


class Motion(ABC):
    """Pose as a function of time; motions add up with `+` and `sum`.

    `adds_up`: the pivot is one point of the body, so that rates of a sum are sums of rates.
    """

    __slots__ = ()
    adds_up: ClassVar[bool] = False

    @abstractmethod
    def pose(self, t: float, u_inf: float) -> Pose:
        """Pose at time t [chord/a_inf] in a stream of speed u_inf [a_inf]."""

    @abstractmethod
    def omega(self, u_inf: float) -> float | None:
        """Angular frequency [rad a_inf/chord]; None for a motion without a period."""

    def rate(self, t: float, u_inf: float) -> Rate:
        """Rate of the pose at time t, by differences of fourth order with the step `interval`.

        They are central; where a law has no pose on one side of t, they are of the other side.  At
        the start of the motion, t = 0, they are of the times behind it: a law may rest before.
        """
        h = self.interval(u_inf)
        pose = self.pose(t, u_inf)
        here = pose.numbers(pose.about)

        def moved(share: int) -> NDArray[np.float64]:
            return self.pose(t + share * h, u_inf).numbers(pose.about, pose.dimension) - here

        def one_sided(side: int) -> NDArray[np.float64]:
            return sum([side * w * moved(side * k) for k, w in ONE_SIDED.items()], 0 * here)

        if 0 <= t < 2 * h:
            found = one_sided(1)
        else:
            try:
                found = sum([w * moved(k) for k, w in CENTRAL.items()], 0 * here)
            except Exception:  # whatever a user's law raises beyond its end
                found = one_sided(-1 if t > 4 * h else 1)
        rates = (found / (12 * h)).tolist()
        if pose.axis is None:
            return Rate(rates[0], rates[1:3], modes=rates[3:])
        spin = np.reshape(rates[:9], (3, 3)) @ pose.rotation.T
        axis = 0.5 * np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0],
                               spin[1, 0] - spin[0, 1]])  # fmt: skip
        speed = float(np.linalg.norm(axis))
        return Rate(speed, rates[9:12], axis.tolist() if speed else pose.axis, modes=rates[12:])

    def path(
        self, times: Sequence[float], u_inf: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Nose-up angles (n,) [deg] and shifts (n, 2), in space (n, 3), at these times."""
        poses = [self.pose(t, u_inf) for t in times]
        angles = np.array([degrees(pose.angle) for pose in poses])
        return angles, np.array([pose.shift for pose in poses], float)

    def interval(self, u_inf: float) -> float:
        """Step of differences: `DIFFERENCE` radians of the cycle; without one, units of time."""
        return DIFFERENCE / (self.omega(u_inf) or 1.0)

    @property
    def pivot(self) -> tuple[float, ...] | None:
        """Centre of rotation, as a point of the body at rest; None without one."""
        return None

    @property
    def axis(self) -> tuple[float, ...] | None:
        """Axis of turns in space; None in the plane of motion."""
        return None

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Shapes of a body that bends, of which a pose has the amplitudes; () of a rigid body."""
        return ()

    @property
    def dimension(self) -> Dimension:
        """Space for a law that leaves the plane of motion, as far as the law tells."""
        return XY if self.axis is None else XYZ

    def period(self, u_inf: float) -> float | None:
        """Time of one cycle [chord/a_inf]; None for a motion without a period."""
        omega = self.omega(u_inf)
        return None if omega is None else 2 * pi / omega

    def settles(self, u_inf: float) -> float:
        """Time from which the motion repeats, the end of its ramp [chord/a_inf]; 0 without one."""
        return 0.0

    def __add__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return Together(parts_of(self) + parts_of(other))

    def __radd__(self, other: object) -> Motion:
        """`sum` begins with 0, and so 0 + motion is the motion."""
        return self if type(other) is int and other == 0 else NotImplemented


Moved = TypeVar("Moved", Pose, Rate)


def _among(own: Moved, first: int, behind: int) -> Moved:
    """A pose, or a rate, whose amplitudes stand among those of a sum, behind `first` others."""
    if not own.modes:
        return own
    return replace(own, modes=(0.0,) * first + own.modes + (0.0,) * behind)


def parts_of(motion: Motion) -> tuple[Motion, ...]:
    return motion.parts if isinstance(motion, Together) else (motion,)


@dataclass(frozen=True, slots=True)
class Together(Motion):
    """Several motions at once: angles add, shifts add, turns share one pivot; shapes of one part
    stand behind those of the part before."""

    parts: tuple[Motion, ...]
    bends: bool = field(init=False, repr=False, compare=False)  # more than one part has shapes

    def __post_init__(self) -> None:
        pivots = {part.pivot for part in self.parts if part.pivot is not None}
        if len({lifted(pivot) for pivot in pivots}) > 1:
            raise SettingsError(f"motions turn about {sorted(pivots)}, expected one pivot")
        object.__setattr__(self, "bends", sum(bool(part.shapes) for part in self.parts) > 1)
        axes = {part.axis or NOSE_UP for part in self.parts if part.pivot is not None}
        if len(axes) > 1:
            raise SettingsError(f"motions turn about the axes {sorted(axes)}, expected one axis")

    def omega(self, u_inf: float) -> float | None:
        """Angular frequency of the common period; None without one (see `common_omega`)."""
        values = [part.omega(u_inf) for part in self.parts]
        return common_omega([v for v in values if v is not None]) if None not in values else None

    def settles(self, u_inf: float) -> float:
        return max(part.settles(u_inf) for part in self.parts)

    def pose(self, t: float, u_inf: float) -> Pose:
        each = [part.pose(t, u_inf) for part in self.parts]
        if self.bends:
            each = [_among(own, *place) for own, place in zip(each, self._modes, strict=True)]
        pose = reduce(lambda a, b: a + b, each)
        # where the angle passes zero no turn tells the pivot, and rates are those of the pivot
        if pose.angle or self.pivot is None:
            return pose
        axis = pose.axis or self.axis
        return Pose(pose.angle, self.pivot, pose.shift, axis, modes=pose.modes)

    def rate(self, t: float, u_inf: float) -> Rate:
        if not all(part.adds_up for part in self.parts):
            return Motion.rate(self, t, u_inf)  # the pivot of another part may move
        each = [part.rate(t, u_inf) for part in self.parts]
        if self.bends:
            each = [_among(own, *place) for own, place in zip(each, self._modes, strict=True)]
        return reduce(lambda a, b: a + b, each)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return tuple(shape for part in self.parts for shape in part.shapes)

    @property
    def _modes(self) -> list[tuple[int, int]]:
        """Numbers of shapes of the sum before those of each part, and behind them."""
        counts = [len(part.shapes) for part in self.parts]
        return [(sum(counts[:k]), sum(counts[k + 1 :])) for k in range(len(counts))]

    @property
    def dimension(self) -> Dimension:
        return widest(part.dimension for part in self.parts)

    @property
    def axis(self) -> tuple[float, ...] | None:
        return next((part.axis for part in self.parts if part.axis is not None), None)

    @property
    def pivot(self) -> tuple[float, ...] | None:
        return next((part.pivot for part in self.parts if part.pivot is not None), None)
