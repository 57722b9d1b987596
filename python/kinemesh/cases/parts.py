"""The tables of a case file as frozen dataclasses that refuse what has no meaning."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kinemesh import motion as motions
from kinemesh.errors import CaseError

SIZES = {"coarse": 5_000, "medium": 24_000, "fine": 94_000}
OF_SECTION = (
    "nodes",
    "far_field",
    "wall_spacing",
    "growth",
    "trailing_edge",
    "trailing_spacing",
    "around",
    "topology",
)
OF_BODIES = ("nodes", "far_field", "growth")
OF_WING = ("points", "cloud", "far_field", "trailing_edge")
TAKES = {  # what each source of a mesh or cloud is told
    "section": OF_SECTION,
    "coordinates": OF_SECTION,
    "file": (),
    "bodies": OF_BODIES,
    "wing": OF_WING,
}
SOURCES = tuple(TAKES)
GENERATED = tuple(dict.fromkeys(key for keys in TAKES.values() for key in keys))
METHODS = ("mesh", "meshless")
BODIES = ("30p30n",)
WINGS = ("oneram6",)  # functions of kinemesh.cloud
CLOUDS = ("regular", "irregular")
LIMITS = (("far_field", 1.0), ("wall_spacing", 0.0), ("growth", 1.0), ("trailing_spacing", 0.0))
FLOAT_MAX = sys.float_info.max
DEFORMS = ("springs", "delaunay", "rigid")
MOTIONS: dict[str, Any] = {"pitch": motions.Pitch, "plunge": motions.Plunge}


def known(where: str, given: Mapping[str, Any], expected: list[str]) -> None:
    """CaseError for the first key that is not expected, with the nearest one."""
    for key in given:
        if key not in expected:
            near = get_close_matches(key, expected, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"expected {', '.join(expected)}"
            raise CaseError(f"{where}: unknown key '{key}'; {hint}")


def _number(
    where: str, value: Any, above: float | None = None, least: float | None = None
) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    good = good and abs(value) <= FLOAT_MAX  # neither nan nor inf; isfinite(10**400) raises
    want = "a finite number"
    if above is not None:
        good, want = good and value > above, f"a number above {above:g}"
    if least is not None:
        good, want = good and value >= least, f"a number of at least {least:g}"
    if not good:
        raise CaseError(f"{where} = {value!r}, expected {want}")
    return float(value)


def _count(where: str, value: Any, least: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise CaseError(f"{where} = {value!r}, expected an integer of at least {least}")
    return value


def choice(where: str, value: Any, choices: Any) -> str:
    if value not in list(choices):
        raise CaseError(f"{where} = {value!r}, expected one of {', '.join(choices)}")
    return str(value)


def _names(where: str, value: Any) -> tuple[str, ...]:
    listed = isinstance(value, list | tuple)
    if not listed or not value or not all(isinstance(v, str) for v in value):
        raise CaseError(f"{where} = {value!r}, expected a list of marker names")
    return tuple(value)


def _set(owner: object, name: str, value: Any) -> None:
    object.__setattr__(owner, name, value)


@dataclass(frozen=True, slots=True)
class MeshPart:
    """Where the mesh, or cloud, comes from: exactly one of SOURCES."""

    section: str | None = None  # name such as naca0012 or naca64a010
    coordinates: Path | None = None  # file with the points of a section
    file: Path | None = None  # mesh to read, .su2 (.gz, .xz) or .msh
    bodies: str | None = None  # ready bodies, of a cloud only: 30p30n
    wing: str | None = None  # ready wing in space, of a cloud only: oneram6
    points: int | None = None  # how many, of a wing's cloud
    cloud: str | None = None  # of a wing: regular, or irregular (not with van Leer's limiter)
    nodes: int | str | None = None  # how many (points of a cloud), or coarse, medium, fine
    far_field: float | None = None  # distance of the outer boundary [chord]
    wall_spacing: float | None = None  # height of the wall cells at mid-chord [chord]
    growth: float | None = None  # ratio of successive layers, above 1
    trailing_edge: str | None = None  # closed, sharp or open
    trailing_spacing: float | None = None  # first wall edge at the trailing edge [chord]
    around: int | None = None  # nodes round the section
    topology: str | None = None  # o or c
    walls: tuple[str, ...] | None = None  # markers of bodies; moment_about goes with the first
    far: tuple[str, ...] | None = None  # markers of the far field

    def __post_init__(self) -> None:
        sources = [n for n in SOURCES if getattr(self, n) is not None]
        if len(sources) != 1:
            raise CaseError(
                f"[mesh] gives {sources or 'none'} of {', '.join(SOURCES)}; expected one"
            )
        self._check_keys(sources[0])
        for name, ready in (("bodies", BODIES), ("wing", WINGS), ("cloud", CLOUDS)):
            if getattr(self, name) is not None:
                choice(f"[mesh] {name}", getattr(self, name), ready)
        if isinstance(self.nodes, str):
            _set(self, "nodes", SIZES[choice("[mesh] nodes", self.nodes, SIZES)])
        if self.nodes is not None:
            _count("[mesh] nodes", self.nodes, 50)
        for name, least in (("points", 50), ("around", 16)):
            if getattr(self, name) is not None:
                _count(f"[mesh] {name}", getattr(self, name), least)
        if self.topology is not None:
            choice("[mesh] topology", self.topology, ("o", "c"))
        for name, above in LIMITS:
            if getattr(self, name) is not None:
                _set(self, name, _number(f"[mesh] {name}", getattr(self, name), above))
        for name in ("coordinates", "file"):
            if getattr(self, name) is not None:
                _set(self, name, Path(getattr(self, name)))
        for name in ("walls", "far"):
            if getattr(self, name) is not None:
                _set(self, name, _names(f"[mesh] {name}", getattr(self, name)))
        both = set(self.walls or ()) & set(self.far or ())
        if both:
            raise CaseError(f"[mesh] markers {sorted(both)} are both walls and far")

    def _check_keys(self, source: str) -> None:
        """CaseError for keys that the source of the mesh or cloud has no meaning for."""
        takes: tuple[str, ...] = TAKES[source]
        takes += () if source == "wing" else ("walls", "far")
        more = [n for n in (*GENERATED, "walls", "far") if getattr(self, n) is not None]
        more = [n for n in more if n not in takes]
        if not more:
            return
        other = {"points": "nodes", "nodes": "points"}.get(more[0])
        hint = f"its size is {other}" if other in takes else "remove it"
        raise CaseError(
            f"[mesh] has {'bodies' if source == 'bodies' else f'a {source}'}, so "
            f"{', '.join(more)} has no meaning; {hint}"
        )

    def check(self, method: str) -> None:
        """CaseError for what the method has no meaning for."""
        if method == "mesh" and self.wing is not None:
            raise CaseError(
                f"[mesh] wing = {self.wing!r}: there is no solver on meshes in space yet; "
                "use method = 'meshless'"
            )
        if method == "mesh" and self.bodies is not None:
            raise CaseError(
                f"[mesh] bodies = {self.bodies!r}: about ready bodies there are clouds of points "
                "only; use method = 'meshless', or a mesh file"
            )


@dataclass(frozen=True, slots=True)
class FlowPart:
    """The stream and what the moment is about."""

    mach: float  # of the stream
    alpha_deg: float = 0.0  # turns the stream, not the mesh [deg]
    moment_about: tuple[float, float] = (0.25, 0.0)  # a point of the body as given [chord]
    chord: float = 1.0  # of meshes and motions; the solver takes 1 only
    reference_area: float | None = None  # of method meshless [chord^2, in the plane chord]; or 1
    reference_length: float | None = None  # of its moment [chord]; or 1

    def __post_init__(self) -> None:
        _set(self, "mach", _number("[flow] mach", self.mach, above=0.0))
        _set(self, "alpha_deg", _number("[flow] alpha_deg", self.alpha_deg))
        _set(self, "chord", _number("[flow] chord", self.chord, above=0.0))
        for name in ("reference_area", "reference_length"):
            if getattr(self, name) is not None:
                _set(self, name, _number(f"[flow] {name}", getattr(self, name), above=0.0))
        if abs(self.alpha_deg) >= 90:
            raise CaseError(f"[flow] alpha_deg = {self.alpha_deg}, expected between -90 and 90")
        try:
            x, y = self.moment_about
        except (TypeError, ValueError):
            raise CaseError(
                f"[flow] moment_about = {self.moment_about!r}, expected two numbers [x, y]"
            ) from None
        point = (_number("[flow] moment_about", x), _number("[flow] moment_about", y))
        _set(self, "moment_about", point)

    def check(self, method: str) -> None:
        """CaseError for what the method has no meaning for."""
        given = [n for n in ("reference_area", "reference_length") if getattr(self, n) is not None]
        if method == "mesh" and given:
            raise CaseError(
                f"[flow] {', '.join(given)}: coefficients of method 'mesh' refer to the chord; "
                "remove it, or use method = 'meshless'"
            )


@dataclass(frozen=True, slots=True)
class MotionPart:
    """Tables pitch and plunge, the arguments of motion.pitch and motion.plunge; or such by body."""

    pitch: Mapping[str, Any] | None = None  # see [motion] pitch
    plunge: Mapping[str, Any] | None = None  # see [motion] plunge
    bodies: Mapping[str, Any] | None = None  # by body instead: [motion.bodies.MARKER]; others rest

    def __post_init__(self) -> None:
        if self.bodies is None:
            _check_motion("[motion]", self._whole())
            return
        if self._whole():
            raise CaseError(f"[motion] has bodies, so {', '.join(self._whole())} has no meaning")
        if not isinstance(self.bodies, Mapping) or not self.bodies:
            raise CaseError(
                f"[motion] bodies = {self.bodies!r}, expected tables by the markers of bodies, "
                "such as [motion.bodies.flap]"
            )
        for name, table in self.bodies.items():
            where = f"[motion.bodies.{name}]"
            if not isinstance(table, Mapping):
                raise CaseError(f"[motion.bodies] {name} = {table!r}, expected a table {where}")
            known(where, table, list(MOTIONS))
            _check_motion(where, table)

    def _whole(self) -> dict[str, Any]:
        """The tables of a motion that all bodies share."""
        return {n: getattr(self, n) for n in MOTIONS if getattr(self, n) is not None}

    def build(self, chord: float) -> motions.Motion | dict[str, motions.Motion]:
        """The motion, or those of bodies by marker; reduced frequencies are by the chord."""
        if self.bodies is None:
            return _motion(self._whole(), chord)
        return {name: _motion(table, chord) for name, table in self.bodies.items()}

    def named(self, chord: float) -> dict[str, motions.Motion]:
        """Each motion by its body's marker; that of all bodies by an empty one."""
        made = self.build(chord)
        return made if isinstance(made, dict) else {"": made}


