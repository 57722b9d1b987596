"""The loop over steps in a user's hands: bits of `run`, poses by hand, couplers, loops that end."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from weakref import ref

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import summary
from kinemesh.loops import spectrum
from kinemesh.run import criteria, interrupt
from kinemesh.run.stepping import Step
from kinemesh.sentences import said
from runs import MESH, assert_same

pytestmark = pytest.mark.flow
DT, STEPS = 0.4, 6
LAW = km.motion.pitch(amplitude_deg=2.0, k=0.2)
RING = km.mesh.cylinder(640, around=40, wall_spacing=0.05, far_field=8.0)
LAYERS = km.mesh.airfoil("naca0012", nodes=1500, far_field=12.0, topology="c", cells="quads",
                         wall_spacing=1e-3)  # fmt: skip
ROUND = km.mesh.cylinder(640, far_field=1.6, around=40, wall_spacing=0.03, outer="overset")
BACK = km.mesh.background((-4, 4, -4, 4), (-2, 2, -2, 2), 0.1, growth=1.3)


def gas(motion=LAW, mesh=MESH, **changes):
    told = {"mach": 0.5, "alpha_deg": 1.0, "device": "cpu"}
    return km.Ale(mesh, **told | {"motion": motion} | changes)


def viscous(motion=LAW):
    return gas(motion, RING, mach=0.3, reynolds=40.0)


def turbulent(motion=LAW):
    return gas(motion, LAYERS, reynolds=1e6, turbulence="sa")


def cells(motion=LAW):
    return km.CellCentred(MESH, mach=0.5, motion=motion, device="cpu")


def cloud(motion=LAW):
    return km.Meshless(km.Cloud.from_mesh(MESH), mach=0.5, motion=motion, device="cpu")


def wing(motion=LAW):
    mesh = km.mesh.extruded(MESH, span=0.3, layers=2)
    return km.Ale(mesh, mach=0.5, motion=motion, device="cpu")


def water(motion=LAW):
    return km.Incompressible(RING, reynolds=100.0, motion=motion, device="cpu")


def parts(motion=LAW):
    moving = {"body": motion} if isinstance(motion, km.motion.Motion) else motion
    meshes = {"back": BACK, "body": ROUND}
    return km.Incompressible(meshes, reynolds=100.0, motion=moving, device="cpu")


def members(motion=LAW):
    return gas(motion, [MESH, MESH], mach=[0.4, 0.5])


MADE = (gas, viscous, turbulent, cells, cloud, wing, water, parts, members)
CASES = {made.__name__: made for made in MADE}
LONG = [pytest.mark.long]
EVERY = pytest.mark.parametrize(
    "kind", [pytest.param(name, marks=LONG if name != "gas" else []) for name in CASES]
)


def asked(case, **more):
    """Arguments of a short run from the present flow."""
    del case
    return {"time_step": DT, "steps": STEPS, "start": "as is", "preflight": False} | more


def taken(loop, upto=STEPS):
    """Steps of a loop up to one, after which it is left."""
    found = []
    for step in loop:
        found.append(step)
        if step.number == upto:
            break
    loop.close()
    return found


def bodies(case):
    return list(dict.fromkeys(name for _, name in case.grid.bodies))


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", km.errors.KinemeshWarning)
        yield


# ---------------------------------------------------------------- the loop and the run


@pytest.mark.parametrize(("door", "told"), [("run", 1), ("loop", 0), ("coupler", 0)])
def test_a_loop_is_told_of_the_window_of_a_spectrum_where_it_asks_for_one(monkeypatch, door, told):
    """The shortest window is cut, as that of a run takes 32 steps."""
    monkeypatch.setattr(criteria, "LEAST_ROWS", 2)
    monkeypatch.setattr(spectrum, "LEAST", 2)
    case = gas()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if door == "loop":
            taken(loop := case.steps(**asked(case)))
            run = loop.run
        else:
            coupler = (lambda step: None) if door == "coupler" else None
            run = case.run(**asked(case), coupler=coupler)
        at_end = len(caught)
        km.spectrum(run)

    words = "over the window of the spectrum"
    assert sum(words in str(w.message) for w in caught[:at_end]) == told
    assert [words in str(w.message) for w in caught[at_end:]] == [True]
    assert sum(words in str(note["text"]) for note in run.summary["notes"]) == told
    assert run.summary["result"]["spectrum"]["cl"]["mean"] == km.spectrum(run).cl.mean


@EVERY
def test_a_loop_has_the_bits_and_the_files_of_run_wherever_it_was_left(kind, tmp_path):
    case = CASES[kind]()
    case.run(**asked(case), out=tmp_path / "run")
    whole = CASES[kind]()

    steps = taken(whole.steps(**asked(whole), out=tmp_path / "whole"))

    several = [f"-{m}" for m in range(case.grid.members)] if case.grid.members > 1 else [""]
    assert_same(tmp_path / "run", tmp_path / "whole", several)
    taken(CASES[kind]().steps(**asked(case), out=tmp_path / "left"), upto=3)
    taken(CASES[kind]().steps(**asked(case), out=tmp_path / "left", resume=True))
    assert_same(tmp_path / "run", tmp_path / "left", several)
    rows = km.open(tmp_path / "run").history
    if case.grid.members == 1:
        assert [step.cl for step in steps] == rows["cl"].tolist()
        assert [step.time for step in steps] == rows["time"].tolist()
        assert [step.iterations for step in steps] == rows["inner_iterations"].tolist()


@EVERY
def test_poses_of_a_law_given_by_hand_have_the_loads_of_the_law(kind):
    """Poses at the ends of steps are the law's, to the bit, and so are loads but for rounding; in
    incompressible flow the law's rates are differences, to 1e-12, and pressures are solved to 1e-8
    of their first residual, so that loads of two such runs differ by about as much."""
    free = km.motion.function(lambda t: LAW.pose(t, 1.0))  # for the far field without a period
    by_law = CASES[kind](free if kind in ("water", "parts") else LAW)
    name = bodies(by_law)[0]
    expected = by_law.run(**asked(by_law)).history
    case = CASES[kind]({name: km.motion.given(about=LAW.about)})
    speeds = case.speed.tolist()

    def at(time):
        each = [LAW.pose(time, speed) for speed in speeds]
        rates = [LAW.rate(time, speed) for speed in speeds]
        one = len(speeds) == 1
        return {name: each[0] if one else each}, {name: rates[0] if one else rates}

    loop = case.steps(**asked(case))
    loop.place(*at(DT))
    for step in loop:
        if step.number < STEPS:
            step.place(*at(step.number * DT + DT))
    found = loop.run.history
    most = 1e-6 if kind in ("water", "parts") else 1e-12
    for column in ("cl", "cd", "cm", "power", "alpha_deg"):
        scale = np.abs(expected[column]).max()
        assert np.abs(found[column] - expected[column]).max() <= most * scale, column


def test_a_body_stays_where_it_was_placed_and_its_rates_are_differences():
    case = gas(None)
    (name,) = bodies(case)
    turned = [0.0, 0.2, 0.5, 0.4, 0.4, 0.4]  # degrees at the ends of steps
    loop = case.steps(**asked(case))
    powers, angles, moments = [], [], []
    for step in loop:
        powers.append(step.loads[name].power)
        moments.append(step.loads[name].cm)
        angles.append(step.poses[name].angle_deg)
        if step.number < 4:
            step.place({name: km.Pose(angle_deg=turned[step.number], about=(0.25, 0.0))})
    assert angles == pytest.approx(turned, abs=1e-14)
    past = [0.0, 0.0, *turned]
    for number in range(1, STEPS):
        rate = np.radians(1.5 * past[number + 2] - 2 * past[number + 1] + 0.5 * past[number]) / DT
        assert powers[number] == pytest.approx(rate * moments[number], rel=1e-9, abs=1e-15)


def test_placed_poses_are_in_a_restart(tmp_path):
    poses = [{"airfoil": km.Pose(angle_deg=0.1 * k * k)} for k in range(STEPS + 1)]

    def flown(folder, *ends, **more):
        for upto in ends:
            case = gas({"airfoil": km.motion.given()})
            loop = case.steps(**asked(case, out=folder, **more))
            more = {"resume": True}
            for step in loop:
                if step.number < STEPS and step.number % 2:  # every other step alone
                    step.place(poses[step.number + 1])
                if step.number == upto:
                    break
            loop.close()

    flown(tmp_path / "whole", STEPS)
    flown(tmp_path / "parts", 1, 2, 5, STEPS)  # with poses to come, and between two
    assert_same(tmp_path / "whole", tmp_path / "parts")
    assert np.ptp(km.open(tmp_path / "whole").history["alpha_deg"]) > 2


# ---------------------------------------------------------------- couplers


def test_a_section_on_a_spring_in_a_gas_of_no_density_is_the_exact_oscillator():
    """h'' + w^2 h = 0 from h = 0.02: by the loop, and by a coupler that places each step twice."""
    w = 2 * np.pi / (8 * DT)

    def exact(time):
        return 0.02 * np.cos(w * time)

    def forced(step):
        """Next displacement, by the exact matrix of the oscillator, from that of the step."""
        own = state["now"]
        c, s = np.cos(w * DT), np.sin(w * DT)
        force = 0.0 * step.loads["airfoil"].cl  # density of the gas: none
        return np.array([c * own[0] + s * own[1] / w, c * own[1] - s * w * own[0]]) + force

    def start(**more):
        state["now"] = np.array([0.02, 0.0])
        case = gas({"airfoil": km.motion.given()})
        loop = case.steps(**asked(case, **more))
        loop.place({"airfoil": km.Pose(shift=(0.0, exact(DT)))})
        return loop

    state = {}
    loop = start()
    for step in loop:
        state["now"] = forced(step)
        assert step.poses["airfoil"].shift[1] == pytest.approx(state["now"][0], abs=0.02e-12)
        ahead = forced(step)
        if step.number < STEPS:
            step.place({"airfoil": km.Pose(shift=(0.0, ahead[0]))})
    alone = loop.run.history

    def coupler(step):
        ahead = forced(step)[0]
        if step.placements == 1:
            return {"airfoil": km.Pose(shift=(0.0, ahead + 0.005))}  # not the last one
        if step.placements == 2:
            return {"airfoil": km.Pose(shift=(0.0, ahead))}
        state["now"] = forced(step)
        return None

    coupled = start(coupler=coupler)
    counts = [step.placements for step in coupled]
    assert counts == [3] * STEPS
    found = coupled.run.history
    times = found["time"]
    np.testing.assert_allclose(found["shift_y"], exact(times), rtol=0, atol=0.02e-12)
    np.testing.assert_allclose(alone["shift_y"], exact(times), rtol=0, atol=0.02e-12)
    scale = np.abs(alone["cl"]).max()
    np.testing.assert_allclose(found["cl"], alone["cl"], rtol=0, atol=0.02 * scale)


def test_the_residual_of_a_step_refers_to_its_first_placement():
    """Placed again where they are, bodies take no pseudo-step more, as the step has converged."""
    counts = []

    def coupler(step):
        counts.append(step.iterations)
        return {"airfoil": step.poses["airfoil"]} if step.placements < 3 else None

    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case), coupler=coupler)
    loop.place({"airfoil": km.Pose(angle_deg=0.5)})
    for step in loop:
        if step.number < STEPS:
            step.place({"airfoil": km.Pose(angle_deg=0.5 * (step.number + 1))})
    each = np.reshape(counts, (STEPS, 3))
    assert (each[:, 0] > 2).all()
    assert (each[1:, 1:] == each[1:, :1]).all()


def test_a_coupler_runs_under_run_too():
    def coupler(step):
        return {"airfoil": km.Pose(angle_deg=0.1 * step.number)} if step.placements < 2 else None

    case = gas({"airfoil": km.motion.given()})

    rows = case.run(**asked(case), coupler=coupler).history

    assert rows["alpha_deg"] - 1.0 == pytest.approx(0.1 * np.arange(1, STEPS + 1))


def test_seconds_leave_out_the_lines_of_a_loop_and_have_those_of_a_coupler(monkeypatch):
    clock, late = summary.time.perf_counter, [0.0]
    monkeypatch.setattr(summary.time, "perf_counter", lambda: clock() + late[0])

    def coupler(step):
        late[0] += 100.0

    loop = (case := gas()).steps(**asked(case, steps=2), coupler=coupler)
    for _ in loop:
        late[0] += 1e6

    seconds = loop.run.summary["seconds"]
    assert 200 <= seconds["coupler"] < 300
    assert 200 <= seconds["total"] < 1000


def test_a_coupler_that_never_accepts_fails_at_its_limit_and_files_stay_whole(tmp_path):
    def coupler(step):
        return {"airfoil": step.poses["airfoil"]} if step.number == 3 else None

    def never(most):
        case = gas({"airfoil": km.motion.given()})
        case.run(**asked(case), out=tmp_path, overwrite=True, coupler=coupler, most_placements=most)

    with pytest.raises(km.NumericalFault, match=r"step 3 after 4 placements \(most_placements = 4"):
        never(4)
    assert km.open(tmp_path).history["step"].tolist() == [1, 2]
    case = gas({"airfoil": km.motion.given()})
    case.run(**asked(case), out=tmp_path, resume=True, coupler=lambda step: None)
    assert km.open(tmp_path).history["step"].tolist() == [1, 2, 3, 4, 5, 6]


def test_a_limit_of_placements_counts_as_it_says():
    def coupler(step):
        return {"airfoil": step.poses["airfoil"]} if step.placements < 4 else None

    def run(most):
        case = gas({"airfoil": km.motion.given()})
        case.run(**asked(case, steps=1), coupler=coupler, most_placements=most)

    run(4)
    with pytest.raises(km.NumericalFault, match="after 3 placements"):
        run(3)


def test_a_first_placement_that_changes_nothing_leaves_later_ones_their_tolerance():
    """The residual of a step refers to the last state with the bodies where they are placed."""
    counts = []

    def coupler(step):
        counts.append(step.iterations)
        turned = {"airfoil": km.Pose(angle_deg=2.0)}
        return turned if step.number == 3 and step.placements == 1 else None

    def case():
        return gas({"airfoil": km.motion.given()}, alpha_deg=0.0)

    quiet = {"time_step": DT, "steps": 3, "start": "steady", "preflight": False}
    coupled = case().run(**quiet, coupler=coupler).history
    loop = case().steps(**quiet)
    for step in loop:
        if step.number == 2:
            step.place({"airfoil": km.Pose(angle_deg=2.0)})
    alone = loop.run.history
    assert coupled["cl"][-1] == pytest.approx(alone["cl"][-1], rel=2e-3)
    assert coupled["residual_drop"][-1] <= 1e-2
    assert counts[-1] - counts[-2] <= alone["inner_iterations"][-1] + 3


def test_a_wild_first_placement_does_not_loosen_the_tolerance():
    def coupler(step):
        here = {"airfoil": km.Pose(angle_deg=0.05 * step.number)}
        return here if step.placements == 1 else None

    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case), coupler=coupler)
    loop.place({"airfoil": km.Pose(angle_deg=15.0)})
    for step in loop:
        if step.number < STEPS:
            step.place({"airfoil": km.Pose(angle_deg=15.0)})
    found = loop.run.history["cl"]
    alone = gas({"airfoil": km.motion.given()})
    straight = alone.steps(**asked(alone))
    straight.place({"airfoil": km.Pose(angle_deg=0.05)})
    for step in straight:
        if step.number < STEPS:
            step.place({"airfoil": km.Pose(angle_deg=0.05 * (step.number + 1))})
    expected = straight.run.history["cl"]
    assert np.abs(found - expected).max() <= 2e-3 * np.ptp(expected)


def test_a_coupler_knows_whether_its_step_has_converged_and_may_stop_the_run():
    seen = []

    def coupler(step):
        seen.append(step.converged)
        if step.number == 2:
            step.stop()

    case = gas({"airfoil": km.motion.given()})
    rows = case.run(**asked(case), coupler=coupler).history
    assert rows["step"].tolist() == [1, 2]
    assert seen == [True, True]


def test_a_coupler_that_returns_no_pose_is_told_what_accepts():
    case = gas({"airfoil": km.motion.given()})
    with pytest.raises(km.SettingsError, match=r"returned \{\}, expected None, which accepts"):
        case.run(**asked(case), coupler=lambda step: {})


@pytest.mark.parametrize("call", ["close", "__next__"])
def test_a_coupler_cannot_go_on_with_its_own_loop(call, tmp_path):
    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(
        **asked(case),
        out=tmp_path,
        coupler=lambda step: getattr(case.loop, call)() if step.number == 2 else None,
    )
    next(loop)
    with pytest.raises(km.SettingsError, match="the loop is within a step"):
        next(loop)
    assert km.open(tmp_path).history["step"].tolist() == [1]
    again = gas({"airfoil": km.motion.given()})
    assert next(again.steps(**asked(again), out=tmp_path, resume=True)).number == 2


@pytest.mark.parametrize("by", ["coupler", "fold"])
def test_a_step_that_fails_leaves_a_restart_of_the_one_before(by, tmp_path):
    def coupler(step):
        if step.number == 5:
            raise RuntimeError("of the user")

    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case), out=tmp_path, coupler=coupler if by == "coupler" else None)
    with pytest.raises((RuntimeError, km.NumericalFault)):  # noqa: PT012
        for step in loop:
            far = 15.0 if by == "fold" and step.number == 4 else 0.0
            if step.number < STEPS:
                step.place({"airfoil": km.Pose(shift=(far, 0.0))})
    again = gas({"airfoil": km.motion.given()})
    loop = again.steps(**asked(again), out=tmp_path, resume=True)
    loop.place({"airfoil": km.Pose()})  # in the place of the pose that was given for the step
    assert next(loop).number == 5


def test_bodies_stay_where_their_own_poses_put_them_again():
    """A part with a frame of its own has poses about points of that frame."""
    at = km.Part(ROUND, at=(0.3, 0.1), angle_deg=20.0)
    case = km.Incompressible({"back": BACK, "body": at}, reynolds=100.0, device="cpu",
                             motion={"body": km.motion.given()})  # fmt: skip
    loop = case.steps(**asked(case, time_step=0.1, steps=4))
    first = km.Pose(angle_deg=3.0, about=(0.5, 0.0), shift=(0.1, 0.0))
    loop.place({"body": first})
    places = []
    for step in loop:
        places.append(case.backend.get(case.grid.x))
        assert step.poses["body"] == first
        if step.number < 4:
            step.place(step.poses)
    assert np.abs(places[1:] - places[0]).max() < 1e-14


# ---------------------------------------------------------------- loops that end


def test_a_step_that_stops_the_loop_leaves_a_restart_and_a_summary(tmp_path):
    case = gas()
    loop = case.steps(**asked(case), out=tmp_path)
    for step in loop:
        if step.number == 2:
            step.stop()
    assert loop.run.summary["conditions"]["steps"] == 2
    assert loop.run.history["step"].tolist() == [1, 2]
    case.run(**asked(case), out=tmp_path, resume=True)
    assert km.open(tmp_path).history["step"].tolist() == [1, 2, 3, 4, 5, 6]


def test_an_error_in_the_lines_of_a_loop_ends_it_with_a_restart(tmp_path):
    case = gas()

    def fails():
        with case.steps(**asked(case), out=tmp_path) as loop:
            for step in loop:
                if step.number == 3:
                    raise ValueError("of the user")

    with pytest.raises(ValueError, match="of the user"):
        fails()
    case.run(**asked(case), out=tmp_path, resume=True)
    assert km.open(tmp_path).summary["result"]["resumed"]["last_at"] == 3


def test_a_loop_that_is_let_go_is_closed(tmp_path):
    case = gas()
    for step in case.steps(**asked(case), out=tmp_path):
        if step.number == 2:
            break
    gc.collect()
    assert km.open(tmp_path).summary["conditions"]["steps"] == 2
    case.run(**asked(case, steps=1))  # the case is free again


@pytest.mark.long
def test_a_program_that_ends_within_a_loop_leaves_a_restart(tmp_path):
    code = f"""
