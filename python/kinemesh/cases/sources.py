"""Sources of meshes and clouds: the keys of [mesh] of which a case gives one, an entry each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from kinemesh.cases.channel_walls import OF_CHANNEL, channel_mesh, channel_of
from kinemesh.cases.values import choice, count, known, number, wrong
from kinemesh.cases.wings import M6, OUTLINE, a_wing, named_file
from kinemesh.dimension import DIMENSIONS, Dimension
from kinemesh.errors import CaseError
from kinemesh.io.paths import expanded
from kinemesh.sentences import Place

SIDES = ("walls", "far", "boundaries", "sliding", "markers")  # what is said of markers
OF_CLOUD = tuple(name for name in SIDES if name != "markers")  # of a cloud without a mesh
PLANE = frozenset({("mesh", 2), ("cloud", 2)})
MESH, CLOUD, SOLID = (frozenset({one}) for one in (("mesh", 2), ("cloud", 2), ("mesh", 3)))
SPACE = SOLID | {("cloud", 3)}
NODES = ("nodes", 2000)
OF_WINGS = (*OUTLINE, "tip")
EXTRUDED = "extruded"  # key of what draws a mesh of the plane out along the span
NUMBERS = ("nodes", "points")  # of a wing one number by either name


def as_given(where: str, value: Any) -> Any:
    """The value; what makes the mesh refuses what has no meaning."""
    return value


def a_file(where: str, value: Any) -> Path:
    """The path that a value names."""
    return expanded(value)


def one_of(*ready: str) -> Callable[[Any, Any], str]:
    """Check of a name that is one of those that are ready."""
    return partial(choice, choices=ready)


def cells_of(*ready: str) -> Callable[[Any, Any], str]:
    """Check of a kind of cells; other words for a kind are told its name."""

    def check(where: Any, value: Any) -> str:
        if value not in ready:
            from kinemesh.mesh.kinds import cells_named

            near = cells_named(value, ready)
            if not near and "tets" not in ready and cells_named(value, ["tets"]):
                near = f"; tetrahedra are of {EXTRUDED} = {{ cells = 'tets' }}"
            raise wrong(where, value, f"one of {', '.join(ready)}{near}")
        return str(value)

    return check


def is_file(key: str, value: Any) -> bool:
    """True where the value of a key of [mesh] is the name of a file."""
    return key in FILES or (key in ("wing", "tip_section") and named_file(value))


@dataclass(frozen=True, slots=True)
class Extruded:
    """Keys of [mesh] extruded, arguments of `mesh.extruded`."""

    span: float = 1.0  # distance of the two planes of symmetry [chord]
    layers: int = 1  # cells between them
    cells: str | None = None  # hexes, prisms or tets; or hexes of quads, prisms of triangles


SPAN: dict[str, Callable[[Any, Any], Any]] = {
    "span": partial(number, above=0.0),
    "layers": count,
    "cells": cells_of("hexes", "prisms", "tets"),
}


def span_of(where: Any, value: Any) -> Mapping[str, Any]:
    """Checked table of the keys of `Extruded`."""
    if not isinstance(value, Mapping):
        raise wrong(where, value, "a table such as { span = 1.0, layers = 1 }")
    at = ("mesh", EXTRUDED)
    known(Place(at), value, list(SPAN))
    return {name: SPAN[name](Place(at, name), own) for name, own in value.items()}


@dataclass(frozen=True, slots=True)
class Source:
    """A key of [mesh] that says where a mesh or cloud comes from.

    Parameters
    ----------
    name : the key
    make : (part, told) -> Mesh    told has the keys of `takes` that the part gives
    takes : other keys of [mesh] that it is told
    makes : what solvers compute on, of how many dimensions, that it can make
    cloud : (part, told) -> Cloud, or None where a cloud is made of the nodes of the mesh
    check : (where, value) -> value    CaseError for a value without meaning
    checks : of values of other keys, in place of those that most sources share
    only : {key: "mesh" or "cloud"}    keys of one of the two
    counts : (least, most) or None     nodes or points that it can make
    fewest : {"mesh" or "cloud": the least}    where that is more of one of the two
    size : key of `takes` that sets the size, with an example of its value; None: nothing does
    sides : what may be said of its markers
    shared : what members of an ensemble have in common of it; "": its value
    overset : whether its outer boundary is an overset one where the mesh is a part
    own_walls : whether its mesh is made with the walls that are named
    words : name of it in a sentence; "": `name` with the article a
    others : {value: Source} of values that take other keys; {length: Source} of lists
    """

    name: str
    make: Callable[[Any, dict[str, Any]], Any]
    takes: tuple[str, ...]
    makes: frozenset[tuple[str, int]] = PLANE
    cloud: Callable[[Any, dict[str, Any]], Any] | None = None
    check: Callable[[Any, Any], Any] = as_given
    checks: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    only: Mapping[str, str] = field(default_factory=dict)
    counts: tuple[int, int] | None = None
    fewest: Mapping[str, int] = field(default_factory=dict)
    size: tuple[str, Any] | None = NODES
    sides: tuple[str, ...] = SIDES
    shared: str = ""
    overset: bool = False
    own_walls: bool = False
    words: str = ""
    others: Mapping[Any, Source] = field(default_factory=dict)

    def of(self, value: Any) -> Source:
        """The entry of a value of the key."""
        key = len(value) if isinstance(value, tuple | list) else value
        return self.others.get(key, self) if isinstance(key, str | int) else self

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of [mesh] beside its own that are not of markers."""
        return (*self.takes, *((EXTRUDED,) if ("mesh", 2) in self.makes else ()))

    @property
    def drawn_out(self) -> Source:
        """Entry of its meshes drawn out along a span, between two planes of symmetry."""

        def make(part: Any, told: dict[str, Any]) -> Any:
            from kinemesh import mesh

            return mesh.extruded(self.make(part, told), **part.extruded)

        return replace(self, make=make, makes=SOLID, words=f"{self.said} that is extruded")

    @property
    def said(self) -> str:
        """Name of it in a sentence, with its article."""
        return self.words or f"a {self.name}"

    @property
    def such(self) -> str:
        """Example of a size of it, as a table of a case file; "" where it has none."""
        return "" if self.size is None else "{} = {}".format(*self.size)

    @property
    def dimension(self) -> Dimension:
        """Dimension of what it makes; the plane where that may be both, as of a file."""
        return DIMENSIONS[min(count for _, count in self.makes)]

    def fewest_on(self, on: str) -> int:
        """Fewest nodes of a mesh, or points of a cloud."""
        return self.fewest.get(on, 1 if self.counts is None else self.counts[0])


