"""Spacing at walls of viscous flow, and meshes over a flat plate."""

import kinemesh as km
import numpy as np
import pytest

NASA = {"length": 2.0, "upstream": 1 / 3, "height": 1.0}  # the plate of its verification case


def steps(mesh):
    """Lengths of cells along the plate and across it, and the places along it."""
    x, y = (np.unique(mesh.points[:, axis]) for axis in (0, 1))
    assert len(x) * len(y) == mesh.nodes
    return np.diff(x), np.diff(y), x


def test_a_y_plus_of_one_has_the_height_of_the_correlation():
    # the two figures are stated to two digits
    assert km.mesh.wall_spacing(6e6) == pytest.approx(4.5e-6, rel=0.015)
    assert km.mesh.wall_spacing(14.6e6) == pytest.approx(2.0e-6, rel=0.03)
    assert km.mesh.wall_spacing(6e6, y_plus=30.0, chord=0.5) == pytest.approx(
        15.0 * km.mesh.wall_spacing(6e6), rel=1e-14
    )


@pytest.mark.parametrize(
    "given",
    [{"reynolds": v} for v in (0, -1.0, np.inf, np.nan, "6e6", None, True, [1e6])]
    + [{"reynolds": 1e6, "y_plus": 0.0}, {"reynolds": 1e6, "chord": -1.0}],
)
def test_what_is_no_positive_number_has_no_wall_spacing(given):
    with pytest.raises(km.SettingsError, match=f"wall_spacing: {list(given)[-1]} = "):
        km.mesh.wall_spacing(**given)


def test_a_plate_like_nasas_has_its_nodes_markers_and_first_height():
    mesh = km.mesh.plate(137 * 97, **NASA, wall_spacing=2e-6, layers=96)
    along, across, x = steps(mesh)
    start = int(np.flatnonzero(x == 0.0)[0])  # a node at the leading edge, exactly

    assert (len(x), len(across)) == (137, 96)
    assert not len(mesh.triangles)
    assert {name: len(edges) for name, edges in mesh.boundaries.items()} == {
        "symmetry": start, "wall": 136 - start, "outlet": 96, "farfield": 136, "inlet": 96,
    }  # fmt: skip
    wall = mesh.points[np.unique(mesh.boundaries["wall"])]
    assert (wall[:, 1] == 0).all()
    assert (wall[:, 0].min(), wall[:, 0].max()) == (0.0, 2.0)
    assert across[0] == pytest.approx(2e-6, rel=1e-12)
    assert np.ptp(across[1:] / across[:-1]) < 1e-9  # one growth
    assert km.mesh.quality(mesh).max_angle_deg == pytest.approx(90.0, abs=1e-9)
    assert along[start] == pytest.approx(along[start - 1], rel=1e-9)
    assert along.min() == pytest.approx(along[start], rel=1e-9)
    assert (along[start + 1 :] / along[start:-1]).max() < 1.03
    assert (along[: start - 1] / along[1:start]).max() < 1.12


def test_y_plus_gives_the_first_height_and_left_may_be_the_far_field():
    mesh = km.mesh.plate(2000, y_plus=2.0, reynolds=1e5, growth=1.2, left="farfield")
    _, across, _ = steps(mesh)

    assert across[0] == pytest.approx(km.mesh.wall_spacing(1e5, 2.0), rel=1e-12)
    assert 1.18 < (across[1:] / across[:-1]).max() < 1.2
    assert set(mesh.boundaries) == {"symmetry", "wall", "outlet", "farfield"}


def test_growth_and_layers_give_the_first_height_and_without_them_growth_stays_moderate():
    given = km.mesh.plate(2000, growth=1.1, layers=40)
    free = km.mesh.plate(1000, wall_spacing=1e-6)

    assert steps(given)[1][1:] / steps(given)[1][:-1] == pytest.approx(1.1, rel=1e-9)
    assert 1.2 < (steps(free)[1][1] / steps(free)[1][0]) < 1.25


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "wall_spacing, or y_plus with reynolds, or growth with layers"),
        ({"growth": 1.1}, "or growth with layers"),
        ({"y_plus": 1.0}, "expected both or neither"),
        ({"wall_spacing": 1e-4, "y_plus": 1.0, "reynolds": 1e6}, "expected one of them"),
        ({"wall_spacing": 1e-4, "growth": 1.1, "layers": 50}, "expected two of them"),
        ({"y_plus": 1.0, "reynolds": -1e6}, "reynolds = -1"),
        ({"wall_spacing": 2.0}, "less than the 1 to the far side"),
        ({"wall_spacing": 0.02, "layers": 30}, "high, expected less than their length"),
        ({"wall_spacing": 1e-6, "growth": 1.6}, "growth = 1.6, expected 1.01 to 1.5"),
        ({"wall_spacing": 1e-6, "growth": 1.005}, "growth = 1.005"),
        ({"wall_spacing": 1e-6, "layers": 12}, "ask for more layers"),
        ({"wall_spacing": 1e-2, "layers": 99}, "ask for fewer layers"),
        ({"wall_spacing": 1e-6, "layers": 900}, "steps along the plate, expected at least 16"),
        ({"wall_spacing": 1e-6, "layers": 40.0}, "layers = 40.0"),
        ({"wall_spacing": 1e-6, "edge_spacing": 0.5}, "edge_spacing = 0.5"),
        ({"wall_spacing": 1e-6, "upstream": 1e-3}, "ahead of the leading edge"),
        ({"wall_spacing": 1e-6, "length": 0.0}, "length = 0"),
        ({"wall_spacing": 1e-6, "nodes": 1e4}, "nodes = 10000.0"),
        ({"wall_spacing": 1e-6, "left": "inlets"}, "did you mean 'inlet'"),
    ],
)
def test_a_plate_that_cannot_be_is_refused_with_what_was_expected(given, said):
    with pytest.raises(km.MeshError, match="plate: ") as error:
        km.mesh.plate(**({"nodes": 2000} | given))
    assert said in str(error.value)
