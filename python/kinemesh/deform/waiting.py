"""Vertices stand as given until a body is first placed: of cases whose bodies have no motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Poses, moved
from kinemesh.deform.mover import Deformation, Mover, PoseMover
from kinemesh.space.vertices import Vertices


class WaitingMover(Mover):
    """Leaves vertices where they are given, and hands the first body that is placed to a mover.

    Parameters
    ----------
    deform : Deformation    that vertices follow from the first pose other than as given

    Attributes
    ----------
    own : Mover of it, or None before
    """

    def __init__(self, vertices: Vertices, deform: Deformation) -> None:
        super().__init__(vertices)
        self.deform = deform
        self.own: Mover | None = None
        self.since = -1  # steps since vertices stand, after the first one

    @property
    def rests(self) -> bool:
        return self.since >= PoseMover.AGED if self.own is None else self.own.rests

    def begin(self) -> None:
        if self.own is not None:
            self.own.begin()

    def back(self) -> None:
        if self.own is None:
            super().back()
        else:
            self.own.back()

    def step(self, poses: Poses) -> dict[str, float]:
        if self.own is None:
            if not moved(poses):
                self.since += 1
                return {}
            self.own = self.deform.attach(self.vertices)
            self.own.begin()
        return self.own.step(poses)

    def state(self) -> dict[str, NDArray[np.generic]]:
        return {} if self.own is None else self.own.state()

    def restore(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Take up a state; one of a mover at work is taken up by a mover."""
        if state:
            self.own = self.deform.attach(self.vertices)
            self.own.restore(state)
