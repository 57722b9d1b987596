"""Clouds of points (of an ensemble side by side) on a device: coefficients, normals, past.

docs/meshless.md.  Everything that depends on where the points are is computed on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.cloud.checks import area_vectors
from kinemesh.cloud.cloud import Cloud
from kinemesh.cloud.display import Shown
from kinemesh.cloud.tables import conditions
from kinemesh.device.backend import Backend
from kinemesh.errors import CloudError
from kinemesh.linear import Pattern
from kinemesh.linear.stack import Items
from kinemesh.space.nodes import Boundary, Nodes

FLAT = 1e-6  # largest sine between a plane of symmetry and its facets


def plane_of(
    where: str, cloud: Cloud, planes: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Unit normal (d,) of a cloud's plane of symmetry, zero without one, and the points on it."""
    there = [cloud.boundaries[name] for name in planes if name in cloud.boundaries]
    if not there:
        return np.zeros(cloud.points.shape[1]), np.empty(0, np.int32)
    facets = np.concatenate(there)
    area = area_vectors(cloud.points, facets)
    unit = area.sum(axis=0) / np.linalg.norm(area.sum(axis=0))
    slope = np.linalg.norm(area - (area @ unit)[:, None] * unit, axis=1)
    worst = int(np.argmax(slope - FLAT * (area @ unit)))
    if not slope[worst] <= FLAT * (area[worst] @ unit):
        raise CloudError(
            f"{where}: facet {facets[worst].tolist()} of the symmetry boundary "
            f"({', '.join(planes)}) does not lie in one plane with the others; expected "
            "one plane: name others as walls"
        )
    return unit, np.unique(facets).astype(np.int32)


def shares(cloud: Cloud) -> NDArray[np.float64]:
    """(points,) weight of a point in norms, from the second moments of its satellites.

    The area that it stands for; in space the root of its volume, as with the volume itself the far
    field would drown the wing.
    """
    count, (points, d) = np.diff(cloud.offsets), cloud.points.shape
    ends = np.repeat(np.arange(points), count)
    arm = cloud.points[cloud.satellites] - cloud.points[ends]
    moments = np.array(
        [[np.bincount(ends, arm[:, i] * arm[:, k], points) for k in range(d)] for i in range(d)]
    )
    spread = np.sqrt(np.linalg.det(np.moveaxis(moments, -1, 0)))
    share = (2 / count) ** (d / 2) * spread
    return share if d == 2 else np.sqrt(share)


