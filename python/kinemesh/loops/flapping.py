"""Drag, thrust, power and efficiency over a cycle, and the shift of the pivot.

Power is what moves a body against the flow, less what the flow feeds into the motion (theory,
eq. 2.17), over q_inf U_inf times the reference area; mean thrust is that of the drag with its sign
turned, and the propulsive efficiency is thrust times speed of the stream over mean power.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.io.brief import Brief
from kinemesh.io.scales import Scale
from kinemesh.loops.harmonics import Coefficient, FloatArray, coefficient

CLOSED = 1e-6  # of the range of a shift: how far from it a pivot that comes back may be
MOVES = 1e-12  # range of a shift [chord] that is not its rounding


@dataclass(frozen=True, slots=True, repr=False)
class Flapping(Brief):
    """A body, or all bodies together, over the last cycle; its steps in the order of their phase.

    Parameters
    ----------
    cd : Coefficient               drag
    x, h : (steps,) or None        shift of the pivot downstream and upwards [chord]
    power : Coefficient or None    that moves the body, positive where it must be driven; None where
        the reference speed is not known
    stream : float                 speed of the stream over the reference speed
    incidence_deg : (steps,) or None    angle of the body against the flow that its pivot meets,
        alpha - atan2(h', U - x'), nose-up; None of single bodies, of a pivot that does not come
        back after the cycle or of which no earlier cycle is known, and in fluid at rest
    """

    cd: Coefficient
    x: FloatArray | None = None
    h: FloatArray | None = None
    power: Coefficient | None = None
    stream: float = 1.0
    incidence_deg: FloatArray | None = None

    @property
    def thrust(self) -> float:
        """Mean thrust coefficient, minus the mean of cd."""
        return -self.cd.mean

    @property
    def power_in(self) -> float | None:
        """Mean power coefficient: positive of a body that is driven, negative of a turbine."""
        return None if self.power is None else self.power.mean

    @property
    def efficiency(self) -> float | None:
        """Propulsive efficiency; None without thrust, driving power or a stream."""
        power = self.power_in
        if power is None or power <= 0 or self.thrust <= 0 or self.stream <= 0:
            return None
        return self.thrust * self.stream / power

    def extraction(self, swept: float) -> float:
        """Share of the power of the stream through the swept height that a turbine takes out.

        Parameters
        ----------
        swept : height that the foil sweeps, its edges included [chord]

        Raises
        ------
        CaseError    a height that is none, fluid at rest, or a power that is not known
        """
        if not swept > 0 or self.power_in is None or self.stream <= 0:
            raise CaseError(
                f"extraction: swept = {swept!r}, expected a height above 0 in chords, of a run in "
                "a stream whose speed is known"
            )
        return -self.power_in / (swept * self.stream**3)

    def numbers(self) -> dict[str, Any]:
        """Means and amplitudes, ready for JSON."""
        moved = {"x": self.x, "h": self.h}
        shifts = {
            name: {"mean": float(v.mean()), "amplitude": float(np.ptp(v) / 2)}
            for name, v in moved.items()
            if v is not None and np.ptp(v) > MOVES
        }
        found: dict[str, Any] = {**shifts, "thrust": self.thrust}
        if self.power is not None:
            found |= {"power_in": self.power_in, "efficiency": self.efficiency}
        return found


def flapping_of(
    columns: Mapping[str, NDArray[Any]],
    order: NDArray[np.intp],
    before: Mapping[str, NDArray[Any]] | None,
    scale: Scale | None,
    of_body: str = "",
) -> Flapping:
    """Flapping in the last cycle of a history, from its columns.

    Parameters
    ----------
    order : (steps,)    of the phases
    before : columns of the cycle before, or None
    of_body : end of the columns' names, `_MARKER`; of all bodies empty
    """
    phase = np.radians(columns["phase_deg"])[order]

    def of(name: str, factor: float = 1.0) -> Coefficient:
        full = f"{name}{of_body}"
        values, old = (
            None if part is None else factor * np.asarray(part[full], float)[order]
            for part in (columns, before)
        )
        assert values is not None
        return coefficient(values, phase, old, int(np.argmax(order)))

    there = f"power{of_body}" in columns
    x, h = (np.asarray(columns[f"shift_{n}{of_body}"], float)[order] if there else None
            for n in "xy")  # fmt: skip
    known = there and scale is not None
    power = of("power", -scale.time) if known and scale is not None else None
    stream = 1.0 if scale is None else scale.stream
    incidence = None if of_body or not there else _incidence(columns, order, before, scale)
    return Flapping(of("cd"), x, h, power, stream, incidence)


def _incidence(
    columns: Mapping[str, NDArray[Any]],
    order: NDArray[np.intp],
    before: Mapping[str, NDArray[Any]] | None,
    scale: Scale | None,
) -> FloatArray | None:
    """(steps,) effective incidence [deg]; rates of the pivot are those of its Fourier series."""
    if before is None or scale is None or scale.speed is None or scale.stream <= 0:
        return None
    steps = len(order)
    cycle = (columns["time"][-1] - before["time"][-1]) * scale.speed  # [chord] that U goes in one
    rates = []
    for name in ("shift_x", "shift_y"):
        way, old = (np.asarray(part[name], float) for part in (columns, before))
        if np.abs(way - old).max() > CLOSED * max(float(np.ptp(way)), MOVES):
            return None
        waves = np.fft.rfft(way[order]) * 2j * np.pi * np.arange(steps // 2 + 1)
        if steps % 2 == 0:
            waves[-1] = 0.0  # of the highest order of an even count the rate is not known
        rates.append(np.fft.irfft(waves, steps) / cycle)
    met = np.degrees(np.arctan2(rates[1], scale.stream - rates[0]))
    return np.asarray(np.asarray(columns["alpha_deg"], float)[order] - met)
