"""Air and water in SI units, and numbers that are in other units by mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, NamedTuple

from kinemesh.errors import SettingsError

AIR = 287.05  # gas constant of dry air [J/(kg K)], US Standard Atmosphere 1976
COLDEST = 40.0  # [K]: below lie the numbers that are degrees Celsius by mistake
SEA_LEVEL = {"pressure": 101_325.0, "temperature": 288.15}  # of the Standard Atmosphere [SI]
ICE, STEAM = 273.15, 373.15  # between which water is liquid at 0.1 MPa [K]
ROOM = 293.15  # temperature of water where none is given [K]
KNOWN = ("air", "water")
CLOSE = 0.01  # of a number to what others say of it
SALT = 1.2  # ratio to pure water; the sea is denser by 3 % and more viscous by 5 %
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


def density_of_water(temperature: float) -> float:
    """Density of water at 101,325 Pa [kg/m^3], 273.15 to 373.15 K.

    Kell, G. S.: Density, thermal expansivity, and compressibility of liquid water from 0 to 150 C,
    J. Chem. Eng. Data 20 (1975) 97-105, eq. 16.
    """
    t = temperature - ICE
    above = 999.83952 + t * (
        16.945176
        + t * (-7.9870401e-3 + t * (-46.170461e-6 + t * (105.56302e-9 - 280.54253e-12 * t)))
    )
    return above / (1 + 16.879850e-3 * t)


def viscosity_of_water(temperature: float) -> float:
    """Kinematic viscosity of water at 0.1 MPa [m^2/s], 253.15 to 383.15 K.

    IAPWS: Supplementary release on properties of liquid water at 0.1 MPa (2008), over the density.
    """
    terms = ((280.68, -1.9), (511.45, -7.7), (61.131, -19.6), (0.45903, -40.0))
    dynamic: float = sum(a * (temperature / 300.0) ** b for a, b in terms) * 1e-6
    return dynamic / density_of_water(temperature)


def check_air(viscosity: float | None, own: float) -> None:
    """SettingsError for a viscosity that is not that of the air, `own`, by more than 1 %."""
    if viscosity is not None and abs(viscosity / own - 1) > CLOSE:
        raise SettingsError(
            f"units: viscosity is {viscosity:g} m^2/s, and air of this pressure and temperature "
            f"has {own:.4g}; leave viscosity out, or pressure and temperature"
        )


def check_water(stated: Mapping[str, float | None], temperature: float | None) -> None:
    """SettingsError for a density or viscosity that no water has, not that of the sea either.

    Without a temperature, that none has at which water is a liquid.
    """
    ends = [water(kelvin) for kelvin in ((ICE, STEAM) if temperature is None else (temperature,))]
    for name, value in stated.items():
        own = [known[name] for known in ends]
        if value is not None and not min(own) / SALT <= value <= max(own) * SALT:
            told = " to ".join(f"{one:.4g}" for one in sorted(own))
            raise SettingsError(
                f"units: {name} is {value:g}, and fluid='water' has {told}; leave {name} out, or "
                "fluid where it is another one"
            )


def water(temperature: float | None) -> dict[str, float]:
    """Density and viscosity of water; SettingsError where it is no liquid."""
    kelvin = ROOM if temperature is None else temperature
    if not ICE <= kelvin <= STEAM:
        raise SettingsError(
            f"units: temperature is {kelvin:g} K, expected that of liquid water, {ICE:g} to "
            f"{STEAM:g} K"
        )
    return {"density": density_of_water(kelvin), "viscosity": viscosity_of_water(kelvin)}


def air(temperature: float, pressure: float) -> dict[str, float]:
    """Density and viscosity of air."""
    density = pressure / (AIR * temperature)
    return {"density": density, "viscosity": viscosity_of_air(temperature, density)}


def told_of_members(scales: Any) -> str:
    """Least and largest Mach and Reynolds numbers of the members of a case."""
    each = {"Mach": scales.mach, "Reynolds": scales.reynolds}
    return ", ".join(f"{name} {v.min():.6g} to {v.max():.6g}" for name, v in each.items())
