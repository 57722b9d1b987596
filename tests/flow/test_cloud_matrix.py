"""The matrix of the meshless solver, and the flows that its pseudo-steps lead to."""

import kinemesh as km
import numpy as np
import pytest
from clouds import box
from kinemesh.gas import conserved
from solver_cases import on_devices

MACH = 0.6


def first_order(solver):
    """Calls from u to the residual of first order: all gradients zero."""
    solver.backend.put(solver.terms["gradients"].grad, 0.0)
    terms = (solver.terms[name] for name in ("convection", "boundary"))
    return [solver._primitive, *(call for term in terms for call in term.residual())]


def cloud_of(where):
    if where == "plane":
        return km.Cloud.from_mesh(km.mesh.airfoil("naca0012", nodes=520, far_field=10))
    return box(half=where == "half")


def case(where, device, **settings):
    settings = km.MeshlessSettings(matrix_dtype="float64", limiter="none", **settings)
    return km.Meshless(cloud_of(where), mach=MACH, alpha_deg=3.0, device=device, settings=settings)


def disturbed(solver):
    rng = np.random.default_rng(2)
    return solver.backend.get(solver.stream) * rng.uniform(0.99, 1.01, (solver.grid.nodes, 1))


def assembled(solver):
    """Dense blocks (rows, rows) of the matrix and its side, as the solver has them now."""
    implicit, p, size = solver.implicit, solver.pattern, solver.model.variables
    calls = solver.assemble(p, implicit.solver, implicit.state, False)
    solver.backend.record(calls)()
    rows = np.repeat(np.arange(len(p.node)), np.diff(p.row))
    A = np.zeros((len(p.node), len(p.node), size, size))
    blocks = solver.backend.get(implicit.solver.A).reshape(-1, size, size)
    A[rows, p.column] = blocks.transpose(0, 2, 1)
    return A, solver.backend.get(implicit.solver.b)


@on_devices
@pytest.mark.parametrize("where", ["plane", "space", "half"])
def test_the_matrix_is_the_derivative_of_the_first_order_residual(device, where):
    """In a uniform stream, where the dissipation that is frozen has no derivative.

    Walls move with the stream, as the speed of the wave that they reflect is frozen too.
    """
    solver = case(where, device, time="bicgstab", entropy_fix=0.15, jacobian_fix=0.15)
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
    change = rng.standard_normal(solver.u.shape)
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
    A, _ = assembled(solver)
    node = solver.pattern.node
    product = np.zeros_like(change)
    product[node] = np.einsum("ijkl,jl->ik", A, change[node])

    worst = np.abs(product - found).max() / np.abs(found).max()
    assert worst < 1e-7  # of the step: the rounding of |lambda| has a bend


@on_devices
@pytest.mark.parametrize("where", ["plane", "half"])
@pytest.mark.parametrize("pairs", [1, 3])
def test_sweeps_are_those_of_the_dense_system(device, where, pairs):
    solver = case(where, device, time="lusgs", stored_blocks=True, lusgs_sweeps=pairs)
    b = solver.backend
    solver.initialise(disturbed(solver))
    solver.start_steady()
    b.put(solver.dualtime.cfl, 20.0)
    b.put(solver.dualtime.active, 1)
    b.record(solver.residual())()
    A, side = assembled(solver)
    want = np.zeros_like(side)
    for turn in range(2 * pairs):
        for i in range(len(want))[:: -1 if turn % 2 else 1]:
            rest = side[i] - np.einsum("jkl,jl->k", A[i], want) + A[i, i] @ want[i]
            want[i] = np.linalg.solve(A[i, i], rest)

    implicit = solver.implicit
    b.record([implicit.solver.factor, implicit.solver.solve_recorded(pairs)])()

    found = b.get(implicit.solver.x)
    assert np.abs(found).max() > 1e-6
    assert np.abs(found - want).max() < 1e-12 * np.abs(want).max()


@pytest.mark.long
@pytest.mark.flow
@on_devices
@pytest.mark.parametrize("where", ["plane", "half"])
def test_all_ways_lead_to_one_flow(device, where):
    """The matrix, its precision and its solver steer the pseudo-steps; the flow is the same."""
    ways = [{"time": "lusgs"}, {"time": "lusgs", "stored_blocks": True}, {"time": "bicgstab"},
            {"time": "bicgstab", "matrix_dtype": "float64"}]  # fmt: skip
    flows = []
    for way in ways:
        settings = km.MeshlessSettings(steady_drop=1e-9, cfl_max=100.0, **way)
        cloud = cloud_of(where)
        solver = km.Meshless(cloud, mach=0.4, alpha_deg=2.0, device=device, settings=settings)
        solver.initialise(disturbed(solver))
        assert solver.steady().summary["result"]["residual_drop"] <= 1e-9
        flows.append(solver.primitive())

    for flow in flows[1:]:
        assert np.abs(flow - flows[0]).max() < 1e-6
    assert (flows[3] != flows[2]).any()
