"""Parts of a case that lie over one another: meshes that are put together as one.

A part with a marker named `overset` ends within others, from which it takes its values there; one
part has none, the background.  Nodes of a part stand side by side, and no cell joins two parts, so
that what follows from a mesh follows from each part alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names, numbers, point_of
from kinemesh.bodies.frames import Frame
from kinemesh.dimension import XY
from kinemesh.errors import MeshError, OversetError, did_you_mean
from kinemesh.mesh.mesh import Mesh, fill
from kinemesh.mesh.names import role_of
from kinemesh.mesh.origin import Origin
from kinemesh.mesh.pieces import pieces
from kinemesh.space.conditions.base import BODY, Condition
from kinemesh.space.conditions.table import conditions_of
from kinemesh.space.conditions.words import Far, Overset, Wall
from kinemesh.space.markers import refuse_by_name, roles_by_name, walls_of

Ints = NDArray[np.int32]
OVERSET = Overset.kind  # marker of a part's boundary within others, and the kind of condition
BEWARE = "its boundary within other parts has the marker 'overset'"


@checks_names
@dataclass(frozen=True, slots=True)
class Part:
    """Mesh of a part, and its place.

    Pivots of the part's motion, and `moment_about`, are points of its own frame, that of the mesh.

    Parameters
    ----------
    mesh : Mesh
    at : (x, y)          where the mesh's origin is put [lengths of the case]
    angle_deg : float    turn about the mesh's origin before that, nose-up positive [deg]
    scale : float        lengths of the case in one of the mesh, which is scaled before all else
    """

    mesh: Mesh
    at: tuple[float, float] = (0.0, 0.0)
    angle_deg: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, Mesh):
            raise OversetError(
                f"Part: the mesh is a {type(self.mesh).__name__}, expected a kinemesh.Mesh of "
                "triangles and quadrilaterals in the plane"
            )
        if not XY.holds(self.mesh.dimension):
            raise OversetError("Part: the mesh is in space, expected one in the plane")
        object.__setattr__(self, "at", point_of(self.at, "Part: at", "x, y"))
        angle = numbers(self.angle_deg, 1, "Part: angle_deg")[0]
        object.__setattr__(self, "angle_deg", float(angle))
        scale = numbers(self.scale, 1, "Part: scale", positive=True)[0]
        object.__setattr__(self, "scale", float(scale))

    @property
    def frame(self) -> Frame:
        """Frame of the part within that of the case."""
        return Frame(self.at, self.angle_deg, self.scale)

    @property
    def as_given(self) -> bool:
        """True where the part stands as its mesh does."""
        return (self.at, self.angle_deg, self.scale) == ((0.0, 0.0), 0.0, 1.0)

    def points(self) -> NDArray[np.float64]:
        """Coordinates (nodes, 2) of the nodes in the case [lengths of the case]."""
        return self.frame.place(self.mesh.points)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parts(Mesh):
    """The meshes of the parts of a member as one mesh.

    Attributes
    ----------
    names : of the parts
    first : (parts+1,) int32     first node of each part, and the number of nodes
    conditions : {marker: Condition}    of walls one for each part that has some, named as the part
    walls : {"part.marker": (k, 2) int32}    edges of the walls by the markers of their parts
    frames : {part: Frame}    in which pivots of motions and the moments' point are given
    """

    names: tuple[str, ...] = ()
    first: Ints = None  # type: ignore[assignment]
    conditions: dict[str, Condition] = None  # type: ignore[assignment]
    walls: dict[str, Ints] = None  # type: ignore[assignment]
    frames: dict[str, Frame] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        parts: Mapping[str, Any],
        *,
        walls: Sequence[str] | None = None,
        far: Sequence[str] | None = None,
        boundaries: Mapping[str, Any] | None = None,
        moving: Sequence[str] = (),
    ) -> Parts:
        """Parts put together.

        Parameters
        ----------
        parts : {name: Mesh or Part}
        walls, far, boundaries : as of `kinemesh.Incompressible`; of a marker that several parts
            have, by part and marker: "back.left"
        moving : parts that move; one of them without walls is a body without nodes

        Raises
        ------
        OversetError, MeshError    parts that are no meshes, or whose boundaries are not clear
        """
        given = {name: _part(name, part) for name, part in parts.items()}
        _one_background(given)
        asked = _Asked(given, walls, far, boundaries)
        first, tables, sides = 0, [], _Sides()
        named: dict[str, Ints] = {}
        for name, part in given.items():
            mesh = part.mesh.renumbered()
            tables.append((part, mesh, first))
            for marker, condition in asked.conditions(name, mesh).items():
                solid = condition.role == BODY
                own = name if solid else f"{name}.{marker}"
                edges = mesh.boundaries[marker] + np.int32(first)
                sides.add(condition, own, edges)
                if solid:
                    named[f"{name}.{marker}"] = edges
            first += mesh.nodes
        starts = np.append([start for _, _, start in tables], first).astype(np.int32)
        found: list[Any] = [*_joined(tables, sides), tuple(given), starts, sides.conditions, named]
        found.append({name: part.frame for name, part in given.items()})
        made = cls._checked(*found) if all(p.as_given for p in given.values()) else cls(*found)
        for name in moving:
            if name in given and name not in made.boundaries:
                made.boundaries[name] = np.empty((0, 2), np.int32)
                made.conditions[name] = Wall()
        return made

    @classmethod
    def _checked(cls, *found: Any) -> Parts:
        """These tables of meshes that were checked where they stand."""
        made, tables = object.__new__(cls), cast(Any, (*found[:6], {}))
        fill(made, *tables)
        for name, value in zip(cls.__slots__, found[6:], strict=True):
            object.__setattr__(made, name, value)
        return made

    def __post_init__(self) -> None:
        Mesh.__post_init__(self)
        if self.first is None:
            object.__setattr__(self, "first", np.array([0, self.nodes], np.int32))

    def of_role(self, role: str) -> list[str]:
        """Markers whose conditions have a role."""
        return [marker for marker, own in self.conditions.items() if own.role == role]

    @property
    def part(self) -> Ints:
        """(nodes,) number of each node's part."""
        return np.repeat(np.arange(len(self.names), dtype=np.int32), np.diff(self.first))

    @property
    def outer(self) -> NDArray[np.bool_]:
        """Mask (parts,) of parts with an overset boundary."""
        return np.array([f"{name}.{OVERSET}" in self.boundaries for name in self.names])

    @property
    def walled(self) -> NDArray[np.bool_]:
        """Mask (parts,) of parts with walls."""
        there = self.boundaries
        return np.array([len(there.get(name, ())) > 0 for name in self.names])

    @property
    def connections(self) -> tuple[Ints, ...]:
        return (self.cells, self.first)

    def renumbered(self) -> Parts:
        """This mesh: its parts have their order already."""
        return self

    def node(self, local: int) -> str:
        """Text for a node in the numbers of its part's file."""
        part = int(np.searchsorted(self.first, local, "right")) - 1
        base = self.original[self.first[part] : self.first[part + 1]].min()
        return f"node {self.original[local] - base} of {self.names[part]!r}"

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{n}: {k}" for n, k in zip(self.names, np.diff(self.first).tolist(), strict=True)
        )
        return f"Parts({self.nodes} nodes; {sizes})"


