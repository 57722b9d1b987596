"""Structures in time without a flow, and coupled to loads that are functions of their motion."""

from math import pi, sqrt

import kinemesh as km
import numpy as np
import pytest
from kinemesh.errors import SettingsError
from kinemesh.structure.alpha import Matrices, Rule, State, at_rest, dot, times
from kinemesh.structure.coupling import Coupling

CASE_A = {"mu": 60, "a": -2, "x_alpha": 1.8, "r2_alpha": 3.48, "omega_ratio": 1}


def section(**changes):
    return km.structure.TypicalSection(**CASE_A | {"speed_index": 0.8} | changes)


def numbers(*each, members=1):
    """Mass, damping and stiffness of members, of one given as lists."""
    return Matrices(*(np.tile(np.array(own, float), (members, 1, 1)) for own in each))


def swing(of, dt, steps, q, rho=1.0):
    """(steps + 1, n) coordinates and energies of a structure that nothing loads."""
    rule, none = Rule(of, np.array([dt]), rho), np.zeros((1, len(q)))
    now = at_rest(of, np.array([q], float), none)
    found, energies = [now.q[0]], [of.energy(now.q, now.v)[0]]
    for _ in range(steps):
        now = rule.ended(now, np.linalg.solve(rule.left[0], rule.side(now)[0])[None], none)
        found.append(now.q[0])
        energies.append(of.energy(now.q, now.v)[0])
    return np.array(found), np.array(energies)


def test_a_section_in_a_stream_has_its_frequencies_without_wind():
    """Published: 0.713394 and 5.337703 times omega_alpha, in the units of the case."""
    for speed, chord in ((0.8, 1.0), (1.0, 0.3)):
        own = section().coordinates(speed, chord)
        omega = speed / (0.8 * chord / 2 * sqrt(60))
        assert own.modes[0] / omega == pytest.approx([0.713394, 5.337703], abs=1e-6)


def test_masses_of_a_section_are_those_of_its_mass_ratio():
    own = section().coordinates(0.8, 2.0)

    assert own.mass[0, 0] == pytest.approx(60 * pi)
    assert own.mass[0, 1] == own.mass[1, 0] == pytest.approx(-1.8 * 60 * pi)
    assert own.about == (-1.0, 0.0)


def test_modes_swing_with_their_frequencies_and_second_order():
    own = section().coordinates(0.8, 1.0)
    of = numbers(own.mass, own.damping, own.stiffness)
    omega, shapes = own.modes
    errors = []
    for steps in (32, 64, 128):
        dt = 2 * pi / omega[0] / steps
        q, _ = swing(of, dt, steps, shapes[:, 0])
        errors.append(np.abs(q[-1] / shapes[:, 0] - 1).max() ** 0.5)  # 1 - cos of the phase

    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.01)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.01)


def test_energy_is_constant_to_rounding_over_a_thousand_steps():
    own = section().coordinates(0.8, 1.0)
    of = numbers(own.mass, own.damping, own.stiffness)

    _, energy = swing(of, 2 * pi / own.modes[0][0] / 48, 1000, [0.03, 0.01])

    assert np.abs(energy / energy[0] - 1).max() < 1e-12


def test_a_smaller_spectral_radius_damps_what_steps_do_not_resolve():
    own = section().coordinates(0.8, 1.0)
    of = numbers(own.mass, own.damping, own.stiffness)
    omega, shapes = own.modes
    _, energy = swing(of, 20 / omega[1], 40, shapes[:, 1], rho=0.5)

    assert energy[-1] < 1e-6 * energy[0]


@pytest.mark.parametrize("g", [0.02, 0.2])
def test_structural_damping_is_half_of_it_in_every_mode(g):
    own = section(damping=g).coordinates(0.8, 1.0)
    omega, shapes = own.modes
    each = shapes.T @ own.damping @ shapes

    assert each == pytest.approx(np.diag(g * omega), abs=1e-12 * omega.max())


def coupled(of, loads, dt, steps, first, tolerance=1e-3, most=20):
    """Coordinates, solutions a step and the coupling of structures under loads(rule, state, q)."""
    members, n = first.q.shape
    rule = Rule(of, np.full(members, dt))
    both = Coupling(rule, first, np.ones((members, n)), tolerance)
    found, counts = [first.q], []
    for _ in range(steps):
        both.begin(np.ones(members, bool))
        while both.wanted.any():
            both.take(loads(rule, both.now, both.ahead))
            assert both.count.max() < most
        counts.append(both.count.copy())
        both.end()
        found.append(both.now.q)
    return np.array(found), np.array(counts), both


