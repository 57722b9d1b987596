"""Aerofoil sections of chord 1: NACA 4-, 5-digit, 64A010, 65A004, ONERA M6, and coordinate files.

A section is a closed curve from the upper trailing edge over the nose to the lower one.
64A010: Loftin, NACA TR-903 (1948).  65A004: the section of AGARD wing 445.6, NASA TM-100492.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError
from kinemesh.mesh.files.text_files import stem_of
from kinemesh.mesh.sections import coordinates, trailing

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

NAMED = {
    "naca64a010": "naca64a010_tr903_ordinates.csv",
    "naca65a004": "naca65a004_ordinates.csv",
    "oneram6": "oneram6_streamwise_root.csv",
}
FARTHEST = 1e3  # of a coordinate: files in millimetres are told so, beyond that lengths lose digits


@dataclass(frozen=True, slots=True)
class Section:
    """A section curve.

    Parameters
    ----------
    curve : u (n,) in [0, 1] -> z, dz/du (n,) complex, x + iy [chord]; dz/du is nowhere zero
    gap : float          thickness of the trailing edge, 0 if sharp [chord]
    symmetric : bool     the lower side, u > 1/2, mirrors the upper
    joints : tuple       parameters, rising, where the tangent turns by a small angle at once
    notes : tuple        what a summary says of the curve, one sentence each
    """

    name: str
    curve: Callable[[Floats], tuple[Complexes, Complexes]]
    gap: float
    symmetric: bool
    joints: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    def points(self, u: Floats) -> Floats:
        """(n, 2) coordinates at parameters u [chord]."""
        z = self.curve(np.asarray(u, np.float64))[0]
        return np.stack([z.real, z.imag], axis=-1)


def tabulated(name: str, trailing_edge: str | None) -> Section:
    """Symmetric section from a packaged table of ordinates, a cubic spline in sqrt(x).

    In sqrt(x) the nose is a smooth point of one odd curve; with the 26 ordinates of TR-903 the
    nose radius comes out as 0.692 % against the tabulated 0.687 %.
    """
    text = resources.files("kinemesh").joinpath("cases", "data", NAMED[name]).read_text("utf-8")
    rows = [line.split(",") for line in text.splitlines() if re.match(r"[\d.]", line)]
    x, y = np.array(rows, np.float64).T / 100.0
    if trailing_edge == "sharp":
        slope = (y[-1] - y[-2]) / (x[-1] - x[-2])  # the aft sides are straight
        reach = x[-1] - y[-1] / slope
        x, y = np.append(x, reach) / reach, np.append(y, 0.0) / reach
    q = np.sqrt(x)
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(np.concatenate([-q[:0:-1], q]), np.concatenate([-y[:0:-1], y]))
    tail = float(spline(1.0)) if trailing_edge != "open" else 0.0

    def curve(u: Floats) -> tuple[Complexes, Complexes]:
        q = 1.0 - 2.0 * u
        r, sign = np.abs(q), np.where(q < 0, -1.0, 1.0)
        half = sign * (spline(r) - tail * r * r)
        return q * q + 1j * half, -2.0 * (2.0 * q + 1j * (spline(r, 1) - 2.0 * tail * r))

    gap = 2.0 * float(spline(1.0)) if trailing_edge == "open" else 0.0
    return Section(name, curve, gap, symmetric=True)


def read_section(path: str | Path, trailing_edge: str | None = None) -> Section:
    """Section from a Selig or Lednicer coordinate file, splined over the length along it.

    The spline rounds corners of the list, but for those of the trailing edge; a note says where.
    """
    path = Path(path)
    pairs, notes = coordinates.read(path)
    z, gap, said = trailing.ended(path, _ordered(path, pairs), trailing_edge)
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(z)))])
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(length / length[-1], np.stack([z.real, z.imag], axis=1))

    def curve(u: Floats) -> tuple[Complexes, Complexes]:
        value, slope = spline(u), spline(u, 1)
        return value[:, 0] + 1j * value[:, 1], slope[:, 0] + 1j * slope[:, 1]

    notes += said + _rounded(path, z, gap)
    return Section(stem_of(path), curve, gap, symmetric=False, notes=notes)


def _rounded(path: Path, z: Complexes, gap: float) -> tuple[str, ...]:
    """A note on corners of the list within it."""
    from kinemesh.mesh.sections.corners import listed, told_apart

    points = np.stack([z.real, z.imag], axis=1)[: None if gap > 0 else -1]
    corner = told_apart(points)[0]
    corner = corner[(corner > 0) & (corner < len(z) - 1)]
    if not len(corner):
        return ()
    return (
        f"{path}: {listed(points, corner, 'corner')} rounded by the spline; a cloud about the list "
        "(Cloud.around) keeps corners",
    )


def _ordered(path: Path, pairs: Floats) -> Complexes:
    """Points from the upper trailing edge over the nose to the lower one."""
    far = np.flatnonzero((np.abs(pairs) > FARTHEST).any(axis=1))
    if len(far):
        x, y = pairs[far[0]]
        raise MeshError(f"{path}: a point at ({x:g}, {y:g}), expected a chord of 1; scale the file")
    z = pairs[:, 0] + 1j * pairs[:, 1]
    z = z[np.concatenate([[True], np.abs(np.diff(z)) > 1e-12])]
    chord = np.ptp(z.real)
    if not 0.9 < chord < 1.1:
        raise MeshError(f"{path}: x spans {chord:.4g}, expected a chord of 1; scale the file")
    area = 0.5 * np.sum(z.real * np.roll(z.imag, -1) - np.roll(z.real, -1) * z.imag)
    if area < 0:
        z = z[::-1]
    return z
