"""One run at a time in a folder, and none of an earlier run's files among its own."""

import fcntl
import multiprocessing
import os
import threading
from contextlib import contextmanager

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io.folder import clear, hold, is_written
from solver_cases import square


def test_a_folder_is_held_against_other_processes_and_given_back(tmp_path):
    out = tmp_path / "run"
    with hold(out), hold(out):
        child = os.fork()
        if child == 0:
            from kinemesh.io import folder

            folder._held.clear()
            try:
                with hold(out):
                    os._exit(0)
            except km.CaseError:
                os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    with hold(out):
        pass


@contextmanager
def locked(folder, kind=fcntl.LOCK_EX):
    """The lock of another run, which is of its own opening of the file, as in another process."""
    with (folder / ".lock").open("w") as handle:
        fcntl.flock(handle, kind)
        yield


def test_a_folder_is_written_while_its_lock_is_held(tmp_path):
    assert not is_written(tmp_path)
    with locked(tmp_path):
        assert is_written(tmp_path)
    assert (tmp_path / ".lock").exists()  # as a process that was killed leaves it
    assert not is_written(tmp_path)
    with hold(tmp_path):
        assert is_written(tmp_path)
    assert not is_written(tmp_path / "none")


def test_a_run_begins_though_another_process_looks_at_its_folder(tmp_path):
    looks = locked(tmp_path, fcntl.LOCK_SH)
    looks.__enter__()
    end = threading.Timer(0.004, looks.__exit__, (None, None, None))
    end.start()
    with hold(tmp_path):
        pass
    end.join()
    with locked(tmp_path, fcntl.LOCK_SH), pytest.raises(km.CaseError, match="another run is wri"):
        hold(tmp_path).__enter__()


def test_only_files_of_a_run_are_cleared(tmp_path):
    data = {"history.csv", "flow.vtkhdf", "flow-2.vtkhdf", "wall.csv"}
    figures = {"mach.png", "cp-1.png", "pressures.csv", "mach.pdf", "film-cp.gif"}
    figures |= {"members/mach-k0.1.png", "members/film-mach-k0.1.mp4", "members/pressures-1.csv"}
    kept = {"notes.txt", "my-mach.png", "restart.h5", "flow.txt", "members/notes.pdf"}
    (tmp_path / "members").mkdir()
    for name in data | figures | kept:
        (tmp_path / name).write_text("x")

    def left():
        every = (path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
        return {name for name in every if name != "members"}

    clear(tmp_path, figures=False)
    assert left() == figures | kept
    clear(tmp_path, figures=True)
    assert left() == kept


def lift(mach):
    case = km.Ale(square(5), mach=mach, walls=[], device="cpu")
    return float(case.primitive()[:, 1].sum())


def test_a_forked_child_runs_after_its_parent_has(tmp_path):
    """Threads of the parent do not exist in the child: it must not wait for them."""
    large = km.mesh.airfoil("naca0012", nodes=5000)
    case = km.Ale(large, mach=0.5, device="cpu")  # beyond the loops that stay serial
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.map_async(lift, [0.4]).get(timeout=60)
    assert found[0] == pytest.approx(36 * 0.4)
    assert np.isfinite(case.primitive()).all()


@pytest.mark.flow
def test_a_motion_that_starts_away_from_rest_starts_there():
    """With phase 90 degrees the first step moves the body by little, not by the amplitude."""
    mesh = km.mesh.airfoil("naca0012", nodes=1500, far_field=10)
    case = km.Ale(mesh, mach=0.4, motion=km.motion.pitch(2.0, 0.1, phase_deg=90.0),
                  deform=km.deform.Rigid(), device="cpu")  # fmt: skip

    history = case.run(cycles=2 / 64, steps_per_cycle=64).history

    assert abs(history["cl"][1] - history["cl"][0]) < 0.02  # 2 degrees are worth 0.2
    assert history["alpha_deg"][0] == pytest.approx(2 * np.cos(2 * np.pi / 64))
    assert history["cl"][0] == pytest.approx(0.24, abs=0.05)  # thin section: 2 pi alpha / beta
