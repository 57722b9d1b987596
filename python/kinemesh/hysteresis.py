"""Loops of a periodic run: last cycle, harmonics, periodicity, damping, distance to a reference.

With N uniform steps per cycle and phase phi = omega t, harmonic n of f is the exact discrete sum
    s_n = 2/N sum f sin(n phi),   c_n = 2/N sum f cos(n phi),   f ~ mean + s_n sin + c_n cos.
Amplitude is half of the range over the cycle. Work of the pitching moment over a cycle is the
integral of cm d(alpha) [rad]: positive where the stream feeds the motion.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import atan2, degrees, hypot, pi
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinemesh.errors import CaseError
from kinemesh.io.history import History

HARMONICS = 3
SERIES = ("phase_deg", "alpha_deg", "cl", "cm")
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Harmonic:
    """Part sin_part sin(order phi) + cos_part cos(order phi) of a coefficient."""

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
    """Last cycle less the one before."""

    rms: float
    amplitude: float


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient over the last cycle."""

    values: FloatArray  # (steps,)
    mean: float
    amplitude: float  # half of the range
    harmonics: tuple[Harmonic, ...]  # orders 1 to 3
    change: Change | None  # against the cycle before; None where there is none


@dataclass(frozen=True, slots=True)
class Distance:
    """Distance of a loop to a reference, as shares of the reference's amplitude."""

    rms: float
    mean: float  # mean less the reference's
    amplitude: float  # amplitude less the reference's


@dataclass(frozen=True, slots=True)
class Comparison:
    """Distances of lift and moment."""

    cl: Distance
    cm: Distance


