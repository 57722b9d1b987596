"""Bodies that stand on structures: poses, rates and forces of their coordinates, as arrays.

Turns and shifts of the coordinates are added to those of a body's law, about the same point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.case import Bodies
from kinemesh.bodies.placement import Placement
from kinemesh.bodies.poses import PoseArray, RateArray
from kinemesh.bodies.ways import Way
from kinemesh.structure.alpha import times
from kinemesh.structure.coordinates import Coordinates

FloatArray = NDArray[np.float64]


class FreeBodies:
    """A body of each member, on a structure.

    Parameters
    ----------
    bodies : Bodies
    of : (members,)    numbers of those on structures, in the order of the members
    own : Coordinates of each, all with as many
    """

    def __init__(self, bodies: Bodies, of: NDArray[np.int64], own: Sequence[Coordinates]) -> None:
        self.bodies, self.of = bodies, of
        self.about = bodies.pivots[of][:, [0, -1]]
        # (members, 3 + shapes, n) turn, shift and amplitudes of the coordinates
        self.way = np.array([one.way for one in own])
        self.shapes = len(own[0].shapes)
        self.back = self.way.transpose(0, 2, 1)

    def poses(self, q: FloatArray) -> PoseArray:
        """Poses of the bodies at coordinates (members, n)."""
        turn, shift, bent = self.parts(q)
        return PoseArray(turn, self.about, shift, modes=bent if self.shapes else None)

    def parts(self, q: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Turns (members,), shifts (members, 2) and amplitudes (members, shapes) of coordinates, or
        of their rates."""
        found = times(self.way, q)
        return found[:, 0], found[:, 1:3], found[:, 3:]

    def at(self, laws: PoseArray, q: FloatArray) -> PoseArray:
        """Poses of all bodies, those on structures at coordinates, others by laws."""
        own = self.poses(q)
        return self._beside(laws, Way(own, own, self.of).over(laws, 1.0))

    def _beside(self, laws: PoseArray, free: PoseArray) -> PoseArray:
        """Poses of all bodies, those of structures added to the laws of their bodies."""
        angle, shift = free.angle.copy(), free.shift.copy()
        angle[self.of] += laws.angle[self.of]
        shift[self.of] += laws.shift[self.of]
        return PoseArray(angle, free.about, shift, free.axis, free.modes)

    def over(
        self,
        laws: Placement,
        ends: tuple[FloatArray, FloatArray],
        rates: FloatArray,
        onward: NDArray[np.bool_] | None,
    ) -> Placement:
        """Placement of a step between coordinates; on the way they go in proportion to the time.

        Parameters
        ----------
        laws : of the other bodies;  ends : coordinates where the step begins and where it ends
        rates : of the coordinates at the end;  onward : as of `Placement`
        """
        way = Way(self.poses(ends[0]), self.poses(ends[1]), self.of)

        def rates_at() -> RateArray:
            others = laws.rates
            turn, shift, bent = self.parts(rates)
            angle, speed = others.angle.copy(), others.shift.copy()
            angle[self.of] += turn
            speed[self.of] += self.bodies.dimension.lift(shift)
            modes = None if others.modes is None else others.modes.copy()
            if modes is not None:
                modes[self.of, : self.shapes] = bent
            return replace(others, angle=angle, shift=speed, modes=modes)

        def there(share: float) -> PoseArray:
            others = laws.at(share)
            return self._beside(others, way.over(others, share))

        return Placement(there, rates_at, onward)

    def forces(self, loads: FloatArray, of_shapes: FloatArray) -> FloatArray:
        """(members, n) forces of the coordinates.

        Parameters
        ----------
        loads : (3, bodies)    moment, force along and up
        of_shapes : (bodies, most shapes) generalised forces
        """
        rigid, bent = loads.T[self.of], of_shapes[self.of, : self.shapes]
        return times(self.back, np.hstack([rigid, bent]))
