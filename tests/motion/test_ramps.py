"""Harmonic motions that grow from rest over a ramp."""

from math import cos, pi, radians, sin
from types import SimpleNamespace

import kinemesh as km
import numpy as np
import pytest
from kinemesh import motion
from kinemesh.errors import SettingsError
from kinemesh.run import criteria
from kinemesh.run.plan import Plan

U, CHORD, K, RAMP = 0.6, 2.0, 0.3, 7.0  # of the stream [a_inf], of k; the ramp in chords of way
END = RAMP * CHORD / U
OMEGA = 2 * K * U / CHORD
SHAPE = lambda points: 0 * points  # noqa: E731


def laws(ramp):
    return {
        "pitch": motion.pitch(3.0, K, (0.25, 0.0), 40.0, CHORD, ramp=ramp),
        "plunge": motion.plunge(0.2, K, 70.0, chord=CHORD, ramp=ramp),
        "vibrate": motion.vibrate(SHAPE, 0.4, K, 20.0, CHORD, ramp),
        "sum": motion.pitch(3.0, K, phase_deg=40.0, chord=CHORD, ramp=ramp)
        + motion.plunge(0.2, K, chord=CHORD, ramp=ramp / 2),
    }


def numbers(law, t):
    pose = law.pose(t, U)
    return np.array([pose.angle, *pose.shift, *pose.modes])


def rates(law, t):
    rate = law.rate(t, U)
    return np.array([rate.angle, *rate.shift, *rate.modes])


def test_an_amplitude_grows_as_its_formula_says():
    """x - sin(2 pi x) / (2 pi) at a quarter and at half of the ramp, by hand."""
    law, whole = laws(RAMP)["pitch"], laws(0.0)["pitch"]

    for share, size in ((0.25, 0.25 - 1 / (2 * pi)), (0.5, 0.5), (0.75, 0.75 + 1 / (2 * pi))):
        t = share * END
        assert law.pose(t, U).angle == pytest.approx(size * whole.pose(t, U).angle, rel=1e-14)
        angle = radians(3.0) * sin(OMEGA * t + radians(40.0))
        assert whole.pose(t, U).angle == pytest.approx(angle, rel=1e-14)


