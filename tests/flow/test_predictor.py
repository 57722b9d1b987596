"""The state that a physical step begins from: its order, its limits, what it saves."""

import kinemesh as km
import numpy as np
import pytest
from kinemesh.flow.gas.state import PREDICTORS
from kinemesh.run import unsteady

MESH = km.mesh.airfoil("naca0012", nodes=600)
AT_REST = {"mach": 0.5, "deform": km.deform.Rigid(), "device": "cpu"}


def case(**settings):
    motion = km.motion.pitch(2.0, 0.1)
    return km.Ale(MESH, motion=motion, settings=km.AleSettings(**settings), **AT_REST)


def levels(solver, at):
    """States at the last three levels of a made-up flow, `at(age)` of each, which is to move on."""
    solver.backend.put(solver.dualtime.base, 1.0)
    solver.backend.put(solver.dualtime.floor, 1e-9)
    for age, array in ((1, solver.u1), (2, solver.u2), (3, solver.u3)):
        solver.backend.put(array, at(age))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_polynomial_in_time_is_met_to_rounding(order):
    solver = case()
    u = solver.backend.get(solver.u)
    rng = np.random.default_rng(3)
    slope, bend = (1e-3 * rng.standard_normal(u.shape) for _ in range(2))
    slope, bend = slope * (order > 0), bend * (order > 1)
    levels(solver, lambda age: u - age * slope + age * age * bend)
    solver.backend.put(solver.weights, PREDICTORS[order])

    solver._predict()

    # three products and two sums of numbers of order 3
    assert solver.backend.get(solver.u) == pytest.approx(u, abs=2e-15)


def test_a_node_that_would_change_too_much_changes_by_the_most_allowed():
    solver = case(max_change=0.1)
    u = solver.backend.get(solver.u)
    steep = np.zeros_like(u)
    steep[7, 0] = 0.4 * u[7, 0]  # density alone, 0.8 of itself by extrapolation
    levels(solver, lambda age: u - (age - 1) * 2 * steep)
    solver.backend.put(solver.weights, PREDICTORS[1])

    solver._predict()

    found = solver.backend.get(solver.u)
    assert found[7, 0] == pytest.approx(1.1 * u[7, 0], rel=1e-14)
    assert (np.delete(found, 7, axis=0) == np.delete(u, 7, axis=0)).all()


def test_members_that_have_failed_are_left_alone():
    solver = case()
    u = solver.backend.get(solver.u)
    levels(solver, lambda age: u * (1 + 1e-3 * age))
    solver.backend.put(solver.weights, PREDICTORS[2])
    solver.backend.put(solver.dualtime.active, 0)

    solver._predict()

    assert (solver.backend.get(solver.u) == u).all()


def test_a_flow_at_rest_stays_to_the_bit():
    """Rounding in the last levels would grow with the square of time: no pseudo-step mends it."""
    solver = case()
    u = solver.backend.get(solver.u)
    levels(solver, lambda age: u * (1 + 1e-15 * (-1) ** age))
    solver.backend.put(solver.weights, PREDICTORS[2])
    solver.backend.put(solver.dualtime.base, 0.9e-9)

    solver._predict()

    assert (solver.backend.get(solver.u) == u).all()


def amplitude_error(found, exact):
    """rms of a change of the lift over half of its range."""
    return np.sqrt(np.mean((found - exact) ** 2)) / (np.ptp(exact) / 2)


@pytest.mark.slow
def test_a_quarter_of_the_pseudo_steps_is_saved_and_loads_are_closer_to_converged_ones():
    def run(**settings):
        return case(**settings).run(cycles=1, steps_per_cycle=48).history

    exact = run(unsteady_drop=1e-8)
    before, after = run(predictor=0), run()

    assert before["converged"].all()
    assert after["converged"].all()
    # on 600 nodes 8.8 pseudo-steps a step before, 5.4 with it
    assert after["inner_iterations"].mean() < 0.75 * before["inner_iterations"].mean()
    error = {
        name: amplitude_error(h["cl"], exact["cl"]) for name, h in (("b", before), ("a", after))
    }
    assert error["a"] < error["b"]


def test_the_first_steps_after_rest_begin_from_the_last_state(monkeypatch):
    used = []
    put = type(case().backend).put

    def noted(self, array, value):
        if array.shape == (3,):
            used.append(tuple(value))
        put(self, array, value)

    solver = case()
    monkeypatch.setattr(type(solver.backend), "put", noted)
    solver.run(steps_per_cycle=16, cycles=6 / 16, start="as is")

    assert used == [PREDICTORS[1], PREDICTORS[2], PREDICTORS[2], PREDICTORS[2]]


@pytest.mark.long
@pytest.mark.no_sanitizer
def test_a_residual_that_stalls_halves_the_cfl_number(monkeypatch):
    """Mach 0.692, 64 steps a cycle, 1000 nodes: CFL numbers above 300 do not converge."""
    mesh = km.mesh.airfoil("naca0012", nodes=1000)

    def unconverged():
        made = km.Ale(
            mesh,
            mach=0.692,
            motion=km.motion.pitch(2.57, 0.0995),
            deform=km.deform.Rigid(),
            device="cpu",
            settings=km.AleSettings(steady_drop=1e-3),
        )
        history = made.run(cycles=22 / 64, steps_per_cycle=64).history
        return np.count_nonzero(history["converged"] == 0)

    assert unconverged() == 0
    monkeypatch.setattr(unsteady, "STALL", 1e300)
    with pytest.warns(RuntimeWarning, match="ended above the asked residual drop"):
        assert unconverged() > 0


@pytest.mark.parametrize("value", [3, -1, True, 2.0, "2"])
def test_another_order_is_refused(value):
    with pytest.raises(km.SettingsError, match=f"predictor is {value!r}, expected one of 0, 1, 2"):
        km.AleSettings(predictor=value)


def test_systems_of_steps_have_a_tolerance_of_their_own():
    solver = case(krylov_tolerance=0.01, unsteady_krylov_tolerance=0.3)

    solver.start_steady()
    steady = solver.backend.get(solver.tolerance).tolist()
    solver.begin_step(np.array([0.1]), 1)

    assert steady == [0.01]
    assert solver.backend.get(solver.tolerance).tolist() == [0.3]