def added(mass, damping, stiffness):
    """Loads of a flow that answers linearly, -m q'' - c q' + k q at the end of a step."""

    def loads(rule, now, q):
        there = rule.ended(now, q, now.f)
        rows = zip((-mass, -damping, stiffness), (there.a, there.v, there.q), strict=True)
        return sum(times(np.tile(m, (len(q), 1, 1)), own) for m, own in rows)

    return loads


LINEAR = {
    "light air": (0.02, 0.05, 0.3),
    "as heavy as the section": (1.0, 0.1, 0.2),
    "a hundred times the mass": (100.0, 1.0, 0.5),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_loads_as_a_function_have_the_steps_of_one_system(name):
    """One system: the loads are in its matrices, and none beside them."""
    own = section().coordinates(0.8, 1.0)
    m, c, k = LINEAR[name]
    mass, damping, stiffness = (
        share * np.array([[1.0, 0.2], [0.1, 0.7]]) * size
        for share, size in ((m, own.mass[0, 0]), (c, own.mass[0, 0]), (k, own.stiffness[0, 0]))
    )
    of = numbers(own.mass, own.damping, own.stiffness)
    whole = numbers(own.mass + mass, own.damping + damping, own.stiffness - stiffness)
    dt, steps, q = 2 * pi / own.modes[0][0] / 48, 96, [0.03, 0.01]
    alone = at_rest(whole, np.array([q]), np.zeros((1, 2)))
    first = State(alone.q, alone.v, alone.a, (stiffness @ q - mass @ alone.a[0])[None])

    loads = added(mass, damping, stiffness)
    found, _, _ = coupled(of, loads, dt, steps, first, tolerance=1e-11)
    _, counts, _ = coupled(of, loads, dt, steps, first)

    assert found[:, 0] == pytest.approx(swing(whole, dt, steps, q)[0], abs=1e-12)
    assert counts[5:].max() <= 2


def let_go(own, share, steps):
    """Error of a slow mode after a third of its period in a fluid of `share` times the mass.

    The fluid at rest has no force; then it answers to rates by BDF2, in its first step by BDF1.
    """
    of, omega = numbers(own.mass, own.damping, own.stiffness), own.modes[0][0] / np.sqrt(1 + share)
    dt = np.array([2 * pi / omega / steps])
    q = own.modes[1][None, :, 0]
    first = at_rest(of, q, np.zeros((1, 2)))
    both = Coupling(Rule(of, dt), first, np.ones((1, 2)), 1e-9, resting=True)
    rates = [first.v]
    for number in range(steps // 3):
        both.begin(np.ones(1, bool))
        while both.wanted.any():
            v = both.speed
            slope = 1.5 * v - 2 * rates[-1] + 0.5 * rates[-2] if number else v - rates[-1]
            both.take(-share * times(own.mass[None], slope) / dt)
        both.end()
        rates.append(both.now.v)
    exact = q * np.cos(omega * dt * (steps // 3))
    return np.abs(both.now.q - exact).max()


@pytest.mark.parametrize("share", [0.1, 1.0, 10.0])
def test_a_body_that_is_let_go_in_a_heavy_fluid_moves_to_second_order(share):
    """With half of the added mass in the first step it does to first order."""
    own = section().coordinates(0.8, 1.0)
    errors = [let_go(own, share, steps) for steps in (96, 192, 384)]

    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.1)


def test_a_restart_knows_whether_the_first_step_is_taken():
    own = section().coordinates(0.8, 1.0)
    of = numbers(own.mass, own.damping, own.stiffness)
    first = at_rest(of, np.array([[0.03, 0.01]]), np.zeros((1, 2)))
    rule = Rule(of, np.array([0.1]))
    whole, part = (Coupling(rule, first, np.ones((1, 2)), 1e-9, resting=True) for _ in range(2))
    for step in range(3):
        part.restore(whole.kept())
        for both in (whole, part):
            both.begin(np.ones(1, bool))
            both.take(np.zeros((1, 2)))
            both.end()
        np.testing.assert_array_equal(part.now.q, whole.now.q, err_msg=f"step {step + 1}")
        part = Coupling(rule, first, np.ones((1, 2)), 1e-9, resting=True)


def test_the_kept_jacobian_is_that_of_the_loads():
    own = section().coordinates(0.8, 1.0)
    of = numbers(own.mass, own.damping, own.stiffness)
    mass = 0.5 * own.mass
    dt = 2 * pi / own.modes[0][0] / 48
    none = np.zeros((2, 2))

    first = at_rest(of, np.array([[0.03, 0.01]]), np.zeros((1, 2)))

    _, _, both = coupled(of, added(mass, none, none), dt, 60, first, 1e-8)

    assert both.jacobian[0] == pytest.approx(-mass / (both.rule.beta * dt**2), rel=1e-6)


def test_a_step_is_begun_where_the_rates_lead_to_third_order():
    own = section().coordinates(0.8, 1.0)
    of = numbers(own.mass, own.damping, own.stiffness)
    errors = []
    for steps in (64, 128, 256):
        dt = np.array([2 * pi / own.modes[0][0] / steps])
        first = at_rest(of, own.modes[1][None, :, 0], np.zeros((1, 2)))
        both = Coupling(Rule(of, dt), first, np.ones((1, 2)), 1e-4)
        for _ in range(steps // 4):
            both.begin(np.ones(1, bool))
            guess = both.ahead
            both.take(np.zeros((1, 2)))
            both.end()
        errors.append(np.abs(both.now.q - guess).max())

    assert np.log2(errors[0] / errors[1]) == pytest.approx(3, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(3, abs=0.1)


def test_members_have_the_steps_that_each_has_alone():
    own = section().coordinates(0.8, 1.0)
    dt, none = 2 * pi / own.modes[0][0] / 48, np.zeros((2, 2))
    start = np.array([[0.03, 0.01], [1e-3, 0.02], [0.0, 0.1]])
    loads = added(2 * own.mass, none, none)

    def fly(q):
        of = numbers(own.mass, own.damping, own.stiffness, members=len(q))
        return coupled(of, loads, dt, 20, at_rest(of, q, np.zeros_like(q)))[:2]

    found, counts = fly(start)
    for member in range(3):
        alone, count = fly(start[member : member + 1])
        np.testing.assert_array_equal(found[:, member], alone[:, 0])
        np.testing.assert_array_equal(counts[:, member], count[:, 0])


def test_work_of_the_loads_is_the_change_of_energy():
    own = section().coordinates(0.8, 1.0)
    of = numbers(own.mass, own.damping, own.stiffness)
    rule = Rule(of, np.array([0.3]))
    rng = np.random.default_rng(1)
    now = State(*rng.normal(size=(4, 1, 2)))
    now = at_rest(of, now.q, now.f)
    for _ in range(20):
        f = rng.normal(size=(1, 2))
        q = np.linalg.solve(rule.left[0], (rule.side(now) + rule.share * f)[0])[None]
        then = rule.ended(now, q, f)
        change = of.energy(then.q, then.v) - of.energy(now.q, now.v)
        assert change == pytest.approx(dot(q - now.q, (f + now.f) / 2), rel=1e-9)
        now = then


@pytest.mark.parametrize(
    ("kick", "said"),
    [
        (0.5, "kick is 0.5, expected a table such as"),
        ({"mode": 3, "angle_deg": 1}, "mode is 3, expected one from 1 to 2"),
        ({"mode": True, "angle_deg": 1}, "mode is True, expected one from 1 to 2"),
        ({"mode": 1}, "expected angle_deg or shift"),
        ({"angle_deg": 1, "shift": 1}, "expected angle_deg or shift"),
        ({"angle": 1}, "kick: unknown key 'angle'; did you mean 'angle_deg'"),
        ({"angle_deg": 0}, "angle_deg is 0, expected a number up to 30, not 0"),
        ({"angle_deg": np.nan}, "angle_deg is nan"),
        ({"shift": 5}, "shift is 5, expected a number up to 1, not 0"),
    ],
)
def test_kicks_that_make_none_are_refused(kick, said):
    with pytest.raises(SettingsError, match=said):
        section().coordinates(0.8, 1.0).kicked(kick, 1.0)


def test_a_size_that_a_mode_has_not_is_refused():
    """Without a lever plunge and pitch know nothing of one another."""
    own = section(x_alpha=0, omega_ratio=0.5).coordinates(0.8, 1.0)

    with pytest.raises(SettingsError, match="mode 1 has no angle, so angle_deg sets no size"):
        own.kicked({"mode": 1, "angle_deg": 1}, 1.0)
    assert own.kicked({"mode": 1, "shift": 0.1}, 2.0) == pytest.approx([0.2, 0.0])


def test_a_kick_is_as_large_as_its_angle_or_its_shift():
    own = section().coordinates(0.8, 2.0)

    turned, moved = (own.kicked(kick, 2.0) for kick in ({"angle_deg": 0.5}, {"shift": 0.1}))

    assert np.degrees(turned[1]) == pytest.approx(0.5)
    assert moved[0] == pytest.approx(0.2)
    shape = own.modes[1][:, 0]
    for own in (turned, moved):
        assert own[0] / own[1] == pytest.approx(shape[0] / shape[1])


def test_a_run_needs_the_speed_index():
    with pytest.raises(SettingsError, match="a run needs the speed index"):
        section(speed_index=None).coordinates(0.8, 1.0)
    with pytest.raises(SettingsError, match="speed_index is 0, expected a number above 0"):
        section(speed_index=0)
