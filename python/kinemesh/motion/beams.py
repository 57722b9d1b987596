"""Shapes of a wing that is clamped at its root, by formula: first modes of a uniform beam.

Bending and torsion of a beam of constant section, clamped at y = 0 and free at y = span (Blevins,
Formulas for natural frequency and mode shape, tables 8-1 and 8-16): both are 1 at the tip, and both
halves of a whole wing, y and -y, move alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, cosh, pi, sin, sinh
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.dimension import XYZ, Dimension
from kinemesh.motion.numbers import lifted, place, positive

FloatArray = NDArray[np.float64]
ROOT = 1.8751040687119611  # first root of cos(b) cosh(b) = -1
RATIO = (cosh(ROOT) + cos(ROOT)) / (sinh(ROOT) + sin(ROOT))
TIP_SLOPE = 0.5 * ROOT * (sinh(ROOT) + sin(ROOT) - RATIO * (cosh(ROOT) - cos(ROOT)))


@dataclass(frozen=True, slots=True)
class ClampedBending:
    """Displacement up of a beam clamped at the root, 1 at the tip; see `clamped_bending`."""

    title: ClassVar[str] = "bending"
    dimension: ClassVar[Dimension] = XYZ
    span: float

    def __call__(self, points: FloatArray) -> FloatArray:
        """Displacements (n, 3) of points (n, 3)."""
        out = np.abs(points[:, 1]) / self.span
        b = ROOT * np.minimum(out, 1.0)
        beam = 0.5 * (np.cosh(b) - np.cos(b) - RATIO * (np.sinh(b) - np.sin(b)))
        found = np.zeros_like(points)
        found[:, 2] = beam + TIP_SLOPE * np.maximum(out - 1.0, 0.0)
        return found


@dataclass(frozen=True, slots=True)
class ClampedTorsion:
    """Turn of sections of a beam clamped at the root, for a small angle; see `clamped_torsion`."""

    title: ClassVar[str] = "torsion"
    unit: ClassVar[str] = "rad"  # of the amplitude
    dimension: ClassVar[Dimension] = XYZ
    span: float
    about: tuple[float, ...]

    def __call__(self, points: FloatArray) -> FloatArray:
        """Displacements (n, 3) of points (n, 3)."""
        out = np.abs(points[:, 1] - self.about[1]) / self.span
        angle = np.sin(0.5 * pi * np.minimum(out, 1.0))
        found = np.zeros_like(points)
        found[:, 0] = angle * (points[:, 2] - self.about[2])
        found[:, 2] = -angle * (points[:, 0] - self.about[0])
        return found


@checks_names
def clamped_bending(span: float) -> ClampedBending:
    """First bending mode of a uniform beam, clamped at y = 0: a shape for `km.motion.vibrate`.

    The displacement is along z, (cosh b - cos b - r (sinh b - sin b)) / 2 with b = 1.8751 |y| /
    span and r = 0.7341: 1 at the tip.  Beyond the tip the beam goes on straight.

    Parameters
    ----------
    span : float    distance of the tip from the root [chord]
    """
    return ClampedBending(positive("clamped_bending", "span", span))


@checks_names
def clamped_torsion(span: float, about: Sequence[float] = (0.25, 0.0)) -> ClampedTorsion:
    """First torsion mode of a uniform beam, clamped at y = 0: a shape for `km.motion.vibrate`.

    Sections turn nose-up by sin(pi |y| / (2 span)) times the amplitude, the angle at the tip [rad],
    which is small: displacements are linear in it.  Angles of any size are those of
    `km.motion.twist`.  Beyond the tip the angle stays.

    Parameters
    ----------
    span : float    distance of the tip from the root [chord]
    about : (2,)    (x, z) of the axis, which runs along y, or (x, y, z) of it at the root [chord]
    """
    where = lifted(place("clamped_torsion", "about", about))
    return ClampedTorsion(positive("clamped_torsion", "span", span), where)
