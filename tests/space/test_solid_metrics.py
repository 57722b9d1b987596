"""Metrics of meshes in space on a device, against their twin in NumPy and exact balances."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.backend import Backend
from kinemesh.errors import MeshError, NumericalFault
from kinemesh.space.solids import SolidGrid, SolidVertices
from solid_metrics import Metrics
from solids import MADE, cube

EXACT = 1e-14  # of the sums of magnitudes: some sixty roundings of 2e-16


def grid_of(mesh, planes=(), dtype="float64", device="cpu", members=1):
    backend = Backend(device, dtype)
    markers = {"wall": [], "far": [name for name in mesh.boundaries if name not in planes]}
    return SolidGrid(SolidVertices(backend, [mesh] * members, markers, planes), planes)


def moved(grid, x):
    """Put the vertices to x, as a step of a run does."""
    grid.keep_levels()
    grid.backend.put(grid.x, x)
    grid.measure()
    grid.sweep()


@pytest.mark.parametrize("kind", MADE)
def test_kernels_have_the_metrics_of_their_twin(kind):
    mesh = cube(3, kind, jitter=0.12, middle=100.0)
    way = 0.05 * np.random.default_rng(2).uniform(-1, 1, mesh.points.shape) / 3
    grid = grid_of(mesh)
    grid.start()
    moved(grid, mesh.points + way)
    get, wall = grid.backend.get, grid.patches["far"]
    twin = Metrics(mesh, mesh.points + way)
    swept = Metrics(mesh, mesh.points, get(grid.x) - mesh.points)

    assert (grid.lr == twin.tables.lr).all()
    assert np.abs(get(grid.S) - twin.S).max() <= EXACT * np.abs(twin.S).max()
    assert np.abs(get(grid.V) - twin.V).max() <= EXACT * twin.V.max()
    assert (np.abs(get(grid.dV1) - swept.dV) <= EXACT * swept.dV_size.max()).all()
    assert (wall.node == twin.node).all()
    assert np.abs(get(wall.device["S"]) - twin.bS).max() <= EXACT * np.abs(twin.bS).max()
    assert (np.abs(get(wall.device["dV1"]) - swept.bdV) <= EXACT * swept.bdV_size.max()).all()


@pytest.mark.parametrize("kind", MADE)
def test_duals_close_and_sweep_what_they_gain(kind):
    mesh = cube(3, kind, jitter=0.12, middle=100.0)
    grid = grid_of(mesh)
    grid.start()
    way = 0.05 * np.random.default_rng(2).uniform(-1, 1, mesh.points.shape) / 3
    moved(grid, mesh.points + way)
    get, (a, b), rim = grid.backend.get, grid.lr.T, grid.patches["far"]
    S, dV = get(grid.S), get(grid.dV1)
    left, gain = np.zeros((mesh.nodes, 3)), get(grid.V1) - get(grid.V)
    np.add.at(left, a, S)
    np.add.at(left, b, -S)
    left[rim.node] += get(rim.device["S"])
    np.add.at(gain, a, dV)
    np.add.at(gain, b, -dV)
    gain[rim.node] += get(rim.device["dV1"])

    sums = Metrics(mesh, mesh.points, way).swept(mesh.nodes)[1]
    assert np.abs(left).max() <= EXACT * np.abs(S).max() * 30
    assert (np.abs(gain) <= EXACT * (get(grid.V) + sums)).all()
    assert get(grid.V).sum() == pytest.approx(1.0, rel=0.2)


def test_worst_cells_are_those_of_the_shape():
    # a cube of hexahedra has right angles, and the volume of each cell
    shapes = grid_of(cube(2, "hexahedra")).shapes()
    assert shapes["least_volume"] == pytest.approx(1 / 8, rel=1e-14)
    assert shapes["least_dihedral_deg"] == pytest.approx(90.0, rel=1e-14)

    # the six tetrahedra about a cube's diagonal have angles of 45, 60 and 90 degrees
    shapes = grid_of(cube(2, "tetrahedra")).shapes()
    assert shapes["least_volume"] == pytest.approx(1 / 48, rel=1e-14)
    assert shapes["least_dihedral_deg"] == pytest.approx(45.0, rel=1e-12)


@pytest.mark.parametrize("kind", MADE)
def test_worst_cells_are_those_that_a_mesh_tells(kind):
    mesh = cube(3, kind, jitter=0.2)

    shapes, told = grid_of(mesh).shapes(), km.mesh.quality(mesh)

    assert shapes["least_dihedral_deg"] == pytest.approx(told.min_dihedral_deg, rel=1e-12)
    assert shapes["least_volume"] <= told.min_volume * (1 + 1e-12)


def test_a_cell_that_folds_is_a_fault():
    mesh = cube(2, "hexahedra")
    grid = grid_of(mesh)
    middle = int(np.argmin(np.abs(mesh.points - 0.5).sum(axis=1)))
    x = mesh.points.copy()
    x[middle] = 1.4  # beyond the corner of the last cube
    moved(grid, x)

    with pytest.raises(NumericalFault, match="dual volume is not positive at node"):
        grid.ensemble.find_faults("now", grid.place, None)


def test_members_have_the_metrics_of_one():
    mesh = cube(2, "mixed", jitter=0.1)
    one, two = grid_of(mesh), grid_of(mesh, members=2)
    for grid in (one, two):
        grid.start()
    for name in ("S", "V"):
        alone, both = one.backend.get(getattr(one, name)), two.backend.get(getattr(two, name))
        assert (np.concatenate([alone, alone]) == both).all()


def test_a_plane_of_symmetry_that_is_not_flat_is_refused():
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=5)
    made = km.mesh.extruded(plane, span=1, layers=1)

    with pytest.raises(MeshError, match="does not lie along the others"):
        grid_of(made, planes=["symmetry_left", "farfield"])


def test_prisms_have_the_weights_of_the_plane_and_tetrahedra_others():
    plane = km.mesh.airfoil("naca0012", nodes=500, far_field=5)
    blunt = {}
    for cells in ("prisms", "tets"):
        grid = grid_of(km.mesh.extruded(plane, cells=cells))
        grid.fit()
        blunt[cells] = grid.backend.get(grid.fields["blunt"])

    assert not blunt["prisms"].any()
    assert blunt["tets"].all()
