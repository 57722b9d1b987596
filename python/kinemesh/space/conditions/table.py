"""Table of the conditions, and conditions as users give them: words, objects, tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from hashlib import sha256
from typing import Any

from kinemesh import packages
from kinemesh.errors import PackageError, SettingsError, did_you_mean
from kinemesh.space.conditions.base import PLANE, ROLES, Condition
from kinemesh.space.conditions.inflow import Inflow, Outflow
from kinemesh.space.conditions.reservoirs import Inlet, Outlet
from kinemesh.space.conditions.words import Far, Overset, Symmetry, Wall

CONDITIONS: list[type[Condition]] = [
    Wall, Far, Symmetry, Outlet, Outflow, Inlet, Inflow, Overset,
]  # fmt: skip
"""A new condition is its class in a file, with its kernels, and an entry here.

A kind may have a class for each flow.  Patches of the boundary are in the order of the kinds."""
OF_PACKAGES: dict[str, tuple[packages.Extension, type[Condition]]] = {}
"""Conditions of installed packages that were asked for, by kind."""
TIMES = (0.0, 0.3, 1.0, 2.7, 11.0)  # at which functions of the time are told apart


def every() -> list[type[Condition]]:
    """Conditions of kinemesh, and those of packages that were asked for in the order of kinds."""
    return CONDITIONS + [OF_PACKAGES[kind][1] for kind in sorted(OF_PACKAGES)]


def kinds(family: str | None = None) -> dict[str, list[type[Condition]]]:
    """Classes of each kind, of a family of solvers or of those that users may name."""
    found: dict[str, list[type[Condition]]] = {}
    for own in every():
        if own.families if family is None else family in own.families:
            found.setdefault(own.kind, []).append(own)
    return found


def role_of(name: str) -> str:
    """Role of a kind; that of a role is its own."""
    return name if name in ROLES else next(own.role for own in every() if own.kind == name)


def stands_still(name: str) -> bool:
    """True where a kind, or a role, has a place of its own."""
    return name == PLANE or any(own.still for own in every() if own.kind == name)


def flux_of(name: str, family: str) -> str:
    """Kernel of the flux of a kind, in a family of solvers."""
    own = next(own for own in every() if own.kind == name and family in own.families)
    return f"{family}_{own.flux}"


def sticks(name: str) -> bool:
    """True of a kind that a viscous gas sticks to."""
    return any(own.strong for own in every() if own.kind == name)


def in_words(family: str) -> str:
    """Conditions that a family of solvers computes."""
    each = [own for classes in kinds(family).values() for own in classes]
    return ", ".join(f"{own.kind}{f' of {own.flow}' if own.flow else ''}" for own in each)


def expected_of(kind: str, family: str) -> str:
    """Numbers that a kind has in a family of solvers; empty where it has no such kind."""
    return ", or ".join(map(_expected, kinds(family).get(kind, [])))


def condition_of(marker: str, value: Any) -> Condition:
    """Condition of a marker: a word, a Condition, or a table with its kind and numbers.

    Raises
    ------
    SettingsError    an unknown kind, one whose numbers are missing, or unknown numbers
    PackageError     a kind whose package cannot be used
    """
    if isinstance(value, Condition):
        _look_up(value.kind)
        return value
    numbers = dict(value) if isinstance(value, Mapping) else {"kind": value}
    kind = numbers.pop("kind", None)
    _look_up(kind)
    known = kinds()
    if isinstance(value, Mapping) and kind is None:
        raise SettingsError(
            f"boundaries: {marker!r} has no kind beside {', '.join(numbers) or 'nothing'}; is the "
            f"marker meant? If so, expected kind, one of {', '.join(known)}"
        )
    if not isinstance(kind, str) or kind not in known:
        words = list(dict.fromkeys([*known, *packages.names("conditions")]))
        hint = did_you_mean(kind, words) if isinstance(kind, str) else ""
        raise SettingsError(
            f"boundaries: {marker!r} is {kind!r}, expected one of {', '.join(words)}{hint}"
        )
    names = [field.name for own in known[kind] for field in fields(own)]
    unknown = [name for name in numbers if name not in names]
    if unknown:
        expected = ", ".join(names) or "no numbers"
        raise SettingsError(
            f"boundaries: {marker!r} is of kind {kind} with {unknown[0]!r}, expected {expected}"
            f"{did_you_mean(unknown[0], names)}"
        )
    try:
        return make(kind, numbers)
    except SettingsError as error:
        raise SettingsError(f"boundaries: {marker!r}: {error}") from None


def _look_up(kind: Any) -> None:
    """Take the condition of a kind that is none of kinemesh's own from its package, if any."""
    if not isinstance(kind, str) or any(own.kind == kind for own in every()):
        return
    source = packages.named("conditions", kind)
    if source is not None:
        OF_PACKAGES[kind] = source, of_package(source)


