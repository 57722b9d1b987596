"""O-meshes about a cylinder."""

import kinemesh as km
import numpy as np
import pytest


def test_mesh_is_round_has_the_spacing_and_as_many_nodes():
    mesh = km.mesh.cylinder(4000, far_field=20.0, wall_spacing=0.005, around=64)

    radius = np.unique(np.linalg.norm(mesh.points, axis=1).round(9))
    assert mesh.nodes == 64 * len(radius)
    assert abs(mesh.nodes - 4000) < 64
    assert radius[[0, -1]] == pytest.approx([0.5, 20.0])
    assert radius[1] - radius[0] == pytest.approx(0.005, rel=1e-6)
    growth = np.diff(np.log(radius))
    assert (growth[1:] / growth[:-1]).std() < 1e-6  # one ratio throughout
    assert set(mesh.boundaries) == {"cylinder", "farfield"}
    assert not len(mesh.triangles)


@pytest.mark.parametrize("given", [{}, {"wall_spacing": 0.002}, {"far_field": 3.0}])
def test_an_overset_part_is_small_and_its_outermost_cells_are_near_square(given):
    told = {"nodes": 4000, "far_field": 1.0} | given
    mesh = km.mesh.cylinder(**told, outer="overset")

    around = len(mesh.boundaries["cylinder"])
    radius = np.unique(np.linalg.norm(mesh.points, axis=1).round(9))
    assert set(mesh.boundaries) == {"cylinder", "overset"}
    assert abs(mesh.nodes - 4000) < around
    assert radius[-1] == told["far_field"]
    # rings and rays are whole numbers, and sums of steps are taken for integrals
    length = 2 * np.pi * told["far_field"] / around
    assert (radius[-1] - radius[-2]) / length == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(
    "given", [{"nodes": 100}, {"around": 8}, {"far_field": 1.5}, {"wall_spacing": 0.0},
              {"wall_spacing": 5.0}, {"nodes": 500, "around": 100}, {"outer": "wall"},
              {"far_field": 0.9, "outer": "overset"}],
)  # fmt: skip
def test_what_makes_no_good_mesh_is_refused(given):
    with pytest.raises(km.MeshError, match="cylinder: "):
        km.mesh.cylinder(**given)
