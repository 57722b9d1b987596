"""[mesh] of wings with twist, dihedral, stations and sections of their own."""

import tomllib

import kinemesh as km
import numpy as np
import pytest
from kinemesh.cases import build
from kinemesh.cases.casefile import Case

TEXT = """
name = "kinked"
mode = "steady"
[flow]
mach = 0.3
reference_area = 2.0
[mesh]
wing = "naca2412"
nodes = 10_000
"""
ROWS = """
stations = [
  { y = 0.0, chord = 1.0 },
  { y = 1.0, chord = 0.8, x = 0.1, z = 0.05, twist_deg = -1.0, section = "SECTION" },
  { y = 2.0, chord = 0.5, x = 0.4 },
]
"""


def case(more="", folder="."):
    return Case.from_dict(tomllib.loads(TEXT + more), folder)


def test_keys_of_a_twisted_wing_are_arguments_of_the_mesh():
    keys = {"span": 2.0, "taper": 0.6, "dihedral_deg": 4.0, "twist_deg": -3.0, "twist_about": 0.3}
    text = "\n".join(f"{name} = {value}" for name, value in keys.items())

    found = build.mesh(case(text + "\ntip_section = 'naca0010'").mesh)

    want = km.mesh.wing("naca2412", 10_000, tip_section="naca0010", **keys)
    np.testing.assert_array_equal(found.points, want.points)


def test_the_height_of_the_first_layer_is_an_argument_of_the_mesh():
    found = build.mesh(case("wall_spacing = 0.01").mesh)

    want = km.mesh.wing("naca2412", 10_000, wall_spacing=0.01)
    np.testing.assert_array_equal(found.points, want.points)


def test_a_cloud_has_no_first_layer():
    text = TEXT.replace("nodes = 10_000", "points = 20_000") + "wall_spacing = 0.01"
    with pytest.raises(km.CaseError, match="wall_spacing"):
        Case.from_dict(tomllib.loads('method = "meshless"' + text))


def test_stations_take_sections_from_files_beside_the_case(tmp_path):
    curve = km.mesh.section("naca0015").points(np.linspace(0, 1, 121))
    np.savetxt(tmp_path / "thick.dat", curve, header="thick", comments="")
    made = case(ROWS.replace("SECTION", "./thick.dat"), tmp_path)

    found = build.mesh(made.mesh)

    rows = [{"y": 0.0, "chord": 1.0},
            {"y": 1.0, "chord": 0.8, "x": 0.1, "z": 0.05, "twist_deg": -1.0,
             "section": tmp_path / "thick.dat"},
            {"y": 2.0, "chord": 0.5, "x": 0.4}]  # fmt: skip
    np.testing.assert_array_equal(
        found.points, km.mesh.wing("naca2412", 10_000, stations=rows).points
    )
    tables = made.tables()
    assert tables["mesh"]["stations"][1]["section"] == str(tmp_path / "thick.dat")
    again = Case.from_dict(tables)
    assert again.mesh == made.mesh
    assert made.mesh.files == [tmp_path / "thick.dat"]


def test_a_sweep_goes_over_the_twist():
    found = case("twist_deg = 1.0").changed(["mesh.twist_deg=-2.5"])
    assert found.mesh.twist_deg == -2.5


BAD = {
    "order": (ROWS.replace("y = 2.0", "y = 1.0"), r"mesh.* stations\[2\].y = 1, expected more"),
    "key": (ROWS.replace("chord = 0.5", "cord = 0.5"), "unknown key 'cord'; did you mean 'chord'"),
    "section": (ROWS, "section = 'SECTION', expected a section: a name such as naca0012"),
    "tip": ("tip_section = 'naca00'", "tip_section = 'naca00', expected a section: a name"),
    "twist as text": ("twist_deg = '2'", "twist_deg = '2', expected a finite number"),
    "no table": ("stations = [1, 2]", r"stations = \[1, 2\], expected two or more"),
}


@pytest.mark.parametrize(("more", "message"), BAD.values(), ids=BAD)
def test_stations_without_meaning_are_refused_as_the_case_is_read(more, message):
    with pytest.raises(km.CaseError, match=message):
        case(more)


def test_what_the_mesh_refuses_names_the_section_of_the_case():
    with pytest.raises(km.MeshError, match=r"^\[?mesh\]?: wing: twist_deg = 46"):
        case("twist_deg = 46").build(device="cpu")


@pytest.mark.parametrize(("source", "says"), [
    ("wing = 'oneram6'", "the wing oneram6, so twist_deg has no meaning"),
    ("section = 'naca0012'", "twist_deg has no meaning; a wing is wing = 'naca0012' in place of"),
])  # fmt: skip
def test_twist_is_of_wings_of_ones_own(source, says):
    text = TEXT.replace('wing = "naca2412"', source) + "twist_deg = 1.0"
    with pytest.raises(km.CaseError, match=says):
        Case.from_dict(tomllib.loads(text))
