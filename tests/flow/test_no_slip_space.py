"""Walls in space that a viscous gas sticks to: loads by the reaction, planes of symmetry."""

import numpy as np
from exact_gas import GAMMA
from samples import direct

RNG = np.random.default_rng(4)
NODES = 7
X, S, REACTION = RNG.uniform(-1, 1, (3, NODES, 3))
Q = RNG.uniform((0.8, -0.3, -0.3, -0.3, 0.6), (1.2, 0.3, 0.3, 0.3, 0.8), (NODES, 5))


def test_loads_by_the_reaction_are_forces_and_moments_about_all_axes(double):
    """Less those of the stream's pressure; moments along y about `about`, along x and z at y 0."""
    about, p = np.array([0.2, -0.1]), 1 / GAMMA

    found = direct(
        double, "wall_reaction_3d", node=np.arange(NODES), member=np.zeros(NODES), x=X, S=S,
        reaction=REACTION, about=[about], stream=[[1.0, 0.3, 0.0, 0.1, p]], offsets=[0, NODES],
        sums=np.zeros((1, 6)),
    )["sums"][0]  # fmt: skip

    force = REACTION - p * S
    fx, fy, fz = force.sum(axis=0)
    roll, pitch, yaw = np.cross(X - [about[0], 0.0, about[1]], force).sum(axis=0)
    np.testing.assert_allclose(found, [fx, fz, pitch, fy, roll, yaw], atol=1e-14)


def no_slip(backend, res, **changes):
    node = np.arange(NODES)
    given = {
        "node": node, "member": 0 * node, "active": [1], "velocity": np.zeros((NODES, 3)),
        "wall_temperature": 0.0, "S": S, "q": Q, "res": res, "on_plane": 0 * node,
        "plane": [[0.0, -1.0, 0.0]], "reaction": np.zeros((NODES, 3)), "heat": np.zeros(NODES),
    }  # fmt: skip
    return direct(backend, "bc_no_slip_3d", **given | changes)


def test_a_wall_takes_what_is_left_of_the_momentum_and_the_energy_its_work(double):
    res, velocity = RNG.uniform(-1, 1, (NODES, 5)), RNG.uniform(-1, 1, (NODES, 3))

    found = no_slip(double, res, velocity=velocity)

    np.testing.assert_array_equal(found["reaction"], -res[:, 1:4])
    work = (velocity * res[:, 1:4]).sum(axis=1)
    left = np.column_stack([res[:, 0], np.zeros((NODES, 3)), res[:, 4] - work])
    np.testing.assert_allclose(found["res"], left, atol=1e-15)


def test_on_a_plane_of_symmetry_the_force_across_is_of_the_pressure(double):
    """Along the plane it is what is left of the momentum, of which there is none across."""
    res = RNG.uniform(-1, 1, (NODES, 5))
    res[:, 2] = 0
    on_plane = np.arange(NODES) % 2

    found = no_slip(double, res, on_plane=on_plane)["reaction"]

    np.testing.assert_array_equal(found[:, [0, 2]], -res[:, [1, 3]])
    np.testing.assert_allclose(found[:, 1], np.where(on_plane, Q[:, 4] * S[:, 1], 0), atol=1e-15)
