"""The norm that round-off can leave, against sums on the host."""

import warnings

import kinemesh as km
import numpy as np
import pytest
from clouds import half_wing
from kinemesh.flow.gas.dualtime import NOISE


def around_on_mesh(grid):
    """(nodes,) area of the faces of each volume."""
    length = np.hypot(*grid.backend.get(grid.S).astype(float).T)
    return sum(np.bincount(grid.lr[:, side], length, grid.nodes) for side in (0, 1))


def around_on_cloud(grid):
    """(nodes,) twice the sum of the coefficients of each point's satellites, times its share."""
    get, ends = grid.backend.get, np.repeat(np.arange(grid.nodes), np.diff(grid.offsets))
    d = get(grid.x)[grid.neighbour] - get(grid.x)[ends]
    d /= np.linalg.norm(d, axis=1, keepdims=True) ** grid.weight_power
    rows, columns = np.triu_indices(grid.dimensions)
    full = np.empty((grid.nodes, grid.dimensions, grid.dimensions))
    full[:, rows, columns] = full[:, columns, rows] = get(grid.inverse)
    size = np.linalg.norm(np.einsum("nik,nk->ni", full[ends], d), axis=1)
    return 2 * get(grid.V) * np.bincount(ends, size, grid.nodes)


EPS = np.finfo(np.float32).eps
MESH = km.mesh.airfoil("naca0012", nodes=500)
CASES = {
    "mesh": (lambda **k: km.Ale([MESH] * 2, **k), around_on_mesh),
    "cloud": (lambda **k: km.Meshless([km.Cloud.from_mesh(MESH)] * 2, **k), around_on_cloud),
    "space": (lambda **k: km.Meshless([half_wing()] * 2, **k), around_on_cloud),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_floor_is_round_off_of_the_terms_that_cancel(kind, dtype):
    make, around = CASES[kind]
    solver = make(mach=[0.5, 0.6], dtype=dtype, device="cpu")
    grid, dual, get = solver.grid, solver.dualtime, solver.backend.get
    terms, dt = around(grid), np.array([0.1, 0.4])

    for steps, share in ((None, 1.6), (dt, 1.0)):
        dual.set_floor(steps)

        each = terms if steps is None else terms + 4 * get(grid.V) / steps[grid.member]
        if steps is not None and dual.noise is not None:
            share = 0  # each node has its own
            np.testing.assert_allclose(get(dual.noise), NOISE * EPS * each, rtol=64 * EPS)
        expected = share * solver.backend.eps * np.sqrt(np.bincount(grid.member, each**2))
        # sums of positive numbers: as many roundings as there are nodes; coefficients of clouds
        # are in the precision of the case
        eps = solver.backend.eps if kind != "mesh" else np.finfo(float).eps
        np.testing.assert_allclose(get(dual.floor), expected, rtol=max(64, grid.nodes / 2) * eps)


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_float32_at_rest_is_round_off_and_has_not_diverged():
    """At Mach 0.1 single nodes cross their own round-off by chance, far above the first norm."""
    mesh = km.mesh.airfoil("naca0012", nodes=1000, far_field=20)
    settings = km.AleSettings(unsteady_drop=1e-2, steady_iterations=100)
    rest = km.motion.pitch(0.0, 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = km.Ale(
            mesh, mach=0.1, motion=rest, deform=km.deform.Rigid(), device="cpu", dtype="float32",
            settings=settings,
        ).run(cycles=0.5, steps_per_cycle=16)  # fmt: skip

    assert run.summary["result"]["unconverged_steps"] == 0
    assert run.summary["result"]["steps_ended_at_roundoff"] > 0
