"""C-H meshes about wings for viscous flow: heights, cells, markers, refusals; layers measured."""

import kinemesh as km
import numpy as np
import pytest
from scipy.spatial import cKDTree
from solid_metrics import areas

pytestmark = pytest.mark.no_sanitizer

HEIGHT, GROWTH = 1e-4, 1.5
SPAN, TAPER = 1.47601798, 455.914 / 810.491
TOLD = {"topology": "ch", "wall_spacing": HEIGHT, "growth": GROWTH, "far_field": 10.0}
TWISTED = {
    "span": 4.0, "taper": 0.5, "sweep_deg": 20.0, "dihedral_deg": 5.0, "twist_deg": -8.0,
    "tip_section": "naca0010",
}  # fmt: skip


@pytest.fixture(scope="module")
def m6():
    return km.mesh.oneram6(26_000, **TOLD)


def area_vectors(mesh, name):
    x = mesh.points[mesh.boundaries[name]]
    return areas(x[:, :3]) + areas(x[:, [0, 2, 3]])


def on_wall(mesh, most):
    """Nodes of the wing up to a place along the span."""
    nodes = np.unique(mesh.boundaries["wing"])
    return nodes[mesh.points[nodes, 1] < most]


def test_first_layers_are_as_high_all_along_the_wall(m6):
    """The nearest node of each node of the wall is the one above it."""
    tree = cKDTree(m6.points)
    away, _ = tree.query(m6.points[on_wall(m6, SPAN + 1e-6)], k=2)

    assert away[:, 1] == pytest.approx(HEIGHT, rel=1e-5)


def test_layers_are_measured_from_the_wall(m6):
    found = km.mesh.wall_layers(m6, "wing")

    assert found.first[1] == pytest.approx(HEIGHT, rel=0.01)
    # edges are as long everywhere, and lean over the tip's cap
    lean = np.sin(np.radians(found.angle_deg))
    assert found.first[0] == pytest.approx(HEIGHT * lean, rel=1e-3)
    assert 0.25 < lean < 0.4
    assert 1.4 < found.growth < GROWTH
    assert found.angle_near[1] > SPAN
    assert len(m6.boundaries["symmetry"]) % found.layers == 0  # columns of the root times layers
    assert "first height" in str(found)


@pytest.mark.parametrize("cells", ["hexes", "prisms"])
def test_layers_of_a_sphere_are_those_asked_for(cells):
    mesh = km.mesh.sphere(2000, wall_spacing=0.01, growth=1.2, cells=cells)
    radius = np.unique(np.round(np.linalg.norm(mesh.points, axis=1), 9))
    found = km.mesh.wall_layers(mesh, "sphere", among=len(radius))
    steps = np.diff(radius)

    assert found.layers == len(steps)
    assert found.growth == pytest.approx((steps[1:] / steps[:-1]).max(), rel=1e-6)
    assert found.first[0] > 0.9 * steps[0]  # of faces, whose middles lie inside of the sphere
    assert found.first[1] < steps[0]
    assert 60.0 < found.angle_deg < 90.0


def test_markers_close_about_the_fluid_and_the_wing_has_its_planform(m6):
    total = sum(area_vectors(m6, name).sum(axis=0) for name in m6.boundaries)

    assert list(m6.boundaries) == ["wing", "symmetry", "farfield"]
    assert np.abs(total).max() < 1e-9
    assert (m6.points[m6.boundaries["symmetry"], 1] == 0).all()
    wing = area_vectors(m6, "wing")
    assert 0.5 * np.abs(wing[:, 2]).sum() == pytest.approx(1.15315084, rel=0.03)
    far = m6.points[np.unique(m6.boundaries["farfield"])]
    outer = far[far[:, 1] == 0]
    assert outer[:, 0].max() == pytest.approx(11.0, rel=1e-6)
    assert np.hypot(*outer[outer[:, 0] < -1.0][:, ::2].T).min() > 9.5


def test_cells_are_good_and_the_same_above_and_below(m6):
    middle = m6.points[m6.blocks["hexahedra"]].mean(axis=1)
    away, other = cKDTree(middle).query(middle * [1.0, 1.0, -1.0])

    assert abs(m6.nodes / 26_000 - 1) < 0.06
    assert km.mesh.quality(m6).min_share > 0.3
    assert away.max() < 1e-12
    assert m6.volumes[other] == pytest.approx(m6.volumes, rel=1e-9)


