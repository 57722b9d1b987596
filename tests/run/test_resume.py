"""A run that was stopped anywhere goes on with the bits of one that was not."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from clouds import box, half_wing
from kinemesh.io import History, restart
from kinemesh.run import interrupt
from runs import MESH, QUICK, assert_same, interrupted, killed, rows, stopped
from solver_cases import IN_PLANE, case_text, on_devices

MOVED = km.mesh.Mesh(MESH.points * 1.0000001, MESH.triangles, MESH.quads, MESH.boundaries)
pytestmark = [
    pytest.mark.flow,
    pytest.mark.filterwarnings("ignore:(steady flow|member):RuntimeWarning"),
]
STEPS = {"cycles": 1.5, "steps_per_cycle": 16}  # a restart every 4 steps, a frame every step


def case(deform="rigid", mesh=MESH, **changes):
    given = {"mach": 0.5, "motion": km.motion.pitch(2.0, 0.1, phase_deg=20.0), "device": "cpu"}
    given["settings"] = QUICK
    return km.Ale(mesh, deform=km.deform.METHODS[deform](), **(given | changes))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Folder of the run by a deformation that nobody stopped; not to be changed."""

    @cache
    def folder(deform="rigid"):
        out = tmp_path_factory.mktemp("whole") / deform
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case(deform).run(**STEPS, out=out)
        return out

    return folder


@pytest.fixture
def finished(whole, tmp_path):
    """A copy of the whole run's folder."""
    return shutil.copytree(whole(), tmp_path / "finished")


# ---------------------------------------------------------------- kill -9


@pytest.mark.long
@pytest.mark.parametrize("deform", IN_PLANE)
def test_a_run_killed_again_and_again_ends_with_the_same_bits(whole, tmp_path, deform):
    rng, out = random.Random(deform), tmp_path / "killed"

    for stop in sorted(rng.sample(range(1, 24), 4)):
        killed(
            lambda: case(deform).run(**STEPS, out=out, resume=(out / "restart.h5").exists()),
            lambda stop=stop: rows(out) >= stop,
            rng.uniform(0, 0.05),
        )
        restart.read(out / "restart.h5")
    case(deform).run(**STEPS, out=out, resume=True)

    assert_same(whole(deform), out)


@pytest.mark.long
def test_a_run_killed_on_the_way_to_its_first_flow_goes_on(whole, tmp_path):
    out = tmp_path / "killed"

    killed(lambda: case().run(**STEPS, out=out), lambda: (out / "restart.h5").exists(), 0.0)
    phase = restart.read(out / "restart.h5")[1]["phase"]
    run = case().run(**STEPS, out=out, resume=True)

    assert phase == "start"
    assert run.summary["result"]["resumed"]["at"] == [0]
    assert_same(whole(), out)


def test_a_steady_run_killed_again_and_again_ends_with_the_same_bits(tmp_path):
    settings = km.AleSettings(steady_drop=1e-10)
    whole = case(settings=settings).steady(out=tmp_path / "whole")
    out, rng = tmp_path / "killed", random.Random(7)
    assert whole.history.rows > 100

    for stop in (55, whole.history.rows - 20):
        killed(
            lambda: case(settings=settings).steady(out=out, resume=(out / "restart.h5").exists()),
            lambda stop=stop: rows(out) >= stop,
            rng.uniform(0, 0.02),
        )
    run = case(settings=settings).steady(out=out, resume=True)

    assert run.summary["result"]["resumed"]["times"] >= 1
    assert run.summary["result"]["cl"] == whole.summary["result"]["cl"]
    assert_same(tmp_path / "whole", out)


def test_a_kill_before_the_first_restart_says_to_run_anew(finished):
    for name in ("restart.h5", "restart.h5.1"):
        (finished / name).unlink()

    with pytest.raises(km.CaseError, match=r"no restart\.h5 to resume from; run without --resume"):
        case().run(**STEPS, out=finished, resume=True)
    with pytest.raises(km.CaseError, match="no such folder, so nothing to resume"):
        case().run(**STEPS, out=finished / "none", resume=True)
    assert not (finished / "none").exists()


# ---------------------------------------------------------------- Ctrl-C