import kinemesh as km
mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
case = km.Ale(mesh, mach=0.5, device="cpu")
loop = case.steps(time_step=0.4, steps=6, start="as is", out={str(tmp_path)!r})
for step in loop:
    if step.number == 3:
        raise SystemExit
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
    assert km.open(tmp_path).summary["conditions"]["steps"] == 3
    assert (tmp_path / "restart.h5").exists()


@pytest.mark.long
def test_a_loop_that_was_killed_goes_on_from_its_last_restart(tmp_path):
    code = f"""
import kinemesh as km, os, signal
mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
law = km.motion.pitch(amplitude_deg=2.0, k=0.2)
case = km.Ale(mesh, mach=0.5, alpha_deg=1.0, motion=law, device="cpu")
for step in case.steps(cycles=2, steps_per_cycle=8, start="as is", out={str(tmp_path / "left")!r}):
    if step.number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
"""
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False)
    assert ended.returncode == -signal.SIGKILL
    how = {"cycles": 2, "steps_per_cycle": 8, "start": "as is"}
    begun = [step.number for step in gas().steps(**how, out=tmp_path / "left", resume=True)]
    gas().run(**how, out=tmp_path / "run")
    assert begun == list(range(7, 17))  # restarts are written when the next step is asked for
    assert_same(tmp_path / "run", tmp_path / "left")


