"""The steady march beside planes of symmetry, between two walls and on irregular triangles."""

import kinemesh as km
import pytest
from structured import halved

pytestmark = pytest.mark.flow
ROUND = {"reynolds": 40.0, "device": "cpu", "moment_about": (0.0, 0.0)}


@pytest.mark.long
def test_half_a_cylinder_converges_as_the_whole_does():
    """Its drag within 1e-3, which is asked; in at most twice the iterations, at defaults."""
    mesh = km.mesh.cylinder(2600, far_field=15.0, around=64)
    whole = km.Incompressible(mesh, **ROUND).steady()
    half = km.Incompressible(halved(mesh), **ROUND, boundaries={"symmetry": "symmetry"}).steady()
    assert half.converged
    assert 2 * half.history["cd"][-1] == pytest.approx(whole.history["cd"][-1], rel=1e-3)
    assert half.history["iteration"][-1] <= 2 * whole.history["iteration"][-1]


@pytest.mark.long
def test_a_cylinder_between_two_walls_converges_as_beside_one():
    ring = km.mesh.cylinder(1000, far_field=2.0, outer="overset")
    marched = []
    for walls in (["bottom"], ["bottom", "top"]):
        back = km.mesh.background((-6, 10, -3, 3), (-2, 2, -2, 2), 0.15, walls=walls)
        settings = km.IncompressibleSettings(steady_drop=1e-4, overlap=1)
        made = km.Incompressible(
            {"cyl": ring, "back": back}, reynolds=20.0, device="cpu", settings=settings
        )
        marched.append(made.steady())
    assert all(run.converged for run in marched)
    one, two = (run.history["iteration"][-1] for run in marched)
    assert two <= 2 * one
