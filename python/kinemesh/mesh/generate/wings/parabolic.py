"""C-lines about a section in parabolic coordinates, where its thickness is one number.

With z = f + omega^2 / 4, omega = xi + i eta, and f half the radius of the nose, the section is a
line eta_0(xi) that is nearly level, |xi| <= xi_t, and the wake is the axis beyond it.  Scaling
eta_0 makes the section thinner, down to its chord.

    omega = xi(X, e) + i (tau eta_0 + e),    X = X(k, e)

is ray k at a height e over that line: X is that of the wall at e = 0 and smoothed over a distance
in proportion to e above it (smoothed.py), and xi the fan of cmesh.py.  The far field is half a
circle ahead, two level lines and the outflow plane.  Heights in length grow geometrically along
each ray from one first height; behind the trailing edge and beyond the tip lower layers are
thicker, as in wakes of viscous.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from kinemesh.mesh.generate.cmesh import fan
from kinemesh.mesh.generate.rays import layers
from kinemesh.mesh.generate.smoothed import Smoothed
from kinemesh.mesh.generate.spacing import grown
from kinemesh.mesh.generate.viscous import at_heights, heights, on_section
from kinemesh.mesh.generate.wings.elliptic import TURNED, straightened
from kinemesh.mesh.sections.section import Section

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

TRAILING = 0.2  # step at the trailing edge over the mean, before the shape is scaled
SAMPLES = 4000  # of a section
KNOTS = 120  # of the lengths of rays
FIRST = 1e-7  # first of them, in e
PARTS, ROUNDS = 32, 7  # of the search for the far field
BENT = 0.7  # e over which the camber's shift falls by e
SPREAD = 0.3  # growth of the chord's line with distance beyond the tip


@dataclass(frozen=True, slots=True)
class Lines:
    """Nodes on the upper side of a section of chord 1, from the nose to the trailing edge.

    Parameters
    ----------
    xi, eta : (section + 1,)    their places, eta 0 at the trailing edge
    focus : float               f, half the radius of the nose [chord]
    trailing : float            step at the trailing edge [chord]
    half_thickness : float      [chord]
    camber : x (any) -> z       of the mean line over the chord line [chord]
    turn : complex              from the chord line's axes to the section's
    """

    xi: Floats
    eta: Floats
    focus: float
    trailing: float
    half_thickness: float
    camber: Callable[[Floats], Floats]
    turn: complex

    def points(
        self,
        thickness: float,
        beyond: float,
        chord: float,
        nose: complex,
        normal: Heights,
        twist: float = 0.0,
        about: float = 0.25,
    ) -> tuple[Complexes, Floats]:
        """(layers + 1, columns) x + i z of one station, and the share of the way outwards of each.

        Parameters
        ----------
        thickness : over that of the section
        beyond : distance beyond the tip's cap
        chord, nose : of the station
        twist, about : nose up [rad], about the place of this share of the chord
        """
        long = chord + SPREAD * beyond
        wake = 2.0 * np.sqrt(1.0 - self.focus + normal.wake[1:] / long)
        xi = np.append(self.xi, wake)
        wall = thickness * np.append(self.eta, np.zeros(len(wake)))
        away = np.append(np.zeros(len(self.xi)), normal.wake[1:])
        end = xi[-1]
        index = np.arange(len(xi), dtype=np.float64)
        fine = np.concatenate([-xi[:0:-1], xi, 2.0 * end - xi[-2::-1]])
        count = np.concatenate([-index[:0:-1], index, 2.0 * index[-1] - index[-2::-1]])
        smooth = Smoothed.of(PchipInterpolator(fine, count))

        def omega(e: Floats) -> Complexes:
            return fan(smooth.together(e, xi), e, end) + 1j * wall

        def placed(e: Floats) -> Complexes:
            return long * (self.focus + 0.25 * omega(e) ** 2)

        top = _tops(omega, 4.0 * normal.far / long, len(xi))
        knots = layers(np.full_like(top, FIRST), top, KNOTS)
        parts = np.abs(np.diff(placed(knots), axis=0))
        length = np.concatenate([np.zeros((1, len(xi))), np.cumsum(parts, axis=0)])
        high = heights(normal.first, length[-1], normal.layers, np.hypot(away, beyond))
        e = at_heights(length, knots, high)
        half = placed(e)
        both: Complexes = np.concatenate([half[:, ::-1], np.conj(half[:, 1:])], axis=1)
        share = (e / top) ** 2
        share = np.concatenate([share[:, ::-1], share[:, 1:]], axis=1)
        over = np.concatenate([e[:, ::-1], e[:, 1:]], axis=1)
        x = np.clip(both[0].real / long, 0.0, 1.0)
        fade = np.exp(-((over / BENT) ** 2)) * (chord / long)
        place = both + 1j * long * self.camber(x) * fade
        behind = len(normal.wake) - 1
        turns = _turns(both / long, slice(behind, len(x) - behind), twist)
        edge = nose + chord + 0.5 * SPREAD * beyond
        place = edge + (place - long) * self.turn
        turned = (place - nose - about * chord) * (turns - 1.0)
        return place + turned, share


@dataclass(frozen=True, slots=True)
class Heights:
    """Layers of all stations, in root chords.

    Parameters
    ----------
    first : height of the wall's cells
    layers : from the wall to the far field
    far : distance of the far field
    wake : (steps + 1,) distances behind the trailing edge, 0 to that
    """

    first: float
    layers: int
    far: float
    wake: Floats

    @classmethod
    def of(cls, first: float, layers: int, far: float, trailing: float, steps: int) -> Heights:
        """Layers with steps along the wake that grow from that at the trailing edge."""
        return cls(first, layers, far, grown(trailing, far, steps))


def lines(shape: Section, section: int) -> Lines:
    """Nodes on a section, `section` steps on each side."""
    _, half, camber, turn = straightened(shape)
    q = np.sin(np.linspace(0.0, 0.5 * np.pi, SAMPLES + 1))
    slope = float(half(np.array([1e-10]))[0]) / 1e-5  # of the half thickness over sqrt(x)
    focus = 0.25 * slope**2
    z = q * q + 1j * half(q * q)
    z[-1] = 1.0
    omega = 2.0 * np.sqrt(z - focus)
    omega[0] = 1j * slope
    arc = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(z)))])
    count, trailing = on_section(arc, section, TRAILING)
    at = PchipInterpolator(count, q)(np.arange(section + 1))
    xi, eta = (PchipInterpolator(q, own)(at) for own in (omega.real, omega.imag))
    xi[0], eta[-1] = 0.0, 0.0
    return Lines(xi, eta, focus, trailing, float(z.imag.max()), camber, turn)


def blended(one: Lines, other: Lines, share: float) -> Lines:
    """Lines between two sections, a share of the way from the first."""
    if one is other or share == 0.0:
        return one
    if share == 1.0:
        return other

    def mean(name: str) -> Any:
        return (1.0 - share) * getattr(one, name) + share * getattr(other, name)

    def camber(x: Floats) -> Floats:
        return np.asarray((1.0 - share) * one.camber(x) + share * other.camber(x))

    names = ("xi", "eta", "focus", "trailing", "half_thickness", "turn")
    return Lines(camber=camber, **{name: mean(name) for name in names})


def _tops(omega: Callable[[Floats], Complexes], radius: float, rays: int) -> Floats:
    """e at which each ray meets the far field: |omega^2| = radius ahead, Im(omega^2) behind."""
    low, high = np.zeros(rays), np.full(rays, 3.0 * np.sqrt(radius))
    share = np.linspace(0.0, 1.0, PARTS + 1)[:, None]
    ray = np.arange(rays)
    for _ in range(ROUNDS):
        e = low + share * (high - low)
        square = omega(e) ** 2
        above = np.where(square.real < 0, np.abs(square), square.imag) > radius
        first = np.maximum(np.argmax(above, axis=0), 1)
        low, high = e[first - 1, ray], e[first, ray]
    return 0.5 * (low + high)


def _turns(place: Complexes, section: slice, twist: float) -> Complexes:
    """Factors that turn the section by a twist, and what is some five chords away by nothing.

    Parameters
    ----------
    place : (layers + 1, columns) of chord 1, nose at 0
    section : columns of the section
    """
    if not twist:
        return np.ones(place.shape, np.complex128)
    length = np.arccosh(2.0 * place - 1.0).real  # that of elliptic.py
    share = np.clip((length - length[0, section].max()) / TURNED, 0.0, 1.0)
    smooth = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    return np.asarray(np.exp(-1j * twist * (1.0 - smooth)))
