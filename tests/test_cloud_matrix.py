"""The matrix of the meshless solver, and the flows that its pseudo-steps lead to."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.boundary import conserved
from solver_cases import naca0012_mesh, on_devices
from test_space import box

MACH = 0.6


def first_order(solver):
    """Calls from u to the residual of first order: all gradients zero."""
    first = solver.gradients.grad
    solver.backend.put(first, 0.0)
    fields = solver.cloud_fields | {"u": solver.u, "past": solver.past}
    calls = [solver._primitive, *solver._flux_calls(fields)]
    return calls + [c for c in solver._residual if c not in calls][-solver_closings(solver):]


def solver_closings(solver):
    """How many calls of the residual come after the fluxes."""
    grid = solver.grid
    return bool(len(grid.wall.node)) + bool(len(grid.far.node)) + bool(len(grid.mirror_nodes))


def cloud_of(where):
    if where == "plane":
        return km.Cloud.from_mesh(km.mesh.airfoil("naca0012", nodes=520, far_field=10))
    return box(half=where == "half")


@on_devices
@pytest.mark.parametrize("where", ["plane", "space", "half"])
def test_the_matrix_is_the_derivative_of_the_first_order_residual(device, where):
    """In a uniform stream, where the dissipation that is frozen has no derivative.

    Walls move with the stream, as the speed of the wave that they reflect is frozen too.
    """
    cloud = cloud_of(where)
    solver = km.Meshless(cloud, mach=MACH, alpha_deg=3.0, device=device, settings=km.MeshlessSettings(
        time="bicgstab", matrix_dtype="float64", flux="roe", limiter="none", entropy_fix=0.15))  # fmt: skip
    b, grid = solver.backend, solver.grid
    rng = np.random.default_rng(1)
    q = b.get(solver.stream)[0]
    velocity = rng.uniform(-0.2, 0.2, grid.points.shape)
    velocity[grid.wall.node] = q[1:-1]
    n = b.get(grid.plane)[0] if where != "plane" else 0.0
    if where == "half":
        velocity[grid.mirror_nodes] *= 1 - np.abs(n)
    b.put(grid.velocity, velocity)
    solver.start_steady()
    b.put(grid.velocity, velocity)
    b.put(solver.dualtime.cfl, 1e30)
    b.put(solver.dualtime.active, 1)
    calls = b.record(first_order(solver))
    change = rng.standard_normal((grid.nodes, grid.variables))
    if where == "half":
        change[grid.mirror_nodes, 1:-1] *= 1 - np.abs(n)
    sides, step, u = [], 1e-6, conserved(np.tile(q, (grid.nodes, 1)))
    for sign in (1, -1):
        b.put(solver.u, u + sign * step * change)
        calls()
        sides.append(b.get(solver.res))
    found = (sides[0] - sides[1]) / (2 * step)

    b.put(solver.u, u)
    calls()
    implicit = solver.implicit
    b.record(implicit.assemble(solver.pattern, implicit.solver, implicit.state, False))()
    p, size = solver.pattern, grid.variables
    A = b.get(implicit.solver.A).reshape(-1, size, size).transpose(0, 2, 1)
    rows = np.repeat(np.arange(grid.nodes), np.diff(p.row))
    product = np.zeros_like(change)
    np.add.at(product, p.node[rows], np.einsum("bij,bj->bi", A, change[p.node[p.column]]))

    worst = np.abs(product - found).max() / np.abs(found).max()
    assert worst < 1e-7  # of the step: the rounding of |lambda| has a bend
