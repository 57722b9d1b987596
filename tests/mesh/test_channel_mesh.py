"""Meshes of channels: their walls, nodes and markers, and what is refused."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.geometry.curves import area


def bent(x):
    return 1 + 0.2 * np.sin(x)


def rows(mesh, across):
    """(across, along, 2) points of a mesh of columns."""
    order = np.lexsort((mesh.points[:, 1], mesh.points[:, 0].round(9)))
    return mesh.points[order].reshape(-1, across, 2).swapaxes(0, 1)


def sizes(mesh):
    """Sum of the areas of all cells."""
    return sum(abs(area(mesh.points[cell])) for table in (mesh.triangles, mesh.quads)
               for cell in table)  # fmt: skip


@pytest.mark.parametrize("cells", ["quads", "triangles"])
def test_a_channel_lies_between_its_walls_and_has_their_markers(cells):
    mesh = km.mesh.channel(bent, lower=-0.5, length=4.0, along=21, across=7, cells=cells)
    at = rows(mesh, 7)
    x = np.linspace(0, 4, 21)

    assert mesh.nodes == 147
    assert (len(mesh.quads), len(mesh.triangles)) == ((120, 0) if cells == "quads" else (0, 240))
    np.testing.assert_allclose(at[..., 0], np.broadcast_to(x, (7, 21)), atol=1e-12)
    np.testing.assert_allclose(np.diff(at[..., 1], axis=0), [(bent(x) + 0.5) / 6] * 6, rtol=1e-12)
    assert sizes(mesh) == pytest.approx(np.trapezoid(bent(x) + 0.5, x), rel=1e-12)
    sides = {"inlet": at[:, 0], "outlet": at[:, -1], "lower": at[0], "upper": at[-1]}
    assert set(mesh.boundaries) == set(sides)
    for name, own in sides.items():
        edges = mesh.points[mesh.boundaries[name]]
        assert len(edges) == len(own) - 1
        there = {tuple(point) for point in edges.reshape(-1, 2).round(9)}
        assert there == {tuple(point) for point in own.round(9)}


def test_walls_go_through_their_points_and_do_not_overshoot():
    points = np.array([(1, 1.0), (2, 1.0), (3, 0.6), (4, 0.9), (5, 0.9)])
    at = rows(km.mesh.channel(points, lower=[(1, 0.1), (5, 0.3)], along=41, across=5), 5)
    (x, high), low = at[-1].T, at[0, :, 1]

    np.testing.assert_allclose(high[::10], points[:, 1], atol=1e-12)
    assert (high.min(), high.max()) == pytest.approx((0.6, 1.0), abs=1e-12)
    np.testing.assert_allclose(low, 0.1 + 0.05 * (x - 1), atol=1e-12)


def test_wall_cells_have_their_height_at_both_walls_all_along():
    at = rows(km.mesh.channel(bent, length=4.0, along=21, across=31, wall_spacing=0.004), 31)
    heights = np.diff(at[..., 1], axis=0)

    np.testing.assert_allclose(heights[[0, -1]], 0.004, rtol=1e-8)
    np.testing.assert_allclose(heights, heights[::-1], rtol=1e-8)
    assert heights.min() == pytest.approx(0.004)


@pytest.mark.parametrize(
    ("given", "nodes"),
    [
        ({}, (143, 14)),
        ({"nodes": 500}, (71, 7)),
        ({"along": 50}, (50, 40)),
        ({"across": 20, "nodes": 800}, (40, 20)),
    ],
)
def test_nodes_are_those_asked_for_in_cells_that_are_about_square(given, nodes):
    """Spacings of a channel ten times as long as high; 10 / 142 by 1 / 13, 10 / 70 by 1 / 6."""
    mesh = km.mesh.channel(1.0, length=10.0, **given)

    assert tuple(len(mesh.boundaries[name]) + 1 for name in ("upper", "inlet")) == nodes


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"lower": lambda x: 0.5 * x}, r"walls cross at x = 2\.\d+, where upper is 1 and"),
        ({"upper": 0.0}, "walls cross at x = 0, where upper is 0 and lower 0"),
        ({"upper": lambda x: 1 / (x - 3.0)}, "upper is inf at x = 3, expected a finite height"),
        ({"upper": lambda x: x[:3]}, r"gave numbers of shape \(3,\) for 513 places"),
        ({"upper": lambda: 1.0}, "upper failed, TypeError"),
        ({"upper": lambda x: 1 + 0j * x}, "upper failed, TypeError: complex128 are no heights"),
        ({"upper": lambda x: "high"}, "upper failed, TypeError"),
        ({"upper": [("0", "1"), ("2", "1")]}, "expected two points"),
        ({"upper": np.ones((2, 4))}, r"upper is an array of float64 of shape \(2, 4\), expected"),
        ({"upper": np.nan}, "upper = nan, expected a number, points"),
        ({"upper": True}, "upper = True, expected a number, points"),
        ({"lower": "flat"}, "lower = 'flat', expected a number, points"),
        ({"upper": [(0, 1.0), (2, 1.0), (2, 0.8)]}, "points 1 and 2 of upper are at x = 2 and 2"),
        ({"upper": [(0, 1.0), (2, np.inf)]}, r"point 1 of upper is \[2.0, inf\], expected finite"),
        ({"upper": [(0, 1.0)]}, "expected two points"),
        ({"upper": [1.0, 2.0, 3.0]}, "expected two points"),
        ({"upper": [(0, 1.0), (6, 1.0)]}, "length = 6.0 beside points of upper from x = 0 to 6"),
        ({"length": None}, "nothing says how long it is"),
        ({"length": -1.0}, "length = -1.0, expected a finite number above 0"),
        ({"along": 7}, "along = 7, expected 8 to"),
        ({"across": 2}, "across = 2, expected 3 to"),
        ({"nodes": 24, "across": 4}, "6 nodes along and 4 across, expected at least 8 and 3"),
        ({"along": 500, "nodes": 99}, "500 nodes along and 0 across, expected at least 8 and 3"),
        ({"nodes": 99, "along": 9, "across": 11}, "nodes = 99 beside along = 9 and across = 11"),
        ({"wall_spacing": 0.5, "across": 11}, "wall_spacing = 0.5, expected less than 0.1"),
        ({"wall_spacing": 1e-6, "across": 11}, "ask for more nodes across"),
        ({"wall_spacing": 1e-20, "across": 4}, "ask for more nodes across"),
        ({"wall_spacing": 0.2, "across": 3}, "with across = 3, .* expected 4 nodes"),
        ({"cells": "quad"}, "cells = 'quad', expected one of quads, triangles; did you mean"),
    ],
)  # fmt: skip
def test_channels_that_are_none_are_refused(given, said):
    with np.errstate(all="ignore"), pytest.raises(MeshError, match=f"^channel: .*({said})"):
        km.mesh.channel(**{"upper": 1.0, "length": 6.0, **given})


def test_points_of_both_walls_have_the_same_ends():
    with pytest.raises(MeshError, match="upper from 0 to 2 and of lower from 0 to 3"):
        km.mesh.channel([(0, 1), (2, 1)], lower=[(0, 0), (3, 0)])


def test_a_function_may_change_its_places_and_wall_cells_may_be_all_but_even():
    def flat(x):
        x *= 0
        return x + 1

    own, plain = (km.mesh.channel(h, length=2.0, along=8, across=11) for h in (flat, 1.0))
    near = km.mesh.channel(1.0, length=2.0, along=8, across=11, wall_spacing=0.1 * (1 - 1e-14))

    assert (own.points == plain.points).all()
    np.testing.assert_allclose(near.points, plain.points, atol=1e-11)
