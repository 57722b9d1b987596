"""[mesh] of a wing: its section, those of its tip and stations, and names of their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kinemesh.cases.values import wrong
from kinemesh.errors import CaseError, MeshError, did_you_mean
from kinemesh.io.paths import expanded
from kinemesh.sentences import Place

OUTLINE = ("span", "taper", "sweep_deg", "dihedral_deg", "twist_deg", "twist_about", "tip_section",
           "stations")  # fmt: skip
M6 = "oneram6"


def named_file(value: Any) -> bool:
    """True where a section is the name of a file."""
    named = isinstance(value, str) and ("/" in value or Path(value).suffix != "")
    return named or isinstance(value, Path)


def a_wing(where: Any, value: Any) -> str | Path:
    """A ready wing, or the section of another one: a name, or a coordinate file."""
    return M6 if value == M6 else _section(where, value, [M6], f"{M6}, or a section: ")


def a_section(where: Any, value: Any) -> str | Path:
    """The section of a tip or of a station: a name, or a coordinate file."""
    return _section(where, value, [], "a section: ")


def _section(where: Any, value: Any, more: list[str], said: str) -> str | Path:
    """A section, with the names that are more near in spelling, where it is none."""
    if named_file(value):
        return expanded(value)
    from kinemesh.mesh.sections.named import is_named

    if not isinstance(value, str) or not is_named(value):
        near = did_you_mean(value, [*more, "naca0012", "naca64a010"]) if value else ""
        expected = f"{said}a name such as naca0012, or a coordinate file{near}"
        raise wrong(where, value, expected)
    return value


def stations_of_wing(where: Any, value: Any) -> Any:
    """Tables of stations, of which a mesh can be made."""
    from kinemesh.mesh.generate.wings.outline import stations_of

    try:
        stations_of(value)
    except MeshError as error:
        raise CaseError(Place("mesh"), " ", error.said) from None
    return tuple(
        dict(own) if own.get("section") is None else
        {**own, "section": a_section(Place(("mesh", "stations"), "section"), own["section"])}
        for own in value
    )  # fmt: skip


def located_sections(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """[mesh] of a wing with names of files of its sections that start at a folder."""
    return _with_sections(table, lambda name: folder / expanded(name))


def absolute_sections(table: Mapping[str, Any]) -> dict[str, Any]:
    """[mesh] of a wing with absolute names of files of its sections."""
    return _with_sections(table, lambda name: str(Path(name).absolute()))


def _with_sections(table: Mapping[str, Any], named: Callable[[Any], Any]) -> dict[str, Any]:
    """[mesh] with other names for the files of the sections of a wing."""
    made = dict(table)
    for name in ("wing", "tip_section"):
        if named_file(made.get(name)):
            made[name] = named(made[name])
    rows = made.get("stations")
    if isinstance(rows, list | tuple) and all(isinstance(own, Mapping) for own in rows):
        made["stations"] = [
            {**own, "section": named(own["section"])} if named_file(own.get("section")) else own
            for own in rows
        ]
    return made
