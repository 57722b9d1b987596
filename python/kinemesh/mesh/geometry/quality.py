"""Quality of a mesh: areas, angles and aspect ratios, with the place of the worst."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import MeshError, shown
from kinemesh.mesh.edges import four_wide, numbers
from kinemesh.mesh.geometry.solid_quality import SolidQuality, solid_quality
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.polygons import polygon_areas

PERCENTS = (50, 95, 99, 100)


@dataclass(frozen=True, slots=True)
class Quality:
    """Extremes of a mesh; `_at` is the cell (triangles first), `_near` the cell's centre.

    Aspect ratio: longest edge squared over area, scaled to 1 for the equilateral triangle and
    the square.
    """

    nodes: int
    cells: int
    negative: int  # cells whose area is not positive
    min_area: float  # [chord^2]
    min_area_at: int
    min_area_near: tuple[float, float]
    max_area: float
    max_area_at: int
    min_angle_deg: float
    min_angle_at: int
    min_angle_near: tuple[float, float]
    max_angle_deg: float
    max_angle_at: int
    max_angle_near: tuple[float, float]
    aspect_ratio: dict[int, float]  # percentile -> value

    def __str__(self) -> str:
        def place(cell: int, near: tuple[float, float]) -> str:
            return f"cell {cell} near ({near[0]:.6g}, {near[1]:.6g})"

        rows = [
            ("nodes", f"{self.nodes}", ""),
            ("cells", f"{self.cells}", ""),
            ("negative", f"{self.negative}", ""),
            ("min area", f"{self.min_area:.4g}", place(self.min_area_at, self.min_area_near)),
            ("max area", f"{self.max_area:.4g}", f"cell {self.max_area_at}"),
            (
                "min angle [deg]",
                f"{self.min_angle_deg:.4g}",
                place(self.min_angle_at, self.min_angle_near),
            ),
            (
                "max angle [deg]",
                f"{self.max_angle_deg:.4g}",
                place(self.max_angle_at, self.max_angle_near),
            ),
        ]
        rows += [(f"aspect ratio {p} %", f"{v:.4g}", "") for p, v in self.aspect_ratio.items()]
        return "\n".join(f"{a:<18}{b:>12}  {c}".rstrip() for a, b, c in rows)

    def told(self) -> list[str]:
        """Angles, areas and aspect ratios in words."""
        x, y = self.min_angle_near
        return [
            f"least angle {self.min_angle_deg:.3g} degrees near ({x:.4g}, {y:.4g})",
            f"areas {self.min_area:.3g} to {self.max_area:.3g}",
            f"aspect ratio up to {self.aspect_ratio[100]:.3g}",
        ]


@overload
def quality(mesh: Mesh) -> Quality | SolidQuality: ...
@overload
def quality(mesh: ArrayLike, cells: ArrayLike) -> Quality: ...
def quality(mesh: Mesh | ArrayLike, cells: ArrayLike | None = None) -> Quality | SolidQuality:
    """Quality of a mesh, or of points (nodes, 2) and cells (c, 3 or 4) of the plane, valid or not.

    That of a mesh in space is a `SolidQuality`.
    """
    if isinstance(mesh, Mesh):
        return OF_MESH[mesh.dimensions](mesh)
    if cells is None:
        raise MeshError(
            f"quality: the mesh is {shown(mesh)}, expected a Mesh, or points and cells; of a "
            "file take quality(mesh.read(path))"
        )
    points = numbers(mesh, "quality: points")
    return _of_groups(points, *_split(points, cells))


def _of_mesh(mesh: Mesh) -> Quality:
    """Quality of a mesh in the plane."""
    order = np.arange(len(mesh.triangles) + len(mesh.quads))
    return _of_groups(mesh.points, [mesh.triangles, mesh.quads], order)


OF_MESH: dict[int, Callable[[Mesh], Quality | SolidQuality]] = {2: _of_mesh, 3: solid_quality}


def _of_groups(points: NDArray, groups: list[NDArray], order: NDArray) -> Quality:
    """Quality of triangles and quads, which stand in this order."""
    groups = [group for group in groups if len(group)]
    if not groups:
        raise MeshError("quality: there are no cells, expected at least one")
    measured = [_measure(points, group) for group in groups]
    joined = [np.concatenate(parts) for parts in zip(*measured, strict=True)]
    area, smallest, largest, aspect, centre = (part[np.argsort(order)] for part in joined)

    def near(cell: int) -> tuple[float, float]:
        return float(centre[cell, 0]), float(centre[cell, 1])

    low, high = int(np.argmin(area)), int(np.argmax(area))
    sharp, wide = int(np.argmin(smallest)), int(np.argmax(largest))
    return Quality(
        nodes=len(points),
        cells=len(area),
        negative=int(np.sum(~(area > 0))),
        min_area=float(area[low]),
        min_area_at=low,
        min_area_near=near(low),
        max_area=float(area[high]),
        max_area_at=high,
        min_angle_deg=float(smallest[sharp]),
        min_angle_at=sharp,
        min_angle_near=near(sharp),
        max_angle_deg=float(largest[wide]),
        max_angle_at=wide,
        max_angle_near=near(wide),
        aspect_ratio={p: float(np.percentile(aspect, p)) for p in PERCENTS},
    )


def corner_angles(points: NDArray[np.float64], cells: NDArray) -> NDArray[np.float64]:
    """(cells, corners) interior angles, 0 to 360, of counter-clockwise polygons [deg]."""
    corner = points[cells]
    after = np.roll(corner, -1, axis=1) - corner
    before = np.roll(corner, 1, axis=1) - corner
    cross = after[..., 0] * before[..., 1] - after[..., 1] * before[..., 0]
    return np.degrees(np.arctan2(cross, np.sum(after * before, axis=-1))) % 360.0


def _split(points: NDArray, cells: ArrayLike | None) -> tuple[list[NDArray], NDArray]:
    """Triangles and quads of a table, and the table's row of each."""
    table = numbers(cells, "quality: cells") if cells is not None else np.empty((0, 0))
    if table.ndim != 2 or table.shape[1] not in (3, 4) or points.ndim != 2 or points.shape[1] != 2:
        raise MeshError(
            f"quality: points {points.shape} and cells {table.shape}, "
            "expected (nodes, 2) and (cells, 3 or 4)"
        )
    least = 3 - table.shape[1]  # the fourth node of a triangle is -1
    if table.size and not (table.min() >= least and table.max() < len(points)):
        raise MeshError(
            f"quality: cells names nodes {table.min()} to {table.max()}, expected 0 to "
            f"{len(points) - 1}"
        )
    table = four_wide(table)
    flat = table[:, 3] < 0
    return [table[flat, :3], table[~flat]], np.concatenate(
        [np.flatnonzero(flat), np.flatnonzero(~flat)]
    )


REGULAR = {3: np.sqrt(3.0) / 4.0, 4: 1.0}
"""Area of a regular cell over the square of its side, by the number of corners."""


def _measure(points: NDArray, cells: NDArray) -> tuple[NDArray, ...]:
    """Area, smallest and largest angle [deg], aspect ratio and centre of each polygon."""
    area = polygon_areas(points, cells)
    angles = corner_angles(points, cells)
    corner = points[cells]
    longest = np.sum((np.roll(corner, -1, axis=1) - corner) ** 2, axis=-1).max(axis=1)
    scale = REGULAR[cells.shape[1]]
    with np.errstate(divide="ignore"):
        aspect = scale * longest / np.abs(area)
    return area, angles.min(axis=1), angles.max(axis=1), aspect, corner.mean(axis=1)