class CloudGrid(Nodes):
    """Clouds of an ensemble on a device; parameters as of `kinemesh.space.nodes.Nodes`.

    weight_power : 1 or 2, of the weights |dr|^-p of satellites

    Attributes
    ----------
    x2 : (nodes, d) float64       places two time levels ago [chord]
    inverse : (nodes, d (d + 1) / 2)    inverse of the least-squares matrix, on the plane of
        symmetry with the satellites' mirror images
    plane : (members, 3)          in space, unit normal of the plane of symmetry; zero without one
    mirrors : dict        in space, that and which points are on it
    symmetric : dict      the same of the points on it, where there are any
    velocity : (nodes, d)         of the points [a_inf]
    sides : dict                  points of walls and far field, and their numbers in each
    V : (nodes,) float64          share of space of each point as given, a weight in norms
    """

    worse = np.maximum

    def __init__(
        self,
        backend: Backend,
        clouds: Sequence[Cloud],
        walls: Sequence[str],
        far: Sequence[str],
        planes: Sequence[str] = (),
        weight_power: int = 1,
    ) -> None:
        super().__init__(backend, clouds, walls, far, planes)
        self.weight_power = weight_power
        self.graphs = [(c.offsets, c.satellites) for c in self.distinct]
        offsets, satellites = ([graph[k] for graph in self.graphs] for k in (0, 1))
        entries = Items(self.alike, [len(table) for table in satellites])
        self.offsets = self.items.offsets(offsets)
        self.neighbour = entries.stack(satellites, self.items)
        b, n, d = backend, self.nodes, self.dimensions
        mirrors, self.mirror_nodes = self._planes(planes)
        tables = {
            "offsets": self.offsets,
            "neighbour": self.neighbour,
            "member": self.member,
            "wall": self._number(self.wall.node),
        }
        if d == 3:
            tables["on_plane"] = np.isin(np.arange(n), self.mirror_nodes)
        self.table = {name: b.array(t, np.int32) for name, t in tables.items()}
        self.symmetric: dict[str, Any] = {}
        if d == 3:
            self.plane = b.array(mirrors, "real")
            self.mirrors = {"on_plane": self.table["on_plane"], "plane": self.plane}
        self.sides = self._sides()
        self.x2 = b.array(self.points, np.float64)
        self.inverse, self.velocity = b.zeros((n, d * (d + 1) // 2)), b.zeros((n, d))
        if d == 3:
            self.slip = self.mirrors | {"velocity": self.velocity}
        self.V = b.array(self.items.stack([shares(cloud) for cloud in self.distinct]), np.float64)
        self._bind()

    def _planes(self, planes: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Unit normals (members, d) of the planes of symmetry, and the points on them."""
        found = [
            plane_of(f"member {member}", cloud, planes)
            for member, cloud in zip(self.alike.lead, self.distinct, strict=True)
        ]
        nodes = Items(self.alike, [len(own) for _, own in found])
        normals = np.array([normal for normal, _ in found])[self.alike.of]
        return normals, nodes.stack([own for _, own in found], self.items)

    def _number(self, side: NDArray[np.int32]) -> NDArray[np.int64]:
        """(nodes,) number of each point among those of a side, -1 for others."""
        number = np.full(self.nodes, -1)
        number[side] = np.arange(len(side))
        return number

    def _sides(self) -> dict[str, Any]:
        """Every point of walls and far field once, and its number among those of each."""
        walls, far = self.wall.node, self.far.node
        nodes = np.concatenate([walls, far[~np.isin(far, walls)]])
        tables = {
            "node": nodes,
            "at_wall": self._number(walls)[nodes],
            "at_far": self._number(far)[nodes],
        }
        return {name: self.backend.array(table, np.int32) for name, table in tables.items()}

    def _normals(self, side: Boundary) -> list[Any]:
        """Calls for the area vectors and unit normals of walls or far field."""
        made = side.device
        made["normal"] = self.backend.zeros(made["S"].shape)
        if not len(side.node):
            return []
        where = {name: made[name] for name in ("node", *side.shape)} | {"x": self.x}
        if self.dimensions == 3:
            where |= {"member": self.table["member"]} | self.mirrors
            return [self.bind("cloud_facets", **where, S=made["S"], normal=made["normal"])]
        return [
            self.bind("cloud_normals", **where, normal=made["normal"]),
            self.bind("boundary_normals", **where, S=made["S"]),
        ]

    def _bind(self) -> None:
        b, t, squared = self.backend, self.table, self.weight_power == 2
        around = {"x": self.x, "offsets": t["offsets"], "neighbour": t["neighbour"]}
        fits = [self.bind("cloud_least_squares", **around, squared=squared, inverse=self.inverse)]
        if len(self.mirror_nodes):
            self.symmetric = {
                "node": b.array(self.mirror_nodes, np.int32),
                "member": t["member"],
                "plane": self.plane,
            }
            fields = self.symmetric | around | {"squared": squared, "inverse": self.inverse}
            fits.append(self.bind("cloud_mirror", **fields))
        for side in (self.wall, self.far):
            fits += self._normals(side)
            made = side.device
            made["gap"] = b.zeros(made["S"].shape)
            if len(side.node):
                there = {name: made[name] for name in ("node", "normal", "gap")}
                fields = around | there | {"inverse": self.inverse, "squared": squared}
                fits.append(self.bind("cloud_open", **fields))
        velocity = self.bind(
            "cloud_velocity",
            member=t["member"],
            rate=self.rate,
            x=self.x,
            x1=self.x1,
            x2=self.x2,
            velocity=self.velocity,
        )
        copy = f"copy_f64_{self.dimensions}"
        levels = [
            b.bind(copy, **{"from": self.x1, "to": self.x2}),
            b.bind(copy, **{"from": self.x, "to": self.x1}),
        ]
        self.measure, self.sweep = b.record(fits), b.record([velocity])
        self.keep_levels = b.record(levels)
        self.look = lambda: None

    def in_precision(self, single: bool) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """What a matrix is made of in its precision: of points, of walls, and of the far field.

        The copies in float32 follow every `measure` and `sweep` from now on.
        """
        points = {"inverse": self.inverse, "velocity": self.velocity}
        of_sides = ("normal", "gap")
        sides = [{n: side.device[n] for n in of_sides} for side in (self.wall, self.far)]
        plane = {"plane": self.plane} if self.dimensions == 3 else {}
        points |= plane
        if not single:
            return points, sides[0], sides[1]
        b, after = self.backend, {"inverse": [self.measure], "velocity": [self.sweep]}
        copies: list[dict[str, Any]] = []
        for fields in (points, *sides):
            copies.append({name: b.zeros(a.shape, np.float32) for name, a in fields.items()})
            for name, array in fields.items():
                if array.shape[0]:
                    kernel = "narrow_fit" if name == "inverse" else "narrow_vector"
                    call = self.bind(kernel, **{"from": array, "to": copies[-1][name]})
                    after["velocity" if name == "velocity" else "inverse"].append(call)
        self.measure, self.sweep = b.record(after["inverse"]), b.record(after["velocity"])
        return copies[0], copies[1], copies[2]

    def links(self, pattern: Pattern) -> tuple[dict[str, Any], Any]:
        """In space, satellites of the rows of a pattern, earlier colours first.

        Returns
        -------
        made : node, member, wall, on_plane of the rows; offsets, neighbour and later (see csrc,
            cloud_lusgs_3d); shares, coefficients of satellites, and drift, velocities, in float32;
            plane
        open : (nodes, 4) float32    sums of the coefficients, at walls along them, and the points'
            velocity along those

        They follow every `measure` and `sweep` from now on.
        """
        b, colour = self.backend, pattern.colour()
        count = np.diff(self.offsets)
        row = pattern.row_of[np.repeat(np.arange(self.nodes), count)].astype(np.int64)
        there = colour[self.neighbour]
        order = np.argsort(row * (1 + there.max()) + there, kind="stable")
        row, neighbour = row[order], self.neighbour[order]
        offsets = np.concatenate([[0], np.cumsum(count[pattern.node])])
        earlier = there[order] < colour[pattern.node][row]
        later = offsets[:-1] + np.bincount(row, earlier, self.nodes).astype(int)
        later[later == offsets[1:]] = -1
        tables = {
            "node": pattern.node,
            "member": pattern.member,
            "wall": self._number(self.wall.node)[pattern.node],
            "on_plane": np.isin(pattern.node, self.mirror_nodes),
            "offsets": offsets,
            "neighbour": neighbour,
        }
        made = {name: b.array(table, np.int32) for name, table in tables.items()}
        made |= {"plane": self.plane, "shares": b.zeros((len(neighbour), 4), np.float32)}
        sums = {"open": b.zeros((self.nodes, 4), np.float32)}
        of_walls = {"normal": self.wall.device["normal"]}
        fields = made | of_walls | sums | {"x": self.x, "inverse": self.inverse}
        shares = self.bind("cloud_shares", **fields, squared=self.weight_power == 2)
        drift = {"drift": b.zeros((self.nodes, 4), np.float32)}
        fields = {"node": made["node"], "velocity": self.velocity} | drift | sums
        follow = self.bind("cloud_drift", **fields)
        self.measure = b.record([self.measure, shares, follow])
        self.sweep = b.record([self.sweep, follow])
        return made | drift | {"later": b.array(later, np.int32)}, sums["open"]

    def shapes(self) -> dict[str, NDArray[np.float64]]:
        """Largest condition number of a point's least-squares matrix."""
        found = conditions(self.backend.get(self.x), self.offsets, self.neighbour)
        self._worst = [int(np.argmax(part)) for part in np.split(found, self.first[1:-1])]
        return {"worst_condition": np.maximum.reduceat(found, self.first[:-1])}

    def broken(self, shapes: dict[str, NDArray[np.float64]]) -> tuple[int, str] | None:
        for member in np.flatnonzero(~np.isfinite(shapes["worst_condition"]))[:1]:
            point = self.meshes[member].original[self._worst[member]]
            return int(member), f"the satellites of point {point} lie on one line"
        return None

    def shown(self, member: int) -> Shown:
        return Shown.of(self.meshes[member])

    def terms(self) -> NDArray[np.float64]:
        ends = np.repeat(np.arange(self.nodes), np.diff(self.offsets))
        x, inverse = (self.backend.get(a).astype(float) for a in (self.x, self.inverse))
        d = x[self.neighbour] - x[ends]
        d /= np.linalg.norm(d, axis=1, keepdims=True) ** self.weight_power
        full = np.empty((self.nodes, self.dimensions, self.dimensions))
        for column, (i, k) in zip(
            inverse.T, np.transpose(np.triu_indices(self.dimensions)), strict=True
        ):
            full[:, i, k] = full[:, k, i] = column
        size = np.linalg.norm(np.einsum("nik,nk->ni", full[ends], d), axis=1)
        return 2 * self.backend.get(self.V) * np.bincount(ends, size, self.nodes)

    def levels(self) -> dict[str, Any]:
        return {"x1": self.x1, "x2": self.x2}

    def sizes(self) -> dict[str, int]:
        return {"points": self.nodes, "satellites": len(self.neighbour)}