def _check_motion(where: str, given: Mapping[str, Any]) -> None:
    """CaseError where the tables make no motion."""
    if not given:
        raise CaseError(f"{where} is empty, expected {', '.join(MOTIONS)} or both")
    for name, table in given.items():
        place = f"{where} {name}"
        if not isinstance(table, Mapping):
            raise CaseError(f"{place} = {table!r}, expected a table")
        keys = [f for f in fields(MOTIONS[name]) if f.name != "chord"]
        known(place, table, [f.name for f in keys])
        missing = [f.name for f in keys if needed(f) and f.name not in table]
        if missing:
            raise CaseError(f"{place} lacks {', '.join(missing)}")


def _motion(tables: Mapping[str, Any], chord: float) -> motions.Motion:
    """The sum of the motions of these tables."""
    made: dict[str, Any] = {"pitch": motions.pitch, "plunge": motions.plunge}
    parts: list[motions.Motion] = [
        made[name](**tables[name], chord=chord) for name in made if name in tables
    ]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def needed(item: dataclasses.Field[Any]) -> bool:
    """Whether a field of a dataclass has no default."""
    missing = dataclasses.MISSING
    return item.default is missing and item.default_factory is missing


@dataclass(frozen=True, slots=True)
class DeformPart:
    """How the mesh follows the body, with the settings of that method."""

    method: str = "springs"  # springs (of a mesh only), delaunay or rigid
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice("[deform] method", self.method, DEFORMS)
        if self.settings:
            known("[deform]", self.settings, deform_fields(self.method))

    def build(self) -> Any:
        """The deformation method."""
        from kinemesh import deform

        return deform.METHODS[self.method](**self.settings)


