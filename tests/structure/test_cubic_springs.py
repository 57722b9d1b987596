"""Cubic springs in time without a flow: elliptic motions, their energy, coupled steps."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.structure import coupling
from kinemesh.structure.alpha import Matrices, Rule, at_rest
from kinemesh.structure.coupling import Coupling
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

CASE_A = {"mu": 60, "a": -2, "x_alpha": 1.8, "r2_alpha": 3.48, "omega_ratio": 1}


def oscillators(k, k3, mass=1.0):
    """Members of one coordinate each, q'' + k q + k3 q^3 = 0 times the mass."""
    k, k3 = np.atleast_1d(k).astype(float), np.atleast_1d(k3).astype(float)
    one = np.ones((len(k), 1, 1))
    return Matrices(mass * one, 0 * one, mass * k[:, None, None] * one, mass * k3[:, None])


def swing(of, dt, steps, q, rho=1.0):
    """(steps + 1, members, n) coordinates, and energies, of structures that nothing loads."""
    q = np.atleast_2d(q).astype(float)
    rule = Rule(of, np.full(len(q), dt), rho)
    both = Coupling(rule, at_rest(of, q, np.zeros_like(q)), np.ones_like(q), 1e-11)
    found, energies = [both.now.q], [both.energy]
    for _ in range(steps):
        both.begin(np.ones(len(q), bool))
        while both.wanted.any():
            both.take(np.zeros_like(q))
            assert both.count.max() < 5
        both.end()
        found.append(both.now.q)
        energies.append(both.energy)
    return np.array(found), np.array(energies)


def duffing(k, k3, size, time):
    """Exact motion from rest at `size`, and its period: cn, of a spring that softens sn."""
    if k3 >= 0:
        omega = np.sqrt(k + k3 * size**2)
        m = k3 * size**2 / (2 * omega**2)
        return size * ellipj(omega * time, m)[1], 4 * ellipk(m) / omega
    omega = np.sqrt(k + k3 * size**2 / 2)
    m = -k3 * size**2 / (2 * omega**2)
    return size * ellipj(omega * time + ellipk(m), m)[0], 4 * ellipk(m) / omega


SPRINGS = {"hardening": (1.0, 2.0), "cubic alone": (0.0, 3.0), "softening": (1.0, -0.6)}


@pytest.mark.parametrize("name", SPRINGS)
@pytest.mark.parametrize("rho", [1.0, 0.5])
def test_a_duffing_oscillator_has_its_elliptic_motion_with_second_order(name, rho):
    k, k3 = SPRINGS[name]
    period = duffing(k, k3, 1.0, 0.0)[1]
    errors = []
    for steps in (64, 128, 256):
        dt = period / steps
        q, _ = swing(oscillators(k, k3), dt, steps, 1.0, rho)
        errors.append(np.abs(q[:, 0, 0] - duffing(k, k3, 1.0, dt * np.arange(steps + 1))[0]).max())

    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.1)
    assert errors[2] < 3e-3


@pytest.mark.parametrize("name", SPRINGS)
def test_energy_with_cubic_springs_is_constant_to_rounding_over_a_thousand_steps(name):
    k, k3 = SPRINGS[name]
    _, energy = swing(oscillators(k, k3), duffing(k, k3, 1.0, 0.0)[1] / 24, 1000, 1.0)

    assert energy[0, 0] == pytest.approx(k / 2 + k3 / 4)
    assert np.abs(energy / energy[0] - 1).max() < 1e-12


def test_work_of_forces_on_cubic_springs_is_the_change_of_energy():
    of, rng = oscillators(1.0, 5.0), np.random.default_rng(2)
    both = Coupling(Rule(of, np.array([0.4])), at_rest(of, np.ones((1, 1)), np.zeros((1, 1))),
                    np.ones((1, 1)), 1e-9)  # fmt: skip
    for force in rng.normal(size=20):
        before, energy = both.now, both.energy
        both.begin(np.ones(1, bool))
        while both.wanted.any():
            both.take(np.full((1, 1), force))
        both.end()
        work = (both.now.q - before.q) * (both.now.f + before.f) / 2
        assert both.energy - energy == pytest.approx(work[0], rel=1e-9, abs=1e-12)


def test_a_section_with_a_cubic_pitch_moves_as_its_equation_says():
    """Beside SciPy's integration of M q'' + K q + k3 q^3 = 0."""
    own = km.structure.TypicalSection(
        **CASE_A, speed_index=0.8, cubic_h=30.0, cubic_alpha=400.0
    ).coordinates(0.8, 1.0)
    k_h, k_alpha = own.stiffness.diagonal()
    assert own.cubic == pytest.approx([k_h * 30.0 / 0.25, k_alpha * 400.0])  # b is 0.5
    start = np.array([0.05, 0.04])
    period = 2 * np.pi / own.modes[0][0]

    def slope(_, y):
        force = own.stiffness @ y[:2] + own.cubic * y[:2] ** 3
        return np.concatenate([y[2:], -np.linalg.solve(own.mass, force)])

    exact = solve_ivp(slope, (0, period), [*start, 0, 0], rtol=1e-11, atol=1e-13).y[:2, -1]
    of = Matrices(own.mass[None], own.damping[None], own.stiffness[None], own.cubic[None])
    ends = [swing(of, period / steps, steps, start)[0][-1, 0] for steps in (400, 800)]
    errors = [np.abs(end - exact).max() for end in ends]

    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)
    # the limit of second order is nearer by far
    assert (4 * ends[1] - ends[0]) / 3 == pytest.approx(exact, abs=0.1 * errors[1])