def of_package(source: packages.Extension) -> type[Condition]:
    """The condition of an entry point; PackageError where that is none, or of another kind."""
    own = source.load()
    if not (isinstance(own, type) and issubclass(own, Condition)):
        raise source.error(f"is {own!r}, expected a class derived from Condition")
    lacks = [name for name in ("kind", "role", "families") if not hasattr(own, name)]
    if lacks:
        raise source.error(f"lacks {', '.join(lacks)}")
    if own.kind != source.name:
        raise source.error(f"is of kind {own.kind!r}, expected the name of the entry point")
    return own


def source_of(kind: str) -> packages.Extension | None:
    """Entry point of a kind; None of kinemesh's own, and of one that cannot be used."""
    try:
        _look_up(kind)
    except PackageError:
        return None
    return OF_PACKAGES[kind][0] if kind in OF_PACKAGES else None


def sources_of(conditions: Mapping[str, Condition]) -> list[packages.Extension]:
    """Entry points that conditions come from."""
    return [OF_PACKAGES[own.kind][0] for own in conditions.values() if own.kind in OF_PACKAGES]


def make(kind: str, numbers: Mapping[str, Any]) -> Condition:
    """Condition of a kind from its numbers, which say of which flow it is.

    Raises
    ------
    SettingsError    numbers of two flows, or none where some are needed; one out of its range
    """
    classes = kinds()[kind]
    for own in classes:
        known = {field.name: field.default is MISSING for field in fields(own)}
        if set(numbers) <= set(known) and all(n in numbers for n in known if known[n]):
            return own(**numbers)
    given = ", ".join(numbers) or "no numbers"
    raise SettingsError(f"{kind}: {given}, expected {', or '.join(map(_expected, classes))}")


def _expected(own: type[Condition]) -> str:
    """Numbers of a condition, in words."""
    needed = [field.name for field in fields(own) if field.default is MISSING]
    more = [field.name for field in fields(own) if field.default is not MISSING]
    also = f" (and {', '.join(more)})" if more else ""
    return f"{', '.join(needed) or 'no numbers'}{also} of {own.flow}"


def conditions_of(boundaries: Any) -> dict[str, Condition]:
    """Conditions by marker, as a user gives them.

    Raises
    ------
    SettingsError    as of `condition_of`; conditions that contradict each other
    """
    if not isinstance(boundaries, Mapping | None):
        raise SettingsError(
            f"boundaries is {boundaries!r}, expected {{marker: kind}}, kinds: {list(kinds())}"
        )
    found = {marker: condition_of(marker, value) for marker, value in (boundaries or {}).items()}
    for member in range(max([own.members for own in found.values()], default=1)):
        start = {marker: own.at_time(0.0, member) for marker, own in found.items()}
        for marker, own in start.items():
            own.check_among(marker, start)
    return found


def several(boundaries: Any) -> dict[str, range]:
    """Members that conditions have numbers for, by the name of the marker; {} of one for all."""
    each = {marker: own.members for marker, own in conditions_of(boundaries).items()}
    return {f"boundaries of {m!r}": range(count) for m, count in each.items() if count > 1}


def ends_of(conditions: Mapping[str, Condition]) -> dict[str, Condition]:
    """Inlets and outlets of these conditions, by marker."""
    return {m: own for m, own in conditions.items() if own.still and (own.enters or own.leaves)}


def between_ends(boundaries: Any) -> bool:
    """True where a user's boundaries have inlets and outlets."""
    ends = ends_of(conditions_of(boundaries)).values()
    return any(own.enters for own in ends) and any(own.leaves for own in ends)


def refuse_time(conditions: Mapping[str, Condition]) -> None:
    """SettingsError for a condition that depends on the time, of a steady run."""
    for marker, own in conditions.items():
        if own.varies:
            raise SettingsError(
                f"boundaries: numbers of {own.kind} {marker!r} are functions of the time, which a "
                "steady run has not; compute it by run(...), or give numbers"
            )


def in_time(conditions: Mapping[str, Condition]) -> dict[str, str]:
    """Hash of the numbers that depend on the time, by which a run goes on with its own alone."""
    found = [_bytes(own, time) for own in conditions.values() if own.varies for time in TIMES]
    return {"in_time": sha256(b"".join(found)).hexdigest()[:16]} if found else {}


def _bytes(own: Condition, time: float) -> bytes:
    """Numbers of a condition at a time, which a function need not have beyond the run."""
    try:
        now = [own.at_time(time, member).numbers for member in range(own.members)]
    except SettingsError:
        return b"none"
    return repr(now).encode()


def numbers_of(conditions: Mapping[str, Condition]) -> dict[str, dict[str, Any]]:
    """Numbers of inlets, outlets and what else has some, by marker, for summaries and restarts."""
    return {marker: own.numbers for marker, own in conditions.items() if own.flow}
