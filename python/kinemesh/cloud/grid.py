"""Clouds of points (of an ensemble side by side) on a device: coefficients, normals, past.

docs/meshless.md.  Everything that depends on where the points are is computed on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh import memory
from kinemesh.backend import Backend
from kinemesh.cloud.cloud import Cloud
from kinemesh.cloud.display import Shown
from kinemesh.cloud.tables import conditions
from kinemesh.nodes import Nodes


class CloudGrid(Nodes):
    """Clouds of an ensemble on a device; parameters as of `kinemesh.nodes.Nodes`.

    Attributes
    ----------
    x2 : (nodes, 2) float64       places two time levels ago [chord]
    inverse, mirrored : (nodes, 3)  inverse of the least-squares matrix; with the mirror images of
        the satellites of boundary points
    normal : (nodes, 2)           of walls, out of the fluid; zero elsewhere and at sharp edges
    outward : (nodes, 2)          the same of the far field
    velocity : (nodes, 2)         of the points [a_inf]
    V : (nodes,) float64          share of the plane of each point as given, a weight in norms
    """

    worse = np.maximum

    def __init__(
        self, backend: Backend, clouds: Sequence[Cloud], walls: Sequence[str], far: Sequence[str]
    ) -> None:
        # with the deformation that takes most: which it will be is not known yet
        memory.check_cloud(backend, clouds, "delaunay")
        super().__init__(backend, clouds, walls, far)
        shift = np.cumsum([0, *(len(c.satellites) for c in clouds)])
        self.offsets = np.concatenate(
            [[0], *(c.offsets[1:] + s for c, s in zip(clouds, shift[:-1], strict=True))]
        ).astype(np.int32)
        self.neighbour = np.concatenate(
            [c.satellites + s for c, s in zip(clouds, self.first[:-1], strict=True)]
        ).astype(np.int32)
        b, n = backend, self.nodes
        tables = {"offsets": self.offsets, "neighbour": self.neighbour, "member": self.member}
        self.table = {name: b.array(t, np.int32) for name, t in tables.items()}
        self.x2 = b.array(self.points, np.float64)
        self.inverse, self.mirrored = b.zeros((n, 3)), b.zeros((n, 3))
        self.normal, self.outward, self.velocity = (b.zeros((n, 2)) for _ in range(3))
        self.V = b.array(self._shares(), np.float64)
        self._bind()

    def _shares(self) -> NDArray[np.float64]:
        """(nodes,) area that a point stands for, from the second moments of its satellites."""
        ends = np.repeat(np.arange(self.nodes), np.diff(self.offsets))
        d = self.points[self.neighbour] - self.points[ends]
        xx, xy, yy = (
            np.bincount(ends, d[:, i] * d[:, k], self.nodes) for i, k in ((0, 0), (0, 1), (1, 1))
        )
        return 2 * np.sqrt(xx * yy - xy * xy) / np.diff(self.offsets)

    def _bind(self) -> None:
        b, t = self.backend, self.table
        around = {"x": self.x, "offsets": t["offsets"], "neighbour": t["neighbour"]}
        fits = [b.bind("least_squares", **around, inverse=a) for a in (self.inverse, self.mirrored)]
        for side, normal in ((self.wall, self.normal), (self.far, self.outward)):
            if not len(side.node):
                continue
            where = {"node": side.device["node"], "ends": side.device["ends"]}
            fits.append(b.bind("cloud_normals", x=self.x, normal=normal, **where))
            fits.append(b.bind("boundary_normals", x=self.x, S=side.device["S"], **where))
            fits.append(
                b.bind(
                    "cloud_mirror",
                    node=side.device["node"],
                    **around,
                    normal=normal,
                    inverse=self.mirrored,
                )
            )
        velocity = b.bind(
            "cloud_velocity",
            member=t["member"],
            rate=self.rate,
            x=self.x,
            x1=self.x1,
            x2=self.x2,
            velocity=self.velocity,
        )
        levels = [
            b.bind("copy_f64_2", **{"from": self.x1, "to": self.x2}),
            b.bind("copy_f64_2", **{"from": self.x, "to": self.x1}),
        ]
        self.measure, self.sweep = b.record(fits), b.record([velocity])
        self.keep_levels = b.record(levels)
        self.look = lambda: None

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
        x, inverse = (self.backend.get(a).astype(float) for a in (self.x, self.mirrored))
        d = x[self.neighbour] - x[ends]
        d /= (d * d).sum(1, keepdims=True)
        xx, xy, yy = inverse[ends].T
        size = np.hypot(xx * d[:, 0] + xy * d[:, 1], xy * d[:, 0] + yy * d[:, 1])
        return 2 * self.backend.get(self.V) * np.bincount(ends, size, self.nodes)

    def levels(self) -> dict[str, Any]:
        return {"x1": self.x1, "x2": self.x2}

    def sizes(self) -> dict[str, int]:
        return {"points": self.nodes, "satellites": len(self.neighbour)}
