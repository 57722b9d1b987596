"""Outlines of half wings by stations along the span: chord, place, twist and section of each.

Between stations chord, leading edge and twist are linear in y, and sections go over into one
another (`elliptic.blended`).  A tapered wing is the outline of two stations.
Lengths in root chords.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.errors import KinemeshError, MeshError, did_you_mean
from kinemesh.mesh.sections.named import section
from kinemesh.mesh.sections.section import Section

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

TAPERED = {"span": 3.0, "taper": 1.0, "sweep_deg": 0.0, "dihedral_deg": 0.0, "twist_deg": 0.0}
LIMITS = {  # of the numbers of a tapered wing, and of the panels between stations
    "span": (0.1, 50.0),
    "taper": (0.1, 2.0),
    "sweep_deg": (-60.0, 70.0),
    "dihedral_deg": (-45.0, 45.0),
    "twist_deg": (-45.0, 45.0),
    "twist_about": (0.0, 1.0),
}
TWISTING = 90.0  # most that the twist changes [deg a root chord of span]
FLOAT_MAX = sys.float_info.max  # integers of more are no floats
SAMPLES = 801  # of a section, among which its corners are looked for


@checks_names
@dataclass(frozen=True, slots=True)
class Station:
    """A station of a half wing; lengths in root chords.

    Parameters
    ----------
    y : float           place along the span, 0 at the root
    chord : float       before the twist; 1 at the root
    x, z : float        of the leading edge, before the twist; 0 at the root
    twist_deg : float   nose up, about the line of `twist_about` of the wing [deg]
    section : name, coordinate file or Section; by default the wing's
    """

    y: float
    chord: float
    x: float = 0.0
    z: float = 0.0
    twist_deg: float = 0.0
    section: str | Path | Section | None = None


class Outline(NamedTuple):
    """A half wing; numbers by station, (n,), or by the panels between them, (n - 1,).

    Parameters
    ----------
    y, chords, twists : (n,)    place along the span, chord, and twist [rad]
    slopes, rises : (n - 1,)    of x and z of the leading edge over y
    about : float               share of the chord about which sections are turned
    cap : float                 length of the tip's cap
    """

    y: Floats
    chords: Floats
    twists: Floats
    slopes: Floats
    rises: Floats
    about: float = 0.25
    cap: float = 0.0

    @classmethod
    def tapered(
        cls,
        span: float,
        taper: float,
        slope: float,
        rise: float = 0.0,
        twist: float = 0.0,
        about: float = 0.25,
    ) -> Outline:
        """Outline of two stations, with slopes of the leading edge and the twist of the tip."""
        y, chords, twists = (np.array(own) for own in ((0.0, span), (1.0, taper), (0.0, twist)))
        return cls(y, chords, twists, np.array([slope]), np.array([rise]), about)

    @classmethod
    def of(cls, stations: Sequence[Station], about: float) -> Outline:
        """Outline of stations."""
        names = ("y", "chord", "twist_deg", "x", "z")
        y, chord, twist, x, z = (np.array([getattr(own, n) for own in stations]) for n in names)
        return cls(y, chord, np.radians(twist), np.diff(x) / np.diff(y), np.diff(z) / np.diff(y),
                   about)  # fmt: skip

    @property
    def span(self) -> float:
        """y of the tip."""
        return float(self.y[-1])

    @property
    def taper(self) -> float:
        """Chord of the tip."""
        return float(self.chords[-1])

    def chord(self, y: Floats) -> Floats:
        """Chord at y, that of the tip beyond it."""
        return self.chords[0] - self._shares(y) @ -np.diff(self.chords)

    def nose(self, y: Floats) -> Complexes:
        """x + i z of the leading edge before the twist at y, that of the tip beyond it."""
        way = np.clip(np.asarray(y)[..., None], self.y[:-1], self.y[1:]) - self.y[:-1]
        found: Complexes = way @ self.slopes + 1j * (way @ self.rises)
        return found

    def twist(self, y: Floats) -> Floats:
        """Twist at y, that of the tip beyond it [rad]."""
        return self.twists[0] + self._shares(y) @ np.diff(self.twists)

    def at(self, y: float) -> tuple[int, float]:
        """Panel in which y is, and the share of the way through it, 1 beyond the tip."""
        panel = int(np.searchsorted(self.y[1:-1], y, "right"))
        low, high = self.y[panel : panel + 2]
        return panel, float(np.clip((y - low) / (high - low), 0.0, 1.0))

    def _shares(self, y: Floats) -> Floats:
        """(..., panels) share of each panel that is inboard of y."""
        way = (np.asarray(y)[..., None] - self.y[:-1]) / np.diff(self.y)
        return np.clip(way, 0.0, 1.0)

    @property
    def reach(self) -> float:
        """Distance from the root's nose that the wing does not exceed."""
        tip = np.abs(self.nose(self.y))
        return float(np.maximum(self.y, tip).max() + 1.0)