def _part(name: Any, part: Any) -> Part:
    if getattr(getattr(part, "mesh", part), "solids", None):
        raise OversetError(f"part {name!r} is a mesh in space, expected one of the plane")
    if not isinstance(name, str) or not name or "." in name:
        raise OversetError(f"parts: the name {name!r}, expected one such as 'wing', without a dot")
    if isinstance(part, Part):
        return part
    if not isinstance(part, Mesh):
        raise OversetError(
            f"part {name!r} is a {type(part).__name__}, expected a kinemesh.Mesh or "
            "kinemesh.Part(mesh, at=(x, y), angle_deg=...)"
        )
    return Part(part)


def _one_background(given: Mapping[str, Part]) -> None:
    """Raise OversetError unless exactly one part has no overset boundary."""
    if not given:
        raise OversetError(
            "parts: none are given, expected {name: mesh} with a background at least"
        )
    backgrounds = [name for name, part in given.items() if OVERSET not in part.mesh.boundaries]
    if not backgrounds:
        raise OversetError(
            f"parts {list(given)}: each has an overset boundary, expected one without, the "
            "background, such as km.mesh.background(...), whose boundary is the far field"
        )
    if len(backgrounds) > 1:
        markers = {f"{name}.{m}": m for name in backgrounds for m in given[name].mesh.boundaries}
        near = [key for key, marker in markers.items() if did_you_mean(marker, [OVERSET])]
        meant = "".join(f"; did you mean '{OVERSET}' by the marker {key!r}?" for key in near)
        raise OversetError(
            f"parts {backgrounds} have no overset boundary, expected one such part, the "
            f"background; of every other one {BEWARE}, which km.mesh.airfoil, around, "
            f'cylinder and disc make by outer="overset"; their markers are '
            f"{', '.join(markers)}{meant}"
        )


def _ends_outside(name: str, mesh: Mesh) -> None:
    """OversetError where the boundary named overset lies within another one of the part."""
    found = pieces(mesh, list(mesh.boundaries))
    for piece in found:
        if OVERSET in piece.names or not piece.closed or piece.content <= 0:
            continue
        inner = next((p for p in found if OVERSET in p.names and piece.encloses(p)), None)
        if inner is not None:
            raise OversetError(
                f"part {name!r}: its marker {OVERSET!r} ({inner.told()}) lies within "
                f"{', '.join(map(repr, piece.names))} ({piece.told()}), expected it about all "
                "others, as other parts go on beyond it; if the names are swapped, name the outer "
                f"boundary {OVERSET!r} in the mesh"
            )


