"""Round meshes without a hole."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.mesh.geometry.quality import corner_angles


@pytest.mark.parametrize(("outer", "nodes"), [("wall", 200), ("overset", 5000)])
def test_mesh_is_round_even_and_without_a_hole(outer, nodes):
    mesh = km.mesh.disc(nodes, radius=2.0, outer=outer)

    rim = len(mesh.boundaries[outer])
    assert set(mesh.boundaries) == {outer}
    assert abs(mesh.nodes - nodes) <= rim / 2
    assert np.linalg.norm(mesh.points, axis=1).max() == pytest.approx(2.0, rel=1e-12)
    # the polygon of the rim, which triangles fill without a gap
    assert mesh.areas.sum() == pytest.approx(2 * rim * np.sin(2 * np.pi / rim), rel=1e-12)
    assert mesh.areas.max() < 1.4 * mesh.areas.min()
    assert corner_angles(mesh.points, mesh.triangles).max() < 90
    assert mesh.edges.shape[0] == mesh.nodes + len(mesh.triangles) - 1  # Euler, one outside


@pytest.mark.parametrize(
    "given", [{"nodes": 100}, {"radius": 0.0}, {"radius": np.inf}, {"outer": "rim"}]
)
def test_what_makes_no_mesh_is_refused(given):
    with pytest.raises(km.MeshError, match=r"disc: (nodes|outer) = "):
        km.mesh.disc(**given)
