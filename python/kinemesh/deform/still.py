"""Nothing moves: of a case whose bodies are at rest."""

from __future__ import annotations

from dataclasses import dataclass

from kinemesh.deform.mover import Deformation, PoseMover
from kinemesh.errors import SettingsError
from kinemesh.motion import Motion
from kinemesh.space.vertices import Vertices


class StillMover(PoseMover):
    """Leaves every vertex where it is."""

    def move(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Still(Deformation):
    """Deformation that leaves the mesh at rest."""

    name = "still"

    def check_placed(self, body: str, motion: Motion | None) -> None:
        raise SettingsError(
            f"place: body {body!r} was made to rest, as the case has no motion; give the case "
            f"motion={{{body!r}: km.motion.given()}}"
        )

    def attach(self, vertices: Vertices) -> StillMover:
        return StillMover(vertices)
