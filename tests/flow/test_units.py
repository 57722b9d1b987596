"""Units by hand: sea level of the standard atmosphere, and what a case's own numbers mean."""

import re
import warnings
from functools import cache
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.door import fluids
from kinemesh.flow.gas.model import Euler

SEA = {"chord": 0.3, "pressure": 101_325.0, "temperature": 288.15}
UNITS = km.Units(**SEA)
SPEED = 170.0
pytestmark = pytest.mark.no_sanitizer


def test_sea_level_has_the_sound_and_the_density_of_the_standard_atmosphere():
    """US Standard Atmosphere 1976, table I: 340.294 m/s, 1.2250 kg/m^3; R there is 287.053."""
    assert UNITS.sound_speed == pytest.approx(340.294, rel=1e-5)
    assert UNITS.density == pytest.approx(1.2250, rel=5e-5)


def test_what_goes_in_is_as_by_hand():
    assert UNITS.mach(SPEED) == pytest.approx(170 / 340.294, rel=1e-5)
    assert UNITS.k(12.0, SPEED) == pytest.approx(2 * np.pi * 12 * 0.3 / (2 * 170))
    assert UNITS.time(1e-3) == pytest.approx(340.294e-3 / 0.3, rel=1e-5)


def test_what_comes_out_is_as_by_hand():
    """q = 1.225 / 2 * 170^2 = 17701 Pa; a section of 0.3 m, a wing of 0.53 and 0.9 chords."""
    q = 17701.25
    assert UNITS.dynamic_pressure(SPEED) == pytest.approx(q, rel=5e-5)
    assert UNITS.force_per_span(0.5, SPEED) == pytest.approx(0.5 * q * 0.3, rel=5e-5)
    assert UNITS.moment_per_span(-0.1, SPEED) == pytest.approx(-0.1 * q * 0.09, rel=5e-5)
    assert UNITS.force(0.5, SPEED, 0.53) == pytest.approx(0.5 * q * 0.53 * 0.09, rel=5e-5)
    made = UNITS.moment(0.2, SPEED, area=0.53, length=0.9)
    assert made == pytest.approx(0.2 * q * (0.53 * 0.09) * (0.9 * 0.3), rel=5e-5)
    assert UNITS.pressure_of_cp(1.0, SPEED) == pytest.approx(101_325 + q, rel=1e-5)
    assert UNITS.pressure_of(1 / 1.4) == pytest.approx(101_325)


def test_there_and_back_again():
    assert UNITS.velocity(UNITS.mach(SPEED)) == pytest.approx(SPEED)
    assert UNITS.frequency(UNITS.k(12.0, SPEED), SPEED) == pytest.approx(12.0)
    assert UNITS.seconds(UNITS.time(0.7)) == pytest.approx(0.7)


def test_a_cycle_takes_the_time_that_its_frequency_says():
    """The solver's own omega and period against 12 Hz."""
    pitch = km.motion.pitch(2.5, UNITS.k(12.0, SPEED))

    assert UNITS.seconds(pitch.period(UNITS.mach(SPEED))) == pytest.approx(1 / 12)


def test_pressure_and_its_coefficient_are_one_pressure():
    """The solver's p and the field file's Cp of the same states."""
    p = np.array([0.6, 1 / 1.4, 0.9])
    mach = UNITS.mach(SPEED)
    q = np.stack([np.ones(3), np.zeros(3), np.zeros(3), p], axis=1)
    cp = Euler(2).outputs(q, mach)["Cp"]

    np.testing.assert_allclose(UNITS.pressure_of(p), UNITS.pressure_of_cp(cp, SPEED), rtol=1e-6)


def test_the_force_of_a_flow_is_the_sum_of_its_pressures():
    """Lift per span from the walls' pressures in pascals and area vectors in metres."""
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    case = km.Ale(mesh, mach=UNITS.mach(SPEED), alpha_deg=0.0, device="cpu")
    rng = np.random.default_rng(1)
    case.initialise(case.primitive() * rng.uniform(0.9, 1.1, (mesh.nodes, 1)))
    wall = case.grid.wall

    pascals = UNITS.pressure_of(case.primitive()[wall.node, 3]) - 101_325
    newtons = (pascals[:, None] * case.backend.get(wall.device["S"]) * 0.3).sum(axis=0)

    cl, cd, _ = case.coefficients()[0]
    assert UNITS.force_per_span([cd, cl], SPEED) == pytest.approx(newtons, rel=1e-9)


