"""NACA 4- and 5-digit sections: every one that does not cross itself has meshes and a cloud."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh import Section, airfoil, quality, section
from kinemesh.mesh.generate import cmesh, conformal, omesh
from kinemesh.mesh.sections import naca
from test_mesh_airfoil import at, nearest_on

pytestmark = pytest.mark.no_sanitizer

# names whose map the plain fixed point does not reach, and extremes of thickness and camber
SAMPLE = ("3209", "6215", "0001", "9501", "9940", "23012", "23112")
NODES = 600  # of each mesh and cloud

# NACA TR-530 (1935), percent chord: station, upper, lower of the 23012
NACA23012 = [
    (5.0, 4.91, -2.26), (10, 6.43, -2.92), (20, 7.50, -3.97), (30, 7.55, -4.46),
    (50, 6.41, -4.17), (70, 4.36, -3.00), (90, 1.68, -1.23),
]  # fmt: skip


@pytest.fixture
def one_map(monkeypatch):
    """Both topologies and the cloud share the map of a section, which takes longest."""
    made = {}

    def kept(shape):
        if shape.name not in made:
            made.clear()
            made[shape.name] = conformal.circle_map(shape)
        return made[shape.name]

    monkeypatch.setattr(omesh, "circle_map", kept)
    monkeypatch.setattr(cmesh, "circle_map", kept)


def assert_sound(name):
    """Meshes of both topologies and a cloud; Mesh and Cloud refuse cells and points that are not.

    A sharp edge of t % is an angle of 2.3 t %: between its rays the cells are as flat.
    """
    shape = section(f"naca{name}")
    for topology in "oc":
        mesh = airfoil(shape, NODES, topology=topology)
        assert quality(mesh).negative == 0
        wall = np.unique(mesh.boundaries["airfoil"])
        assert nearest_on(shape, mesh.points[wall]).max() < 1e-9
    assert len(km.cloud.airfoil(shape, NODES).boundaries["airfoil"]) % 2 == 0


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLE)
def test_sections_of_digits_have_meshes_of_both_topologies_and_a_cloud(name, one_map):
    assert_sound(name)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(1, 10))
@pytest.mark.parametrize("camber", range(1, 10))
def test_every_section_of_4_digits_has_meshes_and_a_cloud(camber, place, one_map):
    for thickness in range(1, 100):
        assert_sound(f"{camber}{place}{thickness:02d}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["00", *(f"{n}0" for n in naca.STANDARD), *(f"{n}1" for n in naca.REFLEX)]
)
def test_every_symmetric_section_and_every_fifth_of_5_digits_has_meshes_and_a_cloud(line, one_map):
    for thickness in range(1, 100):
        lift = "" if line == "00" else thickness % 9 + 1
        assert_sound(f"{lift}{line}{thickness:02d}")


def test_naca23012_has_its_tabulated_ordinates():
    shape = section("NACA 23012", "open")

    for x, upper, lower in NACA23012:  # worked by hand: to 3e-4 chords
        assert at(shape, x / 100) == pytest.approx(upper / 100, abs=3e-4)
        assert at(shape, x / 100, lower=True) == pytest.approx(lower / 100, abs=3e-4)


MEAN_LINES = [(p, 0) for p in naca.STANDARD] + [(p, 1) for p in naca.REFLEX]


@pytest.mark.parametrize(("place", "reflex"), MEAN_LINES)
def test_5_digit_mean_lines_have_their_design_lift_place_and_moment(place, reflex):
    """Thin-aerofoil theory: cl = pi A1 at the ideal angle, cm = pi (A2 - A1) / 4.

    Of L = 4 and little thickness: cl 0.6.  The tabulated constants are rounded, those of 210 most.
    """
    shape = section(f"naca4{place}{reflex}01")
    theta = (np.arange(2000) + 0.5) * np.pi / 2000
    x = 0.5 * (1 - np.cos(theta))

    u = 0.5 * np.sqrt(x)
    up, down = shape.curve(0.5 - u), shape.curve(0.5 + u)
    line = 0.5 * (up[0] + down[0])
    slope = np.gradient(line.imag, line.real)
    lift = 2 * np.pi * np.mean(2 * slope * np.cos(theta)) / 2
    moment = 0.5 * np.pi * np.mean(slope * (np.cos(2 * theta) - np.cos(theta)))

    assert lift == pytest.approx(0.6, rel=0.035)
    assert line.real[np.argmax(line.imag)] == pytest.approx(place / 20, abs=0.002)
    if reflex:
        assert abs(moment) < 0.01 * lift


@pytest.mark.parametrize("name", ["naca23012", "naca45118"])
@pytest.mark.parametrize("edge", ["closed", "sharp", "open"])
def test_5_digit_sections_have_exact_slopes_and_the_edge_asked_for(name, edge):
    shape = section(name, edge)
    u = np.array([0.07, 0.22, 0.41, 0.63, 0.88])
    h = 1e-6

    difference = (shape.curve(u + h)[0] - shape.curve(u - h)[0]) / (2 * h)
    ends = shape.points([0.0, 1.0])

    assert np.abs(difference - shape.curve(u)[1]).max() < 1e-8  # h^2 and eps / h
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(shape.gap, abs=1e-15)
    assert (shape.gap > 0) == (edge == "open")


@pytest.mark.parametrize(
    "name", ["naca03012", "naca20012", "naca26012", "naca21112", "naca23212", "naca23000"]
)
def test_5_digit_names_without_a_mean_line_are_refused(name):
    with pytest.raises(MeshError, match=f"{name}: expected digits L P Q and a thickness"):
        section(name)


def test_an_outline_that_crosses_itself_is_refused_with_its_place():
    """A lemniscate-like outline: the sides change places at x = 0.4."""

    def curve(u):
        q = 1.0 - 2.0 * u
        x, y = q * q, 0.3 * q * (q * q - 0.4) * (1.0 - q * q)
        slope = 0.3 * (-5 * q**4 + 3 * 1.4 * q * q - 0.4)
        return x + 1j * y, -2.0 * (2.0 * q + 1j * slope)

    with pytest.raises(MeshError, match=r"eight: the outline crosses itself near \(0\.4\d*, \S+\)"):
        airfoil(Section("eight", curve, 0.0, symmetric=False), 1000)
