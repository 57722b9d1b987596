"""Meshes drawn out along the span: every kind of cell, markers, volumes and duals."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.dual import dual
from solid_metrics import Metrics, areas
from squares import square

CELLS = (None, "prisms", "tets")


def planar_duals(mesh):
    """Areas of the median duals of a mesh of the plane."""
    tables = dual(mesh.nodes, mesh.cells)
    x, found = mesh.points, np.zeros(mesh.nodes)
    for cell in mesh.cells:
        nodes = cell[cell >= 0]
        centre = x[nodes].mean(axis=0)
        for k, node in enumerate(nodes):
            ends = [
                0.5 * (x[node] + x[nodes[k - 1]]),
                0.5 * (x[node] + x[nodes[k - len(nodes) + 1]]),
            ]
            ring = np.array([x[node], ends[1], centre, ends[0]])
            a, b = ring.T
            found[node] += 0.5 * np.sum(a * np.roll(b, -1) - b * np.roll(a, -1))
    assert len(tables.lr) == len(mesh.edges)
    return found


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("layers", [1, 3])
def test_an_extruded_mesh_has_the_volume_and_the_markers_of_the_plane(cells, layers):
    flat = square(4, jitter=0.2)
    mesh = km.mesh.extruded(flat, span=0.6, layers=layers, cells=cells)

    assert set(mesh.blocks) == {
        None: {"prisms", "hexahedra"}, "prisms": {"prisms"}, "tets": {"tetrahedra"}
    }[cells]  # fmt: skip
    assert mesh.nodes == flat.nodes * (layers + 1)
    assert mesh.volumes.sum() == pytest.approx(0.6, rel=1e-13)
    assert list(mesh.boundaries) == ["rim", "symmetry_left", "symmetry_right"]
    for name, y in (("symmetry_left", 0.0), ("symmetry_right", 0.6)):
        faces = mesh.boundaries[name]
        corner = mesh.points[np.where(faces < 0, faces[:, :1], faces)]
        assert (corner[..., 1] == y).all()
        S = areas(corner[:, :3]).sum(axis=0) + areas(corner[:, [0, 2, 3]]).sum(axis=0)
        np.testing.assert_allclose(S, [0.0, 1.0 if y else -1.0, 0.0], atol=1e-13)
    y = mesh.points[:, 1]
    np.testing.assert_allclose(np.unique(y), np.linspace(0, 0.6, layers + 1))
    np.testing.assert_array_equal(mesh.points[: flat.nodes][:, [0, 2]], flat.points)


@pytest.mark.parametrize("quads", [True, False])
def test_duals_of_prisms_and_hexahedra_are_those_of_the_plane_drawn_out(quads):
    flat = square(4, "quads" if quads else "triangles", jitter=0.2)
    mesh = km.mesh.extruded(flat, span=0.6, layers=2, cells="hexes" if quads else "prisms")

    V = Metrics(mesh).V.reshape(3, -1)

    share = np.array([0.25, 0.5, 0.25])[:, None] * 0.6
    np.testing.assert_allclose(V, share * planar_duals(flat), rtol=1e-12)


def test_quadrilaterals_are_cut_through_their_shorter_diagonal():
    for shear, ends in ((1.0, (1, 3)), (-1.0, (0, 2))):
        points = np.array([[0, 0], [1, 0], [1 + shear, 1], [shear, 1]])
        loop = [[0, 1], [1, 2], [2, 3], [3, 0]]
        flat = km.Mesh.from_arrays(points, [[0, 1, 2, 3]], {"rim": loop})
        mesh = km.mesh.extruded(flat, cells="prisms")
        assert ends in map(tuple, mesh.edges.tolist())


def test_numbers_of_the_file_are_counted_on_through_the_layers():
    flat = square(2).renumbered()
    mesh = km.mesh.extruded(flat, layers=2)

    layers = mesh.original.reshape(3, -1)
    np.testing.assert_array_equal(layers - flat.original, np.repeat([[0], [9], [18]], 9, axis=1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"span": 0}, "span is 0, expected a number above 0"),
        ({"span": "wide"}, "span is 'wide'"),
        ({"layers": 0}, "layers is 0, expected a whole number from 1"),
        ({"layers": 1.5}, "layers is 1.5"),
        ({"cells": "hexahedra"}, "cells is 'hexahedra', expected hexes, prisms, tets"),
        ({"cells": "hexes"}, "has 20 triangles, expected quadrilaterals alone"),
    ],
)
def test_what_cannot_be_extruded_is_refused(given, message):
    with pytest.raises(MeshError, match=message):
        km.mesh.extruded(square(4), **given)


def test_a_mesh_in_space_is_not_extruded_again():
    mesh = km.mesh.extruded(square(2))
    with pytest.raises(MeshError, match="expected a Mesh of the plane"):
        km.mesh.extruded(mesh)


def test_tetrahedra_of_an_aerofoil_are_good_in_every_corner():
    flat = km.mesh.airfoil("naca0012", nodes=600, far_field=10, cells="quads")
    mesh = km.mesh.extruded(flat, 0.5, 2, "tets")

    assert mesh.volumes.min() > 0
    assert mesh.volumes.sum() == pytest.approx(0.5 * flat.areas.sum(), rel=1e-12)
