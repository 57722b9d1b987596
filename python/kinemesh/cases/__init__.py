"""Named cases, each a TOML file in this folder, and the published data that belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinemesh.errors import CaseError, did_you_mean
from kinemesh.io.paths import path_of
from kinemesh.mesh.files.plot3d import SUFFIXES as PLOT3D

if TYPE_CHECKING:
    from kinemesh.cases.casefile import Case

FOLDER = Path(__file__).parent
NO_CASES = (".su2", ".msh", ".gz", ".xz", ".dat", ".csv", *PLOT3D)  # meshes and coordinates

_CT5 = ("data/su2_loop_5233_nodes.csv", "SU2 8.2.0, 5233 nodes, 64 steps")
_LOOPS = {"agard-ct5": _CT5, "ct5-extruded": _CT5}
_PRESSURES = {"oneram6": ("data/oneram6_ar138_2308.csv", "AGARD-AR-138, test 2308")}


def __getattr__(name: str) -> Any:
    """The module of checks, loaded when it is first used: `cases.check.check(case)`."""
    if name == "check":
        return import_module("kinemesh.cases.check")
    raise AttributeError(f"module 'kinemesh.cases' has no attribute {name!r}")


def names() -> list[str]:
    """Names of the ready cases."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name_or_path: str | Path, changes: Sequence[str] = ()) -> Case:
    """A ready case by its name, or a case from a TOML file.

    Each entry of `changes` gives a key another value: a dotted key and a TOML value, such as
    "flow.mach=0.6".

    Raises CaseError for an unknown name (with the nearest one) or a file that is not a case.
    """
    from kinemesh.cases.casefile import Case

    text = str(name_or_path)
    if text in names():
        made = Case.read(FOLDER / f"{text}.toml", changes, text)
        return replace(made, file=None)  # not the user's to mend
    path = path_of(name_or_path, "the case")
    if path.is_file() and path.suffix.lower() in NO_CASES:
        raise CaseError(
            f"{path}: is no case file (.toml); a mesh goes into a case by --mesh FILE or [mesh] "
            "file, the coordinates of a section by [mesh] coordinates"
        )
    if path.suffix == ".toml" or path.is_file():
        return Case.read(path, changes)
    hint = did_you_mean(text, names())
    raise CaseError(
        f"no case '{text}', expected one of {', '.join(names())}, or a .toml file{hint}"
    )


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
