"""Conditions on the markers of overset parts: what a user says, and what geometry and names say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, OversetError, did_you_mean
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.names import role_of
from kinemesh.mesh.pieces import pieces
from kinemesh.space.conditions.base import PLANE, Condition
from kinemesh.space.conditions.table import conditions_of
from kinemesh.space.conditions.words import Far, Overset, Symmetry, Wall
from kinemesh.space.markers import planes_of, refuse_by_name, roles_by_name, walls_of

Ints = NDArray[np.int32]
OVERSET = Overset.kind  # marker of a part's boundary within others, and the kind of condition
BEWARE = "its boundary within other parts has the marker 'overset'"


class Part(Protocol):
    """A part as a user gives it."""

    @property
    def mesh(self) -> Mesh: ...


def one_background(given: Mapping[str, Part]) -> None:
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
            f'cylinder, disc, sphere and wing make by outer="overset"; their markers are '
            f"{', '.join(markers)}{meant}"
        )


def _ends_outside(name: str, mesh: Mesh, planes: Sequence[str]) -> None:
    """OversetError where the boundary named overset lies within another one of the part."""
    found = pieces(mesh, [m for m in mesh.boundaries if m not in planes], planes)
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


class Sides:
    """Markers of the parts put together, with their conditions."""

    def __init__(self) -> None:
        self.conditions: dict[str, Condition] = {}
        self.edges: dict[str, list[Ints]] = {}

    def add(self, condition: Condition, name: str, edges: Ints) -> None:
        self.conditions[name] = condition
        self.edges.setdefault(name, []).append(edges)


class Asked:
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
        if mesh.solids:
            named |= {m: Symmetry() for m in planes_of(None, [mesh]) if m not in named}
        planes = [m for m, own in named.items() if own.role == PLANE]
        rest = [m for m in mesh.boundaries if m not in named]
        if OVERSET in rest:
            _ends_outside(part, mesh, planes)
            return named | {m: Overset() if m == OVERSET else Wall() for m in rest}
        if any((part, m) in self.listed for m in named) or not rest:
            other = Wall() if Far() in named.values() else Far()
            return named | dict.fromkeys(rest, other)
        found = pieces(mesh, rest, planes)
        if any(own in (Wall(), Far()) for own in named.values()):
            bodies = [m for m, role in roles_by_name(rest).items() if role == "wall"]
        elif len(found) > 1:
            bodies, _ = walls_of(None, [mesh], list(named))
        else:  # a body, or the outer boundary
            inner = found[0].closed and found[0].content < 0
            bodies = [m for m in rest if inner or role_of(m) == "wall"]
        return named | {m: Wall() if m in bodies else Far() for m in rest}