def test_ctrl_c_in_the_lines_of_a_loop_is_the_users_and_within_a_step_waits_for_its_end(tmp_path):
    case = gas()
    seen = []

    def press():
        os.kill(os.getpid(), signal.SIGINT)
        seen.append("went on")  # where the signal is held back

    loop = case.steps(**asked(case), out=tmp_path)
    next(loop)
    with pytest.raises(KeyboardInterrupt):
        press()
    assert seen == []
    predict = case.predict
    case.predict = lambda: (press(), predict())
    with pytest.raises(KeyboardInterrupt, match="to go on, give the same command"):
        next(loop)
    assert seen == ["went on"]
    assert not interrupt.asked()
    del case.predict
    case.run(**asked(case), out=tmp_path, resume=True)
    whole = gas()
    whole.run(**asked(whole), out=tmp_path / "whole")
    assert_same(tmp_path, tmp_path / "whole")


def test_a_loop_without_steps_leaves_nothing_but_where_it_began(tmp_path):
    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case), out=tmp_path)
    loop.place({"airfoil": km.Pose()})
    assert loop.close() is None
    assert case.steps(**asked(case)).close() is None
    steps = taken(case.steps(**asked(case), out=tmp_path, resume=True))
    assert [step.number for step in steps] == [1, 2, 3, 4, 5, 6]


