"""Sources of meshes and clouds: the keys of [mesh] of which a case gives one, an entry each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kinemesh.cases.values import choice, number
from kinemesh.errors import CaseError
from kinemesh.io.paths import expanded
from kinemesh.sentences import Place

SIDES = ("walls", "far", "boundaries", "sliding")  # what is said of markers
PLANE = frozenset({("mesh", 2), ("cloud", 2)})
MESH, CLOUD, SPACE = (frozenset({one}) for one in (("mesh", 2), ("cloud", 2), ("cloud", 3)))
NODES = ("nodes", 2000)


def as_given(where: str, value: Any) -> Any:
    """The value; what makes the mesh refuses what has no meaning."""
    return value


def a_file(where: str, value: Any) -> Path:
    """The path that a value names."""
    return expanded(value)


def one_of(*ready: str) -> Callable[[Any, Any], str]:
    """Check of a name that is one of those that are ready."""
    return partial(choice, choices=ready)


@dataclass(frozen=True, slots=True)
class Source:
    """A key of [mesh] that says where a mesh or cloud comes from.

    Parameters
    ----------
    name : the key
    make : (part, told) -> Mesh or Cloud    told has the keys of `takes` that the part gives
    takes : other keys of [mesh] that it is told
    makes : what solvers compute on, of how many dimensions, that it can make; where a mesh is
        among them, `make` makes one, and a cloud is made of its nodes
    check : (where, value) -> value    CaseError for a value without meaning
    counts : (least, most) or None     nodes or points that it can make
    size : key of `takes` that sets the size, with an example of its value; None: nothing does
    sides : what may be said of its markers
    shared : what members of an ensemble have in common of it; "": its value
    overset : whether its outer boundary is an overset one where the mesh is a part
    own_walls : whether its mesh is made with the walls that are named
    words : name of it in a sentence; "": `name` with the article a
    others : {value: Source} of values that take other keys
    """

    name: str
    make: Callable[[Any, dict[str, Any]], Any]
    takes: tuple[str, ...]
    makes: frozenset[tuple[str, int]] = PLANE
    check: Callable[[Any, Any], Any] = as_given
    counts: tuple[int, int] | None = None
    size: tuple[str, Any] | None = NODES
    sides: tuple[str, ...] = SIDES
    shared: str = ""
    overset: bool = False
    own_walls: bool = False
    words: str = ""
    others: Mapping[Any, Source] = field(default_factory=dict)

    def of(self, value: Any) -> Source:
        """The entry of a value of the key."""
        return self.others.get(value, self) if isinstance(value, str) else self

    @property
    def said(self) -> str:
        """Name of it in a sentence, with its article."""
        return self.words or f"a {self.name}"

    @property
    def such(self) -> str:
        """Example of a size of it, as a table of a case file; "" where it has none."""
        return "" if self.size is None else "{} = {}".format(*self.size)

    @property
    def plane(self) -> bool:
        """True where it makes what is of the plane."""
        return any(dimensions == 2 for _, dimensions in self.makes)


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


def _file(part: Any, told: dict[str, Any]) -> Any:
    from kinemesh import mesh

    return mesh.read(there(part, "file"), scale=part.scale, chord=part.chord)


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
    from kinemesh import cloud

    irregular = told.pop("cloud", "regular") == "irregular"
    return getattr(cloud, part.wing)(**told, irregular=irregular)


OF_SHAPE = ("nodes", "far_field", "wall_spacing", "around")
NORMAL = ("wall_spacing", "y_plus", "growth", "layers")  # how layers grow from walls
OF_PLATE = ("nodes", *NORMAL, "length", "upstream", "height", "edge_spacing")
OF_CURVE = (*OF_SHAPE, "scale", "chord")
OF_SECTION = (
    *("nodes", "far_field", *NORMAL),
    *("trailing_edge", "trailing_spacing", "around", "topology", "cells", "heights"),
)
MANY = 10_000_000
PLATE = Source("shape", _plate, OF_PLATE, makes=MESH, counts=(200, MANY), words="a plate")

ALL = (
    Source("section", _section, OF_SECTION, counts=(500, MANY), shared="section", overset=True),
    Source("coordinates", _coordinates, OF_SECTION, check=a_file, counts=(500, MANY),
           shared="section", overset=True),
    Source("curve", _curve, OF_CURVE, check=a_file, counts=(200, MANY), overset=True),
    Source("shape", _cylinder, OF_SHAPE, makes=MESH, check=one_of("cylinder", "plate"),
           counts=(500, MANY), overset=True, others={"plate": PLATE}),
    Source("file", _file, ("scale", "chord"), makes=PLANE | {("mesh", 3)}, check=a_file, size=None),
    Source("box", _box, ("core", "spacing", "growth"), makes=MESH, size=("spacing", 0.05),
           shared="box", own_walls=True),
    Source("disc", _disc, ("nodes", "outer"), makes=MESH, check=partial(number, above=0.0),
           counts=(200, MANY), shared="disc"),
    Source("bodies", _bodies, ("nodes", "far_field", "growth"), makes=CLOUD,
           check=one_of("30p30n"), counts=(500, 2 * MANY), words="bodies"),
    Source("wing", _wing, ("points", "cloud", "far_field", "trailing_edge"), makes=SPACE,
           check=one_of("oneram6"), counts=(20_000, 2 * MANY), size=("points", 40_000), sides=()),
)  # fmt: skip
SOURCES = {source.name: source for source in ALL}
FILES = tuple(source.name for source in ALL if source.check is a_file)  # keys that name files
GENERATED = tuple(
    dict.fromkeys(
        key for source in ALL for one in (source, *source.others.values()) for key in one.takes
    )
)
