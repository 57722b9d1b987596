"""Geometric conservation: V^(n+1) - V^n is the sum of the volumes that a node's faces sweep.

The size of what is summed is V + sum |dV|, up to 30 V in one step of case CT5; every term has a
relative error of a few eps, so 1e-14 = 45 eps holds for any order of summation.
"""

import kinemesh as km
import numpy as np
import pytest
from placements import along
from solver_cases import (
    IN_PLANE,
    Wobble,
    naca0012_mesh,
    on_devices,
    rates,
    smooth_random,
    square,
    swept,
)

BAR = 1e-14
MESHES = {"su2": naca0012_mesh, "generated": lambda: km.mesh.airfoil("naca0012")}


def ct5(mesh, deform, device):
    """Case CT5 and its time step."""
    motion = km.motion.pitch(2.51, 0.0814)
    ale = km.Ale(mesh, mach=0.755, alpha_deg=0.016, motion=motion, deform=deform, device=device)
    return ale, np.array([motion.period(0.755) / 64])


def steps(ale, dt, count):
    """Steps of the mesh alone, BDF1 then BDF2; yields their numbers."""
    for number in range(count):
        ale.begin_step(dt, 1 if number == 0 else 2)
        ale.place(along(lambda s, n=number: ale.bodies.poses((n + s) * dt), 1.0))
        ale.check_faults(f"step {number}")
        yield number


def check(ale, dt, number):
    """Both claims for one step of one member."""
    grid, get = ale.grid, ale.backend.get
    V, V1, V2 = (get(a) for a in (grid.V, grid.V1, grid.V2))
    total, size = swept(grid)

    assert (np.abs(V - V1 - total) <= BAR * (V + size)).all()
    if number == 0:
        recurrence = V1 + dt[0] * rates(grid)
    else:
        recurrence = 4 / 3 * V1 - 1 / 3 * V2 + 2 / 3 * dt[0] * rates(grid)
    assert (np.abs(V - recurrence) <= BAR * (V + size)).all()


@on_devices
@pytest.mark.parametrize("deform", IN_PLANE)
@pytest.mark.parametrize("mesh", MESHES)
def test_volumes_change_by_what_the_faces_sweep(mesh, deform, device):
    """Also Ma et al., eq. 4: V^(n+1) = 4/3 V^n - 1/3 V^(n-1) + 2/3 dt sum w."""
    ale, dt = ct5(MESHES[mesh](), km.deform.METHODS[deform](), device)

    for number in steps(ale, dt, 3):
        check(ale, dt, number)

    _, size = swept(ale.grid)
    assert (size / ale.backend.get(ale.grid.V)).max() > 1


@on_devices
def test_volumes_change_by_what_the_faces_sweep_with_quads_and_moving_edges(device):
    law, dt = smooth_random(1.0, 0.2, edges=True), np.array([0.05])
    ale = km.Ale(square(12, quads=True), mach=0.4, deform=Wobble(law, dt[0]), walls=[],
                 device=device)  # fmt: skip

    for number in steps(ale, dt, 10):
        check(ale, dt, number)

    get = ale.backend.get
    assert np.abs(get(ale.grid.V) / get(ale.grid.V1) - 1).max() > 0.05


@on_devices
def test_dual_volumes_fill_the_domain_and_faces_close(device):
    """Sum of V is the area of the square; the area vectors of every node add up to zero."""
    law, dt = smooth_random(1.0, 0.3), np.array([0.05])
    mesh = square(12, quads=True)
    ale = km.Ale(mesh, mach=0.4, deform=Wobble(law, dt[0]), walls=[], device=device)

    for _ in steps(ale, dt, 10):
        pass

    grid, get = ale.grid, ale.backend.get
    S, around = get(grid.S), np.zeros((grid.nodes, 2))
    np.add.at(around, grid.dual.lr[:, 0], S)
    np.add.at(around, grid.dual.lr[:, 1], -S)
    np.add.at(around, grid.patches["far"].node, get(grid.patches["far"].device["S"]))
    eps = np.finfo(float).eps
    assert np.abs(around).max() <= 16 * eps  # a dozen vectors of size 0.1 each
    assert abs(get(grid.V).sum() - 4) <= 4 * eps * grid.nodes**0.5
