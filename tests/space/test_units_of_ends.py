"""Inlets, outlets and profiles in kelvin, pascals or millimetres: refused with those units."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError
from kinemesh.space.conditions.inflow import Inflow


def law(value):
    return lambda time: value + time


@pytest.mark.parametrize("given", [lambda v: v, lambda v: [1.0, v], law])
@pytest.mark.parametrize(
    ("door", "name", "more", "good", "wrong", "units"),
    [
        (km.inlet, "total_temperature", {"total_pressure": 1.0}, 19.9, 20.0, "kelvin"),
        (km.inlet, "total_temperature", {"total_pressure": 1.0}, 1.2, 300, "kelvin"),
        (km.inlet, "total_pressure", {}, 999.0, 1000.0, "pascals"),
        (km.inlet, "total_pressure", {}, 1.5, 101325.0, "pascals"),
        (km.outlet, "pressure", {}, 0.7, 95e3, "pascals"),
        (km.outlet, "pressure", {}, 999.0, 1000.0, "pascals"),
    ],
)
def test_numbers_of_a_gas_in_its_units_are_refused(door, name, more, good, wrong, units, given):
    door(**{name: given(good)}, **more)
    with pytest.raises(
        SettingsError, match=rf"{name} is .*seems to be in {units}, expected .*over"
    ):
        door(**{name: given(wrong)}, **more)


def test_ends_that_are_all_far_above_the_streams_pressure_are_refused():
    def among(total, back):
        ends = {"in": km.inlet(total_pressure=total), "out": km.outlet(pressure=back)}
        ends["out"].check_among("out", ends)

    among(50.0, 1.0)  # a nozzle into the stream
    among(9.9, 9.8)
    with pytest.raises(SettingsError, match="inlets and outlets are 95 and more, as in kilopascal"):
        among(101.325, 95.0)
    with pytest.raises(SettingsError, match="are 10 and more"):
        among(14.7, 10.0)


def square(size=0.41):
    """Two triangles of a square, its left side the inlet."""
    points = size * np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    ends = {"in": [[3, 0]], "out": [[1, 2]], "wall": [[0, 1], [2, 3]]}
    return km.Mesh.from_arrays(points, [[0, 1, 2], [0, 2, 3]], ends)


def profile(folder, reach, header="y,u", start=0.0):
    y = np.linspace(start * reach, reach, 21)
    path = folder / "inflow.csv"
    extra = header.count(",") - 1
    rows = [",".join(map(str, [a, 1.0, *[0.0] * extra])) for a in y]
    path.write_text("\n".join([header, *rows]))
    return str(path)


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (1000.0, "seem to be in millimetres for metres, 1000 times"),
        (100.0, "seem to be in centimetres for metres, 100 times"),
        (39.3701, "seem to be in inches for metres"),
        (3.28084, "seem to be in feet for metres"),
        (10.1, "0.099 of it, expected a table that ends near"),
    ],
)
def test_a_profile_in_other_lengths_than_the_mesh_is_refused(tmp_path, factor, said):
    path = profile(tmp_path, 0.41 * factor)
    with pytest.raises(SettingsError, match=rf"and the inlet from 0 to 0\.41, .*{said}"):
        Inflow(1.0, path).at("in", square())


FEET = 3.28084  # in a metre


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (10 * (1 + 1e-9), "expected a table that ends near the ends of the inlet; give places"),
        (FEET * 1.005 * (1 - 1e-9), "seem to be in feet for metres"),
        (FEET * 0.995 * (1 + 1e-9), "seem to be in feet for metres"),
    ],
)
def test_a_profile_just_within_the_ratios_that_have_no_sense_is_refused(tmp_path, factor, said):
    with pytest.raises(SettingsError, match=said):
        Inflow(1.0, profile(tmp_path, 0.41 * factor)).at("in", square())


@pytest.mark.parametrize(
    "factor",
    [1.0, 1.5, 3.0, FEET * 0.995 * (1 - 1e-9), FEET * 1.005 * (1 + 1e-9), 9.9, 10 * (1 - 1e-9)],
)
def test_a_profile_may_go_on_beyond_its_inlet(tmp_path, factor):
    nodes, velocities = Inflow(1.0, profile(tmp_path, 0.41 * factor)).at("in", square())
    assert velocities[:, 0].tolist() == [1.0] * len(nodes)


def test_a_profile_in_metres_of_a_mesh_in_millimetres_is_refused_with_the_ratio(tmp_path):
    with pytest.raises(SettingsError, match=r"a table over all of it: .*in millimetres for metres"):
        Inflow(1.0, profile(tmp_path, 0.41)).at("in", square(410.0))


@pytest.mark.parametrize("header", ["y,u,v,speed", "y,u,speed", "y,speed,u", "y,v,speed"])
def test_a_profile_of_speeds_and_components_is_ambiguous(tmp_path, header):
    with pytest.raises(SettingsError, match="expected one of x and y, and either u with v, or spe"):
        km.inlet(velocity=1.0, profile=profile(tmp_path, 0.41, header))
