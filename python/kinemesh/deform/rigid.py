"""Every node moves with its member's body: exact for one rigid body, and the cheapest."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.deform.mover import Deformation, PoseMover
from kinemesh.errors import SettingsError
from kinemesh.space.conditions.base import Condition
from kinemesh.space.vertices import Vertices

SEVERAL = {
    2: "use springs or Delaunay mapping for several bodies",
    3: "use springs on a mesh, give walls that move alike one marker, or make a mesh about each "
    "body",
}
"""Advice for several bodies, by the dimensions of the mesh."""


class RigidMover(PoseMover):
    """All nodes of a member to the pose of its one body; those of none stand."""

    words: ClassVar[str] = "rigid motion"

    def __init__(self, vertices: Vertices) -> None:
        super().__init__(vertices)
        owners = vertices.owners
        if owners.several:
            raise SettingsError(
                f"{self.words} needs one body per member at most, found {vertices.bodies}; "
                f"{SEVERAL[vertices.dimensions]}"
            )
        body = np.full(owners.members, -1)
        body[owners.of] = np.arange(len(owners.of))
        own = body[np.asarray(vertices.member)]
        there = np.flatnonzero(own >= 0)
        fields = self.fields(there, own[there]) if len(there) else None
        shape = None if fields is None else {"shape": fields}
        # without a body nothing moves
        self._calls = self.bind_pose(there, own[there], vertices.x, shape) if len(there) else []

    def fields(self, node: NDArray, body: NDArray) -> Any:
        """(nodes, shapes, dimensions) device array of the bodies' shapes at all nodes, or None."""
        del node, body
        return None

    def move(self) -> None:
        for call in self._calls:
            call()


@dataclass(frozen=True, slots=True)
class Rigid(Deformation):
    """The whole mesh turns and shifts with the body."""

    name = "rigid"
    words: ClassVar[str] = "rigid motion"

    def check_conditions(self, conditions: Mapping[str, Condition], moving: Set[str]) -> None:
        for marker, own in conditions.items():
            if own.still and moving:
                raise SettingsError(
                    f"{self.words} turns the whole mesh, and boundary {marker!r} of kind "
                    f"{own.kind!r} stands still; leave motion out, let the mesh deform (springs, "
                    "Delaunay mapping of a gas), or move an overset part (incompressible flow)"
                )

    def attach(self, vertices: Vertices) -> RigidMover:
        return RigidMover(vertices)
