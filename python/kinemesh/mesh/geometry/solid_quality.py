"""Quality of a mesh in space: volumes, shares of corners, dihedral angles and aspect ratios."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.mesh.kinds import SOLIDS, Kind
from kinemesh.mesh.mesh import Mesh
from kinemesh.mesh.solid_cells import CHUNK, shares

Floats = NDArray[np.float64]
Place = tuple[float, float, float]
PERCENTS = (50, 95, 99, 100)
FLAT = 0.26  # sine of 15 degrees
ROOT = np.sqrt([2.0, 3.0])
REGULAR = {  # longest edge times largest face over three volumes, of the cell with equal edges
    "tetrahedra": ROOT[1] / ROOT[0],
    "pyramids": ROOT[0],
    "prisms": 4 / (3 * ROOT[1]),
    "hexahedra": 1 / 3,
}


@dataclass(frozen=True, slots=True)
class SolidQuality:
    """Extremes of a mesh in space; `_at` is the cell (by kind as in `mesh.blocks`), `_near` where.

    Parameters
    ----------
    min_share : least share that a corner has of its cell's volume, over the mean of its corners
    min_dihedral_deg, max_dihedral_deg : angles between faces along an edge, at each end of it
    aspect_ratio : longest edge times largest face over the volume, 1 for the cell of equal edges;
        percentile -> value
    """

    nodes: int
    cells: int
    min_volume: float  # [chord^3]
    min_volume_at: int
    min_volume_near: Place
    max_volume: float
    max_volume_at: int
    min_share: float
    min_share_at: int
    min_share_near: Place
    min_dihedral_deg: float
    min_dihedral_at: int
    min_dihedral_near: Place
    max_dihedral_deg: float
    max_dihedral_at: int
    max_dihedral_near: Place
    aspect_ratio: dict[int, float]

    def __str__(self) -> str:
        def place(cell: int, near: Place) -> str:
            return f"cell {cell} near ({near[0]:.6g}, {near[1]:.6g}, {near[2]:.6g})"

        rows = [("nodes", f"{self.nodes}", ""), ("cells", f"{self.cells}", "")]
        rows += [
            (
                "min volume",
                f"{self.min_volume:.4g}",
                place(self.min_volume_at, self.min_volume_near),
            ),
            ("max volume", f"{self.max_volume:.4g}", f"cell {self.max_volume_at}"),
            ("min share", f"{self.min_share:.4g}", place(self.min_share_at, self.min_share_near)),
            (
                "min dihedral [deg]",
                f"{self.min_dihedral_deg:.4g}",
                place(self.min_dihedral_at, self.min_dihedral_near),
            ),
            (
                "max dihedral [deg]",
                f"{self.max_dihedral_deg:.4g}",
                place(self.max_dihedral_at, self.max_dihedral_near),
            ),
        ]
        rows += [(f"aspect ratio {p} %", f"{v:.4g}", "") for p, v in self.aspect_ratio.items()]
        return "\n".join(f"{a:<20}{b:>12}  {c}".rstrip() for a, b, c in rows)

    def told(self) -> list[str]:
        """Dihedral angles, volumes and aspect ratios in words."""
        x, y, z = self.min_dihedral_near
        return [
            f"least dihedral angle {self.min_dihedral_deg:.3g} degrees near "
            f"({x:.4g}, {y:.4g}, {z:.4g})",
            f"volumes {self.min_volume:.3g} to {self.max_volume:.3g}",
            f"aspect ratio up to {self.aspect_ratio[100]:.3g}",
        ]


def solid_quality(mesh: Mesh) -> SolidQuality:
    """Quality of a mesh in space."""
    measured = [_measure(mesh.points, SOLIDS[name], cells) for name, cells in mesh.solids.items()]
    volume, share, sharp, wide, aspect, centre = (
        np.concatenate(parts) for parts in zip(*measured, strict=True)
    )

    def near(cell: int) -> Place:
        x, y, z = centre[cell].tolist()
        return x, y, z

    least, most = int(np.argmin(volume)), int(np.argmax(volume))
    thin, low, high = int(np.argmin(share)), int(np.argmin(sharp)), int(np.argmax(wide))
    return SolidQuality(
        nodes=mesh.nodes,
        cells=len(volume),
        min_volume=float(volume[least]),
        min_volume_at=least,
        min_volume_near=near(least),
        max_volume=float(volume[most]),
        max_volume_at=most,
        min_share=float(share[thin]),
        min_share_at=thin,
        min_share_near=near(thin),
        min_dihedral_deg=float(sharp[low]),
        min_dihedral_at=low,
        min_dihedral_near=near(low),
        max_dihedral_deg=float(wide[high]),
        max_dihedral_at=high,
        max_dihedral_near=near(high),
        aspect_ratio={p: float(np.percentile(aspect, p)) for p in PERCENTS},
    )


def _measure(points: Floats, kind: Kind, cells: NDArray) -> tuple[Floats, ...]:
    """Volume, least share, dihedral angles [deg], aspect ratio and centre of each cell."""
    share = shares(points, kind, cells)
    volume = share.sum(axis=1)
    parts = []
    for first in range(0, len(cells), CHUNK):
        own = cells[first : first + CHUNK]
        x = np.take(points, own.T, axis=0)  # corners, cells, axes
        sharp, wide = dihedrals(kind, x)
        parts.append((sharp, wide, _longest(kind, x) * _largest(kind, x), x.mean(axis=0)))
    sharp, wide, size, centre = (np.concatenate(own) for own in zip(*parts, strict=True))
    aspect = size / (3 * volume) / REGULAR[kind.name]
    return volume, share.min(axis=1) * kind.corners / volume, sharp, wide, aspect, centre


def dihedrals(kind: Kind, x: Floats) -> tuple[Floats, Floats]:
    """Least and largest angle between faces of cells with corners at x (corners, cells, 3) [deg].

    Of the two faces along an edge each has at each end of the edge the plane of its corner there.
    """
    sharp, wide = np.full(x.shape[1], np.inf), np.full(x.shape[1], -np.inf)
    for ends, sides in zip(kind.edges, kind.sides, strict=True):
        along = x[ends[1]] - x[ends[0]]
        along = along / np.linalg.norm(along, axis=1)[:, None]
        for end in ends[:1] if kind.corners == 4 else ends:
            forth, back = (_normal(kind.faces[side], end, x) for side in sides)
            across = (np.cross(forth, back) * along).sum(axis=1)
            angle = 180.0 - np.degrees(np.arctan2(across, (forth * back).sum(axis=1)))
            np.minimum(sharp, angle, out=sharp)
            np.maximum(wide, angle, out=wide)
    return sharp, wide


def _normal(face: tuple[int, ...], corner: int, x: Floats) -> Floats:
    """(cells, 3) normals of the plane of a face's corner, out of the cell.

    A corner within 15 degrees of 0 or 180 has no plane: there it is the normal of the face.
    """
    at = face.index(corner)
    arms = x[face[(at + 1) % len(face)]] - x[corner], x[face[at - 1]] - x[corner]
    found = np.cross(*arms)
    if len(face) == 4:
        sine = np.linalg.norm(found, axis=1)
        sine /= np.linalg.norm(arms[0], axis=1) * np.linalg.norm(arms[1], axis=1)
        whole = np.cross(x[face[2]] - x[face[0]], x[face[3]] - x[face[1]])
        found = np.where(sine[:, None] > FLAT, found, whole)
    return found


def _longest(kind: Kind, x: Floats) -> Floats:
    """(cells,) longest edge."""
    square = [((x[b] - x[a]) ** 2).sum(axis=1) for a, b in kind.edges]
    longest: Floats = np.sqrt(np.max(square, axis=0))
    return longest


def _largest(kind: Kind, x: Floats) -> Floats:
    """(cells,) area of the largest face."""
    areas = []
    for face in kind.faces:
        a, b, c, d = (x[corner] for corner in (*face, face[0])[:4])
        areas.append(0.5 * np.linalg.norm(np.cross(c - a, d - b), axis=1))
    largest: Floats = np.max(areas, axis=0)
    return largest
