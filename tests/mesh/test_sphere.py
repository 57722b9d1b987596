"""Meshes about a sphere: shape, volume, kinds of cells, symmetry, refusals."""

import itertools

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from solid_metrics import Metrics

CELLS = {"hexes": "hexahedra", "prisms": "prisms", "tets": "tetrahedra"}


@pytest.mark.long
@pytest.mark.parametrize("cells", CELLS)
def test_a_sphere_lies_between_two_spheres(cells):
    mesh = km.mesh.sphere(5000, far_field=10.0, cells=cells)

    assert list(mesh.blocks) == [CELLS[cells]]
    assert mesh.nodes == pytest.approx(5000, rel=0.1)
    radius = {n: np.linalg.norm(mesh.points, axis=1)[_nodes(mesh, n)] for n in mesh.boundaries}
    np.testing.assert_allclose(radius["sphere"], 0.5, rtol=1e-14)
    np.testing.assert_allclose(radius["farfield"], 10.0, rtol=1e-14)
    exact = 4 / 3 * np.pi * (1000 - 0.125)
    assert 0.96 < mesh.volumes.sum() / exact < 1.0
    left, size = Metrics(mesh).closure(mesh.nodes)
    assert (np.linalg.norm(left, axis=1) <= 1e-14 * size).all()


def _nodes(mesh, name):
    nodes = np.unique(mesh.boundaries[name])
    return nodes[nodes >= 0]


@pytest.mark.parametrize("cells", CELLS)
def test_cells_about_a_sphere_are_good(cells):
    found = km.mesh.quality(km.mesh.sphere(5000, cells=cells))

    assert found.min_share > 0.8
    assert found.min_dihedral_deg > (60 if cells == "hexes" else 24)
    assert found.max_dihedral_deg < 121
    assert found.aspect_ratio[100] < 4


@pytest.mark.long
@pytest.mark.parametrize("cells", CELLS)
def test_a_sphere_has_the_symmetries_of_its_cube(cells):
    mesh = km.mesh.sphere(2000, cells=cells)
    edges = {tuple(sorted(map(tuple, ends))) for ends in _rounded(mesh.points[mesh.edges])}
    for axis, sign in itertools.product(range(3), (1, -1)):
        turned = np.roll(mesh.points, 1, axis=1)
        turned[:, axis] *= sign
        found = {tuple(sorted(map(tuple, ends))) for ends in _rounded(turned[mesh.edges])}
        assert found == edges


def _rounded(points):
    return (np.round(points, 9) + 0.0).tolist()


def test_layers_begin_with_the_height_asked_for():
    mesh = km.mesh.sphere(30_000, wall_spacing=2e-3, growth=1.25)

    radius = np.unique(np.round(np.linalg.norm(mesh.points, axis=1), 12))
    assert radius[1] - radius[0] == pytest.approx(2e-3, rel=1e-6)
    heights = np.diff(radius)
    assert heights[1] / heights[0] == pytest.approx(1.25, abs=0.03)
    assert mesh.nodes == pytest.approx(30_000, rel=0.1)


@pytest.mark.long
def test_a_mesh_of_eight_times_the_nodes_has_half_the_spacings():
    one, two = km.mesh.sphere(40_000), km.mesh.sphere(320_000)

    def heights(mesh):
        return np.diff(np.unique(np.round(np.linalg.norm(mesh.points, axis=1), 9)))

    assert len(two.boundaries["sphere"]) == pytest.approx(
        4 * len(one.boundaries["sphere"]), rel=0.2
    )
    assert len(heights(two)) == pytest.approx(2 * len(heights(one)), rel=0.2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": 100}, "sphere: nodes = 100, expected 500 to"),
        ({"nodes": 2e4}, "sphere: nodes = 20000.0, expected a whole number"),
        ({"wall_spacing": 0.0}, "wall_spacing = 0.0, expected 1e-06 to 0.2"),
        ({"growth": 2}, "growth = 2, expected 1.01 to 1.5"),
        ({"growth": "slow"}, "growth = 'slow', expected 1.01 to 1.5"),
        ({"far_field": None}, "far_field = None, expected 1.5 to 1000"),
        ({"cells": "quads"}, "cells = 'quads', expected hexes, prisms, tets"),
        (
            {"nodes": 600, "wall_spacing": 1e-6, "far_field": 1000.0},
            r"layers from 1e-06 to the far field grow by .* each, expected at most 1.5; give more "
            "than 600 nodes",
        ),
    ],
)
def test_what_makes_no_sphere_is_refused(given, message):
    with pytest.raises(MeshError, match=message):
        km.mesh.sphere(**given)