def test_power_summed_over_seconds_is_the_work():
    """A history's power times its time step is its work, over q_inf c^2; 1593 N is q c^2."""
    power, step = np.array([0.2, -0.05, 0.1]), 0.3
    joules = UNITS.work_per_span(power.sum() * step, SPEED)

    watts = UNITS.power_per_span(power, SPEED)

    assert (watts * UNITS.seconds(step)).sum() == pytest.approx(joules)
    assert joules == pytest.approx(0.075 * 1593, rel=1e-3)


def test_arrays_stay_arrays_and_numbers_numbers():
    assert isinstance(UNITS.mach(SPEED), float)
    assert UNITS.k([6.0, 12.0], SPEED).shape == (2,)
    assert UNITS.force_per_span(np.zeros((3, 2)), SPEED).shape == (3, 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chord": 0.0}, "units: chord is 0.0, expected a number above 0"),
        ({"pressure": -1.0}, "units: pressure"),
        ({"pressure": float("inf")}, "units: pressure"),
        ({"temperature": "15"}, "units: temperature is '15'"),
        ({"temperature": 15.0}, r"expected kelvins.*add 273\.15"),
        ({"chord": [0.3, 0.4]}, "units: chord has 2 entries|units: chord is"),
        ({"pressure": 1.013}, "expected pascals.*; 1.013 bar are 101300"),
        ({"pressure": 101.3}, "expected pascals.*; 101.3 kPa are 101300"),
        ({"pressure": 1013}, "expected pascals.*; 1013 hPa are 101300"),
        ({"chord": 300}, "expected metres.*; 300 mm are 0.3"),
        ({"fluid": "oil"}, "units: fluid is 'oil', expected 'water'"),
        ({"density": 1.2}, "density follows from pressure and temperature of air; leave density"),
        ({"density": 1.2, "fluid": "air", "speed": 1.0}, "density follows from pressure and temp"),
        ({"viscosity": 1.5e-6}, r"viscosity is 1.5e-06 m\^2/s, and air of .* has 1.461e-05; leave"),
        (
            {"pressure": None},
            "temperature is given, expected pressure beside it, or fluid='air' or",
        ),
        ({"fluid": "air"}, "of incompressible flow expected speed"),
        (
            {"fluid": "water", "speed": 1.0, "density": 1.2, "temperature": None},
            "1.2, and .*'water' has 958.4 to 999.8",
        ),
        (
            {"fluid": "water", "speed": 1.0, "viscosity": 1.6e-6, "temperature": 293.15},
            "viscosity is 1.6e-06, and fluid='water' has 1.003e-06",
        ),
        (
            {"fluid": "water", "speed": 1.0, "temperature": 400.0},
            "400 K, .* water, 273.15 to 373.1",
        ),
        ({"temperature": None}, "of a gas expected pressure and temperature"),
    ],
)
def test_a_stream_that_cannot_be_is_refused(change, words):
    with pytest.raises(km.SettingsError, match=words):
        km.Units(**(SEA | change))


@pytest.mark.parametrize(
    "value", ["170", None, 0.0, -3.0, [1.0, 0.0], np.inf, np.nan, [[1.0], [1.0, 2.0]], True]
)
def test_a_velocity_that_cannot_be_is_refused(value):
    for given in (UNITS.mach, UNITS.dynamic_pressure, lambda v: UNITS.k(12.0, v)):
        with pytest.raises(
            km.SettingsError, match=r"units: velocity is .*, expected numbers above"
        ):
            given(value)


# ---------------------------------------------------------------- incompressible flow

WIND = {"chord": 0.1, "speed": 10.0, "density": 1.2, "viscosity": 1.5e-5}


def test_incompressible_flow_has_its_time_over_the_speed():
    """0.1 m at 10 m/s by hand: 0.01 s, q = 60 Pa, Re = 10 * 0.1 / 1.5e-5."""
    units = km.Units(**WIND)

    assert units.reynolds == pytest.approx(66_667, rel=1e-5)
    assert units.seconds(1.0) == pytest.approx(1.0e-2)
    assert units.time(0.5) == pytest.approx(50.0)
    assert units.dynamic_pressure() == pytest.approx(60.0)
    assert units.force_per_span(0.5) == pytest.approx(3.0)  # 60 Pa * 0.1 m / 2
    assert units.moment_per_span(0.5) == pytest.approx(0.3)
    assert units.work_per_span(2.0) == pytest.approx(1.2)  # 2 * 60 Pa * 0.01 m^2
    assert units.power_per_span(2.0) == pytest.approx(120.0)  # that over 0.01 s
    assert units.k(5.0) == pytest.approx(np.pi * 5 * 0.1 / 10)
    assert units.frequency(units.k(5.0)) == pytest.approx(5.0)
    assert units.pressure_of(0.5) == pytest.approx(60.0)  # of the excess, p / (rho U^2)
    assert units.pressure_of_cp(1.0) == pytest.approx(60.0)