@pytest.mark.parametrize("name", laws(RAMP))
def test_rates_are_the_derivatives_of_poses(name):
    law, h = laws(RAMP)[name], 1e-3
    for t in np.linspace(0.05, 1.2, 17) * END:
        moved = [numbers(law, t + k * h) for k in (-2, -1, 1, 2)]
        wanted = (moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * h)
        np.testing.assert_allclose(rates(law, t), wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", laws(RAMP))
def test_neither_velocity_nor_acceleration_jumps_at_the_ends_of_a_ramp(name):
    law, h = laws(RAMP)[name], 1e-5 * END
    assert not numbers(law, 0.0).any()
    assert not rates(law, 0.0).any()
    for end in (0.0, END / 2, END) if name == "sum" else (0.0, END):
        before, here, after = (rates(law, end + step) for step in (-h, 0, h))
        jump = (after - here) / h - (here - before) / h
        assert np.abs(jump).max() <= 1e-4 * OMEGA**2, end  # third derivatives times h


@pytest.mark.parametrize("name", laws(RAMP))
def test_after_its_ramp_a_motion_has_the_bits_of_one_without(name):
    law, whole = laws(RAMP)[name], laws(0.0)[name]
    for t in (END, 1.1 * END, 30 * END):
        assert (numbers(law, t) == numbers(whole, t)).all()
        assert (rates(law, t) == rates(whole, t)).all()


def test_a_body_with_a_ramp_does_not_move_at_once(recwarn):
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    for ramp, said in ((0.0, True), (1.0, False)):
        recwarn.clear()
        law = motion.plunge(0.1, 1.0, ramp=ramp)
        case = km.Incompressible(mesh, reynolds=100.0, motion=law, device="cpu")
        case.run(time_step=0.05, steps=1, preflight=False)
        assert any("moves at once" in str(w.message) for w in recwarn) == said


def test_in_an_ensemble_ramps_have_the_poses_of_each_alone():
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    each = [
        motion.pitch(2.0, 0.2),
        motion.pitch(2.0, 0.2, ramp=5.0),
        motion.plunge(0.1, 0.4, ramp=3),
    ]
    case = km.Ale(mesh, mach=[0.5, 0.6, 0.7], motion=each, device="cpu")

    found = case.bodies.poses(np.array([3.0, 4.0, 2.0]))

    for body, (law, time) in enumerate(zip(each, (3.0, 4.0, 2.0), strict=True)):
        pose = law.pose(time, case.speed[body])
        assert found.angle[body] == pose.angle
        assert tuple(found.shift[body]) == pose.shift


@pytest.mark.parametrize(("of_cycle", "good"), [(1 - 1e-6, True), (1 + 1e-6, False)])
def test_a_whole_cycle_comes_after_the_ramp(of_cycle, good):
    """A cycle is a way of pi / k chords: of two cycles the ramp may take one."""
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    law = motion.pitch(1.0, K, ramp=pi / K * of_cycle)
    case = km.Ale(mesh, mach=0.5, motion=law, device="cpu")

    if good:
        Plan.of(case, None, 2, 32, None, None)
        return
    with pytest.raises(SettingsError, match=r"ramp of the motion of body .* cycles = 3, or a sh"):
        Plan.of(case, None, 2, 32, None, None)


@pytest.mark.parametrize("step", [True, False])
def test_a_run_until_it_is_periodic_goes_on_to_a_cycle_after_its_ramp(step, monkeypatch):
    """Each member on its own, though a slow ramp has two cycles that are alike."""
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    each = [motion.pitch(1.0, K, ramp=pi / K * cycles) for cycles in (0.0, 2.1, 3.0)]
    case = km.Ale(mesh, mach=0.5, motion=each, device="cpu")
    plan = Plan.of(case, None, 9, 8, None, None, "periodic")
    monkeypatch.setattr(criteria, "periodic", lambda *_: True)
    ended = {}
    members = SimpleNamespace(alive=np.ones(3, bool), end=ended.update)

    criteria.over(plan, None, members, 24 if step else 32)

    assert plan.settled == (0, 17, 24)
    assert ended == ({0: 24} if step else dict.fromkeys(range(3), 32))


class Own(motion.Motion):
    """A user's law, with a ramp of its own kind."""

    ramp = ("of", "words")

    def omega(self, u_inf):
        return 2 * K * u_inf

    def pose(self, t, u_inf):
        return motion.Pose(0.01 * sin(self.omega(u_inf) * t), (0.25, 0.0))


def test_a_ramp_of_a_users_law_is_its_own_matter():
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    case = km.Ale(mesh, mach=0.5, motion=Own() + motion.plunge(0.1, K, ramp=2.0), device="cpu")
    assert Plan.of(case, None, 2, 32, None, None).settled == (7,)  # 32 / (pi / K) * 2 = 6.1


@pytest.mark.parametrize("cycles", [2, 2.4, 3])
def test_a_users_law_beside_a_ramp_is_held_to_its_cycles_after_it(cycles):
    """One that goes on from cycle to cycle is refused, one that repeats is not."""
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    ramp = motion.plunge(0.1, K, ramp=pi / K)  # a whole cycle
    on = motion.function(lambda t: motion.Pose(0.02 * sin(0.31 * t), (0.25, 0.0)), omega=2 * K / 2)

    Plan.of(km.Ale(mesh, mach=0.5, motion=Own() + ramp, device="cpu"), None, cycles, 8, None, None)
    with pytest.raises(SettingsError, match="is not the same after a period"):
        Plan.of(km.Ale(mesh, mach=0.5, motion=on + ramp, device="cpu"), None, cycles, 8, None, None)


@pytest.mark.parametrize("make", [motion.pitch, motion.plunge])
@pytest.mark.parametrize("ramp", [-1e-9, float("nan"), "1"])
def test_a_ramp_is_a_number_that_is_not_negative(make, ramp):
    with pytest.raises(SettingsError, match=r"ramp = .*expected (0 or a|a finite) number"):
        make(1.0, 0.2, ramp=ramp)


def test_a_ramp_of_a_vibration_is_checked_too():
    with pytest.raises(SettingsError, match="vibrate: ramp"):
        motion.vibrate(SHAPE, 0.4, K, ramp=-1.0)


def test_the_work_of_a_ramp_is_that_of_its_poses():
    """Half a turn of the integral of cos(omega t + phase) g(t) by 20,000 points: the way is one."""
    law = laws(RAMP)["plunge"]
    t = np.linspace(0.0, END, 20001)
    speed = np.array([law.rate(s, U).shift[1] for s in t])
    way = 0.2 * sin(OMEGA * END + radians(70.0))
    assert np.trapezoid(speed, t) == pytest.approx(way, abs=1e-8)
    assert cos(OMEGA * END) != 1  # the end is no turn


@pytest.mark.parametrize("ramp", [0.0, 12.0])
def test_a_preflight_sees_a_cycle_after_the_ramp(ramp):
    """The way of a cycle is pi / k chords: 12 of them are 36.7 of 32 steps a cycle."""
    mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
    law = motion.pitch(1.0, K, ramp=ramp)
    case = km.Ale(mesh, mach=0.5, motion=law, deform=km.deform.Rigid(), device="cpu")
    plan = Plan.of(case, None, 5, 32, None, None)
    assert plan.dry_steps == 32 + (37 if ramp else 0)


def test_a_measured_table_is_of_the_motion_after_its_ramp():
    phase = np.arange(0, 360, 15.0)
    table = {"phase_deg": phase, "cl": np.sin(np.radians(phase)), "cm": 0 * phase}
    asked = [km.hysteresis(table, motion=motion.pitch(3.0, K, ramp=r)) for r in (0.0, 25.0)]
    np.testing.assert_allclose(asked[0].alpha_deg, asked[1].alpha_deg, atol=1e-12)
    assert np.ptp(asked[1].alpha_deg) == pytest.approx(6.0)
