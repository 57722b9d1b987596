"""Joules by the counters of this machine, where it has them: a GPU's by NVML, sockets by RAPL.

`python -m pytest -m cuda tests/device/test_energy_device.py`, with the package nvidia-ml-py, on a
device that nobody else uses.
"""

from statistics import median
from time import perf_counter

import kinemesh as km
import numpy as np
import pytest
from kinemesh.bench import energy
from kinemesh.bench.joules import PIECE, counted
from kinemesh.device.backend import Backend
from kinemesh.device.energy import Meter
from solver_cases import on_devices

pytestmark = pytest.mark.no_sanitizer
INSTANT = 186  # NVML_FI_DEV_POWER_INSTANT [mW]


@pytest.fixture
def gpu():
    """A GPU whose counter can be read; a skip that says why there is none."""
    backend = Backend("cuda")
    meter = Meter(backend)
    meter.start()
    why = meter.why
    meter.close()
    if why:
        pytest.skip(why)
    return backend


@pytest.fixture
def meter(gpu):
    """A meter that has begun."""
    made = Meter(gpu)
    made.start()
    yield made
    made.close()


def copies(backend):
    """Copies that fill a piece of time, and the work that they are of."""
    work = energy._copies(backend)
    once = work.make(1)
    once()
    backend.synchronize()
    start = perf_counter()
    once()
    backend.synchronize()
    return work.make(max(1, round(PIECE / (perf_counter() - start)))), work


def instant(board):
    """Power of a board at this instant [W]."""
    (found,) = board._nvml.nvmlDeviceGetFieldValues(board._handle, [INSTANT])
    if found.nvmlReturn:
        pytest.skip(f"NVML has no instant power of this device (error {found.nvmlReturn})")
    return 1e-3 * found.value.uiVal


@pytest.mark.cuda
@pytest.mark.alone
def test_the_counter_counts_the_integral_of_power(gpu, meter):
    """Copies over 3 s, between two ticks of the counter: within 3 %."""
    run, _ = copies(gpu)
    board = meter.board
    begun = perf_counter()
    while perf_counter() - begun < 1.0:
        run()
        gpu.synchronize()
    times, watts, counts = [], [], []
    begun = perf_counter()
    while perf_counter() - begun < 3.4:
        for _ in range(3):  # in whose time the power is read, so that the device is at work
            run()
        for _ in range(4):
            times.append(perf_counter())
            watts.append(instant(board))
            counts.append(board.joules())
        gpu.synchronize()
    ticks = np.flatnonzero(np.diff(counts)) + 1
    first, last = ticks[0], ticks[-1]
    t, power = (np.array(of)[first : last + 1] for of in (times, watts))

    integral = (np.diff(t) * (power[1:] + power[:-1]) / 2).sum()

    assert t[-1] - t[0] > 3.0
    assert len(ticks) > 20  # it steps every 0.1 s
    assert counts[last] - counts[first] == pytest.approx(integral, rel=0.03)


@pytest.mark.cuda
@pytest.mark.alone
def test_copies_cost_the_same_joules_each_time(gpu):
    """Three rows `copy` one after the other: within 2 %."""
    _, work = copies(gpu)

    each = [counted(gpu, work, 3.0) for _ in range(3)]

    joules = [count.watts * count.seconds / count.times for count in each]
    assert max(joules) < 1.02 * min(joules), joules


@pytest.mark.cuda
@pytest.mark.alone
def test_joules_grow_with_the_work(gpu):
    """Over 3, 6 and 12 s: joules of a copy within 3 %, and joules in all as the time."""
    _, work = copies(gpu)

    each = [counted(gpu, work, seconds) for seconds in (3.0, 6.0, 12.0)]

    joules = [count.watts * count.seconds / count.times for count in each]
    assert max(joules) < 1.03 * min(joules), joules
    for count in each[1:]:
        grown = count.joules / each[0].joules
        assert grown == pytest.approx(count.over / each[0].over, rel=0.03)


@pytest.mark.cuda
def test_the_board_is_that_of_the_device(gpu, meter):
    nvml, handle = meter.board._nvml, meter.board._handle
    about = gpu._module.device_properties(gpu.ordinal)

    assert nvml.nvmlDeviceGetName(handle) in (about["name"], about["name"].encode())
    bus = nvml.nvmlDeviceGetPciInfo(handle).busId
    bus = bus.decode() if isinstance(bus, bytes) else bus
    assert bus.lower().endswith(about["pci"].lower())


@pytest.mark.cuda
@pytest.mark.alone
def test_a_meter_takes_30_ms(gpu):
    """From its start to its stop, the second time: NVML is begun, and left, each time."""
    spent = []
    for _ in range(6):
        begun = perf_counter()
        made = Meter(gpu)
        made.start()
        made.stop()
        spent.append(perf_counter() - begun)

    assert median(spent[1:]) < 0.03, spent


@pytest.mark.cuda
@pytest.mark.flow
def test_a_run_has_joules(gpu, tmp_path):
    mesh = km.mesh.airfoil("naca0012", nodes=20_000)
    motion = km.motion.pitch(amplitude_deg=2.51, k=0.0814)
    case = km.Ale(mesh, mach=0.755, motion=motion, device="cuda")

    found = case.run(cycles=3, steps_per_cycle=64, energy=True).summary["energy"]

    own = found["gpu"]
    assert own["method"] == "NVML energy counter"
    assert found["seconds"] > 0.8, "too short a run for this test"
    assert own["joules"] == pytest.approx(own["watts"] * found["seconds"])
    assert 30 < own["watts"] < 1.1 * (own["power_limit_watts"] or 1000)
    assert 0 < own["error_joules"] < 0.25 * own["joules"]


@on_devices
@pytest.mark.flow
def test_the_bits_of_a_run_are_those_without_a_meter(device):
    def loads(**more):
        mesh = km.mesh.airfoil("naca0012", nodes=500, far_field=8)
        case = km.Ale(mesh, mach=0.5, settings=km.AleSettings(steady_drop=1e-2), device=device)
        return case.steady(**more).history["cl"]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kinemesh.run.joules.warn", lambda *_, **__: None)  # of a meter not there
        with_meter = loads(energy=True)
    assert (with_meter == loads()).all()


def test_sockets_draw_what_sockets_draw():
    """A second of work, where RAPL can be read: between 1 and 1000 W a package."""
    made = Meter(Backend("cpu"))
    made.start()
    if made.why:
        pytest.skip(made.why)
    begun = perf_counter()
    while perf_counter() - begun < 1.0:
        pass

    cpu = made.stop()["cpu"]

    packages = sum("/" not in zone for zone in cpu["zones"])
    assert 1 * packages < cpu["watts"] < 1000 * packages
    assert 0 < cpu["own_share"] <= 1