def test_water_is_that_of_twenty_degrees():
    """A foil of 0.2 m at 1 m/s: q = 499.1 Pa, Re = 0.2 / 1.003e-6."""
    units = km.Units(chord=0.2, speed=1.0, fluid="water")

    assert units.density == pytest.approx(998.2, rel=1e-3)
    assert units.reynolds == pytest.approx(199_400, rel=1e-3)
    assert units.force_per_span(1.0) == pytest.approx(99.8, rel=1e-3)
    assert units.seconds(3.0) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("kelvin", "density", "viscosity"),
    [
        (277.15, 999.975, None),
        (293.15, 998.207, 1001.6e-6),
        (298.15, 997.047, 890.0e-6),
        (373.15, 958.4, 281.7e-6),
    ],
)
def test_water_is_that_of_its_temperature(kelvin, density, viscosity):
    """Tables: CRC Handbook and IAPWS 2008, five and four figures."""
    units = km.Units(chord=0.2, speed=0.5, fluid="water", temperature=kelvin)

    assert units.density == pytest.approx(density, rel=1e-5 if kelvin < 370 else 1e-4)
    if viscosity is not None:
        assert units.viscosity == pytest.approx(viscosity / density, rel=5e-4)
    assert units.pressure_of(0.0) == 0.0
    with pytest.raises(km.SettingsError, match="speed of sound needs pressure and temperature"):
        units.mach()


def test_a_speed_in_air_gives_the_reynolds_number_before_there_is_a_case():
    """170 m/s over 0.3 m at 1.4607e-5 m^2/s: Re 3.4915e6; 0.026 Re^(-1/7) of friction."""
    gas = km.Units(speed=170.0, **SEA)
    wind = km.Units(chord=0.3, speed=10.0, fluid="air")

    assert gas.reynolds == pytest.approx(170 * 0.3 / 1.4607e-5, rel=1e-4)
    assert gas.mach() == pytest.approx(170 / 340.294, rel=1e-5)
    assert gas.gas
    assert gas.seconds(2.0) == UNITS.seconds(2.0)
    assert (wind.gas, wind.density, wind.viscosity) == (False, UNITS.density, UNITS.viscosity)
    assert wind.seconds(1.0) == pytest.approx(0.03)
    cool = km.Units(chord=0.3, speed=10.0, fluid="air", temperature=273.15, pressure=9e4)
    assert cool.density == pytest.approx(9e4 / (287.05 * 273.15))


def test_the_height_of_wall_cells_is_that_of_a_flat_plate():
    units, metres = km.Units(speed=170.0, **SEA), 0.3
    friction = 0.026 * units.reynolds ** (-1 / 7)
    height = units.viscosity / (170.0 * np.sqrt(friction / 2)) / metres  # of y+ 1, in chords

    assert units.wall_spacing() == pytest.approx(height)
    assert units.wall_spacing(30.0) == pytest.approx(30 * height)
    assert units.y_plus([height, 5 * height]) == pytest.approx([1, 5])
    with pytest.raises(km.SettingsError, match="the Reynolds number needs speed"):
        km.Units(**SEA).wall_spacing()
    with pytest.raises(km.SettingsError, match="units: height is 0, expected numbers above 0"):
        units.y_plus(0)


def test_air_has_the_viscosity_of_the_standard_atmosphere():
    """US Standard Atmosphere 1976: 1.4607e-5 m^2/s at sea level."""
    assert UNITS.viscosity == pytest.approx(1.4607e-5, rel=1e-3)


def rod(**more):
    mesh = km.mesh.cylinder(nodes=500, far_field=8.0)
    told = {"reynolds": 100.0, "moment_about": (0.0, 0.0), "device": "cpu"}
    return km.Incompressible(mesh, **(told | more))