def test_a_heavy_fluid_takes_two_solutions_a_step_with_cubic_springs_too():
    """Loads are an added mass of ten times the mass, at the end of each step."""
    whole, of = oscillators(1.0, 50.0), oscillators(1.0, 50.0)
    whole = Matrices(11 * whole.mass, whole.damping, whole.stiffness, whole.cubic)
    rule, q = Rule(of, np.array([0.1])), np.ones((1, 1))
    alone = at_rest(whole, q, np.zeros((1, 1)))
    first = at_rest(of, q, -10 * alone.a)
    both, counts, found = Coupling(rule, first, np.ones((1, 1)), 1e-9), [], []
    for _ in range(60):
        both.begin(np.ones(1, bool))
        while both.wanted.any():
            both.take(-10 * both.rule.ended(both.now, both.ahead, both.now.f).a)
        counts.append(both.count[0])
        both.end()
        found.append(both.now.q[0, 0])

    assert max(counts[3:]) <= 2
    assert found == pytest.approx(swing(whole, 0.1, 60, 1.0)[0][1:, 0, 0], abs=1e-7)


def test_members_with_and_without_cubic_springs_have_the_steps_of_each_alone():
    k, k3 = [1.0, 1.0, 4.0], [0.0, 300.0, -0.5]
    q = np.array([[1.0], [1.0], [0.3]])
    every, _ = swing(oscillators(k, k3), 0.3, 50, q)

    for m in range(3):
        alone, _ = swing(oscillators(k[m], k3[m]), 0.3, 50, q[m])
        np.testing.assert_array_equal(every[:, m], alone[:, 0])


def test_a_step_without_a_balance_is_not_done(monkeypatch):
    """With one step of Newton's method, which is too few."""
    monkeypatch.setattr(coupling, "MOST", 1)
    of = oscillators(1.0, 300.0)
    first = at_rest(of, np.ones((1, 1)), np.zeros((1, 1)))
    both = Coupling(Rule(of, np.array([1.0])), first, np.ones((1, 1)), 1e3)
    both.begin(np.ones(1, bool))

    assert both.take(np.zeros((1, 1))).all()
    assert np.isinf(both.change).all()


@pytest.mark.parametrize("name", ["cubic_h", "cubic_alpha"])
def test_a_cubic_part_of_a_section_is_a_finite_number(name):
    with pytest.raises(km.SettingsError, match=f"{name} is nan, expected a finite number"):
        km.structure.TypicalSection(**CASE_A, **{name: np.nan})
