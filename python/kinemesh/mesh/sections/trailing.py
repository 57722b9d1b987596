"""The trailing edge of a list of points: where it is, and whether it is closed, sharp or open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import MeshError, did_you_mean, warn

Complexes = NDArray[np.complex128]

KINDS = ("closed", "sharp", "open")
NONE = 1e-9  # gap of a list that ends where it starts [chord]
THICK = 0.005  # largest gap that is closed without being told so [chord]
THICKEST = 0.35  # largest gap that is taken for a trailing edge [chord]
AFT = 0.8  # where both ends are at least [chord]
EDGE = np.radians(60.0)  # turn of an edge whose neighbours turn little,
BESIDE = 0.1  # over the turn of the edge
STRAIGHT = 0.05  # distance of a base's points from a straight line, over its length
TINY = 1e-4  # distance of points at the rear end that are one place [chord]
APART = 4.0  # of it, between points of an outline that is looked at without such distances
BASES = np.radians([-30.0, 120.0])  # turns to the left from the side to a base, or on along it
ACROSS = 0.1  # of a gap that is a thickness: its share across the chord, at least
SMOOTH = (
    "a smooth closed curve, such as an ellipse, has meshes by km.mesh.around(curve, nodes), in a "
    "case file by curve = 'FILE' in place of coordinates"
)


def checked(kind: str | None) -> str | None:
    """A kind of trailing edge; MeshError where it is none."""
    if kind is None or kind in KINDS:
        return kind
    hint = did_you_mean(kind, KINDS)
    raise MeshError(f"trailing_edge = '{kind}', expected one of {', '.join(KINDS)}{hint}")


def ended(
    path: Path, z: Complexes, kind: str | None = None
) -> tuple[Complexes, float, tuple[str, ...]]:
    """Points with the required trailing edge, the remaining gap, and a note.

    Parameters
    ----------
    z : (n,)    counter-clockwise, from the upper trailing edge on
    kind : closed | sharp | open    None: closed, where the gap is at most THICK, with a warning

    Raises
    ------
    MeshError    without an edge where the list starts, or for a gap that has to be spoken of
    """
    z = _from_edge(path, _without_hooks(z))
    gap = float(abs(z[0] - z[-1]))
    thick = gap >= NONE and _across(z) > ACROSS * gap
    if kind == "open" and not thick:
        along = f": its ends lie {gap:.2g} chords apart, not across it" if gap >= NONE else ""
        raise MeshError(
            f"{path}: the trailing edge has no thickness, expected some for 'open'{along}"
        )
    if gap < NONE:
        z[0] = z[-1] = 0.5 * (z[0] + z[-1])
        return z, 0.0, ()
    if kind == "open":
        return z, gap, ()
    if kind is None and gap > THICK * np.ptp(z.real):
        raise MeshError(
            f"{path}: the trailing edge is {gap:.4g} chords thick, expected at most {THICK:g} "
            "where nothing is said of it; say trailing_edge = 'open', which keeps it, 'closed', "
            f"which shears the section shut ({_lost(z, gap):.2g} % of its area), or 'sharp', which "
            "extends its sides"
        )
    if kind == "sharp":
        return _to_root(path, z), 0.0, (f"{path}: trailing edge of {gap:.4g} chords made sharp",)
    said = f"{path}: trailing edge of {gap:.4g} chords closed"
    if kind is None:
        keeps = "'open' keeps it, " if thick else ""
        warn(f"{said}; trailing_edge = {keeps}'closed' says that it is meant", UserWarning)
    return _closed(z), 0.0, (said,)


def _lost(z: Complexes, gap: float) -> float:
    """Share of the area that shearing shut takes [%]."""
    area = 0.5 * float(np.sum((np.conj(z) * np.roll(z, -1)).imag))
    return 50.0 * gap * float(np.ptp(z.real)) / area


def _closed(z: Complexes) -> Complexes:
    """Both sides sheared, linearly in x, to where they meet."""
    chordwise = (z.real - z.real.min()) / np.ptp(z.real)
    z = z - 0.5 * (z[0] - z[-1]) * chordwise * np.where(np.arange(len(z)) < nose(z), 1, -1)
    z[0] = z[-1] = 0.5 * (z[0] + z[-1])
    return z


def nose(z: Complexes) -> int:
    """Index of the point farthest from the trailing edge."""
    return int(np.argmax(np.abs(z - 0.5 * (z[0] + z[-1]))))


def _across(z: Complexes) -> float:
    """Height of the upper end above the lower one, across the chord from the nose to them."""
    chordwise = 0.5 * (z[0] + z[-1]) - z[nose(z)]
    return float(((z[0] - z[-1]) * np.conj(chordwise)).imag / abs(chordwise))


def _without_hooks(z: Complexes) -> Complexes:
    """Points without ends whose tiny last edge neither goes on nor is a base."""
    for left in (-1, 1):  # seen from the lower side to the upper one, and back
        z = z[::-1]
        last, before = z[-1] - z[-2], z[-2] - z[-3]
        tiny = abs(last) < min(TINY * np.ptp(z.real), abs(before) / APART)
        turn = left * np.angle(last * np.conj(before))
        if tiny and not BASES[0] < turn < BASES[1]:
            z = z[:-1]
    return z.copy()


def _from_edge(path: Path, z: Complexes) -> Complexes:
    """The points from the upper end of the trailing edge to the lower one.

    Points that a list has on the base of a blunt edge are left out.
    """
    chord = float(np.ptp(z.real))
    aft = (z[[0, -1]].real - z.real.min()) / chord
    gap, middle = abs(z[0] - z[-1]), nose(z) / len(z)
    astray = aft.min() < AFT or gap > THICKEST * chord or abs(middle - 0.5) > 0.4
    ring = z[:-1] if gap < NONE else z
    corner = _corners(ring)
    if NONE <= gap < TINY * chord:  # turns of the edge between the ends say nothing
        there = len(_corners(_thinned(z, APART * TINY * chord))) > 0
        corner = corner if there and len(corner) else np.zeros(int(there), np.intp)
    if not len(corner):
        raise MeshError(
            f"{path}: the outline has no sharp edge, expected a trailing edge; {SMOOTH}"
        )
    if astray:
        place = ring[corner[np.argmax(ring[corner].real)]]
        raise MeshError(
            f"{path}: expected points that start and end at the trailing edge; they start at "
            f"({z[0].real:.4g}, {z[0].imag:.4g}), and the rearmost corner is at "
            f"({place.real:.4g}, {place.imag:.4g})"
        )
    return _without_base(z, ring, corner)


def _corners(ring: Complexes) -> NDArray[np.intp]:
    """Points of a closed outline where it turns to the left at once."""
    from kinemesh.mesh.sections.corners import told_apart, turns

    points = np.stack([ring.real, ring.imag], axis=1)
    left = -turns(points)
    beside = np.maximum(np.abs(np.roll(left, 1)), np.abs(np.roll(left, -1)))
    edge = (left > EDGE) & (beside < BESIDE * left)
    edge[told_apart(points)[0]] = True
    return np.flatnonzero(edge & (left > 0))


def _thinned(z: Complexes, distance: float) -> Complexes:
    """Closed outline from the middle of the ends on, whose points are that far apart."""
    kept = [0.5 * (z[0] + z[-1])]
    for point in z[1:-1]:
        if min(abs(point - kept[-1]), abs(point - kept[0])) > distance:
            kept.append(point)
    return np.array(kept)


def _without_base(z: Complexes, ring: Complexes, corner: NDArray[np.intp]) -> Complexes:
    """Points z without those between the two corners of the base."""
    n = len(ring)
    signed = np.sort(np.where(corner > n // 2, corner - n, corner))  # about the list's start
    chord = np.ptp(z.real)
    near = signed[(ring[signed].real - z.real.min()) / chord > AFT]
    if len(near) < 2:
        return z
    low, high = near[0], near[-1]
    base = ring[np.arange(low, high + 1)]
    way = base[-1] - base[0]
    if not NONE * chord < abs(way) < THICKEST * chord:
        return z
    off = np.abs(((base - base[0]) * np.conj(way)).imag) / abs(way) ** 2
    if off.max() > STRAIGHT:
        return z
    return ring[np.arange(high, low + n + 1) % n]


def _to_root(path: Path, z: Complexes) -> Complexes:
    """Extend both sides straight to where they meet; scale back to the chord it had."""
    upper, lower = z[0] - z[1], z[-1] - z[-2]
    solve = np.array([[upper.real, -lower.real], [upper.imag, -lower.imag]])
    apart = z[-1] - z[0]
    reach = below = np.inf
    if abs(np.linalg.det(solve)) > 1e-14 * abs(upper) * abs(lower):
        reach, below = np.linalg.solve(solve, [apart.real, apart.imag])
    root = z[0] + reach * upper
    if not (0 < reach * abs(upper) < 0.2 or (-1 < reach <= 0 and below > -1)):
        raise MeshError(f"{path}: the sides do not meet within 0.2 chords, as 'sharp' needs")
    sides = z[int(reach <= 0) : len(z) - int(-1 < below <= 0)]  # an end beyond the root is left out
    extended = np.concatenate([[root], sides, [root]])
    front = extended[nose(extended)]
    return front + (extended - front) * np.ptp(z.real) / (root.real - z.real.min())
