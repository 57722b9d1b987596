"""Phases of a measured loop from its incidence, where a table has no phases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import CaseError
from kinemesh.loops.harmonics import FloatArray, interpolate

Rows = NDArray[np.integer[Any]]
Wave = tuple[FloatArray, FloatArray]  # phases and angles [deg] of a motion over its cycle
FINE = 720  # steps of a motion's cycle
BACK = 0.05  # of the swing: by how much incidence may go back on its way, as scatter does
BEYOND = 0.1  # of the swing: by how much it may be beyond the motion's, or short of it
FLAT = 1e-9  # of the swing: rounding of a motion's angles
FEW = 3  # rows that each way has at least
CLOSE = 1e-9  # of a degree between rows of one phase


def with_phases(
    columns: Mapping[str, FloatArray], wave: Wave | None, label: str
) -> dict[str, FloatArray]:
    """Columns with phase_deg, their rows in the order of phases; of rows of one phase the mean.

    The order of the rows is that of the loop, so that those from the least to the largest incidence
    are on the way up, the others on the way down.  The phase is that at which the motion has the
    incidence on that way; beyond the motion's ends, that of the end.

    Parameters
    ----------
    columns : alpha_deg and others (rows,)
    wave : of the motion; None: a sine between least and largest incidence, 0 on its way up

    Raises
    ------
    CaseError    incidence that goes one way only, that turns on its way, or is not the motion's; a
        motion that turns more than twice
    """
    alpha = columns["alpha_deg"]
    if wave is None:
        turn = np.arange(FINE) * 360 / FINE
        mean, half = (alpha.max() + alpha.min()) / 2, np.ptp(alpha) / 2
        wave = turn, mean + half * np.sin(np.radians(turn))
    elif len(wave[0]) < FINE:  # the steps of a run
        turn = np.arange(FINE) * 360 / FINE
        wave = turn, interpolate(wave[1], wave[0], np.radians(turn))
    swing = float(np.ptp(wave[1])) / 2
    _same(alpha, wave[1], swing, label)
    found = np.full((2, len(alpha)), np.nan)  # on the way up, on the way down
    for k, (own, way) in enumerate(zip(_ways(alpha), _ways(wave[1]), strict=True)):
        up = k == 0
        _one_way(alpha[own], own, swing, up, label)
        angles, at = wave[1][way], _rising(wave[0][way])
        if (np.diff(angles) * (1 if up else -1) < -FLAT * swing).any():
            raise CaseError(
                f"{label}: the motion turns more than twice in a cycle, so that incidence does not "
                "tell the phase; have a column phase_deg"
            )
        order = slice(None) if up else slice(None, None, -1)
        found[k, own] = np.interp(alpha[own], angles[order], at[order]) % 360
    phase = _chosen(found)
    place = np.round(phase % 360 / CLOSE) * CLOSE
    there, row = np.unique(place, return_inverse=True)
    count = np.bincount(row)
    means = {n: np.bincount(row, values) / count for n, values in columns.items()}
    return means | {"phase_deg": there}


def _chosen(found: FloatArray) -> FloatArray:
    """Phases (rows,) of those on both ways (2, rows): of the rows at the ends of incidence, which
    may be before the turn or behind it, the one nearer to the middle of their neighbours'."""
    phase = np.where(np.isnan(found[0]), found[1], found[0])
    for row in np.flatnonzero(np.isfinite(found).all(axis=0)).tolist():
        before, after = phase[row - 1], phase[(row + 1) % len(phase)]
        middle = before + ((after - before) % 360) / 2
        away = np.abs((found[:, row] - middle + 180) % 360 - 180)
        phase[row] = found[int(np.argmin(away)), row]
    return phase


def _rising(phase: FloatArray) -> FloatArray:
    """Phases without their fall by 360 where a cycle begins anew."""
    return np.rad2deg(np.unwrap(np.deg2rad(phase)))


def _ways(alpha: FloatArray) -> tuple[Rows, Rows]:
    """Rows from the least to the largest angle, both among them, and the others."""
    low, high, count = int(np.argmin(alpha)), int(np.argmax(alpha)), len(alpha)
    up = np.arange(low, low + (high - low) % count + 1) % count
    down = np.arange(high, high + (low - high) % count + 1) % count
    return up, down


def _same(alpha: FloatArray, motion: FloatArray, swing: float, label: str) -> None:
    """CaseError where incidence is not that of a motion."""
    if swing == 0:
        raise CaseError(
            f"{label}: no phase, and a motion whose angle does not change, expected one that "
            "pitches, or a column phase_deg"
        )
    if not np.ptp(alpha):
        raise CaseError(
            f"{label}: no phase, and an incidence that does not change, expected a column phase_deg"
        )
    ends = [(alpha.min(), motion.min()), (alpha.max(), motion.max())]
    if any(abs(one - other) > BEYOND * swing for one, other in ends):
        raise CaseError(
            f"{label}: incidence goes from {alpha.min():.4g} to {alpha.max():.4g} degrees, that of "
            f"the motion from {motion.min():.4g} to {motion.max():.4g}: not the same motion, so "
            "that it does not tell the phase; have a column phase_deg"
        )


def _one_way(alpha: FloatArray, rows: Rows, swing: float, up: bool, label: str) -> None:
    """CaseError where incidence has too few rows on a way, or turns there."""
    way = "up" if up else "down"
    if len(rows) < FEW:
        raise CaseError(
            f"{label}: incidence has {len(rows)} rows on its way {way}, expected {FEW} at least on "
            "each way, all rows in the order of the loop; or have a column phase_deg"
        )
    step = np.diff(alpha) * (1 if up else -1)
    if step.min() < -BACK * swing:
        k = int(np.argmin(step))
        raise CaseError(
            f"{label}: incidence goes from {alpha[k]:.4g} to {alpha[k + 1]:.4g} degrees between "
            f"rows {rows[k]:g} and {rows[k + 1]:g} on its way {way}, expected rows in the order of "
            "the loop, once up and once down; or have a column phase_deg"
        )