def test_a_run_with_poses_by_hand_is_not_replaced_unasked(tmp_path):
    def flown(**more):
        case = gas({"airfoil": km.motion.given()})
        loop = case.steps(**asked(case, **more), out=tmp_path)
        loop.place({"airfoil": km.Pose(angle_deg=1.0)})
        return taken(loop, upto=3)

    flown()
    with pytest.raises(km.CaseError, match="poses by hand, which would be lost"):
        flown()
    assert len(flown(overwrite=True)) == 3


def test_two_loops_do_not_write_into_one_folder(tmp_path):
    one, two = gas(), gas()
    loop = one.steps(**asked(one), out=tmp_path)
    next(loop)
    with pytest.raises(km.CaseError, match="a loop over steps that has not ended writes there"):
        two.run(**asked(two), out=tmp_path, overwrite=True)
    one.loop.close()
    assert one.loop is None
    two.run(**asked(two), out=tmp_path, resume=True)


def test_a_loop_may_end_in_another_thread_and_leaves_a_users_handler():
    case, seen = gas(), []
    loop = case.steps(**asked(case))
    next(loop)
    thread = threading.Thread(target=lambda: seen.append(loop.close()))
    thread.start()
    thread.join()
    assert seen == [loop.run]
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def own(*_):
        pass

    loop = case.steps(**asked(case))
    next(loop)
    signal.signal(signal.SIGINT, own)
    try:
        loop.close()
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_a_step_is_kept_without_its_case_and_after_its_loop():
    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case, steps=2))
    step = next(loop)
    copied = pickle.loads(pickle.dumps(step))
    assert copied.cl == copy.deepcopy(step).cl == step.cl
    with pytest.raises(km.SettingsError, match="step 1: the loop over the steps has ended"):
        copied.place({"airfoil": km.Pose()})
    loop.close()
    gone = ref(case)
    del case, loop
    gc.collect()
    assert gone() is None
    with pytest.raises(km.SettingsError, match="the loop over the steps has ended"):
        step.place({"airfoil": km.Pose()})


