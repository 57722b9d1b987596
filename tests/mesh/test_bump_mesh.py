"""Meshes over a bump in a channel, as NASA's."""

import kinemesh as km
import numpy as np
import pytest


def columns(mesh):
    """(rows, columns, 2) points of a mesh of columns."""
    order = np.lexsort((mesh.points[:, 1], mesh.points[:, 0].round(12)))
    count = len(np.unique(mesh.points[:, 0].round(12)))
    return mesh.points[order].reshape(count, -1, 2).swapaxes(0, 1)


@pytest.mark.parametrize(
    ("nodes", "layers", "first"), [(89 * 41, 40, 8e-6), (177 * 81, 80, 4e-6), (2000, 30, 1e-4)]
)
def test_a_bump_like_nasas_has_its_nodes_floor_markers_and_first_height(nodes, layers, first):
    mesh = km.mesh.bump(nodes, layers=layers, wall_spacing=first)
    at = columns(mesh)
    x, low = at[0].T
    steps = len(x) - 1
    wall = np.flatnonzero((x >= 0) & (x <= 1.5))

    if nodes != 2000:
        assert mesh.nodes == nodes
        assert len(wall) - 1 == steps * 5 / 11  # 40 of 88, 80 of 176
    assert abs(mesh.nodes / nodes - 1) < 0.03
    assert not len(mesh.triangles)
    assert {name: len(edges) for name, edges in mesh.boundaries.items()} == {
        "symmetry": steps - len(wall) + 1, "wall": len(wall) - 1, "outlet": layers, "top": steps,
        "inlet": layers,
    }  # fmt: skip
    on = np.unique(mesh.points[mesh.boundaries["wall"]][..., 0])
    assert (on.min(), on.max()) == (0.0, 1.5)  # nodes at its ends, exactly
    floor = np.where((x > 0.3) & (x < 1.2), 0.05 * np.sin(np.pi * x / 0.9 - np.pi / 3) ** 4, 0)
    np.testing.assert_allclose(low, floor, atol=1e-15)
    assert low.max() == pytest.approx(0.05, rel=2e-2)
    assert (x[0], x[-1], at[-1, :, 1].min(), at[-1, :, 1].max()) == (-25.0, 26.5, 5.0, 5.0)
    heights = np.diff(at[..., 1], axis=0)
    np.testing.assert_allclose(heights[0, wall], first, rtol=1e-9)
    assert (heights[0] >= first * (1 - 1e-9)).all()
    assert (heights > 0).all()


def test_steps_along_a_bump_are_even_on_both_sides_and_do_not_jump():
    x = columns(km.mesh.bump(177 * 81, layers=80, wall_spacing=4e-6))[0, :, 0]
    steps = np.diff(x)

    np.testing.assert_allclose(steps, steps[::-1], rtol=1e-9)
    assert (steps[1:] / steps[:-1]).max() < 1.2
    near = steps[(x[:-1] > -0.5) & (x[:-1] < 2.0)]
    assert near.min() == pytest.approx(0.0072, rel=0.03)  # as of NASA's grid, at the wall's ends
    quality = km.mesh.quality(km.mesh.bump(177 * 81, layers=80, wall_spacing=4e-6))
    assert quality.max_angle_deg < 110  # NASA's 103


def test_a_bump_takes_another_channel_and_other_lengths():
    mesh = km.mesh.bump(
        3000, upstream=3.0, height=1.0, y_plus=2.0, reynolds=3e6, growth=1.2, edge_spacing=0.02
    )
    at = columns(mesh)
    x = at[0, :, 0]
    start = int(np.flatnonzero(x == 0.0)[0])

    assert (x[0], x[-1], at[-1, 0, 1]) == (-3.0, 4.5, 1.0)
    assert at[1, start, 1] == pytest.approx(km.mesh.wall_spacing(3e6, 2.0), rel=1e-9)
    assert x[start + 1] == pytest.approx(0.02, rel=0.05)
    heights = np.diff(at[:, start, 1])
    assert 1.15 < (heights[1:] / heights[:-1]).max() < 1.2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "wall_spacing, or y_plus with reynolds, or growth with layers"),
        ({"y_plus": 1.0}, "expected both or neither"),
        ({"wall_spacing": 6.0}, "less than the 5 to the far side"),
        ({"wall_spacing": 0.05, "layers": 20}, "high, expected less than their length"),
        ({"wall_spacing": 1e-6, "layers": 900}, "steps along the channel, expected at least 16"),
        ({"wall_spacing": 1e-5, "layers": 40, "nodes": 399}, "nodes = 399, expected 400 to"),
        ({"wall_spacing": 1e-5, "nodes": 3e3}, "nodes = 3000.0"),
        ({"wall_spacing": 1e-5, "height": 0.1}, "height = 0.1, expected more than 0.1"),
        ({"wall_spacing": 1e-5, "height": -1.0}, "height = -1"),
        ({"wall_spacing": 1e-5, "upstream": 0.05}, "each: ask for a longer one"),
        ({"wall_spacing": 1e-5, "upstream": 1e9}, "each: ask for more nodes, or for fewer layers"),
        ({"wall_spacing": 4e-6, "layers": 80, "nodes": 2000}, "each: ask for more nodes"),
        ({"wall_spacing": 1e-5, "edge_spacing": 0.3}, "edge_spacing = 0.3, expected"),
        ({"wall_spacing": 1e-5, "edge_spacing": np.nan}, "edge_spacing = nan"),
    ],
)
def test_a_bump_that_cannot_be_is_refused_with_what_was_expected(given, said):
    with pytest.raises(km.MeshError, match="bump: ") as error:
        km.mesh.bump(**({"nodes": 3000} | given))
    assert said in str(error.value)


@pytest.mark.parametrize("height", [0.11, 0.5, 100.0])
@pytest.mark.parametrize("first", [1e-7, 1e-3])
def test_a_bump_has_no_cell_inside_out_in_low_and_high_channels(height, first):
    mesh = km.mesh.bump(4000, height=height, wall_spacing=first)

    assert km.mesh.quality(mesh).min_area > 0


@pytest.mark.parametrize("steps", [16, 17, 18, 19])
def test_the_fewest_steps_along_a_bump_make_a_mesh_and_one_fewer_none(steps):
    mesh = km.mesh.bump((steps + 1) * 41, layers=40, wall_spacing=1e-4, upstream=1.0)

    assert len(mesh.boundaries["top"]) == steps
    assert km.mesh.quality(mesh).min_area > 0
    with pytest.raises(km.MeshError, match="leave 15 steps along the channel, expected at least"):
        km.mesh.bump(16 * 41, layers=40, wall_spacing=1e-4, upstream=1.0)


@pytest.mark.parametrize(("share", "made"), [(1 - 1e-9, True), (1 + 1e-9, False)])
def test_steps_along_a_bump_grow_by_two_each_at_most(share, made):
    asked = {"nodes": 17 * 41, "layers": 40, "wall_spacing": 1e-4}
    x = columns(km.mesh.bump(**asked, upstream=1.0))[0, :, 0]
    ahead = int(np.flatnonzero(x == 0.0)[0])
    doubled = x[ahead + 1] * (2**ahead - 1)  # 1 + 2 + 4 + ... of the first step on the wall

    if made:
        steps = np.diff(columns(km.mesh.bump(**asked, upstream=share * doubled))[0, : ahead + 1, 0])
        np.testing.assert_allclose(steps[:-1] / steps[1:], 2, rtol=1e-6)
        return
    with pytest.raises(km.MeshError, match="so that steps grow by 1 to 2 each"):
        km.mesh.bump(**asked, upstream=share * doubled)