@pytest.fixture(autouse=True)
def heard():
    """Ctrl-C is heard, though the tests may have been started where it is ignored (`nohup`)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def looks(monkeypatch, work):
    """How often `work`, a whole run, looks for Ctrl-C: a GPU works longer between two looks."""
    real, seen = interrupt.check, []
    with monkeypatch.context() as patch:
        patch.setattr(interrupt, "check", lambda: (seen.append(1), real()))
        work()
    return len(seen)


@pytest.mark.long
def test_ctrl_c_stops_between_steps_and_says_how_to_go_on(whole, tmp_path, monkeypatch):
    out = tmp_path / "stopped"

    early = stopped(monkeypatch, lambda: case().run(**STEPS, out=out), 3)
    (out / "restart.h5").write_bytes(b"of an earlier run")
    again = stopped(monkeypatch, lambda: case().run(**STEPS, out=out), 3)
    late = stopped(monkeypatch, lambda: case().run(**STEPS, out=out), 140)
    case().run(**STEPS, out=out, resume=True)

    assert "no restart was written" in early
    assert "no restart was written" in again
    assert "give the same command with --resume" in late
    assert_same(whole(), out)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_is_held_back_until_nothing_is_half_done(tmp_path):
    reached = []

    def work(signals, folder):
        with interrupt.held(folder):
            for number in range(signals):
                os.kill(os.getpid(), signal.SIGINT)
                reached.append(number)
            interrupt.check()
            reached.append("behind the check")

    with pytest.raises(KeyboardInterrupt, match="no restart was written"):
        work(1, tmp_path)
    assert reached == [0]
    with pytest.raises(KeyboardInterrupt):
        work(2, None)
    assert reached == [0, 0]  # the second does not wait
    work(0, None)
    assert reached[-1] == "behind the check"


@pytest.mark.long
@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None], ids=["ignored", "own"])
def test_where_ctrl_c_is_ignored_or_has_its_own_handler_a_run_leaves_that_alone(
    whole, tmp_path, monkeypatch, handler
):
    """A shell starts what runs behind it (`nohup`, `&`) so that Ctrl-C is for others."""
    real, count = interrupt.check, iter(range(10**9))

    def check():
        if next(count) == 140:
            os.kill(os.getpid(), signal.SIGINT)
        real()

    monkeypatch.setattr(interrupt, "check", check)
    signal.signal(signal.SIGINT, handler)
    case().run(**STEPS, out=tmp_path / "behind")

    assert next(count) > 141
    assert signal.getsignal(signal.SIGINT) is handler
    assert_same(whole(), tmp_path / "behind")


@pytest.mark.long
def test_the_program_stops_with_130_and_goes_on_with_resume(tmp_path):
    (tmp_path / "small.toml").write_text(case_text(cycles=40, steps_per_cycle=16))
    path = os.pathsep.join([str(Path(km.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    words = [sys.executable, "-m", "kinemesh.cli", "run", "small.toml", "--quiet"]
    where = {
        "cwd": tmp_path,
        "env": os.environ | {"PYTHONPATH": path},
        "stderr": subprocess.PIPE,
        "text": True,
    }
    first = subprocess.Popen(words, **where)
    while rows(tmp_path / "small") < 6 and first.poll() is None:
        time.sleep(0.005)
    first.send_signal(signal.SIGINT)
    told = first.communicate(timeout=60)[1]
    again = subprocess.run([*words, "--resume", "--cycles", "0.75"], **where, timeout=60)

    assert first.returncode == 130
    assert "with --resume" in " ".join(told.split())
    assert "Traceback" not in told
    # 3: on so coarse a mesh a few steps may not converge
    assert again.returncode in (0, 2, 3), again.stderr
    if again.returncode == 2:  # the first was faster than its signal
        assert "ask for at least as many" in " ".join(again.stderr.split())
    else:
        assert list(History.read(tmp_path / "small" / "history.csv").step) == list(range(1, 13))


# ---------------------------------------------------------------- longer, damaged, torn


@pytest.mark.long
def test_a_finished_run_goes_on_to_more_cycles(whole, tmp_path):
    short = tmp_path / "short"
    case("springs").run(cycles=0.625, steps_per_cycle=16, out=short)  # ends between two restarts
    case("springs").run(**STEPS, out=short, resume=True)

    assert_same(whole("springs"), short)
    with pytest.raises(km.CaseError, match="step 24 is done, and only 8 are asked for"):
        case("springs").run(cycles=0.5, steps_per_cycle=16, out=short, resume=True)


@pytest.mark.long
def test_a_longer_run_without_a_period_has_its_cycles_counted_anew(tmp_path):
    def rise():
        law = km.motion.function(lambda t: km.motion.Pose(0.01 * t))
        return case(motion=law)

    rise().run(time_step=0.3, steps=30, out=tmp_path / "whole")
    rise().run(time_step=0.3, steps=20, out=tmp_path / "short")
    rise().run(time_step=0.3, steps=30, out=tmp_path / "short", resume=True)

    assert_same(tmp_path / "whole", tmp_path / "short")


def test_a_finished_run_resumed_is_the_same_run(finished):
    kept = (finished / "history.csv").read_bytes()

    model = case()
    again = model.run(**STEPS, out=finished, resume=True)

    assert (finished / "history.csv").read_bytes() == kept
    history = History.read(finished / "history.csv")
    assert again.history.rows == history.rows == 24
    loads = model.coefficients(model.bodies.poses(np.array([history["time"][-1]])))
    assert loads[0, 0] == history["cl"][-1]


def test_a_damaged_restart_gives_way_to_the_one_before(whole, finished):
    out = finished
    data = (out / "restart.h5").read_bytes()
    (out / "restart.h5").write_bytes(data[: len(data) // 2])

    with pytest.warns(RuntimeWarning, match=r"damaged.*; going on from .*restart\.h5\.1"):
        run = case().run(**STEPS, out=out, resume=True)

    assert run.summary["result"]["resumed"]["at"] == [20]
    assert_same(whole(), out)
    (said,) = json.loads((out / "summary.json").read_text())["warnings"]
    assert "restart.h5: damaged" in said
    assert case().run(**STEPS, out=out, resume=True).summary["warnings"] == [said]
    for name in ("restart.h5", "restart.h5.1"):
        (out / name).write_bytes(b"nothing")
    with pytest.raises(km.CaseError, match=r"restart\.h5: damaged.*restart\.h5\.1: damaged"):
        case().run(**STEPS, out=out, resume=True)


def test_a_steady_run_tells_of_its_damaged_restart_too(tmp_path, monkeypatch):
    monkeypatch.setattr("kinemesh.run.steady.KEEP_EVERY", 4)
    case().steady(out=tmp_path)
    (tmp_path / "restart.h5").write_bytes(b"nothing")

    with pytest.warns(RuntimeWarning, match="damaged"):
        run = case().steady(out=tmp_path, resume=True)

    (said,) = run.summary["warnings"]
    assert "going on from" in said
    assert case().steady(out=tmp_path, resume=True).summary["warnings"] == [said]


@pytest.mark.long
def test_a_last_line_cut_short_is_left_out(whole, tmp_path, monkeypatch):
    out = tmp_path / "torn"
    stopped(monkeypatch, lambda: case().run(**STEPS, out=out), 130)
    with (out / "history.csv").open("a") as file:
        file.write("0,99,1.2")

    case().run(**STEPS, out=out, resume=True)

    assert_same(whole(), out)


def test_lost_rows_and_fields_are_told(finished):
    (finished / "flow.vtkhdf").unlink()
    with pytest.warns(RuntimeWarning, match="not there: its flow fields begin at time"):
        case().run(cycles=2, steps_per_cycle=16, out=finished, resume=True)

    lines = (finished / "history.csv").read_text().splitlines(keepends=True)
    (finished / "history.csv").write_text("".join(lines[:10]))
    with pytest.raises(km.CaseError, match="has not the rows of the 32 steps"):
        case().run(cycles=2, steps_per_cycle=16, out=finished, resume=True)


@pytest.mark.long
def test_members_of_an_ensemble_go_on_together(tmp_path, monkeypatch):
    def both():
        return case("springs", mach=[0.4, 0.6], mesh=[MESH, MOVED])

    plan = {"cycles": 0.375, "steps_per_cycle": 16}
    both().run(**plan, out=tmp_path / "whole")
    out = tmp_path / "stopped"
    stopped(monkeypatch, lambda: both().run(**plan, out=out), 110)
    both().run(**plan, out=out, resume=True)

    assert_same(tmp_path / "whole", out, ("-0", "-1"))


@pytest.mark.long
@on_devices
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_device_and_precision_goes_on_with_the_same_bits(
    tmp_path, monkeypatch, device, dtype
):
    def made():
        return case("springs", device=device, dtype=dtype)

    plan = {"cycles": 0.625, "steps_per_cycle": 16}
    made().run(**plan, out=tmp_path / "whole")
    out = tmp_path / "stopped"
    stopped(monkeypatch, lambda: made().run(**plan, out=out), 95 if device == "cpu" else 60)
    kept = restart.read(out / "restart.h5")[1]
    made().run(**plan, out=out, resume=True)

    assert (kept["phase"], kept["step"]) > ("start", 0)
    assert_same(tmp_path / "whole", out)


@pytest.mark.long
@pytest.mark.sanitize
@on_devices
@pytest.mark.parametrize("time", ["lusgs", "rk"])
def test_a_plane_of_symmetry_that_moves_goes_on_with_the_same_bits(
    tmp_path, monkeypatch, device, time
):
    """Reading a state must not make it fit a plane whose velocity is not known yet."""

    def made():
        return km.Meshless(
            box(half=True, across=2, wall=0),
            mach=0.4,
            device=device,
            motion=km.motion.plunge(0.2, 0.5),
            settings=km.MeshlessSettings(time=time, unsteady_drop=1e-3),
        )

    plan = {"cycles": 0.5, "steps_per_cycle": 16, "start": "as is"}
    checks = looks(monkeypatch, lambda: made().run(**plan, out=tmp_path / "whole"))
    out = tmp_path / "stopped"
    stopped(monkeypatch, lambda: made().run(**plan, out=out), checks // 2)
    kept = restart.read(out / "restart.h5")[1]
    made().run(**plan, out=out, resume=True)

    assert 0 < kept["step"] < 8
    assert_same(tmp_path / "whole", out)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_steady_run_in_space_goes_on_with_the_same_bits(tmp_path, monkeypatch, dtype):
    """Geometry used in sweeps must not depend on the number of times it was computed."""
    monkeypatch.setattr("kinemesh.run.steady.KEEP_EVERY", 4)
    settings = km.MeshlessSettings(
        weight_power=2, time="lusgs", steady_iterations=60, steady_drop=1e-12
    )

    def made():
        return km.Meshless(
            half_wing(), mach=0.6, alpha_deg=3.0, device="cpu", dtype=dtype, settings=settings
        )

    checks = looks(monkeypatch, lambda: made().steady(out=tmp_path / "whole"))
    out = tmp_path / "stopped"
    stopped(monkeypatch, lambda: made().steady(out=out), checks // 2)
    made().steady(out=out, resume=True)

    assert_same(tmp_path / "whole", out)


def test_ctrl_c_in_a_steady_run_leaves_a_restart_of_where_it_was(tmp_path, monkeypatch):
    case().steady(out=tmp_path / "whole")
    out = tmp_path / "stopped"
    interrupted(monkeypatch, lambda: case().steady(out=out), 6)
    kept = restart.read(out / "restart.h5")[1]
    case().steady(out=out, resume=True)

    assert kept["step"] == 7  # fewer than KEEP_EVERY
    assert_same(tmp_path / "whole", out)


# ---------------------------------------------------------------- other runs


@pytest.fixture(scope="module")
def quarter(tmp_path_factory):
    out = tmp_path_factory.mktemp("quarter")
    case("springs").run(cycles=0.25, steps_per_cycle=16, out=out)
    return out


OTHERS = {
    "mach": ({"mach": 0.51}, {}, r"mach is 0\.5 there, 0\.51 here"),
    "alpha": ({"alpha_deg": 1.0}, {}, r"alpha_deg is 0\.0 there, 1\.0 here"),
    "motion": ({"motion": km.motion.pitch(2.0, 0.1)}, {}, r"motion is Pitch\(.*phase_deg=20\.0.*"),
    "mesh": ({"mesh": MOVED}, {}, r"mesh has as many nodes there and here, and other places"),
    "deform": ({"deform": "delaunay"}, {}, r"deform\.method is springs there, delaunay here"),
    "dtype": ({"dtype": "float32"}, {}, "dtype is float64 there, float32 here"),
    "moment": ({"moment_about": (0.0, 0.0)}, {}, r"moment_about\[0\] is 0\.25 there, 0\.0 here"),
    "settings": (
        {"settings": km.AleSettings(flux="hllc")},
        {},
        r"settings\.flux is roe there, hllc here",
    ),
    "steps": ({}, {"steps_per_cycle": 32}, "steps_per_cycle is 16 there, 32 here"),
    "start": ({}, {"start": "as is"}, "start is steady there, as is here"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_restart_of_another_run_is_refused_with_the_reason(quarter, name):
    changes, plan, words = OTHERS[name]
    before = {p.name: p.read_bytes() for p in quarter.iterdir()}

    with pytest.raises(km.CaseError, match=rf"is of another run: .*{words}"):
        case(**({"deform": "springs"} | changes)).run(
            **({"cycles": 1, "steps_per_cycle": 16} | plan), out=quarter, resume=True
        )

    assert {p.name: p.read_bytes() for p in quarter.iterdir()} == before


def test_settings_of_the_deformation_and_the_version_are_part_of_a_run(quarter, monkeypatch):
    other = case()
    other.deform = km.deform.TorsionalSprings(tolerance=1e-9)
    with pytest.raises(km.CaseError, match=r"deform\.tolerance is 1e-05 there, 1e-09 here"):
        other.run(cycles=1, steps_per_cycle=16, out=quarter, resume=True)

    monkeypatch.setattr("kinemesh.run.resume.versions", lambda: {"kinemesh": "9.9"})
    with pytest.raises(km.CaseError, match=r"version of kinemesh is .* there, 9\.9 here"):
        case("springs").run(cycles=1, steps_per_cycle=16, out=quarter, resume=True)


def test_a_steady_run_and_an_older_format_are_other_runs(tmp_path, monkeypatch):
    case().steady(out=tmp_path)
    with pytest.raises(km.CaseError, match="mode is steady there, unsteady here"):
        case().run(**STEPS, out=tmp_path, resume=True)

    monkeypatch.setattr(restart, "FORMAT", "kinemesh-restart-4")
    with pytest.raises(km.CaseError, match="format 'kinemesh-restart-3', expected"):
        case().steady(out=tmp_path, resume=True)


def test_a_restart_of_the_other_method_is_refused_for_that_first(quarter):
    cloud = km.Cloud.from_mesh(MESH)
    other = km.Meshless(cloud, mach=0.5, motion=km.motion.pitch(2.0, 0.1), device="cpu")

    with pytest.raises(km.CaseError, match=r"run: method is ale there, meshless here\. Give"):
        other.run(cycles=1, steps_per_cycle=16, out=quarter, resume=True)


def test_coefficients_of_another_area_are_another_run(tmp_path):
    cloud = km.cloud.airfoil("naca0012", points=600, far_field=8)

    def ran(cycles, **reference):
        made = km.Meshless(cloud, mach=0.5, motion=km.motion.pitch(2.0, 0.1), device="cpu",
                           settings=km.MeshlessSettings(steady_drop=1e-2), **reference)  # fmt: skip
        resume = (tmp_path / "restart.h5").exists()
        return made.run(cycles=cycles, steps_per_cycle=16, out=tmp_path, resume=resume)

    told = ran(0.25, reference_area=2.0, reference_length=1.5).summary["conditions"]
    assert (told["reference_area"], told["reference_length"]) == (2.0, 1.5)
    with pytest.raises(km.CaseError, match=r"reference_area is 2\.0 there, 1\.0 here"):
        ran(0.5, reference_length=1.5)
    with pytest.raises(km.CaseError, match=r"reference_length is 1\.5 there, 1\.0 here"):
        ran(0.5, reference_area=2.0)


def test_two_damaged_restarts_say_what_to_do(tmp_path):
    for name in ("restart.h5", "restart.h5.1"):
        (tmp_path / name).write_text("no")

    with pytest.raises(km.CaseError, match=r"h5\.1: damaged.*; run without --resume"):
        case().run(**STEPS, out=tmp_path, resume=True)


def test_functions_that_move_otherwise_are_other_motions(tmp_path):
    def law(rate):
        return case(motion=km.motion.function(lambda t: km.motion.Pose(rate * t)))

    law(0.01).run(time_step=0.3, steps=8, out=tmp_path)

    with pytest.raises(km.CaseError, match=r"pose at step 8.* there"):
        law(0.02).run(time_step=0.3, steps=9, out=tmp_path, resume=True)
    law(0.01).run(time_step=0.3, steps=9, out=tmp_path, resume=True)


def test_another_device_is_a_warning(quarter, monkeypatch, tmp_path):
    case().run(cycles=0.25, steps_per_cycle=16, out=tmp_path)
    other = case()
    here = other.backend.describe()
    monkeypatch.setattr(other.backend, "describe", lambda: here | {"device": "cuda:0", "name": "G"})

    with pytest.warns(RuntimeWarning, match="goes on on G: its bits will differ"):
        other.run(cycles=0.5, steps_per_cycle=16, out=tmp_path, resume=True)


@pytest.mark.parametrize(("given", "word"), [({}, "give out"), ({"resume": 1}, "True or False")])
def test_resume_without_a_folder_is_refused(given, word):
    with pytest.raises(km.SettingsError, match=word):
        case().run(**STEPS, **({"resume": True} | given))
