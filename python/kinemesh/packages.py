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
    from importlib.metadata import Distribution, EntryPoint

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


def found(group: str) -> tuple[list[Extension], str]:
    """Entry points of a group by name and package, and a sentence on metadata that cannot be read.

    Packages with such metadata are left out, and the sentence is empty without them.
    """
    from importlib import metadata

    try:
        points = metadata.entry_points(group=f"kinemesh.{group}")
        made = [_of(group, point, point.dist) for point in points if point.dist is not None]
        said = ""
    except Exception as error:
        made, culprits = _one_by_one(group)
        said = (
            "entry points of installed packages cannot be read: "
            f"{', '.join(culprits) or 'metadata of a package'} ({type(error).__name__}: {error}); "
            "mend the package, or uninstall it"
        )
    return sorted(made, key=lambda one: (one.name, one.package)), said


def _of(group: str, point: EntryPoint, dist: Distribution) -> Extension:
    return Extension(group, point.name, dist.name, dist.version, point)


def _one_by_one(group: str) -> tuple[list[Extension], list[str]]:
    """Entry points of packages whose metadata can be read, and those that cannot in words."""
    from importlib import metadata

    made: dict[str, list[Extension]] = {}  # by package: the first on the path counts
    culprits = []
    for dist in metadata.distributions():
        try:
            points = dist.entry_points.select(group=f"kinemesh.{group}")
            made.setdefault(dist.name, [_of(group, point, dist) for point in points])
        except Exception:
            culprits.append(f"those in {getattr(dist, '_path', 'a package')}")
    return [one for each in made.values() for one in each], culprits


def named(group: str, name: str) -> Extension | None:
    """The entry point of a name; None without one.

    Raises
    ------
    PackageError    several packages have one of this name; none has, and metadata cannot be read
    """
    every, said = found(group)
    same = [one for one in every if one.name == name]
    if not same and said:
        raise PackageError(said)
    if len(same) > 1:
        raise PackageError(_conflict(same))
    return same[0] if same else None


def names(group: str) -> list[str]:
    """Names in a group, for sentences on unknown ones."""
    return list(dict.fromkeys(one.name for one in found(group)[0]))


def listed(group: str, own: Collection[str]) -> list[Extension]:
    """Entry points that can be used, for a list; a KinemeshWarning of each other.

    Parameters
    ----------
    own : names that kinemesh has, which no package can take
    """
    every, said = found(group)
    if said:
        warn(said)
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