def test_loads_and_poses_of_a_step_that_are_asked_late_are_its_own():
    seen = []
    for late in (False, True):
        case = gas({"airfoil": km.motion.given()}, [MESH, MESH], mach=[0.4, 0.5])
        kept, told = [], []
        for step in case.steps(**asked(case)):
            if step.number == 4:
                case.grid.ensemble.end({1: 4})  # has no loads in later steps
            if step.number < STEPS:
                step.place({"airfoil": [km.Pose(angle_deg=0.1 * step.number), None]})
            kept.append(step)
            if not late:
                told.append(repr((step.loads, step.poses)))
        seen.append(told or [repr((step.loads, step.poses)) for step in kept])
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == STEPS


def test_members_are_placed_by_lists_and_those_that_failed_have_no_loads():
    case = gas({"airfoil": km.motion.given()}, [MESH, MESH, MESH], mach=[0.4, 0.5, 0.3])
    loop = case.steps(**asked(case))
    for step in loop:
        far = 15.0 if step.number == 2 else 0.0
        poses = [km.Pose(angle_deg=0.1 * step.number), km.Pose(shift=(far, 0.0)), None]
        if step.number < STEPS:
            step.place({"airfoil": poses})
        lost = [False, step.number > 2, False]
        assert np.isnan(step.cl).tolist() == np.isnan(step.loads["airfoil"].cm).tolist() == lost
        assert (step.converged & lost).tolist() == [False] * 3
    assert [failed["member"] for failed in loop.run.failed] == [1]
    assert step.poses["airfoil"][0].angle_deg == pytest.approx(0.5)