def test_a_case_gives_what_is_not_said():
    """Re 100 of 0.01 m: by 0.15 m/s of air, or by what viscosity 0.5 m/s asks for."""
    slow = km.Units(rod(), chord=0.01, density=1.2, viscosity=1.5e-5)
    thick = km.Units(rod(), chord=0.01, density=1.2, speed=0.5)
    water = km.Units(rod(), chord=0.01, fluid="water")

    assert slow.speed == pytest.approx(0.15)
    assert slow.seconds(1.0) == pytest.approx(0.01 / 0.15)
    assert thick.viscosity == pytest.approx(5e-5)
    assert water.speed == pytest.approx(100 * 1.003e-6 / 0.01, rel=1e-3)
    for units in (slow, thick, water):
        assert units.reynolds == pytest.approx(100.0)


def test_a_case_in_air_may_be_given_pressure_and_temperature():
    air = {"chord": 0.01, "pressure": 101_325.0, "temperature": 288.15}

    units = km.Units(rod(), **air)

    assert not units.gas
    assert units.speed == pytest.approx(100 * 1.4607e-5 / 0.01, rel=1e-3)
    assert units.pressure_of(0.0) == 101_325.0


def test_cases_files_and_runs_are_alike(tmp_path):
    """Body of 0.5 lengths of its mesh, with a chord of 0.1 m: a length is 0.2 m."""
    mesh = km.mesh.cylinder(nodes=500, far_field=8.0)
    case = km.Incompressible(
        mesh.transformed(0.5 * mesh.points), reynolds=100.0, chord=0.5, moment_about=(0.0, 0.0),
        device="cpu", settings=km.IncompressibleSettings(steady_iterations=2),
    )  # fmt: skip
    with pytest.warns(RuntimeWarning):
        run = case.steady(out=tmp_path / "run")
    file = km.cases.load("cylinder", ["flow.chord=0.5", "mesh.nodes=500"])
    given = {"chord": 0.1, "speed": 10.0, "density": 1.2}

    for of in (case, run, km.open(tmp_path / "run"), file):
        units = km.Units(of, **given)

        assert units.reynolds == pytest.approx(file.flow.reynolds if of is file else 100.0)
        assert units.seconds(0.5) == pytest.approx(0.01)  # a chord
        assert units.force_per_span(1.0) == pytest.approx(6.0)  # 60 Pa * 0.1 m
        assert units.moment_per_span(1.0) == pytest.approx(0.6)
        assert units.power_per_span(2.0) == pytest.approx(2 * 60 * 0.01 / (0.2 / 10))


def test_a_case_of_a_gas_has_its_time_over_the_speed_of_sound():
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    case = km.Ale(mesh, mach=0.5, device="cpu")

    units = km.Units(case, **SEA)

    assert units.gas
    assert units.speed == pytest.approx(0.5 * 340.294, rel=1e-5)
    assert units.seconds(2.0) == UNITS.seconds(2.0)
    assert units.force_per_span(0.5) == pytest.approx(UNITS.force_per_span(0.5, units.speed))
    assert units.reynolds == pytest.approx(170.147 * 0.3 / 1.4607e-5, rel=1e-3)


CASE = {"chord": 0.01, "density": 1.2}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "expected speed"),
        ({"speed": 1.0, "viscosity": 1.5e-5}, "Reynolds number by speed, viscosity and chord is "
                                              "666.667, and that of the case 100"),
        ({"density": None, "speed": 1.0}, "expected density"),
        ({"speed": 1.0, "viscosity": 15.0}, r"expected m\^2/s.*15 mm\^2/s \(cSt\) are 1.5e-05"),
        ({"density": 998.0, "viscosity": 1e-3}, r"Pa s over 998 kg/m\^3 are 1.002e-06"),
    ],
)  # fmt: skip
def test_numbers_that_do_not_make_the_case_are_refused(change, words):
    with pytest.raises(km.SettingsError, match=words):
        km.Units(rod(), **(CASE | change))


def test_a_gas_is_no_water_and_may_be_air():
    usual_case = usual()

    with pytest.raises(km.SettingsError, match="fluid is 'water', and the case is of a gas"):
        km.Units(usual_case, chord=0.3, fluid="water")
    assert km.Units(usual_case, chord=0.3, fluid="air") == km.Units(
        usual_case, chord=0.3, fluid="air", temperature=288.15
    )


