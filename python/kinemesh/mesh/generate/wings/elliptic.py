"""Rings about a section in elliptic coordinates, where its thickness is one number.

With z = 1/2 + cosh(l + i t) / 2 the chord is the line l = 0.  The rings of an O-mesh are
written in (l, t); scaling l at the wall makes the section thinner, down to the chord itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar

from kinemesh.errors import MeshError
from kinemesh.mesh.generate import omesh
from kinemesh.mesh.generate.rays import Wanted
from kinemesh.mesh.sections.section import Section

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

FADE = 4.0  # of the thickness's change away from the wall, over the section's largest l
BENT = 0.7  # l over which the camber's shift falls by e
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
    camber : x (any) -> z       of its mean line over the chord line [chord]
    turn : complex              from the chord line's axes to the section's
    """

    length: Floats
    angle: Floats
    half_thickness: float
    camber: Callable[[Floats], Floats]
    turn: complex

    def points(
        self,
        thickness: float,
        beyond: float,
        chord: float,
        nose: float,
        middle: float,
        radius: float,
    ) -> Complexes:
        """(rings, around) x + i z of one station; the last ring is a circle.

        Parameters
        ----------
        thickness : over that of the section
        beyond : distance beyond the tip's cap
        chord, nose : of the station
        middle, radius : x of the circle's centre, and its radius
        """
        count, around = self.length.shape
        start = self.length - self.length[0]
        fade = np.exp(-start / (FADE * np.abs(self.length[0]).max()))
        length = self.length - (1.0 - thickness) * self.length[0] * fade
        even = EVEN * beyond / (beyond + EVEN_AT)
        ray = np.arange(around) * (2 * np.pi / around)
        ring = np.arange(count)[:, None] / (count - 1)
        length = (1.0 - even) * length + even * ring * length[-1]
        angle = (1.0 - even) * self.angle + even * ray
        centre, half = nose + 0.5 * chord, 0.5 * (chord + SPREAD * beyond)
        place = half * np.cosh(length + 1j * angle)
        x = 0.5 + 0.5 * np.cos(angle) * np.cosh(length[0])  # of the wall, at the chord's scale
        bent = 2j * (1.0 - even) * self.camber(x) * np.exp((length[0] - length) / BENT)
        place = centre + half + (place - half + half * bent) * self.turn  # about the edge
        circle = middle + radius * np.exp(1j * angle[-1])
        return place + fraction(length) * (circle - place[-1])


def fraction(length: Floats) -> Floats:
    """(rings, around): 0 at the wall, 1 on the last ring, in proportion to the radius.

    At the wall it grows with the square of l, as the distance from a sharp edge does: a shift in
    proportion to it cannot fold the rings there.
    """
    start = length - length[0]
    return (np.cosh(start) - 1.0) / (np.cosh(start[-1]) - 1.0)


def rings(shape: Section, around: int, count: int, far_field: float) -> Rings:
    """Rings about a section, first the wall: an O-mesh of its thickness, bent by its camber."""
    thickness, camber, turn = _straightened(shape)
    wanted = Wanted(nodes=around * count, far_field=far_field, around=around)
    place = omesh.structured(thickness, wanted)
    value = np.arccosh(2.0 * place - 1.0)  # l >= 0, t in (-pi, pi]
    angle = np.where(np.arange(around) > around // 2, value.imag + 2 * np.pi, value.imag)
    return Rings(value.real, angle, float(place[0].imag.max()), camber, turn)


def _straightened(shape: Section) -> tuple[Section, Callable[[Floats], Floats], complex]:
    """Symmetric section with a section's thickness, its camber line, and the chord line's turn."""
    if shape.symmetric:
        return shape, np.zeros_like, 1.0 + 0j
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
        z = 1.0 + (z - edge) / chord  # nose at 0, edge at 1
        if (np.diff(z.real) <= 0).any():
            raise MeshError(
                f"wing: section '{shape.name}' turns back at x = "
                f"{z.real[np.argmax(np.diff(z.real) <= 0)]:.4g}, expected sides that run from "
                "nose to edge"
            )
        sides.append(CubicSpline(np.sqrt(np.maximum(z.real, 0.0)), z.imag)(np.sqrt(x)))
    root = np.sqrt(x)
    half = CubicSpline(np.append(-root[:0:-1], root), _odd(0.5 * (sides[0] - sides[1])))
    mean = CubicSpline(root, 0.5 * (sides[0] + sides[1]))

    def curve(u: Floats) -> tuple[Complexes, Complexes]:
        q = 1.0 - 2.0 * u
        return q * q + 1j * half(q), -2.0 * (2.0 * q + 1j * half(q, 1))

    def camber(place: Floats) -> Floats:
        return mean(np.sqrt(np.clip(place, 0.0, 1.0)))

    return Section(shape.name, curve, 0.0, symmetric=True), camber, chord


def _odd(half: Floats) -> Floats:
    """Values at -q and q of an odd function, 0 at the ends."""
    half[0] = half[-1] = 0.0
    return np.append(-half[:0:-1], half)
