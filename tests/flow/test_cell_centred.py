"""The cell-centred solver: exact gradients, order, published and reference solvers' loads."""

import kinemesh as km
import numpy as np
import pytest
from every_solver import Faces
from kinemesh.flow import registry
from kinemesh.flow.terms.gradients import CELL_GRADIENTS
from scipy.spatial import Delaunay as Triangulation
from solver_cases import DATA, on_devices
from squares import KINDS, square

pytestmark = pytest.mark.flow
SLOPES = np.array([[0.1, -0.05], [0.03, 0.02], [-0.04, 0.01], [0.05, 0.02]])


def gradient_error(mesh, gradient, device="cpu"):
    """Largest error of a linear field's gradient in each cell, over the largest derivative."""
    settings = km.CellSettings(gradient=gradient, limiter="none")
    case = km.CellCentred(mesh, mach=0.5, walls=[], settings=settings, device=device)
    case.initialise([1.0, 0.3, 0.1, 1.0] + case.grid.points @ SLOPES.T)
    found = case.backend.get(case.fields["grad"]).reshape(-1, 4, 2)
    return np.abs(found - SLOPES).max(axis=(1, 2)) / np.abs(SLOPES).max(), case.grid


@on_devices
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_linear_fields_are_exact_to_the_corners_of_the_boundary(kind, device):
    mesh = square(12, kind, jitter=0.3)

    nodes, _ = gradient_error(mesh, "nodes", device)
    squares, _ = gradient_error(mesh, "least-squares", device)
    plain, _ = gradient_error(mesh, "plain", device)

    assert nodes.max() < 1e-11
    assert squares.max() < 1e-11
    assert plain.max() > 0.5  # plain means are at the middle of the cells, not at the vertex


@on_devices
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_exact_on_thin_cells_that_lie_aslant(kind, device):
    made, thin, turn = square(10, kind, jitter=0.3), 1e3, np.exp(0.7j)
    place = (made.points @ [1, 1j / thin]) * turn
    points = np.stack([place.real, place.imag], axis=1)
    mesh = km.Mesh(points, made.triangles, made.quads, made.boundaries)

    error, _ = gradient_error(mesh, "nodes", device)

    # distances across cells lose eps times the aspect ratio, differences over them as much again
    assert error.max() < 100 * np.finfo(float).eps * thin**2


@pytest.mark.parametrize("gradient", CELL_GRADIENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_error_grows_in_a_uniform_stream(kind, gradient):
    """All eigenvalues of the residual's derivative, over the volumes, have a positive real part."""
    settings = km.CellSettings(gradient=gradient, limiter="none")
    mesh = square(6, kind, jitter=0.3)
    case = km.CellCentred(mesh, mach=0.5, alpha_deg=17.0, walls=[], settings=settings, device="cpu")
    case.start_steady()
    get, u = case.backend.get, case.backend.get(case.u).copy()

    def residual(place, change):
        moved = u.copy()
        moved.flat[place] += change
        case.backend.put(case.u, moved)
        for call in case.residual():
            call()
        return get(case.res).ravel() / np.repeat(get(case.grid.V), 4)

    step = 1e-6  # central differences: errors of 1e-12 of the second order, 1e-9 of round-off
    columns = [(residual(k, step) - residual(k, -step)) / (2 * step) for k in range(u.size)]

    assert np.linalg.eigvals(np.stack(columns, axis=1)).real.min() > 0.1


class Delaunay(Faces):
    """Vortices on Delaunay triangles of points at random."""

    def space(self, size, half):
        rng, side = np.random.default_rng(size), np.linspace(-1, 1, size + 1)
        points = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        inside = (np.abs(points) < 1 - 1e-9).all(axis=1)
        points[inside] += rng.uniform(-0.7, 0.7, (inside.sum(), 2)) / size
        cells = Triangulation(points).simplices
        a, b, c = np.moveaxis(points[cells], 1, 0)
        area = np.linalg.det(np.stack([b - a, c - a], axis=1))
        cells = cells[np.abs(area) > 1e-9]
        cells[area[np.abs(area) > 1e-9] < 0, 1:] = cells[area[np.abs(area) > 1e-9] < 0, :0:-1]
        return km.Mesh.from_arrays(half * points, cells, square(size).boundaries)


class Regular(Faces):
    kind, jitter = "triangles", 0.0

    def space(self, size, half):
        made = square(size, self.kind, jitter=self.jitter)
        return km.Mesh(half * (2 * made.points - 1), made.triangles, made.quads, made.boundaries)


class Quads(Regular):
    kind, jitter = "quads", 0.25


@pytest.mark.slow
@on_devices
@pytest.mark.parametrize(("sample", "order"), [(Regular, 1.9), (Delaunay, 1.8), (Quads, 1.9)])
def test_a_vortex_is_met_with_second_order(sample, order, device):
    made, line, sizes = sample(device), registry.named("cells"), (20, 28, 40, 56)

    errors = [made.error(line, size) for size in sizes]

    assert -np.polyfit(np.log(sizes), np.log(errors), 1)[0] > order, errors


def reference_mesh():
    return km.mesh.read(DATA / "mesh_NACA0012_inv.su2.xz")


@pytest.mark.long
@on_devices
def test_transonic_loads_are_the_published_ones(device):
    """Bars of AGARD-AR-211 and other codes on this mesh, which has 10,216 triangles."""
    case = km.CellCentred(reference_mesh(), mach=0.8, alpha_deg=1.25, device=device)
    assert case.steady().converged
    (cl, cd, _) = case.coefficients()[0]

    assert 0.325 < cl < 0.345
    assert 0.0200 < cd < 0.0240


@pytest.mark.slow
@on_devices
def test_subsonic_drag_is_below_that_of_duals_on_the_same_mesh(device):
    mesh, loads = km.mesh.airfoil("naca0012", nodes=5000), {}
    for solver in (km.Ale, km.CellCentred):
        case = solver(mesh, mach=0.5, alpha_deg=0.0, device=device)
        assert case.steady().converged
        loads[solver] = case.coefficients()[0]

    assert abs(loads[km.CellCentred][0]) < 1e-6
    assert 0 < loads[km.CellCentred][1] < loads[km.Ale][1]
