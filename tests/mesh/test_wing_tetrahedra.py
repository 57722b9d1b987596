"""Tetrahedra about wings: least angles, opened layers; heights of the first layer of all cells."""

from itertools import combinations

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.generate.wings import opening, planform
from kinemesh.mesh.generate.wings.block_cells import cells
from kinemesh.mesh.generate.wings.outline import wing_of

M6 = ("oneram6", planform.M6)
PLAIN = ("naca0012", {"span": 3.0})


def built(section, plan, nodes, much):
    """Block about a wing, and its tetrahedra."""
    made = planform.block_of(wing_of(section, None, "", **plan), nodes, 20.0, 0.6, None, much)
    return made, cells(made.points, made.number, made.slit, "tets", 0)[0]["tetrahedra"]


def least_angle(points, cells):
    """Least dihedral angle [deg] of tetrahedra, from the normals of their faces."""
    x = points[cells]
    normals = []
    for a, b, c in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)):
        n = np.cross(x[:, b] - x[:, a], x[:, c] - x[:, a])
        normals.append(n / np.linalg.norm(n, axis=1)[:, None])
    return min(
        np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), -(a * b).sum(axis=1))).min()
        for a, b in combinations(normals, 2)
    )


@pytest.mark.parametrize(("wing", "nodes", "low", "high"), [
    (M6, 15_000, 0.92, 0.93), (PLAIN, 15_000, 0.96, 0.97),
    pytest.param(M6, 60_000, 0.875, 0.885, marks=pytest.mark.long),
    pytest.param(PLAIN, 60_000, 1.035, 1.045, marks=pytest.mark.long),
])  # fmt: skip
def test_no_dihedral_angle_is_small_beyond_the_tip(wing, nodes, low, high):
    """0.02 to 0.06 degrees where layers run on from the tip as thin as they are at the wing."""
    made, cells = built(*wing, nodes, 1.0)

    assert low < least_angle(made.points, cells) < high


def test_layers_as_thin_as_at_the_tip_have_far_smaller_angles():
    made, cells = built(*M6, 15_000, 0.0)

    assert 0.06 < least_angle(made.points, cells) < 0.0605


def test_a_mesh_of_tetrahedra_is_opened_and_all_others_are_not():
    hexes, prisms, hybrid, tets = (
        km.mesh.oneram6(10_000, cells) for cells in ("hexes", "prisms", "hybrid", "tets")
    )

    np.testing.assert_array_equal(prisms.points, hexes.points)
    np.testing.assert_array_equal(hybrid.points, hexes.points)
    np.testing.assert_array_equal(tets.points, built(*M6, 10_000, 1.0)[0].points)


def test_the_planform_stays_as_it_is():
    """Nodes of the edges of the wing lie on them, up to the tip."""
    mesh = km.mesh.oneram6(10_000, "tets")
    x = mesh.points[np.unique(mesh.boundaries["wing"][:, :3])]
    x = x[x[:, 1] <= planform.M6["span"]]

    for y in np.unique(x[:, 1]):
        nose = y * np.tan(np.radians(planform.M6["sweep_deg"]))
        chord = 1.0 - (1.0 - planform.M6["taper"]) * y / planform.M6["span"]
        own = x[x[:, 1] == y]
        assert own[:, 0].min() == pytest.approx(nose, abs=1e-12)
        assert own[:, 0].max() == pytest.approx(nose + chord, abs=1e-12)


def test_nodes_of_the_wing_lie_on_its_section():
    mesh = km.mesh.wing("naca0012", 10_000, cells="tets")
    x = mesh.points[np.unique(mesh.boundaries["wing"][:, :3])]
    x = x[x[:, 1] <= 3.0]
    exact = km.mesh.section("naca0012").points(np.linspace(0.5, 0.0, 20_001))

    away = np.abs(x[:, 2]) - np.interp(np.sqrt(x[:, 0]), np.sqrt(exact[:, 0]), exact[:, 1])

    assert np.abs(away).max() < 1e-7  # of the list's spacing


def test_rays_are_spread_evenly_along_the_line():
    t = opening.spread(16)

    np.testing.assert_allclose(np.cos(t), 1.0 - 0.25 * np.r_[0:8, 8:0:-1], atol=1e-15)
    assert (np.diff(t) > 0).all()


@pytest.mark.filterwarnings("error:.*inside out")
def test_wings_whose_cells_would_overlap_are_opened_by_less():
    plan = {"span": 2.0, "twist_deg": 45.0}
    made, cells = built("naca0012", plan, 10_000, 1.0)
    x = made.points[cells]
    six = np.einsum("ni,ni->n", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), x[:, 3] - x[:, 0])

    mesh = km.mesh.wing("naca0012", 10_000, cells="tets", **plan)

    assert six.min() < 0
    assert mesh.volumes.min() > 0
    assert 0.2 < km.mesh.quality(mesh).min_dihedral_deg < 0.35  # 0.05 where nothing is opened


# ---------------------------------------------------------------- heights of the first layer


def first_height(mesh):
    """Distance of the node in the middle of the root from the nearest one off the wing."""
    wing = np.unique(mesh.boundaries["wing"])
    wing = wing[wing >= 0]
    root = wing[mesh.points[wing, 1] == 0.0]
    middle = root[np.argmin(np.abs(mesh.points[root, 0] - 0.5))]
    off = np.setdiff1d(np.arange(mesh.nodes), wing)
    return np.linalg.norm(mesh.points[off] - mesh.points[middle], axis=1).min()


@pytest.mark.parametrize("cells", ["hexes", "tets"])
@pytest.mark.parametrize("height", [0.01, 0.03])
def test_the_first_layer_is_as_high_as_asked(cells, height):
    mesh = km.mesh.wing("naca0012", 10_000, cells=cells, wall_spacing=height)

    assert first_height(mesh) == pytest.approx(height, rel=0.02)  # rays curve: 0.2 to 1.4 %


@pytest.mark.parametrize(("height", "message"), [
    (0.0, r"wall_spacing = 0\.0, expected 1e-06 to 0\.1 chords"),
    (0.2, r"wall_spacing = 0\.2, expected 1e-06 to 0\.1 chords"),
    (True, "wall_spacing = True, expected 1e-06"),
    ("fine", "wall_spacing = 'fine', expected 1e-06"),
    (float("nan"), "wall_spacing = nan, expected 1e-06"),
    (0.0770, r"= 0\.077, but the cells of the wall are 0\.0766 chords long .* at most that"),
    (0.0080, r"12 layers from wall_spacing = 0\.008 .* by 1\.51 each, expected at most 1\.5: ask"),
])  # fmt: skip
def test_heights_that_do_not_fit_are_refused(height, message):
    with pytest.raises(MeshError, match=f"wing: .*{message}"):
        km.mesh.wing("naca0012", 10_000, wall_spacing=height)


@pytest.mark.parametrize("height", [0.0760, 0.0085])
def test_heights_close_to_those_are_taken(height):
    assert km.mesh.wing("naca0012", 10_000, wall_spacing=height).nodes > 9_000
