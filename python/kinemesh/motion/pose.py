"""Pose of a body and its rate, in the plane of motion or about any axis in space.

The angle is nose-up positive: in the plane a body is turned by -angle about z, in space by the
right-hand rule about the axis, of which (0, 1, 0) lifts the nose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from math import cos, degrees, radians, sin
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.dimension import XY, XYZ, Dimension, widest
from kinemesh.errors import SettingsError
from kinemesh.motion.numbers import bounded, finite, lifted, place, several, unit

NOSE_UP = (0.0, 1.0, 0.0)
"""Axis of turns in the plane of motion."""

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True, init=False)
class Pose:
    """Place of a body: x -> R (x - about) + about + shift, with R the turn by the angle.

    A pose is in space where it has an axis, or a pivot or a shift of three numbers.  A body that
    bends has modes: its points are at x + sum a_j phi_j(x) before they turn and shift.

    Parameters
    ----------
    angle : float        nose-up positive [rad]
    about : (2,)         pivot, a point of the body as given; in space (x, z) or (x, y, z) [chord]
    shift : (2,)         translation of the pivot, likewise [chord]
    axis : (3,)          in space, of any length; None: (0, 1, 0), about which angles are nose-up
    angle_deg : float    the angle in degrees, in the place of `angle`
    modes : (n,)         amplitudes a_j of the body's shapes [-]; () of a rigid body
    """

    angle: float
    about: Vector
    shift: Vector
    axis: Vector | None
    modes: Vector

    def __init__(
        self,
        angle: float | None = None,
        about: Sequence[float] = (0.0, 0.0),
        shift: Sequence[float] = (0.0, 0.0),
        axis: Sequence[float] | None = None,
        *,
        angle_deg: float | None = None,
        modes: Sequence[float] | float = (),
    ) -> None:
        if angle is not None and angle_deg is not None:
            raise SettingsError(
                f"Pose: angle = {angle!r} and angle_deg = {angle_deg!r}, expected one of the two"
            )
        if angle_deg is not None:
            angle = radians(bounded("Pose", "angle_deg", angle_deg))
        turned = 0.0 if angle is None else bounded("Pose", "angle", angle)
        object.__setattr__(self, "angle", turned)
        _put(self, "Pose", place("Pose", "about", about), place("Pose", "shift", shift), axis)
        object.__setattr__(self, "modes", several("Pose", "modes", modes))

    def __repr__(self) -> str:
        return _told(self)

    @property
    def angle_deg(self) -> float:
        """Angle in degrees."""
        return degrees(self.angle)

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Matrix of the turn: (2, 2) by -angle about z, in space (3, 3) about the axis."""
        c, s = cos(self.angle), sin(self.angle)
        if self.axis is None:
            return np.array([[c, s], [-s, c]])
        k = cross_of(np.array(self.axis))
        return np.eye(3) + s * k + 2 * sin(self.angle / 2) ** 2 * (k @ k)

    def apply(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points (..., 2), in space (..., 3), of the body at rest, moved to this pose [chord].

        They turn and shift; shapes are known to the body alone.
        """
        about = np.asarray(self.about)
        return (np.asarray(points, float) - about) @ self.rotation.T + about + self.shift

    def numbers(
        self, point: Sequence[float], dimension: Dimension | None = None
    ) -> NDArray[np.float64]:
        """Angle, or in space the matrix of the turn; where it has a point of the body; modes.

        They change steadily with the pose, as an axis need not.

        Parameters
        ----------
        dimension : that they are of; None: that of the pose
        """
        own = self.into(dimension or self.dimension)
        turn = [own.angle] if own.axis is None else own.rotation.ravel()
        place = point if own.axis is None else lifted(point)
        return np.array([*turn, *own.apply(place), *own.modes])

    @property
    def dimension(self) -> Dimension:
        """The plane of motion, or space where the pose has an axis."""
        return XY if self.axis is None else XYZ

    def into(self, dimension: Dimension) -> Pose:
        """The pose in a dimension that holds it: a turn in the plane of motion is about y."""
        if self.dimension.holds(dimension):
            return self
        return Pose(self.angle, self.about, self.shift, NOSE_UP, modes=self.modes)

    def __add__(self, other: Pose) -> Pose:
        """Angles, shifts and modes add; two turns must have the same pivot and the same axis."""
        if not isinstance(other, Pose):
            return NotImplemented
        one, two = alike(self, other)
        if one.angle and two.angle and one.about != two.about:
            raise SettingsError(
                f"poses turn about two pivots, {one.about} and {two.about}: expected one; "
                "write the second turn as a turn about the first pivot and a shift"
            )
        if one.angle and two.angle and one.axis != two.axis:
            raise SettingsError(
                f"poses turn about two axes, {one.axis} and {two.axis}: expected one; "
                "write both turns as one, by a function of time"
            )
        turned = one if one.angle or not two.angle else two
        shift = tuple(a + b for a, b in zip(one.shift, two.shift, strict=True))
        modes = _added(one.modes, two.modes)
        return Pose(one.angle + two.angle, turned.about, shift, turned.axis, modes=modes)


@dataclass(frozen=True, slots=True, init=False)
class Rate:
    """Rate of change of a pose: rate of the angle, velocity of the pivot, rates of modes.

    The point (x, y) of the body has the velocity shift + angle (y - y_p, x_p - x), with (x_p, y_p)
    the present place of the pivot (docs/theory.md, eq. 1.4); in space shift + angle axis x r, with
    r from the pivot.

    Parameters
    ----------
    angle : float    rate of the angle, nose-up positive [rad a_inf/chord]
    shift : (2,)     velocity of the pivot; in space (x, z) or (x, y, z) [a_inf]
    axis : (3,)      in space, of the turn, of any length; None: (0, 1, 0)
    modes : (n,)     rates of the amplitudes of the body's shapes [a_inf/chord]; () of a rigid body
    """

    angle: float
    shift: Vector
    axis: Vector | None
    modes: Vector

    def __init__(
        self,
        angle: float = 0.0,
        shift: Sequence[float] = (0.0, 0.0),
        axis: Sequence[float] | None = None,
        *,
        modes: Sequence[float] | float = (),
    ) -> None:
        object.__setattr__(self, "angle", finite("Rate", "angle", angle))
        _put(self, "Rate", None, place("Rate", "shift", shift, finite), axis)
        object.__setattr__(self, "modes", several("Rate", "modes", modes))

    def __repr__(self) -> str:
        return _told(self)

    @property
    def dimension(self) -> Dimension:
        """The plane of motion, or space where the rate has an axis."""
        return XY if self.axis is None else XYZ

    def into(self, dimension: Dimension) -> Rate:
        """The rate in a dimension that holds it, as of `Pose.into`."""
        if self.dimension.holds(dimension):
            return self
        return Rate(self.angle, self.shift, NOSE_UP, modes=self.modes)

    def __add__(self, other: Rate) -> Rate:
        """Rates of motions that share a pivot and an axis add up."""
        if not isinstance(other, Rate):
            return NotImplemented
        one, two = alike(self, other)
        turned = one if one.angle or not two.angle else two
        shift = tuple(a + b for a, b in zip(one.shift, two.shift, strict=True))
        modes = _added(one.modes, two.modes)
        return Rate(one.angle + two.angle, shift, turned.axis, modes=modes)


def _added(one: Vector, two: Vector) -> Vector:
    """Sums of amplitudes; a body without shapes has none."""
    return tuple(a + b for a, b in zip_longest(one, two, fillvalue=0.0))


def _told(made: Pose | Rate) -> str:
    """`repr` of a pose or a rate; of a rigid body without modes."""
    names = [field.name for field in fields(made) if field.name != "modes" or made.modes]
    told = ", ".join(f"{name}={getattr(made, name)!r}" for name in names)
    return f"{type(made).__name__}({told})"


def _put(
    made: Pose | Rate,
    owner: str,
    about: Vector | None,
    shift: Vector,
    axis: Sequence[float] | None,
) -> None:
    """Set pivot, shift and axis; all of space where one of them is."""
    spatial = axis is not None or 3 in (len(shift), 0 if about is None else len(about))
    way = None
    if spatial:
        way = NOSE_UP if axis is None else unit(owner, "axis", axis)
        shift = lifted(shift)
        about = None if about is None else lifted(about)
    if about is not None:
        object.__setattr__(made, "about", about)
    object.__setattr__(made, "shift", shift)
    object.__setattr__(made, "axis", way)


Kind = TypeVar("Kind", Pose, Rate)


def alike(one: Kind, two: Kind) -> tuple[Kind, Kind]:
    """Both of the plane of motion, or both of space."""
    both = widest((one.dimension, two.dimension))
    return one.into(both), two.into(both)


def cross_of(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Matrices (..., 3, 3) of the cross product with vectors (..., 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    none = np.zeros_like(x)
    rows = [[none, -z, y], [z, none, -x], [-y, x, none]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
