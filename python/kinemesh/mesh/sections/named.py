"""Aerofoil sections by name or from a coordinate file."""

from __future__ import annotations

import re
from pathlib import Path

from kinemesh.errors import MeshError, did_you_mean
from kinemesh.io.paths import expanded
from kinemesh.mesh.sections import naca
from kinemesh.mesh.sections.section import NAMED, Section, read_section, tabulated
from kinemesh.mesh.sections.trailing import checked


def is_named(name: str) -> bool:
    """True of the name of a section, and not of a coordinate file."""
    key = _key(name)
    return key in NAMED or re.fullmatch(r"naca\d{4,5}", key) is not None


def _key(name: str | Path) -> str:
    """A name without capitals and what may stand between its words."""
    return re.sub(r"[\s_-]", "", str(name)).lower()


def section(name: str | Path, trailing_edge: str | None = None) -> Section:
    """A section by name (`naca0012`, `naca23012`, `naca65a004`) or by Selig or Lednicer file.

    Parameters
    ----------
    trailing_edge : closed | sharp | open
        closed: NACA 4- and 5-digit with the last coefficient -0.1036; others sheared shut,
        linearly in x.
        sharp: extended to where the sides meet, then scaled back to chord 1.
        open: blunt, as defined (-0.1015) or tabulated.
        Not given: closed; of a file with a warning where there is a gap, and MeshError where it is
        above 0.5 % of the chord.
    """
    trailing_edge = checked(trailing_edge)
    if not isinstance(name, str | Path):
        raise MeshError(
            f"section is {name!r}, expected a name such as 'naca2412' or a coordinate file"
        )
    key = _key(name)
    if digits := re.fullmatch(r"naca(\d{4,5})", key):
        return naca.by_digits(digits[1], trailing_edge)
    if key in NAMED:
        return tabulated(key, trailing_edge)
    if (path := expanded(name)).is_file():
        return read_section(path, trailing_edge)
    hint = did_you_mean(key, ["naca0012", "naca4412", "naca23012", *NAMED], quote="")
    raise MeshError(
        f"section '{name}' is neither a NACA 4- or 5-digit name, one of {', '.join(NAMED)}, "
        f"nor a coordinate file that exists{hint}"
    )
