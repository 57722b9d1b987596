"""Tables [mesh] and [deform] of a case file, as frozen dataclasses that refuse nonsense."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from kinemesh.cases.job import set_field
from kinemesh.cases.keys import OF_KEYS
from kinemesh.cases.methods import DEFORMS, deform_fields, or_use
from kinemesh.cases.sizes import MESH, SIZES, check_sizes, sized
from kinemesh.cases.sources import (
    EXTRUDED,
    GENERATED,
    NUMBERS,
    OF_WINGS,
    SIDES,
    SOURCES,
    Source,
    is_file,
)
from kinemesh.cases.values import as_option, choice, count, known, wrong
from kinemesh.cases.wings import named_file
from kinemesh.dimension import XYZ, Dimension, dimension_of
from kinemesh.errors import CaseError, MeshError, SettingsError
from kinemesh.flow import registry
from kinemesh.io.paths import expanded
from kinemesh.sentences import Place

SLIDING = ("incompressible", "ale")  # methods of viscous flow, whose walls may slide


def conditions_as_tables(boundaries: Mapping[str, Any]) -> dict[str, Any]:
    """Kinds of boundaries, and tables for those with numbers; CaseError for invalid ones."""
    from kinemesh.space.conditions.table import conditions_of

    try:
        found = conditions_of(boundaries)
        for marker, own in found.items():
            if own.members > 1:
                raise SettingsError(
                    f"boundaries: {marker!r} has numbers of {own.members} members, and a case is "
                    f"one; sweep over mesh.boundaries.{marker}"
                )
        return {marker: own.as_table() for marker, own in found.items()}
    except SettingsError as error:
        raise CaseError(MESH, " ", error.said) from None


def markers_as_tables(markers: Any) -> dict[str, Any]:
    """Tables of markers as they are; CaseError for those without meaning."""
    from kinemesh.mesh.marking import markings_of

    try:
        markings_of(markers)
    except MeshError as error:
        raise CaseError(MESH, " ", error.said) from None
    return {name: dict(table) for name, table in markers.items()}


@dataclass(frozen=True, slots=True)
class MeshPart:
    """Source of the mesh or cloud, exactly one of SOURCES, and its arguments."""

    section: str | None = None  # name such as naca0012 or naca64a010
    coordinates: Path | None = None  # file with the points of a section
    curve: Path | None = None  # file with the points of a smooth closed curve, such as an ellipse
    shape: str | None = None  # meshes: cylinder or sphere, of diameter 1; plate; bump in a channel
    file: Path | None = None  # mesh to read: .su2, .msh, .ugrid, Plot3D (.gz, .xz)
    box: tuple[float, ...] | None = None  # x0, x1, y0, y1 of a Cartesian mesh; in space z0, z1 too
    disc: float | None = None  # radius of a round mesh about the origin, without a hole [chord]
    bodies: str | None = None  # ready bodies, of a cloud only: 30p30n
    wing: str | Path | None = None  # half a wing in space: oneram6, or the section of another one
    channel: Mapping[str, Any] | None = None  # { upper = 1.0, length = 4.0 }; see [mesh] channel
    span: float | None = None  # of half a wing, without the tip's cap [root chord]; or 3
    taper: float | None = None  # of a wing: chord of the tip [root chord]; or 1
    sweep_deg: float | None = None  # of a wing's leading edge [deg]; or 0
    dihedral_deg: float | None = None  # of a wing's leading edge [deg]; or 0
    twist_deg: float | None = None  # of a wing's tip, nose up, in proportion to y [deg]; or 0
    twist_about: float | None = None  # share of the chord that sections turn about; or 0.25
    tip_section: str | Path | None = None  # of a wing: a name or file; or that of the root
    stations: Sequence[Mapping[str, Any]] | None = None  # of a wing, in place of span to twist_deg
    tip: float | None = None  # of a wing: length of the tip's cap, over its half thickness; or 0.6
    extruded: Mapping[str, Any] | None = None  # { span = 1.0, layers = 1 }; see [mesh] extruded
    points: int | None = None  # of a wing: a mesh 10,000 at least, a cloud 20,000; or 300,000
    cloud: str | None = None  # of a wing: regular (default) or irregular
    nodes: int | str | None = None  # how many (points of a cloud), or coarse, medium, fine
    far_field: float | None = None  # distance of the outer boundary [chord; of a curve its length]
    wall_spacing: float | None = None  # height of the wall cells at mid-chord [chord]
    y_plus: float | None = None  # in its place, by a flat plate of [flow] reynolds
    layers: int | None = None  # of wall_spacing (y_plus), growth, layers any two; or hybrid's
    cells: str | None = None  # triangles or quads; of wings and spheres hexes, prisms, tets, hybrid
    heights: str | None = None  # of wall cells: aspect (default), or even, of topology c
    growth: float | None = None  # ratio of successive layers, or of cells of a box, above 1
    trailing_edge: str | None = None  # closed, sharp or open
    trailing_spacing: float | None = None  # first wall edge at the trailing edge [chord]
    around: int | None = None  # nodes round the section
    along: int | None = None  # of a channel: nodes from end to end, 8 at least
    across: int | None = None  # of a channel: nodes from wall to wall, 3 at least
    topology: str | None = None  # o or c; of a wing oh or ch
    length: float | None = None  # of a plate; or 1 [chord]
    upstream: float | None = None  # of symmetry ahead of a plate, or 1/3; about a bump, or 25
    height: float | None = None  # of the rectangle over a plate, or 1; of a bump's channel, or 5
    edge_spacing: float | None = None  # length of the cells where a plate or a bump's wall begins
    core: tuple[float, ...] | None = None  # of a box: where cells are square, or cubes
    spacing: float | None = None  # of a box: length of the core's cells [chord]
    outer: str | None = None  # of a disc its boundary: wall (default), overset or farfield
    half: bool | None = None  # of a sphere: of y above 0 alone, on a plane of symmetry; or false
    scale: float | None = None  # of a file or curve: what its coordinates are multiplied by
    chord: float | None = None  # of a file or curve: the body's, in its units; divides them
    merge: float | None = None  # of a file: nodes that near become one, in its units; or none do
    walls: tuple[str, ...] | None = None  # markers of bodies, of a box sides; moment_about: first
    far: tuple[str, ...] | None = None  # markers of the far field
    boundaries: Mapping[str, Any] | None = None  # { out = { kind = "outlet", pressure = 0.9 } }
    sliding: Mapping[str, Any] | None = None  # walls that slide: { lid = [1.0, 0.0], rod = 1.0 }
    markers: Mapping[str, Any] | None = None  # { wall = { of = "jmin", x = [0, 1] } }; new of old
    sizes: Mapping[str, Any] | None = None  # other keys of --size: { coarse = { nodes = 2000 } }

    def __post_init__(self) -> None:
        sources = [n for n in SOURCES if getattr(self, n) is not None]
        if len(sources) != 1:
            raise CaseError(
                MESH, f" gives {sources or 'none'} of {', '.join(SOURCES)}; expected one"
            )
        self._check_keys()
        if self.nodes is not None and self.points is not None:
            text = f" gives points = {self.points} and nodes = {self.nodes}, which are one number"
            raise CaseError(MESH, text, advice="give mesh.points alone")
        if isinstance(self.nodes, str):
            set_field(self, "nodes", SIZES[choice(Place("mesh", "nodes"), self.nodes, SIZES)])
        for name, check in self._checks().items():
            if getattr(self, name) is not None:
                set_field(self, name, check(Place("mesh", name), getattr(self, name)))
        if not isinstance(self.boundaries, Mapping | None):
            raise wrong(Place("mesh", "boundaries"), self.boundaries, "a table of kinds")
        if self.boundaries is not None:
            set_field(self, "boundaries", conditions_as_tables(self.boundaries))
        if not isinstance(self.sliding, Mapping | None):
            raise wrong(Place("mesh", "sliding"), self.sliding, "a table of velocities")
        if self.markers is not None:
            set_field(self, "markers", markers_as_tables(self.markers))
        both = set(self.walls or ()) & set(self.far or ())
        if both:
            raise CaseError(MESH, f" markers {sorted(both)} are both walls and far")
        if self.scale is not None and self.chord is not None:
            raise CaseError(MESH, " gives both scale and chord, expected one of the two")
        check_sizes(self, self.alone.keys, such=self.of.such)

    def _checks(self) -> dict[str, Callable[[Any, Any], Any]]:
        """Checks of values by key."""
        of = self.of
        least, most = of.counts or (1, None)
        more = "".join(f", of a {on} at least {n}" for on, n in of.fewest.items())
        number_of = dict.fromkeys(NUMBERS, partial(count, least=least, most=most, more=more))
        return {of.name: SOURCES[of.name].check, **number_of, **OF_KEYS, **of.checks}

    @property
    def kind(self) -> str:
        """Which of the sources it is."""
        return self.of.name

    @property
    def of(self) -> Source:
        """The entry of its source, drawn out along the span where the part says so."""
        return self.alone if self.extruded is None else self.alone.drawn_out

    @property
    def alone(self) -> Source:
        """The entry of its source."""
        each = ((one, getattr(self, name)) for name, one in SOURCES.items())
        return next(one.of(value) for one, value in each if value is not None)

    @property
    def files(self) -> list[Path]:
        """Files of the mesh and of the sections."""
        each = ((name, getattr(self, name)) for name in SOURCES)
        found = [Path(own) for name, own in each if own is not None and is_file(name, own)]
        sections = [self.tip_section, *(own.get("section") for own in self.stations or ())]
        return found + [Path(own) for own in sections if own is not None and named_file(own)]

    @property
    def shared(self) -> tuple[Any, ...]:
        """Properties common to the members of an ensemble; others may vary."""
        source = self.of.shared or str(self.source)
        return (
            source,
            self.walls,
            self.far,
            self.boundaries,
            self.sliding,
            self.markers,
            self.cloud,
        )

    @property
    def dimension(self) -> Dimension:
        """Dimension of what it makes; of a file, until it is read, the plane."""
        return self.of.dimension

    def dimension_made(self) -> Dimension:
        """The dimension of what it makes; a file is read where it may be of both."""
        if len({count for _, count in self.of.makes}) < 2:
            return self.dimension
        return dimension_of(self.of.make(self, {}))

    def sides(self) -> dict[str, Any]:
        """Markers of walls, far field and other kinds of boundary, where the case names them."""
        walls = None if self.of.own_walls else self.walls
        given = {"walls": walls, "far": self.far}
        found: dict[str, Any] = {n: None if v is None else list(v) for n, v in given.items()}
        return found | ({} if self.boundaries is None else {"boundaries": dict(self.boundaries)})

    def slides(self) -> dict[str, Any]:
        """Velocities of walls that slide in themselves, by marker."""
        return dict(self.sliding or {})

    def replaced(
        self, file: str | Path | None, sizes: Mapping[str, Any], on: str = "mesh"
    ) -> MeshPart:
        """Copy with a mesh file as the source, or with other sizes; `on` : "mesh" or "cloud"."""
        made = self if file is None else self._of_file(expanded(file), on)
        with as_option(sizes):
            found: MeshPart = sized(made, sizes)
        return found

    def _of_file(self, file: Path, on: str) -> MeshPart:
        """Copy with a mesh file as the source, in space where the part is."""
        kept: dict[str, Any] = {name: getattr(self, name) for name in (*SIDES, EXTRUDED)}
        if (on, self.dimension.count) not in SOURCES["file"].makes:
            text = f" = {self.source!r}: a mesh file cannot take the place of its cloud"
            advice = "give points instead, or use method = 'ale'"
            raise CaseError(Place("mesh", self.kind), text, advice=advice)
        made, own = MeshPart(file=file, **kept), self.dimension
        if not (made.dimension.holds(own) or _dimension_of(made).holds(own)):
            raise CaseError(
                f"{file}: the mesh is in the plane, and {self.alone.said} in space",
                expected="a mesh in space",
                advice="draw it out along a span by [mesh] extruded of a case file of its own",
            )
        return made

    @property
    def source(self) -> Any:
        """The value of the source: a name, or a file."""
        return getattr(self, self.kind)

    def _check_keys(self) -> None:
        """Raise CaseError for keys that the source of the mesh or cloud does not use."""
        of = self.alone
        more = [n for n in (*GENERATED, EXTRUDED, *SIDES) if getattr(self, n) is not None]
        more = [n for n in more if n not in (*of.keys, *of.sides)]
        if not more:
            return
        raise CaseError(
            MESH,
            f" has {of.said}, so {', '.join(more)} has no meaning",
            advice=self._instead(more[0]),
        )

    def _instead(self, key: str) -> str:
        """Advice on a key without a meaning."""
        of = self.alone
        if of.size is not None and key in NUMBERS:
            return f"its size is {of.size[0]}"
        if key == EXTRUDED:
            return "meshes of the plane are drawn out along a span; remove it"
        if key in OF_WINGS and EXTRUDED in of.keys:
            wing = f"a wing is wing = '{self.section or 'naca0012'}' in place of {of.name}"
            return f"{wing}, and from plane to plane goes {EXTRUDED} = {{ span = 1.0 }}"
        return "remove it"

    def check(self, method: str) -> None:
        """Raise CaseError for keys that the method does not use."""
        entry, makes = registry.named(method), set(self.of.makes)
        if not entry.takes(makes):
            others = [other.name for other in registry.SOLVERS if other.takes(makes)]
            if self.extruded is not None and entry.on == "cloud":
                raise CaseError(
                    Place("mesh", EXTRUDED),
                    f" makes a mesh in space, and method {method!r} computes on clouds, of which "
                    "case files have wings alone in space ([mesh] wing)",
                    advice=f"remove it for the plane{or_use(others)}, or in Python take "
                    "km.Cloud.from_mesh(km.mesh.extruded(...))",
                )
            raise CaseError(
                Place("mesh", self.kind),
                f" = {self.source!r}{'' if self.extruded is None else ', extruded,'} makes no "
                f"{entry.spaces}, which method {method!r} needs; give another mesh{or_use(others)}",
            )
        self._check_kind(entry)
        if self.sliding is not None and method not in SLIDING:
            text = f": method {method!r} has no walls that move along themselves"
            advice = "use method = 'incompressible', or 'ale' with [flow] reynolds"
            raise CaseError(Place("mesh", "sliding"), text, advice=advice)

    def _check_kind(self, entry: registry.Entry) -> None:
        """Raise CaseError for keys of clouds on a mesh or the reverse, and for too few nodes."""
        of = self.of
        for name, on in of.only.items():
            if on != entry.on and getattr(self, name) is not None:
                others = [other.name for other in registry.SOLVERS if other.on == on]
                others = [name for name in others if registry.named(name).takes(set(of.makes))]
                raise CaseError(
                    Place("mesh", name),
                    f" is of a {on} about {of.said}, and method {entry.name!r} computes on a "
                    f"{entry.on}; remove it{or_use(others)}",
                )
        for name in NUMBERS:
            if of.counts is not None and getattr(self, name) is not None:
                most = of.counts[1]
                count(Place("mesh", name), getattr(self, name), of.fewest_on(entry.on), most)

    def check_layers(self, reynolds: float | None) -> None:
        """CaseError for a y+ that has no Reynolds number."""
        if self.y_plus is not None and reynolds is None:
            raise CaseError(
                Place("mesh", "y_plus"),
                f" = {self.y_plus:g} has no Reynolds number",
                advice="give [flow] reynolds, or wall_spacing in its place",
            )


def _dimension_of(part: MeshPart) -> Dimension:
    """Dimension of the mesh of a file.

    One that cannot be read is refused when it is made, with the keys that it may still be given.
    """
    try:
        return part.dimension_made()
    except MeshError:
        return XYZ


def needed(item: dataclasses.Field[Any]) -> bool:
    """Return True if a field of a dataclass has no default."""
    missing = dataclasses.MISSING
    return item.default is missing and item.default_factory is missing


@dataclass(frozen=True, slots=True)
class DeformPart:
    """Deformation of the mesh, with the settings of its method."""

    method: str = "springs"  # springs (meshes alone), delaunay, rigid, modal, carrier; needed
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice(Place("deform", "method"), self.method, DEFORMS)
        if self.settings:
            known(Place("deform"), self.settings, deform_fields(self.method))

    def build(self) -> Any:
        """The deformation method."""
        from kinemesh import deform

        kind: Any = deform.METHODS[self.method]
        return kind.of_options(self.settings)


def part(made: type, where: Place, table: Mapping[str, Any]) -> Any:
    """A part of a case from its table."""
    known(where, table, [f.name for f in fields(made)])
    missing = [f.name for f in fields(made) if needed(f) and f.name not in table]
    if missing:
        raise CaseError(where, f" lacks {', '.join(missing)}")
    return made(**table)


def given(of: Any) -> dict[str, Any]:
    """The values of a part that are not its defaults, by key."""
    values = {f.name: (getattr(of, f.name), f.default) for f in fields(of)}
    return {name: value for name, (value, default) in values.items() if value != default}
