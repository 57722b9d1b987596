"""Common parts of O- and C-meshes: arguments, steps along rays, cells between rays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, did_you_mean
from kinemesh.mesh.geometry.quality import corner_angles
from kinemesh.sentences import NODES

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

FLIP = 1.15  # a diagonal is turned if that divides the largest angle by more than this
NEAREST = {"farfield": 3.0, "overset": 1.0}  # least distance of the outer boundary, by its marker
BLOCK = 500_000  # cells whose angles are measured at once: bounds the memory


@dataclass(frozen=True, slots=True)
class Wanted:
    """Arguments of `airfoil`, checked; lengths in chords."""

    nodes: int = 5000  # wanted; the mesh has within 3 % of it
    far_field: float = 50.0  # distance of the outer boundary from mid-chord
    wall_spacing: float | None = None  # height of the wall cells at mid-chord
    growth: float | None = None  # ratio of successive steps at mid-chord
    trailing_spacing: float | None = None  # first edge along the wall from the trailing edge
    around: int | None = None  # nodes round the section, even
    outer: str = "farfield"  # marker of the outer boundary
    trailing_step: float = 0.06  # trailing_spacing by default, over 1 / around [chord]

    def __post_init__(self) -> None:
        for name in ("nodes", "far_field"):
            if getattr(self, name) is None:
                raise MeshError(
                    "airfoil: ", NODES if name == "nodes" else name, " = None, expected a number"
                )
        _within("nodes", self.nodes, 500, 10_000_000, whole=True)
        least = NEAREST[outer_of("airfoil", self.outer)]
        _within("far_field", self.far_field, least, 1e4)
        _within("wall_spacing", self.wall_spacing, 1e-6, 0.1)
        _within("growth", self.growth, 1.0 + 1e-9, 1.5)
        _within("trailing_spacing", self.trailing_spacing, 1e-6, 0.02)
        _within("around", self.around, 24, self.nodes // 8, whole=True)
        if self.around is not None and self.around % 2:
            raise MeshError(f"airfoil: around = {self.around}, expected an even number")
        if self.around is not None and self.growth is not None and self.wall_spacing is not None:
            raise MeshError(
                "airfoil: around, growth and wall_spacing are given, expected at most two of "
                "them: with ",
                NODES,
                " they follow from each other",
            )


def outer_of(owner: str, name: str, known: Sequence[str] = tuple(NEAREST)) -> str:
    """Marker of an outer boundary; MeshError where it is none that is known."""
    if name in known:
        return name
    hint = did_you_mean(name, known)
    raise MeshError(f"{owner}: outer = {name!r}, expected one of {', '.join(known)}{hint}")


def _within(name: str, value: float | None, low: float, high: float, whole: bool = False) -> None:
    if value is None:
        return
    term = NODES if name == "nodes" else name
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds):
        kind = "a whole number" if whole else "a number"
        raise MeshError("airfoil: ", term, f" = {value!r}, expected {kind} of {low:g} to {high:g}")
    if not low <= value <= high:
        raise MeshError("airfoil: ", term, f" = {value!r}, expected {low:g} to {high:g}")


def bounded(first: Floats, top: float | Floats) -> Floats:
    """First steps kept smoothly below the one that leaves no growth."""
    return first / (1.0 + (first / top) ** 8) ** 0.125


def layers(first: Floats, far: float | Floats, steps: int) -> Floats:
    """Places (steps + 1, rays), 0 to far, in steps that grow geometrically from the first."""
    low, high = np.zeros_like(first), np.full_like(first, 1.0)  # of log(growth)
    for _ in range(60):  # bisection on all rays at once
        middle = 0.5 * (low + high)
        with np.errstate(over="ignore"):  # from 1420 steps on 0.5 is too large: inf is above
            above = first * np.expm1(steps * middle) / np.expm1(middle) > far
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    ratio = 0.5 * (low + high)
    layer = np.arange(steps + 1)[:, None]
    return far * np.expm1(layer * ratio) / np.expm1(steps * ratio)


def cut(points: Floats, table: NDArray[np.int32]) -> NDArray[np.int32]:
    """Two triangles per cell, diagonals all one way on each side and mirrored on the other.

    Diagonals from ray i to i + 1, outwards, on the upper side, so that every inner node has six
    triangles.  A cell is cut the other way where that makes its largest angle smaller by more
    than FLIP.

    Parameters
    ----------
    points : (nodes, 2)
    table : (rings, rays)    node of each place, wall first, rays counter-clockwise from the upper
        side; a closed ring ends with the ray that it starts with
    """
    rings, rays = table.shape[0] - 1, table.shape[1] - 1
    result = np.empty((2, rings, rays, 3), np.int32)
    upper = np.arange(rays) < rays // 2
    step = max(1, BLOCK // rays)
    for start in range(0, rings, step):
        part = table[start : start + step + 1]
        # counter-clockwise: inner this ray, outer this ray, outer next ray, inner next ray
        a, b, c, d = part[:-1, :-1], part[1:, :-1], part[1:, 1:], part[:-1, 1:]
        outward = [np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]
        inward = [np.stack([a, b, d], axis=-1), np.stack([b, c, d], axis=-1)]
        one, other = _largest(points, outward), _largest(points, inward)
        use = np.where(upper, one <= FLIP * other, other > FLIP * one)[..., None]
        for k in range(2):
            result[k, start : start + step] = np.where(use, outward[k], inward[k])
    return result.reshape(-1, 3)


def _largest(points: Floats, pair: list[NDArray]) -> Floats:
    angles = [corner_angles(points, p.reshape(-1, 3)).max(axis=1) for p in pair]
    return np.maximum(*angles).reshape(pair[0].shape[:2])