@dataclass(frozen=True, slots=True)
class Loop:
    """The last cycle of a run, in the order of its phase."""

    phase_deg: FloatArray  # (steps,)
    alpha_deg: FloatArray  # (steps,) of the stream and the motion, nose-up positive
    cl: Coefficient  # lift
    cm: Coefficient  # pitching moment, nose-up positive
    work: float  # of the pitching moment over the cycle [rad]
    cycles: float  # that the history holds
    label: str  # for legends and errors
    converged: NDArray[np.bool_] | None = None  # (steps,), or None where the source does not tell

    @property
    def unconverged(self) -> int:
        """Steps of the loop that did not converge, as far as the source tells."""
        return 0 if self.converged is None else int(np.sum(~self.converged))

    @property
    def steps(self) -> int:
        """Steps per cycle."""
        return len(self.phase_deg)

    @property
    def damping(self) -> float | None:
        """-work / (pi A^2), A the half range of alpha [rad]; positive is damped.

        None where the body does not pitch.
        """
        half = np.radians(np.ptp(self.alpha_deg)) / 2
        return float(-self.work / (pi * half**2)) if half > 0 else None

    def compare(self, reference: Loop | str | Path) -> Comparison:
        """Differences to a reference loop at equal phases, as shares of its amplitude.

        The reference is a Loop, the name of a case with published data, or a CSV file with the
        columns phase_deg, alpha_deg, cl, cm. CaseError where it pitches otherwise.
        """
        other = reference_loop(reference)
        phase = np.radians(self.phase_deg)
        alpha = interpolate(other.alpha_deg, other.phase_deg, phase)
        swing = np.ptp(other.alpha_deg) / 2
        if np.abs(alpha - self.alpha_deg).max() > 0.01 * max(swing, 1e-6):
            raise CaseError(
                f"'{self.label}' pitches over {_range(self.alpha_deg)}, the reference "
                f"'{other.label}' over {_range(other.alpha_deg)}: not the same motion"
            )
        return Comparison(
            _distance(self.cl, other.cl, other.phase_deg, phase),
            _distance(self.cm, other.cm, other.phase_deg, phase),
        )

    def plot(
        self, reference: Loop | str | Path | None = None, path: str | Path | None = None
    ) -> Any:
        """Figure of cl and cm against alpha, with the reference; saved where a path is given."""
        from kinemesh import plot

        other = None if reference is None else reference_loop(reference)
        return plot.hysteresis(self, other, path)

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the loop (no series), ready for JSON."""

        def part(c: Coefficient) -> dict[str, Any]:
            return {
                "mean": c.mean,
                "amplitude": c.amplitude,
                "harmonics": [
                    {
                        "order": h.order,
                        "sin": h.sin,
                        "cos": h.cos,
                        "magnitude": h.magnitude,
                        "phase_deg": h.phase_deg,
                    }
                    for h in c.harmonics
                ],
                "change": c.change and {"rms": c.change.rms, "amplitude": c.change.amplitude},
            }

        return {
            "steps_per_cycle": self.steps,
            "cycles": self.cycles,
            "unconverged_steps_of_loop": self.unconverged,
            "cl": part(self.cl),
            "cm": part(self.cm),
            "work": self.work,
            "damping": self.damping,
        }


def _range(alpha: FloatArray) -> str:
    return f"{alpha.min():.3f} to {alpha.max():.3f} degrees"


def _distance(
    mine: Coefficient, other: Coefficient, other_phase_deg: FloatArray, phase: FloatArray
) -> Distance:
    if other.amplitude == 0:
        raise CaseError("compare: the reference's amplitude is 0, there is no share of it")
    away = mine.values - interpolate(other.values, other_phase_deg, phase)
    return Distance(
        float(np.sqrt(np.mean(away**2))) / other.amplitude,
        (mine.mean - other.mean) / other.amplitude,
        (mine.amplitude - other.amplitude) / other.amplitude,
    )


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


def _coefficient(values: FloatArray, phase: FloatArray, before: FloatArray | None) -> Coefficient:
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
        change = Change(rms, amplitude - float(np.ptp(before) / 2))
    return Coefficient(values, float(values.mean()), amplitude, harmonics, change)


def _work(cm: FloatArray, alpha_deg: FloatArray) -> float:
    """Integral of cm d(alpha) over the cycle, spectral: sum cm d(alpha)/d(phi) 2 pi / N [rad]."""
    count = len(cm)
    spectrum = np.fft.rfft(np.radians(alpha_deg)) * 1j * np.arange(count // 2 + 1)
    if count % 2 == 0:
        spectrum[-1] = 0  # the derivative of that cosine is zero at the samples
    slope = np.fft.irfft(spectrum, count)
    return float(cm @ slope * 2 * pi / count)


def loop_of(
    phase_deg: ArrayLike,
    alpha_deg: ArrayLike,
    cl: ArrayLike,
    cm: ArrayLike,
    label: str,
    steps: int | None = None,
    cycles: float | None = None,
    converged: ArrayLike | None = None,
) -> Loop:
    """Loop of the last `steps` samples (default: all are one cycle) of uniform phase."""
    phase, alpha, lift, moment = (np.asarray(v, float) for v in (phase_deg, alpha_deg, cl, cm))
    steps = len(phase) if steps is None else steps
    series = np.stack([phase, alpha, lift, moment])
    if steps < 3 or not np.isfinite(series).all():
        raise CaseError(f"{label}: expected at least 3 steps per cycle and finite values")
    if len(phase) < steps:
        raise CaseError(
            f"{label}: {len(phase)} steps, less than one cycle of {steps}; run more cycles"
        )
    last = series[:, -steps:]
    gaps = np.diff(np.r_[last[0], last[0, 0] + 360]) % 360
    if np.abs(gaps - 360 / steps).max() > 0.01 * 360 / steps:
        raise CaseError(f"{label}: the phases of the last cycle are not {steps} uniform steps")
    before = series[:, -2 * steps : -steps] if len(phase) >= 2 * steps else None
    order = np.argsort(last[0] % 360)
    last = last[:, order]
    last[0] %= 360
    radian = np.radians(last[0])
    old = [None, None] if before is None else [before[2, order], before[3, order]]
    return Loop(
        last[0],
        last[1],
        _coefficient(last[2], radian, old[0]),
        _coefficient(last[3], radian, old[1]),
        _work(last[3], last[1]),
        len(phase) / steps if cycles is None else cycles,
        label,
        None if converged is None else np.asarray(converged, bool)[-steps:][order],
    )


def hysteresis(source: Any, member: int | None = None) -> Loop:
    """Loop of a run, a History, an output folder or a history.csv.

    `member` may be left out where the run has one. CaseError where there is less than a cycle,
    the steps are not uniform, or the run is steady.
    """
    history, label = _history(source)
    if history.kind != "unsteady":
        raise CaseError(f"{label}: a steady run has no loop")
    if member is None and len(history.members) > 1:
        raise CaseError(f"{label}: members {history.members}; choose one: hysteresis(run, 0)")
    part = history.member(history.members[0] if member is None else member) if history else history
    moved = part["step"] > 0  # step 0, where written, is the flow that the run started from
    cycle = part["cycle"][moved]
    if len(cycle) < 2:
        raise CaseError(f"{label}: {len(cycle)} steps, less than one cycle; run more cycles")
    gap = (cycle[-1] - cycle[0]) / (len(cycle) - 1)
    steps = round(1 / gap) if gap > 0 else 0
    # cycle is a fraction of exact steps: 1e-6 of a step is far above its rounding
    uniform = steps > 0 and np.abs(np.diff(cycle) * steps - 1).max() < 1e-6
    if not uniform:
        raise CaseError(f"{label}: the steps are not uniform fractions of a cycle")
    phase, alpha, cl, cm = (part[name][moved] for name in SERIES)
    converged = part["converged"][moved]
    return loop_of(phase, alpha, cl, cm, label, steps, float(cycle[-1]), converged)


def _history(source: Any) -> tuple[History, str]:
    if isinstance(source, History):
        return source, str(source.path or "run")
    if isinstance(source, str | Path):
        path = Path(source)
        path = path / "history.csv" if path.is_dir() else path
        return History.read(path), str(source)
    if isinstance(getattr(source, "history", None), History):
        return source.history, str(getattr(source, "out", None) or "run")
    raise CaseError(f"hysteresis: got {source!r}, expected a run, a History, a folder or a file")


def reference_loop(reference: Loop | str | Path) -> Loop:
    """A loop as it is, the published one of a named case, or that of a CSV file.

    A file has the columns phase_deg, alpha_deg, cl and cm of one cycle in uniform steps.
    CaseError where there is no such case or file, or it is no such table.
    """
    if isinstance(reference, Loop):
        return reference
    from kinemesh import cases

    named = cases.reference(str(reference))
    path, label = (Path(reference), str(reference)) if named is None else named
    try:
        with path.open(encoding="utf-8") as file:
            rows = [line for line in file if not line.startswith("#")]
        table = np.genfromtxt(rows, delimiter=",", names=True, dtype=float)
    except (OSError, ValueError) as error:
        known = ", ".join(cases.references())
        raise CaseError(
            f"reference '{reference}': cannot be read ({error}); expected a CSV file "
            f"or a case with data: {known}"
        ) from None
    missing = [name for name in SERIES if name not in (table.dtype.names or ())]
    if missing:
        raise CaseError(f"{path}: no columns {missing}; expected {SERIES}")
    phase, alpha, cl, cm = (table[name] for name in SERIES)
    return loop_of(phase, alpha, cl, cm, label)


class _Callable(ModuleType):
    """This module, callable like its function.

    Importing `kinemesh.hysteresis` puts the module in the package's name `hysteresis`, over the
    public function of that name; so `kinemesh.hysteresis(run)` must work on either.
    """

    def __call__(self, source: Any, member: int | None = None) -> Loop:
        return hysteresis(source, member)


sys.modules[__name__].__class__ = _Callable
