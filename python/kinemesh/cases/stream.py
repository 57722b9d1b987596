"""Table [flow] of a case file, as a frozen dataclass that refuses nonsense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinemesh.cases.job import set_field
from kinemesh.cases.methods import or_use
from kinemesh.cases.values import in_section, number, wrong
from kinemesh.errors import CaseError, SettingsError, shown
from kinemesh.flow import registry
from kinemesh.flow.door import limits
from kinemesh.flow.door.counted import names_of
from kinemesh.sentences import Place

REFERENCES = ("chord", "reference_area", "reference_length")
LIMITED = (
    ("mach", limits.wrong_mach),
    ("reynolds", limits.wrong_reynolds),
    ("stream", limits.wrong_stream),
    ("alpha_deg", limits.wrong_alpha),
)
FLOW = Place("flow")
STREAMS = ("mach", "reynolds", "stream")
LAWS = registry.VISCOUS


@dataclass(frozen=True, slots=True)
class FlowPart:
    """Stream, viscosity, reference lengths, and the moment's point."""

    mach: float | None = None  # by the reference speed; needed but by method "incompressible"
    reynolds: float | None = None  # by speed and chord; a gas is inviscid without
    stream: float | None = None  # of a mesh: 1 (default), or 0 of a fluid at rest
    alpha_deg: float = 0.0  # turns the stream, not the mesh [deg]
    moment_about: tuple[float, float] | None = None  # a point of the body as given; or [0.25, 0]
    chord: float | None = None  # in the plane: of coefficients and k, in mesh lengths; or 1
    reference_area: float | None = None  # where the method takes it; or the chord, in space 1
    reference_length: float | None = None  # of moments, in space of k; or the chord, in space 1
    loads: tuple[str, ...] | None = None  # walls whose loads count; or all, in a channel its bodies
    reynolds_length: float | None = None  # of a gas (all below): of reynolds, in chords; or 1
    turbulence: str | None = None  # sa, Spalart and Allmaras; laminar without
    temperature_k: float | None = None  # of the stream, for Sutherland's law; or 288.15 [K]
    wall: str | float | None = None  # adiabatic (default), or its temperature over the stream's
    prandtl: float | None = None  # of molecules; or 0.72
    turbulent_prandtl: float | None = None  # of eddies; or 0.9
    nu_ratio: float | None = None  # nu~ of the stream over its viscosity, 3 to 5; or 3

    def __post_init__(self) -> None:
        for name in ("mach", "reynolds"):
            if getattr(self, name) is not None:
                set_field(self, name, number(Place("flow", name), getattr(self, name), above=0.0))
        if self.stream is not None:
            set_field(self, "stream", number(Place("flow", "stream"), self.stream))
        set_field(self, "alpha_deg", number(Place("flow", "alpha_deg"), self.alpha_deg))
        for name, outside in LIMITED:
            value = getattr(self, name)
            if value is not None and (said := outside(value)):
                raise CaseError(Place("flow", name), f" = {value:g}, {said}")
        if said := limits.wrong_rest(self.stream, self.alpha_deg):
            raise CaseError(Place("flow", "alpha_deg"), f" = {self.alpha_deg:g}, {said}")
        for name in ("chord", "reference_area", "reference_length"):
            if getattr(self, name) is not None:
                set_field(self, name, number(Place("flow", name), getattr(self, name), above=0.0))
        self._check_point()
        if self.loads is not None:
            with in_section(FLOW):
                set_field(self, "loads", tuple(names_of(self.loads) or ()))

    def _check_point(self) -> None:
        """CaseError where the moments' point is stated and is none."""
        if self.moment_about is None:
            return
        at = Place("flow", "moment_about")
        try:
            x, y = self.moment_about
        except (TypeError, ValueError):
            raise wrong(at, self.moment_about, "two numbers [x, y], in space [x, z]") from None
        set_field(self, "moment_about", (number(at, x), number(at, y)))

    @property
    def speed(self) -> float:
        """Reference speed in the units of the case."""
        return 1.0 if self.mach is None else self.mach

    def streams(self, method: str) -> dict[str, float]:
        """Arguments of the method's solver on the stream, beside its angle."""
        names = registry.named(method).streams
        return {n: getattr(self, n) for n in names if getattr(self, n) is not None}

    def laws(self, method: str, slides: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of the method's solver on the viscosity, the same for all members.

        Parameters
        ----------
        slides : velocities of walls that slide, by marker
        """
        names = registry.named(method).laws
        given = {n: getattr(self, n) for n in names if getattr(self, n) is not None}
        if slides and not names:
            return {"sliding": slides}
        if slides and self.reynolds is None:
            raise SettingsError(
                f"sliding is {shown(slides)} and has no effect without reynolds, as an inviscid "
                "gas slips along walls; give reynolds, or leave it out",
                argument="sliding",
            )
        given |= {"sliding": slides} if slides else {}
        told = {n: given.pop(n) for n in ("turbulence",) if n in given}
        if given:
            from kinemesh.flow.door.viscosity import Viscosity

            told["viscosity"] = Viscosity(**given)
        return told

    @property
    def references(self) -> tuple[float, float]:
        """Area and length that coefficients refer to."""
        chord = 1.0 if self.chord is None else self.chord
        area, length = self.reference_area, self.reference_length
        return (chord if area is None else area, chord if length is None else length)

    @property
    def reynolds_of_unit(self) -> float | None:
        """Reynolds number of a length of 1 in the mesh; None of an inviscid gas."""
        if self.reynolds is None:
            return None
        length = 1.0 if self.reynolds_length is None else self.reynolds_length
        return self.reynolds / (length * self.references[1])

    def check(self, method: str) -> None:
        """Raise CaseError for keys that the method does not use, or lacks."""
        entry = registry.named(method)
        streams = entry.streams
        self._check_known([*streams, *entry.laws], f"the stream is {', '.join(streams)}", method)
        if getattr(self, streams[0]) is None:
            raise CaseError(FLOW, f" lacks {streams[0]}")
        if entry.laws:
            self._check_laws()
        mine = entry.references
        given = [n for n in REFERENCES if getattr(self, n) is not None and n not in mine]
        if given:
            others = [e.name for e in registry.SOLVERS if {*given} <= {*e.references}]
            raise CaseError(
                FLOW,
                f" {', '.join(given)}: of these values method {method!r} takes "
                f"{', '.join(mine) or 'none'}; remove it{or_use(others)}",
            )

    def _check_known(self, mine: list[str], words: str, method: str) -> None:
        """CaseError for keys of the stream, or of its viscosity, that the method lacks."""
        given = [n for n in (*STREAMS, *LAWS) if getattr(self, n) is not None]
        lost = [n for n in given if n not in mine]
        if lost:
            others = [e.name for e in registry.SOLVERS if {*given} <= {*e.streams, *e.laws}]
            raise CaseError(
                FLOW,
                f" {', '.join(lost)}: of method {method!r} {words}; remove what it lacks"
                f"{or_use(others)}",
            )

    def _check_laws(self) -> None:
        """SettingsError for laws of viscosity out of their ranges, or without effect."""
        given = {n: v for n in ("reynolds", *LAWS) if (v := getattr(self, n)) is not None}
        if given:
            from kinemesh.flow.door.viscosity import laws_of_keys

            with in_section(FLOW):
                laws_of_keys(given)
