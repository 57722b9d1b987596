"""Distance of a loop to a reference at equal phases, of measured ones at their points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinemesh.errors import CaseError
from kinemesh.loops.harmonics import Coefficient, FloatArray, interpolate

SAME = 0.01  # of the swing: by how much angles of one motion differ at equal phases
ROUNDING = 1e-12  # of the largest value: an amplitude of as much is no change
SCATTER = 0.1  # of the swing, of measured angles


class Compared(Protocol):
    """A loop that is compared: `kinemesh.loops.loop.Loop`."""

    @property
    def label(self) -> str:
        """Name in errors."""

    @property
    def phase_deg(self) -> FloatArray:
        """(steps,) phases."""

    @property
    def alpha_deg(self) -> FloatArray:
        """(steps,) angles."""

    @property
    def cl(self) -> Coefficient:
        """Lift."""

    @property
    def cm(self) -> Coefficient:
        """Pitching moment."""

    @property
    def cd(self) -> Coefficient | None:
        """Drag, or None."""

    @property
    def measured(self) -> Mapping[str, FloatArray] | None:
        """Columns of measured points, or None."""


@dataclass(frozen=True, slots=True)
class Distance:
    """Distance of a loop to a reference, as shares of the reference's amplitude."""

    rms: float
    mean: float  # mean minus the mean of the reference
    amplitude: float  # amplitude minus the amplitude of the reference


@dataclass(frozen=True, slots=True)
class Comparison:
    """Distances of lift, moment and drag to a reference loop; cd is None if one has no drag, and in
    figures each whose reference does not change."""

    cl: Distance | None
    cm: Distance | None
    cd: Distance | None = None


def distances(loop: Compared, other: Compared, constant: bool = False) -> Comparison:
    """Distances of a loop's loads; CaseError where the reference has another motion.

    A load of the reference that does not change has no amplitude, of which distances are shares:
    CaseError, or with `constant` no distance.
    """
    points = other.measured
    phase = loop.phase_deg if points is None else points["phase_deg"]
    there = interpolate(loop.alpha_deg, loop.phase_deg, np.radians(phase))
    theirs = _at(other, "alpha_deg", other.alpha_deg, phase)
    swing = np.ptp(other.alpha_deg) / 2
    allowed = SAME if points is None else SCATTER
    if np.abs(theirs - there).max() > allowed * max(swing, 1e-6):
        raise CaseError(
            f"'{loop.label}' pitches over {_range(loop.alpha_deg)}, the reference "
            f"'{other.label}' over {_range(other.alpha_deg)}: not the same motion"
        )

    def distance(name: str, mine: Coefficient, their: Coefficient) -> Distance | None:
        return _distance(loop, other, name, mine, their, phase, constant)

    drag = None
    if loop.cd is not None and other.cd is not None:
        drag = _distance(loop, other, "cd", loop.cd, other.cd, phase, True)
    return Comparison(distance("cl", loop.cl, other.cl), distance("cm", loop.cm, other.cm), drag)


def _range(alpha: FloatArray) -> str:
    low, high = (round(float(end), 3) + 0.0 for end in (alpha.min(), alpha.max()))  # no -0
    return f"{low:.3f} to {high:.3f} degrees"


def _at(other: Compared, name: str, values: FloatArray, phase: FloatArray) -> FloatArray:
    """A column of a reference: between its steps, or at the points that were measured."""
    if other.measured is None:
        return interpolate(values, other.phase_deg, np.radians(phase))
    return other.measured.get(name, np.full(len(phase), np.nan))


def _distance(
    loop: Compared,
    other: Compared,
    name: str,
    mine: Coefficient,
    their: Coefficient,
    phase: FloatArray,
    constant: bool,
) -> Distance | None:
    theirs = _at(other, name, their.values, phase)
    amplitude = their.amplitude if other.measured is None else float(np.ptp(theirs)) / 2
    rounding = ROUNDING * float(np.abs(theirs).max(initial=0.0))
    if amplitude <= rounding and constant:
        return None
    if amplitude == 0:
        raise CaseError(
            f"compare: {name} of the reference '{other.label}' does not change, so that there is "
            f"no share of its amplitude; leave {name} out of the reference"
        )
    away = interpolate(mine.values, loop.phase_deg, np.radians(phase)) - theirs
    return Distance(
        float(np.sqrt(np.mean(away**2))) / amplitude,
        (mine.mean - their.mean) / amplitude,
        (mine.amplitude - amplitude) / amplitude,
    )
