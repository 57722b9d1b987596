"""Meshes in space that others go on beyond, halves of them, and backgrounds in space."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import MeshError
from kinemesh.mesh.facets import area_vectors

BOX = (-2.0, 3.0, 0.0, 2.0, -1.0, 1.5)


def enclosed(mesh):
    """Volume within the boundary, by its area vectors."""
    total = 0.0
    for faces in mesh.boundaries.values():
        corner = mesh.points[np.where(faces < 0, faces[:, :1], faces)]
        triangles = [(corner[:, [0, 1, 2]]), (corner[:, [0, 2, 3]])]
        total += sum(np.linalg.det(own).sum() / 6 for own in triangles)
    return total


def test_a_background_in_space_is_uniform_in_its_core_and_fills_its_box():
    mesh = km.mesh.background(BOX, (-0.5, 1, 0, 0.75, -0.5, 0.5), spacing=0.25, growth=1.3,
                              symmetry=["front"], walls=["bottom"])  # fmt: skip
    sides = ["left", "right", "symmetry_front", "back", "wall_bottom", "top"]
    assert sorted(mesh.boundaries) == sorted(sides)
    assert mesh.volumes.sum() == pytest.approx(5 * 2 * 2.5, rel=1e-12)
    assert enclosed(mesh) == pytest.approx(5 * 2 * 2.5, rel=1e-12)
    normal = area_vectors(mesh.points, mesh.boundaries["symmetry_front"]).sum(axis=0)
    assert normal == pytest.approx([0, -12.5, 0], abs=1e-12)
    for axis, (low, high) in enumerate([(-0.5, 1), (0, 0.75), (-0.5, 0.5)]):
        line = np.unique(np.round(mesh.points[:, axis], 9))
        inner = line[(line >= low - 1e-9) & (line <= high + 1e-9)]
        assert np.diff(inner) == pytest.approx(0.25)
        step = np.diff(line)
        ratio = np.maximum(step[1:] / step[:-1], step[:-1] / step[1:])
        assert ratio.max() < 1.3 + 1e-6


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"box": BOX[:5]}, r"expected \(x0, x1, y0, y1\) or in space \(x0, x1, y0, y1, z0, z1\)"),
        ({"core": (-1, 1, 0)}, r"expected \(x0, x1, y0, y1, z0, z1\)"),
        ({"core": (-1, 1, 0, 1)}, r"has 6 numbers and core = \(-1, 1, 0, 1\) has 4, expected 4"),
        ({"symmetry": ["frnt"]}, "did you mean 'front'"),
        ({"symmetry": ["front"], "walls": ["front"]}, "are both walls and symmetry"),
        ({"spacing": 0.005}, "expected at most"),
    ],
)
def test_boxes_in_space_that_make_no_background_are_refused(change, told):
    asked = {"box": BOX, "core": (-1, 1, 0, 1, -0.5, 0.5), "spacing": 0.5}
    with pytest.raises(MeshError, match=told):
        km.mesh.background(**(asked | change))


@pytest.mark.parametrize("cells", ["hexes", "prisms", "tets"])
def test_half_a_sphere_is_that_of_y_above_0(cells):
    whole = km.mesh.sphere(2000, far_field=1.5, outer="overset", cells=cells)
    half = km.mesh.sphere(1000, far_field=1.5, outer="overset", cells=cells, half=True)
    assert sorted(half.boundaries) == ["overset", "sphere", "symmetry"]
    assert half.points[:, 1].min() == 0.0
    assert half.volumes.min() > 0
    assert 2 * half.volumes.sum() == pytest.approx(whole.volumes.sum(), rel=1e-12)
    assert enclosed(half) == pytest.approx(half.volumes.sum(), rel=1e-12)
    on_plane = half.boundaries["symmetry"]
    assert half.points[on_plane[on_plane >= 0], 1].max() == 0.0


def test_a_sphere_is_as_near_as_three_quarters_of_a_diameter_where_others_go_on():
    assert km.mesh.sphere(1000, far_field=0.75, outer="overset").nodes
    with pytest.raises(MeshError, match=r"far_field = 0.74, expected 0.75"):
        km.mesh.sphere(1000, far_field=0.74, outer="overset")
    with pytest.raises(MeshError, match="half = 1, expected True or False"):
        km.mesh.sphere(1000, half=1)


def test_a_near_mesh_of_a_wing_ends_at_a_cylinder_within_others():
    mesh = km.mesh.wing("naca0012", 10_000, span=2.0, far_field=1.3, outer="overset",
                        trailing_edge="sharp")  # fmt: skip
    assert sorted(mesh.boundaries) == ["overset", "symmetry", "wing"]
    rim = mesh.points[np.unique(mesh.boundaries["overset"])]
    side = rim[rim[:, 1] < rim[:, 1].max() - 1e-9]
    assert np.hypot(side[:, 0] - 0.5, side[:, 2]) == pytest.approx(1.3, rel=1e-6)
    assert mesh.volumes.min() > 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"far_field": 0.9}, "far_field = 0.9, expected 1"),
        ({"far_field": 1.2, "sweep_deg": 45.0, "span": 3.0}, "expected at least"),
        ({"topology": "ch", "wall_spacing": 1e-3}, "is of topology 'oh'"),
        ({"outer": "oversett"}, "did you mean 'overset'"),
    ],
)
def test_near_meshes_of_wings_that_cannot_be_are_refused(change, told):
    asked = {"far_field": 1.5, "outer": "overset"}
    with pytest.raises(MeshError, match=told):
        km.mesh.wing("naca0012", 10_000, **(asked | change))
