"""From metres, pascals, kelvins and hertz to the numbers of a case, and back to newtons.

A case has no units: density and speed of sound of the stream, and the chord, are 1 (theory
eq. 1.1).  Chord, pressure and temperature in SI units give the factors between the two.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import pi, sqrt
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names, numbers
from kinemesh.errors import SettingsError
from kinemesh.gas import GAMMA

AIR = 287.05  # gas constant of dry air [J/(kg K)], US Standard Atmosphere 1976
COLDEST = 40.0  # [K]: below lie the numbers that are degrees Celsius by mistake


@checks_names
@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Conversion between SI units and the numbers of a case in air.

    Air is a perfect gas with gamma = 1.4 and R = 287.05 J/(kg K).  Methods give a number for a
    number and an array for an array.

    Parameters
    ----------
    chord : float          length that is 1 in the mesh; for most sections the chord [m]
    pressure : float       static pressure of the stream [Pa]
    temperature : float    static temperature of the stream [K]

    Raises
    ------
    SettingsError    a number that is not above 0, or a temperature that seems to be in Celsius
    """

    chord: float
    pressure: float
    temperature: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = numbers(getattr(self, field.name), 1, f"units: {field.name}", positive=True)
            object.__setattr__(self, field.name, float(value[0]))
        if self.temperature < COLDEST:
            raise SettingsError(
                f"units: temperature is {self.temperature:g}, expected kelvins, {COLDEST:g} or "
                "more; add 273.15 to degrees Celsius"
            )

    @property
    def sound_speed(self) -> float:
        """Speed of sound of the stream, sqrt(gamma R T) [m/s]."""
        return sqrt(GAMMA * AIR * self.temperature)

    @property
    def density(self) -> float:
        """Density of the stream, p / (R T) [kg/m^3]."""
        return self.pressure / (AIR * self.temperature)

    # ---- into a case ------------------------------------------------------------------------

    def mach(self, velocity: Any) -> Any:
        """Mach number of a stream of `velocity` [m/s]."""
        return _of("velocity", velocity, positive=True) / self.sound_speed

    def velocity(self, mach: Any) -> Any:
        """Velocity of a stream of Mach number `mach` [m/s]."""
        return _of("mach", mach, positive=True) * self.sound_speed

    def k(self, frequency: Any, velocity: Any) -> Any:
        """Reduced frequency pi f chord / U of `frequency` [Hz] in a stream of `velocity` [m/s]."""
        speed = _of("velocity", velocity, positive=True)
        return pi * self.chord * _of("frequency", frequency, positive=True) / speed

    def frequency(self, k: Any, velocity: Any) -> Any:
        """Frequency of a reduced frequency `k` in a stream of `velocity` [m/s], in [Hz]."""
        speed = _of("velocity", velocity, positive=True)
        return _of("k", k, positive=True) * speed / (pi * self.chord)

    def time(self, seconds: Any) -> Any:
        """Time, or time step, of a case [chord/a_inf] from `seconds` [s]."""
        return _of("seconds", seconds) * (self.sound_speed / self.chord)

    # ---- out of a case ----------------------------------------------------------------------

    def seconds(self, time: Any) -> Any:
        """Seconds [s] from a `time` of a case [chord/a_inf], such as the history's."""
        return _of("time", time) * (self.chord / self.sound_speed)

    def dynamic_pressure(self, velocity: Any) -> Any:
        """Dynamic pressure rho U^2 / 2 of a stream of `velocity` [m/s], in [Pa]."""
        return 0.5 * self.density * _of("velocity", velocity, positive=True) ** 2

    def force_per_span(self, coefficient: Any, velocity: Any, area: float = 1.0) -> Any:
        """Lift or drag of a section [N/m] from cl or cd; `area` is the reference area [chord]."""
        scale = self.dynamic_pressure(velocity) * self.chord
        return _of("coefficient", coefficient) * (scale * _of("area", area, positive=True))

    def moment_per_span(
        self, coefficient: Any, velocity: Any, area: float = 1.0, length: float = 1.0
    ) -> Any:
        """Moment of a section [N m/m] from cm; `area`, `length`: references of the case [chord]."""
        arm = self.chord * _of("length", length, positive=True)
        return self.force_per_span(coefficient, velocity, area) * arm

    def work_per_span(
        self, work: Any, velocity: Any, area: float = 1.0, length: float = 1.0
    ) -> Any:
        """Work of the flow on a section in a cycle [J/m] from `Loop.work`."""
        return self.moment_per_span(_of("work", work), velocity, area, length)

    def power_per_span(
        self, power: Any, velocity: Any, area: float = 1.0, length: float = 1.0
    ) -> Any:
        """Power that the flow feeds into a section's motion [W/m] from the history's `power`."""
        rate = self.sound_speed / self.chord
        return self.moment_per_span(_of("power", power), velocity, area, length) * rate

    def force(self, coefficient: Any, velocity: Any, area: float) -> Any:
        """Lift or drag in space [N] from CL or CD; `area` is `reference_area` [chord^2]."""
        return self.force_per_span(coefficient, velocity, area) * self.chord

    def moment(self, coefficient: Any, velocity: Any, area: float, length: float) -> Any:
        """Moment in space [N m] from cm; `area` [chord^2] and `length` [chord] are references."""
        return self.moment_per_span(coefficient, velocity, area, length) * self.chord

    def pressure_of(self, p: Any) -> Any:
        """Pressure [Pa] from `p` of a case (`primitive()`, Pressure in field files)."""
        return _of("p", p) * (GAMMA * self.pressure)

    def pressure_of_cp(self, cp: Any, velocity: Any) -> Any:
        """Pressure [Pa] from a pressure coefficient `cp`, in a stream of `velocity` [m/s]."""
        return self.pressure + _of("cp", cp) * self.dynamic_pressure(velocity)


def _of(name: str, value: Any, positive: bool = False) -> Any:
    """A number, or an array of float64; SettingsError where it is neither."""
    try:
        found = np.asarray(value)
    except ValueError:  # rows of unequal length
        found = np.asarray(None)
    if found.dtype.kind not in "iuf" or (positive and not ((found > 0) & (found < np.inf)).all()):
        kind = "numbers above 0" if positive else "numbers"
        raise SettingsError(f"units: {name} is {value!r}, expected {kind}")
    return float(found) if found.ndim == 0 else found.astype(float)
