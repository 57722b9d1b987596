"""Check that motions repeat after their period: those by functions, and those with a ramp."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kinemesh.errors import SettingsError, warn
from kinemesh.motion import Function, Motion, Together

if TYPE_CHECKING:
    from kinemesh.flow.moving import Moving

MOMENTS = 8  # of the last cycle, which are compared with those of the cycle before
OPEN = 1e-2  # of the motion's range: as much as two loops of a periodic run may differ
ROUNDED = 1e-3  # where omega was given with three digits


def look(solver: Moving, periods: NDArray[np.float64], cycles: float) -> None:
    """Compare the last cycle of every motion by a function with the cycle before; look at ramps.

    Of a run of one cycle it is the end with the beginning.  A law that raises an error is left to
    the run, in which its member fails alone.

    Raises
    ------
    SettingsError    a motion does not come back within `OPEN` of its range; from `ROUNDED` on it
        is a warning.  A ramp ends after the last cycle has begun
    """
    for motion, (m, marker) in zip(solver.motions, solver.grid.bodies, strict=True):
        _look_at_ramp(motion, marker, m, float(solver.speed[m]), float(periods[m]), cycles)
        if motion is None or not _by_function(motion) or cycles < 1 - 1e-9:
            continue
        away = apart(motion, float(solver.speed[m]), float(periods[m]), cycles)
        if away is None or away[0] <= ROUNDED:
            continue
        share, time = away
        omega = motion.omega(float(solver.speed[m]))
        text = (
            f"the motion of body {marker} is not the same after a period of "
            f"{periods[m]:.6g} (omega = {omega:.6g}): at times {time:.6g} and "
            f"{time + periods[m]:.6g} it differs by {100 * share:.2g} % of its range; give the "
            "angular frequency of the law itself, omega = 2 pi / period, or time_step and steps "
            "where it does not repeat"
        )
        if share > OPEN:
            raise SettingsError(text, member=m)
        warn(text, member=m)


def _look_at_ramp(
    motion: Motion | None, marker: str, member: int, u_inf: float, period: float, cycles: float
) -> None:
    """SettingsError where the last cycle is not a period of the motion, as its ramp goes on."""
    end = 0.0 if motion is None else motion.settles(u_inf)
    begin = max(cycles - 1, 0.0) * period
    if end > begin * (1 + 1e-9):
        raise SettingsError(
            f"the ramp of the motion of body {marker} lasts until time {end:.6g}, and the last of "
            f"{cycles:g} cycles begins at {begin:.6g}; expected a whole cycle after the ramp: "
            f"cycles = {ceil(end / period - 1e-9) + 1}, or a shorter ramp (a cycle lasts pi / k), "
            "or time_step and steps",
            member=member,
        )


def _by_function(motion: Motion) -> bool:
    """Return True if a part of a motion is a function or of a user's class."""
    parts = motion.parts if isinstance(motion, Together) else (motion,)
    return any(isinstance(part, Function) or not part.adds_up for part in parts)


def apart(motion: Motion, u_inf: float, period: float, cycles: float) -> tuple[float, float] | None:
    """Largest difference of poses a period apart, over the motion's range, and its first time.

    None where the law raises an error, or where the motion has no range.
    """
    last = max(cycles - 1.0, 0.0)
    first = min(max(last - 1.0, motion.settles(u_inf) / period), last)  # no cycle of a ramp
    times = period * np.unique(np.linspace(first, last, MOMENTS + 1))
    try:
        before, after = (
            np.array([_numbers(motion, t, u_inf) for t in some]) for some in (times, times + period)
        )
    except Exception:  # of the user's law, whatever it is
        return None
    every = np.concatenate([before, after])
    if len(times) < MOMENTS:  # of one cycle, or one after a ramp: what lies between tells the range
        inner = period * (first + np.linspace(0, 1, MOMENTS + 1))
        every = np.concatenate([every, [_numbers(motion, t, u_inf) for t in inner]])
    size = np.ptp(every, axis=0)
    # a component may have a range of rounding alone
    there = size > 1e-9 * max(size.max(), 1e-300)
    if not there.any():
        return None
    shares = (np.abs(after - before)[:, there] / size[there]).max(axis=1)
    worst = int(shares.argmax())
    return float(shares[worst]), float(times[worst])


def _numbers(motion: Motion, time: float, u_inf: float) -> list[float]:
    """Turn, and the place of a point of the body, which the pivot's place comes into."""
    pose = motion.pose(float(time), u_inf)
    found: list[float] = pose.numbers((0.0, 0.0)).tolist()
    return found
