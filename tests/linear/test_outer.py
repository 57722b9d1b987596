"""BiCGSTAB with multigrid on a scalar matrix: solutions, few iterations, members, singular ones."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.device.backend import Backend
from kinemesh.flow.projection.laplacian import graph_of, laplacian
from kinemesh.linear import Pattern, hierarchy
from kinemesh.linear.outer import ScalarSolver
from kinemesh.linear.stack import Alike
from squares import KINDS, square


def made(meshes, fixed, tolerance=1e-10, device="cpu"):
    """A solver of -Laplacian x = b, x = 0 where `fixed` (of each mesh) is true; the matrices."""
    b, alike = Backend(device), Alike(meshes)
    distinct = [meshes[m] for m in alike.lead]
    matrices = [-laplacian(m.points, m.cells) for m in distinct]
    alone = [Pattern.of_graph(b, *graph_of(k), natural=True) for k in matrices]
    active = b.array(np.ones(len(meshes)), np.int32)
    pattern, given = Pattern.of_members(alike, alone), [fixed(m) for m in distinct]
    return ScalarSolver(b, alike, pattern, matrices, given, active, tolerance=tolerance), matrices


def solved(solver, side):
    """x and the number of iterations, for K x = side."""
    b = solver.backend
    b.put(solver.b, (side / solver.diagonal)[:, None])
    solver.solve_recorded(100)()
    assert (b.get(solver.status) == 1).all()
    return b.get(solver.x)[:, 0], b.get(solver.steps)


def rim(mesh):
    found = np.zeros(mesh.nodes, bool)
    found[mesh.boundaries["rim"]] = True
    return found


def nowhere(mesh):
    return np.zeros(mesh.nodes, bool)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fixed", [rim, nowhere])
def test_solution_has_the_residual_that_is_asked_in_few_iterations(kind, fixed):
    mesh = square(48, kind, jitter=0.2)
    solver, (matrix,) = made([mesh], fixed)
    side = np.where(fixed(mesh), 0.0, np.random.default_rng(3).normal(size=mesh.nodes))
    if fixed is nowhere:
        side -= side.mean()  # else there is no solution

    x, steps = solved(solver, side)

    # of rows scaled by the diagonal 1e-10 is asked; their diagonals are 1 to 4 and alike
    left = np.where(fixed(mesh), 0.0, matrix @ x - side)
    assert np.linalg.norm(left) < 1e-9 * np.linalg.norm(side)
    assert (x[fixed(mesh)] == 0).all()
    assert steps[0] <= 14  # measured 8 to 11


def test_iterations_hardly_grow_with_the_mesh():
    steps = []
    for across in (16, 64):
        mesh = square(across, "quads")
        solver, _ = made([mesh], rim, tolerance=1e-4)
        side = np.where(rim(mesh), 0.0, 1.0)
        steps.append(int(solved(solver, side)[1][0]))
    assert steps[1] <= steps[0] + 3


def test_members_have_the_bits_of_their_solo_runs():
    small, large = square(8, "mixed", jitter=0.2), square(24, "quads")
    meshes = [large, small, large]
    rng = np.random.default_rng(5)
    sides = [np.where(rim(m), 0.0, rng.normal(size=m.nodes)) for m in meshes]

    together, _ = solved(made(meshes, rim)[0], np.concatenate(sides))
    alone = [solved(made([m], rim)[0], side)[0] for m, side in zip(meshes, sides, strict=True)]

    np.testing.assert_array_equal(together, np.concatenate(alone))


def test_thin_triangles_about_a_section_take_few_iterations():
    """With the smoother of the springs, which reaches lower, 66 on 8000 nodes."""
    mesh = km.mesh.airfoil("naca0012", nodes=4000, far_field=20.0, wall_spacing=3e-3)

    def outflow(mesh):
        far = mesh.boundaries["farfield"].ravel()
        found = np.zeros(mesh.nodes, bool)
        found[far[mesh.points[far, 0] > 0.5]] = True
        return found

    solver, _ = made([mesh], outflow, tolerance=1e-4)
    side = np.where(outflow(mesh), 0.0, np.random.default_rng(0).normal(size=mesh.nodes))

    assert solved(solver, side)[1][0] <= 12  # measured 5


def test_entries_of_transfers_may_underflow(monkeypatch):
    """Transfers that are smoothed twice have entries of 1e-320 here; scaled, some are zero."""
    monkeypatch.setattr(hierarchy, "LARGE", 0)
    mesh = km.mesh.cylinder(16_000)
    solver, _ = made([mesh], nowhere, tolerance=1e-4)
    side = np.random.default_rng(0).normal(size=mesh.nodes)

    assert solved(solver, side - side.mean())[1][0] <= 6  # measured 3


def test_a_solve_ends_at_its_first_half_where_that_is_enough():
    mesh = square(24, "quads", jitter=0.2)
    solver, (matrix,) = made([mesh], rim, tolerance=0.5)
    fixed = rim(mesh)
    side = np.where(fixed, 0.0, np.random.default_rng(3).normal(size=mesh.nodes))

    x, steps = solved(solver, side)

    left = (matrix @ x - side)[~fixed] / matrix.diagonal()[~fixed]
    asked = np.linalg.norm(side / matrix.diagonal())
    assert steps.tolist() == [1]
    assert np.linalg.norm(left) <= 0.5 * asked
    assert (solver.backend.get(solver.t) == 0).all()  # the second half's product


@pytest.mark.parametrize("kind", KINDS)
def test_the_pattern_of_a_matrix_is_that_of_its_graph_in_the_order_of_the_nodes(kind, double):
    mesh = square(9, kind, jitter=0.2)
    matrix = laplacian(mesh.points, mesh.cells)
    asked = Pattern.of_graph(double, *graph_of(matrix), natural=True)
    found = Pattern.of_matrix(matrix)

    for name in ("node", "row_of", "row", "column", "diagonal", "member", "item", "item_chunks"):
        assert np.array_equal(getattr(found, name), getattr(asked, name)), name
    assert found.colours == asked.colours
    assert not len(Pattern.of_members(Alike([matrix] * 2), [found]).mirror)
