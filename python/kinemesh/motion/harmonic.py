"""Pitch, plunge and their sums of many bodies at once, with the bits of each body alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import radians

import numpy as np

from kinemesh.motion.law import Motion, Together
from kinemesh.motion.motions import Pitch, Plunge
from kinemesh.motion.numbers import FloatArray, numbers_of, turns

Turns = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True)
class _Part:
    """A pitch, or a plunge, of each body: amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude, omega, phase : (bodies,)    [rad or chord; rad a_inf/chord; rad]
    pitches : bool
    direction : (bodies, 2)    of a plunge
    """

    amplitude: FloatArray
    omega: FloatArray
    phase: FloatArray
    pitches: bool
    direction: FloatArray

    @classmethod
    def of(cls, motions: Sequence[Pitch | Plunge], speeds: Sequence[float]) -> _Part:
        """Part of motions of one class, in streams of these speeds [a_inf]."""
        amplitude = [radians(m.amplitude_deg) if isinstance(m, Pitch) else m.amplitude
                     for m in motions]  # fmt: skip
        omega = [m.omega(speed) for m, speed in zip(motions, speeds, strict=True)]
        phase = [radians(m.phase_deg) for m in motions]
        direction = [(0.0, 0.0) if isinstance(m, Pitch) else m.direction for m in motions]
        pitches = isinstance(motions[0], Pitch)
        a, o, p, d = (np.array(values, float) for values in (amplitude, omega, phase, direction))
        return cls(a, o, p, pitches, d)

    def split(self, value: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Share of a value (bodies,) in the angle (bodies,) and the shift (bodies, 2)."""
        if self.pitches:
            return value, np.zeros((2, len(value))).T
        return np.zeros(len(value)), value[:, None] * self.direction

    def turns(self, time: FloatArray) -> Turns:
        """Cosine and sine of omega t + phase at a time (bodies,) [chord/a_inf]."""
        return turns(self.omega * time + self.phase)

    def pose(self, turns: Turns) -> tuple[FloatArray, FloatArray]:
        """Angles and shifts from `turns` at a time."""
        return self.split(self.amplitude * turns[1])

    def rate(self, turns: Turns) -> tuple[FloatArray, FloatArray]:
        """Their rates."""
        return self.split(self.amplitude * self.omega * turns[0])


class Harmonics:
    """Bodies whose motions are sums of parts of the same classes in the same order.

    Attributes
    ----------
    bodies : (n,) array or slice    their numbers
    about : (n, 2)     their pivots; of plunges alone the origin [chord]
    """

    def __init__(
        self, bodies: Sequence[int], motions: Sequence[Motion], speeds: Sequence[float]
    ) -> None:
        self.bodies = numbers_of(bodies)
        parts = zip(*map(parts_of, motions), strict=True)
        self._parts = [_Part.of(part, speeds) for part in parts]
        self.about = np.array([m.pivot or (0.0, 0.0) for m in motions], float)
        self._known: tuple[FloatArray, list[Turns]] = np.array([np.nan]), []

    def poses(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Angles (n,) [rad] and shifts (n, 2) [chord] at a time (n,) [chord/a_inf]."""
        turns = self._turns(time)
        return _sum([part.pose(own) for part, own in zip(self._parts, turns, strict=True)])

    def rates(self, time: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rates of angles (n,) [rad a_inf/chord] and shifts (n, 2) [a_inf]."""
        turns = self._turns(time)
        return _sum([part.rate(own) for part, own in zip(self._parts, turns, strict=True)])

    def _turns(self, time: FloatArray) -> list[Turns]:
        """Turns of each part; cached for one time, as steps begin at the time of the last rates."""
        if not np.array_equal(time, self._known[0]):
            self._known = time.copy(), [part.turns(time) for part in self._parts]
        return self._known[1]


def _sum(parts: list[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Angles and shifts of all parts, added in their order."""
    angle, shift = parts[0]
    for more, moved in parts[1:]:
        angle, shift = angle + more, shift + moved
    return angle, shift


def parts_of(motion: Motion) -> tuple[Motion, ...]:
    """Parts of a sum, or the motion alone."""
    return motion.parts if isinstance(motion, Together) else (motion,)
