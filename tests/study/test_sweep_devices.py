"""Sweeps on several devices of one machine: a worker each, and batches that fit all of them."""

from types import SimpleNamespace

import kinemesh as km
import pytest
from conftest import open_backend
from kinemesh.errors import CaseError, DeviceError, SettingsError
from kinemesh.io.store import Store
from kinemesh.study.sweep import devices, work, workshop
from kinemesh.study.sweep.asked import asked_of
from kinemesh.study.sweep.work import Batch
from sweeps import case, same

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*(not periodic|above the asked|second order|residual)"
)
OVER = {"flow.mach": [0.4, 0.5, 0.6], "motion.pitch.k": [0.1, 0.2]}
MACH = {"flow.mach": [0.3, 0.4, 0.5, 0.6]}


@pytest.fixture
def three_gpus(monkeypatch):
    """Devices cuda:0 to cuda:2 that are not there, the second with the least memory."""
    free = {"cpu": 8, "cuda:0": 8, "cuda:1": 5, "cuda:2": 8}
    monkeypatch.setattr(devices, "Backend", lambda name: SimpleNamespace(device=name))
    monkeypatch.setattr("kinemesh.flow.memory.available", lambda backend: free[backend.device])


@pytest.mark.slow
@pytest.mark.flow
def test_a_sweep_goes_on_with_other_devices_and_has_the_bits_of_one_process(tmp_path, monkeypatch):
    write, written = Store.write, []

    def stopped(store, region, rows):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(region)
        write(store, region, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "write", stopped)
        with pytest.raises(KeyboardInterrupt):
            km.sweep(case(), OVER, out=tmp_path, batch=1, device="cpu")

    found = km.sweep(case(), OVER, out=tmp_path, device=["cpu", "cpu"], resume=True)

    assert (found.device == "cpu").all()
    same(found, km.sweep(case(), OVER))


@pytest.mark.flow
@pytest.mark.cuda
def test_two_workers_on_one_gpu_give_the_bits_of_one():
    open_backend("cuda-f64")  # skips where there is none

    found = km.sweep(case(), OVER, device="cuda:0,cuda:0")

    assert (found.device == "cuda:0").all()
    same(found, km.sweep(case(), OVER, device="cuda:0"))


def test_a_batch_runs_on_the_device_of_the_worker_that_took_it(monkeypatch):
    monkeypatch.setattr("distributed.get_worker", lambda: SimpleNamespace(name=1))
    monkeypatch.setattr(work, "ran", lambda batch: batch)
    batch = Batch((0, 1), (case(), None), {1: "impossible"}, (0, -1), None, -1)

    moved = workshop._at(batch, ("cuda:0", "cuda:1"))
    stays = workshop._at(batch, (None, None))

    assert moved.cases[0].job.device == "cuda:1"
    assert moved.cases[1] is None
    assert stays == batch


@pytest.mark.parametrize(
    ("asked", "found", "least"),
    [
        ("cuda:0,cuda:1", ("cuda:0", "cuda:1"), "cuda:1"),
        (["cuda:1", "cuda:2"], ("cuda:1", "cuda:2"), "cuda:1"),
        ("cuda:0, cuda:0, cuda:1", ("cuda:0", "cuda:0", "cuda:1"), "cuda:0"),  # 4 each
        ("cuda:2", ("cuda:2",), "cuda:2"),
    ],
)
def test_batches_are_made_for_the_worker_with_the_least_memory(three_gpus, asked, found, least):
    assert devices.devices_of(asked) == found
    assert devices.tightest(found) == least
    assert asked_of(case(), {"over": MACH}, device=asked).base.job.device == least


@pytest.mark.long
def test_there_is_a_batch_for_every_worker(monkeypatch):
    regions = []
    monkeypatch.setattr(workshop, "_each", lambda c, places, tasks: regions.extend(tasks) or [])

    km.sweep(case(), MACH, device="cpu,cpu")

    assert len(regions) == 2


@pytest.mark.parametrize("shared", [{"device": "cpu,cpu"}, {"workers": 2}])
def test_workers_that_share_a_device_share_its_memory(monkeypatch, shared):
    needed = []
    room = km.Ale.room
    monkeypatch.setattr(km.Ale, "room", lambda *given: needed.append(room(*given)) or needed[-1])
    # room for one with what its host holds, not for two
    monkeypatch.setattr("kinemesh.flow.memory.available", lambda backend: 1_500_000)

    with pytest.raises(DeviceError, match=r"1 case side by side: 2 workers share cpu, and need"):
        km.sweep(case(), {"flow.mach": [0.4, 0.5]}, batch=1, **shared)

    assert 750_000 < needed[-1] < 1_500_000


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("cpu,cuda:99", "cuda:99 is not there"),
        ("cpu,", "device is '', expected"),
        ("cpu,auto", "device is 'cpu,auto', expected the name of each"),
        ([], r"device is \[\], expected the name of each"),
        (["cpu", 1], "device is 1, expected"),
        ("cpu,gpu", "device is 'gpu', expected"),
    ],
)
def test_devices_that_are_none_are_refused(device, words):
    with pytest.raises(DeviceError, match=words):
        km.sweep(case(), MACH, device=device)


def test_a_cpu_beside_a_gpu_is_refused(three_gpus):
    with pytest.raises(DeviceError, match="devices cpu, cuda:1: a cpu and a GPU differ"):
        km.sweep(case(), MACH, device="cpu,cuda:1")


@pytest.mark.parametrize("more", [{"workers": 2}, {"dask": "tcp://127.0.0.1:1"}])
def test_several_devices_have_workers_of_their_own(more):
    with pytest.raises(SettingsError, match=r"several devices and .*, expected one of them"):
        km.sweep(case(), MACH, device="cpu,cpu", **more)


def test_a_device_beside_devices_that_vary_is_refused():
    with pytest.raises(CaseError, match=r"device is 'cpu', and run\.device varies"):
        km.sweep(case(), {"run.device": ["cpu"]}, device="cpu")
