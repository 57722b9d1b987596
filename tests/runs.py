"""Runs that are cut short, and the folders that they leave, compared bit for bit."""

import os
import signal
import time
import warnings

import kinemesh as km
import numpy as np
import pytest
from kinemesh.io import fields
from kinemesh.run import interrupt

MESH = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
QUICK = km.AleSettings(unsteady_drop=1e-2, steady_drop=1e-5)


def files_of(folder, member=""):
    """Bytes of the history, and every frame of the fields."""
    name = folder / f"flow{member}.vtkhdf"
    count, frames = 0, []
    while True:
        try:
            frames.append(fields.read(name, count))
        except km.CaseError as end:
            assert "no step" in str(end)  # noqa: PT017
            return (folder / "history.csv").read_bytes(), frames
        count += 1


def assert_same(one, other, members=("",)):
    for member in members:
        (history, frames), (again, others) = files_of(one, member), files_of(other, member)
        assert history == again
        assert len(frames) == len(others) > 0
        for a, b in zip(frames, others, strict=True):
            assert a["time"] == b["time"]
            np.testing.assert_array_equal(a["points"], b["points"])
            assert set(a["fields"]) == set(b["fields"])
            for name, values in a["fields"].items():
                np.testing.assert_array_equal(values, b["fields"][name])


def killed(work, ready, wait):
    """Run `work` in a child process, and kill it `wait` seconds after `ready` holds."""
    child = os.fork()
    if child == 0:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work()
        finally:
            os._exit(0)
    end = time.monotonic() + 60
    while not ready() and time.monotonic() < end and not os.waitpid(child, os.WNOHANG)[0]:
        time.sleep(0.001)
    time.sleep(wait)
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        pass  # it had ended


def stopped(monkeypatch, work, checks):
    """Run `work` up to its `checks`-th look for Ctrl-C, where it finds one; the message."""
    real, count = interrupt.check, iter(range(10**9))

    def check():
        if next(count) == checks:
            os.kill(os.getpid(), signal.SIGINT)
        real()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup ignores it
    try:
        with monkeypatch.context() as patch:
            patch.setattr(interrupt, "check", check)
            with pytest.raises(KeyboardInterrupt) as stop:
                work()
    finally:
        signal.signal(signal.SIGINT, before)
    return str(stop.value)


def interrupted(monkeypatch, work, after):
    """Press Ctrl-C in a steady run when it asks for it once more than `after` times."""
    real, count = interrupt.asked, iter(range(10**9))

    def asked():
        if next(count) == after:
            os.kill(os.getpid(), signal.SIGINT)
        return real()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup ignores it
    try:
        with monkeypatch.context() as patch:
            patch.setattr(interrupt, "asked", asked)
            with pytest.raises(KeyboardInterrupt, match="with --resume"):
                work()
    finally:
        signal.signal(signal.SIGINT, before)


def rows(folder):
    path = folder / "history.csv"
    return path.read_bytes().count(b"\n") - 1 if path.exists() else -1
