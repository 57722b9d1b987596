"""[motion] of a case file, as a frozen dataclass that refuses nonsense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from kinemesh import motion as motions
from kinemesh.cases.parts import needed
from kinemesh.cases.values import in_section, known
from kinemesh.errors import CaseError

MOTIONS: dict[str, Any] = {
    "pitch": motions.Pitch,
    "plunge": motions.Plunge,
    "translate": motions.Translate,
    "rotate": motions.Rotate,
}


@dataclass(frozen=True, slots=True)
class MotionPart:
    """Tables with the arguments of motions, which add up; or such tables by body."""

    pitch: Mapping[str, Any] | None = None  # see [motion] pitch
    plunge: Mapping[str, Any] | None = None  # see [motion] plunge
    translate: Mapping[str, Any] | None = None  # see [motion] translate
    rotate: Mapping[str, Any] | None = None  # see [motion] rotate
    bodies: Mapping[str, Any] | None = None  # by body instead: [motion.bodies.MARKER]; others rest

    def __post_init__(self) -> None:
        if self.bodies is None:
            _check_motion("[motion]", self._whole())
            return
        if self._whole():
            raise CaseError(f"[motion] has bodies, so {', '.join(self._whole())} has no meaning")
        if not isinstance(self.bodies, Mapping) or not self.bodies:
            raise CaseError(
                f"[motion] bodies = {self.bodies!r}, expected tables by the markers of bodies, "
                "such as [motion.bodies.flap]"
            )
        for name, table in self.bodies.items():
            where = f"[motion.bodies.{name}]"
            if not isinstance(table, Mapping):
                raise CaseError(f"[motion.bodies] {name} = {table!r}, expected a table {where}")
            known(where, table, list(MOTIONS))
            _check_motion(where, table)

    def _whole(self) -> dict[str, Any]:
        """The tables of a motion that all bodies share."""
        return {n: getattr(self, n) for n in MOTIONS if getattr(self, n) is not None}

    def build(self, chord: float | None) -> motions.Motion | dict[str, motions.Motion]:
        """The motion, or those of bodies by marker; reduced frequencies are by the chord, or 1."""
        chord = 1.0 if chord is None else chord
        if self.bodies is None:
            return _motion("[motion]", self._whole(), chord)
        return {
            name: _motion(f"[motion.bodies.{name}]", table, chord)
            for name, table in self.bodies.items()
        }

    def named(self, chord: float | None) -> dict[str, motions.Motion]:
        """Each motion by its body's marker; that of all bodies by an empty one."""
        made = self.build(chord)
        return made if isinstance(made, dict) else {"": made}


def _check_motion(where: str, given: Mapping[str, Any]) -> None:
    """CaseError where the tables make no motion."""
    if not given:
        raise CaseError(f"{where} is empty, expected {', '.join(MOTIONS)}, or several")
    for name, table in given.items():
        place = f"{where} {name}"
        if not isinstance(table, Mapping):
            raise CaseError(f"{place} = {table!r}, expected a table")
        keys = [f for f in fields(MOTIONS[name]) if f.name != "chord"]
        known(place, table, [f.name for f in keys])
        missing = [f.name for f in keys if needed(f) and f.name not in table]
        if missing:
            raise CaseError(f"{place} lacks {', '.join(missing)}")


def _motion(where: str, tables: Mapping[str, Any], chord: float) -> motions.Motion:
    """The sum of the motions of these tables."""
    with in_section(where):
        return sum(
            getattr(motions, name)(**tables[name], chord=chord)
            for name in MOTIONS
            if name in tables
        )
