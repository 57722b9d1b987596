"""Growth of a harmonic motion from rest over a ramp, without a jump of its acceleration.

Over a ramp of the reduced time r = u_inf t / chord amplitudes are multiplied by
g(x) = x - sin(2 pi x) / (2 pi), x = s / r: g, g' and g'' have no jump at either end.
"""

from __future__ import annotations

from math import cos, pi, radians, sin
from typing import Any

from kinemesh.errors import SettingsError
from kinemesh.motion.numbers import finite, positive


def checked(owner: str, value: float) -> float:
    """A ramp's reduced time; SettingsError below 0."""
    ramp = finite(owner, "ramp", value)
    if ramp < 0:
        raise SettingsError(f"{owner}: ramp = {value!r}, expected 0 or a number above 0")
    return ramp


def grown(t: float, u_inf: float, ramp: float, chord: float) -> tuple[float, float]:
    """Share of the amplitude at time t [chord/a_inf], and its rate [a_inf/chord]."""
    speed = positive("motion", "u_inf", u_inf) / chord
    s = speed * t
    if s >= ramp:
        return 1.0, 0.0
    if s <= 0:
        return 0.0, 0.0
    angle = 2 * pi * s / ramp
    return s / ramp - sin(angle) / (2 * pi), (1 - cos(angle)) / ramp * speed


def end(u_inf: float, ramp: float, chord: float) -> float:
    """Time at which a ramp ends [chord/a_inf]."""
    return ramp * chord / positive("motion", "u_inf", u_inf)


def harmonic(motion: Any, amplitude: float, t: float, u_inf: float) -> float:
    """Amplitude times sin(omega t + phase), and the share of a motion's ramp."""
    value = amplitude * sin(_phase(motion, t, u_inf))
    return grown(t, u_inf, motion.ramp, motion.chord)[0] * value if motion.ramp else value


def harmonic_rate(motion: Any, amplitude: float, t: float, u_inf: float) -> float:
    """Rate of `harmonic` [per chord/a_inf]."""
    phase = _phase(motion, t, u_inf)
    rate: float = amplitude * motion.omega(u_inf) * cos(phase)
    if not motion.ramp:
        return rate
    share, growth = grown(t, u_inf, motion.ramp, motion.chord)
    return share * rate + growth * amplitude * sin(phase)


def _phase(motion: Any, t: float, u_inf: float) -> float:
    owner = type(motion).__name__.lower()
    found: float = motion.omega(u_inf) * finite(owner, "t", t) + radians(motion.phase_deg)
    return found