@dataclass(frozen=True, slots=True)
class Job:
    """How long, where, how exactly."""

    cycles: float | None = None  # of the motion; unsteady cases need it, steady ones have none
    steps_per_cycle: int | None = None  # at least 4; as cycles
    device: str = "auto"  # auto (a GPU if there is one), cpu, cuda or cuda:N
    dtype: str = "float64"  # or float32, of the flow
    preflight: bool | None = None  # of the motion; made unless it is false
    out: str | None = None  # folder of the results; a relative one starts where the program runs

    def __post_init__(self) -> None:
        if self.cycles is not None:
            cycles = _number("[run] cycles", self.cycles, above=0.0)
            _set(self, "cycles", int(cycles) if cycles.is_integer() else cycles)
        if self.steps_per_cycle is not None:
            _count("[run] steps_per_cycle", self.steps_per_cycle, 4)
        if not isinstance(self.preflight, bool | None):
            raise CaseError(f"[run] preflight = {self.preflight!r}, expected true or false")
        choice("[run] dtype", self.dtype, ("float64", "float32"))
        device = self.device if isinstance(self.device, str) else ""
        kind, _, number = device.partition(":")
        plain = device in ("auto", "cpu", "cuda")
        if not plain and not (kind == "cuda" and number.isdecimal()):
            raise CaseError(f"[run] device = {self.device!r}, expected auto, cpu, cuda or cuda:N")
        if self.out is not None and not isinstance(self.out, str | Path):
            raise CaseError(f"[run] out = {self.out!r}, expected a folder")


