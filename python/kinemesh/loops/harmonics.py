"""Harmonics of a coefficient over a cycle of uniform steps, and interpolation between the steps.

With N uniform steps per cycle and phase phi = omega t, harmonic n of f is the exact discrete sum
    s_n = 2/N sum f sin(n phi),   c_n = 2/N sum f cos(n phi),   f ~ mean + s_n sin + c_n cos.
Amplitude is half of the range over the cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, degrees, hypot

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.io.brief import Brief

HARMONICS = 3
# Of the amplitude; beyond it a loop is not periodic.  The ready cases come below it in three and
# four cycles, their damping then changes by less than 0.1 % in later ones.
PERIODIC = 0.01
LEAST = 1e-6  # amplitude below which a coefficient is what residuals leave
# Of the largest amplitude among the loads: one below it is periodic, as what it is follows from how
# far steps converge (a load that symmetry makes zero).
NOTHING = 1e-4
LEVER = 0.01  # chords: a moment of the lift's amplitude on this lever is nothing beside the lift
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Harmonic:
    """The part sin sin(order phi) + cos cos(order phi) of a coefficient; phi is the phase."""

    order: int
    sin: float
    cos: float

    @property
    def magnitude(self) -> float:
        return hypot(self.sin, self.cos)

    @property
    def phase_deg(self) -> float:
        """Lead over sin(order phi), so that the part is magnitude sin(order phi + phase)."""
        return degrees(atan2(self.cos, self.sin))


@dataclass(frozen=True, slots=True)
class Change:
    """Difference of a coefficient between the last cycle and the cycle before."""

    rms: float
    amplitude: float
    start: float  # value where the last cycle begins: the last value of the cycle before


@dataclass(frozen=True, slots=True, repr=False)
class Coefficient(Brief):
    """One coefficient over the last cycle."""

    values: FloatArray  # (steps,)
    mean: float
    amplitude: float  # half of the range
    harmonics: tuple[Harmonic, ...]  # orders 1 to 3
    change: Change | None  # from the cycle before; None where there is no such cycle
    least: float = LEAST  # least amplitude that `share` divides by
    nothing: float = 0.0  # amplitude and change below which the load is periodic

    @property
    def share(self) -> float | None:
        """Change from the cycle before, rms over amplitude; None without an earlier cycle.

        0 of a load that is nothing beside the largest one in both cycles (`NOTHING`).
        """
        if self.change is None:
            return None
        before = self.amplitude - self.change.amplitude
        if max(self.amplitude, before, self.change.rms) < self.nothing:
            return 0.0
        return self.change.rms / max(self.amplitude, self.least)


def interpolate(values: ArrayLike, phase_deg: ArrayLike, at: ArrayLike) -> FloatArray:
    """Periodic (Fourier) interpolation of N uniform samples, exact for orders below N / 2.

    values, phase_deg (N,); at (...) phases [rad].
    """
    f = np.asarray(values, float)
    start = np.radians(np.asarray(phase_deg, float)[0])
    amplitudes = np.fft.rfft(f) / len(f)
    weight = np.full(len(amplitudes), 2.0)
    weight[0] = 1.0
    if len(f) % 2 == 0:
        weight[-1] = 1.0  # the highest order of an even count is a cosine alone
    order = np.arange(len(amplitudes))
    turn = np.exp(1j * np.multiply.outer(np.asarray(at, float) - start, order))
    return np.real(turn @ (weight * amplitudes))


def coefficient(
    values: FloatArray,
    phase: FloatArray,
    before: FloatArray | None,
    last: int = 0,
    least: float = LEAST,
    nothing: float = 0.0,
) -> Coefficient:
    """A coefficient over one cycle, values (steps,) at phases (steps,) [rad], and before it.

    `last` is the place of the step in which a cycle ends, `least` and `nothing` as in
    `Coefficient`.
    """
    share = 2 / len(values)
    orders = range(1, min(HARMONICS, (len(values) - 1) // 2) + 1)
    harmonics = tuple(
        Harmonic(
            n,
            float(share * (values @ np.sin(n * phase))),
            float(share * (values @ np.cos(n * phase))),
        )
        for n in orders
    )
    amplitude = float(np.ptp(values) / 2)
    change = None
    if before is not None:
        rms = float(np.sqrt(np.mean((values - before) ** 2)))
        change = Change(rms, amplitude - float(np.ptp(before) / 2), float(before[last]))
    return Coefficient(values, float(values.mean()), amplitude, harmonics, change, least, nothing)


def fitted(values: FloatArray, phase: FloatArray) -> tuple[FloatArray, NDArray[np.complex128]]:
    """Mean and complex harmonics c_n - i s_n, (orders, ...), of values (frames, ...) by least
    squares over the phases (frames,) [rad] of the frames, which need not be uniform."""
    orders = min(HARMONICS, (len(phase) - 1) // 2)
    waves = [f(n * phase) for n in range(1, orders + 1) for f in (np.cos, np.sin)]
    fit = np.linalg.pinv(np.stack([np.ones_like(phase), *waves], axis=1)) @ values
    return fit[0], fit[1::2] - 1j * fit[2::2]
