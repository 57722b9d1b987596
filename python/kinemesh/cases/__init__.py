"""Named cases, each a TOML file in this folder, and the published data that belong to them.

Installed packages add cases by entry points of the group `kinemesh.cases`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kinemesh import packages
from kinemesh.errors import CaseError, did_you_mean, shown
from kinemesh.io.paths import path_of
from kinemesh.mesh.files.plot3d import SUFFIXES as PLOT3D

if TYPE_CHECKING:
    from kinemesh.cases.casefile import Case

FOLDER = Path(__file__).parent
# Meshes and coordinates.
NO_CASES = (".su2", ".msh", ".ugrid", ".gz", ".xz", ".dat", ".csv", *PLOT3D)

_CT5 = ("data/su2_loop_5233_nodes.csv", "SU2 8.2.0, 5233 nodes, 64 steps")
_LOOPS = {"agard-ct5": _CT5, "ct5-extruded": _CT5}
_M6 = "data/oneram6_ar138_2308.csv", "AGARD-AR-138, test 2308"
_PRESSURES = {"oneram6": _M6, "oneram6-sa": _M6}


def __getattr__(name: str) -> Any:
    """The module of checks, loaded when it is first used: `cases.check.check(case)`."""
    if name == "check":
        return import_module("kinemesh.cases.check")
    raise AttributeError(f"module 'kinemesh.cases' has no attribute {name!r}")


def names() -> list[str]:
    """Names of the ready cases of kinemesh, without those of packages."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def of_packages() -> dict[str, str]:
    """Ready cases of installed packages: the name, with package and version.

    A KinemeshWarning tells of each entry point that cannot be used.
    """
    return {one.name: one.origin for one in packages.listed("cases", names())}


def load(name_or_path: str | Path, changes: Sequence[str] = ()) -> Case:
    """A ready case by its name, of kinemesh or of a package, or a case from a TOML file.

    Each entry of `changes` gives a key another value: a dotted key and a TOML value, such as
    "flow.mach=0.6".

    Raises CaseError for an unknown name (with the nearest one) or a file that is not a case,
    PackageError for the name of a case whose package cannot be used.
    """
    from kinemesh.cases.casefile import Case

    text = str(name_or_path)
    if text in names():
        made = Case.read(FOLDER / f"{text}.toml", changes, text)
        return replace(made, file=None)  # not the user's to mend
    if not isinstance(name_or_path, str | PathLike):
        raise CaseError(
            f"the case is {shown(name_or_path)}, expected the name of a ready case or of a TOML "
            "file, or what km.cases.load gives, with other values by .replace(...) and "
            ".changed([...]); a solver made in Python is no case"
        )
    path = path_of(name_or_path, "the case")
    if path.is_file() and path.suffix.lower() in NO_CASES:
        raise CaseError(
            f"{path}: is no case file (.toml); a mesh goes into a case by --mesh FILE or [mesh] "
            "file, the coordinates of a section by [mesh] coordinates"
        )
    if path.suffix == ".toml" or path.is_file():
        return Case.read(path, changes)
    source = packages.named("cases", text)
    if source is not None:
        made = Case.read(_file_of(source), changes, f"{text} of package {source.origin}")
        return replace(made, file=None, package=source.origin)
    known = [*names(), *packages.names("cases")]
    hint = did_you_mean(text, known)
    raise CaseError(f"no case '{text}', expected one of {', '.join(known)}, or a .toml file{hint}")


def _file_of(source: packages.Extension) -> Path:
    """Case file of an entry point, NAME.toml in the folder of the package that it names."""
    home = source.load()
    if not isinstance(home, ModuleType):
        raise source.error(f"is {type(home).__name__}, expected a package with {source.name}.toml")
    folders = [Path(p) for p in getattr(home, "__path__", ())]
    if not folders and getattr(home, "__file__", None):
        folders = [Path(str(home.__file__)).parent]
    if not folders:  # a module that Python itself has
        raise source.error(f"has no folder, expected a package with {source.name}.toml")
    files = [folder / f"{source.name}.toml" for folder in folders]
    there = next((file for file in files if file.is_file()), None)
    if there is None:
        raise source.error(f"has no file {files[0]}")
    return there


def references() -> list[str]:
    """Names of the cases that come with a published loop."""
    return sorted(_LOOPS)


def reference(name: str) -> tuple[Path, str] | None:
    """File and label of a case's published loop; None without one."""
    if name not in _LOOPS:
        return None
    file, label = _LOOPS[name]
    return FOLDER / file, label


def pressures(name: str) -> tuple[Path, str] | None:
    """File and label of the measured pressures on a wing's case; None without them."""
    if name not in _PRESSURES:
        return None
    file, label = _PRESSURES[name]
    return FOLDER / file, label