def test_what_is_no_case_is_refused():
    with pytest.raises(km.SettingsError, match="got str, expected a case"):
        km.Units("cylinder", chord=0.1, fluid="water", speed=1.0)
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    case = km.Ale(mesh, mach=0.5, device="cpu")
    with pytest.raises(km.SettingsError, match=r"Mach number by speed is .*the case 0\.5"):
        km.Units(case, speed=100.0, **SEA)


# ---------------------------------------------------------------- viscous gas


def viscous(mach=0.5, reynolds=4.8e6, **more):
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of wall cells
        return km.Ale(mesh, mach=mach, reynolds=reynolds, device="cpu", **more)


@cache
def usual():
    """The case of a viscous gas that most are compared with."""
    return viscous()


def pressure_at(reynolds, mach=0.5, length=0.3, kelvin=288.15):
    """Pressure of air by hand: p = rho R T with rho = Re mu / (U L), Sutherland's mu [Pa]."""
    mu = 1.458e-6 * kelvin**1.5 / (kelvin + 110.4)
    speed = mach * np.sqrt(1.4 * 287.05 * kelvin)
    return reynolds * mu / (speed * length) * 287.05 * kelvin


def test_the_fluid_of_a_viscous_gas_follows_from_its_case():
    """Temperature and pressure, or the pressure alone; a Reynolds number of two chords too."""
    for more, length in (({}, 0.3), ({"viscosity": km.Viscosity(reynolds_length=2.0)}, 0.6)):
        case = viscous(**more)
        for given in ({}, {"temperature": 288.15}, {"speed": 170.15}):
            units = km.Units(case, chord=0.3, **given)
            assert units.pressure == pytest.approx(pressure_at(4.8e6, length=length), rel=1e-9)
            assert units.temperature == 288.15
            assert units.speed * length / units.viscosity == pytest.approx(4.8e6, rel=1e-4)
    cold = km.Units(viscous(viscosity=km.Viscosity(temperature_k=220.0)), chord=0.3)
    assert cold.pressure == pytest.approx(pressure_at(4.8e6, kelvin=220.0), rel=1e-9)


@pytest.mark.parametrize(("factor", "good"), [(0.989, False), (0.991, True), (1.009, True),
                                              (1.011, False)])  # fmt: skip
@pytest.mark.parametrize("what", ["pressure", "chord", "viscosity", "temperature"])
def test_a_fluid_of_another_reynolds_number_or_temperature_is_refused(what, factor, good):
    """One per cent is rounding of what a table says."""
    known = km.Units(usual(), chord=0.3)
    given = {"chord": 0.3, "pressure": known.pressure}
    if what == "temperature":
        given = {"chord": 0.3, "temperature": 288.15 * factor}
    else:
        given[what] = factor * getattr(known, what)

    if good:
        assert km.Units(usual(), **given).gas
        return
    with pytest.raises(km.SettingsError, match=r"Reynolds number by|temperature_k of the case"):
        km.Units(usual(), **given)


