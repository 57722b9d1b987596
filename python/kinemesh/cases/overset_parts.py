"""[parts] of a case file: meshes that lie over one another, each with its place and its motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kinemesh.cases.job import set_field
from kinemesh.cases.motions import MotionPart
from kinemesh.cases.motions import located as flown_from
from kinemesh.cases.parts import MeshPart, given, part
from kinemesh.cases.sources import FILES, SOURCES, is_file
from kinemesh.cases.values import OF_INPUT, number, wrong
from kinemesh.cases.wings import absolute_sections, located_sections
from kinemesh.dimension import Dimension, widest
from kinemesh.errors import CaseError, did_you_mean
from kinemesh.io.paths import expanded
from kinemesh.sentences import Place

LAID = tuple(n for n, own in SOURCES.items() if ("mesh", 2) in own.makes or own.overset)  # of parts
ORIGIN = (0.0, 0.0)
NUMBERED = {2: "two numbers [x, y]", 3: "three numbers [x, y, z]"}


@dataclass(frozen=True, slots=True)
class OversetPart:
    """Part of a case: a mesh and its place."""

    mesh: MeshPart
    at: tuple[float, ...] = ORIGIN  # where the mesh's origin is put; pivots are of the mesh
    angle_deg: float = 0.0  # turn about the mesh's origin before that, nose-up positive [deg]
    scale: float = 1.0  # what the mesh's lengths, pivots with them, are multiplied by before that
    motion: Mapping[str, Any] | None = None  # tables of [motion]; of a part without one it rests

    def __post_init__(self) -> None:
        self._check_place()
        set_field(self, "angle_deg", number(Place("mesh", "angle_deg"), self.angle_deg))
        set_field(self, "scale", number(Place("mesh", "scale"), self.scale, above=0.0))
        if self.mesh.scale is not None:
            raise CaseError(
                Place("mesh", "sizes"), ": scale is the same in all sizes of a part; remove it"
            )
        if self.mesh.kind not in LAID or self.mesh.shape == "plate":
            raise CaseError(
                Place("mesh", self.mesh.kind),
                f" = {self.mesh.source!r} makes no part of overset grids, "
                f"expected one of {', '.join(LAID)}",
            )
        if self.mesh.y_plus is not None:
            raise CaseError(
                Place("mesh", "y_plus"), ": parts have wall_spacing alone; give it in its place"
            )
        if not isinstance(self.motion, Mapping | None):
            raise wrong(Place("mesh", "motion"), self.motion, "tables of motions")

    def _check_place(self) -> None:
        """Numbers of `at`, as many as the part has axes, where it is not at the origin."""
        axes = {self.mesh.dimension.count, self.mesh.dimension_made().count}
        told = " or ".join(NUMBERED[count] for count in sorted(axes))
        try:
            each = tuple(self.at)
        except TypeError:
            raise wrong(Place("mesh", "at"), self.at, told) from None
        if len(each) not in axes and tuple(each) != ORIGIN:
            raise wrong(Place("mesh", "at"), self.at, told)
        set_field(self, "at", tuple(number(Place("mesh", "at"), x) for x in each))


OWN = tuple(f.name for f in fields(OversetPart) if f.name != "mesh")


@dataclass(frozen=True, slots=True)
class Overset:
    """The parts of a case by name, in place of one mesh."""

    parts: Mapping[str, OversetPart]

    @classmethod
    def of_tables(cls, tables: Any, folder: Path) -> Overset:
        """From [parts]; relative names of files start at a folder."""
        if not isinstance(tables, Mapping) or not tables:
            raise CaseError(f"parts = {tables!r}, expected tables [parts.NAME], one for each part")
        made = {}
        for name, table in tables.items():
            if not isinstance(table, Mapping):
                raise wrong(Place("parts", name), table, f"a table [parts.{name}]")
            _named(name, table, tables)
            with of_part(name):
                own = {key: value for key, value in table.items() if key in OWN}
                if "motion" in own:
                    own["motion"] = flown_from(own["motion"], folder)
                rest = {key: value for key, value in table.items() if key not in OWN}
                made[name] = OversetPart(
                    part(MeshPart, Place("mesh"), located(rest, folder)), **own
                )
        return cls(made)

    def tables(self) -> dict[str, Any]:
        """The table [parts] of a case file."""
        return {
            name: absolute(given(own.mesh)) | {k: v for k, v in given(own).items() if k != "mesh"}
            for name, own in self.parts.items()
        }

    def motion(self) -> MotionPart | None:
        """Motions of the parts, by name."""
        moving = {name: own.motion for name, own in self.parts.items() if own.motion is not None}
        with of_motions():
            return MotionPart(bodies=moving) if moving else None

    def replaced(self, file: Any, sizes: Mapping[str, Any], on: str = "mesh") -> Overset:
        """Parts at other sizes, each by its name; CaseError for a size without a part."""
        name = sizes.get("nodes")
        if file is not None or not isinstance(name, str) or len(sizes) > 1:
            raise CaseError(
                f"{', '.join(sizes) or 'mesh'}: the case has parts {self.source}, expected a key "
                "of one, such as --set parts.NAME.nodes=5000"
            )
        none = [part for part, own in self.parts.items() if own.mesh.sizes is None]
        if none:
            raise CaseError(
                Place(("parts", none[0])),
                f" states no sizes, so there is no size {name} of it; give "
                f"[parts.{none[0]}.sizes] {name} = {{ ... }} of its keys (empty where the part "
                "stays as it is), or single keys, such as --set parts.NAME.nodes=5000",
            )
        made = {}
        for part_name, own in self.parts.items():
            with of_part(part_name):
                made[part_name] = replace(own, mesh=own.mesh.replaced(None, sizes))
        return Overset(made)

    @property
    def source(self) -> str:
        """Names of the parts."""
        return ", ".join(self.parts)

    @property
    def files(self) -> list[Path]:
        """Files of meshes and sections."""
        return [file for own in self.parts.values() for file in own.mesh.files]

    @property
    def shared(self) -> tuple[Any, ...]:
        """Properties common to the members of an ensemble."""
        return tuple((name, own.mesh.shared) for name, own in self.parts.items())

    @property
    def dimension(self) -> Dimension:
        """The dimension of the parts; the plane where their keys leave it open."""
        return widest(own.mesh.dimension for own in self.parts.values())

    def dimension_made(self) -> Dimension:
        """The dimension of the parts, of files as they are."""
        return widest(own.mesh.dimension_made() for own in self.parts.values())

    def sides(self) -> dict[str, Any]:
        """Markers of walls, far field and other kinds of boundary, by part and marker."""
        found: dict[str, Any] = {"walls": [], "far": [], "boundaries": {}}
        for name, own in self.parts.items():
            told = own.mesh.sides()
            for key in ("walls", "far"):
                found[key] += [f"{name}.{marker}" for marker in told[key] or ()]
            kinds = (told.get("boundaries") or {}).items()
            found["boundaries"] |= {f"{name}.{marker}": kind for marker, kind in kinds}
        return {key: value or None for key, value in found.items()}

    def slides(self) -> dict[str, Any]:
        """Velocities of walls that slide in themselves, by part and marker."""
        return {
            f"{name}.{marker}": velocity
            for name, own in self.parts.items()
            for marker, velocity in own.mesh.slides().items()
        }

    def check_layers(self, reynolds: float | None) -> None:
        """Parts have no y+."""

    def check(self, method: str) -> None:
        """Raise CaseError for a method without overset grids."""
        if method != "incompressible":
            raise CaseError(
                Place("parts"),
                f" are overset grids, which method {method!r} has not; use "
                "method = 'incompressible', or one [mesh]",
            )


def _named(name: str, table: Mapping[str, Any], tables: Mapping[str, Any]) -> None:
    """CaseError for a table without a mesh whose name is nearly that of another part."""
    if any(source in table for source in SOURCES):
        return
    hint = did_you_mean(name, [other for other in tables if other != name])
    if hint:
        raise CaseError(Place(("parts", name)), f" has no mesh, so there is no part {name!r}{hint}")


def located(table: Mapping[str, Any], folder: str | Path) -> dict[str, Any]:
    """[mesh] with names of files that start at a folder."""
    made = dict(table)
    for name in FILES:
        if name in made:
            if not isinstance(made[name], str):
                raise wrong(Place("mesh", name), made[name], "a file name")
            made[name] = Path(folder) / expanded(made[name])
    made = located_sections(made, Path(folder))
    if isinstance(made.get("boundaries"), Mapping):
        made["boundaries"] = {m: _with_file(own, folder) for m, own in made["boundaries"].items()}
    return made


def _with_file(condition: Any, folder: str | Path) -> Any:
    """Table of a condition whose profile, where it is a file, starts at a folder."""
    profile = condition.get("profile") if isinstance(condition, Mapping) else None
    if not isinstance(profile, str) or "." not in profile:
        return condition
    return {**condition, "profile": str((Path(folder) / expanded(profile)).absolute())}


def absolute(table: dict[str, Any]) -> dict[str, Any]:
    """[mesh] with absolute names of files."""
    for name, value in table.items():
        if is_file(name, value):
            table[name] = str(value.absolute())
    return absolute_sections(table)


def of_part(name: str) -> AbstractContextManager[None]:
    """Turn errors of [mesh] into errors of a part."""
    return _placed(lambda path: ("parts", name) if path == ("mesh",) else path)


def of_motions() -> AbstractContextManager[None]:
    """Turn errors of bodies' motions into errors of parts' motions."""
    bodies = ("motion", "bodies")
    return _placed(lambda p: ("parts", *p[2:], "motion") if p[:2] == bodies and p[2:] else p)


@contextmanager
def _placed(of: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Iterator[None]:
    """Errors of the input name other tables, by the paths of those that they name."""
    try:
        yield
    except OF_INPUT as error:
        raise type(error)(error.said.placed(lambda p: Place(of(p.path), p.key))) from None
