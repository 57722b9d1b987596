"""Equilibria of structures under loads that are functions of their coordinates."""

import numpy as np
import pytest
from kinemesh.structure.alpha import Matrices, times
from kinemesh.structure.equilibrium import Equilibrium
from scipy.optimize import fsolve

STIFF = np.array([[3.0, 0.2], [0.2, 0.7]])
FLOW = np.array([[0.1, 1.5], [0.05, 0.3]])  # not symmetric, as of a section
REST = np.array([0.4, -0.1])


def largest():
    """Largest factor of the loads that the springs still hold."""
    return np.linalg.eigvals(np.linalg.solve(STIFF, FLOW)).real.max()


def matrices(stiffness=STIFF, cubic=0.0, members=1):
    each = np.tile(np.asarray(stiffness, float), (members, 1, 1))
    return Matrices(np.tile(np.eye(2), (members, 1, 1)), 0 * each, each,
                    np.tile(np.broadcast_to(cubic, 2), (members, 1)).astype(float))  # fmt: skip


def searched(of, loads, most=20):
    """Search that has ended, loads(q) of (members, n) coordinates."""
    members = len(of.stiffness)
    made = Equilibrium(of, np.ones((members, 2)), np.ones(members))
    while made.wanted.any() and not made.lost.all():
        made.take(loads(made.at))
        assert made.count < most
    return made


def linear(q):
    return REST + q @ FLOW.T


def test_linear_loads_have_the_equilibrium_of_one_system():
    """Flows: one at rest, one for each coordinate, one that is in balance."""
    made = searched(matrices(), linear)

    assert made.at[0] == pytest.approx(np.linalg.solve(STIFF - FLOW, REST), rel=1e-9)
    assert made.count == 4
    assert made.growth[0] == pytest.approx(largest())


def test_curved_loads_and_cubic_springs_have_their_equilibrium():
    def loads(q):
        return REST + q @ FLOW.T + np.sin(3 * q[:, ::-1]) * 0.1

    exact = fsolve(lambda q: STIFF @ q + [5.0, 2.0] * q**3 - loads(q[None])[0], [0.1, 0.0])
    made = searched(matrices(cubic=[5.0, 2.0]), loads)

    assert np.abs(made.at[0] - exact).max() < 2e-4
    assert made.apart[0] <= 1e-4


def test_without_loads_the_first_flow_is_in_balance():
    made = searched(matrices(), lambda q: np.full_like(q, 1e-6))

    assert made.count == 1
    assert not made.at.any()


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_loads_that_grow_faster_than_springs_hold_diverge(share):
    """At the critical stiffness times 1 / share; both have a balance, that beyond is no end."""
    critical = largest()
    made = searched(matrices(STIFF * critical / share), linear)

    assert made.growth[0] == pytest.approx(share)
    assert made.lost[0] == (share > 1)


def test_cubic_springs_hold_what_linear_ones_do_not():
    """Past the divergence of the linear springs, at an equilibrium that is stable."""
    critical = largest()
    stiff = STIFF * critical / 1.1
    made = searched(matrices(stiff, [0.0, 4.0]), linear)

    assert not made.lost[0]
    assert made.growth[0] < 1
    q = made.at[0]
    assert stiff @ q + [0, 4.0] * q**3 == pytest.approx(linear(q[None])[0], abs=1e-4)


def test_members_have_the_search_of_each_alone():
    def loads(rest, q):
        return rest + times(np.tile(FLOW, (len(q), 1, 1)), q) + 0.2 * q**2

    rests = np.array([[0.4, -0.1], [0.0, 0.0], [1.0, 0.3]])
    every = searched(matrices(members=3), lambda q: loads(rests, q))

    for m in range(3):
        alone = searched(matrices(), lambda q, m=m: loads(rests[m : m + 1], q))
        np.testing.assert_array_equal(every.at[m], alone.at[0])


def test_a_restart_goes_on_with_its_bits():
    def loads(q):
        return REST + q @ FLOW.T + 0.2 * q**2

    whole = searched(matrices(), loads)
    parts = Equilibrium(matrices(), np.ones((1, 2)), np.ones(1))
    while parts.wanted.any():
        parts.take(loads(parts.at))
        left = parts.kept()
        parts = Equilibrium(matrices(), np.ones((1, 2)), np.ones(1))
        parts.restore(left)

    np.testing.assert_array_equal(parts.at, whole.at)
