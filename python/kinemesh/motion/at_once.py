"""Motions of many bodies that are evaluated at once, by their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kinemesh.dimension import XY
from kinemesh.motion.harmonic import Harmonics, parts_of
from kinemesh.motion.law import Motion, Together
from kinemesh.motion.motions import Pitch, Plunge
from kinemesh.motion.numbers import FloatArray
from kinemesh.motion.pulses import Pulse, Pulses


class Group(Protocol):
    """Bodies whose motions are of the same kinds.

    Attributes
    ----------
    bodies : (n,) array or slice    their numbers
    about : (n, 2)     their pivots; of plunges alone the origin [chord]
    """

    bodies: NDArray[np.int64] | slice
    about: FloatArray

    def poses(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles (n,) [rad] and shifts (n, 2) [chord] at a time (n,) [chord/a_inf]."""

    def rates(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rates of angles (n,) [rad a_inf/chord] and shifts (n, 2) [a_inf]."""


def _kinds(motion: Motion) -> tuple[type, ...]:
    """Key of the group of a motion; empty of one that is evaluated alone."""
    if not XY.holds(motion.dimension):
        return ()
    if type(motion) is Pulse:
        return (Pulse,)
    parts = parts_of(motion)
    whole = type(motion) in (Pitch, Plunge, Together) and set(map(type, parts)) <= {Pitch, Plunge}
    whole = whole and not any(getattr(part, "ramp", 0) for part in parts)
    return tuple(map(type, parts)) if whole else ()


def sorted_out(
    motions: Sequence[Motion | None], speeds: NDArray[np.float64]
) -> tuple[list[Group], list[int]]:
    """Motions that can be evaluated at once, and the bodies of all others.

    Parameters
    ----------
    motions : of each body, None of one at rest, which is in neither
    speeds : (bodies,)    of their streams [a_inf]
    """
    alike: dict[tuple[type, ...], list[int]] = {}
    alone: list[int] = []
    for body, motion in enumerate(motions):
        if motion is None:
            continue
        kinds = _kinds(motion)
        (alike.setdefault(kinds, []) if kinds else alone).append(body)
    groups: list[Group] = []
    for kinds, own in alike.items():
        made = Pulses if kinds == (Pulse,) else Harmonics
        groups.append(made(own, [m for b in own if (m := motions[b])], speeds[own].tolist()))
    return groups, alone
