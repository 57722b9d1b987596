"""Solvers that are made and dropped leave nothing behind: memory, objects, references."""

import gc
import os
import sys
import weakref
from pathlib import Path

import kinemesh as km
import numpy as np
import pytest
from kinemesh import _core
from kinemesh.device.backend import _load_cuda
from placements import along
from samples import place, sample
from solver_cases import on_devices, ring

SANITIZED = "libasan" in Path("/proc/self/maps").read_text("utf-8")
DT = np.array([0.1])


def made_and_dropped(mesh, device):
    """A solver that has done one pseudo-step of one step with springs; a weak reference to it."""
    settings = km.AleSettings(unsteady_iterations=1, krylov_iterations=5)
    law = km.motion.pitch(2.0, 0.1)
    ale = km.Ale(mesh, mach=0.3, motion=law, device=device, settings=settings)
    ale.dualtime.set_floor(DT)
    ale.begin_step(DT, 1)
    ale.place(along(lambda share: ale.bodies.poses(share * DT), 1.0))
    ale.iteration(1e-4, 1, (10.0, 100.0, 1.5), 1)()
    ale.check_faults("growth")
    assert ale.backend.get(ale.dualtime.iterations).tolist() == [1]
    return weakref.ref(ale)


def resident():
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.fixture
def _no_collector():
    """Disable the garbage collector: cycles would hold device memory for an unknown time."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@on_devices
@pytest.mark.usefixtures("_no_collector")
def test_a_solver_goes_at_once_and_leaves_no_cycle(device):
    mesh = ring()
    made_and_dropped(mesh, device)
    gc.collect()

    gone = made_and_dropped(mesh, device)

    assert gone() is None
    assert gc.collect() == 0


@pytest.mark.long
@pytest.mark.alone
@on_devices
@pytest.mark.usefixtures("_no_collector")
@pytest.mark.skipif(SANITIZED, reason="the sanitizer keeps what was freed for a while")
@pytest.mark.parametrize("solvers", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_solvers_made_and_dropped_do_not_grow(solvers, device):
    """The bound is one object per solver: a single bound call lost by each would be seen.

    Measured on a CPU: 0.3 MB in 300 solvers, most of it in the first 50.
    """
    mesh = ring()
    for _ in range(30):
        made_and_dropped(mesh, device)
    before, objects = resident(), len(gc.get_objects())
    room = device_room(device)

    grown = []
    for _ in range(2):  # what is lost is lost in both halves; a pool grows once
        for _ in range(solvers // 2):
            made_and_dropped(mesh, device)
        grown.append(resident() - before)
        before = resident()

    assert len(gc.get_objects()) - objects < solvers / 10
    assert min(grown) < solvers // 2 * _core.Call.__basicsize__
    # a device hands out memory by pages of 2 MB; each solver holds 0.5 MB (kinemesh.flow.memory)
    assert room - device_room(device) <= 2 * 2**21


def device_room(device):
    """Bytes that are free on a GPU; 0 for the CPU."""
    module, _ = _load_cuda()
    if device == "cpu" or module is None:
        return 0
    module.synchronize(0)
    return module.device_properties(0)["free_bytes"]


# ---------------------------------------------------------------- references


def references(objects):
    return [sys.getrefcount(thing) for thing in objects]


def bound(host):
    """Arrays of a kernel, and its bound call."""
    fields = place(host, sample("ale_residual"))
    arrays = [value for value in fields.values() if isinstance(value, np.ndarray)]
    return fields, arrays


def test_a_call_gives_its_arrays_back(host):
    fields, arrays = bound(host)
    kind = type(host.bind("ale_residual", **fields))
    before = references([*arrays, kind])

    calls = [host.bind("ale_residual", **fields) for _ in range(100)]
    held = references([*arrays, kind])
    del calls

    assert all(h >= b + 100 for h, b in zip(held, before, strict=True))
    assert references([*arrays, kind]) == before


@pytest.mark.parametrize("broken", ["dtype", "shape", "missing", "unknown", "over", "none", "last"])
def test_a_refused_call_gives_its_arrays_back(host, broken):
    fields, arrays = bound(host)
    kind = type(host.bind("ale_residual", **fields))
    over, bad = None, dict(fields)
    if broken == "dtype":
        bad["flux"] = np.zeros(fields["flux"].shape, np.int64)
    elif broken == "shape":
        bad["u"] = np.zeros((3, 7))
    elif broken == "missing":
        del bad["res"]
    elif broken == "unknown":
        bad["more"] = arrays[0]
    elif broken == "over":
        over = (0, 10**6)
    elif broken == "none":
        bad["V"] = None
    else:
        bad["res"] = fields["u"]  # overlaps: the last check of all
    before = references([*arrays, kind])

    for _ in range(100):
        with pytest.raises((TypeError, ValueError, IndexError)):
            host.bind("ale_residual", over=over, **bad)
    bad.clear()

    after = references([*arrays, kind])
    assert all(a <= b for a, b in zip(after, before, strict=True))


def test_a_recording_gives_its_calls_and_its_flag_back(host):
    fields, arrays = bound(host)
    call, flag = host.bind("ale_residual", **fields), host.array([1], "int32")
    inner = host.record([call])
    items = [call, inner]
    before = references([call, inner, flag, type(inner), *arrays])

    recordings = [host.record(items, times=2, flag=flag) for _ in range(100)]
    held = references([call, inner, flag, type(inner)])
    del recordings

    assert all(h >= b + 100 for h, b in zip(held, before, strict=False))
    assert references([call, inner, flag, type(inner), *arrays]) == before


@pytest.mark.parametrize("broken", ["item", "times", "flag", "flag dtype"])
def test_a_refused_recording_gives_its_calls_back(host, broken):
    fields, _ = bound(host)
    call, flag = host.bind("ale_residual", **fields), host.array([1.0], "float64")
    items = [call, "step"] if broken == "item" else [call]
    options = {"times": {"times": 0}, "flag": {"flag": "x"}, "flag dtype": {"flag": flag}}
    before = references([call, flag, type(host.record([call]))])

    for _ in range(100):
        with pytest.raises((TypeError, ValueError)):
            host.record(items, **options.get(broken, {}))

    assert references([call, flag, type(host.record([call]))]) == before
