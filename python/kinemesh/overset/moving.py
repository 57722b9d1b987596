"""Motion of overset parts: each is a rigid body with its own motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.deform.mover import Deformation, PoseMover
from kinemesh.errors import SettingsError
from kinemesh.motion import Motion
from kinemesh.space.conditions.base import Condition
from kinemesh.space.vertices import Vertices


def bodies_of_parts(meshes: Sequence[Any], bodies: Sequence[tuple[int, str]]) -> NDArray[np.intp]:
    """(parts of all members,) number of the body that each part moves with; -1 of one at rest.

    Parameters
    ----------
    meshes : Parts of each member
    bodies : list of (member, marker)
    """
    number = {body: k for k, body in enumerate(bodies)}
    names = [(m, name) for m, mesh in enumerate(meshes) for name in mesh.names]
    return np.array([number.get(own, -1) for own in names], np.intp)


class PartsMover(PoseMover):
    """Every part to the pose of its body."""

    def __init__(self, vertices: Vertices) -> None:
        super().__init__(vertices)
        body = bodies_of_parts(vertices.meshes, vertices.bodies)
        counts = np.concatenate([np.diff(mesh.first) for mesh in vertices.meshes])
        of_node = np.repeat(body, counts)
        moved = np.flatnonzero(of_node >= 0)
        (self._move,) = self.bind_pose(moved, of_node[moved], vertices.x)

    def move(self) -> None:
        self._move()


@dataclass(frozen=True, slots=True)
class RigidParts(Deformation):
    """Each part turns and shifts with its body."""

    name = "rigid"

    def check_conditions(self, conditions: Mapping[str, Condition], moving: Set[str]) -> None:
        for marker, own in conditions.items():
            part = marker.split(".")[0]
            if own.still and part in moving:
                raise SettingsError(
                    f"boundary {marker!r} of kind {own.kind!r} stands still, and part {part!r} "
                    "moves; give it to a part at rest, or leave the part's motion out"
                )

    def check_placed(self, body: str, motion: Motion | None) -> None:
        if motion is None:
            raise SettingsError(
                f"place: part {body!r} was made to rest; give the case "
                f"motion={{{body!r}: km.motion.given()}}"
            )

    def attach(self, vertices: Vertices) -> PartsMover:
        return PartsMover(vertices)
