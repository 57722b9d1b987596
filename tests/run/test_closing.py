"""A motion by a function that does not come back after the period it was given with."""

from functools import cache

import kinemesh as km
import numpy as np
import pytest
from kinemesh.motion import Motion, Pose
from kinemesh.run.closing import apart
from kinemesh.run.plan import Plan

OWN = 0.1  # angular frequency of the law


def law(t):
    return Pose(0.02 * np.sin(OWN * t), (0.25, 0.0))


def of(omega, law=law):
    return km.motion.function(law, omega=omega)


@cache
def mesh():
    return km.mesh.airfoil("naca0012", nodes=500, far_field=8)


def gas(motion):
    return km.Ale(mesh(), mach=0.5, motion=motion, deform=km.deform.Rigid(), device="cpu")


def cloud(motion):
    points = km.cloud.Cloud.from_mesh(mesh())
    return km.Meshless(points, mach=0.5, motion=motion, deform=km.deform.Rigid(), device="cpu")


def liquid(motion):
    return km.Incompressible(mesh(), reynolds=50, motion=motion, device="cpu")


@pytest.mark.parametrize("solver", [gas, cloud, liquid])
@pytest.mark.parametrize("cycles", [1, 2, 3.5])
def test_a_law_of_another_frequency_is_refused_with_the_cause(solver, cycles):
    with pytest.raises(km.SettingsError, match=r"omega = 0.15.*angular frequency of the law"):
        solver(of(0.15)).run(cycles=cycles, steps_per_cycle=8)


def test_the_error_says_how_far_it_is_apart_and_when():
    # a period of 0.15 after time 0 the law is at sin(0.1 * 2 pi / 0.15) = -0.866, its square, by
    # which the nose moves along x, at 0.75 of its range
    share, time = apart(of(0.15), 0.5, 2 * np.pi / 0.15, 1)
    assert time == 0
    assert share == pytest.approx(0.75, rel=0.02)  # the range is that of eight moments


@pytest.mark.parametrize("omega", [OWN, OWN / 2, OWN * (1 + 1e-5)])
def test_a_law_that_comes_back_is_taken_in_silence(omega, recwarn):
    Plan.of(gas(of(omega)), "as is", 3, 8, None, None)
    assert not recwarn.list


def test_an_omega_of_three_digits_is_taken_with_a_warning():
    # 5e-4 of a cycle, 2 pi times that of the amplitude at the steepest place: 0.3 %
    with pytest.warns(RuntimeWarning, match=r"omega = 0.10005.* differs by 0\.3"):
        Plan.of(gas(of(OWN * 1.0005)), "as is", 3, 8, None, None)


def test_a_law_that_only_meets_its_beginning_half_a_period_later_is_refused():
    # law(T) = law(0), and the way back is another: moments between tell
    with pytest.raises(km.SettingsError, match="not the same"):
        Plan.of(gas(of(2 * OWN)), "as is", 2, 8, None, None)


def test_a_law_that_grows_over_its_first_cycle_is_taken():
    def grown(t):
        return Pose(0.02 * np.sin(OWN * t) * min(1.0, OWN * t / (2 * np.pi)))

    Plan.of(gas(of(OWN, grown)), "as is", 3, 8, None, None)


def test_a_sum_with_a_function_and_a_motion_of_the_users_class_are_looked_at():
    class Own(Motion):
        def pose(self, t, u_inf):
            return law(t)

        def omega(self, u_inf):
            return 0.15

    for motion in (Own(), km.motion.pitch(1.0, 0.15) + of(0.15), {"airfoil": of(0.15)}):
        with pytest.raises(km.SettingsError, match="body airfoil"):
            Plan.of(gas(motion), "as is", 2, 8, None, None)


def test_the_member_and_the_body_are_named():
    with pytest.raises(km.SettingsError, match=r"member 1: .*body airfoil"):
        Plan.of(gas([of(OWN), of(0.15)]), "as is", 2, 8, None, None)


def test_runs_by_time_step_take_any_law(recwarn):
    Plan.of(gas(of(0.15)), "as is", None, None, 0.1, 3)
    assert not recwarn.list
