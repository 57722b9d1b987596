"""Air and water in SI units, and numbers that are in other units by mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, NamedTuple

from kinemesh.errors import SettingsError

AIR = 287.05  # gas constant of dry air [J/(kg K)], US Standard Atmosphere 1976
COLDEST = 40.0  # [K]: below lie the numbers that are degrees Celsius by mistake
WATER = {"density": 998.2, "viscosity": 1.003e-6}  # at 20 degrees Celsius, IAPWS 2008 [SI]
LIQUID = 100.0  # [kg/m^3]: no gas near the pressures below is as dense


class Range(NamedTuple):
    """Numbers that are hardly in SI units: from `low` to below `high`.

    Parameters
    ----------
    meant : callable    value -> what it may have meant
    """

    low: float
    high: float
    expected: str
    meant: Callable[[float], str]


def _pressure(value: float) -> str:
    """A pressure of bars, kilopascals or hectopascals, in pascals."""
    unit, factor = ("bar", 1e5) if value < 10 else ("kPa", 1e3) if value < 200 else ("hPa", 100)
    return f"{value:g} {unit} are {factor * value:g}"


MISTAKEN: Mapping[str, tuple[Range, ...]] = {
    # air has 1100 Pa at 31 km; chords, pressures and viscosities of all that flies or swims
    "pressure": (Range(0, 1100.0, "pascals, 1100 or more", _pressure),),
    "chord": (
        Range(100.0, inf, "metres, below 100", lambda v: f"{v:g} mm are {v / 1000:g}"),
    ),
    "viscosity": (
        Range(0.1, inf, "m^2/s, below 0.1", lambda v: f"{v:g} mm^2/s (cSt) are {v * 1e-6:g}"),
    ),
    "temperature": (
        Range(0, COLDEST, f"kelvins, {COLDEST:g} or more",
              lambda v: f"add 273.15 to degrees Celsius: {v + 273.15:g}"),
    ),
}  # fmt: skip


def check(name: str, value: float) -> None:
    """SettingsError for a number that is hardly in the unit that is asked for."""
    for wrong in MISTAKEN.get(name, ()):
        if wrong.low <= value < wrong.high:
            raise SettingsError(
                f"units: {name} is {value:g}, expected {wrong.expected}; {wrong.meant(value)}"
            )


def check_viscosity(viscosity: float, density: float) -> None:
    """SettingsError for a viscosity of a liquid that is in pascal seconds by mistake."""
    if density > LIQUID and viscosity >= 2e-4:
        raise SettingsError(
            f"units: viscosity is {viscosity:g}, expected the kinematic one in m^2/s, of a liquid "
            f"below 2e-4; {viscosity:g} Pa s over {density:g} kg/m^3 are {viscosity / density:.4g}"
        )


def viscosity_of_air(temperature: float, density: float) -> float:
    """Kinematic viscosity of air [m^2/s] by Sutherland's formula, US Standard Atmosphere 1976."""
    dynamic: float = 1.458e-6 * temperature**1.5 / (temperature + 110.4)
    return dynamic / density


def pressure_of_air(temperature: float, viscosity: float) -> float:
    """Pressure [Pa] at which air has a kinematic viscosity [m^2/s]; see `viscosity_of_air`."""
    density = viscosity_of_air(temperature, 1.0) / viscosity
    return density * AIR * temperature


def told_of_members(scales: Any) -> str:
    """Least and largest Mach and Reynolds numbers of the members of a case."""
    each = {"Mach": scales.mach, "Reynolds": scales.reynolds}
    return ", ".join(f"{name} {v.min():.6g} to {v.max():.6g}" for name, v in each.items())
