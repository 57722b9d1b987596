"""Clouds of points (of an ensemble side by side) on a device: coefficients, normals, past.

docs/meshless.md.  Everything that depends on where the points are is computed on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.cloud.cloud import Cloud
from kinemesh.cloud.display import Shown
from kinemesh.cloud.satellites import condition_numbers
from kinemesh.device.followed import Followed
from kinemesh.errors import CloudError
from kinemesh.linear import Pattern
from kinemesh.linear.stack import Items
from kinemesh.mesh.facets import area_vectors
from kinemesh.space.patches import Patch
from kinemesh.space.vertices import Vertices
from kinemesh.space.volumes import Volumes

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
    h: NDArray[np.float64] = share if d == 2 else np.sqrt(share)
    return h


class CloudGrid(Volumes):
    """Clouds of an ensemble on a device.

    Parameters
    ----------
    planes : markers of planes of symmetry, in space
    weight_power : 1 or 2    of the weights |dr|^-p of satellites

    Attributes
    ----------
    x2 : (nodes, d) float64       places two time levels ago [chord]
    inverse : (nodes, d (d + 1) / 2)    inverse of the least-squares matrix, on the plane of
        symmetry with the satellites' mirror images
    plane : (members, 3)          in space, unit normal of the plane of symmetry; zero without one
    mirrors : dict        in space, that and which points are on it
    symmetric : dict      in space, points on the plane of symmetry and its normal
    velocity : (nodes, d)         of the points [a_inf]
    V : (nodes,) float64          share of space of each point as given, a weight in norms
    """

    worse = np.maximum

    def __init__(
        self, vertices: Vertices, planes: Sequence[str] = (), weight_power: int = 1
    ) -> None:
        super().__init__(vertices)
        self.weight_power = weight_power
        self.graphs = [(c.offsets, c.satellites) for c in self.distinct]
        offsets, satellites = ([graph[k] for graph in self.graphs] for k in (0, 1))
        entries = Items(self.alike, [len(table) for table in satellites])
        self.offsets = self.items.offsets(offsets)
        self.neighbour = entries.stack(satellites, self.items)
        b, n, d = self.backend, self.nodes, self.dimensions
        mirrors, self.mirror_nodes = self._planes(planes)
        self.on_planes = self.mirror_nodes
        self.x2 = b.array(self.points, np.float64)
        self.inverse, self.velocity = b.zeros((n, d * (d + 1) // 2)), b.zeros((n, d))
        self.V = b.array(self.items.stack([shares(cloud) for cloud in self.distinct]), np.float64)
        self.fields.add(
            x2=self.x2,
            offsets=b.table(self.offsets),
            neighbour=b.table(self.neighbour),
            squared=weight_power == 2,
            inverse=self.inverse,
            velocity=self.velocity,
            V=self.V,
            V1=self.V,  # a residual is V (dW/dt + div F), with V as given
            V2=self.V,
        )
        self.flux_member = self.member
        if d == 3:
            self.normals = mirrors
            self.plane = b.array(mirrors, "real")
            on_plane = b.table(np.isin(np.arange(n), self.mirror_nodes))
            self.mirrors = {"on_plane": on_plane, "plane": self.plane}
            self.fields.add(**self.mirrors)
            self.slip = self.mirrors | {"velocity": self.velocity}
        self.wall_number = b.table(self._number(self.wall.node))
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

    def _normals(self, patch: Patch) -> list[Any]:
        """Calls for the area vectors, unit normals and gaps of a patch."""
        own = patch.device
        for name in ("normal", "gap"):
            own[name] = self.backend.zeros(own["S"].shape)
        if not len(patch):
            return []
        corners = {name: own[name] for name in patch.shape}
        fields = self.fields.also(**{n: own[n] for n in ("node", "S", "normal", "gap")})
        if self.dimensions == 3:
            normals = [fields.bind("cloud_facets", **corners)]
        else:
            normals = [
                fields.bind("cloud_normals", **corners),
                fields.bind("boundary_normals", **corners),
            ]
        return [*normals, fields.bind("cloud_open")]

    def _bind(self) -> None:
        b, fields = self.backend, self.fields
        fits = [fields.bind("cloud_least_squares")]
        if len(self.mirror_nodes):
            self.symmetric = {"node": b.array(self.mirror_nodes, np.int32), "plane": self.plane}
            fits.append(fields.bind("mirror_fit", node=self.symmetric["node"]))
        for patch in self.measured.values():
            fits += self._normals(patch)
        copy = f"copy_f64_{self.dimensions}"
        levels = [
            b.bind(copy, **{"from": self.x1, "to": self.x2}),
            b.bind(copy, **{"from": self.x, "to": self.x1}),
        ]
        self.measure, self.sweep = Followed(b, fits), Followed(b, [fields.bind("cloud_velocity")])
        self.keep_levels = b.record(levels)
        self.look = lambda: None

    def in_precision(self, single: bool) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Metrics that a matrix is made of, in its precision: of points, and of each patch.

        Copies in float32 follow `measure` and `sweep`.
        """
        points = {"inverse": self.inverse, "velocity": self.velocity}
        points |= {"plane": self.plane} if self.dimensions == 3 else {}
        sides = {
            kind: {name: patch.device[name] for name in ("normal", "gap")}
            for kind, patch in self.patches.items()
        }
        if not single:
            return points, sides
        return self._narrowed(points), {kind: self._narrowed(own) for kind, own in sides.items()}

    def _narrowed(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Copies of fields in float32."""
        copies = {name: self.backend.zeros(a.shape, np.float32) for name, a in fields.items()}
        for name, array in fields.items():
            if array.shape[0]:
                kernel = "narrow_fit" if name == "inverse" else "narrow_vector"
                call = self.fields.bind(kernel, **{"from": array, "to": copies[name]})
                (self.sweep if name == "velocity" else self.measure).follow(call)
        return copies

    def links(self, pattern: Pattern) -> tuple[dict[str, Any], Any]:
        """In space, satellites of the rows of a pattern, earlier colours first.

        Returns
        -------
        made : node, member, wall, on_plane of the rows; offsets, neighbour and later (see csrc,
            cloud_lusgs_3d); shares, coefficients of satellites, and drift, velocities, in float32;
            plane
        open : (nodes, 4) float32    sums of the coefficients, at walls along them, and the points'
            velocity along those

        They follow `measure` and `sweep`.
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
        drift = {"drift": b.zeros((self.nodes, 4), np.float32)}
        rows = self.fields.also(**made, **sums, **drift, normal=self.wall.device["normal"])
        follow = rows.bind("cloud_drift")
        self.measure.follow(rows.bind("cloud_shares"), follow)
        self.sweep.follow(follow)
        return made | drift | {"later": b.array(later, np.int32)}, sums["open"]

    def shapes(self) -> dict[str, NDArray[np.float64]]:
        """Largest condition number of a point's least-squares matrix."""
        found = condition_numbers(self.backend.get(self.x), self.offsets, self.neighbour)
        self._worst = [int(np.argmax(part)) for part in np.split(found, self.first[1:-1])]
        return {"worst_condition": np.maximum.reduceat(found, self.first[:-1])}

    def broken(self, shapes: dict[str, NDArray[np.float64]]) -> list[tuple[int, str, str]]:
        found = np.flatnonzero(~np.isfinite(shapes["worst_condition"])).tolist()
        points = [f"point {self.meshes[m].original[self._worst[m]]}" for m in found]
        texts = [f"the satellites of {point} lie on one line" for point in points]
        return list(zip(found, texts, points, strict=True))

    def shown(self, member: int) -> Shown:
        return Shown.of(self.meshes[member])

    def terms(self, **given: Any) -> Any:
        starts = self.fields["offsets"]
        return self.fields.bind("cloud_terms", starts=starts, **self.totals, **given)

    def levels(self) -> dict[str, Any]:
        return {"x1": self.x1, "x2": self.x2}

    def sizes(self) -> dict[str, int]:
        return {"points": self.nodes, "satellites": len(self.neighbour)}
