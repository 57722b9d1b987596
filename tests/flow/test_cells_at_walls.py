"""Viscous cells of thin curved layers at walls."""

import kinemesh as km
import numpy as np
import pytest

pytestmark = pytest.mark.flow


def section(nodes, wall_spacing, far_field):
    return km.mesh.airfoil(
        "naca0012", nodes=nodes, topology="c", cells="quads", heights="even",
        wall_spacing=wall_spacing, far_field=far_field,
    )  # fmt: skip


def turbulent(mesh, **settings):
    """A section at 10 degrees, drawn out or not."""
    span = {"reference_area": 1.0} if mesh.solids else {}
    return km.CellCentred(
        mesh, mach=0.15, alpha_deg=10.0, reynolds=6e6, turbulence="sa", device="cpu",
        settings=km.CellSettings(limiter="none", **settings), **span,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")
@pytest.mark.parametrize("layers", [0, 2])
def test_stress_takes_the_wall_across_however_far_the_middle_of_its_face_lies_along(layers):
    """A face's gradient has what the wall's state asks for over the cell's height, jump S . d."""
    mesh = section(6000, 4.5e-6, 20.0)
    case = turbulent(km.mesh.extruded(mesh, 1.0, layers) if layers else mesh)
    get, wall = case.backend.get, case.grid.wall
    S, d = get(wall.device["S"]), get(wall.device["xf"]) - get(case.grid.centre)[wall.node]
    across = (d * S).sum(1) / np.linalg.norm(S, axis=1)
    along = np.sqrt((d**2).sum(1) - across**2)

    assert (along > 3 * across).sum() > 4
    assert (across > 0).all()
    assert np.abs(get(wall.device["jump"]) * (d * S).sum(1) - 1).max() <= 1e-9


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_turbulent_wing_of_few_cells_ends():
    """At its nose middles of the wall's faces lie 30 heights along the wall from their cells."""
    case = km.cases.load("oneram6-sa", ["mesh.growth=1.5", "solver.steady_iterations=50"])
    solver = case.replace(nodes=40_000, method="cells").build(device="cpu")
    result = solver.steady().summary["result"]

    assert result["converged"]
    speed = np.linalg.norm(solver.backend.get(solver.q)[:, 1:4], axis=1)
    near = solver.backend.get(solver.fields["distance"])[solver.grid.wall.node] < 1e-5
    assert speed[solver.grid.wall.node][near].max() < 0.5