def test_one_loop_at_a_time():
    case = gas()
    loop = case.steps(**asked(case))
    next(loop)
    for other in (lambda: next(case.steps(**asked(case))), lambda: case.run(**asked(case)),
                  case.steady):  # fmt: skip
        with pytest.raises(km.SettingsError, match=r"not ended; end it by case\.loop\.close\(\)"):
            other()
    loop.close()
    case.run(**asked(case, steps=1))
    with pytest.raises(StopIteration):
        next(loop)


# ---------------------------------------------------------------- bad input


def test_poses_that_cannot_be_are_refused_and_the_loop_goes_on():
    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case))
    step = next(loop)
    for poses, rates, match in [
        ({"aerofoil": km.Pose()}, None, r"no body 'aerofoil', expected one of \['airfoil'\]; did"),
        ({"airfoil": 3.0}, None, r"'airfoil' is 3\.0, expected a km\.Pose"),
        (3.0, None, r"got 3\.0, expected \{body: km\.Pose"),
        ({"airfoil": [km.Pose(), km.Pose()]}, None, "expected a km.Pose"),
        ({}, {"airfoil": km.motion.Rate()}, "expected a pose of it too"),
        (
            {"airfoil": km.Pose(shift=(0.0, 1.0, 0.0))},
            None,
            "which is of space; on a mesh in the pl",
        ),
        ({"airfoil": km.Pose(axis=(0.0, 1.0, 0.0))}, None, "and no axis"),
        ({"airfoil": km.Pose()}, {"airfoil": km.Pose()}, r"rates: 'airfoil' is Pose"),
    ]:
        with pytest.raises(km.SettingsError, match=match):
            step.place(poses, rates)
    assert next(loop).poses["airfoil"] == km.Pose()


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"angle_deg": np.nan}, "angle_deg = nan, expected a finite number"),
        ({"angle_deg": np.inf}, "angle_deg = inf"),
        ({"shift": (0.0, 1.0, 0.0, 0.0)}, r"shift = \(0\.0, 1\.0, 0\.0, 0\.0\), expected two numb"),
        ({"axis": (0.0, 0.0, 0.0)}, r"axis = \(0, 0, 0\), expected a vector with a length"),
        ({"angle": 0.1, "angle_deg": 1.0}, "expected one of the two"),
    ],
)
def test_a_pose_that_is_none_is_refused(given, match):
    with pytest.raises(km.SettingsError, match=match):
        km.Pose(**given)


