"""[structure] of a case file, as a frozen dataclass that refuses nonsense."""

from __future__ import annotations

from dataclasses import dataclass, fields

from kinemesh.cases.values import choice, in_section
from kinemesh.sentences import Place
from kinemesh.structure.typical import KINDS, TypicalSection


@dataclass(frozen=True, slots=True)
class StructurePart:
    """Structure on which the body stands, of `kinemesh flutter`; runs hold the body."""

    kind: str  # typical-section
    mu: float  # mass ratio m / (pi rho b^2), b half the chord [-]
    a: float  # elastic axis behind the middle of the chord [b]
    x_alpha: float  # centre of mass behind the axis [b]
    r2_alpha: float  # squared radius of gyration about the axis [b^2]; above x_alpha^2
    omega_ratio: float  # omega_h / omega_alpha, of plunge and pitch alone [-]

    def __post_init__(self) -> None:
        choice(Place("structure", "kind"), self.kind, tuple(KINDS))
        self.build()

    def build(self) -> TypicalSection:
        """The structure; SettingsError for numbers that make none."""
        with in_section(Place("structure")):
            numbers = {own.name: getattr(self, own.name) for own in fields(self)}
            return KINDS[numbers.pop("kind")](**numbers)
