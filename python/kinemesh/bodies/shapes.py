"""Shapes of bodies that bend, at the vertices and the faces of their walls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError
from kinemesh.mesh.facets import turned_left
from kinemesh.motion import Motion
from kinemesh.motion.law import Shape
from kinemesh.motion.shape_files import FileShape
from kinemesh.motion.twist import TwistShape
from kinemesh.space.conditions.base import PLANE
from kinemesh.space.conditions.table import role_of
from kinemesh.space.volumes import Volumes

FloatArray = NDArray[np.float64]
ACROSS = 1e-9  # displacement across a plane of symmetry, over the largest of the shape
LITTLE = 0.01  # of the largest, left across it by splines through a file's points: taken out


class Shapes:
    """Shapes of all bodies of a case, of which some bend.

    Parameters
    ----------
    grid : Volumes, or what else has vertices, normals and nodes on planes of symmetry as they do
    own : of each body its callables, none of one that is rigid

    Attributes
    ----------
    count : int    most shapes of a body
    values : (vertices of the walls, count, dimensions) in the order of `Vertices.wall`, for
        amplitudes of 1, 0 where a body has fewer shapes [chord]
    turns : bool    whether some shapes turn sections
    arms, shares : (vertices of the walls, count, dimensions) and (..., count)    of sections that
        turn (`kinemesh.motion.twist`), 0 of other shapes [chord, -]
    walls : values, arms and shares on the device, by the names in kernels
    modes : (bodies, count) device array    amplitudes at which vertices are moved
    bent : (vertices, dimensions) device array    places before bodies turn and shift
    largest : (bodies, count)    largest displacement of each shape [chord]
    of_files : (bodies, count)    whether it comes from a file

    Raises
    ------
    SettingsError    shapes that are no displacements of the body's points, or leave a plane of
        symmetry
    """

    def __init__(self, grid: Any, own: Sequence[Sequence[Shape]]) -> None:
        self.grid, self.vertices, self.own = grid, grid.vertices, own
        self.count, wall = max(map(len, self.own)), grid.vertices.wall
        d = grid.dimensions
        self.values = np.zeros((len(wall.node), self.count, d))
        self.arms, self.shares = np.zeros_like(self.values), np.zeros(self.values.shape[:2])
        self.largest = np.zeros((len(own), self.count))
        self.of_files = np.zeros(self.largest.shape, bool)
        for body, shapes in enumerate(self.own):
            rows = np.flatnonzero(wall.body == body)
            points = grid.vertices.points[wall.node[rows]]
            self.of_files[body, : len(shapes)] = [isinstance(own, FileShape) for own in shapes]
            for j, shape in enumerate(shapes):
                found = self._displacements(body, j, shape, points)
                self.values[rows, j] = found
                self.largest[body, j] = np.linalg.norm(found, axis=1).max()
                if isinstance(shape, TwistShape):
                    self.arms[rows, j], self.shares[rows, j] = shape.turning(points)
        self._check_planes()
        b = grid.backend
        self.turns = bool(self.shares.any())
        self.walls = {"shape": b.array(self.values, np.float64)}
        if self.turns:
            self.walls |= {
                "arm": b.array(self.arms, np.float64),
                "angle_share": b.array(self.shares, np.float64),
            }
        self.modes = b.zeros((len(own), self.count), np.float64)
        self.bent = b.array(grid.vertices.points, np.float64)

    @classmethod
    def of(cls, grid: Volumes, motions: Sequence[Motion | None]) -> Shapes | None:
        """Shapes of a case; None where all bodies are rigid."""
        own = [() if motion is None else motion.shapes for motion in motions]
        return cls(grid, own) if any(own) else None

    def _told(self, body: int, j: int) -> str:
        shape = self.own[body][j]
        name = "" if isinstance(shape, FileShape) else _name(shape)
        more = f" ({name})" if name else ""
        return f"shape {j + 1}{more} of {self.vertices.bodies[body][1]!r}"

    def _displacements(self, body: int, j: int, shape: Shape, points: FloatArray) -> FloatArray:
        """(n, dimensions) of a body's points; SettingsError for what is none."""
        member = self.vertices.owners.of[body]
        try:
            if isinstance(shape, FileShape):
                shape.file.check(points)
            given = shape(points.copy())
        except SettingsError as error:
            raise SettingsError(self._told(body, j), ": ", error.said, member=member) from None
        except Exception as error:  # of a user's function
            raise SettingsError(
                f"{self._told(body, j)} failed at its points {points.shape}: "
                f"{type(error).__name__}: {error}",
                member=member,
            ) from error
        try:
            array = np.asarray(given)
            found = array.astype(float) if array.dtype.kind in "fiu" else np.empty(0)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != points.shape:
            size = getattr(given, "shape", None)
            what = repr(given) if size is None else f"an array {size} of {array.dtype}"
            raise SettingsError(
                f"{self._told(body, j)} gave {what}, expected displacements {points.shape} of its "
                "points",
                member=member,
            )
        bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
        if len(bad):
            raise SettingsError(
                f"{self._told(body, j)} is {found[bad[0]].tolist()} at {points[bad[0]].tolist()}, "
                "expected finite numbers",
                member=member,
            )
        if not found.any():
            raise SettingsError(
                f"{self._told(body, j)} is zero at all points of the body, expected displacements "
                "of points as the body is given",
                member=member,
            )
        return found

    def planes(self, member: int) -> tuple[NDArray[np.int64], FloatArray]:
        """Vertices on a member's planes of symmetry in space, in its own numbers, and their unit
        normal (dimensions,), zero without one."""
        first, last = self.vertices.first[member : member + 2]
        on = self.grid.on_planes
        return on[(on >= first) & (on < last)] - first, self.grid.normals[member]

    def _on_planes(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Rows of walls on planes of symmetry, and normals (rows, dimensions) of these."""
        return {2: self._on_lines, 3: self._on_flats}[self.grid.dimensions]()

    def _on_flats(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Rows of space, where planes of symmetry are no patches."""
        rows = np.flatnonzero(np.isin(self.vertices.wall.node, self.grid.on_planes))
        return rows, self.grid.normals[self.vertices.wall.member[rows]]

    def _on_lines(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Rows of the plane, which lie along a patch."""
        wall, vertices = self.vertices.wall, self.vertices
        found, normals = [], []
        for name, side in vertices.sides.items():
            if role_of(name) != PLANE:
                continue
            place = {node: k for k, node in enumerate(side.node.tolist())}
            for row, node in enumerate(wall.node.tolist()):
                if node in place:
                    ends = side.shape["ends"][place[node]]
                    way = vertices.points[ends[ends >= 0][0]] - vertices.points[node]
                    found.append(row)
                    normals.append(turned_left(way[None])[0] / np.linalg.norm(way))
        return np.array(found, np.int64), np.array(normals).reshape(-1, 2)

    def _check_planes(self) -> None:
        """SettingsError for shapes by which walls leave a plane of symmetry.

        Of shapes from files a little displacement across it, as splines leave, is taken out.
        """
        rows, unit = self._on_planes()
        if not len(rows):
            return
        wall = self.vertices.wall
        found = (self.values[rows] * unit[:, None]).sum(axis=2)
        largest = self.largest[wall.body[rows]]
        little = self.of_files[wall.body[rows]] & (np.abs(found) <= LITTLE * largest)
        self.values[rows] -= np.where(little, found, 0.0)[..., None] * unit[:, None]
        across, limit = np.where(little, 0.0, np.abs(found)), ACROSS * largest
        worst = np.argwhere(across > limit)
        if len(worst):
            k, j = worst[0]
            body, point = int(wall.body[rows[k]]), self.vertices.points[wall.node[rows[k]]]
            raise SettingsError(
                f"{self._told(body, int(j))} moves the point {point.tolist()} by {across[k, j]:.3g}"
                " across its plane of symmetry; expected displacements along the plane there",
                member=self.vertices.owners.of[body],
            )

    @cached_property
    def faces(self) -> Any:
        """(faces of the walls, count, dimensions) device array, in the order of `grid.wall`.

        Displacements for a small change of each amplitude, over that change, where the amplitudes
        are those of `at`; before they are the shapes.
        """
        return self.grid.backend.array(self._at_faces(self.values), np.float64)

    def at(self, amplitudes: FloatArray) -> None:
        """Bring `faces` to amplitudes (bodies, count): arms of sections that turn go with them."""
        if self.turns:
            angle = amplitudes[self.vertices.wall.body] * self.shares
            across = np.sin(angle) * self.shares
            found = np.cos(angle)[..., None] * self.values - across[..., None] * self.arms
            self.grid.backend.put(self.faces, self._at_faces(found))

    def _at_faces(self, given: FloatArray) -> FloatArray:
        """(faces of the walls, count, dimensions) of values at their vertices, in that order.

        Faces between vertices have the mean of their corners.
        """
        node, patch = self.vertices.wall.node, self.grid.wall
        order = np.argsort(node)

        def values(vertex: NDArray[Any]) -> FloatArray:
            found: FloatArray = given[order[np.searchsorted(node, vertex, sorter=order)]]
            return found

        corners = [
            patch.shape[name]
            for name in ("ends", "outline")
            if self.grid.on == "cells" and name in patch.shape
        ]
        if not corners:
            return values(patch.node)
        there = corners[0] >= 0
        each = [
            values(np.where(own, corner, corners[0][:, 0])) * own[:, None, None]
            for corner, own in zip(corners[0].T, there.T, strict=True)
        ]
        return np.asarray(np.sum(each, axis=0) / there.sum(axis=1)[:, None, None])

    @property
    def units(self) -> dict[str, list[str]]:
        """Unit of the amplitude of each shape of each body that bends.

        "rad" of sections that turn by an angle; "-" of what displaces points by a shape, in chords,
        times a number.
        """
        return {
            f"{member}: {marker}": [getattr(s, "unit", "-") for s in own]
            for (member, marker), own in zip(self.vertices.bodies, self.own, strict=True)
            if own
        }

    @property
    def names(self) -> dict[str, list[str]]:
        """Name of each shape of the bodies that have shapes with names, "" of those without: those
        by formula have one, and of shapes of a file it is `shape 1 of wing.npz`."""
        return {
            f"{member}: {marker}": names
            for (member, marker), own in zip(self.vertices.bodies, self.own, strict=True)
            if any(names := [_name(shape) for shape in own])
        }

    @property
    def prints(self) -> dict[str, str]:
        """Hash of the shapes of each body that bends, for the identity of a run; of shapes from
        files it has all that these hold, and their names."""
        wall = self.vertices.wall
        each = [self.values, self.arms, self.shares] if self.turns else [self.values]

        def told(body: int) -> str:
            found = sha256()
            for table in each:
                found.update(table[wall.body == body].tobytes())
            files = {s.file.name: s.file for s in self.own[body] if isinstance(s, FileShape)}
            for file in files.values():
                found.update(file.content.encode())
            return " of ".join([found.hexdigest()[:16], *([", ".join(files)] if files else [])])

        return {
            f"{member}: {marker}": told(body)
            for body, (member, marker) in enumerate(self.vertices.bodies)
            if self.own[body]
        }


def _name(shape: Shape) -> str:
    """Name of a shape by formula or from a file; "" of a user's function."""
    title = str(getattr(shape, "title", ""))
    return f"shape {title}" if isinstance(shape, FileShape) else title