class _Sides:
    """Markers of the parts put together, with their conditions."""

    def __init__(self) -> None:
        self.conditions: dict[str, Condition] = {}
        self.edges: dict[str, list[Ints]] = {}

    def add(self, condition: Condition, name: str, edges: Ints) -> None:
        self.conditions[name] = condition
        self.edges.setdefault(name, []).append(edges)


class _Asked:
    """Kinds of boundaries in a user's arguments, by part and marker.

    Raises
    ------
    MeshError    for a marker that no part has, that several have, or that is named twice
    """

    def __init__(self, parts: Mapping[str, Part], walls: Any, far: Any, boundaries: Any) -> None:
        self.parts = parts
        self.named: dict[tuple[str, str], Condition] = {}
        self.listed: set[tuple[str, str]] = set()  # in walls or far
        given: list[tuple[str, Condition]] = [(name, Wall()) for name in walls or ()]
        given += [(name, Far()) for name in far or ()]
        for name, own in [*given, *conditions_of(boundaries).items()]:
            key = self._find(name)
            if key in self.named or key[1] == OVERSET:
                was = self.named[key].kind if key in self.named else OVERSET
                raise MeshError(f"marker {name!r} is both {was} and {own.kind}, expected one")
            self.named[key] = own
            if len(self.named) <= len(given):
                self.listed.add(key)

    def _find(self, name: str) -> tuple[str, str]:
        every = [(part, m) for part, own in self.parts.items() for m in own.mesh.boundaries]
        found = [key for key in every if name in (key[1], ".".join(key))]
        if len(found) != 1:
            told = ", ".join(map(".".join, every))
            why = "is in several parts" if found else "is in no part"
            raise MeshError(f"marker {name!r} {why}, expected one of {told}")
        return found[0]

    def conditions(self, part: str, mesh: Mesh) -> dict[str, Condition]:
        """Condition of each marker of a part."""
        found = self._conditions(part, mesh)
        walls, far = ([m for m, own in found.items() if own == kind] for kind in (Wall(), Far()))
        said = [m for m in found if (part, m) in self.named]
        try:
            refuse_by_name(walls, far, said)
        except MeshError as error:
            raise MeshError(f"part {part!r}: {error}") from None
        return found

    def _conditions(self, part: str, mesh: Mesh) -> dict[str, Condition]:
        named = {m: self.named[part, m] for m in mesh.boundaries if (part, m) in self.named}
        rest = [m for m in mesh.boundaries if m not in named]
        if OVERSET in rest:
            _ends_outside(part, mesh)
            return named | {m: Overset() if m == OVERSET else Wall() for m in rest}
        if any((part, m) in self.listed for m in named) or not rest:
            other = Wall() if Far() in named.values() else Far()
            return named | dict.fromkeys(rest, other)
        found = pieces(mesh, rest)
        if any(own in (Wall(), Far()) for own in named.values()):
            bodies = [m for m, role in roles_by_name(rest).items() if role == "wall"]
        elif len(found) > 1:
            bodies, _ = walls_of(None, [mesh], list(named))
        else:  # a body, or the outer boundary
            inner = found[0].closed and found[0].content < 0
            bodies = [m for m in rest if inner or role_of(m) == "wall"]
        return named | {m: Wall() if m in bodies else Far() for m in rest}


def _joined(tables: Sequence[tuple[Part, Mesh, int]], sides: _Sides) -> list[Any]:
    """Arguments of a Mesh from parts: (part, its mesh renumbered, first node) of each."""
    bases = np.cumsum([0, *(int(mesh.original.max()) + 1 for _, mesh, _ in tables)])
    points = [replace(part, mesh=mesh).points() for part, mesh, _ in tables]
    cells = {
        name: np.concatenate([getattr(mesh, name) + np.int32(first) for _, mesh, first in tables])
        for name in ("triangles", "quads")
    }
    original = [mesh.original + base for (_, mesh, _), base in zip(tables, bases, strict=False)]
    edges = {name: np.concatenate(own) for name, own in sides.edges.items()}
    return [
        np.concatenate(points),
        cells["triangles"],
        cells["quads"],
        edges,
        np.concatenate(original).astype(np.int32),
        _origin(tables),
    ]


def _origin(tables: Sequence[tuple[Part, Mesh, int]]) -> Origin:
    """Origin of the parts together: their notes, and the chord if only one part has one."""
    chords = [
        part.scale * mesh.origin.chord for part, mesh, _ in tables if mesh.origin.chord is not None
    ]
    notes = tuple(note for _, mesh, _ in tables for note in mesh.origin.notes)
    return Origin(chords[0] if len(chords) == 1 else None, notes)