def test_degrees_of_a_pose_are_its_angle():
    assert km.Pose(angle_deg=3.0) == km.Pose(np.radians(3.0))
    assert km.Pose(np.radians(3.0)).angle_deg == pytest.approx(3.0, rel=1e-15)


def test_a_body_with_a_law_cannot_be_placed_as_well():
    step = next(loop := gas().steps(**asked(None)))
    with pytest.raises(km.SettingsError, match=r"moves by Pitch.*km\.motion\.given\(\)"):
        step.place({"airfoil": km.Pose()})
    loop.close()


@pytest.mark.parametrize("made", [water, parts])
def test_a_body_that_was_made_to_rest_cannot_be_placed(made):
    case = made(None)
    name = bodies(case)[0]
    loop = case.steps(**asked(case))
    with pytest.raises(km.SettingsError, match=r"was made to rest.*km\.motion\.given\(\)"):
        loop.place({name: km.Pose()})
    loop.close()


def test_there_is_no_step_after_the_last_and_none_before_the_present():
    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case, steps=2))
    first, last = next(loop), next(loop)
    with pytest.raises(km.SettingsError, match="step 1 is over, and the present one is 2"):
        first.place({"airfoil": km.Pose()})
    with pytest.raises(km.SettingsError, match="step 2 was the last one"):
        last.place({"airfoil": km.Pose()})
    with pytest.raises(km.SettingsError, match="the loop has begun"):
        loop.place({"airfoil": km.Pose()})
    assert loop.close() is loop.run
    with pytest.raises(km.SettingsError, match="has ended"):
        loop.place({"airfoil": km.Pose()})


