"""[motion] of a case file, as a frozen dataclass that refuses nonsense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from kinemesh import motion as motions
from kinemesh.cases.parts import needed
from kinemesh.cases.values import in_section, known, wrong
from kinemesh.errors import CaseError
from kinemesh.sentences import Place, Sentence

MOTIONS: dict[str, Any] = {
    "pitch": motions.Pitch,
    "plunge": motions.Plunge,
    "translate": motions.Translate,
    "rotate": motions.Rotate,
    "table": motions.Table,
}


@dataclass(frozen=True, slots=True)
class TablePart:
    """Keys of [motion] table, or the file's name alone in their place."""

    file: str  # columns time (reduced), angle_deg or angle [rad], x and y of the shift [chord]
    about: tuple[float, float] | None = None  # pivot [chord]; [0.25, 0.0] of a table with angles
    period: float | None = None  # reduced period of a table without the row that closes it
    periodic: bool | None = None  # false: as given, though the last row is the first


@dataclass(frozen=True, slots=True)
class MotionPart:
    """Tables with the arguments of motions, which add up; or such tables by body."""

    pitch: Mapping[str, Any] | None = None  # see [motion] pitch
    plunge: Mapping[str, Any] | None = None  # see [motion] plunge
    translate: Mapping[str, Any] | None = None  # see [motion] translate
    rotate: Mapping[str, Any] | None = None  # see [motion] rotate
    table: str | Mapping[str, Any] | None = None  # file of times and poses; see [motion] table
    bodies: Mapping[str, Any] | None = None  # by body instead: [motion.bodies.MARKER]; others rest

    def __post_init__(self) -> None:
        if self.bodies is None:
            _check_motion(Place("motion"), self._whole())
            return
        if self._whole():
            raise CaseError(
                Place("motion"), f" has bodies, so {', '.join(self._whole())} has no meaning"
            )
        if not isinstance(self.bodies, Mapping) or not self.bodies:
            raise CaseError(
                Place("motion", "bodies"),
                f" = {self.bodies!r}, expected tables by the markers of bodies, "
                "such as [motion.bodies.flap]",
            )
        for name, table in self.bodies.items():
            where = Place(("motion", "bodies", name))
            if not isinstance(table, Mapping):
                raise wrong(Place(("motion", "bodies"), name), table, Sentence("a table ", where))
            known(where, table, list(MOTIONS))
            _check_motion(where, table)

    def _whole(self) -> dict[str, Any]:
        """The tables of a motion that all bodies share."""
        return {n: getattr(self, n) for n in MOTIONS if getattr(self, n) is not None}

    @property
    def files(self) -> list[Path]:
        """Files of motions."""
        each = [self._whole()] if self.bodies is None else self.bodies.values()
        return [Path(_of_table(t["table"])["file"]) for t in each if t.get("table")]

    def build(self, chord: float | None) -> motions.Motion | dict[str, motions.Motion]:
        """Motion, or motions by marker; reduced frequencies are by the chord, or 1."""
        chord = 1.0 if chord is None else chord
        if self.bodies is None:
            return _motion(Place("motion"), self._whole(), chord)
        return {
            name: _motion(Place(("motion", "bodies", name)), table, chord)
            for name, table in self.bodies.items()
        }

    def named(self, chord: float | None) -> dict[str, motions.Motion]:
        """Each motion by its body's marker; that of all bodies by an empty one."""
        made = self.build(chord)
        return made if isinstance(made, dict) else {"": made}


def _check_motion(where: Place, given: Mapping[str, Any]) -> None:
    """CaseError where the tables make no motion."""
    if not given:
        raise CaseError(where, f" is empty, expected {', '.join(MOTIONS)}, or several")
    for name, table in given.items():
        place = Place(where.section, name)
        if name == "table":
            _check_table(place, table)
            continue
        if not isinstance(table, Mapping):
            raise wrong(place, table, "a table")
        keys = [f for f in fields(MOTIONS[name]) if f.name != "chord"]
        known(place, table, [f.name for f in keys])
        missing = [f.name for f in keys if needed(f) and f.name not in table]
        if missing:
            raise CaseError(place, f" lacks {', '.join(missing)}")


def _check_table(place: Place, table: Any) -> None:
    """CaseError for a motion by a table that names no file."""
    if not isinstance(table, str | Mapping) or table == "":
        raise CaseError(
            place,
            f" = {table!r}, expected a file name, or a table such as "
            '{ file = "motion.csv", about = [0.25, 0.0] }',
        )
    made = _of_table(table)
    known(place, made, [f.name for f in fields(TablePart)])
    if not isinstance(made.get("file"), str) or not made["file"]:
        raise wrong(Place(place.section, f"{place.key} file"), made.get("file"), "a file name")


def _of_table(table: str | Mapping[str, Any]) -> dict[str, Any]:
    """Keys of [motion] table; a file's name alone is its file."""
    return {"file": table} if isinstance(table, str) else dict(table)


def located(tables: Any, folder: str | Path) -> Any:
    """Tables of motions, also of bodies, with file names relative to a folder."""
    if not isinstance(tables, Mapping):
        return tables
    made = dict(tables)
    table = made.get("table")
    if isinstance(table, str) and table:
        made["table"] = str((Path(folder) / table).absolute())
    elif isinstance(table, Mapping) and isinstance(table.get("file"), str):
        made["table"] = {**table, "file": str((Path(folder) / table["file"]).absolute())}
    if isinstance(made.get("bodies"), Mapping):
        made["bodies"] = {name: located(own, folder) for name, own in made["bodies"].items()}
    return made


def _motion(where: Place, tables: Mapping[str, Any], chord: float) -> motions.Motion:
    """Sum of the motions of these tables."""
    with in_section(where):
        each = [_made(name, tables[name], chord) for name in MOTIONS if name in tables]
        return reduce(add, each)


def _made(name: str, table: Any, chord: float) -> motions.Motion:
    """One motion."""
    if name != "table":
        return getattr(motions, name)(**table, chord=chord)  # type: ignore[no-any-return]
    keys = _of_table(table)
    return motions.table(keys.pop("file"), **keys, chord=chord)