def part(made: type, where: str, table: Mapping[str, Any]) -> Any:
    """A part of a case from its table."""
    known(where, table, [f.name for f in fields(made)])
    missing = [f.name for f in fields(made) if needed(f) and f.name not in table]
    if missing:
        raise CaseError(f"{where} lacks {', '.join(missing)}")
    return made(**table)


def deform_fields(method: str) -> list[str]:
    """Names of the settings of a deformation method."""
    from kinemesh import deform

    kind: Any = deform.METHODS[method]
    return [f.name for f in fields(kind)]


def check_deform(method: str, deform: DeformPart | None) -> None:
    """CaseError for a deformation that a method has no meaning for."""
    if method == "meshless" and deform is not None and deform.method == "springs":
        raise CaseError(
            "[deform] method = 'springs': springs need the cells of a mesh, and a cloud of points "
            "has none; use delaunay or rigid"
        )


def check_solver(method: str, given: Mapping[str, Any]) -> None:
    """CaseError for keys that the method's solver lacks, with what they are."""
    mine = solver_fields(method) if given else None
    if mine is None:
        return
    for other in (name for name in METHODS if name != method):
        theirs = solver_fields(other) or []
        lost = [key for key in given if key in theirs and key not in mine]
        if lost:
            raise CaseError(
                f"[solver] has {', '.join(lost)}, settings of method '{other}'; "
                f"remove what method '{method}' lacks"
            )
    known("[solver]", given, mine)


def check_limiter(mesh: MeshPart, given: Mapping[str, Any]) -> None:
    """CaseError for the limiter that is unstable on a cloud."""
    limiter, flux = given.get("limiter"), given.get("flux", "roe")
    if mesh.cloud == "irregular" and limiter == "vanleer" and flux == "roe":
        raise CaseError(
            "[solver] limiter = 'vanleer' is unstable on irregular clouds in space; remove it "
            "(it is 'wang' there)"
        )


def solver_fields(method: str) -> list[str] | None:
    """Names of the settings of a method's solver; None where it cannot be imported."""
    try:
        settings = settings_of(method)
    except ImportError:
        return None
    return [f.name for f in fields(settings)]


def settings_of(method: str) -> Any:
    """The class of the settings of a method's solver."""
    if method == "meshless":
        from kinemesh.meshless import MeshlessSettings

        return MeshlessSettings
    from kinemesh.ale import AleSettings

    return AleSettings
