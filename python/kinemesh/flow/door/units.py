"""From metres, pascals, kelvins and hertz to the numbers of a case, and back to newtons.

A case has no units.  Of a gas, density and speed of sound of the stream and the mesh's unit of
length are 1 (theory eq. 1.1); of incompressible flow density, reference speed and that length.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi, sqrt
from typing import Any

import numpy as np

from kinemesh.arguments import checks_names, numbers
from kinemesh.errors import SettingsError
from kinemesh.flow.door import fluids
from kinemesh.flow.door.fluids import AIR, CLOSE
from kinemesh.flow.door.scales import Scales
from kinemesh.gas import GAMMA
from kinemesh.mesh import wall_spacing

NUMBERS = ("chord", "pressure", "temperature", "density", "viscosity", "speed")


@checks_names
@dataclass(frozen=True, kw_only=True)
class Units:
    """Conversion between SI units and the numbers of a case, in air, in water, in any fluid.

    Of a gas give chord, pressure and temperature, for its Reynolds number the speed too; of the
    case of a viscous gas its temperature and its Reynolds number are known, and the chord alone
    will do.  Air is a perfect gas, gamma = 1.4, R = 287.05 J/(kg K).  Of incompressible flow give
    chord, speed, and density and viscosity, or a `fluid` and its temperature.  With a case, or its
    run, its kind, chord and references are known, and what follows from its Mach or Reynolds number
    need not be given: km.Units(case, chord=0.1, ...).
    Methods give a number for a number and an array for an array.

    Parameters
    ----------
    case : solver, case of a file, or Run, or None
    chord : float          length that is 1 in the mesh; of a case that states a chord, that, and
                           in space its reference length [m]
    pressure : float       static pressure of the stream [Pa]
    temperature : float    static temperature of the stream, of air, or that of water [K]
    density : float        of the fluid [kg/m^3]
    viscosity : float      of the fluid, kinematic [m^2/s]
    speed : float          of the stream, or the reference speed U of a case at rest [m/s]
    fluid : "water", where no temperature is given at 20 degrees Celsius; "air" of incompressible
        flow, where not given at 101,325 Pa and 288.15 K; or None

    Attributes
    ----------
    density, viscosity, speed : as given or as they follow from the others; None: not known
    metres : float         in a length of the mesh
    gas : bool             times are over the speed of sound; of incompressible flow over `speed`

    Raises
    ------
    SettingsError    a number that is not above 0, or seems to be in another unit; too few of them,
        or such as contradict each other or the case
    """

    case: Any = field(default=None, kw_only=False)
    chord: float
    pressure: float | None = None
    temperature: float | None = None
    density: float | None = None
    viscosity: float | None = None
    speed: float | None = None
    fluid: str | None = None
    scales: Scales = field(init=False, repr=False, compare=False)
    metres: float = field(init=False, repr=False)
    gas: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in NUMBERS:
            if name == "chord" or getattr(self, name) is not None:
                value = numbers(getattr(self, name), 1, f"units: {name}", positive=True)
                fluids.check(name, float(value[0]))
                self._set(name, float(value[0]))
        made = Scales.of(self.case)
        self._set("scales", made)
        self._set("metres", self.chord / made.chord)
        self._of_viscous_gas()
        self._of_fluid()
        self._set("gas", self._is_gas())
        self._fill()
        self._check_speed()
        self._check_reynolds()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _of_viscous_gas(self) -> None:
        """Fill in what follows from the case of a viscous gas.

        The temperature is that of the case.  Where no pressure is given, it follows from the
        density at which the gas has the Reynolds number.
        """
        made = self.scales
        if made.viscous is None or self.fluid == "water" or self.density is not None:
            return
        asked = made.viscous[1]
        kelvin = asked if self.temperature is None else self.temperature
        self._set("temperature", kelvin)
        if abs(kelvin / asked - 1) > CLOSE:
            raise SettingsError(
                f"units: temperature is {kelvin:g} K, and temperature_k of the case "
                f"{asked:g}, by which its viscosity goes, expected one; leave temperature out, so "
                f"that it follows from the case, or compute with temperature_k={kelvin:g}, of "
                "km.Viscosity or [flow] of a case file"
            )
        if self.pressure is not None:
            return
        wanted = made.viscosity(self.sound_speed, self.metres)
        assert wanted is not None  # a viscous gas has both numbers
        if np.ptp(wanted) > CLOSE * wanted.min():
            raise SettingsError(
                "units: no pressure is given, and members of the case have others by their Mach "
                f"and Reynolds numbers ({fluids.told_of_members(made)}), expected a case of one"
            )
        self._set("pressure", fluids.pressure_of_air(kelvin, float(wanted[0])))

    def _of_fluid(self) -> None:
        """Density and viscosity of water or air, where these are not given."""
        if self.fluid not in (None, *fluids.KNOWN):
            raise SettingsError(
                f"units: fluid is {self.fluid!r}, expected 'water' or 'air', or pressure and "
                "temperature of air, or density and viscosity"
            )
        if self.fluid == "air":
            for name, value in fluids.SEA_LEVEL.items():
                self._set(name, value if getattr(self, name) is None else getattr(self, name))
        known: dict[str, float] = {}
        if self.fluid == "water":
            known = fluids.water(self.temperature)
            fluids.check_water({name: getattr(self, name) for name in known}, self.temperature)
        elif self.temperature is not None:
            if self.pressure is None:
                raise SettingsError(
                    "units: temperature is given, expected pressure beside it, or fluid='air' or "
                    "fluid='water'"
                )
            if self.density is not None:
                raise SettingsError(
                    "units: density follows from pressure and temperature of air; leave density "
                    "out, or pressure and temperature"
                )
            known = fluids.air(self.temperature, self.pressure)
            if self.case is None:
                fluids.check_air(self.viscosity, known["viscosity"])
        for name, value in known.items():
            stated = getattr(self, name)
            self._set(name, value if stated is None else stated)
        if self.viscosity is not None and self.density is not None:
            fluids.check_viscosity(self.viscosity, self.density)

    def _is_gas(self) -> bool:
        """True where times are over the speed of sound; SettingsError for a gas that is water."""
        if self.case is None:
            if self.fluid is not None:
                return False
            return self.temperature is not None or (self.density is None and self.speed is None)
        if self.fluid == "water" and self.scales.mach is not None:
            raise SettingsError(
                "units: fluid is 'water', and the case is of a gas; leave fluid out"
            )
        return self.scales.mach is not None

    def _fill(self) -> None:
        """Fill in what follows from the Mach or Reynolds number of the case."""
        made = self.scales
        if self.gas:
            if self.temperature is None or self.pressure is None:
                raise SettingsError(
                    "units: of a gas expected pressure and temperature; of incompressible flow "
                    "speed and density, or speed and fluid='water' or 'air'"
                )
            if self.speed is None and made.mach is not None and made.one(made.mach):
                self._set("speed", float(made.mach[0]) * self.sound_speed)
            return
        if self.density is None:
            raise SettingsError(
                "units: of incompressible flow expected density [kg/m^3], or fluid='water' or "
                "'air', or pressure and temperature of air"
            )
        one = made.reynolds is not None and made.one(made.reynolds)
        reynolds = float(made.reynolds[0]) if made.reynolds is not None and one else None
        if self.speed is None and reynolds is not None and self.viscosity is not None:
            self._set("speed", reynolds * self.viscosity / self.chord)
        if self.speed is None:
            raise SettingsError(
                "units: of incompressible flow expected speed [m/s], which times are over, or a "
                "case of one Reynolds number and the viscosity"
            )
        if self.viscosity is None and reynolds is not None:
            self._set("viscosity", self.speed * self.chord / reynolds)

    def _check_speed(self) -> None:
        """SettingsError where the speed is another than by the Mach number of the case."""
        if self.gas and self.speed is not None and self.scales.mach is not None:
            found = np.array([self.speed / self.sound_speed])
            self._compare("Mach", self.scales.mach, found, "speed", "speed")

    def _check_reynolds(self) -> None:
        """SettingsError where the fluid has other Reynolds numbers than the case."""
        made = self.scales
        if made.reynolds is None or self.viscosity is None:
            return
        if not self.gas:
            if self.speed is not None:
                of, found = "speed, viscosity and chord", np.array([self.reynolds])
                leave = "viscosity or speed" if self.temperature is None else "speed"
                self._compare("Reynolds", made.reynolds, found, of, leave)
            return
        wanted = made.viscosity(self.sound_speed, self.metres)
        if wanted is None or made.mach is None:
            return
        air = fluids.viscosity_of_air(self.temperature or 0.0, self.density or 1.0)
        of, leave = "Mach number, chord, temperature and pressure", "pressure"
        if abs(self.viscosity / air - 1) > 1e-9:
            of, leave = "Mach number, chord, temperature and viscosity", "viscosity"
        elif self.temperature is not None and len(set(wanted)) == 1:
            right = fluids.pressure_of_air(self.temperature, float(wanted[0]))
            leave = f"pressure ({right:.6g} Pa are the case's with this chord)"
        found = made.reynolds * wanted / self.viscosity
        self._compare("Reynolds", made.reynolds, found, of, leave)

    def _compare(self, name: str, asked: Any, found: Any, of: str, leave: str) -> None:
        """SettingsError for numbers (members,) of the case that are not those of the fluid."""
        asked, found = np.broadcast_arrays(asked, found)
        off = np.flatnonzero(np.abs(found / asked - 1) > CLOSE)
        if not len(off):
            return
        m = int(off[0])
        member = f" (member {m} of {len(asked)})" if len(asked) > 1 else ""
        raise SettingsError(
            f"units: the {name} number by {of} is {found[m]:.6g}, and that of the case "
            f"{asked[m]:.6g}{member}, expected one number; leave {leave} out, so that it "
            "follows from the case" + (", or give the case of one member" if member else "")
        )

    @property
    def sound_speed(self) -> float:
        """Speed of sound of the stream, sqrt(gamma R T) [m/s]."""
        if self.temperature is None or self.fluid == "water":
            raise SettingsError("units: the speed of sound needs pressure and temperature of air")
        return sqrt(GAMMA * AIR * self.temperature)

    @property
    def reynolds(self) -> float:
        """Reynolds number speed chord / viscosity of the stream [-]."""
        if self.speed is None or self.viscosity is None:
            lost = [n for n in ("speed", "viscosity") if getattr(self, n) is None]
            raise SettingsError(f"units: the Reynolds number needs {' and '.join(lost)}")
        return self.speed * self.chord / self.viscosity

    @property
    def rate(self) -> float:
        """Units of a case's time in a second [1/s]."""
        speed = self.sound_speed if self.gas else self.speed
        assert speed is not None  # `_fill` has seen to it
        return speed / self.metres

    # ---- into a case ------------------------------------------------------------------------

    def mach(self, velocity: Any = None) -> Any:
        """Mach number of a stream of `velocity` [m/s], or of `speed`."""
        return self._velocity(velocity) / self.sound_speed

    def velocity(self, mach: Any) -> Any:
        """Velocity of a stream of Mach number `mach` [m/s]."""
        return _of("mach", mach, positive=True) * self.sound_speed

    def k(self, frequency: Any, velocity: Any = None) -> Any:
        """Reduced frequency pi f chord / U of `frequency` [Hz] in a stream of `velocity` [m/s]."""
        speed = self._velocity(velocity)
        return pi * self.chord * _of("frequency", frequency, positive=True) / speed

    def frequency(self, k: Any, velocity: Any = None) -> Any:
        """Frequency of a reduced frequency `k` in a stream of `velocity` [m/s], in [Hz]."""
        speed = self._velocity(velocity)
        return _of("k", k, positive=True) * speed / (pi * self.chord)

    def time(self, seconds: Any) -> Any:
        """Time, or time step, of a case from `seconds` [s]."""
        return _of("seconds", seconds) * self.rate

    def wall_spacing(self, y_plus: float = 1.0) -> float:
        """Height of wall cells of a `y_plus` on a turbulent flat plate [lengths of the mesh]."""
        return wall_spacing(self.reynolds, y_plus, self.scales.chord)

    # ---- out of a case ----------------------------------------------------------------------

    def seconds(self, time: Any) -> Any:
        """Seconds [s] from a `time` of a case, such as the history's."""
        return _of("time", time) / self.rate

    def y_plus(self, height: Any) -> Any:
        """y+ of wall cells of a `height` [lengths of the mesh] on a turbulent flat plate."""
        return _of("height", height, positive=True) / self.wall_spacing()

    def dynamic_pressure(self, velocity: Any = None) -> Any:
        """Dynamic pressure rho U^2 / 2 of a stream of `velocity` [m/s], or of `speed`, in [Pa]."""
        assert self.density is not None  # `_fill` has seen to it
        return 0.5 * self.density * self._velocity(velocity) ** 2

    def force_per_span(self, coefficient: Any, velocity: Any = None, area: Any = None) -> Any:
        """Lift or drag of a section [N/m] from cl or cd.

        `area` is the reference area, in the methods below too [lengths of the mesh]; that of the
        case, or 1.
        """
        scale = self.dynamic_pressure(velocity) * self.metres
        return _of("coefficient", coefficient) * (scale * self._size("area", area))

    def moment_per_span(
        self, coefficient: Any, velocity: Any = None, area: Any = None, length: Any = None
    ) -> Any:
        """Moment of a section [N m/m] from cm; `length` is the reference length, that of the case,
        or 1."""
        arm = self.metres * self._size("length", length)
        return self.force_per_span(coefficient, velocity, area) * arm

    def work_per_span(
        self, work: Any, velocity: Any = None, area: Any = None, length: Any = None
    ) -> Any:
        """Work of the flow on a section in a cycle [J/m] from `Loop.work`."""
        return self.moment_per_span(_of("work", work), velocity, area, length)

    def power_per_span(
        self, power: Any, velocity: Any = None, area: Any = None, length: Any = None
    ) -> Any:
        """Power that the flow feeds into a section's motion [W/m] from the history's `power`."""
        return self.moment_per_span(_of("power", power), velocity, area, length) * self.rate

    def force(self, coefficient: Any, velocity: Any = None, area: Any = None) -> Any:
        """Lift or drag in space [N] from CL or CD; `area` is `reference_area`."""
        return self.force_per_span(coefficient, velocity, self._stated(area)) * self.metres

    def moment(
        self, coefficient: Any, velocity: Any = None, area: Any = None, length: Any = None
    ) -> Any:
        """Moment in space [N m] from cm; `area` and `length` are references of the case."""
        area = self._stated(area)
        return self.moment_per_span(coefficient, velocity, area, length) * self.metres

    def work(self, work: Any, velocity: Any = None, area: Any = None, length: Any = None) -> Any:
        """Work of the flow on a wing in a cycle [J] from `Loop.work`."""
        return self.moment(_of("work", work), velocity, area, length)

    def power(self, power: Any, velocity: Any = None, area: Any = None, length: Any = None) -> Any:
        """Power that the flow feeds into a wing's motion [W] from the history's `power`."""
        return self.moment(_of("power", power), velocity, area, length) * self.rate

    def pressure_of(self, p: Any) -> Any:
        """Pressure [Pa] from `p` of a case (`primitive()`, Pressure in field files).

        Of incompressible flow where no pressure is given, the excess over that of the far field.
        """
        if self.gas:
            assert self.pressure is not None  # `_fill` has seen to it
            return _of("p", p) * (GAMMA * self.pressure)
        return (self.pressure or 0.0) + _of("p", p) * (2 * self.dynamic_pressure())

    def pressure_of_cp(self, cp: Any, velocity: Any = None) -> Any:
        """Pressure [Pa], as of `pressure_of`, from a pressure coefficient `cp`."""
        return (self.pressure or 0.0) + _of("cp", cp) * self.dynamic_pressure(velocity)

    def _velocity(self, value: Any) -> Any:
        """A velocity that is given, or the speed."""
        return _of("velocity", self.speed if value is None else value, positive=True)

    def _size(self, name: str, value: Any) -> Any:
        """A reference area or length that is given, or that of the case."""
        own = getattr(self.scales, name)
        return _of(name, own if value is None else value, positive=True)

    def _stated(self, area: Any) -> Any:
        """An area, which in space must be given where there is no case."""
        if area is None and self.case is None:
            raise SettingsError("units: area is None, expected the reference area of the case")
        return area


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
