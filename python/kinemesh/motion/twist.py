"""Wings that twist: sections turn nose-up by an angle that grows along the span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import radians, tan
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kinemesh.arguments import checks_names
from kinemesh.dimension import XYZ, Dimension
from kinemesh.errors import SettingsError
from kinemesh.motion import onset
from kinemesh.motion.law import Motion, Shape
from kinemesh.motion.motions import omega_of
from kinemesh.motion.numbers import finite, lifted, place, positive
from kinemesh.motion.pose import Pose, Rate

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TwistShape:
    """Turn of sections of a wing, a shape whose amplitude is the angle at the tip [rad].

    Parameters
    ----------
    about : (x, y, z)    where the axis of twist meets the root [chord]
    span : float         distance along y over which the angle grows, and stays beyond [chord]
    rise : (x, z)        of the axis along the span: tangents of its sweep and of its dihedral
    """

    title: ClassVar[str] = "twist"
    unit: ClassVar[str] = "rad"  # of the amplitude
    turns: ClassVar[bool] = True  # by angles of any size, not in proportion to the amplitude
    about: tuple[float, ...]
    span: float
    rise: tuple[float, float]

    def turning(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Arms (n, 3) of points from the axis, in their sections, and shares (n,) of the angle."""
        out = np.abs(points[:, 1] - self.about[1])
        arm = np.zeros_like(points)
        for axis, rise in zip((0, 2), self.rise, strict=True):
            arm[:, axis] = points[:, axis] - self.about[axis] - rise * out
        return arm, np.minimum(out / self.span, 1.0)

    def __call__(self, points: FloatArray) -> FloatArray:
        """Displacements (n, 3) for a small angle, over that angle."""
        arm, share = self.turning(points)
        return share[:, None] * np.stack([arm[:, 2], 0 * share, -arm[:, 0]], axis=1)


@dataclass(frozen=True, slots=True)
class Twist(Motion):
    """The angle at the tip is amplitude sin(omega t + phase), times the share of its ramp."""

    adds_up: ClassVar[bool] = True
    amplitude_deg: float
    k: float
    span: float
    about: tuple[float, ...] = (0.25, 0.0, 0.0)
    sweep_deg: float = 0.0
    dihedral_deg: float = 0.0
    phase_deg: float = 0.0
    chord: float = 1.0
    ramp: float = 0.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("amplitude_deg", "sweep_deg", "dihedral_deg", "phase_deg"):
            put(self, name, finite("twist", name, getattr(self, name)))
        put(self, "ramp", onset.checked("twist", self.ramp))
        for name in ("k", "span", "chord"):
            put(self, name, positive("twist", name, getattr(self, name)))
        put(self, "about", lifted(place("twist", "about", self.about)))
        for name, most in (("amplitude_deg", 180), ("sweep_deg", 90), ("dihedral_deg", 90)):
            if not abs(getattr(self, name)) < most:
                raise SettingsError(
                    f"twist: {name} = {getattr(self, name)}, expected above -{most}, below {most}"
                )

    def omega(self, u_inf: float) -> float:
        return omega_of(self.k, u_inf, self.chord)

    def pose(self, t: float, u_inf: float) -> Pose:
        return Pose(modes=(onset.harmonic(self, radians(self.amplitude_deg), t, u_inf),))

    def rate(self, t: float, u_inf: float) -> Rate:
        return Rate(modes=(onset.harmonic_rate(self, radians(self.amplitude_deg), t, u_inf),))

    def settles(self, u_inf: float) -> float:
        return onset.end(u_inf, self.ramp, self.chord)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        rise = tan(radians(self.sweep_deg)), tan(radians(self.dihedral_deg))
        return (TwistShape(self.about, self.span, rise),)

    @property
    def dimension(self) -> Dimension:
        return XYZ


@checks_names
def twist(
    amplitude_deg: float,
    k: float,
    span: float,
    about: Sequence[float] = (0.25, 0.0),
    sweep_deg: float = 0.0,
    dihedral_deg: float = 0.0,
    phase_deg: float = 0.0,
    chord: float = 1.0,
    ramp: float = 0.0,
) -> Twist:
    """A wing that twists: its section at y turns nose-up by amplitude |y| / span sin(omega t).

    Sections turn about an axis that runs from a point of the root along the span; both halves of a
    whole wing twist alike.  Ma et al. (OpenACC deforming mesh), section 6.2, twist an ONERA M6 so.
    Movers that take it are `km.deform.TorsionalSprings`.

    Parameters
    ----------
    amplitude_deg : float    half of the range of the angle at the tip [deg]
    k : float                reduced frequency omega chord / (2 u_inf) [-]
    span : float             distance from the root at which the angle is all of it; sections beyond
        turn by no more [chord]
    about : (2,)             (x, z) of the axis at the root y = 0, or (x, y, z) of it [chord]
    sweep_deg : float        of the axis, back [deg]
    dihedral_deg : float     of the axis, up [deg]
    phase_deg : float        phase at t = 0 [deg]
    chord : float            reference length of k
    ramp : float             as of `km.motion.pitch`
    """
    return Twist(
        amplitude_deg, k, span, lifted(place("twist", "about", about)), sweep_deg, dihedral_deg,
        phase_deg, chord, ramp,
    )  # fmt: skip
