"""Mean, rms, amplitude and frequency of loads over a window of time, of a run without a cycle.

One frequency is common to all coefficients, that of the lift (of the drag, where no lift swings
beside it):
    f ~ mean + sum over n = 1 to 4 of a_n cos(n omega t) + b_n sin(n omega t),
by least squares over the window, omega by Gauss and Newton from the largest line of the discrete
spectrum, so that the window need not be a whole number of periods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.columns import LOADS

FloatArray = NDArray[np.float64]
ORDERS = 4
LEAST = 16  # rows of a window
PERIODS = 2.0  # of a window, at least, for a frequency to be known
FEW = 5.0  # periods below which a swing is hardly told from what still settles
SWING = 0.01  # rms of a load, over the largest load of all, from which on it changes there
STEADY = 1e-6  # rms below which a coefficient does not swing
BESIDE = 1e-3  # rms, over that of the load that swings most, below which it is noise of the other
NOISE = 1e-4  # rms, over the largest mean, below which it is what is left of the start


@dataclass(frozen=True, slots=True)
class Line:
    """One coefficient over the window."""

    mean: float
    rms: float  # of what is beside the mean
    amplitude: float  # of its largest harmonic


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Loads over a window of time.

    Parameters
    ----------
    start, end : float    of the window, in the units of the history's time
    periods : float       in the window; 0 where nothing swings
    strouhal : float or None    frequency chord / U; None where no two periods are in the window
    cl, cd, cm : Line     of all walls together
    bodies : {marker: Spectrum}    of each of several bodies
    """

    start: float
    end: float
    periods: float
    strouhal: float | None
    cl: Line
    cd: Line
    cm: Line
    bodies: Mapping[str, Spectrum] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for JSON."""
        window = {"window": [self.start, self.end], **self._numbers()}
        each = {marker: own._numbers() for marker, own in self.bodies.items()}
        return window | ({"bodies": each} if each else {})

    def _numbers(self) -> dict[str, Any]:
        told = {
            name: {"mean": one.mean, "rms": one.rms, "amplitude": one.amplitude}
            for name, one in self._lines().items()
        }
        return {"periods": self.periods, "strouhal": self.strouhal} | told

    def _lines(self) -> dict[str, Line]:
        return {name: getattr(self, name) for name in LOADS}

    def remark(self) -> str | None:
        """Warning of unsteady loads in a window of less than `FEW` periods.

        They change where an rms is above `SWING` of the largest load, of single bodies too.
        """
        each = [self, *self.bodies.values()]
        lines = [line for one in each for line in one._lines().values()]
        largest = max(max(abs(line.mean), line.rms) for line in lines)
        swing = max(line.rms for line in self._lines().values())
        if self.periods >= FEW or swing <= max(STEADY, SWING * largest):
            return None
        return (
            f"the loads change over the window of the spectrum, time {self.start:.5g} to "
            f"{self.end:.5g}, which holds {self.periods:.2g} periods, expected at least {FEW:g}; "
            "raise steps, or mistrust means and amplitudes"
        )


def spectrum_of(
    rows: Mapping[str, Any], start: float | None = None, per_length: float = 1.0
) -> Spectrum:
    """Loads of one member's rows, at uniform times, from `start` on.

    Parameters
    ----------
    rows : columns time, cl, cd, cm
    start : first time of the window; None: half of the last time
    per_length : chord over reference speed, in the units of the history, for the Strouhal number

    Raises
    ------
    CaseError    too few rows in the window
    """
    time = np.asarray(rows["time"], float)
    begin = 0.5 * time[-1] if start is None and len(time) else start
    chosen = time >= (begin or 0.0) - 1e-12 * (1 + abs(begin or 0.0))
    count = int(chosen.sum())
    if count < LEAST:
        raise CaseError(
            f"spectrum: {count} steps from time {begin} on, expected at least {LEAST}; give an "
            "earlier start, or run longer"
        )
    time = time[chosen]
    values = {name: np.asarray(rows[name], float)[chosen] for name in LOADS}
    leads = _swinging({name: values[name] for name in ("cl", "cd")})
    omega = _frequency(time, values[leads[0]]) if leads else 0.0
    periods = omega * (time[-1] - time[0]) / (2 * np.pi)
    known = periods >= PERIODS
    lines = {n: _line(time, v, omega if known else 0.0) for n, v in values.items()}
    strouhal = float(omega / (2 * np.pi) * per_length) if known else None
    cl, cd, cm = lines["cl"], lines["cd"], lines["cm"]
    return Spectrum(float(time[0]), float(time[-1]), float(periods), strouhal, cl, cd, cm)


def _swinging(values: Mapping[str, FloatArray]) -> list[str]:
    """Names of the loads that swing, of values by name."""
    swings = {name: float(np.std(own)) for name, own in values.items()}
    mean = max(abs(float(np.mean(own))) for own in values.values())
    least = max(STEADY, BESIDE * max(swings.values()), NOISE * mean)
    return [name for name, swing in swings.items() if swing > least]


def with_bodies(rows: Any, start: float | None = None, per_length: float = 1.0) -> Spectrum:
    """Spectrum of one member's History, as of `spectrum_of`, and of each of several bodies."""
    found = {}
    for marker in (name.removeprefix("cl_") for name in rows.columns if name.startswith("cl_")):
        own = {load: rows[f"{load}_{marker}"] for load in LOADS} | {"time": rows["time"]}
        if not np.isnan(own["cl"]).any():  # a member without that body
            found[marker] = spectrum_of(own, start, per_length)
    return replace(spectrum_of(rows, start, per_length), bodies=found)


def _basis(time: FloatArray, omega: float) -> FloatArray:
    """(rows, 1 + 2 ORDERS) of the harmonics; the mean alone without a frequency."""
    if not omega:
        return np.ones((len(time), 1))
    angle = omega * (time - time[0])
    harmonics = [wave(n * angle) for n in range(1, ORDERS + 1) for wave in (np.cos, np.sin)]
    return np.stack([np.ones_like(time), *harmonics], axis=1)


def _line(time: FloatArray, values: FloatArray, omega: float) -> Line:
    basis = _basis(time, omega)
    found = np.linalg.lstsq(basis, values, rcond=None)[0]
    if not omega:
        return Line(float(found[0]), float(values.std()), float(np.ptp(values) / 2))
    magnitude = np.hypot(found[1::2], found[2::2])
    rms = float(np.sqrt((magnitude**2).sum() / 2))
    return Line(float(found[0]), rms, float(magnitude.max()))


def _frequency(time: FloatArray, values: FloatArray) -> float:
    """Angular frequency of the strongest line."""
    swing = (values - values.mean()) * np.hanning(len(values))
    step = (time[-1] - time[0]) / (len(time) - 1)
    size = np.abs(np.fft.rfft(swing, 8 * len(swing)))
    at = int(np.argmax(size[1:])) + 1
    omega = 2 * np.pi * at / (8 * len(swing) * step)
    for _ in range(50):
        basis, since = _basis(time, omega), time - time[0]
        found = np.linalg.lstsq(basis, values, rcond=None)[0]
        order = np.arange(1, ORDERS + 1)
        slope = (basis[:, 2::2] * -found[1::2] + basis[:, 1::2] * found[2::2]) * order
        more = np.concatenate([basis, (slope.sum(axis=1) * since)[:, None]], axis=1)
        change = np.linalg.lstsq(more, values - basis @ found, rcond=None)[0][-1]
        omega += float(np.clip(change, -0.1 * omega, 0.1 * omega))
        if abs(change) < 1e-14 * omega:
            break
    return omega
