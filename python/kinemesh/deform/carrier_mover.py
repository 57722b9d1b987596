"""Nodes of meshes in space that go with the tetrahedra of coarse ones, which springs move.

docs/theory.md, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.bodies.placement import Poses
from kinemesh.bodies.shapes import Shapes
from kinemesh.deform.bearing import Bearing
from kinemesh.deform.mover import Mover
from kinemesh.deform.spring_mover import STEPS, Settings, SpringMover
from kinemesh.device.faults import AREA, PIVOT, decode
from kinemesh.errors import MeshError
from kinemesh.linear.stack import Alike, Items
from kinemesh.mesh import Mesh
from kinemesh.space.solids import SolidVertices

REMEDY = f"{STEPS}, a carrier of more nodes there, springs on a mesh, or rigid motion"


@dataclass(frozen=True, slots=True)
class Ground:
    """Vertices of carriers, with all that shapes of bodies are asked at.

    Parameters
    ----------
    vertices : SolidVertices
    on_planes : vertices on planes of symmetry;  normals : (members, 3) of these
    """

    vertices: SolidVertices
    on_planes: NDArray[Any]
    normals: NDArray[np.float64]

    @property
    def dimensions(self) -> int:
        return self.vertices.dimensions

    @property
    def backend(self) -> Any:
        return self.vertices.backend


class Carried:
    """Tables of an ensemble's nodes in its carriers: made once, from the meshes as given.

    Parameters
    ----------
    vertices : of the meshes
    carriers : mesh of tetrahedra of each member
    reach : of the correction at walls [chord]
    known : (members,)    whether the carrier is made of the same bodies

    Attributes
    ----------
    carriers : SolidVertices, with the members of `vertices`
    """

    def __init__(
        self,
        vertices: SolidVertices,
        carriers: Sequence[Mesh],
        reach: float,
        known: Sequence[bool],
    ) -> None:
        self.vertices = vertices
        b, markers = vertices.backend, vertices.markers
        self.carriers = SolidVertices(b, carriers, markers, vertices.planes, vertices.ensemble)
        pairs: dict[tuple[int, int], Any] = {}
        both = list(zip(vertices.meshes, carriers, strict=True))
        self.alike = Alike([pairs.setdefault((id(m), id(c)), object()) for m, c in both])
        lead = [both[member] for member in self.alike.lead]
        held = vertices.held
        walls, carried, found = [], [], []
        for member, (mesh, carrier) in zip(self.alike.lead, lead, strict=True):
            first, last = vertices.first[member : member + 2]
            bodies = [name for of, name in vertices.bodies if of == member]
            wall = vertices.wall.node[vertices.wall.of_member(member)] - first
            walls.append(wall)
            carried.append(np.flatnonzero(~held[first:last]).astype(np.int32))
            try:
                still = [m for m in mesh.boundaries if m not in {*bodies, *vertices.mirrored}]
                found.append(Bearing.of(mesh, carrier, bodies, wall, reach, still, known[member]))
            except MeshError as error:
                raise MeshError(str(error), member=member) from None
        nodes, bearers, wall_rows, rows = (
            Items(self.alike, counts)
            for counts in (
                [mesh.nodes for mesh, _ in lead],
                [carrier.nodes for _, carrier in lead],
                [len(own) for own in walls],
                [len(own) for own in carried],
            )
        )

        def tables(items: Items, each: Sequence[NDArray]) -> dict[str, Any]:
            made = list(zip(each, found, strict=True))
            return {
                "node": b.array(items.stack(each, nodes), np.int32),
                "corner": b.array(items.stack([f.corner[k] for k, f in made], bearers), np.int32),
                "share": b.array(items.stack([f.share[k] for k, f in made]), np.float64),
            }

        self.walls, self.others = tables(wall_rows, walls), tables(rows, carried)
        near = list(zip(carried, found, strict=True))
        self.others |= {
            "wall": b.array(rows.stack([f.wall[k] for k, f in near], wall_rows), np.int32),
            "weight": b.array(rows.stack([f.weight[k] for k, f in near]), np.float64),
            "off": b.array(rows.stack([f.off[k] for k, f in near]), np.float64),
            "close": b.array(rows.stack([f.close[k] for k, f in near]), np.float64),
        }
        facets = Items(self.alike, [len(own.ends) for own in found])
        self.turned = {
            "node": self.walls["node"],
            "spoke": b.table(wall_rows.offsets([own.spoke for own in found])),
            "ends": b.table(facets.stack([own.ends for own in found], nodes)),
        }
        slides, normals = vertices.sliding
        self.others |= {"slides": b.table(slides), "mirror": b.array(normals, np.float64)}
        self.gap = b.zeros((wall_rows.total, 3), np.float64)
        self.turns = {
            name: b.zeros((wall_rows.total, numbers), np.float64)
            for name, numbers in (("shift", 3), ("turn", 9))
        }

    def calls(self) -> list[Any]:
        """Calls that bring all nodes but those of walls to where carriers and walls have them."""
        own, carriers = self.vertices.fields, self.carriers
        there = {"moved": carriers.x, "given": carriers.reference, "gap": self.gap}
        return [
            own.bind("carrier_gaps", **self.walls, **there),
            own.bind("carrier_turns", **self.turned, **self.turns),
            own.bind("carrier_map", **self.others, **there, **self.turns),
        ]

    def bend(self) -> None:
        """Give the carriers' bodies the shapes of the meshes' bodies, where these bend."""
        own, carriers = self.vertices.shapes, self.carriers
        if own is None or carriers.shapes is not None:
            return
        on, normals = carriers.mirrors
        carriers.shapes = Shapes(Ground(carriers, np.flatnonzero(on), normals), own.own)


class CarrierSprings(SpringMover):
    """Springs of carriers; a part of a step is good where the cells that are carried are, too."""

    def __init__(self, mover: CarrierMover, settings: Settings) -> None:
        super().__init__(mover.carried.carriers, settings)
        self.carried, self.remedy = mover, REMEDY
        self.folded: dict[int, str] = {}  # cells of carriers that the last part has inverted

    def upright(self, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        good = super().upright(rows)
        bad = np.flatnonzero(~good).tolist()
        self.folded = {m: self.vertices.inverted(m) for m in bad}
        if not good.all():
            self.vertices.ensemble.forget(~good, AREA)
        return good & self.carried.follow(rows)

    def inverted(self, member: int) -> tuple[str, str]:
        if member in self.folded:
            cell = self.folded[member]
            return cell, f"the carrier folds: springs invert {cell} of it"
        cell = self.carried.vertices.inverted(member)
        return cell, f"the carrier inverts {cell} of the mesh"


class CarrierMover(Mover):
    """Walls by pose, carriers by springs, all other nodes by both."""

    vertices: SolidVertices

    def __init__(self, vertices: SolidVertices, carried: Carried, springs: Settings) -> None:
        super().__init__(vertices)
        self.carried, b = carried, self.backend
        carried.bend()
        self.carriers = carried.carriers
        if np.array_equal(b.get(vertices.x), vertices.points):  # nothing has moved yet
            b.put(self.carriers.x, self.carriers.points)
        self.springs = CarrierSprings(self, springs)
        copy = {"from": self.carriers.x, "to": self.carriers.x1}
        self.keep = b.bind("copy_f64_3", **copy)
        self.keep()
        self.move = b.record([*self.bind_walls(vertices.x), *carried.calls()])

    def follow(self, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Bring walls to `rows`, other nodes after them; (members,) mask of upright cells."""
        self.put(rows)
        self.move()
        self.vertices.look()
        return self.vertices.worst_cells()[:, 0] > 0

    def begin(self) -> None:
        self.keep()
        self.springs.begin()

    def back(self) -> None:
        super().back()
        self.springs.back()

    def step(self, poses: Poses) -> dict[str, float]:
        notes = self.springs.step(poses)
        self._look_for_pivots()
        return notes

    def _look_for_pivots(self) -> None:
        """Name nodes of carriers where springs have a singular block: faults have their numbers."""
        ensemble = self.vertices.ensemble
        words = self.backend.get(ensemble.faults)
        for m in np.flatnonzero(ensemble.alive).tolist():
            code, entity = decode(words[m])
            if code == PIVOT:
                place = self.carriers.place(m, entity, code)
                ensemble.forget(np.arange(len(words)) == m, PIVOT)
                ensemble.fail(m, f"the carrier's springs are singular{place}", REMEDY)

    def state(self) -> dict[str, NDArray]:
        return {"carrier": self.backend.get(self.carriers.x), **self.springs.state()}

    def restore(self, state: dict[str, NDArray]) -> None:
        self.backend.put(self.carriers.x, np.array(state["carrier"]))
        self.springs.restore(state)