def there(part: Any, key: str) -> Path:
    """The file that a key names, which is there."""
    path: Path = getattr(part, key)
    if not path.is_file():
        raise CaseError(Place("mesh", key), f" = {path}: no such file")
    return path


def _section(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.airfoil(part.section, **told)


def _coordinates(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.airfoil(there(part, "coordinates"), **told)


def _curve(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh
    from kinemesh.mesh.files.scale import resized

    scale, chord = told.pop("scale", None), told.pop("chord", None)
    return resized(part.curve, mesh.around(there(part, "curve"), **told), scale, chord)


def _cylinder(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.cylinder(**told)


def _plate(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.plate(**told)


def _bump(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.bump(**told)


def _file(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    lengths = {"scale": part.scale, "chord": part.chord}
    return mesh.read(there(part, "file"), **{**lengths, **told})


def _box(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.background(part.box, **told, walls=part.walls or ())


def _disc(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.disc(radius=part.disc, **told)


def _bodies(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import cloud

    if "nodes" in told:
        told["points"] = told.pop("nodes")
    return cloud.three_element(**told)


def _wing(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return _about_wing(part, told, "nodes", mesh.wing, mesh.oneram6)


def _cloud_of_wing(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import cloud

    told["irregular"] = told.pop("cloud", "regular") == "irregular"
    return _about_wing(part, told, "points", cloud.wing, cloud.oneram6)


def _about_wing(part: Any, told: dict[str, Any], size: str, wing: Any, m6: Any) -> Any:
    """Mesh or cloud about a wing, whose number of nodes is its argument `size`."""
    for name in NUMBERS:
        if name in told:
            told[size] = told.pop(name)
    if part.wing == M6:
        return m6(**told)
    return wing(there(part, "wing") if isinstance(part.wing, Path) else part.wing, **told)


def _sphere(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.sphere(**told)


OF_SHAPE = ("nodes", "far_field", "wall_spacing", "around")
NORMAL = ("wall_spacing", "y_plus", "growth", "layers")  # how layers grow from walls
OF_PLATE = ("nodes", *NORMAL, "length", "upstream", "height", "edge_spacing")
OF_BUMP = ("nodes", *NORMAL, "upstream", "height", "edge_spacing")
OF_CURVE = (*OF_SHAPE, "scale", "chord")
OF_FILE = ("scale", "chord", "merge")
OF_WING = (*NUMBERS, "cloud", "far_field", "trailing_edge", "tip", "cells", "topology",
           *NORMAL)  # fmt: skip
OF_SECTION = (
    *("nodes", "far_field", *NORMAL),
    *("trailing_edge", "trailing_spacing", "around", "topology", "cells", "heights"),
)
MANY = 10_000_000
PLATE = Source("shape", _plate, OF_PLATE, makes=MESH, counts=(200, MANY), words="a plate")
BUMP = Source("shape", _bump, OF_BUMP, makes=MESH, counts=(400, MANY), words="a bump")
SPHERE = Source("shape", _sphere, ("nodes", "far_field", "wall_spacing", "growth", "cells", "half"),
                makes=SOLID, checks={"cells": cells_of("hexes", "prisms", "tets")},
                counts=(500, 5 * MANY), overset=True, words="a sphere")  # fmt: skip
CYLINDER, SHAPES = "cylinder", {"plate": PLATE, "bump": BUMP, "sphere": SPHERE}
WING = Source(
    "wing",
    _wing,
    (*OF_WING, *OUTLINE),
    makes=SPACE,
    cloud=_cloud_of_wing,
    check=a_wing,
    checks={
        "cells": cells_of("hexes", "prisms", "tets", "hybrid"),
        "layers": count,
        "topology": one_of("oh", "ch"),
    },
    only={
        "cloud": "cloud",
        "cells": "mesh",
        "topology": "mesh",
        **dict.fromkeys(NORMAL, "mesh"),
    },
    counts=(10_000, 2 * MANY),
    overset=True,
    fewest={"cloud": 20_000},
    size=("points", 40_000),
    sides=(),
)
WINGS = {M6: replace(WING, takes=OF_WING, words=f"the wing {M6}")}

BOX = Source("box", _box, ("core", "spacing", "growth"), makes=MESH, size=("spacing", 0.05),
             shared="box", own_walls=True)  # fmt: skip

ALL = (
    Source("section", _section, OF_SECTION, counts=(500, MANY), shared="section", overset=True),
    Source("coordinates", _coordinates, OF_SECTION, check=a_file, counts=(500, MANY),
           shared="section", overset=True),
    Source("curve", _curve, OF_CURVE, check=a_file, counts=(200, MANY), overset=True),
    Source("shape", _cylinder, OF_SHAPE, makes=MESH, check=one_of(CYLINDER, *SHAPES),
           counts=(500, MANY), overset=True, others=SHAPES),
    Source("file", _file, OF_FILE, makes=PLANE | {("mesh", 3)}, check=a_file, size=None),
    replace(BOX, others={6: replace(BOX, makes=SOLID, words="a box in space")}),
    Source("disc", _disc, ("nodes", "outer"), makes=MESH, check=partial(number, above=0.0),
           counts=(200, MANY), shared="disc"),
    Source("bodies", _bodies, ("nodes", "far_field", "growth"), makes=CLOUD, cloud=_bodies,
           check=one_of("30p30n"), counts=(500, 2 * MANY), sides=OF_CLOUD,
           words="bodies"),
    replace(WING, others=WINGS),
    Source("channel", channel_mesh, OF_CHANNEL, makes=MESH, check=channel_of, counts=(24, MANY)),
)  # fmt: skip
SOURCES = {source.name: source for source in ALL}
FILES = tuple(source.name for source in ALL if source.check is a_file)  # keys that name files
GENERATED = tuple(
    dict.fromkeys(
        key for source in ALL for one in (source, *source.others.values()) for key in one.takes
    )
)
