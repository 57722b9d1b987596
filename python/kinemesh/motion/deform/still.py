"""Nothing moves: of a case whose bodies are at rest."""

from __future__ import annotations

from dataclasses import dataclass

from kinemesh.motion.deform.base import Deformation, Mover, Poses
from kinemesh.space.vertices import Vertices


class StillMover(Mover):
    """Leaves every vertex where it is."""

    def step(self, poses: Poses) -> dict[str, float]:
        del poses
        return {}


@dataclass(frozen=True, slots=True)
class Still(Deformation):
    """Deformation that leaves the mesh at rest."""

    name = "still"

    def attach(self, vertices: Vertices) -> StillMover:
        return StillMover(vertices)
