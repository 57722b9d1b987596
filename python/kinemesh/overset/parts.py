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

from kinemesh.arguments import checks_names, numbers, vector
from kinemesh.bodies.frames import CASE, Frame
from kinemesh.dimension import Dimension, widest
from kinemesh.errors import OversetError
from kinemesh.mesh.kinds import SOLIDS
from kinemesh.mesh.mesh import Mesh, fill
from kinemesh.mesh.origin import Origin
from kinemesh.overset.part_markers import OVERSET, Asked, Sides, one_background
from kinemesh.overset.part_planes import check_shared
from kinemesh.space.conditions.base import BODY, Condition
from kinemesh.space.conditions.words import Wall

Ints = NDArray[np.int32]
WIDTH = {2: 2, 3: 4}
"""Columns of tables of facets, by dimensions."""


@checks_names
@dataclass(frozen=True, slots=True)
class Part:
    """Mesh of a part, and its place.

    Pivots of the part's motion, and `moment_about`, are points of its own frame, that of the mesh.

    Parameters
    ----------
    mesh : Mesh
    at : (x, y)          where the mesh's origin is put, in space (x, y, z) [lengths of the case]
    angle_deg : float    turn about the mesh's origin before that, nose-up positive, in space about
                         y [deg]
    scale : float        lengths of the case in one of the mesh, which is scaled before all else
    """

    mesh: Mesh
    at: tuple[float, ...] = CASE.at
    angle_deg: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, Mesh):
            raise OversetError(
                f"Part: the mesh is a {type(self.mesh).__name__}, expected a kinemesh.Mesh"
            )
        own = self.mesh.dimension
        at = (0.0,) * own.count if np.array_equal(self.at, CASE.at) else self.at
        expected = f"a point ({', '.join(own.axes)}) [chord]"
        object.__setattr__(self, "at", vector(at, "Part: at", expected, (own.count,)))
        angle = numbers(self.angle_deg, 1, "Part: angle_deg")[0]
        object.__setattr__(self, "angle_deg", float(angle))
        scale = numbers(self.scale, 1, "Part: scale", positive=True)[0]
        object.__setattr__(self, "scale", float(scale))

    @property
    def frame(self) -> Frame:
        """Frame of the part within that of the case."""
        return CASE if self.as_given else Frame(self.at, self.angle_deg, self.scale)

    @property
    def as_given(self) -> bool:
        """True where the part stands as its mesh does."""
        return (*self.at, self.angle_deg) == (0.0,) * (len(self.at) + 1) and self.scale == 1.0

    def points(self) -> NDArray[np.float64]:
        """Coordinates (nodes, 2 or 3) of the nodes in the case [lengths of the case]."""
        return self.frame.place(self.mesh.points)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parts(Mesh):
    """The meshes of the parts of a member as one mesh.

    Attributes
    ----------
    names : of the parts
    first : (parts+1,) int32     first node of each part, and the number of nodes
    conditions : {marker: Condition}    of walls one for each part that has some, named as the part
    walls : {"part.marker": (k, 2) int32}    edges of the walls, in space faces (k, 4), by the
        markers of their parts
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
        OversetError, MeshError    parts that are no meshes, some of them in the plane and some in
            space, whose boundaries are not clear, or that do not share planes of symmetry
        """
        given = {name: _part(name, part) for name, part in parts.items()}
        dimension = _of_all(given)
        one_background(given)
        asked = Asked(given, walls, far, boundaries)
        first, tables, sides = 0, [], Sides()
        named: dict[str, Ints] = {}
        for name, part in given.items():
            mesh = part.mesh.renumbered()
            tables.append((part, mesh, first))
            for marker, condition in asked.conditions(name, mesh).items():
                solid = condition.role == BODY
                own = name if solid else f"{name}.{marker}"
                edges = _numbered(mesh.boundaries[marker], first)
                sides.add(condition, own, edges)
                if solid:
                    named[f"{name}.{marker}"] = edges
            first += mesh.nodes
        starts = np.append([start for _, _, start in tables], first).astype(np.int32)
        frames = {name: part.frame for name, part in given.items()}
        more: list[Any] = [tuple(given), starts, sides.conditions, named, frames]
        joined, solids = _joined(tables, sides), _solids(tables)
        if all(part.as_given for part in given.values()):
            made = cls._checked(joined, solids, more)
        else:
            made = cls(*joined, *more, solids=solids)
        check_shared(made)
        for name in moving:
            if name in given and name not in made.boundaries:
                made.boundaries[name] = np.empty((0, WIDTH[dimension.count]), np.int32)
                made.conditions[name] = Wall()
        return made

    @classmethod
    def _checked(cls, joined: Sequence[Any], solids: dict[str, Ints], own: Sequence[Any]) -> Parts:
        """These tables of meshes that were checked where they stand, and of parts."""
        made, tables = object.__new__(cls), cast(Any, (*joined, solids))
        fill(made, *tables)
        for name, value in zip(cls.__slots__, own, strict=True):
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
        return (*Mesh.connections.fget(self), self.first)  # type: ignore[attr-defined]

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


def _of_all(given: Mapping[str, Part]) -> Dimension:
    """Dimension of all parts; OversetError where there are two."""
    solid = {name: bool(part.mesh.solids) for name, part in given.items()}
    if len(set(solid.values())) > 1:
        one, other = (
            next(name for name, own in solid.items() if own is kind) for kind in (False, True)
        )
        raise OversetError(
            f"part {one!r} is a mesh in the plane and {other!r} one in space, expected all parts "
            "in one of the two"
        )
    return widest(part.mesh.dimension for part in given.values())


def _part(name: Any, part: Any) -> Part:
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


def _joined(tables: Sequence[tuple[Part, Mesh, int]], sides: Sides) -> list[Any]:
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


def _solids(tables: Sequence[tuple[Part, Mesh, int]]) -> dict[str, Ints]:
    """Cells in space of all parts, by kind, those of each part side by side."""
    found = {}
    for kind in SOLIDS:
        there = [(mesh, first) for _, mesh, first in tables if kind in mesh.solids]
        if there:
            found[kind] = np.concatenate([m.solids[kind] + np.int32(first) for m, first in there])
    return found


def _numbered(facets: Ints, first: int) -> Ints:
    """Facets of a part by the numbers of nodes of all parts; -1 stays."""
    return np.where(facets < 0, facets, facets + np.int32(first)).astype(np.int32)


def _origin(tables: Sequence[tuple[Part, Mesh, int]]) -> Origin:
    """Origin of the parts together: their notes, and the chord if only one part has one."""
    chords = [
        part.scale * mesh.origin.chord for part, mesh, _ in tables if mesh.origin.chord is not None
    ]
    notes = tuple(note for _, mesh, _ in tables for note in mesh.origin.notes)
    return Origin(chords[0] if len(chords) == 1 else None, notes)