class Wing(NamedTuple):
    """Outline of a half wing and the section of each of its stations."""

    outline: Outline
    sections: list[Section]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on its sections, each once."""
        return tuple(dict.fromkeys(note for own in self.sections for note in own.notes))


def wing_of(
    given: Any,
    trailing_edge: str | None,
    advice: str,
    *,
    stations: Sequence[Station | Mapping[str, Any]] | None = None,
    tip_section: Any = None,
    twist_about: float = 0.25,
    error: type[KinemeshError] = MeshError,
    **tapered: Any,
) -> Wing:
    """Wing of a section and either stations or the numbers of a tapered wing.

    Parameters
    ----------
    advice : what to take for a section without a span
    tapered : those of `TAPERED`, None where not given
    error : class of errors of sections

    Raises
    ------
    MeshError    for numbers that no good mesh fulfils
    """
    _within("twist_about", twist_about)
    if stations is not None:
        both = [name for name, own in ({**tapered, "tip_section": tip_section}).items()
                if own is not None]  # fmt: skip
        if both:
            raise MeshError(
                f"wing: {both[0]} and stations are given, expected one of the two: stations say "
                "all of the outline"
            )
        found = stations_of(stations)
        sections = [given if own.section is None else own.section for own in found]
        return Wing(Outline.of(found, twist_about), _sections(sections, trailing_edge, error))
    numbers = TAPERED | {name: own for name, own in tapered.items() if own is not None}
    for name, own in numbers.items():
        _within(name, own, f"; a half wing needs a span; {advice}" if name == "span" else "")
    span, taper, *angles = numbers.values()
    sweep, dihedral, twist = np.radians(angles)
    outline = Outline.tapered(span, taper, np.tan(sweep), np.tan(dihedral), twist, twist_about)
    _check_twist(f"twist_deg = {numbers['twist_deg']!r} over a span of {span:g} is", twist / span)
    ends = [given, given if tip_section is None else tip_section]
    return Wing(outline, _sections(ends, trailing_edge, error))


def stations_of(given: Any) -> list[Station]:
    """Checked stations from the root to the tip."""
    rows = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    if len(rows) < 2 or not all(isinstance(own, Station | Mapping) for own in rows):
        raise MeshError(
            f"wing: stations = {given!r}, expected two or more, each with y and chord, from the "
            "root to the tip"
        )
    found = [own if isinstance(own, Station) else _station(k, own) for k, own in enumerate(rows)]
    for k, own in enumerate(found):
        _check(k, own)
    for name, want in (("y", 0.0), ("chord", 1.0), ("x", 0.0), ("z", 0.0)):
        if getattr(found[0], name) != want:
            more = "; divide all lengths by the root's chord" if name == "chord" else ""
            raise MeshError(
                f"wing: stations[0].{name} = {getattr(found[0], name)!r}, expected {want:g}: "
                f"the root's leading edge is the origin, and its chord 1{more}"
            )
    _within("span", found[-1].y, said=f"stations[{len(found) - 1}].y")
    for k in range(1, len(found)):
        _check_panel(k, found[k - 1], found[k])
    return found


def _station(k: int, row: Mapping[str, Any]) -> Station:
    """Station of a mapping."""
    names = [own.name for own in fields(Station)]
    for key in row:
        if key not in names:
            hint = did_you_mean(key, names, f"expected {', '.join(names)}")
            raise MeshError(f"wing: stations[{k}]: unknown key '{key}'{hint}")
    missing = [name for name in ("y", "chord") if name not in row]
    if missing:
        raise MeshError(f"wing: stations[{k}] lacks {' and '.join(missing)}")
    return Station(**row)


def _check(k: int, own: Station) -> None:
    """Refuse numbers that a station cannot have."""
    for name in ("y", "chord", "x", "z", "twist_deg"):
        value = getattr(own, name)
        if not _is_number(value) or not abs(value) <= FLOAT_MAX:
            raise MeshError(f"wing: stations[{k}].{name} = {value!r}, expected a finite number")
    _within("taper", own.chord, said=f"stations[{k}].chord")
    _within("twist_deg", own.twist_deg, said=f"stations[{k}].twist_deg")


def _check_panel(k: int, before: Station, own: Station) -> None:
    """Refuse a panel between two stations that no mesh is made of."""
    way = own.y - before.y
    if not way > 0:
        raise MeshError(
            f"wing: stations[{k}].y = {own.y:g}, expected more than that of the station before, "
            f"{before.y:g}"
        )
    for name, axis, said in (("sweep_deg", "x", "sweep"), ("dihedral_deg", "z", "dihedral")):
        angle = np.degrees(np.arctan2(getattr(own, axis) - getattr(before, axis), way))
        low, high = LIMITS[name]
        if not low <= angle <= high:
            raise MeshError(
                f"wing: from stations[{k - 1}] to stations[{k}] the leading edge has a {said} of "
                f"{angle:.4g} degrees, expected {low:g} to {high:g}"
            )
    _check_twist(
        f"from stations[{k - 1}] to stations[{k}] the twist changes by",
        np.radians(own.twist_deg - before.twist_deg) / way,
    )


def _check_twist(what: str, rate: float) -> None:
    """Refuse a twist [rad a root chord] by which cells between two stations would fold."""
    found = abs(np.degrees(rate))
    if found > TWISTING * (1.0 + 1e-12):
        raise MeshError(
            f"wing: {what} {found:.4g} degrees a root chord of span, expected at most "
            f"{TWISTING:g}: cells between sections would fold"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _within(name: str, value: Any, why: str = "", said: str = "") -> None:
    """Refuse a number that is not within its limits."""
    low, high = LIMITS[name]
    if not _is_number(value) or not low <= value <= high:
        raise MeshError(f"wing: {said or name} = {value!r}, expected {low:g} to {high:g}{why}")


def shape_of(
    given: str | Path | Section,
    trailing_edge: str | None,
    error: type[KinemeshError] = MeshError,
) -> Section:
    """Section of a wing, its trailing edge closed or sharp; an error of that class for others."""
    if trailing_edge not in (None, "closed", "sharp"):
        raise error(f"wing: trailing_edge = {trailing_edge!r}, expected closed or sharp")
    shape = given if isinstance(given, Section) else section(given, trailing_edge)
    if shape.gap > 0:
        raise error(
            f"wing: section '{shape.name}' has a trailing edge of {shape.gap:.3g}, expected a "
            "closed or sharp one: its two sides meet beyond the tip"
        )
    return shape


def _sections(
    given: Sequence[Any], trailing_edge: str | None, error: type[KinemeshError]
) -> list[Section]:
    """Sections of stations, those of one name one object; as many corners in all."""
    made: list[tuple[Any, Section]] = []
    found = []
    for own in given:
        same = [shape for name, shape in made if name is own or name == own]
        if not same:
            made.append((own, shape_of(own, trailing_edge, error)))
        found.append(same[0] if same else made[-1][1])
    if len(made) > 1:
        counts = {shape.name: _corners(shape) for _, shape in made}
        (first, many), *others = counts.items()
        for name, count in others:
            if count != many:
                raise error(
                    f"wing: section '{name}' has {count} corner{'s' * (count != 1)} and "
                    f"'{first}' {many}, expected as many at every station: edges go on along the "
                    "span"
                )
    return found


def _corners(shape: Section) -> int:
    """Number of corners of a closed section, its trailing edge among them."""
    from kinemesh.mesh.sections.corners import told_apart  # loads much of SciPy

    return len(told_apart(shape.points(np.linspace(0.0, 1.0, SAMPLES)[:-1]))[0])
