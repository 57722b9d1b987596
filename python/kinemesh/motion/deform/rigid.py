"""Every node moves with its member's body: exact for one rigid body, and the cheapest."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np

from kinemesh.errors import SettingsError
from kinemesh.motion.deform.base import Deformation, PoseMover
from kinemesh.space.conditions.base import Condition
from kinemesh.space.vertices import Vertices


class RigidMover(PoseMover):
    """All nodes of a member to the pose of its one body."""

    def __init__(self, vertices: Vertices) -> None:
        super().__init__(vertices)
        if not vertices.owners.single:
            raise SettingsError(
                f"rigid motion needs one body per member, found {vertices.bodies}; "
                "use springs or Delaunay mapping for several bodies"
            )
        self._move = self.bind_pose(np.arange(vertices.nodes), vertices.member, vertices.x)

    def move(self) -> None:
        self._move()


@dataclass(frozen=True, slots=True)
class Rigid(Deformation):
    """The whole mesh turns and shifts with the body."""

    name = "rigid"

    def check_conditions(self, conditions: Mapping[str, Condition], moving: Set[str]) -> None:
        for marker, own in conditions.items():
            if own.still and moving:
                raise SettingsError(
                    f"rigid motion turns the whole mesh, and boundary {marker!r} of kind "
                    f"{own.kind!r} stands still; leave motion out, let the mesh deform (springs, "
                    "Delaunay mapping of a gas), or move an overset part (incompressible flow)"
                )

    def attach(self, vertices: Vertices) -> RigidMover:
        return RigidMover(vertices)