def test_a_run_of_all_steps_refuses_bodies_whose_poses_are_given():
    case = gas({"airfoil": km.motion.given()})
    with pytest.raises(km.SettingsError, match=r"'airfoil' are given step by step.*case\.steps"):
        case.run(**asked(case))


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"coupler": 3}, "coupler is 3, expected a function"),
        ({"most_placements": 0}, "most_placements is 0, expected a number from 1"),
        ({"most_placements": True}, "most_placements is True"),
        ({"steps": 0}, "steps"),
    ],
)
def test_arguments_of_a_loop_are_refused_before_it_begins(more, match):
    with pytest.raises(km.SettingsError, match=match):
        gas(None).steps(**asked(None, **more))


def test_a_coupler_returns_poses_and_does_not_place():
    case = gas({"airfoil": km.motion.given()})
    loop = case.steps(**asked(case), coupler=lambda step: step.place({"airfoil": km.Pose()}))
    with pytest.raises(km.SettingsError, match="a coupler returns the poses"):
        next(loop)


def test_the_run_of_a_loop_is_there_once_it_has_ended():
    case = gas()
    loop = case.steps(**asked(case, steps=1))
    with pytest.raises(km.SettingsError, match="has not ended"):
        _ = loop.run
    assert isinstance(next(loop), Step)
    assert loop.close() is loop.run
    assert "steps" not in said(km.SettingsError("x")).words