@pytest.mark.long
def test_a_cambered_twisted_wing_of_two_sections_has_good_cells_and_its_wall_where_it_belongs():
    mesh = km.mesh.wing("naca2412", 32_000, **TOLD, **TWISTED)
    wall = mesh.points[on_wall(mesh, 1e-9)]
    want = km.mesh.section("naca2412").points(np.linspace(0.0, 1.0, 4001))
    away, _ = cKDTree(want).query(wall[:, ::2])

    assert km.mesh.quality(mesh).min_share > 0.3
    assert km.mesh.wall_layers(mesh, "wing").angle_deg > 9.0
    assert away.max() < 1e-3
    tip = mesh.points[np.unique(mesh.boundaries["wing"])]
    tip = tip[np.abs(tip[:, 1] - 4.0) < 1e-6]
    nose, edge = tip[tip[:, 0].argmin()], tip[tip[:, 0].argmax()]
    assert np.hypot(*(edge - nose)[::2]) == pytest.approx(0.5, rel=5e-3)
    turned = np.degrees(np.arctan2(*(edge - nose)[2::-2]))
    assert turned == pytest.approx(8.0, abs=0.3)  # nose down


@pytest.mark.long
def test_a_y_plus_by_the_root_chord_is_a_height():
    told = {"y_plus": 60.0, "reynolds": 2e6, "growth": 1.4, "far_field": 10.0}
    mesh = km.mesh.oneram6(30_000, topology="ch", **told)

    want = km.mesh.wall_spacing(2e6, 60.0)
    assert km.mesh.wall_layers(mesh, "wing").first[1] == pytest.approx(want, rel=0.01)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"topology": "oh", "growth": 1.2}, "growth = 1.2, expected topology = 'ch' with it"),
        ({"topology": "oh", "y_plus": 1.0, "reynolds": 1e6}, "y_plus = 1.0, expected topology"),
        ({"topology": "c"}, "topology = 'c', expected oh, ch"),
        ({"cells": "tets", "wall_spacing": 1e-4}, "'tets' with topology = 'ch', expected cells ="),
        ({}, "nothing says how high the wall cells are, expected wall_spacing, or y_plus with"),
        ({"y_plus": 1.0}, "y_plus = 1.0, reynolds = None; expected both or neither"),
        ({"wall_spacing": 1e-4, "growth": 1.6}, "growth = 1.6, expected 1.01 to 1.5"),
        (
            {"wall_spacing": 2e-6, "growth": 1.2},
            r"\d+ layers of nodes = 24000 leave fewer than 8 steps on each side of the section, "
            r"expected at least \d+; or ask for a larger wall_spacing",
        ),
        (
            {"wall_spacing": 0.04, "layers": 16},
            r"wall cells are 0\.04 high, expected less than the shortest edge of the wall, 0\.0\d+",
        ),
        (
            {"wall_spacing": 1e-4, "layers": 20},
            r"20 layers from 0\.0001 at the wall to \d+ grow by 1\.\d+ each, expected 1\.01 to",
        ),
        (
            {"wall_spacing": 1e-3, "growth": 1.5, "tip": 0.1},
            r"layers leave the wall at \d\.\d+ degrees over the tip's cap, expected 5 at least; "
            "ask for a longer tip",
        ),
    ],
)
def test_layers_that_do_not_fit_are_refused_with_what_to_do(told, said):
    with pytest.raises(km.MeshError, match=said):
        km.mesh.wing("oneram6", 24_000, **({"topology": "ch"} | told))


@pytest.mark.parametrize(
    ("mesh", "wall", "said"),
    [
        (km.mesh.airfoil("naca0012", 800), "airfoil", "of the plane, expected one in space"),
        (km.mesh.sphere(500), "sphre", "no marker 'sphre', the mesh has .* did you mean 'sphere'"),
        (km.mesh.sphere(500, cells="tets"), "sphere", "no hexahedron or prism stands on 'sphere'"),
    ],
)  # fmt: skip
def test_layers_are_not_measured_where_there_are_none(mesh, wall, said):
    with pytest.raises(km.MeshError, match=said):
        km.mesh.wall_layers(mesh, wall)


def test_duals_of_the_line_that_closes_the_cap_reach_little_further_beyond_it_than_on_it():
    """Half a step: the flow in them is held as at a wall.  Were it the cap's length, 4 steps."""
    mesh = km.mesh.oneram6(120_000, topology="ch", wall_spacing=1e-5, growth=1.4)
    x = mesh.points
    along = (np.abs(x[:, 2]) < 1e-9) & (x[:, 0] > 1.0) & (x[:, 0] < 1.3)
    wing = np.unique(x[np.unique(mesh.boundaries["wing"]), 1].round(9))
    beyond = x[along & (x[:, 1] > wing[-1] + 1e-6), 1].min() - wing[-1]

    assert beyond < 2 * (wing[-1] - wing[-2])
