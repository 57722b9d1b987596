"""Viscous cells of thin curved layers at walls, and between planes of symmetry."""

import kinemesh as km
import numpy as np
import pytest
from exact_gas import conserved, primitive
from samples import direct

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


def test_the_matrix_of_planes_holds_the_velocity_across(double):
    """Derivative of rho a v . n S, rho and a frozen, where nothing goes across."""
    rng, count = np.random.default_rng(5), 20
    S = rng.uniform(-1, 1, (count, 2))
    n = S / np.hypot(*S.T)[:, None]
    q = rng.uniform((0.5, -1.2, -0.8, 0.4), (1.5, 1.2, 0.8, 1.2), (count, 4))
    q[:, 1:3] -= (q[:, 1:3] * n).sum(1)[:, None] * n
    at = np.arange(count)
    found = direct(
        double, "bc_slip_jacobian", node=at, member=0 * at, active=[1], S=S, q=q, slot=at,
        A=np.zeros((count, 16)),
    )["A"].reshape(count, 4, 4).swapaxes(1, 2)  # fmt: skip

    for k in range(count):
        rho_a, u, step = np.sqrt(1.4 * q[k, 3] * q[k, 0]), conserved(q[k]), 1e-6
        ends = [
            [rho_a * (primitive(u + sign * step * way)[1:3] @ n[k]) * S[k] for way in np.eye(4)]
            for sign in (1, -1)
        ]
        expected = np.zeros((4, 4))
        expected[1:3] = (np.array(ends[0]) - ends[1]).T / (2 * step)
        assert np.abs(found[k] - expected).max() <= 1e-6 * np.abs(expected).max()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*edges lie around the wall:RuntimeWarning")
def test_march_between_planes_goes_as_that_of_the_plane():
    """Cells of the far field are as thin as a hundredth of their length along the span."""
    mesh = section(14_000, 8e-6, 500.0)
    found = [
        turbulent(own, steady_drop=1e-4, steady_iterations=40).steady().summary["result"]
        for own in (mesh, km.mesh.extruded(mesh, 1.0, 2))
    ]

    assert [own["converged"] for own in found] == [True, True], found
    plane, space = found
    assert space["cl"] == pytest.approx(plane["cl"], rel=2e-3)
    assert space["cd"] == pytest.approx(plane["cd"], rel=5e-3)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_turbulent_wing_of_few_cells_ends():
    """Middles of faces at its nose lie tens of heights along the wall from their cells."""
    case = km.cases.load("oneram6-sa", ["mesh.growth=1.5", "solver.steady_iterations=50"])
    solver = case.replace(nodes=50_000, method="cells").build(device="cpu")
    result = solver.steady().summary["result"]

    assert result["converged"]
    speed = np.linalg.norm(solver.backend.get(solver.q)[:, 1:4], axis=1)
    near = solver.backend.get(solver.fields["distance"])[solver.grid.wall.node] < 1e-5
    assert speed[solver.grid.wall.node][near].max() < 0.5
