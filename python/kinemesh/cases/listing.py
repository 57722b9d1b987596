"""Lists for people: the ready cases, and what installed packages add."""

from __future__ import annotations

from kinemesh import cases, packages
from kinemesh.errors import KinemeshError, warn
from kinemesh.flow import registry
from kinemesh.space.conditions.table import CONDITIONS


def lines() -> list[str]:
    """Ready cases, a line each: name, mode and title, of those of packages the package.

    A KinemeshWarning tells of each case of a package that cannot be used.
    """
    own, others = cases.names(), cases.of_packages()
    width = max(map(len, [*own, *others]))
    made = []
    for name in (*own, *others):
        try:
            case = cases.load(name)
        except KinemeshError as error:
            if name in own:
                raise
            warn(str(error))  # and go on with the others
            continue
        of = f"  ({others[name]})" if name in others else ""
        made.append(f"{name:<{width}}  {case.mode:<8}  {case.title}{of}")
    return made


def added() -> dict[str, str]:
    """Packages with versions, and what they add in words; a KinemeshWarning as of `lines`."""
    kinds = [condition.kind for condition in CONDITIONS]
    own = {"cases": cases.names(), "solvers": registry.names(), "conditions": kinds}
    made: dict[str, list[str]] = {}
    for group, word in packages.GROUPS.items():
        for one in packages.listed(group, own[group]):
            made.setdefault(one.origin, []).append(f"{word} {one.name}")
    return {origin: ", ".join(words) for origin, words in made.items()}
