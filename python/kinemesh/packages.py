"""Installed packages that add ready cases, solvers and conditions, by entry points.

`kinemesh.cases`, `kinemesh.solvers` and `kinemesh.conditions` are groups of entry points; the name
of an entry point is that of what it adds (docs/extending.md).  Metadata of installed packages are
read where a name is none of kinemesh's own, and where lists are shown; a package is imported where
what it adds is used.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from kinemesh.errors import PackageError, warn

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = {"cases": "case", "solvers": "solver", "conditions": "condition"}
"""Groups, less "kinemesh.", with the word for one entry."""


class Extension(NamedTuple):
    """An entry point of an installed package.

    Parameters
    ----------
    group : of `GROUPS`
    name : of the case, solver or condition
    package, version : of the metadata of the package
    point : module and, after a colon, the object in it
    """

    group: str
    name: str
    package: str
    version: str
    point: EntryPoint

    @property
    def origin(self) -> str:
        """Package and version as a text."""
        return f"{self.package} {self.version}"

    def load(self) -> Any:
        """The module or object of the entry point; PackageError where its import fails."""
        try:
            return self.point.load()
        except (Exception, SystemExit) as error:
            raise self.error(f"fails with {type(error).__name__}: {error}") from error

    def error(self, text: str) -> PackageError:
        """Error that names package and entry point."""
        return PackageError(
            f"package {self.origin}: entry point {self.name!r} of kinemesh.{self.group} "
            f"({self.point.value}) {text}; mend the package, or uninstall it"
        )


def found(group: str) -> list[Extension]:
    """Entry points of a group, by name and package.

    Raises
    ------
    PackageError    metadata of a package cannot be read
    """
    from importlib import metadata

    try:
        points = metadata.entry_points(group=f"kinemesh.{group}")
        each = [(p, p.dist) for p in points]
        made = [
            Extension(group, point.name, dist.name, dist.version, point)
            for point, dist in each
            if dist is not None
        ]
    except Exception as error:
        raise PackageError(
            f"entry points of installed packages cannot be read: {_culprit()} "
            f"({type(error).__name__}: {error}); mend the package, or uninstall it"
        ) from error
    return sorted(made, key=lambda one: (one.name, one.package))


def _culprit() -> str:
    """Metadata in which entry points cannot be read, in words."""
    from importlib import metadata

    for dist in metadata.distributions():
        try:
            list(dist.entry_points)
            _ = dist.name, dist.version
        except Exception:
            return f"those in {getattr(dist, '_path', 'a package')}"
    return "metadata of a package"


def named(group: str, name: str) -> Extension | None:
    """The entry point of a name; None without one.

    Raises
    ------
    PackageError    several packages have one of this name
    """
    same = [one for one in found(group) if one.name == name]
    if len(same) > 1:
        raise PackageError(_conflict(same))
    return same[0] if same else None


def names(group: str) -> list[str]:
    """Names in a group, for sentences on unknown ones; none where metadata cannot be read."""
    try:
        return list(dict.fromkeys(one.name for one in found(group)))
    except PackageError:
        return []


def listed(group: str, own: Collection[str]) -> list[Extension]:
    """Entry points that can be used, for a list; a KinemeshWarning of each other.

    Parameters
    ----------
    own : names that kinemesh has, which no package can take
    """
    try:
        every = found(group)
    except PackageError as error:
        warn(str(error))
        return []
    usable = []
    for name in dict.fromkeys(one.name for one in every):
        same = [one for one in every if one.name == name]
        if name in own:
            for one in same:
                warn(str(one.error(f"is not used, as kinemesh has a {GROUPS[group]} of this name")))
        elif len(same) > 1:
            warn(_conflict(same))
        else:
            usable += same
    return usable


def _conflict(same: list[Extension]) -> str:
    """Sentence on packages with entry points of one name."""
    first = same[0]
    return (
        f"{GROUPS[first.group]} {first.name!r} is in packages "
        f"{' and '.join(one.origin for one in same)} (entry points of kinemesh.{first.group}), "
        "expected one; uninstall the others"
    )


def told(each: Collection[Extension]) -> dict[str, dict[str, Any]]:
    """Packages by name, with version and what is used of each, for identities and summaries."""
    made: dict[str, dict[str, Any]] = {}
    for one in sorted(set(each), key=lambda one: (one.package, one.group, one.name)):
        own = made.setdefault(one.package, {"version": one.version})
        own.setdefault(one.group, []).append(one.name)
    return made
