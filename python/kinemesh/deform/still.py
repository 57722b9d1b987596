"""Nothing moves: of a case whose bodies are at rest."""

from __future__ import annotations

from dataclasses import dataclass

from kinemesh.deform.base import Deformation, PoseMover
from kinemesh.space.vertices import Vertices


class StillMover(PoseMover):
    """Leaves every vertex where it is."""

    def move(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Still(Deformation):
    """Deformation that leaves the mesh at rest."""

    name = "still"

    def attach(self, vertices: Vertices) -> StillMover:
        return StillMover(vertices)