def test_a_refusal_says_what_follows_from_what():
    sea = {"chord": 0.1, "pressure": 101_325.0, "temperature": 288.15}
    told = (
        r"Reynolds number by Mach number, chord, temperature and pressure is 1\.16\d*e\+06, and "
        r"that of the case 4\.8e\+06, .*leave pressure "
        rf"\({pressure_at(4.8e6, length=0.1):.0f}.* Pa are "
    )
    with pytest.raises(km.SettingsError, match=told):
        km.Units(usual(), **sea)
    with pytest.raises(km.SettingsError, match=r"is 250 K.*288\.15.*temperature_k=250"):
        km.Units(usual(), chord=0.1, temperature=250.0)
    with pytest.raises(km.SettingsError, match=r"Mach number by speed is .*the case 0\.5"):
        km.Units(usual(), chord=0.3, speed=100.0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_files_and_runs_of_a_viscous_gas_are_alike(tmp_path):
    settings = km.AleSettings(steady_iterations=1)
    case = viscous(reynolds=5000.0, settings=settings, viscosity=km.Viscosity(temperature_k=250.0))
    run = case.steady(out=tmp_path / "run")
    keys = ["flow.mach=0.5", "flow.reynolds=5000", "flow.temperature_k=250"]
    file = km.cases.load("naca0012-sa", keys)

    for of in (case, run, km.open(tmp_path / "run"), file):
        units = km.Units(of, chord=0.002)
        assert units.pressure == pytest.approx(
            pressure_at(5000.0, length=0.002, kelvin=250.0), rel=1e-9
        )
        with pytest.raises(km.SettingsError, match=r"temperature is 288\.15 K, and temperature_k"):
            km.Units(of, chord=0.002, pressure=units.pressure, temperature=288.15)
        with pytest.raises(km.SettingsError, match="Reynolds number by Mach number, chord, temp"):
            km.Units(of, chord=0.002, pressure=1.1 * units.pressure)


def test_members_of_other_reynolds_numbers_have_other_fluids():
    """The Reynolds number of one fluid goes with the Mach number."""
    units = km.Units(usual(), chord=0.3)
    air = {"chord": 0.3, "pressure": units.pressure}

    assert km.Units(viscous([0.5, 0.25], [4.8e6, 2.4e6]), **air).pressure == units.pressure
    together = km.Units(viscous([0.5, 0.25], [4.8e6, 2.4e6]), chord=0.3)
    assert together.pressure == pytest.approx(units.pressure)
    for machs, reynolds in (([0.5, 0.5], [4.8e6, 2.4e6]), ([0.5, 0.25], 4.8e6)):
        with pytest.raises(km.SettingsError, match=r"Reynolds number.*\(member 1 of 2\)"):
            km.Units(viscous(machs, reynolds), **air)
        with pytest.raises(km.SettingsError, match="no pressure is given, and members"):
            km.Units(viscous(machs, reynolds), chord=0.3)
    rods = rod(reynolds=[100.0, 50.0])
    with pytest.raises(km.SettingsError, match=r"the case 50 \(member 1 of 2\)"):
        km.Units(rods, chord=0.01, density=1.2, speed=0.15, viscosity=1.5e-5)
    assert km.Units(rods, chord=0.01, density=1.2, speed=0.15).viscosity is None


@pytest.mark.flow
def test_the_example_of_the_docs_gives_newtons():
    page = (Path(__file__).parents[2] / "docs" / "getting-started.md").read_text("utf-8")
    (code,) = (c for c in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "km.Units" in c)
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    rough = "deform=km.deform.Rigid(), settings=km.AleSettings(unsteady_drop=1e-2), device='cpu'"
    code = code.replace("deform=km.deform.Rigid()", rough).replace("per_cycle=64", "per_cycle=16")
    names = {"km": km, "mesh": mesh}

    exec(compile(code, "getting-started.md", "exec"), names)

    assert f"{names['pitch'].k:.4f}" in code  # as its comment says
    assert names["seconds"][-1] == pytest.approx(2 / 12)
    watts = names["units"].power_per_span(names["run"].history["power"][-16:], 170.0)
    joules = names["units"].work_per_span(km.hysteresis(names["run"]).work, 170.0)
    assert watts.mean() / 12 == pytest.approx(joules, rel=1e-9)
    # thin sections: 2 pi 2.5 degrees / beta = 0.32, times Theodorsen's |C| of 0.9; 5310 N/m is q c
    assert np.abs(names["lift"]).max() / 5310 == pytest.approx(0.32 * 0.9, rel=0.2)


@pytest.mark.parametrize(
    ("name", "expected", "last", "way"),
    [
        ("chord", "metres, below 100", np.nextafter(100.0, 0.0), np.inf),
        ("viscosity", r"m\^2/s, below 0\.1", np.nextafter(0.1, 0.0), np.inf),
        ("pressure", "pascals, 1100 or more", 1100.0, 0.0),
        ("temperature", "kelvins, 40 or more", 40.0, 0.0),
    ],
)
def test_a_number_of_another_unit_is_told_from_where_the_message_has_it(name, expected, last, way):
    fluids.check(name, last)
    with pytest.raises(km.SettingsError, match=f"{name} is .*, expected {expected}"):
        fluids.check(name, np.nextafter(last, way))


@pytest.mark.parametrize(
    ("viscosity", "density", "refused"),
    [
        (np.nextafter(2e-4, 0.0), 1000.0, False),
        (2e-4, 1000.0, True),
        (1e-3, 100.0, False),  # a gas
        (1e-3, np.nextafter(100.0, 200.0), True),
    ],
)
def test_a_liquid_of_200_centistokes_is_one_in_pascal_seconds(viscosity, density, refused):
    if not refused:
        fluids.check_viscosity(viscosity, density)
        return
    with pytest.raises(km.SettingsError, match="of a liquid below 2e-4"):
        fluids.check_viscosity(viscosity, density)
