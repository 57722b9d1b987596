"""[motion] of a case file, as a frozen dataclass that refuses nonsense."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import reduce
from inspect import Parameter, signature
from operator import add
from pathlib import Path
from typing import Any

from kinemesh import motion as motions
from kinemesh.cases.values import in_section, known, wrong
from kinemesh.errors import CaseError
from kinemesh.motion.named_shapes import vibration
from kinemesh.motion.tables import read
from kinemesh.sentences import Place, Sentence

Law = Callable[..., motions.Motion]
FILE = "file"  # key of a law's file; where it needs one, the name alone may stand for the table
K = "k"  # key of a law's frequency, which [motion] may state for all


def law(made: Law) -> Any:
    """Field of a law by its class, or by the function that makes it: arguments are the keys."""
    return field(default=None, metadata={"law": made})


def laws(part: type) -> dict[str, Law]:
    """Laws of `MotionPart`, or of a class derived from it, by their keys in [motion]."""
    return {f.name: f.metadata["law"] for f in fields(part) if "law" in f.metadata}


def keys(made: Law) -> list[Parameter]:
    """Arguments of a law that a case file states; the chord is that of [flow]."""
    return [own for name, own in signature(made).parameters.items() if name != "chord"]


def _of_file(made: Law) -> bool:
    """True of a law that comes from a file."""
    return any(key.name == FILE and key.default is Parameter.empty for key in keys(made))


def _has_k(made: Law) -> bool:
    """True of a law with a reduced frequency."""
    return any(key.name == K for key in keys(made))


@dataclass(frozen=True, slots=True)
class MotionPart:
    """Tables with the arguments of motions, which add up; or such tables by body."""

    pitch: Mapping[str, Any] | None = law(motions.pitch)  # see [motion] pitch
    plunge: Mapping[str, Any] | None = law(motions.plunge)  # see [motion] plunge
    translate: Mapping[str, Any] | None = law(motions.translate)  # see [motion] translate
    rotate: Mapping[str, Any] | None = law(motions.rotate)  # see [motion] rotate
    pulse: Mapping[str, Any] | None = law(motions.pulse)  # see [motion] pulse
    twist: Mapping[str, Any] | None = law(motions.twist)  # see [motion] twist
    modes: Mapping[str, Any] | None = law(vibration)  # shapes that bend; see [motion] modes
    table: str | Mapping[str, Any] | None = law(read)  # file of times and poses; see [motion] table
    bodies: Mapping[str, Any] | None = None  # by body instead: [motion.bodies.MARKER]; others rest
    k: float | None = None  # reduced frequency of all laws that have one, in place of k in each

    def __post_init__(self) -> None:
        if self.bodies is None:
            self._check(Place("motion"), self._whole())
            return
        whole = [*self._whole(), *([] if self.k is None else [K])]
        if whole:
            raise CaseError(Place("motion"), f" has bodies, so {', '.join(whole)} has no meaning")
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
            known(where, table, [*self.laws, K])
            self._check(where, table)

    def _with_k(self, where: Place, given: Mapping[str, Any]) -> dict[str, Any]:
        """Tables of laws, with the frequency that stands beside them, where there is one.

        Raises
        ------
        CaseError    a frequency that is no number, that no law beside it has, or that one has too
        """
        tables = {name: own for name, own in given.items() if name != K}
        k, own_place = given.get(K, self.k), Place(where.section, K)
        if k is None:
            return tables
        if isinstance(k, bool) or not isinstance(k, int | float):
            raise wrong(own_place, k, "a number above 0")
        having = [name for name, own in self.laws.items() if _has_k(own)]
        there = [name for name in tables if name in having]
        if not there:
            raise CaseError(
                own_place,
                f" = {k}, and no motion beside it has a reduced frequency; expected "
                f"{' or '.join(having)}, or no {K}",
            )
        for name in there:
            if not isinstance(tables[name], Mapping):
                continue  # which is refused as such
            if K in tables[name]:
                raise CaseError(
                    Place(where.section, name), f" has {K}, and so has ", where, "; expected one"
                )
            tables[name] = {**tables[name], K: k}
        return tables

    @property
    def laws(self) -> dict[str, Law]:
        """Laws by their keys."""
        return laws(type(self))

    def _whole(self) -> dict[str, Any]:
        """The tables of a motion that all bodies share."""
        return {n: getattr(self, n) for n in self.laws if getattr(self, n) is not None}

    def _check(self, where: Place, given: Mapping[str, Any]) -> None:
        """CaseError where the tables make no motion."""
        if not given:
            raise CaseError(where, f" is empty, expected {', '.join(self.laws)}, or several")
        for name, table in self._with_k(where, given).items():
            _check_law(Place(where.section, name), self.laws[name], table)

    @property
    def files(self) -> list[Path]:
        """Files of motions."""
        each = [self._whole()] if self.bodies is None else self.bodies.values()
        tables = [_table(own) for several in each for name, own in several.items() if name != K]
        return [Path(own[FILE]) for own in tables if FILE in own]

    def build(self, chord: float | None) -> motions.Motion | dict[str, motions.Motion]:
        """Motion, or motions by marker; reduced frequencies are by the chord, or 1."""
        chord = 1.0 if chord is None else chord
        if self.bodies is None:
            return self._motion(Place("motion"), self._whole(), chord)
        return {
            name: self._motion(Place(("motion", "bodies", name)), table, chord)
            for name, table in self.bodies.items()
        }

    def _motion(self, where: Place, tables: Mapping[str, Any], chord: float) -> motions.Motion:
        """Sum of the motions of these tables, in the order of the laws."""
        tables = self._with_k(where, tables)
        with in_section(where):
            each = [_made(own, tables[n], chord) for n, own in self.laws.items() if n in tables]
            return reduce(add, each)

    def named(self, chord: float | None) -> dict[str, motions.Motion]:
        """Each motion by its body's marker; that of all bodies by an empty one."""
        made = self.build(chord)
        return made if isinstance(made, dict) else {"": made}


