"""The low-Mach form of the upwind fluxes: how much of the damping of sound is left (theory, 2.2).

The factor z follows from a reference Mach number, the largest speed of a member's walls relative to
its stream.  Being a difference of two velocities, it is the same in every frame.  In a gas at rest,
where nothing may move yet, it is no less than the one that coefficients refer to.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.sentences import Sentence

if TYPE_CHECKING:
    from kinemesh.bodies.placement import Placement
    from kinemesh.space.volumes import Volumes

SCALE = 0.3  # at lower reference Mach numbers damping is what it is at this one
BLEND = 0.2  # reference Mach number up to which z is in proportion to it
OFF = 0.4  # reference Mach number from which z is 1
LOWEST = {"float64": 0.001, "float32": 0.02}  # to which loads hold, and z falls; validation.md


def factor(reference: ArrayLike) -> NDArray[np.float64]:
    """z at a reference Mach number, rising in proportion, then smoothly to 1 (theory eq. 2.6d)."""
    mach = np.asarray(reference, float)
    blend = 1 - np.maximum(OFF - mach, 0) ** 2 / (2 * SCALE * (OFF - BLEND))
    return np.where(mach < BLEND, mach / SCALE, blend)


class LowMach:
    """Factors of each member, on the device.

    Parameters
    ----------
    mach : (members,)    that coefficients refer to
    speeds, alpha_deg : (members,)    Mach numbers of the streams, 0 of a gas at rest, and angles

    Attributes
    ----------
    on : whether there is such a form: where it is asked for, and pseudo-steps have a matrix
    pairs : (members, 2) float64 device array    z and 1 / z
    """

    def __init__(
        self,
        grid: Volumes,
        settings: Any,
        mach: NDArray[Any],
        speeds: NDArray[Any],
        alpha_deg: NDArray[Any],
    ) -> None:
        self.grid, self.settings, self.mach = grid, settings, mach
        alpha = np.radians(alpha_deg)
        stream = speeds[:, None] * np.stack([np.cos(alpha), np.sin(alpha)], axis=1)
        self.stream = grid.dimension.lift(stream)
        self.least = np.where(speeds > 0, 0.0, mach)  # of a gas at rest, whose walls may start slow
        self.on = settings.low_mach and settings.matrix is not None
        self.pairs = grid.backend.array(np.ones((grid.members, 2)), np.float64)
        made = grid.each("boxes", _boxes)
        boxes = [made[grid.alike.of[member]][marker] for member, marker in grid.bodies]
        d = grid.dimensions
        self._corners = np.array(boxes).reshape(-1, 2**d, d).swapaxes(0, 1)  # (corners, bodies, d)
        self.begin()

    def begin(self) -> None:
        """All walls at rest: the reference is the Mach number that coefficients refer to."""
        self.reference = self.mach
        self._put(0.0)
        self.begin_step()

    def begin_step(self) -> None:
        """A physical step begins: `follow` starts from what is known here."""
        self._before = self.reference
        if self.on:  # a restart has the factors of the steps before it
            self._least = self.grid.backend.get(self.pairs)[:, 0]

    def follow(self, placement: Placement, dt: NDArray[Any], first: bool) -> None:
        """A physical step: the reference is the largest of this run's steps up to now.

        It does not fall where a flapping body turns, since the wake of its stroke is still there.
        Where z is 1 for all members, it stays so, and the reference is what it was.

        Parameters
        ----------
        placement : of the bodies in this step
        dt : (members,)    [chord/a_inf]
        first : whether it is the run's first step
        """
        if not first and (self._before >= OFF).all():
            return
        speeds = self._speeds(placement, dt)
        self.reference = speeds if first else np.maximum(self._before, speeds)
        self._put(0.0 if first or not self.on else self._least)

    def _put(self, least: NDArray[Any] | float) -> None:
        if self.on:
            # 1 / z multiplies round-off of pressures: it is bounded where loads no longer hold
            lowest = LOWEST[self.grid.backend.dtype]
            z = np.maximum(factor(np.maximum(self.reference, lowest)), least)
            self.grid.backend.put(self.pairs, np.stack([z, 1 / z], axis=1))

    def _speeds(self, placement: Placement, dt: NDArray[Any]) -> NDArray[np.float64]:
        """(members,) largest speed of the bodies' boxes relative to the stream; without bodies,
        that of the stream [a_inf]."""
        owners = self.grid.owners
        step, stream = owners.spread(dt)[:, None], owners.spread(self.stream)
        squares = np.zeros(len(step))
        for way in placement.way(self._corners) / step - stream:
            squares = np.maximum(squares, (way * way).sum(axis=1))
        speed = np.sqrt(squares)
        if (shapes := self.grid.vertices.shapes) is not None:
            bent = np.abs(placement.bent(shapes.count)) / step
            speed = speed + (bent * shapes.largest).sum(axis=1)
        found = np.where(owners.bare, self.mach, owners.largest(speed))
        return np.maximum(found, self.least)

    def notes(self) -> list[str]:
        """A sentence for each member whose Mach number is too low for its fluxes."""
        settings, dtype = self.settings, self.grid.backend.dtype
        limit = LOWEST[dtype] if self.on else BLEND
        if self.on:
            why = f"in {dtype} round-off spoils the loads below Mach {limit:g}"
            do = "use a larger mach, or float64" if dtype == "float32" else "use a larger mach"
        else:
            why = "without the low-Mach form of the fluxes errors of cl and cd grow as 1 / Mach"
            do = "set low_mach = true" if settings.matrix else f"use {settings.with_matrix}"
        return [
            Sentence(
                f"walls go at Mach {self.reference[m]:.3g} relative to the stream, and {why}",
                member=m,
                about="low Mach number",
                advice=do,
            )
            for m in np.flatnonzero(self.reference < limit)
        ]


def _boxes(mesh: Any) -> dict[str, NDArray[np.float64]]:
    """(4, 2), in space (8, 3), corners of the box of each marker of a mesh."""
    found = {}
    for marker, facets in mesh.boundaries.items():
        nodes = np.unique(facets)
        own = mesh.points[nodes[nodes >= 0]]
        found[marker] = np.array(list(product(*zip(own.min(axis=0), own.max(axis=0), strict=True))))
    return found
