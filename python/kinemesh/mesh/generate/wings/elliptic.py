"""Rings about a section in elliptic coordinates, where its thickness is one number.

With z = 1/2 + cosh(l + i t) / 2 the chord is the line l = 0.  The rings of an O-mesh are
written in (l, t); scaling l at the wall makes the section thinner, down to the chord itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar

from kinemesh.errors import MeshError
from kinemesh.mesh.generate import omesh
from kinemesh.mesh.generate.rays import Wanted
from kinemesh.mesh.generate.wings.opening import TRAILING, blunter, opened
from kinemesh.mesh.sections.section import Section

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

FADE = 4.0  # of the thickness's change away from the wall, over the section's largest l
BENT = 0.7  # l over which the camber's shift falls by e
TURNED = 3.0  # l up to which rings turn with a twist, some five chords from the wing
SAMPLES = 400  # of each side, to find thickness and camber
EVEN = 0.5  # share of evenly spaced rings and rays far beyond the tip
EVEN_AT = 6.0  # distance beyond the tip where half of that is reached [root chord]
SPREAD = 0.3  # growth of the chord's line with distance beyond the tip


@dataclass(frozen=True, slots=True)
class Rings:
    """Rings about a section of chord 1.

    Parameters
    ----------
    length : (rings, around)    l, 0 on the chord
    angle : (rings, around)     t, 0 at the trailing edge, pi at the nose, 2 pi at the last ray
    half_thickness : float      of the section [chord]
    half : x (any) -> z         half its thickness over the chord line [chord]
    camber : x (any) -> z       of its mean line over the chord line [chord]
    turn : complex              from the chord line's axes to the section's
    """

    length: Floats
    angle: Floats
    half_thickness: float
    half: Callable[[Floats], Floats]
    camber: Callable[[Floats], Floats]
    turn: complex

    def points(
        self,
        thickness: float,
        beyond: float,
        chord: float,
        nose: complex,
        middle: complex,
        radius: float,
        twist: float = 0.0,
        about: float = 0.25,
        step: float = 0.0,
        much: float = 0.0,
    ) -> Complexes:
        """(rings, around) x + i z of one station; the last ring is a circle.

        Parameters
        ----------
        thickness : over that of the section
        beyond : distance beyond the tip's cap
        chord, nose : of the station
        middle, radius : the circle's centre, and its radius
        twist, about : nose up [rad], about the place of this share of the chord
        step : to the next station
        much : share of the opening beyond the tip, 0 of rings that are not opened
        """
        start = self.length - self.length[0]
        fade = np.exp(-start / (FADE * np.abs(self.length[0]).max()))
        length = self.length - (1.0 - thickness) * self.length[0] * fade
        even: Floats | float
        if much and beyond:
            half, length, angle, even = opened(length, self.angle, beyond, step, chord, much)
        else:
            half = 0.5 * (chord + SPREAD * beyond)
            length, angle, even = self._evened(length, beyond)
        centre = nose + 0.5 * chord
        place = half * np.cosh(length + 1j * angle)
        x = 0.5 + 0.5 * np.cos(angle) * np.cosh(length[0])  # of the wall, at the chord's scale
        bent = 2j * (1.0 - even) * self.camber(x) * np.exp((length[0] - length) / BENT)
        place = centre + half + (place - half + half * bent) * self.turn  # about the edge
        circle = middle + radius * np.exp(1j * angle[-1])
        place += fraction(length) * (circle - place[-1])
        turned: Complexes = place + (place - nose - about * chord) * (_turns(length, twist) - 1.0)
        return turned

    def _evened(self, length: Floats, beyond: float) -> tuple[Floats, Floats, float]:
        """l and t that are more even with distance beyond the tip, and the share of even ones."""
        count, around = self.length.shape
        even = EVEN * beyond / (beyond + EVEN_AT)
        ray = np.arange(around) * (2 * np.pi / around)
        ring = np.arange(count)[:, None] / (count - 1)
        length = (1.0 - even) * length + even * ring * length[-1]
        return length, (1.0 - even) * self.angle + even * ray, even


def fraction(length: Floats) -> Floats:
    """(rings, around): 0 at the wall, 1 on the last ring, in proportion to the radius.

    At the wall it grows with the square of l, as the distance from a sharp edge does: a shift in
    proportion to it cannot fold the rings there.
    """
    start = length - length[0]
    return (np.cosh(start) - 1.0) / (np.cosh(start[-1]) - 1.0)


def rings(
    shape: Section,
    around: int,
    count: int,
    far_field: float,
    wall_spacing: float | None = None,
    opens: bool = False,
    outer: str = "farfield",
) -> Rings:
    """Rings about a section, first the wall: an O-mesh of its thickness, bent by its camber.

    Parameters
    ----------
    wall_spacing : height of the first ring at mid-chord [chord]
    opens : of cells that are cut into tetrahedra, wider at both edges
    """
    thickness, half, camber, turn = straightened(shape)
    wanted = Wanted(nodes=around * count, far_field=far_field, around=around, outer=outer,
                    wall_spacing=wall_spacing)  # fmt: skip
    if opens:
        wanted = replace(wanted, trailing_step=TRAILING)
    place = omesh.structured(thickness, wanted)
    value = np.arccosh(2.0 * place - 1.0)  # l >= 0, t in (-pi, pi]
    angle = np.where(np.arange(around) > around // 2, value.imag + 2 * np.pi, value.imag)
    length = blunter(value.real, angle) if opens else value.real
    return Rings(length, angle, float(place[0].imag.max()), half, camber, turn)


def _turns(length: Floats, twist: float) -> Complexes:
    """(rings, around) factors that turn by a twist at the wall, by less away from it.

    Far from the wing rings turn by less than they do at it, so that they reach the cylinder, which
    all stations share, unturned; at an edge they turn as the wall does, or cells would lean there.
    """
    share = np.minimum(length / min(TURNED, float(length[-1].min())), 1.0)
    smooth = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    return np.asarray(np.exp(-1j * twist * (1.0 - smooth)))


def blended(one: Rings, other: Rings, share: float) -> Rings:
    """Rings between two sections, a share of the way from the first.

    Thickness and camber at a share of the chord are means of both.  So are l and t of each node,
    and then l, most at the wall, is shifted so that the wall has that thickness.
    """
    if one is other or share == 0.0:
        return one
    if share == 1.0:
        return other

    def mean(first: Any, second: Any) -> Any:
        return (1.0 - share) * first + share * second

    def half(x: Floats) -> Floats:
        return np.asarray(mean(one.half(x), other.half(x)))

    def camber(x: Floats) -> Floats:
        return np.asarray(mean(one.camber(x), other.camber(x)))

    length, angle = mean(one.length, other.length), mean(one.angle, other.angle)
    shift = _length_on(half, angle[0]) - length[0]
    start = length - length[0]
    length = length + shift * np.exp(-start / (FADE * length[0].max()))
    return Rings(length, angle, float(half(0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, SAMPLES)))
                 .max()), half, camber, mean(one.turn, other.turn))  # fmt: skip


def _length_on(half: Callable[[Floats], Floats], angle: Floats) -> Floats:
    """l at values of t on a symmetric section, of half its thickness over x."""
    q = 0.5 - 0.5 * np.cos(np.linspace(np.pi, 0.0, 4 * SAMPLES))
    value = np.arccosh(2.0 * (q * q + 1j * half(q * q)) - 1.0)
    t = np.minimum(angle, 2.0 * np.pi - angle)
    return np.asarray(CubicSpline(value.imag, value.real)(t))


def straightened(
    shape: Section,
) -> tuple[Section, Callable[[Floats], Floats], Callable[[Floats], Floats], complex]:
    """Symmetric section with a section's thickness, half of that over x, the camber line, and the
    chord line's turn."""
    if shape.symmetric:
        z = shape.curve(np.linspace(0.5, 0.0, 8 * SAMPLES))[0]
        return shape, _over_root(shape.name, z), np.zeros_like, 1.0 + 0j
    edge = complex(shape.curve(np.zeros(1))[0][0])
    if abs(edge - 1.0) > 1e-6:
        raise MeshError(
            f"wing: section '{shape.name}' ends at ({edge.real:.6g}, {edge.imag:.6g}), expected "
            "its trailing edge at (1, 0)"
        )

    def from_edge(u: float) -> float:
        return -float(abs(shape.curve(np.array([u]))[0][0] - edge))

    nose = float(minimize_scalar(from_edge, bounds=(0.3, 0.7), method="bounded").x)
    chord = edge - complex(shape.curve(np.array([nose]))[0][0])
    x = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, SAMPLES))
    sides = []
    for end in (0.0, 1.0):
        z = shape.curve(nose + (end - nose) * np.linspace(0.0, 1.0, 8 * SAMPLES))[0]
        sides.append(_over_root(shape.name, 1.0 + (z - edge) / chord)(x))  # nose at 0, edge at 1
    root = np.sqrt(x)
    half = CubicSpline(np.append(-root[:0:-1], root), _odd(0.5 * (sides[0] - sides[1])))
    mean = CubicSpline(root, 0.5 * (sides[0] + sides[1]))

    def curve(u: Floats) -> tuple[Complexes, Complexes]:
        q = 1.0 - 2.0 * u
        return q * q + 1j * half(q), -2.0 * (2.0 * q + 1j * half(q, 1))

    def at(spline: CubicSpline) -> Callable[[Floats], Floats]:
        return lambda place: np.asarray(spline(np.sqrt(np.clip(place, 0.0, 1.0))))

    return Section(shape.name, curve, 0.0, symmetric=True), at(half), at(mean), chord


def _over_root(name: str, side: Complexes) -> Callable[[Floats], Floats]:
    """z over x of one side of a section, from the nose at 0 to the edge at 1."""
    if (np.diff(side.real) <= 0).any():
        raise MeshError(
            f"wing: section '{name}' turns back at x = "
            f"{side.real[np.argmax(np.diff(side.real) <= 0)]:.4g}, expected sides that run from "
            "nose to edge"
        )
    spline = CubicSpline(np.sqrt(np.maximum(side.real, 0.0)), side.imag)
    return lambda x: np.asarray(spline(np.sqrt(np.clip(x, 0.0, 1.0))))


def _odd(half: Floats) -> Floats:
    """Values at -q and q of an odd function, 0 at the ends."""
    half[0] = half[-1] = 0.0
    return np.append(-half[:0:-1], half)