def _check_law(place: Place, made: Law, table: Any) -> None:
    """CaseError for a table that lacks an argument of a law, or has one that the law has not."""
    expected = keys(made)
    by_file = _of_file(made)
    if by_file and (not isinstance(table, str | Mapping) or table == ""):
        raise CaseError(
            place,
            f" = {table!r}, expected a file name, or a table such as "
            '{ file = "motion.csv", about = [0.25, 0.0] }',
        )
    if not by_file and not isinstance(table, Mapping):
        raise wrong(place, table, "a table")
    own = _table(table)
    known(place, own, [key.name for key in expected])
    needs = by_file or FILE in own
    if needs and (not isinstance(own.get(FILE), str) or not own[FILE]):
        raise wrong(Place(place.section, f"{place.key} {FILE}"), own.get(FILE), "a file name")
    missing = [k.name for k in expected if k.default is Parameter.empty and k.name not in own]
    if missing:
        raise CaseError(place, f" lacks {', '.join(missing)}")


def _table(table: str | Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a law; a file's name alone is its file."""
    return {FILE: table} if isinstance(table, str) else dict(table)


def located(tables: Any, folder: str | Path) -> Any:
    """Tables of motions, also of bodies, with file names relative to a folder."""
    if not isinstance(tables, Mapping):
        return tables
    made = dict(tables)
    for name, own in laws(MotionPart).items():
        table = made.get(name)
        if isinstance(table, Mapping) or (isinstance(table, str) and _of_file(own)):
            made[name] = _located(table, folder)
    if isinstance(made.get("bodies"), Mapping):
        made["bodies"] = {name: located(own, folder) for name, own in made["bodies"].items()}
    return made


def _located(table: str | Mapping[str, Any], folder: str | Path) -> str | Mapping[str, Any]:
    """A file's name, or a table with one, relative to a folder."""
    if isinstance(table, str):
        return str((Path(folder) / table).absolute()) if table else table
    if isinstance(table.get(FILE), str) and table[FILE]:
        return {**table, FILE: str((Path(folder) / table[FILE]).absolute())}
    return table


def _made(made: Law, table: Any, chord: float) -> motions.Motion:
    """One motion."""
    reference = {"chord": chord} if "chord" in signature(made).parameters else {}
    return made(**_table(table), **reference)
