"""Deformation of meshes in space by coarse ones of tetrahedra, their carriers, which springs move.

docs/theory.md, section 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from os import PathLike
from typing import Any

from kinemesh.arguments import checks_names, per_member
from kinemesh.deform.carrier_mover import Carried, CarrierMover
from kinemesh.deform.mover import OF_CLOUDS, Deformation
from kinemesh.deform.springs import TorsionalSprings
from kinemesh.device.backend import Backend
from kinemesh.errors import MeshError, SettingsError, shown
from kinemesh.mesh import Mesh
from kinemesh.mesh.fingerprint import fingerprint
from kinemesh.space.solids import SolidVertices
from kinemesh.space.vertices import MeshVertices, Vertices

AUTO = "auto"
TETRAHEDRA = {"tetrahedra"}
SPRINGS, RIGID = (
    f"method = {name!r} (in Python {made})"
    for name, made in (("springs", "TorsionalSprings()"), ("rigid", "Rigid()"))
)


@checks_names
@dataclass(frozen=True, slots=True)
class Carrier(Deformation):
    """A coarse mesh of tetrahedra about the same bodies moves by springs and carries all nodes.

    Each node keeps its coordinates in a tetrahedron of the carrier; near a wall it also takes what
    the carrier's wall lacks to the wall itself, so that walls are exact, and layers of any cells
    follow them; nodes beyond the carrier's far field stay.  For meshes of any cells in space
    (docs/theory.md, eq. 3.10, 3.11).

    Parameters
    ----------
    mesh : Any       the carrier: "auto", a Mesh, a file, or a list of these, one per member; it has
        the markers of the mesh.  "auto": of `km.mesh.wing` and `oneram6` the same wing by
        tetrahedra, of a tenth of the nodes, 10,000 at least
    reach : float    distance from walls at which the correction has faded; to a third of it nodes
        turn with the wall as a rigid body [chord]
    springs : TorsionalSprings    of the carrier
    """

    mesh: Any = AUTO
    reach: float = 0.3
    springs: TorsionalSprings = field(default_factory=TorsionalSprings)
    name = "carrier"
    bends = True
    stands = True

    def __post_init__(self) -> None:
        reach = self.reach
        real = isinstance(reach, int | float) and not isinstance(reach, bool)
        if not real or not isfinite(reach) or reach <= 0:
            raise SettingsError(f"carrier: reach is {reach!r}, expected a number above 0")
        if not isinstance(self.springs, TorsionalSprings):
            raise SettingsError(
                f"carrier: springs is {self.springs!r}, expected km.deform.TorsionalSprings(...)"
            )
        several = isinstance(self.mesh, list | tuple)
        if several:
            object.__setattr__(self, "mesh", tuple(self.mesh))
        for given in self.mesh if several else (self.mesh,):
            if not isinstance(given, Mesh | str | PathLike):
                raise SettingsError(
                    f"carrier: mesh is {shown(given)}, expected 'auto', a kinemesh Mesh, the name "
                    "of a file, or a list of these, one per member"
                )

    @classmethod
    def options(cls) -> list[str]:
        own = [f.name for f in fields(cls) if f.name != "springs"]
        return [*own, *TorsionalSprings.options()]

    @classmethod
    def of_options(cls, table: Mapping[str, Any]) -> Carrier:
        springs = {name: table[name] for name in TorsionalSprings.options() if name in table}
        rest = {name: value for name, value in table.items() if name not in springs}
        return cls(**rest, springs=TorsionalSprings(**springs))

    @property
    def chosen(self) -> dict[str, Any]:
        several = isinstance(self.mesh, tuple)
        each = [repr(own) if isinstance(own, Mesh) else str(own) for own in (
            self.mesh if several else (self.mesh,))]  # fmt: skip
        told = {"mesh": each if several else each[0], "reach": self.reach}
        return told | self.springs.chosen

    @property
    def elsewhere(self) -> Carrier:
        return Carrier(AUTO, self.reach, self.springs)

    def check(self, backend: Backend, members: int) -> None:
        self.springs.check(backend, members)
        if isinstance(self.mesh, tuple) and len(self.mesh) != members:
            raise SettingsError(
                f"carrier: mesh has {len(self.mesh)} entries, expected one for each of {members} "
                "members, or one for all"
            )

    def check_vertices(self, vertices: Vertices) -> None:
        """Refuse meshes in the plane and clouds, and carriers that are none of these meshes."""
        if not isinstance(vertices, SolidVertices):
            clouds = not isinstance(vertices, MeshVertices)
            what = {2: "in the plane", 3: "of points without cells"}[vertices.dimensions]
            ways = "method = 'springs' or 'delaunay' (TorsionalSprings() or Delaunay())"
            ways = OF_CLOUDS[vertices.dimensions] if clouds else ways
            raise SettingsError(
                f"deform is 'carrier' (in Python Carrier()), which moves meshes in space, and this "
                f"is one {what}; take {ways}"
            )
        self._carried(vertices)

    def told(self, vertices: Vertices) -> dict[str, Any]:
        meshes = self._carried(vertices).carriers.meshes
        return {"carriers": [f"{mesh.nodes} nodes, {fingerprint(mesh)[:16]}" for mesh in meshes]}

    def attach(self, vertices: Vertices) -> CarrierMover:
        self.check_vertices(vertices)
        assert isinstance(vertices, SolidVertices)
        return CarrierMover(vertices, self._carried(vertices), self.springs)

    def _carried(self, vertices: Any) -> Carried:
        def make() -> Carried:
            known = [given == AUTO for given in per_member(self.mesh, vertices.members)]
            return Carried(vertices, self._meshes(vertices), self.reach, known)

        made: Carried = vertices.once(self, make)
        return made

    def _meshes(self, vertices: SolidVertices) -> list[Mesh]:
        """Carrier of each member, one object where members have one; MeshError for an unfit one."""
        made: dict[Any, Mesh] = {}
        found = []
        for member, given in enumerate(per_member(self.mesh, vertices.members)):
            own = vertices.meshes[member]
            key = (AUTO, id(own)) if given == AUTO else id(given)
            if key not in made:
                made[key] = _made(given, own).renumbered()
            _check(made[key], own, member)
            found.append(made[key])
        return found


def _made(given: Any, mesh: Mesh) -> Mesh:
    """A carrier as it is given: a mesh, the name of a file, or "auto"."""
    if isinstance(given, Mesh):
        return given
    if given != AUTO:
        from kinemesh import mesh as meshes  # readers, which most cases do without

        return meshes.read(given)
    if mesh.origin.carrier is None:
        raise MeshError(
            "carrier: mesh is 'auto', which there is of wings that kinemesh makes ([mesh] wing in "
            "a case file, km.mesh.wing and km.mesh.oneram6 in Python), as they were made; name "
            "tetrahedra about the same bodies by [deform] mesh = 'FILE' (in Python "
            f"Carrier(mesh=...)), or take {SPRINGS}, or {RIGID} where no body bends"
        )
    made: Mesh = mesh.origin.carrier()
    return made


def _check(carrier: Mesh, mesh: Mesh, member: int) -> None:
    """MeshError for a carrier with other cells than tetrahedra, or with other markers."""
    if set(carrier.solids) != TETRAHEDRA:
        cells = ", ".join(f"{len(own)} {name}" for name, own in carrier.blocks.items())
        raise MeshError(
            f"the carrier has {cells}, expected a mesh of tetrahedra in space: springs of other "
            "cells fold sooner",
            member=member,
        )
    lacking = [name for name in mesh.boundaries if name not in carrier.boundaries]
    more = [name for name in carrier.boundaries if name not in mesh.boundaries]
    if lacking or more:
        said = [f"lacks {', '.join(map(repr, lacking))}"] if lacking else []
        said += [f"has {', '.join(map(repr, more))} beyond them"] if more else []
        raise MeshError(
            f"the carrier {' and '.join(said)}; expected the markers of the mesh, "
            f"{', '.join(map(repr, mesh.boundaries))}, about the same "
            "bodies; [mesh] markers of a case file (in Python km.mesh.marked) gives the mesh "
            "other names",
            member=member,
        )
