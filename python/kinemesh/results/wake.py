"""Induced drag and bending of wings by the load along their span (docs/theory.md, eqs 2.16c to e).

The drag is that of Trefftz' plane (Katz and Plotkin, Low-Speed Aerodynamics, 2001, sections 8.1
and 8.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.results.bands import Bands
from kinemesh.results.sections import SectionLoads, Span, sections

Floats = NDArray[np.float64]
# Terms of the series.  Those beyond have 1e-4 of the drag of a straight wing by lifting-line
# theory, and here the jagged load over the cap of a blunt tip: 6 to 9 % with 23 on 10 to 30
# thousand nodes.
TERMS = 9
PARTS = 96  # of half a turn, at which sections are


def coefficients(load: Floats, terms: int = TERMS) -> Floats:
    """(terms,) coefficients of sines of a load at equal angles from 0 to pi, both ends included.

    Parameters
    ----------
    load : (parts + 1,) at y = -b/2 cos(angle)
    """
    parts = len(load) - 1
    angle = np.pi * np.arange(1, parts) / parts
    order = np.arange(1, terms + 1)
    return np.asarray(2 / parts * (np.sin(np.outer(order, angle)) @ load[1:-1]))


def drag(load: Floats, span: float) -> float:
    """Drag over q_inf of a whole wing that sheds a plane wake [length^2].

    Parameters
    ----------
    load : (parts + 1,) lift per span over q_inf at y = -span/2 cos(angle) [length]
    """
    a = coefficients(load / (4 * span))
    return float(np.pi * span**2 * (np.arange(1, len(a) + 1) * a**2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Lift:
    """Lift along the span of walls that shed a wake.

    Parameters
    ----------
    load : (parts + 1,) lift per span over q_inf at y = -span/2 cos(angle) of the whole wing, at
        equal angles from 0 to pi [length]
    span : of the whole wing, of a half model with its image [length]
    share : of the whole wing that the walls are
    """

    load: Floats
    span: float
    share: float

    @property
    def drag(self) -> float:
        """Induced drag of the walls over q_inf [length^2]."""
        return self.share * drag(self.load, self.span)

    @property
    def bending(self) -> float:
        """Moment over q_inf of the lift of a half wing about its root [length^3].

        Of a wing of both halves it is their mean, about the middle.
        """
        angle = np.pi * np.arange(len(self.load)) / (len(self.load) - 1)
        arm, way = np.abs(np.cos(angle)), np.sin(angle)
        both = float((self.load * arm * way).sum() * angle[1])
        return 0.5 * both * (0.5 * self.span) ** 2


def lift_of(
    points: Floats, triangles: NDArray[Any], cp: Floats, on: str, alpha_deg: float
) -> Lift | None:
    """Lift along the span of walls in a flow; None where they shed no wake.

    Walls that end at a plane of symmetry have its image beside them, and half of the drag of both.
    Those between two planes shed none.

    Parameters
    ----------
    points : (nodes, 3)
    triangles : (t, 3)    their area vectors point out of the gas
    cp : (nodes,) pressure coefficients, or (t,) where `on` is "cells"
    alpha_deg : of the stream
    """
    if not len(triangles) or not np.ptp(points[triangles, 1]) > 0:
        return None
    span = Span.of(points, triangles)
    if span.between:
        return None
    whole = span.least < 0
    share = (-np.cos(np.pi * np.arange(PARTS + 1) / PARTS)).tolist()
    force = _forces(points, triangles, cp, on, share if whole else share[PARTS // 2 :], span)
    alpha = np.radians(alpha_deg)
    lift = force[:, 1] * np.cos(alpha) - force[:, 0] * np.sin(alpha)
    if whole:
        return Lift(lift, span.high - span.low, 1.0)
    return Lift(np.concatenate([lift[:0:-1], lift]), 2 * (span.high - span.low), 0.5)


def _forces(
    points: Floats, triangles: NDArray[Any], cp: Floats, on: str, etas: list[float], span: Span
) -> Floats:
    """(n, 2) force along x and z over q_inf per length of span, at shares of it."""
    if on == "cells":  # sections would jump at each row of faces
        bands = Bands.of_walls(points, triangles, span)
        places = np.array([span.y(eta) for eta in etas])
        return bands.at(places, bands.sums(points, cp))[:, :2]
    cuts = sections(points, triangles, etas, span)
    return np.array([SectionLoads.of(cut, points, cp).load for cut in cuts])
